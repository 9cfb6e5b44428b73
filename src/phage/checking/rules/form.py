"""Form: numbers, full stops, counts.

In:   a LegalReading.
Out:  numbers left out or given twice, claims that do not end, counts that cost.
Why:  a formalities officer looks at nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.checking.reading import LegalReading
from phage.checking.rules.types import Seen, place, subject, whole
from phage.checking.types import Office
from phage.structure import is_independent


def gap(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a claim number that is left out; cancelled ones are not.

    >>> from phage.checking.example import numbered
    >>> numbered({1: "A bed.", 3: "The bed of claim 1, being red."})
    [('number-gap', 3, 'The bed of claim 1, being red.', 'warning')]
    """
    cancelled = set(reading.patent.cancelled)
    last = 0
    for printed, number in _printed(reading):
        missing = [n for n in range(last + 1, min(printed, last + 1000)) if n not in cancelled]
        if missing and number in reading.claims:
            named = f"{missing[0]}" if len(missing) == 1 else f"{missing[0]} to {missing[-1]}"
            yield Seen(
                "number-gap", whole(reading, number),
                f"claim {printed} follows {'claim ' + str(last) if last else 'no claim'}: "
                f"{named} left out",
                f"number it {last + 1}, or mark the claims left out as cancelled",
            )  # fmt: skip
        last = max(last, printed)


def _printed(reading: LegalReading) -> list[tuple[int, int]]:
    """Return the printed and the own number of all claims, in printed order."""
    return sorted((claim.printed or claim.number, claim.number) for claim in reading.patent.claims)


