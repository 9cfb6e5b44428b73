"""DAPFAM: retrieval of citation-linked patent families, in and out of the query's domain.

In:   corpus.parquet, queries.parquet, qrels_all.parquet.
Out:  the six query–corpus settings of the paper and claims → claims, with IN and OUT pairs.
Why:  the paper's retrieval tables. Texts are joined exactly as mteb joins them, so that both
      routes give one score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.errors import PhageError
from phage.evaluation.datasets.benchmark import Benchmark, Source
from phage.evaluation.tasks import Domain, Retrieval, Split, TaskData
from phage.storage import readable

SOURCE = Source(
    "dapfam",
    "DAPFAM",
    ("corpus.parquet", "queries.parquet", "qrels_all.parquet"),
    "https://huggingface.co/datasets/datalyes/DAPFAM_patent",
    "45,336 documents with descriptions, some GB",
    "CC BY-NC-SA 4.0",
)
FIELDS = {
    "ta": ("title_en", "abstract_en"),
    "tac": ("title_en", "abstract_en", "claims_text"),
    "full": ("title_en", "abstract_en", "claims_text", "description_en"),
    "claims": ("claims_text",),
}
"""What each view is made of."""
SETTINGS = (
    ("ta", "ta"), ("ta", "tac"), ("ta", "full"), ("tac", "ta"), ("tac", "tac"), ("tac", "full"),
    ("claims", "claims"),
)  # fmt: skip
"""Query → corpus; the first six are the paper's average."""


def read(path: Path | str, section: str = "") -> Benchmark:
    """Read the three files; ``section`` is not asked, the settings say it."""
    corpus, queries, relations = SOURCE.need(path, *SOURCE.files)
    ids = {
        "corpus": _column(corpus, "relevant_id"),
        "queries": _column(queries, "query_id"),
    }
    pairs, domain = _relevance(relations, ids["queries"], ids["corpus"])
    tasks = tuple(
        Retrieval(f"{asked}-{found}", f"queries/{asked}", f"corpus/{found}", pairs, domain)
        for asked, found in SETTINGS
    )
    views = sorted({view for task in tasks for view in (task.queries, task.corpus)})

    def texts(view: str) -> Sequence[str]:
        side, kind = view.split("/")
        return _texts(corpus if side == "corpus" else queries, FIELDS[kind], side == "corpus")

    notes = {
        "queries": len(np.unique(pairs[:, 0])),
        "corpus": len(ids["corpus"]),
        "relevant": len(pairs),
        "in": int((domain == Domain.IN).sum()),
        "out": int((domain == Domain.OUT).sum()),
        "texts": "joined as mteb does: queries by line breaks, documents as title, blank, rest",
    }
    data = TaskData("dapfam", {v: ids[v.split("/")[0]] for v in views}, tasks, notes)

    def patents(part: Split) -> Iterable[Patent]:
        from phage.claims import read_some

        return read_some([queries, corpus]) if part is Split.TEST else ()

    return Benchmark(data, texts, patents, (corpus, queries, relations))


def _relevance(
    path: Path, queries: NDArray[np.str_], corpus: NDArray[np.str_]
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Return positive pairs as rows; a score of 0 is an explicit negative and left out."""
    import pyarrow.parquet as pq

    table = pq.read_table(
        path, columns=["query_id", "relevant_id", "relevance_score", "domain_rel"]
    )
    asked = {name: row for row, name in enumerate(queries)}
    known = {name: row for row, name in enumerate(corpus)}
    pairs, domain = [], []
    for row in table.to_pylist():
        if row["relevance_score"] > 0:
            try:
                pair = asked[str(row["query_id"])], known[str(row["relevant_id"])]
            except KeyError as error:
                raise PhageError(
                    f"{error.args[0]} is judged but not among the documents", place=str(path)
                ) from None
            pairs.append(pair)
            domain.append(_domain(row["domain_rel"]))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(domain, dtype=np.int8)


def _domain(word: Any) -> Domain:  # noqa: ANN401  (text, or null)
    return {"IN": Domain.IN, "OUT": Domain.OUT}.get(str(word).upper(), Domain.UNKNOWN)


def _column(path: Path, name: str) -> NDArray[np.str_]:
    import pyarrow.parquet as pq

    with readable(path):
        names = pq.read_schema(path).names
    if name not in names:
        raise PhageError(f"this table has no column '{name}'", place=str(path))
    return np.array([str(value) for value in pq.read_table(path, columns=[name])[name].to_pylist()])


def _texts(path: Path, fields: Sequence[str], document: bool) -> list[str]:
    """Join the fields of every row; read in batches, for descriptions are long."""
    import pyarrow.parquet as pq

    made: list[str] = []
    with pq.ParquetFile(path, pre_buffer=False) as table:
        for batch in table.iter_batches(batch_size=1024, columns=list(fields)):
            for row in batch.to_pylist():
                parts = [(name, str(row[name])) for name in fields if row.get(name)]
                if document:
                    title = "".join(text for name, text in parts if name == "title_en")
                    rest = "\n".join(text for name, text in parts if name != "title_en")
                    made.append(f"{title} {rest}".strip())
                else:
                    made.append("\n".join(text for _, text in parts))
    return made
