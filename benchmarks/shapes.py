"""Hostile texts: shapes that make a careless pattern or loop grow faster than its input.

In:   a language and a size in characters.
Out:  a text of about that size, the same every time.
Why:  one list for ``benchmarks/growth.py``, which times them, and for the tests, which run them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from phage.claims import Claim


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language that shapes are made of."""

    claim: str
    """The word for claim where a number follows."""
    new: str
    """A noun phrase that introduces, then the same as known."""
    known: str
    other: str
    couples: str
    """A whole clause with a functional verb, and its end."""
    verb: str
    joint: str
    until: str
    opener: str
    """What opens a clause: wherein."""
    article: str
    refers: str
    """A reference with one number."""
    earlier: str
    """A reference without a number."""
    excepts: str
    owner: str
    """A phrase that hangs on the noun before it."""
    comma: str
    space: str = " "


WORDS: dict[str, Words] = {
    "en": Words(
        "claim", "a shaft", "the shaft", "a housing",
        "the shaft is coupled to the housing", "coupled to", "and", "to", "wherein", "the",
        "of claim 1", "any preceding claim", "except claim 3", "of the shaft", ",",
    ),
    "de": Words(
        "Anspruch", "eine Welle", "die Welle", "ein Gehäuse",
        "die Welle ist mit dem Gehäuse verbunden", "verbunden", "und", "bis", "wobei", "die",
        "nach Anspruch 1", "nach einem der vorhergehenden Ansprüche", "ausgenommen Anspruch 3",
        "der Welle", ",",
    ),
    "fr": Words(
        "revendication", "un arbre", "l'arbre", "un boîtier",
        "l'arbre est relié au boîtier", "relié à", "et", "à", "dans lequel", "le",
        "selon la revendication 1", "selon l'une des revendications précédentes",
        "sauf la revendication 3", "de l'arbre", ",",
    ),
    "zh": Words(
        "权利要求", "一个壳体", "所述壳体", "转轴", "所述壳体与转轴连接", "连接", "和", "至", "其中", "所述",
        "根据权利要求1所述的", "前述任一项权利要求", "除权利要求3", "壳体的", "，", "",
    ),
    "ja": Words(
        "請求項", "複数の軸受", "前記軸受", "筐体", "前記軸受が前記筐体に接続され", "接続される", "及び", "乃至",
        "において", "前記", "請求項1に記載の", "前記いずれかの請求項", "請求項3を除く", "前記軸受の", "、", "",
    ),
    "ko": Words(
        "청구항", "하나의 회전축", "상기 회전축", "하우징", "상기 회전축이 상기 하우징에 결합되고", "결합된", "및",
        "내지", "에 있어서", "상기", "제1항에", "선행하는 청구항 중 어느 한 항에", "제3항을 제외", "상기 회전축의", ",",
    ),
}  # fmt: skip


Shape = Callable[[Words, int], str]


