"""English: phrases that refer to claims.

In:   the wordings that drafters, offices and bad scans are known to produce.
Out:  ENGLISH.
Why:  most of the corpus is English, so every known phrasing and misprint has its place here."""

from __future__ import annotations

import re

from phage.graph.english.mentions import components, mentions
from phage.graph.language.references import Phrases, numbered, reader
from phage.graph.language.subjects import embedded
from phage.graph.language.types import Language, Reach

_NUMERALS = numbered(
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
)  # fmt: skip
_ORDINALS = numbered(
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth",
)  # fmt: skip

# "disclaim" and "reclaim" end in it; "ofclaim" and "toclaim" are lost blanks; the rest misprints.
_CLAIM = (
    r"[cC](?<!disc)(?<!rec)(?<!proc)"
    r"(?<!insurance c)(?<!medical c)(?<!warranty c)(?<!benefit c)"  # claims on an insurer
    r"(?:laim(?:e?s|ed?|er)?|[1|]aims?|liams?|alims?|lains?|lams?|lalms?|lairns?)"
    r"(?!(?!l\d*\b)[a-z])"  # "claiml2" is claim 12
)
_LABEL = (
    r"[\s.:,–-]*(?:(?:(?:no|nos|number|numbers)\b|(?:of|in|a)\s+(?=\d+\s*(?:[,.;:]|wherein|further))"
    r"|[#(\[])[\s.:#(\[]*)?"
)
# Not a decimal, a share or a measure: "claim 1, 5 % of", "claim 1, 2-methyl".
_END = (
    r"(?![\d%°])(?!['′](?!s\b))(?!\.\d)(?!-[a-z])(?!\s*[%‰°])"
    r"(?!\s*(?:percent|per cent|wt|mol|mm|cm|nm|µm|μm|microns?|"
    r"degrees?|times|parts|kg|mg|g|ml|hz|khz|mhz|volts?|v|amino|nucleotides|hours?|minutes?|"
    r"seconds?|days?|weeks?|months?|years?)\b)(?!,\d+-[a-z])"
)
_DIGITS = rf"(?:\d{{1,4}}|(?-i:[lI]\d?\b)){_END}"
# A further number counts things when their plural follows: "of claim 1 and 2 blades".
_COUNTS = (
    r"(?:\s*(?:to|or|and|[-–,])\s*\d+){0,3}\s+(?!(?:is|as|has|was|this|thus|whereas|compris|includ|"
    r"contains|consists|provides|requires|previous|uses|utilizes|further)\w*\b)[a-z]{3,}s\b"
)
_UNTIL = (
    r"up\s+to(?:\s+and\s+including)?|through(?:\s+to)?|thro?u|thru|to(?:\s+and\s+including)?|"
    r"till|until|[-–—‐‑‒−~]+|\.\.+|…"
)
# Atomic, as in all languages: a long list must not be read in two ways.
_JOIN = (
    r"(?>(?:,?\s+inclusive\b)?[\s)\]]*(?:(?:[,;/&+]|and\s*/\s*or|or|and|as\s+well\s+as)[\s,;]*)+|"
    rf"[\s)\]]*(?:{_UNTIL})\s*)"
)
_AGAIN = (
    r"(?:(?:in|of|by|any|one|either|the)\s+)*"
    rf"(?:(?:claims?|clams?){_LABEL})?"
)
_WORDS, _NTH = "|".join(_NUMERALS), "|".join(_ORDINALS)
_RUN = (
    rf"{_CLAIM}{_LABEL}(?:from\s+|between\s+)?(?:"
    rf"{_DIGITS}(?:{_JOIN}{_AGAIN}{_DIGITS}(?!{_COUNTS}))*"
    rf"|(?:{_WORDS})\b(?!\s+(?:of|or\s+more))(?:{_JOIN}{_AGAIN}(?:{_WORDS})\b)*)"
)
_EARLIER = (
    r"(?:preceding|preceeding|precedent|foregoing|forgoing|previous|prior|above|earlier|former|"
    r"afore-?mentioned|aforesaid|above[\s-]?mentioned|aforegoing|proceeding|antecedent|pervious|"
    r"other)"
)
_THINGS = (
    r"(?P<noun>(?:method|process|apparatus|device|system|product|composition|compound|article|"
    r"machine|assembly|medium|kit|use|equipment|arrangement|unit|circuit|program)\s+)?"
)
_STOP = (  # where "previous claims" are ours, and not those of an insurance
    r"(?=\s*(?:[,.;:)]|$|where|which|in\s+which|further|compris|characteri|having|includ|and\b|"
    r"or\b|for\b|is\b|are\b|to\b|with\b|said\b|when\b))"
)
_ANY = r"(?:any|anyone|one|each|either|every|some|all|more|several|a|an)"
_NO_NUMBER = r"(?![\s\d]*\d)"
_OWN = re.compile(
    r"\W*(?:(?:in|for|with)\s+an?\s[^,]{0,120},\s*)?"
    r"(?:(?:an?|the|one or more|at least one|improved|said)\s+)*"
    r"(?P<noun>[a-z][^,;:.()]*?)"
    r"(?=\s*(?:[,;:.()]|$|\b(?:of|for|to|in|on|by|with|using|comprising|comprises|including|"
    r"having|containing|consisting|which|that|wherein|where|whereby|according|as|from|at|"
    r"configured|adapted|capable|suitable|made|produced|obtained|defined|claimed|set|storing|"
    r"stored|encoded|embodying|operable|employing|represented|selected|incorporating|executing|"
    r"performing|carrying|implementing|causing|provided|equipped|formed|obtainable|being|"
    r"characteri[sz]ed|recorded|embodied|resulting|prepared|manufactured|fabricated|recited)\b))",
    re.IGNORECASE,
)
_STEPS = frozenset(("method", "process", "procedure", "technique"))


