"""Places in a run of text where a claim may begin.

In:   text, as it stands.
Out:  marks: a number (or a cancelled range), where it stands, and how much speaks for it.
Why:  "2." is a claim's number, a figure's, a formula's or the end of "claim 2."; only the
      words around it show which, and each language has its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from phage.claims.numbering import LARGEST, is_cancelled


@dataclass(frozen=True, slots=True)
class Mark:
    """A possible begin of a claim."""

    first: int
    last: int
    """The same as ``first``, but for a cancelled list."""
    start: int
    """Where the number stands."""
    end: int
    """Where the claim's text begins."""
    score: float
    """Above zero: more speaks for a claim than against."""
    gone: tuple[range, ...] = ()
    """The numbers of a cancelled list, as rising runs."""


_TAG = r"(?:<[^<>]{0,80}>)"
_NUMBER = rf"{_TAG}{{0,3}}(?P<first>\d{{1,4}}){_TAG}{{0,3}}"
_SPACE = r"[\s\u200b\ufeff]"
_BLANK = r"(?:[^\S\n]|[\u200b\ufeff])"
# A blank before the sign is read in one way only: with two, the time doubles with every number.
# A line may end behind a comma, not within a range: "- 13 -" stands between two claims.
_PAGE = "".join(rf"(?<![-–—]{one}{'.' * n}{one}[-–—]\n)" for n in (1, 2, 3, 4) for one in ("", " "))
_TO = (
    rf"{_BLANK}?(?:\n{_PAGE}{_BLANK}?(?=\d{{1,4}}{_SPACE}{{0,2}}[.．:]?{_SPACE}{{0,2}}"
    rf"[(\[]{_SPACE}?(?:previously{_SPACE})?(?:cancel|delet|not{_SPACE}entered)))?"
)
"""Within a range a line may end only before the last number, if "(canceled)" follows."""
_MORE = (
    rf"(?P<more>(?:(?:(?:{_SPACE}?\.{_SPACE}?|{_SPACE}{{0,2}})(?:[,&]|and|und|et){_SPACE}?"
    rf"|(?:{_BLANK}?\.{_BLANK}?|{_BLANK}{{0,2}})(?:[-–—‐‑~～]|to|through|bis|à|至){_TO})"
    rf"{_TAG}{{0,3}}\d{{1,4}}{_TAG}{{0,3}}){{0,40}})"
)
"""The rest of "1-20" or "1, 3-5"; believed only where "(canceled)" follows."""
_CLAIMS = rf"claims(?={_SPACE}{{1,3}}\d{{1,4}}{_SPACE}?(?:[-–—,]|to|and|through))"
"""Before a list only: a set may begin with "Claims" on a line above "1."."""
STYLES: dict[str, re.Pattern[str]] = {
    # 【請求項１】, 【청구항 1】, [Claim 1]: nothing else looks like it.
    "bracket": re.compile(
        rf"[【\[［〔]{_SPACE}?(?:請求項|请求项|權利要求|权利要求|청구항|claim){_SPACE}?"
        rf"(?P<first>\d{{1,4}})(?P<more>(?:{_SPACE}?[-–~～]{_SPACE}?\d{{1,4}})?){_SPACE}?[】\]］〕]"
        rf"{_SPACE}*",
        re.IGNORECASE,
    ),
    # "Claim 1. A pump", "Anspruch 1:", "청구항 1." at the begin of a line or a sentence.
    "word": re.compile(
        rf"(?:(?<=\n)|(?<=[.。;:]\s)|\A|(?<=\n\s))"
        rf"(?:claim|{_CLAIMS}|patentanspruch|anspruch|revendication|reivindicación|請求項|请求项|权利要求|權利要求|청구항)"
        rf"{_SPACE}{{0,3}}{_NUMBER}{_MORE}{_SPACE}{{0,3}}(?:[.:．：)–—-]|(?=\n)|(?=[(\[]))"
        rf"{_SPACE}*",
        re.IGNORECASE,
    ),
    # "1. A pump", "2.The pump", "1-20. (canceled)", "1、一种泵": by far the most common.
    "point": re.compile(
        rf"(?<![\w/$€£%+=<>≦≧≤≥×·^_-])(?<![\w]['’-]){_NUMBER}{_MORE}"
        rf"(?:{_SPACE}{{0,2}}[.．](?!\d)|、|{_SPACE}?(?=[(\[]{_SPACE}?(?:previously{_SPACE})?cancel))"
        rf"(?:[-–](?=\s))?{_SPACE}*",
        re.IGNORECASE,
    ),
    # "1) A pump", "(1) A pump".
    "paren": re.compile(rf"(?<![\w.,/-])\(?{_NUMBER}{_MORE}{_SPACE}?[)）]{_SPACE}*"),
    # "1 - Dispositif", "1 A pump", on a line of its own or at the begin of one.
    "line": re.compile(rf"(?:(?<=\n)|\A|(?<=\n\s)){_NUMBER}(?P<more>)(?:\s?[-–—:]\s+|\s+)"),
}

