"""The training set: patents as token ids and edges, in a few flat arrays.

In:   patents, their claim graphs and a projector.
Out:  TrainingSet: saved as one safetensors file, read back without any reader, parser or tokenizer.
Why:  patents are tokenised and projected once, not once per epoch, which keeps the GPU busy. Only
      this one small file must be copied to the machine that trains."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.projection import Kept, Projection
from phage.storage import atomic

FORMAT = "phage-training-set-2"
_ARRAYS = ("ids", "tokens", "claim_tokens", "claims", "edges", "ends", "titles", "numbers", "codes")


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """P patents; the parts of patent i lie between entries i and i + 1 of the offset arrays."""

    ids: NDArray[Any]
    """Token ids of all patents in a row: [CLS] claims [SEP]; uint16 where the vocabulary allows."""
    tokens: NDArray[np.int64]
    """(P + 1,) offsets into ``ids``."""
    claim_tokens: NDArray[np.uint16]
    """Tokens of each kept claim, the last one's [SEP] included."""
    claims: NDArray[np.int64]
    """(P + 1,) offsets into ``claim_tokens``."""
    edges: NDArray[np.uint16]
    """(E, 3): target, source (indices of kept claims), relation 1 to 4."""
    ends: NDArray[np.int64]
    """(P + 1,) offsets into ``edges``."""
    titles: NDArray[np.uint16]
    """(P,) tokens of each title; the abstract follows, then the claims. 0 if only claims are
    read."""
    numbers: tuple[str, ...]
    """Publication numbers."""
    codes: tuple[str, ...]
    """Main IPC codes."""
    origin: dict[str, Any] = field(default_factory=dict)
    """How it was made: ``settings``, which must match the recipe, and facts about the data."""

    def __len__(self) -> int:
        """Count the patents."""
        return len(self.numbers)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(P,) tokens per patent."""
        return np.diff(self.tokens)

    def projection(self, index: int, relations: frozenset[int]) -> Projection:
        """Return one patent as attention reads it, with the edges of the given relations."""
        counts = self.claim_tokens[self.claims[index] : self.claims[index + 1]].astype(np.int64)
        table = np.zeros((len(counts), len(counts)), dtype=np.int8)
        if relations:
            edges = self.edges[self.ends[index] : self.ends[index + 1]]
            target, source, code = edges[np.isin(edges[:, 2], list(relations))].T
            table[target, source] = code
        kept = int(np.count_nonzero(table))
        length = int(self.tokens[index + 1] - self.tokens[index])
        head = length - int(counts.sum())  # [CLS], perhaps title and abstract
        return Projection(
            patent=self.numbers[index],
            ids=self.ids[self.tokens[index] : self.tokens[index + 1]].astype(np.int32),
            claims=np.repeat(np.arange(-1, len(counts), dtype=np.int32), [head, *counts]),
            numbers=tuple(range(1, len(counts) + 1)),
            relations=table,
            kept=Kept(len(counts), len(counts), kept, kept, int(kept == 0)),
        )

    def take(self, indices: Sequence[int] | NDArray[np.int64]) -> TrainingSet:
        """Select patents, in the given order."""
        chosen = np.asarray(indices, dtype=np.int64)
        return TrainingSet(
            *_cut(self.ids, self.tokens, chosen),
            *_cut(self.claim_tokens, self.claims, chosen),
            *_cut(self.edges, self.ends, chosen),
            self.titles[chosen],
            tuple(self.numbers[i] for i in chosen),
            tuple(self.codes[i] for i in chosen),
            self.origin,
        )

    @classmethod
    def join(cls, sets: Sequence[TrainingSet]) -> TrainingSet:
        """Concatenate sets that were made with the same settings."""
        if any(one.origin["settings"] != sets[0].origin["settings"] for one in sets):
            raise PhageError("training sets made with different settings cannot be joined")
        pairs = (("ids", "tokens"), ("claim_tokens", "claims"), ("edges", "ends"))
        flat = {name: np.concatenate([getattr(s, name) for s in sets]) for name, _ in pairs}
        for _, name in pairs:
            steps = np.concatenate([np.diff(getattr(one, name)) for one in sets])
            flat[name] = np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)
        return cls(
            **flat,
            titles=np.concatenate([one.titles for one in sets]),
            numbers=tuple(number for one in sets for number in one.numbers),
            codes=tuple(code for one in sets for code in one.codes),
            origin={**sets[0].origin, "joined": [one.origin for one in sets]},
        )

    def digest(self) -> str:
        """Hash the contents: two runs on the same digest saw the same data."""
        whole = hashlib.sha256()
        for array in (getattr(self, name) for name in _ARRAYS[:-2]):
            whole.update(np.ascontiguousarray(array).tobytes())
        whole.update("\n".join((*self.numbers, *self.codes)).encode())
        return whole.hexdigest()

    def save(self, path: Path | str) -> None:
        """Write it as one file, atomically."""
        from safetensors.numpy import save_file

        arrays = {name: getattr(self, name) for name in _ARRAYS[:-2]}
        arrays["numbers"], arrays["codes"] = _packed(self.numbers), _packed(self.codes)
        arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        with atomic(path) as partial:
            about = {"format": FORMAT, "origin": json.dumps(self.origin), "digest": self.digest()}
            save_file(arrays, partial, about)

    @classmethod
    def load(cls, path: Path | str) -> TrainingSet:
        """Read it back."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as stored:
                about = stored.metadata() or {}
                if about.get("format") != FORMAT:
                    raise PhageError(
                        "this is not a training set of this version",
                        place=str(path), remedy="delete it; phage train prepares it again",
                    )  # fmt: skip
                arrays = {name: stored.get_tensor(name) for name in _ARRAYS}
            numbers, codes = (_unpacked(arrays.pop(name)) for name in ("numbers", "codes"))
            found = cls(**arrays, numbers=numbers, codes=codes, origin=json.loads(about["origin"]))
            if about["digest"] != found.digest():
                raise ValueError("its contents have changed since it was saved")
        except FileNotFoundError:
            raise PhageError("this prepared training set does not exist", place=str(path)) from None
        except (SafetensorError, ValueError, LookupError, TypeError) as error:
            raise PhageError(
                f"this prepared training set is damaged: {error}",
                place=str(path), remedy="delete it; phage train prepares it again",
            ) from None  # fmt: skip
        return found


