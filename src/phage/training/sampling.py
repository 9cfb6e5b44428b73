"""Which patents meet in the batches of an epoch.

In:   the class of each patent, perhaps its neighbours by a teacher; a seed, the number of an epoch.
Out:  (anchors, 3) patent indices: anchor, positive, negative; or an anchor and some neighbours; the
      same on every machine.
Why:  a plan that is a pure function of (seed, epoch) needs no state. A resumed run, or one with
      another number of workers or processes, meets the same triplets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phage.claims.copies import Copies, Finding
from phage.claims.types import Patent
from phage.errors import PhageError

Indices = NDArray[np.int64]


def ipc_class(code: str, level: str = "subclass") -> str:
    """Cut an IPC code to a level; empty if the code is too short.

    >>> [ipc_class("H02M 7/493", level) for level in ("subclass", "main-group", "group")]
    ['H02M', 'H02M 7', 'H02M 7/493']
    >>> ipc_class("H02M", "group")
    ''
    """
    subclass, _, rest = code.partition(" ")
    if level == "subclass":
        return subclass[:4]
    group = rest.partition("/")[0]
    if level == "main-group":
        return f"{subclass} {group}" if group else ""
    return code if "/" in rest else ""


LEVELS = ("subclass", "main-group", "group", "adaptive")
"""What two patents of one class share."""
MOST = 500
"""``adaptive`` divides a class with more patents than this."""


def labels_of(codes: Sequence[str], level: str = "subclass", most: int = MOST) -> NDArray[np.int32]:
    """Return the class number of each patent; −1 if its main IPC code names none.

    ``adaptive`` divides classes of more than ``most`` patents, as far as the codes allow.

    >>> labels_of(["H02M 7/493", "A61B 5/00", "", "H02M 1/00"]).tolist()
    [1, 0, -1, 1]
    >>> labels_of(["H02M 7/493", "A61B 5/00", "H02M 7/00", "H02M 1/00"], "adaptive", 2).tolist()
    [2, 0, 2, 1]
    """
    if level == "adaptive":
        names = _divided(codes, most)
    else:
        names = [ipc_class(code, level) for code in codes]
    order = {name: index for index, name in enumerate(sorted(set(names) - {""}))}
    return np.array([order.get(name, -1) for name in names], dtype=np.int32)


def _divided(codes: Sequence[str], most: int) -> list[str]:
    names = [ipc_class(code) for code in codes]
    for finer in ("main-group", "group"):
        large = {name for name, count in Counter(names).items() if count > most}
        names = [
            (ipc_class(code, finer) or name) if name in large else name
            for code, name in zip(codes, names, strict=True)
        ]
    return names


@dataclass(frozen=True, eq=False)
class Classes:
    """Patents sorted by class, so that uniform draws need no search."""

    order: Indices
    """Patents that have a class, class by class."""
    rank: Indices
    """(P,) position of a patent in ``order``."""
    start: Indices
    """(P,) start of a patent's class in ``order``."""
    size: Indices
    """(P,) number of patents in its class; 0 for a patent without a class."""

    @classmethod
    def of(cls, labels: NDArray[np.int32]) -> Classes:
        """Sort patents by class; those labelled −1 take no part."""
        valid = np.flatnonzero(labels >= 0)
        order = valid[np.argsort(labels[valid], kind="stable")]
        rank = np.full(len(labels), -1)
        rank[order] = np.arange(len(order))
        counts = np.bincount(labels[valid])
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        return cls(order, rank, starts[labels], np.where(labels >= 0, counts[labels], 0))

    @property
    def anchors(self) -> Indices:
        """Patents with a positive: single-patent classes serve as negatives only."""
        return np.flatnonzero(self.size > 1)


