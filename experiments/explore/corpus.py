# ruff: noqa
# mypy: ignore-errors
"""The prepared documents on the device, and the pieces of them that are read.

A reading is up to four spans of tokens per sequence (prefix, title, abstract, claims)."""

import lzma
from pathlib import Path

import numpy as np
import torch

CLS, SEP = 2, 3  # replaced from vocab.txt
WINDOW = 512


def unxz(path: Path):
    with lzma.open(path, "rb") as source:
        return np.load(source)


class Corpus:
    def __init__(self, folder: Path, device: str) -> None:
        meta = np.load(folder / "meta.npz")
        self.meta = {k: meta[k] for k in meta.files}
        words = (folder / "vocab.txt").read_text().split("\n")
        self.cls, self.sep = words.index("[CLS]"), words.index("[SEP]")
        prefix = np.array([words.index("query"), words.index(":")], np.uint16)
        parts = [unxz(folder / f"tokens-{n}.npy.xz") for n in ("week", "indian", "a61b5")]
        told = unxz(folder / "descriptions.npy.xz")
        ids = np.concatenate([*parts, told, prefix])
        self.size = sum(map(len, parts))
        self.prefix = (len(ids) - 2, 2)
        self.ids = torch.from_numpy(ids.astype(np.int32)).to(device)
        self.device = device
        letters = [any(c.isalpha() for c in w) and not any(c.isdigit() for c in w) for w in words]
        self.letters = torch.tensor(letters, device=device)  # no number of a cited patent
        self.corpus, self.side = self.meta["corpus"], self.meta["side"]
        counts = self.meta["counts"].astype(np.int64)
        lengths = self.meta["lengths"].astype(np.int64)
        self.part_ends = np.concatenate([[0], np.cumsum(lengths)])  # of parts, in tokens
        self.first = np.concatenate([[0], np.cumsum(counts)])  # first part of each document
        self.claims = counts - 2
        self.title = self.part_ends[self.first[:-1]]
        self.abstract = self.part_ends[self.first[:-1] + 1]
        self.claim = self.part_ends[self.first[:-1] + 2]
        self.end = self.part_ends[self.first[1:]]
        self.told = {
            int(row): (self.size + at, int(n))
            for row, n, at in zip(
                self.meta["told_rows"], self.meta["told"],
                np.concatenate([[0], np.cumsum(self.meta["told"].astype(np.int64))[:-1]]), strict=True,
            )
        }  # fmt: skip
        self.told_at = np.full(len(counts), -1, np.int64)
        self.told_n = np.zeros(len(counts), np.int64)
        for row, (at, n) in self.told.items():
            self.told_at[row], self.told_n[row] = at, n

    def batch(self, starts, lengths):
        """(B, 4) spans → ids, sequence, position, ends, longest; all on the device."""
        total = lengths.sum(1) + 2
        ends = np.concatenate([[0], np.cumsum(total)])
        d = self.device
        s, n = torch.from_numpy(starts).to(d), torch.from_numpy(lengths).to(d)
        e = torch.from_numpy(ends).to(d)
        count = torch.from_numpy(total).to(d)
        seq = torch.repeat_interleave(
            torch.arange(len(total), device=d), count, output_size=int(ends[-1])
        )
        pos = torch.arange(int(ends[-1]), device=d) - e[seq]
        at, left = torch.zeros_like(pos), pos - 1
        for k in range(starts.shape[1]):
            inside = (left >= 0) & (left < n[seq, k])
            at = torch.where(inside, s[seq, k] + left, at)
            left = left - n[seq, k]
        ids = self.ids[at].long()
        ids = torch.where(pos == 0, self.cls, ids)
        ids = torch.where(pos == count[seq] - 1, self.sep, ids)
        return ids, seq, pos, e.to(torch.int32), int(total.max())

    def spans(self, rows, prefix: bool = False):
        starts = np.zeros((len(rows), 4), np.int64)
        lengths = np.zeros((len(rows), 4), np.int64)
        if prefix:
            starts[:, 0], lengths[:, 0] = self.prefix
        return starts, lengths

    def reading(self, rows, kind: str, window: int = WINDOW, prefix: bool = False):
        """Spans of a way to read documents: ta, c (first claims) or tac."""
        starts, lengths = self.spans(rows, prefix)
        left = np.full(len(rows), window - 2) - lengths[:, 0]
        parts = {"ta": "ta", "c": "c", "tac": "tac"}[kind]
        for k, (letter, a, b) in enumerate(
            (
                ("t", self.title, self.abstract),
                ("a", self.abstract, self.claim),
                ("c", self.claim, self.end),
            ),
            1,
        ):
            if letter in parts:
                starts[:, k] = a[rows]
                lengths[:, k] = np.minimum(b[rows] - a[rows], left)
                left = left - lengths[:, k]
        return starts, lengths

    def windows(self, rows, window: int = WINDOW, prefix: bool = False):
        """All claims of documents in windows of nearly equal length; also whose each one is."""
        inner = window - 2 - 2 * prefix
        total = self.end[rows] - self.claim[rows]
        count = np.maximum(1, -(-total // inner))
        owner = np.repeat(np.arange(len(rows)), count)
        nth = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        step = -(-total // count)
        starts, lengths = self.spans(owner, prefix)
        starts[:, 3] = self.claim[rows][owner] + nth * step[owner]
        lengths[:, 3] = np.minimum(step[owner], self.end[rows][owner] - starts[:, 3]).clip(0)
        return starts, lengths, owner


@torch.inference_mode()
def encode(model, corpus: Corpus, starts, lengths, budget: int = 200_000):
    """Encode sequences, those of like length together; (B, D) float32 on the device."""
    order = np.argsort(-lengths.sum(1), kind="stable")
    total = lengths.sum(1)[order] + 2
    cuts = np.flatnonzero(np.diff(np.cumsum(total) // budget)) + 1
    out = None
    for rows in np.split(order, cuts):
        if hasattr(model, "padded"):
            made = padded(model, corpus, starts[rows], lengths[rows])
        else:
            made = model(*corpus.batch(starts[rows], lengths[rows]))
        if out is None:
            out = torch.zeros(len(starts), made.shape[1], device=made.device)
        out[torch.from_numpy(rows).to(made.device)] = made
    return out


def padded(model, corpus, starts, lengths):
    ids, seq, pos, ends, longest = corpus.batch(starts, lengths)
    rows = torch.zeros(len(starts), longest, dtype=torch.long, device=ids.device)
    mask = torch.zeros(len(starts), longest, dtype=torch.bool, device=ids.device)
    rows[seq, pos], mask[seq, pos] = ids, True
    return model.padded(rows, mask)


def read(model, corpus: Corpus, rows, kinds, prefix: bool = False) -> dict:
    """Vectors of documents in several ways of reading: tac, c, ta, and whole = ta + windows."""
    out = {}
    for kind in kinds:
        if kind != "whole":
            out[kind] = encode(model, corpus, *corpus.reading(rows, kind, prefix=prefix))
    if "whole" in kinds:
        ta = out.get("ta")
        if ta is None:
            ta = encode(model, corpus, *corpus.reading(rows, "ta", prefix=prefix))
        starts, lengths, owner = corpus.windows(rows, prefix=prefix)
        each = encode(model, corpus, starts, lengths)
        own = torch.from_numpy(owner).to(each.device)
        sums = torch.zeros_like(ta).index_add(0, own, each)
        mean = torch.nn.functional.normalize(sums, dim=1)
        out["whole"] = torch.nn.functional.normalize(ta + mean, dim=1)
        if "tac" in out:
            out["tac+w"] = torch.nn.functional.normalize(out["tac"] + 0.5 * ta + 0.5 * mean, dim=1)
    return out
