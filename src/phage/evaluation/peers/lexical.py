"""BM25: what shared words alone can find.

In:   the texts of queries and documents.
Out:  rankings of the same form as exact vector search.
Why:  the floor of retrieval; an encoder that does not beat it has learnt nothing about meaning.
      It makes no vectors, so classification and clustering stay empty for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.evaluation.datasets.benchmark import plain
from phage.evaluation.ranking import DEPTH
from phage.evaluation.scoring import TaskScore, score_ranking
from phage.evaluation.tasks import Retrieval, TaskData
from phage.extras import require

SETTINGS = {"source": "bm25s", "method": "lucene", "k1": 1.5, "b": 0.75, "stopwords": "en"}


def score_bm25(data: TaskData, texts: Callable[[str], Sequence[str | Patent]]) -> list[TaskScore]:
    """Score BM25 on the retrieval tasks."""
    scores = []
    indexes: dict[str, Any] = {}  # a corpus is indexed once, whatever asks it
    for task in data.tasks:
        if isinstance(task, Retrieval):
            if task.corpus not in indexes:
                indexes = {task.corpus: index_of(plain(texts(task.corpus)))}
            asked = np.unique(task.relevance[:, 0])
            words = plain(texts(task.queries))
            own = asked if task.queries == task.corpus else None
            found = rank(indexes[task.corpus], [words[row] for row in asked], own, task.spare)
            scores.append(score_ranking(task, asked, found, len(data.ids[task.corpus])))
    return scores


def rank(
    index: Any,  # noqa: ANN401  (bm25s' own type)
    queries: Sequence[str],
    themselves: NDArray[np.int64] | None = None,
    spare: int = 0,
) -> NDArray[np.int64]:
    """Return the best documents per query, best first, the query itself left out."""
    library = require("bm25s", extra="eval")
    tokens = library.tokenize(list(queries), stopwords="en", show_progress=False)
    size = int(index.scores["num_docs"])
    depth = min(size, DEPTH + spare + (themselves is not None))
    # by default bm25s sorts with JAX where it is installed, which takes three quarters of a GPU
    rows, _ = index.retrieve(tokens, k=depth, show_progress=False, backend_selection="numpy")
    if themselves is None:
        return np.asarray(rows, dtype=np.int64)
    kept = []
    for found, own in zip(rows, themselves, strict=True):
        others = found[found != own]
        kept.append(others[: depth - 1])
    return np.stack(kept).astype(np.int64)


def index_of(texts: Sequence[str]) -> Any:  # noqa: ANN401
    """Index documents, for ``rank``."""
    library = require("bm25s", extra="eval")
    index = library.BM25(method="lucene", k1=SETTINGS["k1"], b=SETTINGS["b"])
    index.index(
        library.tokenize(list(texts), stopwords="en", show_progress=False), show_progress=False
    )
    return index
