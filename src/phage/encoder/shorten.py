"""Shorter vectors, for larger corpora.

In:   vectors (n, D), a smaller width d, and, for the better way, vectors of a corpus to fit on.
Out:  vectors (n, d) of unit length; a fitted ``Principal`` as a safetensors file.
Why:  memory and search time go with the width. Cutting needs nothing; principal axes keep more of
      what tells patents apart (docs/log.md has the loss of both)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.storage import atomic

Vectors = NDArray[np.float32]


def truncate(vectors: Vectors, width: int) -> Vectors:
    """Keep the first components, at unit length again.

    >>> truncate(np.float32([[3, 4, 12]]), 2).round(3).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    check_width(width, vectors.shape[1])
    return _unit(vectors[:, :width])


@dataclass(frozen=True, eq=False)
class Principal:
    """The axes along which a corpus of vectors spreads most."""

    mean: Vectors
    """(D,)"""
    axes: Vectors
    """(d, D), orthonormal, the widest spread first."""
    kept: float
    """Share of the corpus's variance along these axes."""
    model: str = ""
    """Whose vectors they were."""

    @classmethod
    def fit(cls, vectors: Vectors, width: int, model: str = "") -> Principal:
        """Find the axes of a corpus.

        >>> corpus = np.float32([[1, 2, 0], [1, -2, 0], [1, 0, 1], [1, 0, -1]])
        >>> found = Principal.fit(corpus, 1)
        >>> found.axes.tolist(), round(found.kept, 3)
        ([[0.0, 1.0, 0.0]], 0.8)
        """
        check_width(width, vectors.shape[1])
        if len(vectors) <= width:
            raise PhageError(
                f"{len(vectors)} vectors are too few for {width} axes", remedy="fit on more patents"
            )
        mean = vectors.mean(axis=0, dtype=np.float64)
        spread = np.zeros((len(mean), len(mean)))
        for start in range(0, len(vectors), 65_536):  # float64 of a part, not of the corpus
            part = vectors[start : start + 65_536] - mean
            spread += part.T @ part
        values, columns = np.linalg.eigh(spread)  # ascending
        axes = columns[:, ::-1][:, :width].T
        # an axis has no sign of its own; the largest component is made positive
        axes = axes * np.sign(axes[np.arange(width), np.abs(axes).argmax(axis=1)])[:, None]
        kept = float(values[::-1][:width].sum() / max(values.sum(), 1e-30))
        return cls(mean.astype(np.float32), axes.astype(np.float32) + 0.0, kept, model)

    @property
    def width(self) -> int:
        """Dimensions that it gives."""
        return len(self.axes)

    def apply(self, vectors: Vectors, width: int | None = None) -> Vectors:
        """Return vectors along the axes (the first ``width`` of them), of unit length."""
        self.check(vectors.shape[1])
        check_width(width or self.width, self.width)
        return _unit((vectors - self.mean) @ self.axes[:width].T)

    def check(self, whole: int) -> None:
        """Refuse vectors of another width than the axes were fitted on."""
        if whole != len(self.mean):
            raise PhageError(
                f"these axes are for vectors of {len(self.mean)} dimensions, not {whole}",
                remedy="fit them on vectors of the same model",
            )

    def save(self, path: Path | str) -> None:
        """Write a safetensors file."""
        from safetensors.numpy import save_file

        about = {"kept": json.dumps(self.kept), "model": self.model}
        with atomic(path) as partial:
            save_file({"mean": self.mean, "axes": np.ascontiguousarray(self.axes)}, partial, about)

    @classmethod
    def load(cls, path: Path | str) -> Principal:
        """Read what ``save`` wrote."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as stored:
                about = stored.metadata() or {}
                mean, axes = stored.get_tensor("mean"), stored.get_tensor("axes")
            fits = mean.ndim == 1 and axes.ndim == 2 and axes.shape[1] == len(mean)
            if not fits:
                raise ValueError(f"mean {mean.shape} and axes {axes.shape} do not fit")
            if not (np.isfinite(mean).all() and np.isfinite(axes).all()):
                raise ValueError("values that are not finite")
            kept = float(json.loads(about.get("kept", "0")))
        except (OSError, SafetensorError, ValueError) as error:
            raise PhageError(
                f"this is not a file of axes: {error}",
                place=str(path),
                remedy="phage export MODEL --pca VECTORS --dimensions N writes them",
            ) from error
        return cls(mean, axes, kept, about.get("model", ""))


def shorten(vectors: Vectors, width: int | None, axes: Principal | None = None) -> Vectors:
    """Shorten as asked: along the axes where there are some, by cutting otherwise."""
    if axes is not None:
        return axes.apply(vectors, width)
    return truncate(vectors, width) if width is not None else vectors


def _unit(vectors: NDArray[np.floating[Any]]) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit


def check_width(width: int, whole: int) -> None:
    """Refuse a width that the vectors cannot be brought to."""
    if not 1 <= width <= whole:
        raise PhageError(
            f"vectors of {whole} dimensions cannot become {width}", remedy=f"1 to {whole}"
        )
