"""Items as windows, and one pass over them.

In:   texts or patents, and a model as a function of token ids.
Out:  one vector per item; on request one per claim, from the same pass.
Why:  a whole patent is longer than a window. torch and onnxruntime read it in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.claims.text import Section
from phage.claims.types import Patent
from phage.claims.window import Ints, Tokens, cut, spread
from phage.encoder.batches import by_length, one_ahead, sentence_transformers_batches
from phage.encoder.inputs import Advance, item_passages
from phage.encoder.settings import EncoderSettings, Long
from phage.errors import chosen
from phage.vector_files import checked_vectors

CHUNK = 256
"""Patents tokenised at once where they are read whole: about half a million tokens."""

Parts = list[list[Tokens]]
"""The windows of an item: of a whole patent those of the front page and those of the claims."""
Vectors = NDArray[np.float32]
Forward = Callable[[list[Ints]], tuple[Tensor, Tensor]]
"""Token ids of a batch → token vectors (B, T, D), and the finished vectors of the windows (B, D)."""


@dataclass(frozen=True, slots=True)
class ClaimVectors:
    """The vector of a patent and one per claim, from the same pass."""

    numbers: tuple[int, ...]
    """Claim numbers; a plain text counts as one claim, number 0."""
    vectors: Vectors
    """(n, D), in the order of ``numbers``: the mean of each claim's tokens, in context."""
    patent: Vectors
    """(D,): what ``encode`` gives for the whole patent."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What of the items is read, and what happens beyond the window."""

    section: Section = Section.WHOLE
    long: Long = Long.MEAN
    claims: bool = False
    """Whether claims get vectors; a plain text then counts as one."""

    @classmethod
    def of(
        cls, settings: EncoderSettings, section: Section | str | None, long: Long | str | None
    ) -> Reads:
        """Take what is asked for; else what the folder says, and windows for whole patents."""
        part = settings.section if section is None else chosen(Section, section)
        natural = Long.MEAN if part is Section.WHOLE else Long.CUT
        return cls(part, natural if long is None else chosen(Long, long))


@dataclass(frozen=True, slots=True)
class Layout:
    """Tokenises items and divides them into windows."""

    tokenizer: Any
    settings: EncoderSettings
    reads: Reads

    def __call__(self, items: Sequence[Any]) -> list[Parts]:
        """Return the windows of each item."""
        said, reads = self.settings, self.reads
        texts = [
            item_passages(item, reads.section, said.prompt, as_claim=reads.claims) for item in items
        ]
        flat = [passage for passages in texts for passage in passages]
        if reads.long is Long.CUT:
            made = iter([[one] for one in cut(flat, self.tokenizer, said.window, said.fit)])
        else:
            made = iter(spread(flat, self.tokenizer, said.window))
        return [[next(made) for _ in passages] for passages in texts]


def read_items(
    items: Iterable[Any], layout: Layout, run: Callable[[list[Parts], list[int]], Passed], name: str
) -> Iterator[ClaimVectors]:
    """Read a stream of items chunk by chunk; the next one is tokenised meanwhile."""
    stream = iter(items)
    chunks: Iterator[list[Any]] = iter(lambda: list(islice(stream, CHUNK)), [])
    for given, laid in one_ahead(chunks, layout):
        patents = [isinstance(item, Patent) for item in given]
        numbers = [
            tuple(claim.number for claim in item.claims) if patent else (0,)
            for item, patent in zip(given, patents, strict=True)
        ]
        passed = run(laid, [len(each) for each in numbers])
        names = [i.number if patent else "a text" for i, patent in zip(given, patents, strict=True)]
        checked_vectors(passed.vectors, names, name)
        for each, vectors, own in zip(numbers, passed.claims, passed.vectors, strict=True):
            yield ClaimVectors(each, vectors, own)


