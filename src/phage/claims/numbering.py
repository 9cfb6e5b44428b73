"""Give each claim of a tagged claim set its number.

In:   claim elements as an office tagged them: label, printed text, ids referred to.
Out:  numbered claims without their printed numbers, and the numbers printed as cancelled.
Why:  labels, printed numbers and cancelled ranges disagree in real documents, and everything
      later needs one number per claim, each once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from phage.claims.types import Claim

LARGEST = 9999
"""No claim set has more; a larger "number" is a year, a quantity or a damaged label."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A claim as the source marks it up."""

    text: str
    """White space folded, printed number included."""
    label: str = ""
    """The office's ``num`` attribute: ``00002``, or ``01-18`` for a cancelled range."""
    id: str = ""
    references: tuple[str, ...] = ()
    """Ids of claims that the office tagged in this one."""


_LEAD = re.compile(
    r"(?:claim\s+)?(\d{1,4})\s*(?:[.)．:]|、)\s*(?!\d)"
    r"|[\[【](?:claim|revendication|anspruch|請求項|청구항)\s*(\d{1,4})[\]】]\s*",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"(?:claims?\s+)?(\d{1,4})\s*\.?\s*(?:[-–—‐~]|to|through|bis|à)\s*(\d{1,4})\s*[.)．:]?\s*",
    re.IGNORECASE,
)
_GONE = (
    r"(?:cancell?ed|deleted?|gestrichen|entf(?:ä|ae)llt|supprim(?:é|e)e?s?|annul(?:é|e)e?s?"
    r"|削除|取消|删除|刪除|삭제)"
)
_CANCELLED = re.compile(
    rf"[\s(\[{{（【-]*{_GONE}[\s)\]}}）】.。]*"
    # "(Cancelled without prejudice)", "(Previously cancelled)"
    rf"|\s*[(\[（【]\s*(?:(?:[^\W\d_]+\s+){{0,4}}{_GONE}(?:,?\s+[^\W\d_]+){{0,4}}|not\s+entered)"
    r"[\s)\]）】.。]*",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"\s*[(\[（【]\s*(?:(?:previously|currently|now|presently)\s+)?"
    r"(?:cancell?ed|deleted|gestrichen|削除|取消|删除|刪除|삭제)"
    r"(?:\s+(?:herein|hereby|previously|now|without\s+prejudice)(?:\s+[a-z]+){0,2})?\s*[)\]）】]",
    re.IGNORECASE,
)


def marked_cancelled(text: str) -> bool:
    """Return whether a claim is gone, though its words may still be printed.

    >>> marked_cancelled("(Canceled) The pump of claim 1."), marked_cancelled("deleted")
    (True, True)
    >>> marked_cancelled("(Previously cancelled) The pump."), marked_cancelled("(deleted files) list")
    (True, False)
    """
    return _MARKED.match(text) is not None or is_cancelled(text)


def is_cancelled(text: str) -> bool:
    """Return whether a claim's text only says that the claim is gone.

    >>> is_cancelled("(canceled)"), is_cancelled("A cancelled stamp.")
    (True, False)
    >>> is_cancelled("(Cancelled without prejudice)."), is_cancelled("(Not entered)")
    (True, True)
    """
    return _CANCELLED.fullmatch(text) is not None


def cancelled_range(text: str) -> tuple[int, ...]:
    """Return the numbers of a cancelled range, "1-18. (canceled)"; empty if there is no range.

    >>> cancelled_range("1.-3. (Cancelled)"), cancelled_range("1-3 dioxane")
    ((1, 2, 3), ())
    """
    found = _RANGE.match(text)
    if found and is_cancelled(text[found.end() :]):
        first, last = int(found[1]), int(found[2])
        if first <= last <= LARGEST:
            return tuple(range(first, last + 1))
    return ()


def lead(text: str) -> tuple[int | None, int]:
    """Return the printed number a claim begins with, and where its text begins.

    >>> lead("12. A pump"), lead("2.The pump"), lead("0.5 mm wide"), lead("A pump")
    ((12, 4), (2, 2), (None, 0), (None, 0))
    """
    found = _LEAD.match(text)
    return (int(found[1] or found[2]), found.end()) if found else (None, 0)


