"""Vectors of a larger model, to learn neighbours from.

In:   Parquet with the columns ``number`` and ``vector``, as ``phage encode`` writes; a training set.
Out:  one row per training patent, and which patents the file contains.
Why:  a large model that cannot be shipped, or that runs elsewhere, can still teach a small one
      which patents are similar. Its width does not matter. Beyond the paper."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.errors import PhageError
from phage.storage import readable, sha256
from phage.training.data import TrainingSet
from phage.vector_files import read_shards, shard_files

KEY = "loss.teacher"
MAKE = "phage encode MODEL PATENTS -o FOLDER"
POOL = 24
"""Nearest patents, some of which join an anchor."""
_BLOCK = 1_024
"""Patents compared with all others at once."""


def teacher_files(path: Path | str) -> list[Path]:
    """Find the files of a teacher: one, or those of a folder that ``phage encode`` wrote."""
    place = Path(path).expanduser()
    with readable(f"{KEY} = {path}", f"write them again: {MAKE}"):
        files = shard_files(place) if place.is_dir() else [place]
    if not files or not files[0].is_file():
        raise PhageError(
            "this folder has no teacher vectors",
            place=f"{KEY} = {path}",
            remedy=f"{MAKE} writes them",
        )
    return files


def teacher_digest(path: Path | str) -> str:
    """Hash the vectors: a resumed run must learn from the same teacher."""
    hashes = "\n".join(sha256(file) for file in teacher_files(path))
    return hashlib.sha256(hashes.encode()).hexdigest()


def teacher_vectors(path: Path | str, data: TrainingSet) -> tuple[Tensor, Tensor]:
    """Return (patents, D′) vectors, zero for unknown patents, and (patents,) which are known.

    They are scaled to a mean square length of 1: products are cosines if all are equally long.
    """
    with readable(f"{KEY} = {path}"):
        numbers, vectors = read_shards(teacher_files(path))
    place = {number: row for row, number in enumerate(numbers)}
    rows = np.array([place.get(number, -1) for number in data.numbers])
    known = rows >= 0
    if not known.any():
        raise PhageError(
            f"the teacher has no vector for any of the {len(data):,} training patents",
            place=f"{KEY} = {path}",
            remedy=f"encode the training patents themselves: {MAKE}",
        )
    found = np.where(known[:, None], vectors[rows], 0.0).astype(np.float32)
    if not np.isfinite(found).all():
        raise PhageError("the teacher has vectors that are not finite", place=f"{KEY} = {path}")
    length = np.sqrt(np.square(found[known], dtype=np.float64).sum(1).mean())
    return torch.from_numpy(found / np.float32(max(length, 1e-9))), torch.from_numpy(known)


def nearest(vectors: Tensor, known: Tensor, count: int) -> NDArray[np.int64]:
    """Return the 24 known patents with the highest product for each known patent, nearest first.

    (P, D′), (P,) → (P, 24), or fewer columns if fewer patents are known; −1 for an unknown patent.
    At least ``count`` are needed.

    >>> rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1], [5.0, 5.0]])
    >>> nearest(rows, torch.tensor([True, True, True, False]), 1).tolist()
    [[2, 1], [2, 0], [0, 1], [-1, -1]]
    """
    members = known.nonzero().squeeze(1)
    few = min(POOL, len(members) - 1)
    if few < count:
        raise PhageError(
            f"the teacher knows {len(members):,} training patents, too few for {count} neighbours",
            place=f"sampling.nearest = {count}",
            remedy="lower sampling.nearest, or encode all training patents",
        )
    some = vectors[members].float()
    found = np.full((len(known), few), -1)
    rows = members.cpu().numpy()
    for at in range(0, len(rows), _BLOCK):
        near = some[at : at + _BLOCK] @ some.T
        own = torch.arange(len(near), device=near.device)
        near[own, own + at] = -torch.inf
        found[rows[at : at + _BLOCK]] = rows[near.topk(few).indices.cpu().numpy()]
    return found
