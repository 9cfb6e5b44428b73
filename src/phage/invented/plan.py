"""The skeleton of a claim set: who leans on whom.

In:   a random source, the drafter's voice, how many claims.
Out:  one Slot per claim: parents, category, its way of referring.
Why:  chains, stars, several trees and cross references are decided before any word is written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from random import Random


class Category(Enum):
    """What kind of thing a tree claims."""

    PRODUCT = "product"
    METHOD = "method"
    HOST = "host"
    """A larger thing with the product of an earlier claim: cross-category."""
    USE = "use"
    """A method of operating the product of an earlier claim: cross-category."""
    MEANS = "means"
    """An apparatus, or a storage medium, for the method of an earlier claim: cross-category."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One claim to be written."""

    number: int
    root: int
    """Number of the first claim of its tree."""
    category: Category
    parents: tuple[int, ...] = ()
    reference: str = ""
    """The words of the reference: ``claim 1 or 2``."""

    @property
    def kind(self) -> str | None:
        """What the reference means in law."""
        if not self.parents:
            return None
        if self.number == self.root:
            return "cross-category"
        return "alternative" if len(self.parents) > 1 else "dependent"


def plan(rng: Random, european: bool, size: int | None = None) -> tuple[Slot, ...]:
    """Lay out a claim set."""
    size = size or _size(rng)
    slots: list[Slot] = []
    for place, length in enumerate(_tree_lengths(rng, size)):
        root = _root(rng, slots, len(slots) + 1, first=place == 0)
        slots.append(root)
        habit = rng.choices(("star", "chain", "mixed"), (3, 2, 5))[0]
        for _ in range(length - 1):
            slots.append(_dependent(rng, slots, root, habit, european))
    return tuple(slots)


def _size(rng: Random) -> int:
    """Near the paper's corpus: mean 16.85 claims, median 18, a few with one, a few with many."""
    if rng.random() < 0.02:
        return 1
    if rng.random() < 0.25:
        return 20  # the number up to which the US office charges no more
    return min(70, max(2, round(rng.lognormvariate(2.6, 0.5))))


def _tree_lengths(rng: Random, size: int) -> list[int]:
    trees = 1 if size < 5 else rng.choices((1, 2, 3, 4), (30, 36, 24, 10))[0]
    trees = min(trees, size // 2) or 1
    cuts = sorted(rng.sample(range(2, size), trees - 1)) if trees > 1 else []
    edges = [0, *cuts, size]
    return sorted((b - a for a, b in pairwise(edges)), reverse=True)


def _root(rng: Random, slots: list[Slot], number: int, first: bool) -> Slot:
    if first:
        category = Category.METHOD if rng.random() < 0.25 else Category.PRODUCT
        return Slot(number, number, category)
    roots = [slot for slot in slots if slot.number == slot.root]
    plain = [slot for slot in roots if not slot.parents]
    if rng.random() < 0.3:
        target = rng.choice(plain)
        product = target.category is Category.PRODUCT
        kinds = (Category.HOST, Category.USE) if product else (Category.MEANS,)
        reference = f"claim {target.number}"
        return Slot(number, number, rng.choice(kinds), (target.number,), reference)
    taken = {slot.category for slot in plain}
    fresh = [c for c in (Category.METHOD, Category.PRODUCT) if c not in taken]
    return Slot(number, number, rng.choice(fresh or [Category.METHOD, Category.PRODUCT]))


def _dependent(rng: Random, slots: list[Slot], root: Slot, habit: str, european: bool) -> Slot:
    number = len(slots) + 1
    tree = [slot.number for slot in slots if slot.root == root.number]
    several = len(tree) > 1 and rng.random() < (0.25 if european else 0.03)
    if several:
        parents, words = _several(rng, tree, root.number)
        return Slot(number, root.number, root.category, parents, words)
    luck = rng.random()
    near = {"star": 0.12, "chain": 0.85, "mixed": 0.4}[habit]
    parent = tree[-1] if luck < near else root.number if luck < 0.9 else rng.choice(tree)
    return Slot(number, root.number, root.category, (parent,), f"claim {parent}")


def _several(rng: Random, tree: list[int], root: int) -> tuple[tuple[int, ...], str]:
    """Refer to several claims of the tree, in the alternative."""
    start, end = tree[0], tree[-1]
    luck = rng.random()
    if luck < 0.12 and root == 1:
        words = (
            "any preceding claim",
            "any one of the preceding claims",
            "any of the foregoing claims",
        )
        return tuple(tree), rng.choice(words)
    if luck < 0.5 and len(tree) > 2:
        low = rng.randint(max(start, end - 6), end - 2)
        word = rng.choice((f"{low} to {end}", f"{low} through {end}", f"{low}-{end}"))
        return tuple(
            range(low, end + 1)
        ), f"{rng.choice(('any one of claims', 'any of claims'))} {word}"
    if luck < 0.65 and len(tree) > 3:
        a, b, c = sorted(rng.sample(tree, 3))
        return (a, b, c), rng.choice(
            (f"any one of claims {a}, {b} and {c}", f"claim {a}, {b} or {c}")
        )
    a, b = sorted(rng.sample(tree, 2))
    return (a, b), rng.choice(
        (f"claim {a} or {b}", f"claim {a} or claim {b}", f"either claim {a} or claim {b}")
    )
