"""Verbs of claim English, by what else their forms can be.

In:   nothing.
Out:  VERBS (only verbs), NOUN_VERBS (also nouns), IRREGULAR participles, GERUND_NOUNS, RULING.
Why:  a chunker without a model must know that "supports" may be things or an act, and that
      "receives" may not; suffixes alone cannot say."""

from __future__ import annotations

VERBS = frozenset(
    """
    abandon ablate abrade absorb abut accelerate accept accommodate accompany accomplish
    accumulate achieve acknowledge acquire activate actuate adapt add adhere adjoin adjust
    administer admit adopt adsorb advertise affect affix afford agglomerate agitate align
    alleviate allocate allow alter ameliorate amplify analyse analyze anneal annotate anticipate
    appear append apply appoint approve arbitrate arise arrange arrive ascertain ask assemble
    assert assess assign associate assume assure atomize attach attain attenuate attract
    authenticate authorize automate avoid await become begin behave belong bifurcate bind bisect
    bring broaden calculate calibrate cancel carry categorize cease certify characterize
    choose circulate circumscribe cite clarify classify cleave coalesce coincide collaborate
    collapse collect collide combine come commence communicate compare compensate compile
    comply compose compress comprise compute concatenate conceal conceive concentrate conclude
    condense configure confine confirm conform connect consider consist consolidate constitute
    constrain construe consult consume contain contaminate continue contribute converge convert
    convey convolve cooperate correlate correspond counteract couple create crystallize cultivate
    customize deactivate decelerate decide declare decode decompose decompress decouple decrypt
    deduce deem deenergize define deflate deflect deform degenerate degrade dehydrate delete
    delineate deliver demodulate demonstrate denote deny depart depend depict deplete deploy
    deprive derive descend describe detach detect deteriorate determine deviate devise diagnose
    dictate differ differentiate diffuse digitize dilute diminish disable disappear discard discern
    disclose disconnect discontinue discover discriminate disengage disperse dispense displace
    dispose disregard disrupt dissipate dissociate dissolve distinguish distort distribute diverge
    divert divide elapse elect elevate elicit eliminate elongate elute emanate embed embody
    embrace emerge emit emphasize employ emulate enable encapsulate encase encipher enclose encode
    encompass encourage encrypt endow energize enforce engage engrave enhance enlarge enqueue
    enrich ensure entail enter entrain enumerate envelop equalize equilibrate equip erase erect
    establish evacuate evaluate evaporate evoke evolve examine exceed excite exclude execute
    exemplify exert exhibit exist expand expect expedite expel expire explain exploit explore
    expose extend extinguish extract extrude fabricate facilitate fasten fetch fill find flatten
    follow forbid formulate fulfil fulfill gather generate get give go govern grasp grind
    guarantee happen heal hear help hide hinder hold humidify hybridize hydrolyze identify ignite
    ignore illuminate illustrate imitate immerse immobilize impart impede impinge imply impose
    impregnate improve include incorporate incubate indicate induce infer infiltrate inflate
    inform infuse inhale inherit inhibit initialize initiate inject inoculate inquire inscribe
    inspect install instantiate instruct insulate integrate intend interact intercept interconnect
    interfere interlace interleave interlock interpolate interpose interpret interrogate intersect
    intervene introduce invert investigate invoke involve ionize irradiate isolate iterate join
    justify keep know lay learn leave lessen let lie liberate lighten liquefy localize locate lose
    lubricate magnetize magnify maintain make manage manipulate materialize maximize mediate
    mention memorize merge migrate mimic minimize misalign mitigate mobilize modify modulate
    moisten multiplex multiply navigate negate neutralize nominate normalize notify nullify obey
    obfuscate obscure observe obstruct obtain obviate occlude occupy occur omit operate oppose
    optimize orient originate oscillate outweigh overcome overlie override overwrite own oxidize
    parallelize parse participate penetrate perceive perform permeate persist pertain perturb
    pierce plasticize polarize polymerize populate portray possess postpone precede preclude
    predetermine predict prefer preheat prepare prescribe pressurize presume prevent prioritize
    proceed procure prohibit proliferate prolong promote propagate propel propose protect protrude
    prove provide publish pulverize purify pursue put qualify quantify quantize quench radiate
    raise randomize react realign realize rearrange reassemble receive recharge recirculate
    reciprocate recite recline recognize recommend reconcile reconfigure reconnect reconstruct
    recover rectify recur redefine redistribute reduce refer refine reflect refrain regenerate
    regulate reinforce reinsert relate relax rely remain remember remind remove render reorder
    reorganize repel replace replenish represent reproduce require rescale reside resist resize
    resolve resonate respond restore restrain restrict resume retain retard retract retransmit
    retrieve reveal revise revolve rewrite rotate sanitize satisfy saturate say secrete see seek
    seem segregate select sell send serialize serve sever shorten show shrink simplify simulate
    sinter situate solicit solidify solubilize solve specify stabilize stagger stay sterilize
    stiffen stimulate stipulate straddle strengthen strive subdivide submerge submit subtend
    subtract succeed suffer suffice suggest superimpose superpose supersede supervise suppose
    suppress surmount surpass surround suspend sustain swell synchronize synthesize take tend
    terminate texturize thicken tighten tolerate transcode transcribe transduce transfect translate
    transmit transpose traverse treat truncate uncouple undergo underlie understand undertake
    unfold unify unite unlock unwind urge utilize vaporize vary verify vibrate violate visualize
    weaken weigh widen withdraw withstand write
    """.split()
)
"""Base forms that are no noun in claims: "receive", "extend"."""