def _often(piece: str, size: int) -> str:
    return piece * max(1, size // len(piece))  # whole pieces, so that all sizes end alike


def _counted(form: str, size: int, most: int = 999) -> str:
    """Repeat a form with numbers that rise."""
    made, length = [], 0
    for number in count(1):
        made.append(form.format(number % most or most))
        length += len(made[-1])
        if length >= size:
            return "".join(made)
    raise AssertionError


def _repeated(form: str) -> Shape:
    """Make a shape of one piece, over and over; the fields of Words may stand in it."""
    return lambda words, size: _often(_filled(form, words), size)


def _filled(form: str, words: Words) -> str:
    for name in words.__slots__:
        form = form.replace(f"<{name}>", getattr(words, name))
    return form


def _numbered(form: str, lead: str = "") -> Shape:
    """Make a shape of a piece with a rising number."""
    return lambda words, size: _filled(lead, words) + _counted(_filled(form, words), size)


def _after(lead: str, piece: str, end: str = "") -> Shape:
    """Make a shape of a begin, a long run of one piece, and an end."""
    return lambda words, size: (
        _filled(lead, words) + _often(_filled(piece, words), size) + _filled(end, words)
    )


SHAPES: dict[str, Shape] = {
    # White space, alone and behind what expects something to follow it.
    "blanks": _after("1. A pump", " ", "x"),
    "line breaks": _after("1. A pump", "\n", "x"),
    "tabs and line breaks": _after("1. A pump", "\n\t", "x"),
    "non-breaking blanks": _after("1. A pump", "\u00a0", "x"),
    "blanks before anything": _after("", " ", "1. x"),
    "line breaks before 1.": _after("", "\n", "1. x\n2. y"),
    "blanks behind the word for claim": _after("<refers> <claim>", " ", "x"),
    "blanks behind the heading": _after("Claims", " ", "x"),
    "blanks behind a number": _after("1. <refers>", " ", "x"),
    "blanks behind a verb": _after("<new> <couples>", " ", "x"),
    "blanks between words": _repeated("<new>          <couples>          "),
    "line breaks between numbers": _numbered("\n\n{0}\n\n"),
    "a heading of another part": _after("1. x\nabstract", " ", "x"),
    "a page of headings": _repeated("Claims \n"),
    # Lists of numbers.
    "SEQ ID NO list": _numbered("{0} , ", "1. A pump of SEQ ID NO: "),
    "SEQ ID NO list without blanks": _numbered("{0},", "1. A pump of SEQ ID NO:"),
    "list with and": _numbered("{0} and ", "SEQ ID NO: "),
    "list with points": _numbered("{0} . , ", "SEQ ID NO: "),
    "list with tags": _numbered("<b>{0}</b> , "),
    "list of claims": _numbered("{0}<comma> ", "<new> <claim> "),
    "list of claims without blanks": _numbered("{0},", "<new> <claim> "),
    "list of ranges": _numbered("{0}-9 , ", "<new> <claim> "),
    "list with the word for and": _numbered("{0} <joint> ", "<new> <claim> "),
    "list with the word for to": _numbered("{0} <until> ", "<new> <claim> "),
    "claims 1-1-1-1": _after("<new> <claim> ", "1-"),
    "numbers in lines": _numbered("{0}\n"),
    "numbers with points": _numbered("{0}. "),
    "numbers in brackets": _numbered("({0}) "),
    "cancelled ranges": _repeated("1-9999. (canceled) "),
    "nested cancelled ranges": _repeated("1-9999, "),
    "only digits": _repeated("1234567890"),
    "one long number": _after("<new> <claim> ", "0", "1"),
    # References.
    "references": _repeated("<refers> "),
    "references to many": _numbered("<claim> {0}<comma> "),
    "references without a number": _repeated("<earlier> "),
    "the word for claim": _repeated("<claim><space>"),
    "the word for claim, glued": _repeated("<claim>"),
    "exceptions": _repeated("<refers> <excepts> "),
    "exceptions from one": _after("<refers>, ", "<excepts> "),
    "headings": _numbered("<claim> {0}. "),
    "points behind the word for claim": _after("<claim>", ".", "x"),
    "mixed signs behind the word for claim": _after("<claim>", " .:", "x"),
    "joints behind a number": _after("<refers> ", "<joint><space>", "x"),
    "commas behind a number": _after("<refers>", ",", "x"),
    "dashes behind a number": _after("<refers>", "-", "x"),
    "only joints": _repeated("<joint><space>"),
    "thousands of or": _repeated(" or "),
    # Terms.
    "one term": _repeated("<known><space>"),
    "new terms": _repeated("<new><comma> "),
    "numbered terms": _numbered("<new> {0}<comma> "),
    "distinct terms": _numbered("<new>x{0}<comma> "),
    "only determiners": _repeated("<article> "),
    "owners": _repeated("<owner><space>"),
    "an enumeration": lambda words, size: (
        _often(_filled("<new><comma> ", words), size) + _filled(" <couples>", words)
    ),
    "abbreviations": _repeated("<new> (AB) "),
    "numerals in brackets": _numbered("<new> ({0}) "),
    "empty brackets": _repeated("()"),
    "open brackets": _repeated("("),
    "square brackets": _repeated("["),
    "nested brackets": lambda words, size: "(" * (size // 2) + ")" * (size // 2),
    "one long bracket": _after("<new> (", "ab ", ") <couples>"),
    "a bracket without end": _after("<new> (12", ", 13", ""),
    "one long word": _repeated("a"),
    "one long word of signs": _repeated("轴"),
    "a word with hyphens": _repeated("a-"),
    "a word with points": _repeated("1.a"),
    "adjectives": _repeated("grande first cylindrical "),
    "adverbs": _repeated("lateralement slowly "),
    "words in -ing": _repeated("rotating "),
    "words in -ed": _repeated("mounted "),
    "full and half width": _repeated("Ａaａ１1"),
    "capitals": _repeated("Welle Gehäuse "),
    "one sign a line": _repeated("a\n"),
    "tags": _repeated("<b>a</b>"),
    "open tags": _repeated("<"),
    "number words": _repeated("un deux one two "),
    "Roman numerals in a bracket": _after("<new> (", "i, ", "x"),
    "numbers in square brackets": _after("", "[1]", "_"),
    "single letters": _repeated("x "),
    "one noun": _repeated("shaft "),
    "an article for two": _repeated("the arm and shaft; "),
    "ordinals": _after("the ", "first, ", "and second arms"),
    "signs of place": _repeated("上"),
    "small adverbs": _repeated("더 "),
    "quotes": _repeated("'’"),
    "stars": _repeated("* "),
    # Couplings.
    "couplings": _repeated("<couples><comma> "),
    "couplings without a stop": _repeated("<couples> "),
    "couplings as sentences": _repeated("<couples>. "),
    "verbs": _repeated("<verb> "),
    "verbs and terms": _repeated("<new> <verb> "),
    "terms, then verbs": lambda words, size: (
        _often(_filled("<new> <other> ", words), size // 2)
        + _often(_filled("<verb> ", words), size // 2)
    ),
    "terms with commas, then verbs": lambda words, size: (
        _often(_filled("<new><comma> ", words), size // 2)
        + _often(_filled("<verb><comma> ", words), size // 2)
    ),
    "participles with commas": _repeated("mounted, verbunden, monté, "),
    "participles before a noun": _after("", "verbundene ", "Welle <couples>"),
    "adverbs, then verbs": lambda words, size: (
        _often("latéralement ", size // 2) + _often(_filled("<verb> ", words), size // 2)
    ),
    "gerunds, then a verb": _after("<new> ", "rotating ", "extending <couples>"),
    "infinitives": _after("<new> ", "able to ", "receive <other>"),
    "purposes": _repeated("configured to hold <known> <joint> "),
    "a verb and a list": _after("<known> <verb> ", "<new><comma> ", "<joint> <other>"),
    "verbs in one word": _repeated("설치되도록"),
    "waived claims": _repeated("청구항 1은(는) "),
    "words that refer": _repeated("of any of the "),
    "clause openers": _repeated("<opener> "),
    "joined verbs": _repeated("<verb> <joint> "),
    "a list of subjects": _repeated("<known> <joint> <other> <verb> "),
    # Whole sets.
    "claims in a chain": _numbered("\n{0}. <new> <refers>."),
    "claims that cite a list": _numbered("\n{0}. <new> <claim> 1, 2, 3, 4."),
    "claims on one line": _numbered(" {0}. <new> <couples>."),
    "claims with one number": _repeated("\n1. <couples>"),
    "claims in words": _numbered("\n<claim> {0}: <couples>."),
    "claims in brackets": _numbered("\n【<claim>{0}】<couples>."),
    "filters": _repeated("ipc:H02M "),
    "colons": _repeated("a:"),
}
"""Name → a text of about the size asked for."""


Claims = tuple[Claim, ...]


def _claims(form: Callable[[int], str]) -> Callable[[int], Claims]:
    """Make a set of claims, the text of each from its number."""
    return lambda size: tuple(Claim(number, form(number)) for number in range(1, size + 1))


SETS: dict[str, Callable[[int], Claims]] = {
    "a chain": _claims(lambda number: f"A pump of claim {number - 1}, wherein the shaft is red."),
    "all cite all earlier ones": _claims(
        lambda number: f"A pump of any of claims 1 to {max(1, number - 1)}."
    ),
    "any preceding claim": _claims(lambda number: "A pump of any preceding claim."),
    "all cite all, number by number": _claims(
        lambda number: f"A pump of claims {', '.join(map(str, range(1, number))) or 1}."
    ),
    "one term": _claims(
        lambda number: f"A pump with {'a' if number == 1 else 'the'} shaft" * (number % 4 > 0)
    ),
    "shared couplings": _claims(
        lambda number: "A pump, the shaft coupled to the rotor and the seal." * (number % 4 > 0)
    ),
    "one crowded claim": lambda size: (
        Claim(1, "A pump with a shaft."),
        Claim(2, "the shaft is coupled to the rotor, " * (40 * size)),
    ),
    "distinct subjects": _claims(
        lambda number: f"A pump{number} for using the device of any preceding claim."
    ),
}
"""Name → a claim set of about as many claims as asked for."""
