"""Vectors of a larger model, to learn neighbours from.

In:   Parquet with the columns ``number`` and ``vector``, as ``phage encode`` writes; a training set.
Out:  one row per training patent, and which patents the file knows.
Why:  a large model that cannot be shipped, or runs elsewhere, can still teach a small one which
      patents are near each other; its width does not matter. Beyond the paper."""

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
_BLOCK = 1_024
"""Patents compared with their class at once."""


def teacher_files(path: Path | str) -> list[Path]:
    """Find the files of a teacher: one, or those of a folder that ``phage encode`` wrote."""
    place = Path(path).expanduser()
    with readable(f"{KEY} = {path}", "write them again: phage encode MODEL PATENTS -o FOLDER"):
        files = shard_files(place) if place.is_dir() else [place]
    if not files or not files[0].is_file():
        raise PhageError(
            "there are no vectors of a teacher here",
            place=f"{KEY} = {path}",
            remedy="phage encode MODEL PATENTS -o FOLDER writes them",
        )
    return files


def teacher_digest(path: Path | str) -> str:
    """Hash the vectors: a resumed run must hear the same teacher."""
    told = "\n".join(sha256(file) for file in teacher_files(path))
    return hashlib.sha256(told.encode()).hexdigest()


def teacher_vectors(path: Path | str, data: TrainingSet) -> tuple[Tensor, Tensor]:
    """Give (patents, D′) vectors, zero where the file has none, and (patents,) where it has one."""
    with readable(f"{KEY} = {path}"):
        numbers, vectors = read_shards(teacher_files(path))
    place = {number: row for row, number in enumerate(numbers)}
    rows = np.array([place.get(number, -1) for number in data.numbers])
    known = rows >= 0
    if not known.any():
        raise PhageError(
            f"the teacher knows none of the {len(data):,} training patents",
            place=f"{KEY} = {path}",
            remedy="encode the training patents themselves: phage encode MODEL PATENTS -o FOLDER",
        )
    found = np.where(known[:, None], vectors[rows], 0.0).astype(np.float32)
    if not np.isfinite(found).all():
        raise PhageError("the teacher has vectors that are not finite", place=f"{KEY} = {path}")
    return torch.from_numpy(found), torch.from_numpy(known)


def nearest(
    vectors: Tensor, known: Tensor, labels: NDArray[np.int32], count: int
) -> NDArray[np.int64]:
    """Give each known patent the ``count`` known ones of its class with the highest cosine.

    (P, D′), (P,), (P,) → (P, count), −1 where a class has fewer, or a patent has none.

    >>> rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1], [1.0, 0.0]])
    >>> nearest(rows, torch.tensor([True] * 4), np.array([0, 0, 0, 1]), 1).tolist()
    [[2], [2], [0], [-1]]
    """
    unit = torch.nn.functional.normalize(vectors.float(), dim=1)
    found = np.full((len(labels), count), -1)
    taught = np.flatnonzero(known.numpy() & (labels >= 0))
    order = taught[np.argsort(labels[taught], kind="stable")]
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        own = unit[members]
        few = min(count, len(members) - 1)
        for at in range(0, len(members) if few > 0 else 0, _BLOCK):
            near = own[at : at + _BLOCK] @ own.T
            near[torch.arange(len(near)), torch.arange(at, at + len(near))] = -torch.inf
            found[members[at : at + _BLOCK], :few] = members[near.topk(few).indices.numpy()]
    return found
