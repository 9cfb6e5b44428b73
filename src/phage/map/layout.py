"""Vectors → places in two dimensions.

In:   one vector per patent.
Out:  (N, 2), between 0 and 1; the same for the same vectors and seed.
Why:  neighbours in the plane should be neighbours in meaning. t-SNE by openTSNE keeps neighbourhoods
      as UMAP does and needs no compiler at run time (docs/decisions.md)."""

from __future__ import annotations

import numpy as np

from phage.extras import require
from phage.map.types import Floats

DIMENSIONS = 50
"""Principal components used for the layout: the rest is noise and costs time."""
PERPLEXITY = 30
"""How many neighbours count."""
FEW = 40
"""With fewer patents than this, the first two principal components are the map."""


def layout(vectors: Floats, seed: int = 0, threads: int = 1) -> Floats:
    """Lay vectors out; one thread gives the same places on every machine of a kind."""
    if len(vectors) < FEW:
        return _scaled(components(vectors, 2))
    tsne = require("openTSNE", extra="map").TSNE(
        perplexity=min(PERPLEXITY, len(vectors) // 4),
        initialization="pca",
        random_state=seed,
        n_jobs=threads,
    )
    return _scaled(np.asarray(tsne.fit(components(vectors, DIMENSIONS)), dtype=np.float32))


def components(vectors: Floats, count: int) -> Floats:
    """Return the principal components of vectors; each sign is fixed by its largest weight."""
    centred = vectors.astype(np.float64) - vectors.mean(0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)  # by rising variance, (D, D)
    axes = axes[:, ::-1][:, :count]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(0)[None], 0)
    made: Floats = (centred @ (axes * np.sign(largest))).astype(np.float32)
    return made


def _scaled(places: Floats) -> Floats:
    """Fit places into the unit square, centred, without changing their shape.

    >>> _scaled(np.float32([[0, 0], [4, 2]])).tolist()
    [[0.0, 0.25], [1.0, 0.75]]
    """
    low, high = places.min(0), places.max(0)
    size = float((high - low).max()) or 1.0
    made: Floats = ((places - (low + high) / 2) / size + 0.5).astype(np.float32)
    return made
