"""Decide by the neighbours what a word alone leaves open.

In:   one tag per word, as the lexicon gives them, and the words.
Out:  tags of the same length in which every word is one thing.
Why:  "the supports" are things, "which supports" is an act: order and articles tell.

Tags, one sign a word, so that a claim is a string and a rule a regular expression. Final:
D definite  a "a", "an"  I other indefinite  1 number  L about a number  O ordinal  J adjective
N noun  S plural  V verb  B be  H have  M modal  R adverb  P preposition  o of  T to  C and, or
w which, that  W other clause opener  X other  Q quantity that "of" follows; signs for themselves.
Open until a rule decides: A noun or verb  Z plural or verb  z verb, rarely plural  v base verb  Y adjective or verb
E participle  G word in -ing  g noun in -ing  F adjective or preposition  n mass noun  U unit
b are  l least."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from phage.graph.english.lexicon import CONTEXT, NOUN_VERBS

_NOMINAL = "[NSnAZg]"
_CHAIN = f"(?=R*[JOEYG]*{_NOMINAL})"
"""A noun follows, perhaps behind adjectives and participles."""
_NO_VERB = r"[^VBbHMvZ,;:.Ww]*[,;:.Ww]"
"""No verb before the clause ends."""
_OPENS, _THING = "(?:W,?|X|^)", "[1L]*[JONAn]*[NAn]"

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"P(?=l)", "L"),  # at least
        # A unit counts only behind a number.
        (r"1U", "XX"), (r"(?<=XX)U", "X"), (r"U", "N"),
        # Adjective or preposition: "the adjacent layer", "adjacent the layer".
        (rf"(?<=[DaIJO1PoCVHTL,;:])F{_CHAIN}", "J"),
        (r"F(?=R*[DaI1XLl])", "P"), (r"(?<=[Da])F(?=o)", "N"), (r"(?<=[DaJO])F", "J"), (r"F", "R"),
        (r"([1L][JONAn]*|D)z", r"\1S"), (r"z", "V"),
        # Noun or verb: behind a modal, a relative pronoun, a plural; before an article.
        (r"M(R*)[AYZvN]", r"M\1V"),
        (r"(?<![PT])w(R*)[AY](?=R*[DaI1PoTX,])", r"w\1V"),
        (r"(?<![PT])w(R*)Z(?![BbHMV])", r"w\1V"), (r"(?<=S)w(R*)A(?![BbHMV])", r"w\1V"),
        (r"(?<=[NSn,C])Z(?=n(?![NSAnZ]))", "V"),
        (r"(?<![DaIOJPoYE1LQFT])Z(?=R*[DaI1X])", "V"),
        (r"(?<=[NSAn]R)Z(?=[DaIPT1])", "V"), (r"(?<=VC)Z", "V"),
        (r"(a[JONAEGYRn]*[NA])Z(?=[PTR,.;:])", r"\1V"),
        (r"(?<=[NSnC,;:])(R*)[AY](?=R*[DaIX])", r"\1V"),
        (r"(?<=[DaIJO1L])v(?=[NSnA])", "N"), (r"(?<=Qo)v(?=[NSnA])", "N"), (r"(?<=[Da][JO])v", "N"), (r"v", "V"),
        (r"Y", "J"),
        # A clause without another verb: "when the nut rests on the floor".
        (rf"({_OPENS}[DaI]{_THING}(?:o[DaI]?{_THING})?)Z(?=[PR]{_NO_VERB})", r"\1V"),
        (rf"({_OPENS}[DI]?[1L]*[JONn]*S)A(?=[PR]{_NO_VERB})", r"\1V"),
        # Participle: behind "be" a verb, before a noun a modifier, else a clause of its own.
        (rf"([Bb]R*)E(?!{_NOMINAL})", r"\1V"), (r"([Bb]R*)A(?=[PT,;.])", r"\1V"),
        (rf"(?<!S)E{_CHAIN}", "J"),
        (rf"(?<=[DaIJOL1PoHV])E(?=(?:(?:,C?|C)R*[EJ])+[JOEYG]*{_NOMINAL})", "J"), (r"E", "V"),
        # Words in -ing, first those that are mostly things: "coating the surface" is an act.
        (r"(?<![DaO])g(?=R*[DaIXL1])", "V"), (r"(?<=[;:C])g(?=,)", "V"),
        (r"(?<=[Po;:])g(?=n|[JO]+[NSnA])", "V"), (r"g", "N"),
        (r"(?<=[DaO])P(?=[NSn])", "J"), (r"(?<=Qo)P(?=[NSn])", "J"),  # through holes
        (rf"(?<=[DaIJO1L])G{_CHAIN}", "J"), (rf"(?<=J)G{_CHAIN}", "J"), (rf"(?<=Qo)G{_CHAIN}", "J"),
        (rf"([DaIJO1L]R+)G{_CHAIN}", r"\1J"), (r"G(?=[JONAn]*Sb)", "J"),
        (r"(?<=[Da])G", "N"), (r"(?<=[Da][JO])G(?=[PoBbCVHMWw,.;:])", "N"),
        (r"(?<=[NSAnZ])G(?=[JONA]*n(?![NSAnZ]))", "V"),
        (r"(a[JONARn]*[NAn])G(?=[JONAn]*[SZ])", r"\1V"),
        (r"(?<=[NSAn])G(?=[JO]+[NSAn])", "V"), (rf"(?<=[NAn])G{_CHAIN}", "J"),
        (rf"(?<=[JH]C)G{_CHAIN}", "J"), (rf"(?<=H)G{_CHAIN}", "J"), (r"G", "V"),
        # What an article calls is a thing: "the receive coil", "the interior of".
        (r"(?<=[Da])V(?=[NSAnPoBbHMCW,.;:)])", "N"), (r"(?<=[Da][JO])V(?=[NSAn])", "N"),
        (r"(?<=[Da])J(?=[oPVBbHMWw;:.)]|,(?![RJ]))", "N"),
        (r"([Da])J(C[Da]?)J(?=[oPVBbHMWw;:.,)])", r"\1N\2N"),  # the top and bottom of
        (r"[An]", "N"), (r"Z", "S"), (r"l", "L"), (r"b", "B"),
    )
)  # fmt: skip
"""Applied in this order; each keeps the length."""

Words = Sequence[str]

_PARTICLES = frozenset(("down", "up", "off", "out"))  # the pull down resistor
_WITH = frozenset(("with", "between", "than", "among", "like"))


def _can_of_tin(words: Words, at: int) -> bool:
    return words[at] == "can" and words[at + 1] not in ("be", "have")


_BY_WORD: tuple[tuple[re.Pattern[str], Callable[[Words, int], bool], int, str], ...] = (
    (re.compile("D(?=[wP])"), lambda words, at: words[at] == "such", 0, "W"),
    (re.compile("(?<=D)w"), lambda words, at: words[at - 1] == "such", 0, "W"),
    (
        re.compile("(?<![NSnO])[NSAZ](?=o)"),
        lambda words, at: words[at] in CONTEXT["quantities"],
        0,
        "Q",
    ),
    (re.compile("(?<=O)N(?=o)"), lambda words, at: words[at] in CONTEXT["counts"], 0, "Q"),
    (re.compile(rf"PG{_CHAIN}"), lambda words, at: words[at] in _WITH, 1, "J"),
    (
        re.compile(rf"(?<=[NSAZn])oG{_CHAIN}"),
        lambda words, at: words[at - 1] not in CONTEXT["acts"],
        1,
        "J",
    ),
    (re.compile("(?<=[Po])w(?=[JO]*[Nn])"), lambda words, at: words[at] == "that", 0, "D"),
    (
        re.compile("(?<=[DaIJONnS])v(?=[NSnA])"),
        lambda words, at: words[at] in CONTEXT["attributive"],
        0,
        "N",
    ),
    (
        re.compile("(?<=[NSnW])A(?=[PTC])"),
        lambda words, at: words[at] in CONTEXT["shared_forms"],
        0,
        "V",
    ),
    (re.compile("(?<=[Da][vAN])P(?=[NSn])"), lambda words, at: words[at] in _PARTICLES, 0, "J"),
    (re.compile("M(?=[PoVEbB,;:.)C])"), _can_of_tin, 0, "N"),
    (re.compile("(?<=[DaJO])R"), lambda words, at: words[at] == "well", 0, "N"),
    (
        re.compile("(?<=[DaI1L]n)V(?=[JOY]*[NAg])"),
        lambda words, at: words[at] == "containing",
        0,
        "J",
    ),
)
"""Where a word decides: (pattern, test of the word at its start, which sign changes, to what)."""

_AS_CLAUSE = re.compile(rf"P[DaI]{_THING}Z(?=[PR]{_NO_VERB})")
_LISTED_GERUND = re.compile(rf"(?<=[;:C,])(R*)G{_CHAIN}")
_LISTED_ACT = re.compile(r"(?<=[:;])(C?R*)A(?=[JO]*[NSnPT])")
_STEPS = CONTEXT["steps"]
_INFINITIVE = re.compile(r"T(R*)([AYVvzZNn])(?=(R*[DaI1X]|[JO]+[NSn])?)")

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
    signs = list(tags)
    _infinitives(tags, words, signs)
    for pattern, test, offset, sign in _BY_WORD:
        for match in pattern.finditer(tags):
            if test(words, match.start()):
                signs[match.start() + offset] = sign
    for match in _AS_CLAUSE.finditer(tags):
        if words[match.start()] == "as":
            signs[match.end() - 1] = "V"
    tags = "".join(signs)
    if "T:" in tags:  # configured to: monitor the bus; ...
        tags = _LISTED_ACT.sub(r"\1V", tags)
    if _STEPS.isdisjoint(words[:30]):  # an apparatus lists things: "; and cutting blades"
        tags = _LISTED_GERUND.sub(r"\1J", tags)
    for pattern, replacement in _RULES:
        tags = pattern.sub(replacement, tags)
    return tags


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
