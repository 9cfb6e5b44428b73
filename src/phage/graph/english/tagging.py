"""Tag a claim: one sign per word, decided by the word and its neighbours.

In:   claim text.
Out:  a Reading: words, their spans and their tags.
Why:  what a noun phrase is and what a verb joins follow from the tags by regular expressions,
      at a few microseconds a word and without a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from phage.graph.english.verbs import GERUND_NOUNS, IRREGULAR, NOUN_VERBS, RULING, VERBS
from phage.graph.english.words import MASS, NOUNS, WORDS

_NUMERAL = r"\d+[a-z]{0,2}['’]?"
_TOKEN = re.compile(
    rf"""
    \(\s*(?:(?:{_NUMERAL}|[a-z]|[ivx]{{1,4}})(?:\s*[,;/–-]\s*)?)+\s*\)  # (12), (3a, 3b), (ii)
    |[^\W_](?:[\w'’/%°+*-]|[.,](?=\d)|\((?=[^\s()]*\)[\w-])|(?<=\w)\)(?=[\w-]))*
    |[%°][cfk]?
    |[,;:.()\[\]=<>≤≥±]
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim as words, spans and tags; all of one length."""

    words: tuple[str, ...]
    """Lower case, as printed."""
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tags: str
    """One sign per word; ``words.py`` lists them."""


class _Lexicon(dict[str, str]):
    """Word → tag before its neighbours are seen; unknown words are judged by their ending."""

    def __missing__(self, word: str) -> str:
        tag = _guess(word)
        if len(self) < 200_000 and not word[0].isdigit():
            self[word] = tag
        return tag


_ADJECTIVE = re.compile(
    r"\w{3,}(?:able|ible|ous|ful|less|ive|ical|onal|inal|eral|ural|tial|cial|oidal|ic|ary|ular"
    r"|proof|shaped|like|most|-type|-free|-based)$"
)


def _guess(word: str) -> str:
    if word[0] == "(":
        return "("
    if word[0].isdigit():
        return _guess_number(word)
    if "-" in word:
        last = word.rsplit("-", 1)[1]
        if last.endswith(("ed", "ing")) or last in IRREGULAR or last in _HYPHENED:
            return "J"
        return "J" if not last or LEXICON[last] in "JO" else _nominal(word)
    return _ending(word)


_HYPHENED = frozenset("up down in out on off to through over like free based type".split())


def _nominal(word: str) -> str:
    return "S" if word.endswith("s") and not word.endswith(("ss", "us", "is")) else "N"


def _guess_number(word: str) -> str:
    if re.fullmatch(r"[\d.,/+-]+[%°]?", word):
        return "1"
    if re.fullmatch(r"\d+(?:st|nd|rd|th)", word):
        return "O"
    if re.fullmatch(_NUMERAL, word):
        return "1"
    return "J" if word.endswith(("ed", "dimensional")) else _nominal(word)


def _ending(word: str) -> str:
    if word.endswith("ly"):
        return "R"
    if word.endswith("ing") and len(word) > 4:
        return "G"
    if word.endswith("ed") and len(word) > 3:
        return "E"
    if _ADJECTIVE.match(word):
        return "J"
    return _nominal(word)


def _forms(base: str) -> tuple[str, str, str, tuple[str, ...]]:
    """Give -s, -ing, -ed and doubled-consonant forms of a verb."""
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base + "s", base[:-1] + "ing", base + "d", ()
    if base.endswith("y") and base[-2] not in "aeou":
        return base[:-1] + "ies", base + "ing", base[:-1] + "ied", ()
    third = base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    doubled = base + base[-1]
    return third, base + "ing", base + "ed", (doubled + "ing", doubled + "ed")


def verb_forms(base: str) -> tuple[str, ...]:
    """Give the inflected forms of a regular verb.

    >>> verb_forms("dispose")
    ('disposes', 'disposing', 'disposed')
    """
    third, gerund, past, _ = _forms(base)
    return third, gerund, past


def _lexicon() -> _Lexicon:
    table = _Lexicon()
    for verbs, base_tag, third_tag in ((VERBS, "v", "V"), (NOUN_VERBS, "A", "Z")):
        for base in verbs:
            third, gerund, past, doubled = _forms(base)
            table[base], table[third] = base_tag, third_tag
            table[gerund], table[past] = "G", "E"
            for form in doubled:
                table[form] = "G" if form.endswith("g") else "E"
    table.update(dict.fromkeys(IRREGULAR, "E"))
    table.update(dict.fromkeys(MASS, "n"))
    table.update(dict.fromkeys(GERUND_NOUNS, "g"))
    table.update((word + "s", "S") for word in GERUND_NOUNS)
    for word, tag in WORDS.items():
        table[word] = "Y" if tag == "J" and word in NOUN_VERBS else tag
    table.update((word, _nominal(word)) for word in NOUNS - NOUN_VERBS)
    table.update(dict.fromkeys(RULING, "V"))
    table.update({sign: sign for sign in ",;:.()[]=<>≤≥±%°"})
    return table


LEXICON = _lexicon()

# Words after which "to" is a preposition, though a word follows that could be a verb.
_TO_A_THING = frozenset(
    """
    access according adjacent added addition adhered affixed applied attached bonded close closer
    compared connected connection contrast corresponding coupled delivered due equal equivalent
    exposed fastened fed fixed identical joined limited linked mounted next opposed opposite
    orthogonal parallel perpendicular prior proximate regard relation relative respect response
    responsive secured similar subject subjected supplied transferred transmitted up
    """.split()
)
# Words after which "to" opens an infinitive, whatever follows.
_TO_ACT = frozenset(
    """
    able adapted allowed arranged caused configured constructed designed enabled instructed
    intended likely made operable operative programmed ready required sized structured used
    """.split()
)
_NOMINAL = "[NSnAZg]"
_CHAIN = f"(?=R*[JOEYG]*{_NOMINAL})"
"""A noun follows, perhaps behind adjectives and participles."""


_INFINITIVE = re.compile(r"T(R*)([AYVvZN])(?=(R*[DaI1X])?)")

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"P(?=l)", "L"),  # at least
        # A unit counts only behind a number.
        (r"1U", "XX"), (r"(?<=XX)U", "X"), (r"U", "N"),
        # Adjective or preposition: "the adjacent layer", "adjacent the layer".
        (rf"(?<=[DaIJO1PoCVHTL,;:])F{_CHAIN}", "J"),
        (r"F(?=R*[DaI1X])", "P"), (r"(?<=[DaJO])F", "J"), (r"F", "R"),
        # Noun or verb: behind a modal, a relative pronoun, a plural; before an article.
        (r"M(R*)[AYZvN]", r"M\1V"),
        (r"(?<![PT])w(R*)[AY](?=R*[DaI1PoTX,])", r"w\1V"),
        (r"(?<![PT])w(R*)Z(?![BHMV])", r"w\1V"),
        (r"(?<=[NSn,C])Z(?=n(?![NSAnZ]))", "V"),
        (r"(?<![DaIOJPoYE1LQFT])Z(?=R*[DaI1X])", "V"),
        (r"(?<=[NSAn]R)Z(?=[DaIPT1])", "V"), (r"(?<=VC)Z", "V"),
        (r"(a[JONAEGYRn]*[NA])Z(?=[PTR,.;:])", r"\1V"),
        (r"(?<=[NSnC,;:])(R*)[AY](?=R*[DaIX])", r"\1V"),
        (r"(?<=[DaIJONn])v(?=[NSnA])", "N"), (r"v", "V"),
        (r"Q(?!o)", "N"), (r"(?<=[NSn])Q", "N"),
        (r"Y", "J"),
        # Participle: behind "be" a verb, before a noun a modifier, else a clause of its own.
        (r"B(R*)E", r"B\1V"),
        (rf"(?<![S])E{_CHAIN}", "J"),
        (r"E", "V"),
        # Words in -ing, first those that are mostly things: "coating the surface" is an act.
        (r"(?<![DaO])g(?=R*[DaIX])", "V"), (r"(?<=[Po;:])g(?=n)", "V"), (r"g", "N"),
        (r"(?<=[DaO])P(?=[NSn])", "J"), (r"(?<=Qo)P(?=[NSn])", "J"),  # through holes
        (rf"(?<=[DaIJO1L])G{_CHAIN}", "J"), (rf"(?<=Qo)G{_CHAIN}", "J"),
        (r"(?<=[Da])G", "N"), (r"(?<=[Da][JO])G(?=[PoBCVHMWw,.;:])", "N"),
        (r"(?<=[NSAnZ])G(?=[JONA]*n(?![NSAnZ]))", "V"),
        (r"(a[JONARn]*[NAn])G(?=[JONAn]*[SZ])", r"\1V"),
        (rf"(?<=[NAn])G{_CHAIN}", "J"),
        (rf"(?<=[JH]C)G{_CHAIN}", "J"), (rf"(?<=H)G{_CHAIN}", "J"),
        (r"G", "V"),
        # What is called by an article is a thing: "the receive coil", "the interior of".
        (r"(?<=[Da])V(?=[NSAnPoBHMCW,.;:)])", "N"), (r"(?<=[Da][JO])V(?=[NSAn])", "N"),
        (r"(?<=[Da])J(?=[oP])", "N"),
        (r"[An]", "N"), (r"Z", "S"), (r"l", "L"),
    )
)  # fmt: skip
"""Applied in this order; each keeps the length."""

# Gerunds behind these prepositions modify what follows: "with rotating blades".
_WITH = frozenset(("with", "between", "than", "among", "like"))
_WITH_GERUND = re.compile(rf"PG{_CHAIN}")


@lru_cache(maxsize=256)
def read_claim(text: str) -> Reading:
    """Split a claim into words and tag them.

    >>> read_claim("A shaft (12) that supports the rotating supports.").tags
    'aNwVDJS.'
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow: İ
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    tokens = [
        (match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(lower)
        if match.group()[0] != "(" or match.end() - match.start() == 1
    ]
    words = [word for word, _, _ in tokens]
    tags = "".join([LEXICON[word] for word in words])
    numeral = _REFERENCE_SIGN.search(tags)
    if numeral:
        gone = {match.start() for match in _REFERENCE_SIGN.finditer(tags)}
        tokens = [token for index, token in enumerate(tokens) if index not in gone]
        words = [word for word, _, _ in tokens]
        tags = "".join([tag for index, tag in enumerate(tags) if index not in gone])
    return Reading(
        tuple(words),
        tuple([start for _, start, _ in tokens]),
        tuple([end for _, _, end in tokens]),
        _resolve(tags, words),
    )


_REFERENCE_SIGN = re.compile(r"(?<=[NSAZngG])1(?![NSAnUJO1XF])")


def _resolve(tags: str, words: list[str]) -> str:
    """Decide what a word alone leaves open."""
    signs = list(tags)
    for match in _INFINITIVE.finditer(tags):
        before = match.start() - 1
        kind = match.group(2)
        act = kind in "vV" or match.group(3) or before < 0
        if kind == "N":
            act = match.group(3) or (before >= 0 and words[before] in _TO_ACT)
        elif not act:
            act = words[before] not in _TO_A_THING
        if act:
            signs[match.start(2)] = "V"
        else:
            signs[match.start()] = "P"
    for match in re.finditer("D(?=[wP])", tags):
        if words[match.start()] == "such":  # such that, such as
            signs[match.start()] = "X"
            signs[match.start() + 1] = "W" if tags[match.start() + 1] == "w" else "P"
    for match in _WITH_GERUND.finditer(tags):
        if words[match.start()] in _WITH:
            signs[match.start() + 1] = "J"
    tags = "".join(signs)
    for pattern, replacement in _RULES:
        tags = pattern.sub(replacement, tags)
    return tags
