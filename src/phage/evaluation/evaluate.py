"""One model, one data set, one result.

In:   a peer's name, a model, a file of vectors or ``bm25``; a benchmark.
Out:  a Result with provenance, the scores behind it and the vectors.
Why:  the command, the ablation and the tests all evaluate through this one function."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.errors import PhageError
from phage.evaluation.datasets.benchmark import Benchmark
from phage.evaluation.leakage import find_leaks
from phage.evaluation.peers import lexical
from phage.evaluation.peers.models import PEERS, Embedder, find_peer, load_model
from phage.evaluation.results import Result
from phage.evaluation.scoring import RUNS, TaskScore, score_vectors
from phage.evaluation.tasks import Split, TaskData
from phage.evaluation.vectors import about_vectors, is_vectors, load_vectors, save_vectors
from phage.extras import require
from phage.provenance import provenance
from phage.terminal import progress

BM25 = "bm25"
ViewVectors = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is evaluated."""

    name: str = ""
    """In tables; the model's own title unless given."""
    pooling: str | None = None
    window: int | None = None
    prompt: str | None = None
    bf16: bool = False
    gnn: str = ""
    """``gcn``, ``gat`` or ``sage``: pass the vectors over a graph of nearest neighbours first."""
    runs: int = RUNS
    seed: int = 0
    save_vectors: Path | None = None
    leakage: Mapping[str, Any] = field(default_factory=lambda: {"checked": False})
    """What ``check_leakage`` found."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Goes into the provenance."""

    def title(self, model: str) -> str:
        """Return the model's name in tables."""
        return self.name or _title(model, self.gnn)

    def embedder(self, model: str) -> Embedder:
        """Load a model as these options ask."""
        return load_model(
            model, pooling=self.pooling, window=self.window, prompt=self.prompt, bf16=self.bf16
        )


@dataclass(frozen=True, slots=True)
class Encoded:
    """A data set's vectors by one model: made once, scored as often as asked."""

    vectors: ViewVectors
    settings: Mapping[str, Any]
    seconds: float


def encode(model: str, benchmark: Benchmark, options: Options) -> Encoded:
    """Encode every view of a data set, or read its vectors; keep them where asked."""
    data, start = benchmark.tasks, time.monotonic()
    vectors: ViewVectors = {}
    if is_vectors(model):
        vectors, settings = load_vectors(model, data), about_vectors(model)
    else:
        embedder = options.embedder(model)
        for view, ids in data.ids.items():
            texts = benchmark.texts(view)
            if len(texts) != len(ids):
                raise PhageError(f"{len(texts)} texts for {len(ids)} documents of '{view}'")
            with progress(f"encoding {view}", len(texts), "documents") as advance:
                vectors[view] = embedder.embed(texts, advance)
        settings = embedder.settings
    seconds = round(time.monotonic() - start, 2)
    if options.save_vectors:
        save_vectors(options.save_vectors, vectors, data, {"title": _title(model, ""), **settings})
    return Encoded(vectors, settings, seconds)


def evaluate(
    model: str,
    benchmark: Benchmark,
    options: Options | None = None,
    encoded: Encoded | None = None,
) -> tuple[Result, list[TaskScore]]:
    """Evaluate one model; ``encoded`` are its vectors where they were made before."""
    options = options or Options()
    data = benchmark.tasks
    seconds: dict[str, float] = {}
    if model == BM25:
        start = time.monotonic()
        settings: dict[str, Any] = dict(lexical.SETTINGS)
        scores = lexical.score_bm25(data, benchmark.texts)
    else:
        made = encoded or encode(model, benchmark, options)
        vectors, settings, seconds["encode"] = made.vectors, dict(made.settings), made.seconds
        if options.gnn:
            from phage.evaluation.peers.neighbours import pass_messages

            vectors, extra = pass_messages(vectors, data, options.gnn, options.seed)
            settings |= extra
        start = time.monotonic()
        scores = score_vectors(vectors, data, options.runs, options.seed)
    seconds["score"] = round(time.monotonic() - start, 2)
    if not scores:
        raise PhageError(
            f"{model} cannot do any task of {data.data_set}",
            remedy="give more patents: tasks need some that share IPC codes or cited patents; "
            "bm25 does retrieval alone",
        )
    result = Result(
        options.title(model),
        data.data_set,
        {score.task: score.to_json() for score in scores},
        settings,
        data.notes,
        options.leakage,
        seconds,
        provenance(
            benchmark.files,
            runs=options.runs,
            seed=options.seed,
            model=_named(model),
            **options.more,
        ),
    )
    return result, scores


def check_leakage(
    benchmark: Benchmark, trained_on: Iterable[Patent] | None, allow: bool = False
) -> dict[str, Any]:
    """Compare what a model was trained on with what is scored; a leaking pair is refused.

    ``allow`` scores it all the same. Where nothing can be compared, the reason is given.
    """
    if trained_on is None:
        return {"checked": False, "reason": "its training patents were not given (--trained-on)"}
    report = find_leaks(trained_on, benchmark.patents(Split.TEST))
    if not report.evaluated:
        return {"checked": False, "reason": "the data set gives no patents to compare"}
    if not allow:
        report.refuse()
    return {
        "checked": True,
        "trained": report.trained,
        "evaluated": report.evaluated,
        "leaked": report.leaked,
        "counts": report.counts,
        "filed_before_training_ended": report.filed_before,
    }


def check_model(model: str, options: Options) -> None:
    """Refuse a model that is not here before any data set is read."""
    if options.gnn:
        from phage.evaluation.peers.neighbours import check_network

        check_network(options.gnn)
        require("torch_geometric", extra="gnn")
    if model == BM25:
        return
    if is_vectors(model):
        if not Path(model).exists():
            raise PhageError("this file of vectors does not exist", place=model)
        return
    find_peer(model)


def _named(model: str) -> str:
    """Name a model in a result that others read: where a folder lies on this machine is left out.

    >>> _named("sentence-transformers/all-mpnet-base-v2"), _named("/home/me/vectors/week.npz")
    ('sentence-transformers/all-mpnet-base-v2', 'week.npz')
    """
    return Path(model).name if Path(model).is_absolute() else model


def _title(model: str, gnn: str) -> str:
    title = "BM25" if model == BM25 else PEERS[model].title if model in PEERS else model
    if is_vectors(model):
        title = about_vectors(model).get("title") or Path(model).stem
    names = {"gcn": "GCN", "gat": "GAT", "sage": "GraphSAGE"}
    return f"{names[gnn]} + {title}" if gnn else title


def prepared(path: Path | str) -> Benchmark:
    """Open tasks that were prepared before; they hold no texts, only questions."""

    def texts(view: str) -> list[str]:
        raise PhageError(
            f"a prepared file holds no texts to encode ('{view}')",
            place=str(path),
            remedy="give a file of vectors instead of a model, or the data set itself as --path",
        )

    return Benchmark(TaskData.load(path), texts, files=(Path(path),))
