"""The singular of a head noun.

In:   a word in lower case.
Out:  its singular, or the word itself.
Why:  "two rotor blades" here must meet "the rotor blade" there."""

from __future__ import annotations

_IRREGULAR = {
    "feet": "foot", "teeth": "tooth", "men": "man", "women": "woman", "children": "child",
    "people": "person", "mice": "mouse", "dice": "die", "geese": "goose", "halves": "half",
    "leaves": "leaf", "knives": "knife", "lives": "life", "shelves": "shelf", "wolves": "wolf",
    "calves": "calf", "loaves": "loaf", "wives": "wife", "selves": "self", "thieves": "thief",
    "hooves": "hoof", "scarves": "scarf",
    "axes": "axis", "analyses": "analysis", "hypotheses": "hypothesis", "syntheses": "synthesis",
    "prostheses": "prosthesis", "theses": "thesis", "diagnoses": "diagnosis", "bases": "base",
    "parentheses": "parenthesis", "crises": "crisis", "oases": "oasis", "metastases": "metastasis",
    "vertices": "vertex", "vortices": "vortex", "apices": "apex", "indices": "index",
    "matrices": "matrix", "helices": "helix", "appendices": "appendix", "cortices": "cortex",
    "media": "medium", "criteria": "criterion", "phenomena": "phenomenon", "bacteria": "bacterium",
    "spectra": "spectrum", "strata": "stratum", "maxima": "maximum", "minima": "minimum",
    "optima": "optimum", "momenta": "momentum", "quanta": "quantum", "septa": "septum",
    "radii": "radius", "nuclei": "nucleus", "loci": "locus", "foci": "focus", "stimuli": "stimulus",
    "fungi": "fungus", "moduli": "modulus", "menisci": "meniscus", "bronchi": "bronchus",
    "formulae": "formula", "vertebrae": "vertebra", "antennae": "antenna", "larvae": "larva",
    "lamellae": "lamella", "lumina": "lumen", "foramina": "foramen", "laminae": "lamina",
    "busses": "bus", "buses": "bus", "lenses": "lens", "gases": "gas", "gasses": "gas",
    "biases": "bias", "aliases": "alias", "canvases": "canvas", "viruses": "virus",
    "dies": "die", "ties": "tie", "pies": "pie", "lies": "lie", "movies": "movie",
    "calories": "calorie", "cookies": "cookie", "zombies": "zombie", "prairies": "prairie",
    "shoes": "shoe", "toes": "toe", "hoes": "hoe", "canoes": "canoe", "caches": "cache",
    "headaches": "headache", "aches": "ache", "avalanches": "avalanche", "niches": "niche",
    "axles": "axle", "quizzes": "quiz", "yeses": "yes",
}  # fmt: skip

_UNCHANGED = frozenset(
    """
    series species means apparatus chassis lens gas bus bias axis basis analysis always mathematics
    physics electronics optics mechanics dynamics hydraulics kinetics acoustics statistics
    semantics graphics robotics genetics genomics logistics analytics diagnostics ergonomics
    aerodynamics thermodynamics electromagnetics pneumatics economics ethics haptics
    telematics informatics electrostatics headquarters corps diabetes rabies scabies
    biceps triceps pancreas pelvis iris trellis debris synopsis alias atlas canvas kudos
    chaos cosmos pathos asbestos christmas news glasses scissors pliers tweezers forceps shears
    gallows bellows whereas perhaps thus plus minus yes sometimes its this
    """.split()
)


def singular(word: str) -> str:
    """Give the singular of a noun.

    >>> [singular(word) for word in ("blades", "bodies", "switches", "axes", "lens", "valves")]
    ['blade', 'body', 'switch', 'axis', 'lens', 'valve']
    """
    known = _IRREGULAR.get(word)
    if known:
        return known
    if not word.endswith("s") or len(word) < 4 or word in _UNCHANGED:
        return word
    if word.endswith(("ss", "us", "is", "'s", "’s", "ous")):
        return word
    if word.endswith("s'") or word.endswith("s’"):
        return word
    if "-" in word:
        front, back = word.rsplit("-", 1)
        return f"{front}-{singular(back)}"
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "tches", "xes", "zzes", "oes", "uses")):
        return word[:-2] if not word.endswith(("uses", "oes")) else _long(word)
    if word.endswith("ches"):
        return word[:-2]
    return word[:-1]


def _long(word: str) -> str:
    """Tell "fuses" (fuse) from "apparatuses" (apparatus), and "potatoes" from "shoes"."""
    if word.endswith("oes"):
        return word[:-2]
    return word[:-2] if word.endswith(("tuses", "ruses", "cuses", "nuses", "diuses")) else word[:-1]
