"""Exact cosine search and the measures of a ranking.

In:   query and document vectors; (query, document) pairs that are relevant.
Out:  the best k documents per query; NDCG, recall and reciprocal rank per query.
Why:  exact, so that a score never depends on an index; ir-measures, which the field trusts, gives
      the measures, here and in the benchmarks."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.errors import PhageError
from phage.extras import require

DEPTH = 100
MEASURES = ("ndcg@100", "ndcg@10", "recall@100", "recall@10", "mrr")
"""``mrr`` is the reciprocal rank within the best 100."""


def search(
    queries: NDArray[np.float32],
    corpus: NDArray[np.float32],
    k: int = DEPTH,
    *,
    themselves: NDArray[np.int64] | None = None,
    device: str | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the ``k`` nearest documents by cosine, best first, as (rows, cosines).

    ``themselves`` names, per query, the document that is the query itself and is left out.
    Equal cosines are ranked in corpus order.

    >>> rows, _ = search(np.eye(2, dtype="f4"), np.eye(2, dtype="f4")[[1, 0]], k=1)
    >>> rows.tolist()
    [[1], [0]]
    """
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    documents = _unit(corpus, device)  # (M, D)
    asked = _unit(queries, device)  # (Q, D)
    k = min(k, len(documents) - (themselves is not None))
    # One block of scores stays under 256 MB whatever the corpus.
    block = max(1, 64_000_000 // max(1, len(documents)))
    rows, scores = [], []
    for start in range(0, len(asked), block):
        cosines = asked[start : start + block] @ documents.T  # (b, M)
        if themselves is not None:
            own = torch.as_tensor(themselves[start : start + block], device=device)
            cosines[torch.arange(len(own), device=device), own] = -torch.inf
        found, values = _best(cosines, k)
        rows.append(found.cpu().numpy())
        scores.append(values.cpu().numpy())
    return np.concatenate(rows), np.concatenate(scores)


def _best(cosines: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return rows and cosines of the best k, equal ones in corpus order."""
    best = cosines.topk(k, dim=1)
    found = best.indices
    # topk takes any of several that equal its last; sorting takes the first of them.
    last = best.values[:, -1:]
    torn = (cosines == last).sum(1) > (best.values == last).sum(1)
    if torn.any():
        whole = cosines[torn].argsort(dim=1, descending=True, stable=True)
        found[torn] = whole[:, :k]
    found = found.sort(dim=1).values  # first by corpus order, then stably by cosine
    values = cosines.gather(1, found)
    again = values.argsort(dim=1, descending=True, stable=True)
    return found.gather(1, again), values.gather(1, again)


def measure(
    ranking: NDArray[np.int64], asked: NDArray[np.int64], relevance: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """Measure rankings (Q, k) of the queries ``asked`` against (query, document) pairs.

    A third column may grade the pairs, for NDCG. Every query must have a relevant document.

    >>> found = measure(np.array([[7, 5, 9]]), np.array([0]), np.array([[0, 5], [0, 8]]))
    >>> [round(float(found[name][0]), 3) for name in ("ndcg@10", "recall@10", "mrr")]
    [0.387, 0.5, 0.5]
    """
    library = require("ir_measures", extra="eval")
    ours = {
        "ndcg@100": library.nDCG @ 100,
        "ndcg@10": library.nDCG @ 10,
        "recall@100": library.R @ 100,
        "recall@10": library.R @ 10,
        "mrr": library.RR @ 100,
    }
    if np.setdiff1d(asked, relevance[:, 0]).size:
        raise PhageError("a query without a relevant document cannot be measured")
    wanted = np.unique(relevance[np.isin(relevance[:, 0], asked)], axis=0)
    qrels = [library.Qrel(str(q), str(d), *map(int, grade or [1])) for q, d, *grade in wanted]
    run = [
        # The rank stands for the score: the library breaks ties its own way.
        library.ScoredDoc(str(query), str(row), float(-place))
        for query, rows in zip(asked, ranking, strict=True)
        for place, row in enumerate(rows)
    ]
    place = {str(query): n for n, query in enumerate(asked)}
    values = {name: np.zeros(len(asked)) for name in MEASURES}
    named = {measure: name for name, measure in ours.items()}
    for found in library.iter_calc(list(ours.values()), qrels, run):
        values[named[found.measure]][place[found.query_id]] = found.value
    return values


def _unit(vectors: NDArray[np.float32], device: str) -> Tensor:
    tensor = torch.as_tensor(np.ascontiguousarray(vectors), dtype=torch.float32, device=device)
    return torch.nn.functional.normalize(tensor, dim=1)