def _subject(text: str) -> str:
    """Name what a claim is to.

    >>> _subject("An improved pumping apparatus for performing the method of claim 1")
    'pumping apparatus'
    """
    match = _OWN.match(text)
    words = match["noun"].lower().split() if match else []
    while len(words) > 1 and (len(words[-1]) == 1 or not words[-1].isalpha()):
        words.pop()
    return " ".join(words)


def _same(one: str, other: str) -> bool:
    """Compare head nouns: singular meets plural, and all that proceeds in steps is one kind."""
    one, other = (noun.rsplit(" ", 1)[-1].removesuffix("s") for noun in (one, other))
    return one == other or (one in _STEPS and other in _STEPS)


ENGLISH = Language(
    code="en",
    name="English",
    subject=_subject,
    same=_same,
    mentions=mentions,
    components=components,
    cross_category=embedded(
        _subject,
        _same,
        joins=(
            r"\b(?:of|for|to|with|by|in|on|from|using|which|that|where\w*|[a-z]+ing|[a-z]+ed|"
            r"use|perform|execute|implement)\b"
        ),
        strong=(
            r"\b(?:compris\w+|includ\w+|contain\w*|using|having|incorporat\w+|employ\w+|"
            r"perform\w*|execut\w+|implement\w*|carry\w*|equipped|provided|manufactur\w+|"
            r"obtain\w+|produc\w+|made|prepar\w+|treat\w+|administ\w+|with|by|from|wherein|"
            r"which|that|encod\w+|express\w+|on|onto|into)\b"
        ),
    ),
    references=reader(
        Phrases(
            hints=("claim", "clam"),
            word=r"cla(?:im|m)s?(?![a-z])",
            run=_RUN,
            number=rf"{_DIGITS}|\b(?:{_WORDS}|{_NTH})\b",
            until=_UNTIL,
            relative=(
                (
                    rf"\b(?P<count>(?!one\b)(?:{_WORDS}))\s+(?:last|{_EARLIER})\s+claims\b{_STOP}",
                    Reach.PREVIOUS,
                ),
                (
                    rf"\b(?:last|{_EARLIER})\s+(?P<count>(?:{_WORDS}))\s+claims\b{_STOP}",
                    Reach.PREVIOUS,
                ),
                (  # an insurance has first claims too: a clear connector, or the claim's beginning
                    (
                        r"(?:(?:according\s+to|accordance\s+with|as\s+(?:\w+\s+){0,2}(?:in|by|per)|"
                        r"under|per)|"
                        r"^\W*(?:the|an?)\s+(?:(?!th|which|an?\b)[\w-]+\s+){1,4}?(?:of|in))"
                        rf"\s+(?:the|our|my)\s+(?P<ordinal>{_NTH})\s+claim\b{_STOP}"
                    ),
                    Reach.LISTED,
                ),
                (  # number and word have changed places
                    r"(?:of|to|in)\s+(?P<ordinal>\d{1,3}),?\s+claim\b(?!\s*\d)",
                    Reach.LISTED,
                ),
                (  # the number was lost
                    (
                        r"(?:of|to|in|by|with|according)\s+claim\b"
                        r"(?=\s*(?:[,.;:]|and\b|where|further|which))"
                    ),
                    Reach.LISTED,
                ),
                (
                    (
                        rf"{_ANY}\s+(?:one\s+)?(?:or\s+(?:more|several)\s+)?"
                        rf"(?:(?:of|among|in)\s+)?(?:the\s+|said\s+|those\s+)?{_EARLIER}\s+{_THINGS}(?:claims?|clams?)\b"
                        rf"{_NO_NUMBER}"
                    ),
                    Reach.PRECEDING,
                ),
                (
                    (
                        rf"(?:of|to|in|by|with|per|according)\s+(?:the\s+|all\s+)*{_EARLIER}\s+"
                        rf"{_THINGS}claims\b{_NO_NUMBER}{_STOP}"
                    ),
                    Reach.PRECEDING,
                ),
                (
                    (
                        rf"{_ANY}\s+(?:one\s+)?(?:of\s+)?(?:the\s+)?claims?\s+"
                        r"(?:above|before|preceding|previous|hereinbefore|hereinabove)"
                    ),
                    Reach.PRECEDING,
                ),
                (r"\bclaim\s+(?:previous|preceding)\b", Reach.PREVIOUS),
                (
                    (
                        rf"\b(?:the\s+)?(?:immediately\s+|directly\s+)?{_EARLIER}\s+claim\b"
                        rf"{_NO_NUMBER}{_STOP}"
                    ),
                    Reach.PREVIOUS,
                ),
                (
                    (
                        rf"{_ANY}\s+(?:one\s+)?(?:of\s+)?(?:the\s+)?"
                        rf"(?:following|subsequent|succeeding|below)\s+claims?\b{_STOP}"
                    ),
                    Reach.FOLLOWING,
                ),
            ),
            lead=(
                r"\b(?:(?:as|is|are|was|being|claimed|recited|defined|set|forth|described|"
                r"specified|stated|disclosed|presented|given|outlined|mentioned|listed|"
                r"characteri[sz]ed|according|accordance|accordingly|accord|conformity|to|in|of|by|"
                r"with|under|per|on|from|for|any|anyone|one|each|either|or|more|several|at|least|"
                r"the|all|both|said)\s+)+"
            ),
            heading=r"^\W*claims\W*1\b|^\W*claim\s*\d+\s*[.)\]:]|\[\s*claim\s*\d+\s*\]",
            foreign=(
                r"[\s,]*(?:of|in|from)\s+(?:(?:the|said|our|an?|applicants?['’]?s?|parent|earlier|"
                r"prior|related|original|issued|co-?pending|commonly|owned|assigned)\s+)*"
                r"(?:U\.?\s?S\.?|United\s+States|EP|WO|PCT|European|German|Japanese)?\s*"
                r"(?:pat(?:ent)?s?|applications?|app|publications?|serial)\b"
            ),
            except_before=(
                r"except(?:ing|\s+for)?|excluding|exclusive\s+of|other\s+than|apart\s+from|"
                r"but\s+not|with(?:\s+the)?\s+exception\s+of|without"
            ),
            numerals=_NUMERALS | _ORDINALS,
        )
    ),
)