def number_claims(tagged: Sequence[Tagged]) -> tuple[tuple[Claim, ...], tuple[int, ...]]:
    """Assign every claim of a set its number; a claim that stands there twice counts once.

    >>> claims, gone = number_claims([Tagged("1-2. (canceled)", "01-02", "CLM-01-02"),
    ...     Tagged("3. A pump.", "00003", "CLM-3"), Tagged("4. It.", "00004", "", ("CLM-3",))])
    >>> [(c.number, c.text, c.references) for c in claims], gone
    ([(3, 'A pump.', ()), (4, 'It.', (3,))], (1, 2))
    >>> number_claims([Tagged("", "1"), Tagged("2. ", "2")])
    ((), ())
    """
    if (plain := _plain(tagged)) is not None:
        return plain, ()
    tagged = list({(item.label, item.text): item for item in reversed(tagged)}.values())[::-1]
    gone: list[int] = []
    live: list[tuple[Tagged, int | None, int | None, int]] = []
    for item in tagged:
        printed, begin = lead(item.text)
        short = len(item.text) <= 80  # as all are that only say a claim is gone
        if short and (dropped := cancelled_range(item.text)):
            gone.extend(dropped)
        elif short and is_cancelled(item.text[begin:]):
            gone.extend(filter(None, [printed or _label(item.label)]))
        elif item.text[begin:].strip():  # a damaged file may have lost the words of a claim
            live.append((item, _label(item.label), printed, begin))
    numbers = _choose([label for _, label, _, _ in live], [p for _, _, p, _ in live])
    strip = _leads_are_numbers(numbers, [p for _, _, p, _ in live])
    by_id = {item.id: n for (item, *_), n in zip(live, numbers, strict=True) if item.id}
    claims = tuple(
        Claim(
            number,
            item.text[begin:]
            if printed is not None and (strip or printed == number)
            else item.text,
            references=_references(item.references, by_id),
            printed=printed if strip and printed not in (None, number) else 0,
        )
        for (item, _, printed, begin), number in zip(live, numbers, strict=True)
    )
    return claims, tuple(gone)


def _plain(tagged: Sequence[Tagged]) -> tuple[Claim, ...] | None:
    """Return the usual set its numbers, whose labels and printed numbers both count up from 1."""
    claims: list[Claim] = []
    ids = {item.id: number for number, item in enumerate(tagged, start=1)}
    for number, item in enumerate(tagged, start=1):
        printed = f"{number}. "
        if not item.text.startswith(printed) or _label(item.label) != number:
            return None
        text = item.text[len(printed) :]
        if len(text) <= 40:  # it may only say that the claim is gone, or nothing
            return None
        claims.append(Claim(number, text, None, _references(item.references, ids)))
    return tuple(claims)


def _label(label: str) -> int | None:
    number = int(label) if len(label) <= 9 and label.isdecimal() else 0
    return number if 0 < number <= LARGEST else None


def _choose(labels: Sequence[int | None], printed: Sequence[int | None]) -> list[int]:
    """Prefer what is printed, then the labels; where neither is in order, count."""
    for numbers in (printed, labels):
        if _rising(numbers):
            return [n for n in numbers if n is not None]
    chosen: list[int] = []
    for label, number in zip(labels, printed, strict=True):
        last = chosen[-1] if chosen else 0
        fitting = [n for n in (label, number) if n is not None and last < n <= last + 100]
        chosen.append(min(fitting, default=last + 1))
    return chosen


def _rising(numbers: Sequence[int | None]) -> bool:
    last = 0
    for number in numbers:
        if number is None or number <= last:
            return False
        last = number
    return True


def _leads_are_numbers(numbers: Sequence[int], printed: Sequence[int | None]) -> bool:
    same = sum(n == p for n, p in zip(numbers, printed, strict=True))
    return 2 * same >= len(numbers) > 0


def _references(ids: Sequence[str], by_id: dict[str, int]) -> tuple[int, ...]:
    if not ids:
        return ()
    numbers: list[int] = []
    for one in ids:
        if one in by_id:
            numbers.append(by_id[one])
        else:
            found = re.findall(r"\d+", one)
            numbers.extend(int(n[-6:]) for n in found[-1:])
    return tuple(numbers)