class Builder:
    """Collects projections into flat arrays, patent by patent."""

    def __init__(self) -> None:
        """Start empty."""
        self._ids: list[NDArray[np.int32]] = []
        self._claims: list[NDArray[np.int64]] = []
        self._edges: list[NDArray[np.uint16]] = []
        self._titles: list[int] = []
        self._numbers: list[str] = []
        self._codes: list[str] = []
        self.kept = Kept()

    def add(self, projection: Projection, code: str, title: int = 0) -> None:
        """Append one patent, its main IPC code and the number of its title's tokens."""
        self._ids.append(projection.ids)
        owners = projection.claims[projection.claims >= 0]
        self._claims.append(np.bincount(owners, minlength=len(projection.numbers)))
        target, source = np.nonzero(projection.relations)
        relation = projection.relations[target, source]
        self._edges.append(np.stack([target, source, relation], axis=1).astype(np.uint16))
        self._titles.append(title)
        self._numbers.append(projection.patent)
        self._codes.append(code)
        self.kept = self.kept + projection.kept

    def finish(self, origin: dict[str, Any]) -> TrainingSet:
        """Join the collected parts; ids shrink to 16 bits if they fit."""
        ids = np.concatenate([np.empty(0, np.int32), *self._ids])
        small = ids.size == 0 or int(ids.max()) < 2**16
        return TrainingSet(
            ids.astype(np.uint16 if small else np.uint32),
            _offsets(self._ids),
            np.concatenate([np.empty(0, np.int64), *self._claims]).astype(np.uint16),
            _offsets(self._claims),
            np.concatenate([np.empty((0, 3), np.uint16), *self._edges]),
            _offsets(self._edges),
            np.array(self._titles, dtype=np.uint16),
            tuple(self._numbers),
            tuple(self._codes),
            {**origin, "kept": asdict(self.kept)},
        )


def _offsets(parts: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _cut(
    flat: NDArray[Any], offsets: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    parts = [flat[offsets[i] : offsets[i + 1]] for i in chosen]
    return np.concatenate([flat[:0], *parts]), _offsets(parts)


def _packed(names: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(list(names)).encode(), dtype=np.uint8)


def _unpacked(array: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(json.loads(array.tobytes()))