def duplicate(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a number that two claims have.

    >>> from phage.checking.example import numbered
    >>> numbered({1: "A bed."}, (1, "A sofa."))
    [('number-duplicate', 1, 'A bed.', 'error')]
    """
    groups: dict[int, list[int]] = {}
    for printed, number in _printed(reading):
        groups.setdefault(printed, []).append(number)
    for printed, numbers in groups.items():
        live = [number for number in dict.fromkeys(numbers) if number in reading.claims]
        if len(numbers) > 1 and live:
            yield Seen(
                "number-duplicate", whole(reading, live[0]),
                f"{len(numbers)} claims have the number {printed}",
                "number the claims consecutively",
                tuple(whole(reading, number) for number in live[1:]),
            )  # fmt: skip


_ENDS = re.compile(r"[.。．][\"'”’)\]]*$")
_TAIL = 40
"""Characters at the end of a claim that tell how it ends."""
_OPEN_END = re.compile(r"(?:[^\W\d_]{2,}|\b\d+(?:\s?%)?|[,;)])$")
_PLAIN_END = re.compile(
    r"(?:\d\s?°(?:\s?[CF])?|\d\s?[μµ]m|[a-z]{3}\d|[a-z][\"”]|\b[a-z]+ [A-Z]\))$"
)
"""Ends that only look like the end of a formula: "160° C", "div2", "(general R)"."""
_FORMULA = re.compile(r"(?:[=<>≤≥±×]|[A-Z][a-z]?\d|[^\x00-\x7f]\s*\S*$|—)")


def full_stop(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a claim that does not end with a full stop; formulae and quotations may end without.

    >>> from phage.checking.example import found
    >>> found("A bed having a slat")
    [('no-full-stop', 1, 'slat', 'warning')]
    >>> found("A compound of the formula:")
    []
    >>> ends = "at 160° C", "of 5°", "a div2", 'called "slat"'
    >>> [found(f"A bed having a slat {end}")[0][0] for end in ends]
    ['no-full-stop', 'no-full-stop', 'no-full-stop', 'no-full-stop']
    """
    for number, claim in reading.claims.items():
        text = claim.text.rstrip()
        last = text[-_TAIL:]
        plain = _PLAIN_END.search(last)
        if not text or _ENDS.search(last) or not (plain or _OPEN_END.search(last)):
            continue
        start = text.rfind(" ") + 1
        if (not plain and _FORMULA.search(text[max(0, len(text) - 25) :])) or (
            text[-1] == ")" and start == 0
        ):
            continue
        yield Seen(
            "no-full-stop", place(reading, number, start, len(text)),
            f"claim {number} does not end with a full stop", "end the claim with '.'",
        )  # fmt: skip


_OPENS = r"(?:The|An?|Said|Wherein|It|This|Each)\s+[a-z]{2}"
_SENTENCE = re.compile(
    r"(?<=[a-z]{3}|[a-z]{2}\))\.\s+(?=[A-Z][a-z]+\s+[A-Za-z]|A\s+[a-z]{2}|(?:wherein|whereby)\s)"
    # "of claim 1. The", "5 mm. The"; no list: "1. The", "step 1. The"
    rf"|(?:(?<=\d)|(?<=\d [mcnµk][mg])|(?<=\d[mcnµk][mg])|(?<=[\d ]%)|(?<=°C))\.\s+(?={_OPENS})"
)
_LISTED = re.compile(r"(?:[^\w\s)%]|^|\b(?:and|or|steps?|stage|phase|paragraphs?))\s*[\d.]+$")
# Scans have "。" for "°", too.
_SENTENCE_ZH = re.compile(r"。(?=\s*(?:所述|该|其特征|其中|一种))")
_ABBREVIATED = re.compile(
    r"\b(?:figs?|nos?|eqs?|refs?|approx|resp|ca|vol|wt|cf|etc|sp|spp|var|subsp|inc|corp|ltd|co|st|"
    r"dr|al|vs|pat|ser|sec|min|max|temp|art|ex|tab|mol|equiv|dia|deg|incl|excl|prof|mr|mrs|ms|jr|"
    r"seq|cat|ed|eds|fam|gen|nov|et)$",
    re.IGNORECASE,
)


def sentences(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a claim of more than one sentence.

    >>> from phage.checking.example import found
    >>> found("A bed having a slat. The slat is red.")
    [('several-sentences', 1, '. The', 'warning')]
    >>> [found(f"A bed having a slat{more} slat is red.")[0][0] for more in (" of 5 mm. The", ". A")]
    ['several-sentences', 'several-sentences']
    """
    sign, pattern = ("。", _SENTENCE_ZH) if reading.language == "zh" else (". ", _SENTENCE)
    for number, claim in reading.claims.items():
        if sign not in claim.text:
            continue
        for match in pattern.finditer(claim.text):
            near = max(0, match.start() - 12)
            if any(one.search(claim.text, near, match.start()) for one in (_ABBREVIATED, _LISTED)):
                continue
            end = claim.text.find(" ", match.end())
            end = end if end > 0 and sign != "。" else min(match.end() + 4, len(claim.text))
            yield Seen(
                "several-sentences", place(reading, number, match.start(), end),
                f"claim {number} has more than one sentence", "join the sentences into one",
            )  # fmt: skip
            break


def independent(reading: LegalReading) -> list[int]:
    """Return the claims that depend on no other, in order."""
    return [number for number, claim in reading.claims.items() if is_independent(claim.links)]


_STEPS = ("method", "process", "verfahren", "procédé", "方法", "방법")
_USE = re.compile(
    r"^(?:the\s+)?(?:use|verwendung|utilisation)\b|(?:用途|용도)[。.]?$", re.IGNORECASE
)


def independents(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report several independent claims in one category.

    >>> from phage.checking.example import found
    >>> found("A bed.", "A bed having a slat.", office="EP")
    [('independent-count', 2, 'A bed having a slat.', 'warning')]
    >>> found("A method of sleeping.", "Use of a bed for sleeping.", office="EP")  # Rule 43(2)
    []
    """
    first: dict[str, int] = {}
    for number in independent(reading):
        text = reading.claims[number].text
        name = (subject(reading, number) or text[:60]).lower()
        kind = "use" if _USE.search(text) else "method" if name.endswith(_STEPS) else "product"
        if kind in first:
            yield Seen(
                "independent-count", whole(reading, number),
                f"claims {first[kind]} and {number} are independent claims to a {kind}",
                "keep one independent claim per category, unless an exception applies",
                term=kind,
            )  # fmt: skip
        else:
            first[kind] = number


_FREE = {Office.US: 20, Office.EP: 15, Office.CN: 10}


def fees(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report claims that cost extra; in the US a multiple claim counts as often as it refers.

    >>> from phage.checking.example import found
    >>> found(*["A bed."] * 4, office="US")[-1]
    ('fee-count', 4, 'A bed.', 'note')
    """
    free = _FREE.get(office)
    if free is None or not reading.claims:
        return
    count = 0
    for claim in reading.claims.values():
        refers = max((len(link.numbers) for link in claim.links), default=1)
        count += max(1, refers) if office is Office.US else 1
    alone = len(independent(reading))
    last = max(reading.claims)
    if count > free:
        yield Seen("fee-count", whole(reading, last),
                   f"{_counted(len(reading.claims), count)}; {office} charges for each above {free}", "")  # fmt: skip
    elif office is Office.US and alone > 3:
        yield Seen("fee-count", whole(reading, last),
                   f"{alone} independent claims; US charges for each above 3", "")  # fmt: skip


def _counted(claims: int, count: int) -> str:
    """Say how many claims are paid for.

    >>> _counted(24, 24), _counted(20, 28)
    ('24 claims', '20 claims count as 28')
    """
    return f"{claims} claims" if claims == count else f"{claims} claims count as {count}"


_TWO_PART = re.compile(
    r"characteri[sz]ed (?:in that|by)|dadurch gekennzeichnet|gekennzeichnet durch|"
    r"caractérisée?s? (?:en ce|par)|其特征在于|其特徵在於|the improvement",
    re.IGNORECASE,
)


def two_part(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report an independent claim that is not in the two-part form; off unless selected.

    >>> from phage.checking.example import found
    >>> found("A bed.", office="EP")
    []
    """
    for number in independent(reading):
        if not _TWO_PART.search(reading.claims[number].text):
            yield Seen("two-part-form", whole(reading, number),
                       f"claim {number} is not in the two-part form",
                       "consider 'characterised in that'")  # fmt: skip