def plan(classes: Classes, seed: int, epoch: int, balance: float = 1.0) -> Indices:
    """Draw the triplets of an epoch: each possible anchor once, in random order.

    The positive is uniform over the anchor's class without the anchor itself, the negative uniform
    over all other classes' patents; no hard mining. ``balance`` is the exponent on the size of a
    class in the choice of anchors.

    >>> classes = Classes.of(np.array([0, 0, 1], dtype=np.int32))
    >>> sorted(plan(classes, seed=1, epoch=0).tolist())
    [[0, 1, 2], [1, 0, 2]]
    """
    draw = np.random.default_rng(np.random.SeedSequence([seed, epoch]))
    anchors = _ordered(draw, classes, classes.anchors, balance)
    start, size = classes.start[anchors], classes.size[anchors]
    near = start + draw.integers(0, size - 1)
    near += near >= classes.rank[anchors]  # step over the anchor itself
    far = draw.integers(0, len(classes.order) - size)
    far += np.where(far >= start, size, 0)  # step over the anchor's class
    return np.stack([anchors, classes.order[near], classes.order[far]], axis=1)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest patents of each patent, according to a teacher."""

    nearest: Indices
    """(P, m) nearest first; −1 throughout for a patent that the teacher does not know."""
    count: int
    """How many of them join an anchor."""

    def anchors(self, classes: Classes) -> Indices:
        """Patents that have neighbours, and a class to be balanced by."""
        return np.flatnonzero((self.nearest[:, 0] >= 0) & (classes.size > 0))

    def plan(self, classes: Classes, seed: int, epoch: int, balance: float = 1.0) -> Indices:
        """Draw the groups of an epoch: (anchors, 1 + count), an anchor before its neighbours.

        >>> classes = Classes.of(np.array([0, 0, 1], dtype=np.int32))
        >>> near = Neighbours(np.array([[1], [2], [-1]]), count=1)
        >>> sorted(near.plan(classes, seed=1, epoch=0).tolist())
        [[0, 1], [1, 2]]
        """
        draw = np.random.default_rng(np.random.SeedSequence([seed, epoch]))
        anchors = _ordered(draw, classes, self.anchors(classes), balance)
        chosen = draw.random((len(anchors), self.nearest.shape[1])).argsort(1)[:, : self.count]
        joined = self.nearest[anchors[:, None], chosen]
        return np.concatenate([anchors[:, None], joined], axis=1)


def _ordered(
    draw: np.random.Generator, classes: Classes, anchors: Indices, balance: float
) -> Indices:
    anchors = draw.permutation(anchors)
    if balance < 1:
        chance = classes.size[anchors] ** (balance - 1.0)
        anchors = draw.choice(anchors, len(anchors), p=chance / chance.sum())
    return anchors


def check_classes(labels: NDArray[np.int32], level: str) -> None:
    """Refuse a corpus from which no triplet can be drawn, before hours are spent."""
    counts = np.bincount(labels[labels >= 0])
    total = int(counts.sum())
    if total == 0:
        raise PhageError(
            f"no patent has an IPC {level}, so positives cannot be chosen",
            remedy="train on patents with IPC codes; `phage read` keeps them in the column ipc",
        )
    if np.count_nonzero(counts) < 2:
        raise PhageError(
            f"all {total:,} patents are in one IPC {level}, so there are no negatives",
            remedy='add patents of other fields, or set sampling.level = "main-group"',
        )
    if counts.max() < 2:
        raise PhageError(
            f"no two of the {total:,} patents share an IPC {level}, so there are no positives",
            remedy="add patents" + (", or a coarser sampling.level" * (level != "subclass")),
        )


@dataclass(frozen=True, slots=True)
class Dropped:
    """How many patents were left out before sampling, and why."""

    no_ipc: int = 0
    """Without a main IPC code."""
    no_claims: int = 0
    duplicates: int = 0
    """Same number, application, family or title and filing date as a patent already kept."""
    held_out: int = 0
    """Copies of patents of an evaluation set, as ``phage.claims.copies`` finds them."""


class Sieve:
    """Accepts patents for training: each invention once, none that is held out.

    >>> from phage.claims.types import Claim
    >>> claim = (Claim(1, "A pump."),)
    >>> sieve = Sieve()
    >>> sieve(Patent("US1A", claim, application="US7", ipc=("F04B 1/00",)))
    True
    >>> sieve(Patent("US1B", claim, application="US7", ipc=("F04B 1/00",)))
    False
    >>> sieve(Patent("US2A", claim, application="US8"))
    False
    >>> sieve.dropped
    Dropped(no_ipc=1, no_claims=0, duplicates=1, held_out=0)
    """

    def __init__(
        self,
        deduplicate: Sequence[str] = ("application", "family"),
        held_out: Copies | Iterable[Patent] = (),
        *,
        texts: bool = True,
    ) -> None:
        """Set what makes two patents the same, and which must not be used for training.

        Without ``texts`` only numbers and titles are compared with those held out.
        """
        self._names = ("number", *deduplicate)
        self._held = held_out if isinstance(held_out, Copies) else Copies(held_out, titles=True)
        self._texts = texts
        self.found: list[Finding] = []
        self._seen: set[tuple[str, str]] = set()
        self.dropped = Dropped()

    def __call__(self, patent: Patent) -> bool:
        """Decide on one patent, and count it if it is left out."""
        reason = self._reason(patent)
        if reason is None:
            self._seen.update(_keys(patent, self._names))
            return True
        self.dropped = replace(self.dropped, **{reason: getattr(self.dropped, reason) + 1})
        return False

    def _reason(self, patent: Patent) -> str | None:
        if not patent.subclass:
            return "no_ipc"
        if not any(claim.text.strip() for claim in patent.claims):
            return "no_claims"
        copy = next(self._held.find(patent, texts=self._texts), None)
        if copy:
            self.found.append(copy)
            return "held_out"
        return "duplicates" if self._seen.intersection(_keys(patent, self._names)) else None


def _keys(patent: Patent, names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, value) for name in names if (value := _key(patent, name))]


def _key(patent: Patent, name: str) -> str:
    if name == "title":  # an application and its grant, where no number joins them
        both = patent.title and patent.filing_date
        return f"{patent.title.casefold()} {patent.filing_date}" if both else ""
    return str(getattr(patent, "named_family" if name == "family" else name))