NOUN_VERBS = frozenset(
    """
    access account act address advance aggregate aid alarm alert amount anchor answer approach
    archive articulate assist attempt attribute average award back balance bear bend benefit bias
    bill blank bleed blend block blow bolt bond boost boot border bounce bow brace brake branch
    break bridge broadcast browse brush buckle buffer build bundle burn burst buy bypass cache
    call cap capture cast catch cause challenge change channel charge chart check chop clamp clasp clean
    clear click clip clock close clutch coat code command comment compact complement complete
    compound compromise concern conduct conflict construct contact contract contrast control cook
    cool coordinate copy cost count counter cover crack crash credit crimp cross crush curl curve
    cushion cut cycle damage damp deal debit decay decline decrease default delay demand deposit
    design desire detail die direct discharge discount display disturb dock document dope dose
    double download draft drain draw dress drift drill drink drip drive drop dry dump duplicate
    dye echo edit effect eject empty encounter end equal escape estimate etch exchange exercise
    exhaust exit experience export express face fade fail fall fashion favor favour feed feel
    ferment file filter fit fix flag flare flash flex flip float flood flow flush foam focus fold
    force form format forward frame free freeze fuel function fund funnel fuse gain gate gauge glue
    grade grant graph grip ground group grow guard guide hand handle hang harm harness harvest hash
    haul head heat hinge hit hook host house hydrate image impact implant implement import incline
    increase increment index influence input insert interchange interest interface interrupt
    invoice issue jam judge jump kick kill knock label lack lag laminate land lap lapse latch
    launch lead leak lease level license lift light limit line link list listen live load lock log
    look loop lower mail manifest manufacture map mark market mask match mate mean measure meet
    melt mesh message mind mirror miss mix model mold monitor mould mount move name narrow need
    nest note notice object offer offset open order outline output overlap overlay overload pace
    pack package pad page paint park partition pass paste patch pattern pause pay peak peel permit
    photograph pick pilot pin pitch pivot place plan play plot plug plunge point polish poll pop
    port pose position post pour power practice precipitate present preserve preset press preview
    price prime print probe process produce profile program programme project prompt proof protest
    provision pull pulse pump punch purchase purge push query question quote race ramp range rank
    rate reach read reason rebound recall recess record recycle reference refill reform refresh
    refund regard register reject release relay remark remedy rent repair repeat replicate reply
    report request rescue research reserve reset respect rest result retreat return reuse reverse
    review reward ring rinse rise risk rivet rock roll root round route rub rule run rupture sample
    sandwich save scale scan scatter schedule score scrape screen screw script scroll seal search
    seat secure seed segment sense separate sequence service set shade shape share shear shield
    shift ship shock shoot shop shunt shut shuttle sign signal silence sink size skew skim skip
    sleep slice slide slip slit slope slow smell smile smoke smooth snap solder sort sound source
    space span spark speed spin spiral split spot spray spread square squeeze stack stage stain
    stall stamp stand staple start state steam steer stem step stick stir stock stop store strain
    strap stream stress stretch strike stroke structure study subject substitute suit sum
    supplement supply support surge survey swap sweep swing switch tag tailor tally tap taper
    target taste tear tell temper tension test thread throttle throw thrust tie tilt time tip
    toggle top torque touch tow trace track trade trail train transfer transform transit
    transition transport trap travel trigger trim trust try tune tunnel turn twist type update
    upgrade upload use value vent view visit vote wait wake walk warm warp wash waste watch wear
    wedge weld wet whistle wind wipe wire work wrap yield zoom
    """.split()
)
"""Base forms that are nouns as well: "support", "position", "mount"."""

IRREGULAR = frozenset(
    """
    been begun bent borne bound bled blown broken brought built burnt cast caught chosen clung cut
    done drawn driven fed fallen felt fit forgotten formed found fought frozen given gone gotten
    ground grown hidden held hit hung kept known laid lain led left lent lit lost made meant met
    mown offset overlaid overridden overwritten paid preset proven put quit read rebuilt reset
    rewritten risen run sent set sewn shaken shed shown shrunk shut slid slit sold spent split spread
    spun sprung stolen struck stuck strung sunk swept swollen swung taken taught thrown
    told torn trodden understood undergone upset wet withdrawn woken won worn wound woven written
    """.split()
)
"""Participles without -ed; those that are commoner as nouns or adjectives are left out there."""

GERUND_NOUNS = frozenset(
    """
    accounting advertising backing bearing beginning billing bonding braking brewing briefing
    building bushing casing ceiling cladding clothing coating coding computing conferencing
    coupling crossing cushioning decking docking dressing drawing dwelling earring embossing
    engineering evening fastening feeling fencing filing filling finding firing fitting flooring
    frosting gaming gearing glazing grating grouping handling handwriting harvesting hearing heading
    heating housing imaging killing king landing learning lighting lightning lining listing
    machining manufacturing mapping marking meaning meeting messaging milling mining molding
    morning moulding mining multiplexing networking nothing offering opening packaging packing
    painting parking piping planning plating plumbing positioning posting pricing printing
    processing programming proceeding publishing pumping railing ranking rating reading recording
    ring roofing routing sampling saving scheduling scoring seasoning seating sensing servicing
    setting sewing sheathing shelving shielding shipping shopping sibling siding signaling
    signalling spacing spring staging steering sting stocking streaming string stuffing surfacing
    switching thing timing toothing towing tracing trading training trimming tubing tuning
    upholstering wagering warning washing webbing weighting welding wing winding wiring wording
    wrapping writing drawstring
    """.split()
)
"""Words in -ing that are things or premodifiers after a noun: "a housing", "image processing"."""

RULING = frozenset(
    """
    allowing becoming causing characterising characterizing comprising consisting containing
    enabling ensuring having including involving utilizing using
    """.split()
)
"""Words in -ing that always open a clause: no noun phrase reaches over "comprising"."""
