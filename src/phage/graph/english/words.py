"""Closed classes and adjectives of claim English, each word with its tag.

In: nothing.
Out: WORDS: word → tag; UNITS, STOP_HEADS and other small sets the phrases are filtered by.
Why: a claim is mostly closed-class words around noun phrases; naming them finds the phrases.

Tags, one sign a word, so that a claim is a string and a rule is a regular expression:
D definite I indefinite 1 number L about a number O ordinal J adjective Y adjective or verb
N noun S plural A noun or verb Z plural or verb V verb E participle G word in -ing
B be H have M modal R adverb P preposition T to C and, or W clause opener X other
Q quantity that "of" follows U unit; signs stand for themselves."""

from __future__ import annotations

_CLOSED = {
    "D": "the said this these those such its their his her whose aforesaid aforementioned our",
    "a": "a an",
    "I": "another any some each every either neither no all both many several few",
    "1": """one two three four five six seven eight nine ten eleven twelve thirteen fifteen sixteen
        twenty thirty forty fifty hundred thousand million zero half dozen""",
    "l": "least most",
    "L": "more fewer less than approximately ca",
    "O": """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
        1st 2nd 3rd 4th 5th last next other nth""",
    "B": "is are be was were been being",
    "H": "has have had having",
    "M": "can may will shall must should would could might do does did cannot",
    "T": "to",
    "C": "and or and/or nor but plus",
    "o": "of",
    "P": """in on at for from with by between into through within about via during along over
        after upon onto among amongst under below above against until across per behind toward
        towards beneath underneath around beyond before without 
        throughout atop off as amid alongside beside besides versus except 
         near up down out aboard amidst across concerning regarding
        notwithstanding based""",
    "w": "which that who whom",
    "W": """wherein when where whereby if while whether because whereas unless
        so since although though once how what why whenever wherever thereby
        whereupon hence therefore thus""",
    "X": """it they them itself themselves he she him himself you your we us there thereof therein
        thereto therewith thereon therefrom thereby thereafter therebetween thereof therethrough
        therearound thereunder therefor thereabout thereinto thereupon thereover hereby herein
        hereinafter hereafter something anything nothing everything none others else etc eg ie
        e.g i.e viz alone together apart away forth rather instead""",
    "R": """not also further then only respectively already thus even otherwise still again just too very
        quite always never often ever once twice upwards downwards inwards outwards backwards rearwards forwards
         closer farther further furthermore moreover however instead once well now here
        optionally preferably ahead aside altogether perhaps almost nearly approximately
        in-situ maybe sideways lengthwise thereafter prior later
        sooner afterwards afterward meanwhile almost enough alternatively namely
        namely regardless irrespective""",
    "F": """near inside outside opposite past like unlike proximate adjacent upstream downstream upward
        downward inward outward rearward backward prior following due""",
    "Q": "plurality pair number multiplicity majority variety multitude amount quantity",
    "U": """mm cm m km nm µm μm um mil inch inches ft kg g mg µg μg ng lb lbs oz ml µl l
        liter liters litre litres s sec ms µs ns seconds minute minutes min hour hours hr hrs
        h day days week weeks month months year years hz khz mhz ghz v kv mv volt volts ma amp
        amps ampere amperes w kw mw watt watts j kj ohm ohms k c f °c °f ° degree degrees % percent
        wt vol mol mole moles mmol mm² mpa kpa pa psi atm torr db dbm rpm ppm ppb kda da
        mw/cm2 kn cc cst cp nm-1 micron microns micrometer micrometers nanometer nanometers
        millimeter millimeters centimeter centimeters angstrom angstroms å
        fold times phr weight% wt% mass% vol% mol% at% celsius fahrenheit kelvin °k dpi""",
}

