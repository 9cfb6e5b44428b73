"""Decide by the neighbours what a word alone leaves open.

In:   one tag per word, as the lexicon gives them, and the words.
Out:  tags of the same length in which every word is one thing.
Why:  "the supports" are things, "which supports" is an act: order and articles tell.

Tags, one sign a word, so that a claim is a string and a rule a regular expression. Final:
D definite  a "a", "an"  I other indefinite  1 number  L about a number  O ordinal  J adjective
N noun  S plural  V verb  B be  H have  M modal  R adverb  P preposition  o of  T to  C and, or
w which, that  W other clause opener  X other  Q quantity that "of" follows  h half a compound; signs for themselves.
Open until a rule decides: A noun or verb  Z plural or verb  z verb, rarely plural  v base verb  Y adjective or verb
E participle  G word in -ing  g noun in -ing  F adjective or preposition  n mass noun  U unit
b are  l least  s such  q k nouns that may be quantities."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from phage.graph.language.en.lexicon import CONTEXT, NOUN_VERBS

_NOMINAL = "[NSnAZg]"
_CHAIN = f"(?=R*[JOEYG]*{_NOMINAL})"
"""A noun follows, perhaps behind adjectives and participles."""
_NO_VERB = r"[^VBbHMvZ,;:.Ww]{0,400}[,;:.Ww]"
"""No verb before the clause ends."""
_ENDS = rf"(?=(?:[PR]|[JO]*[NSn]){_NO_VERB}|[,;:.])"
"""So this is the verb, and its objects follow."""
_OPENS, _THING = "(?:W,?|X|^|Pw)", "[1L]*[JONAng]*[NAng]"


def bounded(pattern: str) -> str:
    """Let no part of a pattern repeat without end: runs of forty adjectives are not language.

    Without it, a rule that starts at every word of a run and reads on to the run's end takes
    the square of its length.

    >>> bounded("R*[JO]+N")
    'R{0,40}[JO]{1,40}N'
    """
    return re.sub(r"(?<=[\])\w])[*+]", lambda sign: _MOST[sign[0]], pattern)


_MOST = {"*": "{0,40}", "+": "{1,40}"}


def _quick(pattern: str) -> re.Pattern[str]:
    """Compile with the sign in front of its lookbehind: then the search leaps to the sign.

    >>> _quick("(?<=[Da])G(?=n)").pattern
    'G(?<=[Da]G)(?=n)'
    """
    leaping = re.sub(r"^\(\?<([=!])([^()]+)\)([A-Za-z])(?![*+?])", r"\3(?<\1\2\3)", pattern)
    return re.compile(bounded(leaping))


_STAGES: tuple[tuple[str, tuple[tuple[re.Pattern[str], str], ...], str], ...] = tuple(
    (sign, tuple((_quick(pattern), new) for pattern, new in rules), rest)
    for sign, rules, rest in (
        ("s", ((r"sw", "WW"), (r"s(?=P)", "W")), "D"),  # such that, such as
        ("q", ((r"(?<![NSnOJ])q(?=o)", "Q"),), "N"),  # a pair of, but: a first pair
        ("k", ((r"(?<![NSn])k(?=o)", "Q"),), "N"),
        ("l", ((r"P(?=l)", "L"),), "L"),  # at least
        # A unit counts only behind a number.
        ("U", ((r"1U", "XX"), (r"(?<=XX)U", "X")), "N"),
        # Adjective or preposition: "the adjacent layer", "adjacent the layer".
        ("F", (
            (rf"(?<=[DaIJO1PoCVHTL,;:])F{_CHAIN}", "J"), (r"F(?=R*[DaI1XL])", "P"),
            (r"(?<=[Da])F(?=o)", "N"), (r"(?<=[DaJO])F", "J"),
        ), "R"),
        # Noun or verb: behind a modal, a relative pronoun, a plural; before an article.
        ("z", ((r"(1CL[JONAn]*|[1L][JO]*|[DO])z", r"\1S"), (r"z(?=[BbHM])", "S"),), "V"),
        ("M", ((r"M(R*)[AYZvN]", r"M\1V"),), "M"),
        ("w", (
            (r"(?<![PT])w(R*)[AY](?=R*[DaI1PoTX,])", r"w\1V"),
            (r"(?<![PT])w(R*)Z(?![BbHMV])", r"w\1V"), (r"(?<=S)w(R*)A(?![BbHMV])", r"w\1V"),
        ), "w"),
        ("Z", (
            (r"(?<=[NSn,C])Z(?=n(?![NSAnZ]))", "V"),
            (r"(?<![DaIOJPoYE1LQFT])Z(?=R*[DaI1XL])", "V"),
            (r"(?<=[NSAn]R)Z(?=[DaIPT1])", "V"), (r"(?<=VC)Z", "V"),
            (r"(a[JONAEGYRn]*[NA])Z(?=[PTR,.;:])", r"\1V"),
        ), "Z"),
        ("A", ((r"(?<=[NSnC,;:])(R*)A(?=R*[DaIX])", r"\1V"),), "A"),
        ("Y", ((r"(?<=[NSnC,;:])(R*)Y(?=R*[DaIX])", r"\1V"),), "Y"),
        ("v", (
            (r"(?<=[DaIJO1L])v(?=[NSnA])", "N"), (r"(?<=Qo)v(?=[NSnA])", "N"),
            (r"(?<=[Da][JO])v", "N"),
        ), "V"),
        ("Y", (), "J"),
        # A clause without another verb: "when the nut rests on the floor".
        ("Z", (
            (rf"({_OPENS}[DaI]{_THING}(?:o[DaI]?{_THING})?)Z{_ENDS}", r"\1V"),
        ), "Z"),
        ("A", (
            (rf"({_OPENS}[DI]?[1L]*[JONAn]*S)A{_ENDS}", r"\1V"),
            (r"([Bb]R*)A(?=[PT,;.])", r"\1V"),
        ), "A"),
        # Participle: behind "be" a verb, before a noun a modifier, else a clause of its own.
        ("E", (
            (rf"([Bb]R*)E(?!{_NOMINAL})", r"\1V"), (rf"(?<![SZ])E{_CHAIN}", "J"),
            (rf"(?<=[DaIJOL1PoHV])E(?=(?:(?:,C?|C)R*[EJ])+[JOEYG]*{_NOMINAL})", "J"),
        ), "V"),
        # Words in -ing, first those that are mostly things: "coating the surface" is an act.
        ("g", (
            (r"(?<![DaO])g(?=R*[DaIXL1])", "V"), (r"(?<=[;:C])g(?=,)", "V"),
            (r"(?<=[Po;:])g(?=n|[JO]+[NSnA])", "V"),
        ), "N"),
        ("P", ((r"(?<=[DaO])P(?=[NSn])", "J"), (r"(?<=Qo)P(?=[NSn])", "J")), "P"),  # through holes
        ("G", (
            (rf"(?<=[DaIJO1L])G{_CHAIN}", "J"), (rf"(?<=[JG])G{_CHAIN}", "J"),
            (rf"([DaIJO1L]R+)G{_CHAIN}", r"\1J"),
            (rf"G(?:(?<=QoG){_CHAIN}|(?=[JONAn]*Sb))", "J"),
            (r"G(?:(?<=[Da]G)|(?<=[Da][JO]G)(?=[PoBbCVHMWw,.;:]))", "N"),
            (r"(a[JONARn]*[NAn])G(?=[JONAn]*[SZ])", r"\1V"),
            (r"(?<=[NSAnZ])G(?=[JONA]*n(?![NSAnZ])|[JO]+[NSAn])", "V"),
            (rf"G(?<=[NAnH]G|CG)(?<![^JH]CG){_CHAIN}", "J"),
        ), "V"),
        # What an article calls is a thing: "the receive coil", "the interior of".
        ("V", (
            (r"(?<=[Da])V(?=[NSAnPoBbHMCW,.;:)])", "N"), (r"(?<=[Da][JO])V(?=[NSAn])", "N"),
        ), "V"),
        ("J", (
            (r"(?<=[Da])J(?=[oPVBbHMWw;:.)]|,(?![RJ]))", "N"),
            (r"([Da])J(C[Da]?)J(?=[oPVBbHMWw;:.,)])", r"\1N\2N"),  # the top and bottom of
        ), "J"),
    )
)  # fmt: skip
"""(sign it decides, rules, what is left becomes): applied in this order; lengths stay."""

_LEFT = str.maketrans("AnZb", "NNSB")

Words = Sequence[str]

_CONJUNCTIONS = frozenset(("as", "after", "before", "until", "since"))
_PARTICLES = frozenset(("down", "up", "off", "out"))  # the pull down resistor
_QUANTITIES, _ACTS = CONTEXT["quantities"], CONTEXT["acts"]
_COUNTED = CONTEXT["counted"]
_ATTRIBUTIVE, _SHARED = CONTEXT["attributive"], CONTEXT["shared_forms"]
_WITH = frozenset(("with", "between", "than", "among", "like"))


def _set_by(words: Words, at: int) -> bool:
    plain = words[at] not in ("input", "output") or words[at + 1] in ("by", "from", "to")
    return words[at] in _SHARED and plain


def _each(words: Words, at: int) -> bool:
    return words[at] == "each"


def _can_of_tin(words: Words, at: int) -> bool:
    return words[at] == "can" and words[at + 1] not in ("be", "have")


_BY_WORD: tuple[tuple[str, re.Pattern[str], Callable[[Words, int], bool], int, str], ...] = tuple(
    (guard, _quick(pattern), test, offset, sign)
    for guard, pattern, test, offset, sign in (
        ("A", "(?<![NSnO])A(?=o)", lambda words, at: words[at] in _QUANTITIES, 0, "Q"),
        ("Z", "(?<![NSnO])Z(?=o)", lambda words, at: words[at] in _QUANTITIES, 0, "Q"),
        ("G", f"PG{_CHAIN}", lambda words, at: words[at] in _WITH, 1, "J"),
        ("G", f"(?<=[NSAZnqk])oG{_CHAIN}", lambda words, at: words[at - 1] not in _ACTS, 1, "J"),
        ("G", "G(?=[NA])", lambda words, at: words[at + 1] in _COUNTED, 0, "J"),
        ("w", "(?<=[Po])w(?=[JO]*[Nn])", lambda words, at: words[at] == "that", 0, "D"),
        ("v", "(?<=[DaIJONnS])v(?=[NSnA])", lambda words, at: words[at] in _ATTRIBUTIVE, 0, "N"),
        ("A", "(?<=[NSnW])A(?=[PTC])", _set_by, 0, "V"),
        # "a liquid line each connecting": it speaks of what stands before.
        ("I", "(?<=[NSnAZqkBb])I(?=R*[GEVBbHM])", _each, 0, "R"),
        ("I", "(?<=[NSnAZqk],)I(?=R*[GE]R*[PTDa])", _each, 0, "R"),
        ("P", "(?<=[Da][vAN])P(?=[NSn])", lambda words, at: words[at] in _PARTICLES, 0, "J"),
        ("M", "M(?=[PoVEbB,;:.)C])", _can_of_tin, 0, "N"),
        ("R", "(?<=[DaJONn])R", lambda words, at: words[at] == "well", 0, "N"),
        ("n", "(?<=[DaI1L]n)V(?=[JOY]*[NAg])", lambda words, at: words[at] == "containing", 0, "J"),
        ("Z", f"P[DaI]{_THING}Z{_ENDS}", lambda words, at: words[at] in _CONJUNCTIONS, -1, "V"),
    )
)
"""Where a word decides: (sign that must be there, pattern, test of the word where it begins,
which sign changes: counted from its begin, or -1 for its last; to what)."""

_LISTED_GERUND = re.compile(bounded(rf"(?<=[;:C,])(R*)G{_CHAIN}"))
_LISTED_ACT = re.compile(bounded(r"(?<=[:;])(C?R*)A(?=[JO]*[NSnPT])"))
_STEPS = CONTEXT["steps"]
_INFINITIVE = re.compile(bounded(r"T(R*)([AYVvzZNn])(?=(R*[DaI1X]|[JO]+[NSn])?)"))

_TO_A_THING = CONTEXT["to_a_thing"]
"""Words after which "to" is a preposition, though a word follows that could be a verb."""
_TO_ACT = CONTEXT["to_act"]
"""Words after which "to" opens an infinitive, whatever follows."""


def resolve(tags: str, words: Words) -> str:
    """Decide what the lexicon leaves open.

    >>> resolve("DNwZDN", ["the", "base", "that", "supports", "the", "arm"])
    'DNwVDN'
    >>> resolve("DZbEPDN", ["the", "supports", "are", "mounted", "on", "the", "base"])
    'DSBVPDN'
    """
    tags = _by_word(tags, words)
    if "T:" in tags:  # configured to: monitor the bus; ...
        tags = _LISTED_ACT.sub(r"\1V", tags)
    if "G" in tags and _STEPS.isdisjoint(
        words[:30]
    ):  # an apparatus lists things: "; and cutting blades"
        tags = _LISTED_GERUND.sub(r"\1J", tags)
    for sign, rules, rest in _STAGES:
        if sign in tags:
            for pattern, new in rules:
                tags = pattern.sub(new, tags)
            tags = tags.replace(sign, rest)
    return tags.translate(_LEFT)


def _by_word(tags: str, words: Words) -> str:
    """Decide where the words themselves are needed."""
    signs = list(tags)
    if "T" in tags:
        _infinitives(tags, words, signs)
    for guard, pattern, test, offset, sign in _BY_WORD:
        if guard in tags:
            for match in pattern.finditer(tags):
                if test(words, match.start()):
                    signs[match.start() + offset if offset >= 0 else match.end() - 1] = sign
    return "".join(signs)


def _infinitives(tags: str, words: Words, signs: list[str]) -> None:
    """Tell "to support" from "to supports": write V behind the one, P for the other."""
    for match in _INFINITIVE.finditer(tags):
        before = words[match.start() - 1] if match.start() else ""
        kind, object_follows = match.group(2, 3)
        if kind in "Nn":
            able = kind == "N" or words[match.start(2)] in NOUN_VERBS
            acts = able and (bool(object_follows) or before in _TO_ACT)
        else:
            acts = kind in "vVz" or bool(object_follows) or before not in _TO_A_THING
        if acts:
            signs[match.start(2)] = "V"
        elif kind not in "Nn":
            signs[match.start()] = "P"
