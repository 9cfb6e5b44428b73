"""Public tasks: any mteb task, run by mteb's own code.

In:   a model, names of mteb tasks, and where wanted a local copy of their data set.
Out:  a Result of the same form as ours, with mteb's main score and its further scores, and where
      wanted a folder in mteb's own form.
Why:  a leaderboard's number and ours must come from the same loaders and metrics. All 18 DAPFAM
      tasks, PatentClassification.v2 and BigPatentClustering.v2 run this way."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation.datasets import dapfam
from phage.evaluation.peers.models import Embedder
from phage.evaluation.public_models import describe
from phage.evaluation.results import Result
from phage.extras import require
from phage.provenance import provenance


class MtebModel:
    """Our encoders in the shape mteb asks for."""

    def __init__(self, embedder: Embedder, name: str) -> None:
        """Wrap an embedder."""
        self.embedder = embedder
        self.mteb_model_meta = describe(embedder, name)

    def encode(self, inputs: Any, **_: Any) -> NDArray[np.float32]:  # noqa: ANN401
        """Encode mteb's batches; task and prompt names mean nothing to a graph-free encoder."""
        texts = [text for batch in inputs for text in batch["text"]]
        return self.embedder.embed(texts)

    def similarity(self, one: Any, other: Any) -> torch.Tensor:  # noqa: ANN401
        """Return the cosines of all pairs."""
        return _unit(one) @ _unit(other).T

    def similarity_pairwise(self, one: Any, other: Any) -> torch.Tensor:  # noqa: ANN401
        """Return the cosines row by row."""
        return (_unit(one) * _unit(other)).sum(-1)


def run_mteb(
    embedder: Embedder,
    name: str,
    tasks: Sequence[str],
    data: Path | None = None,
    submission: Path | None = None,
) -> Result:
    """Run mteb tasks; ``data`` is a local copy of their data set, otherwise mteb fetches it.

    ``submission`` gets the results as mteb files them, by model and revision, ready to be sent to
    its leaderboard. Tasks that it already holds for these weights are not run again.
    """
    library = require("mteb", extra="mteb")
    tasks = [one for task in tasks for one in (patent_tasks() if task == "patents" else [task])]
    chosen = [_task(library, task) for task in tasks]
    cache = require("mteb.cache", extra="mteb").ResultCache
    with _local(chosen, data):
        found = library.evaluate(
            MtebModel(embedder, name),
            chosen,
            cache=cache(submission) if submission else None,
            show_progress_bar=sys.stderr.isatty(),
            co2_tracker=False,
        )
    measured = {result.task_name: _measures(result) for result in found.task_results}
    missing = [task for task in tasks if task not in measured]
    if missing:
        raise PhageError(f"mteb gave no result for {', '.join(missing)}")
    return Result(
        name,
        "mteb",
        measured,
        {**embedder.settings, "library": f"mteb {library.__version__}"},
        {"main": {task.metadata.name: task.metadata.main_score for task in chosen}},
        {"checked": False},
        {},
        provenance(sorted(data.glob("*.parquet")) if data else (), model=name),
    )


def patent_tasks() -> list[str]:
    """Name mteb's English patent tasks: DAPFAM's 18, BigPatentClustering, PatentClassification."""
    library = require("mteb", extra="mteb")
    names = [task.metadata.name for task in library.get_tasks(languages=["eng"])]
    return sorted(name for name in names if name.startswith("DAPFAM") or "Patent" in name)


def _task(library: Any, name: str) -> Any:  # noqa: ANN401
    try:
        return library.get_task(name)
    except KeyError as error:
        raise PhageError(
            f"mteb has no task '{name}'", remedy="the names are in mteb.get_tasks()"
        ) from error


def _measures(result: Any) -> dict[str, Any]:  # noqa: ANN401
    """Flatten mteb's scores of the first split and language."""
    ((split, rows),) = list(result.scores.items())[:1]
    numbers = {
        key: {"mean": float(value), "sd": 0.0, "runs": [float(value)]}
        for key, value in rows[0].items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return {"kind": "mteb", "part": split, "counts": {}, "measures": numbers}


@contextmanager
def _local(tasks: Sequence[Any], folder: Path | None) -> Iterator[None]:
    """Point tasks at a local copy of their data set.

    A copy is read as the hub would read it; three bare DAPFAM files get the few lines that name
    their configurations, in a folder beside them that goes away again.
    """
    if folder is None:
        yield
        return
    if not folder.is_dir():
        raise PhageError(
            "this folder has no copy of the tasks' data set",
            place=str(folder),
            remedy=f"download {', '.join(sorted({t.metadata.dataset['path'] for t in tasks}))}",
        )
    with tempfile.TemporaryDirectory() as scratch:
        place = folder.resolve()
        bare = not (folder / "README.md").is_file()
        if bare and any(task.metadata.name.startswith("DAPFAM") for task in tasks):
            files = dapfam.SOURCE.need(folder, *dapfam.SOURCE.files)
            place = _with_card(Path(scratch), dict(zip(_CONFIGS, files, strict=True)))
        for task in tasks:
            task.metadata = task.metadata.model_copy(
                update={"dataset": {"path": str(place), "revision": "local"}}
            )
        yield


_CONFIGS = ("corpus", "queries", "relations")


def _with_card(folder: Path, files: Mapping[str, Path]) -> Path:
    lines = ["---", "configs:"]
    for config, file in files.items():
        (folder / file.name).symlink_to(file.resolve())
        lines += [f"- config_name: {config}", "  data_files:", "  - split: train"]
        lines += [f"    path: {file.name}"]
    (folder / "README.md").write_text("\n".join([*lines, "---", ""]), encoding="utf-8")
    return folder


def _unit(vectors: Any) -> torch.Tensor:  # noqa: ANN401
    return torch.nn.functional.normalize(torch.as_tensor(np.asarray(vectors)).float(), dim=-1)