CLAIMS = (
    r"(?:claim\s+amendments?|(?:(?:amendments?\s+(?:to|of|in)|listing\s+of)\s+(?:the\s+)?"
    r"|(?-i:In\s+the|IN\s+THE)\s+|(?:the|amended|pending|patent)\s+)?claims?)"
)
"""The words of a heading; a reply to an office action has "AMENDMENTS TO THE CLAIMS"."""
_LEAD = re.compile(
    rf"\s*(?:(?:the\s+)?(?:invention|embodiments?)[^.]{{0,200}}?(?:is|are|as\s+follows)|{CLAIMS}"
    r"|(?:what|that\s+which)\s+(?:is|i|we)\s+claim(?:ed)?(?:\s+(?:is|as\s+new)[^:]{0,80})?"
    r"|(?:i|we)(?:\s*/\s*we)?\s+claim|having\s+thus\s+described[^:]{0,200}|(?:patent)?ansprüche"
    r"|patentanspruch|revendications?|reivindicaciones|rivendicazioni|conclusies|patentkrav|權利要求書?|权利要求书?|청구범위|특허청구범위|特許請求の範囲)\s*[:.：]?\s*",
    re.IGNORECASE,
)

_REFERENCES = re.compile(
    r"(?:claims?|clalm|anspr(?:uch|üche|üchen)|revendications?|reivindicaci(?:ón|ones)"
    r"|rivendicazion[ei]|conclusies?|请求项|請求項|权利要求|權利要求|청구항|제)\s{0,3}(\d{1,4})"
    r"|(?:preceding|previous|foregoing|vor\w{3,12}|précédentes?)\s+(?:claims?|ansprüche|revend)"
)
"""For text in lower case: ignoring case while searching takes several times as long."""
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:FIGS?|[Ff]igs?|Nos?|NOS?|Nr|Eqs?|EQS?|Refs?|Vol|Sec|Tab|Abb|Ziff|Pos|Bsp|bzw"
    r"|e\.\s?g|i\.\s?e|cf|approx|resp|z\.\s?B|Ex|Pat|Ser|Appl|al|vs)$"
)
_CLAIM = re.compile(
    r"(?:claims?|anspr(?:uch|üchen?)|revendications?|reivindicaci(?:ón|ones)|項|项|要求|청구항)$",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"^(?:fig(?:ure|ur)?s?|formula[es]?|formeln?|formules?|equations?|gleichung|steps?|schritt|étape"
    r"|tables?|tabelle|tableau|examples?|beispiel|exemple|embodiments?|nos?|nr|numbers?|nummer"
    r"|numéro|parts?|types?|class|groups?|grade|level|phase|stage|section|version|series|items?"
    r"|page|case|mode|seq|id|图|圖|式|표|도|식)$",
    re.IGNORECASE,
)
"""Words that carry a number of their own."""
_JOINT = re.compile(
    r"^(?:and|or|und|oder|et|ou|of|to|than|from|about|least|most|approximately|equals?|is|are|by|bis"
    r"|von|de|à|par|between|zwischen|entre|minus|plus|times|exactly|only|with|at|in|for|über|unter)$",
    re.IGNORECASE,
)
"""Words that a quantity follows; a claim that breaks off may end with one, too."""
_STARTERS = re.compile(
    r"(?:an?|the|in|use|method|process|apparatus|system|device|composition|compound|one|kit|at"
    r"|ein(?:e|en|er)?|der|die|das|verfahren|vorrichtung|verwendung|anordnung|un|une|le|la|les"
    r"|procédé|dispositif|utilisation|appareil|ensemble|el|los|método|procedimiento"
    r"|according|according to|as|for|claim|method of|non-transitory|computer)\b",
    re.IGNORECASE,
)
_SAYS_GONE = re.compile(
    r"[\s(\[（【-]*(?:previously\s+)?(?:cancell?ed|not\s+entered|deleted?|gestrichen|entf|supprim|annul"
    r"|削除|取消|删除|刪除|삭제)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.。]*(?:[.。](?!\s*(?:\d{1,4}\s*[.．、]|[A-ZÄÖÜ]))[^.。]*)*")
"""Up to where another sentence, or another number, begins."""
_LONGEST_LEAD = 600
_AHEAD = 400
"""Characters after a number in which a claim says what it depends on."""


