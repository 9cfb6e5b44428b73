"""K-Means on frozen vectors, K the number of labels.

In:   vectors and the label of each.
Out:  NMI, ARI, homogeneity, completeness (the paper's four) and AMI, per run.
Why:  the paper's third task. With hundreds of small classes NMI is high even by chance, so the
      chance-adjusted AMI stands beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.extras import require

MEASURES = ("nmi", "ari", "homogeneity", "completeness", "ami")


def cluster(
    vectors: NDArray[np.float32], labels: NDArray[np.int64], seeds: range
) -> NDArray[np.int32]:
    """Return a cluster per row for each seed: (runs, R).

    Vectors are brought to unit length, so that distance means cosine; one k-means++ start per
    seed, and the runs are averaged instead of the best one kept.
    """
    kmeans: Any = require("sklearn.cluster", extra="eval").KMeans
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)
    wanted = len(np.unique(labels))
    return np.stack(
        [kmeans(wanted, n_init=1, random_state=seed).fit(unit).labels_ for seed in seeds]
    )


def agreement(labels: NDArray[np.int64], clusters: NDArray[np.int32]) -> dict[str, float]:
    """Compare one clustering with the labels.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))["ari"]
    1.0
    """
    metrics: Any = require("sklearn.metrics", extra="eval")
    homogeneity, completeness, nmi = metrics.homogeneity_completeness_v_measure(labels, clusters)
    return {
        "nmi": float(nmi),  # V-measure is NMI with the arithmetic mean, scikit-learn's default
        "ari": float(metrics.adjusted_rand_score(labels, clusters)),
        "homogeneity": float(homogeneity),
        "completeness": float(completeness),
        "ami": float(metrics.adjusted_mutual_info_score(labels, clusters)),
    }