@dataclass(frozen=True, slots=True)
class Passed:
    """What one pass gave."""

    vectors: Vectors
    """(items, D)."""
    claims: list[Vectors]
    """(n, D) of each item; empty where none were asked for."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of a model over the windows of items."""

    forward: Forward
    normalise: bool
    budget: int
    """Tokens per batch."""
    exact: bool = False
    """Batch single windows as sentence-transformers does."""
    advance: Advance | None = None

    def __call__(self, items: list[Parts], claims: Sequence[int] = ()) -> Passed:
        """Run the windows; ``claims`` counts those of each item, where they get vectors."""
        return self.begin(items, claims)()

    def begin(self, items: list[Parts], claims: Sequence[int] = ()) -> Callable[[], Passed]:
        """Start a run; what it gives waits for it. A GPU meanwhile takes the next one."""
        windows = [tokens for parts in items for part in parts for tokens in part]
        owners = np.repeat(np.arange(len(items)), [sum(map(len, parts)) for parts in items])
        left = np.bincount(owners, minlength=len(items))
        pending: list[tuple[list[int], Tensor, Tensor]] = []
        for rows in self._batches(windows, left[owners]):
            group = [windows[row] for row in rows]
            hidden, pooled = self.forward([tokens.ids for tokens in group])
            summed = claim_sums(group, hidden) if claims else pooled[:0]
            pending.append((rows, _sent(pooled), _sent(summed)))
            if self.advance:
                np.subtract.at(left, owners[rows], 1)
                self.advance(int((left[np.unique(owners[rows])] == 0).sum()))
        done: Any = torch.cuda.current_stream().record_event() if pooled.is_cuda else None

        def read() -> Passed:
            if done is not None:
                done.synchronize()
            return self._read(items, claims, windows, pending)

        return read

    def _read(
        self,
        items: list[Parts],
        claims: Sequence[int],
        windows: list[Tokens],
        pending: list[tuple[list[int], Tensor, Tensor]],
    ) -> Passed:
        """Put what the batches gave in its place."""
        owners = np.repeat(np.arange(len(items)), [sum(map(len, parts)) for parts in items])
        width = pending[0][1].shape[1]
        vectors: Vectors = np.empty((len(windows), width), dtype=np.float32)
        sums = [np.zeros((n, width), dtype=np.float32) for n in claims]
        for rows, pooled, summed in pending:
            vectors[rows] = pooled.numpy()
            found = summed.numpy()
            for place, row in enumerate(rows if claims else ()):
                first, count = _span(windows[row])
                sums[owners[row]][first : first + count] += found[place, :count]
        own = self._joined(items, vectors)
        made = [self._claims(items[row], each, own[row]) for row, each in enumerate(sums)]
        return Passed(own, made)

    def _batches(self, windows: list[Tokens], siblings: NDArray[np.int64]) -> Iterator[list[int]]:
        rest = np.arange(len(windows))
        if self.exact:
            yield from sentence_transformers_batches(np.flatnonzero(siblings == 1).tolist())
            rest = np.flatnonzero(siblings > 1)
        for rows in by_length([len(windows[row]) for row in rest], self.budget):
            yield rest[rows].tolist()

    def _joined(self, items: list[Parts], vectors: Vectors) -> Vectors:
        """Average windows within a part, then the parts; a single window is taken as it is."""
        made: Vectors = np.empty((len(items), vectors.shape[1]), dtype=np.float32)
        at = 0
        for row, parts in enumerate(items):
            each = []
            for part in parts:
                each.append(self._mean(vectors[at : at + len(part)]))
                at += len(part)
            made[row] = self._mean(each)
        return made

    def _mean(self, vectors: Sequence[Vectors] | Vectors) -> Vectors:
        if len(vectors) == 1:
            return vectors[0]
        return self._unit(np.mean(vectors, axis=0))

    def _unit(self, vectors: Vectors) -> Vectors:
        if not self.normalise:
            return vectors
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        unit: Vectors = vectors / np.maximum(lengths, 1e-12)
        return unit

    def _claims(self, parts: Parts, sums: Vectors, own: Vectors) -> Vectors:
        """Turn sums into means; what has no token, an empty text, takes the item's vector."""
        inside = np.concatenate([_inside(tokens) for part in parts for tokens in part])
        counts = np.bincount(inside, minlength=len(sums))[:, None]
        return self._unit(np.where(counts, sums / np.maximum(counts, 1), own).astype(np.float32))


def _sent(part: Tensor) -> Tensor:
    """Start the way to the CPU; on a GPU it is not waited for."""
    return part.to("cpu", non_blocking=part.is_cuda)  # others do not say when it has arrived


@torch.inference_mode()
def claim_sums(group: Sequence[Tokens], hidden: Tensor) -> Tensor:
    """Sum the token vectors (B, T, D) of every claim in each window: (B, k, D), its first one first.

    As a matrix product, which gives the same bits on every run, on a GPU too.
    """
    spans = [_span(tokens) for tokens in group]
    weights = np.zeros((len(group), max(k for _, k in spans), hidden.shape[1]), dtype=np.float32)
    for row, (tokens, (first, _)) in enumerate(zip(group, spans, strict=True)):
        (at,) = np.nonzero(tokens.claims[:-1] >= 0)
        weights[row, tokens.claims[at] - first, at] = 1
    return torch.from_numpy(weights).to(hidden.device) @ hidden.float()


def _inside(tokens: Tokens) -> Ints:
    """Return the claims of the tokens that are in one; [SEP] is not."""
    owners = tokens.claims[:-1]
    return owners[owners >= 0]


def _span(tokens: Tokens) -> tuple[int, int]:
    """Return the first claim of a window and how many there are."""
    inside = _inside(tokens)
    return (int(inside[0]), int(inside[-1] - inside[0]) + 1) if len(inside) else (0, 0)