def lead_end(text: str) -> int:
    """Return where the words before the first claim end: "What is claimed is:", "Patentansprüche".

    >>> lead_end("CLAIMS We claim: 1. A pump."), lead_end("A pump.")
    (17, 0)
    """
    end = 0
    while end < _LONGEST_LEAD and (found := _LEAD.match(text, end)) and found.end() > end:
        end = found.end()
    return end


def marks(text: str, style: str) -> Iterator[Mark]:
    """Find all marks of one style, each with its score."""
    opening = lead_end(text)
    for found in STYLES[style].finditer(text):
        first = int(found["first"])
        start, end = found.span()
        rest = text[end : end + _AHEAD]
        if found["more"]:
            if not _SAYS_GONE.match(rest):
                continue
            if gone := _runs(re.sub(_TAG, "", f"{first}{found['more']}")):
                yield Mark(first, gone[-1][-1], start, end, 4.0, gone)
        elif 0 < first <= LARGEST:
            before = 3.0 if start <= opening else _before(text, start)
            after, refers = _after(rest, first)
            if before < -1 and not refers:
                after -= 1.5  # neither the end of a sentence before it, nor a claim's words after
            yield Mark(first, first, start, end, before + after + _PRIOR[style])


def _runs(numbers: str) -> tuple[range, ...]:
    """Read a list with ranges; nothing where it does not rise, or holds a single number.

    >>> _runs("1, 3-5"), _runs("5-3"), _runs("3, 1-5")
    ((range(1, 2), range(3, 6)), (), ())
    """
    runs: list[range] = []
    for part in re.split(r",|&|and|und|et", numbers, flags=re.IGNORECASE):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        if not ends or ends[-1] < ends[0]:
            continue
        if ends[-1] > LARGEST or (runs and ends[0] <= runs[-1][-1]):
            return ()
        runs.append(range(ends[0], ends[-1] + 1))
    return tuple(runs) if sum(map(len, runs)) > 1 else ()


_PRIOR = {"bracket": 6.0, "word": 3.0, "point": 0.0, "paren": -1.0, "line": 0.0}


_SIGNS = {
    **dict.fromkeys(";；:：)]}”\"'’*>", -0.5),
    **dict.fromkeys(",，、-–/&+=<(", -3.0),
}
"""What a sign right before a number says of it."""
_WORDS = ((_CLAIM, -9.0), (_NOUN, -6.0), (_JOINT, -4.0))
"""And a word."""


def _before(text: str, start: int) -> float:
    """Score what stands before a number; the weights were set on real weekly files."""
    before = text[max(0, start - 60) : start]
    bare = before.rstrip()
    if not bare:
        return 3.0
    line = 2.0 if "\n" in before[len(bare) :] else 0.0
    sign = bare[-1]
    if sign in ".。．":
        return line + _after_point(before, bare)
    if sign in _SIGNS:
        return line + _SIGNS[sign] + (1.5 if line and sign in ":：" else 0.0)
    word = re.search(r"[^\W\d_]+$", bare)
    for pattern, score in _WORDS if word else ():
        if pattern.search(word[0]):  # type: ignore[index]
            return line + score
    return line - (1.0 if ord(sign) > 0x2E80 else 2.0)


def _after_point(before: str, bare: str) -> float:
    stem = bare[:-1]
    if _ABBREVIATION.search(stem):
        return -6.0
    if len(before) == len(bare) and stem[-1:].isdigit():
        # Glued: "claim 1.2. The" is two sentences, "0.5. The" a decimal.
        return (
            1.0
            if re.search(r"(?:claims?|anspruch|revendication)\s+\d+$", stem, re.IGNORECASE)
            else -4.5
        )
    return 2.0


def _after(rest: str, number: int) -> tuple[float, bool]:
    """Score what stands after a number, and say whether it refers to an earlier claim."""
    rest = re.sub(r"^(?:<[^<>]{0,80}>\s*)+", "", rest)
    if not rest.strip():
        return -3.0, False
    score = 0.0
    char = rest[0]
    if char.isdigit():
        score -= 3.0 if re.match(r"\d+\s*(?:[.、]|\Z)(?!\d)", rest) else 1.5
        score += 1.0 if re.match(r"\d+(?:[-,(′'’]|\s*[A-Z])", rest) else 0.0
    elif char.isupper() or ord(char) > 0x2E80:
        score += 1.0
    elif char in "([{“\"'<αβγ*±":
        score += 0.5 if not is_cancelled(rest[:12].split(".")[0]) else 3.0
    elif char.islower():
        score -= 0.5
    else:
        score -= 1.0
    if _STARTERS.match(rest):
        score += 1.0
    sentence = _SENTENCE.match(rest)
    found = _REFERENCES.search((sentence[0] if sentence else rest).lower())
    if found is None:
        return score, False
    if found[1] is None:
        return score + 1.0, True
    earlier = int(found[1]) < number
    return score + (2.0 if earlier else -1.0), earlier
