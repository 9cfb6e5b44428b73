"""Two versions of a claim set → what became of each claim.

In:   the claims before and after: application and grant, or both sides of an amendment.
Out:  Diff: claims aligned by text and number, with their words marked as kept, in or out.
Why:  offices renumber, merge and cancel; a comparison by number alone shows noise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from phage.claims.types import Claim, Patent
from phage.compare.matching import MOST, Effort, Matcher, TooMuch
from phage.compare.types import Change, ClaimChange, Diff, Piece
from phage.compare.words import placed
from phage.errors import PhageError

LIKE = 0.5
"""Share of words in common from which two claims may be versions of one."""
HELD = 0.75
"""Share of a claim's own words that an amendment of another must take in to count as a merger."""
BONUS = 0.05
"""What the same number adds to the likeness when claims are paired."""
_TOKEN = re.compile(r"(?:[^\W_]+(?:[-'’.][^\W_]+)*|[^\w\s]|_)(\s*)")
_REFERENCE = re.compile(r"(\b(?:claims?|Ansprüche?n?|revendications?)\s+)(\d+)", re.IGNORECASE)


def diff(before: Patent, after: Patent) -> Diff:
    """Compare two versions of a claim set; what is too long is shown as replaced, and marked so."""
    effort = Effort()
    old = {claim.number: claim for claim in reversed(before.claims)}
    new = {claim.number: claim for claim in reversed(after.claims)}
    pairs = _aligned(old, new, effort)  # after → before
    origin = {b: a for a, b in pairs.items()}
    changes = [_change(old, new, number, pairs, origin, effort) for number in sorted(new)]
    gone = _gone([old[number] for number in sorted(set(old) - set(pairs.values()))], changes)
    title = after.title or before.title
    return Diff(before.number, after.number, title, tuple(_in_order(changes, gone)))


def _aligned(old: Mapping[int, Claim], new: Mapping[int, Claim], effort: Effort) -> dict[int, int]:
    """Pair claims, the most alike first; one number is worth a little."""
    words = {
        key: [token.lower() for token, _ in _tokens(_masked(claim.text))]
        for side, claims in (("old", old), ("new", new))
        for key, claim in (((side, number), claim) for number, claim in claims.items())
    }
    counts = {key: Counter(found) for key, found in words.items()}
    if len(new) * sum(len(counts["old", a]) for a in old) > MOST:
        raise PhageError(
            f"{len(old):,} and {len(new):,} claims are too many to compare",
            remedy="compare a part of the claims",
        )
    scored: list[tuple[float, int, int]] = []
    for b in new:
        near = sorted(
            old, key=lambda a: (-_overlap(counts["old", a], counts["new", b]), abs(a - b))
        )
        for a in near[:4]:
            if _overlap(counts["old", a], counts["new", b]) >= LIKE:
                like = _ratio(words["old", a], words["new", b], effort)
                if like >= LIKE:
                    scored.append((-like - BONUS * (a == b), abs(a - b), b * 10**6 + a))
    pairs: dict[int, int] = {}
    for _, _, both in sorted(scored):
        b, a = divmod(both, 10**6)
        if b not in pairs and a not in pairs.values():
            pairs[b] = a
    return pairs


def _change(
    old: Mapping[int, Claim],
    new: Mapping[int, Claim],
    number: int,
    pairs: Mapping[int, int],
    origin: Mapping[int, int],
    effort: Effort,
) -> ClaimChange:
    claim = new[number]
    if number not in pairs:
        return ClaimChange(Change.NEW, None, number, 0.0, (Piece("inserted", claim.text),))
    source = old[pairs[number]]
    unmarked = False
    try:
        pieces, like = marked(source.text, claim.text, effort)
    except TooMuch:
        pieces, like = (Piece("deleted", source.text), Piece("inserted", claim.text)), 0.0
        unmarked = True
    if source.text == claim.text and source.number == number:
        change = Change.SAME
    elif _moved(source.text, origin) == claim.text:
        change = Change.RENUMBERED
    else:
        change = Change.AMENDED
    return ClaimChange(change, source.number, number, like, pieces, unmarked=unmarked)


