"""The steps that need several parts, as one call each.

In:   an index and a query; a model and patents; a recipe and patents.
Out:  hits; scores with where they came from; a model folder.
Why:  what is one line in the shell should be one line in Python. ``read``, ``build_graph``, ``check``,
      ``Encoder`` and ``Index`` are one line already."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phage.claims.types import Patent
from phage.errors import PhageError, chosen, given

if TYPE_CHECKING:
    from phage.encoder import Encoder
    from phage.evaluation.results import Result
    from phage.searching import Index
    from phage.searching.types import Hits
    from phage.training.recipe import Recipe


def search(  # noqa: PLR0913  (options by name, as on the command line)
    index: Index | Path | str,
    query: str | Patent,
    *,
    top: int = 10,
    where: str = "",
    rank: str = "hybrid",
    level: str = "patent",
    families: bool = False,
    encoder: Encoder | None = None,
) -> Hits:
    """Find similar patents, best first, each with the pair of claims that match best.

    ``query`` is what ``phage search`` takes: words, claims, the number of an indexed patent, with
    fields (``ipc:H02M date:2014..``), or a Patent. ``where`` holds more fields. ``rank`` is hybrid,
    vector or words; ``level`` patent or claim. The index names its model, which is loaded where it
    is needed; for many queries, give the ``encoder``.
    """
    from phage.searching import Index, Level, Rank, Search, find, from_patent
    from phage.searching.asking import understand
    from phage.searching.filters import restriction
    from phage.searching.queries import query_of
    from phage.searching.state import check_loaded

    given(query, (str, Patent), 'give words, a number or a Patent: phage.search(index, "a pump")')
    given(where, str, 'give fields as text: where="ipc:H02M date:2014.."')
    if encoder is not None:
        check_loaded(encoder)
    opened = index if isinstance(index, Index) else Index.open(index)
    how = Search(top, rank=chosen(Rank, rank), level=chosen(Level, level), collapse=families)
    load = loader(opened) if encoder is None else lambda: encoder
    if isinstance(query, Patent):
        how = replace(how, filters=restriction(where))
        return find(opened, from_patent(query, load(), opened.settings.section), how)
    asked = understand(query, where)
    return find(opened, query_of(opened, asked, load), replace(how, filters=asked.filters))


def loader(index: Index) -> Callable[[], Encoder]:
    """Return a function that loads the model of an index on its first call."""

    @cache
    def load() -> Encoder:
        from phage.encoder import Encoder

        encoder = Encoder.from_pretrained(index.settings.model)
        index.settings.check(encoder, index.path)
        return encoder

    return load


def evaluate(
    model: str,
    data: Path | str | Sequence[Patent],
    *,
    data_set: str = "uspto-week",
    section: str = "claims",
    runs: int = 5,
    seed: int = 0,
) -> Result:
    """Score a model: a folder, the name of a peer, or ``bm25``.

    ``data`` is the data set's file or folder. Patents in memory are scored as those of a week:
    classification and clustering by IPC subclass, retrieval by shared citations. Whether the model
    was trained on them is not checked here; ``phage evaluate --trained-on`` does that.
    """
    from phage.claims.text import Section
    from phage.evaluation.datasets import DATA_SETS, week
    from phage.evaluation.evaluate import Options
    from phage.evaluation.evaluate import evaluate as score
    from phage.evaluation.tasks import Part

    given(model, (str, os.PathLike), "give a folder, the name of a peer, or bm25")
    section = chosen(Section, section)
    if data_set not in DATA_SETS:
        known = ", ".join(DATA_SETS)
        raise PhageError(f"unknown data set '{data_set}'", remedy=f"use one of {known}")
    if isinstance(data, (str, Path)):
        benchmark = DATA_SETS[data_set][1](Path(data), section)
    elif data_set == "uspto-week":
        benchmark = week.from_patents(_patents(data), section)
    else:
        raise PhageError(f"{data_set} is read from its files", remedy="give their path as data")
    benchmark = replace(benchmark, tasks=benchmark.tasks.choose((Part.TEST, Part.ALL), ()))
    return score(str(model), benchmark, Options(runs=runs, seed=seed))[0]


def train(
    recipe: Recipe | Path | str,
    data: Path | str | Iterable[Any],
    output: Path | str,
    *,
    changes: Sequence[str] | str = (),
    workers: int = 1,
) -> Path:
    """Train an encoder on patents, guided by their claim graphs; return the model folder.

    ``data`` are patents, or anything that ``read`` takes. ``changes`` are lines of the recipe file
    (``["train.max_steps=100"]``). To stop and resume, and to train on several GPUs, use ``phage train``.
    """
    from phage.claims import read_some
    from phage.training.loop import train as run
    from phage.training.model import load_tokenizer, rehearse
    from phage.training.prepare import Corpus, foresee, prepare
    from phage.training.recipe import Recipe
    from phage.training.recipe_file import load

    given(recipe, (Recipe, str, os.PathLike), 'give a recipe or its file: "recipes/debug.toml"')
    given(data, (str, Iterable, os.PathLike), "give patents, or a file that phage.read takes")
    given(output, (str, os.PathLike), 'name the folder to write: "runs/mine"')
    lines = (changes,) if isinstance(changes, str) else changes
    settings = recipe if isinstance(recipe, Recipe) else load(recipe, lines)
    listed = [] if isinstance(data, (str, Path)) else list(data)
    if listed and all(isinstance(one, Patent) for one in listed):
        patents: list[Patent] = listed
    else:
        patents = list(read_some(listed or data))
    foresee(Corpus(patents), settings)
    tokenizer = load_tokenizer(settings)
    rehearse(settings, tokenizer)
    return run(settings, prepare(Corpus(patents), settings, tokenizer, workers), Path(output))


def _patents(data: Iterable[Patent]) -> list[Patent]:
    remedy = "give patents or their file: phage.evaluate(model, list(phage.read(FILE)))"
    given(data, Iterable, remedy)
    patents = list(data)
    for one in patents:
        given(one, Patent, remedy)
    if not patents:
        raise PhageError("there are no patents to score a model on", remedy=remedy)
    return patents