_ADJECTIVES = """
    able absent absolute acceptable accessible accurate acoustic active actual acute adaptive
    additional adequate adjacent adjustable alternate ambient amorphous analogous
    angular annular anterior apparent applicable appropriate approximate arbitrary arcuate aromatic
    artificial associated asymmetric atmospheric atomic audible authentic automatic auxiliary
    available aware axial basic bent better big bigger biggest bilateral binary biological
    bipolar black blind blue brief bright brittle capable cardiac central certain cheap     circular circumferential clinical close closed closest coaxial coherent cold collapsible common
    compatible complementary complete complex compliant concave concentric concurrent conditional
    conductive conical consecutive consistent constant contiguous continuous convenient conventional
    convex coplanar correct corresponding critical cross crude cryptographic cubic cumulative curved
    cyclic cylindrical dark deep deeper dense dependent desirable detachable diagonal different
    differential difficult digital direct discrete distal distinct double dry dual duplicate
    dynamic early earlier earliest easy eccentric effective efficient elastic electric electrical
    electromagnetic electronic electrostatic elliptical elongate empty endless enough entire equal
    equidistant erroneous essential exact excessive exclusive executable exemplary
    expandable explicit external extra extreme false familiar far fast faster favorable
    female few fewer fibrous final financial fine finite fixed flat flexible flush foldable foreign
    formal former forward free frequent fresh frictional full functional fundamental further future
    gaseous general generic gentle geographic geometric global good gradual graphical gray greater
    greatest green half hard harmful heavy helical hemispherical heterogeneous hexagonal hierarchical
    high higher highest historical hollow homogeneous homologous horizontal hot huge humid
    hydraulic hydrophilic hydrophobic ideal identical idle illegal imaginary immediate immiscible
    immune immutable impermeable implantable important impossible improper inactive inaccurate
    incident inclusive incoming incomplete incorrect incremental independent indicative indirect
    inert inflatable inherent initial inner innermost inorganic insoluble instant
    instantaneous integral intelligent intended intense interactive intermediate
    intermittent internal inverse irregular kinetic known lacking large larger largest last latent
    later lateral latest latter leading least left less lesser likely linear local logical long
    longer longest longitudinal loose lossless lossy low lower lowest magnetic main major male
    malicious manual marine maximal meaningful mechanical medial medical mere metallic
    microscopic middle mid minimal minor mobile moderate modular moist molecular molten
    monolithic more most movable moveable multiple mutual naked narrow narrower native natural
    necessary needed negative neutral new newer nominal non normal novel numerical numerous
     oblique obsolete occasional odd offline old older online opaque open operable
    operational operative opposed opposing opposite optical optimal optimum optional ordinary organic
    original orthogonal ongoing outer outermost outgoing overall own parallel partial
    particular passive peculiar periodic peripheral permanent permeable perpendicular persistent
    personal pertinent pharmaceutical physical physiological pivotable pivotal plain planar
    plural pneumatic polar polygonal poor porous portable positive possible posterior     powerful practical precise preferable preliminary present previous primary prime principal
    prior private probable programmable prominent proper proportional prospective protective
    proximal pseudo public pure quick radial radioactive random rapid rare raw readable ready real
    rear reasonable recent reciprocal rectangular recyclable red redundant reflective regular
    related relative releasable relevant reliable remaining remote removable replaceable repetitive
    representative residual resilient resistant resistive resonant respective responsive resultant
    reusable reverse reversible rich right rigid robust rotary rotatable rotational rough round
    routine same satisfactory secondary secret secure selectable selective semantic sensitive
    separable separate sequential serial serious several severe shallow sharp sheer short shorter
    shortest significant silent similar simple simultaneous single slidable slight slow slower small
    smaller smallest smart smooth social soft solar sole soluble sophisticated spare sparse spatial
    special specific spectral spherical spontaneous stable standalone static stationary
    statistical steady steep stiff straight strict strong structural sub subordinate
    subsequent substantial successful successive such sudden sufficient suitable super superior
    supplemental supplementary susceptible symmetric symmetrical synchronous synthetic tactile
    tangential tangible temporal temporary tertiary therapeutic thermal thick thicker thin thinner
    thorough three-dimensional tight tiny transitory transparent transversal transverse
    triangular trivial true tubular typical ultimate unable unauthorized uncommon uneven uniform
    unique unitary universal unknown unlike unlikely unnecessary unsuitable unused upper uppermost
    urgent usable useful useless usual vacant valid variable various vertical very viable virtual
    viscous visible visual vital volatile warm waterproof weak wearable wet whole wide wider
    wireless worse worst worthy wrong yellow young
    """

WORDS: dict[str, str] = {
    **{word: "J" for word in _ADJECTIVES.split()},
    **{word: tag for tag, words in _CLOSED.items() for word in words.split()},
}
"""Word → tag; a closed class wins over the adjectives."""

NOUNS = frozenset(
    """
    analysis apparatus assembly anomaly axis basis bias bus butterfly bottom chassis chemical
    series species means gas glass lens mass process access address class press cross loss
    compass brass mess excess status focus apparatus radius modulus locus nucleus virus census
    campus corpus bonus cactus fungus stimulus canvas atlas pancreas iris pelvis family supply ply
    reply jelly dolly belly ally bully valley subassembly sub-assembly polyp disassembly tally
    material terminal signal interval arrival removal disposal approval renewal proposal
    potential crystal metal medal pedal panel channel vessel manifold individual manual
    variable adhesive additive abrasive explosive preservative derivative objective
    incentive motive octave drive archive detergent agent component solvent reagent element
    segment moment instrument current gradient patient client recipient constituent content
    ingredient tangent quotient coefficient resident student president parent talent event vent
     coolant lubricant sealant refrigerant pollutant contaminant variant determinant
    implant plant oxidant surfactant mutant participant assistant tenant warrant quadrant reactant
    fabric logic metric music topic characteristic traffic cosmetic
      mechanic diagnostic statistic heuristic antibiotic picnic clinic ceramic
    table cable syllable vegetable article vehicle particle obstacle receptacle bottle
    title battery boundary library dictionary memory inventory territory category
    factory directory history theory trajectory repository laboratory accessory
    bar pillar collar dollar cellar radar sugar vinegar grammar calendar
    speed feed need seed bed led oled sled reed weed steed shed thread head lead bead bread
     hundred led screed seabed
    foot feet inside outside interior exterior front back top side middle edge rest maximum minimum
    total whole half quarter square human adult child children people men women person
    data media criteria matrices vertices indices axes bases analyses
    """.split()
)
"""Nouns that a suffix would take for something else."""

MASS = frozenset(
    """
    air blood carbon content current data electricity energy fluid food fuel gas gasoline glass heat
    hydrogen information ink light liquid material metal milk moisture money motion nitrogen oil
    oxygen paper plasma power pressure silicon software soil steam text tissue traffic water
    """.split()
)
"""Nouns that stand alone as an object: "storing data", "emitting light"."""

STOP_TERMS = frozenset(
    """
    method process system device apparatus assembly composition article product machine medium kit
    use invention claim example case one respect manner way order basis fact instance embodiment
    plurality pair number multiplicity majority variety multitude amount quantity
    accordance addition response view turn place part regard relation means step group
    combination thereof following foregoing same other others latter former whole rest
    event purpose extent degree kind type sort instant particular general least most
    conjunction case sake virtue lieu reason thing matter
    """.split()
)
"""Whole-claim names, carriers without technical content, quantities: never a term by themselves."""