def _gone(claims: Sequence[Claim], changes: Sequence[ClaimChange]) -> list[ClaimChange]:
    """Return claims without a successor: merged into another one, or cancelled."""
    amended = [
        (one.after, _words(one.pieces, "inserted"), _words(one.pieces, "inserted", "same"))
        for one in changes
        if one.change is Change.AMENDED
    ]
    gone: list[ClaimChange] = []
    for claim in claims:
        own = Counter(name for name, _ in placed(_masked(claim.text)))
        total = own.total()
        into = next(
            (
                after
                for after, came, held in amended
                if total
                and (own & held).total() >= HELD * total
                and (own & came).total() * 3 >= total
            ),
            None,
        )
        change = Change.CANCELLED if into is None else Change.MERGED
        pieces = (Piece("deleted", claim.text),)
        gone.append(ClaimChange(change, claim.number, None, 0.0, pieces, into))
    return gone


def _words(pieces: Sequence[Piece], *kinds: str) -> Counter[str]:
    text = " ".join(piece.text for piece in pieces if piece.kind in kinds)
    return Counter(name for name, _ in placed(text))


def _in_order(changes: list[ClaimChange], gone: list[ClaimChange]) -> Iterator[ClaimChange]:
    """Put lost claims before the first claim that came from a later one."""
    left = list(gone)
    for one in changes:
        while left and one.before is not None and (left[0].before or 0) < one.before:
            yield left.pop(0)
        yield one
    yield from left


def marked(
    before: str, after: str, effort: Effort | None = None
) -> tuple[tuple[Piece, ...], float]:
    """Mark the words that came in and went out; return their likeness, too.

    >>> pieces, like = marked("A pump with a shaft.", "A rotary pump with a steel shaft.")
    >>> [(piece.kind[:3], piece.text) for piece in pieces]  # doctest: +NORMALIZE_WHITESPACE
    [('sam', 'A '), ('ins', 'rotary '), ('sam', 'pump with a '), ('ins', 'steel '), ('sam', 'shaft.')]
    >>> round(like, 2)
    0.86
    """
    if before == after:
        return ((Piece("same", after),) if after else ()), 1.0
    ours, theirs = _tokens(before), _tokens(after)
    matcher = Matcher([t for t, _ in ours], [t for t, _ in theirs], effort or Effort())
    pieces: list[Piece] = []
    gap = ("", "")  # white space behind the last kept word that only one version has
    for kind, a, b, c, d in _joined(matcher.get_opcodes(), ours):
        if kind == "equal":
            kept = _text(theirs[c:d])
            behind, others = ours[b - 1][1], theirs[d - 1][1]
            gap = ("" if others else behind, "" if behind else others)
            pieces.append(Piece("same", kept.rstrip() if gap[1] and d < len(theirs) else kept))
            continue
        pieces += [Piece("deleted", gap[0] + _text(ours[a:b]))] if b > a else []
        pieces += [Piece("inserted", gap[1] + _text(theirs[c:d]))] if d > c else []
        gap = ("", "")
    return tuple(pieces), round(matcher.ratio(), 4)


Code = tuple[str, int, int, int, int]


def _joined(codes: Sequence[Code], ours: Sequence[tuple[str, str]]) -> list[Code]:
    """Join changes that only a comma or a small word separates: they are one change to a reader."""
    kept: list[Code] = []
    for place, (kind, a, b, c, d) in enumerate(codes):
        inside = 0 < place < len(codes) - 1
        small = inside and kind == "equal" and b - a == 1 and len(ours[a][0]) <= 3
        if kept and kept[-1][0] == "changed" and (kind != "equal" or small):
            kept[-1] = ("changed", kept[-1][1], b, kept[-1][3], d)
        else:
            kept.append((kind if kind == "equal" else "changed", a, b, c, d))
    return kept


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return words and signs, each with the white space behind it."""
    return [
        (found[0][: len(found[0]) - len(found[1])], found[1]) for found in _TOKEN.finditer(text)
    ]


def _text(tokens: Sequence[tuple[str, str]]) -> str:
    return "".join(word + space for word, space in tokens)


def _masked(text: str) -> str:
    return _REFERENCE.sub(r"\1", text)


def _moved(text: str, origin: Mapping[int, int]) -> str:
    """Return a claim as it reads once the claims it names have their new numbers."""
    return _REFERENCE.sub(
        lambda found: f"{found[1]}{origin.get(int(found[2]), int(found[2]))}", text
    )


def _overlap(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _ratio(one: list[str], other: list[str], effort: Effort) -> float:
    try:
        return 1.0 if one == other else Matcher(one, other, effort).ratio()
    except TooMuch:
        return _overlap(Counter(one), Counter(other))
