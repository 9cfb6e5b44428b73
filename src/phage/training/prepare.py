"""Patents → training set: select, build graphs, project; once per corpus.

In:   patents in any order, perhaps their graphs; a recipe and the backbone's tokenizer.
Out:  a TrainingSet, cached as one file; a corpus that cannot be trained on is refused here.
Why:  all ablations and seeds share this work, and no GPU waits for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from phage.claims.copies import Copies
from phage.claims.text import Section
from phage.claims.types import Patent
from phage.claims.window import Fit
from phage.errors import PhageError
from phage.graph.types import ClaimGraph, GraphSettings
from phage.projection import Projection, Projector
from phage.storage import alone
from phage.training.data import Builder, TrainingSet
from phage.training.recipe import Recipe
from phage.training.sampling import Dropped, Sieve
from phage.training.steps import Steps
from phage.worker_signals import mapped

NAMED = 100
"""The most copies of evaluation patents listed in a training set; all are counted."""


@dataclass(frozen=True)
class Corpus:
    """The inputs of a training set."""

    patents: Iterable[Patent]
    graphs: Mapping[str, ClaimGraph] | None = None
    """Graphs by publication number; missing ones are built."""
    held_out: Copies | Iterable[Patent] = ()
    """Evaluation sets: none of their inventions is used for training."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Kept with the training set: file hashes and the like."""


def prepare(
    corpus: Corpus,
    recipe: Recipe,
    tokenizer: Any,  # noqa: ANN401  (a fast tokenizer of transformers)
    workers: int = 1,
    advance: Callable[..., None] | None = None,
) -> TrainingSet:
    """Make the training set of a recipe."""
    sieve = Sieve(recipe.sampling.deduplicate, corpus.held_out)
    builder = Builder()
    chosen = Corpus(filter(sieve, corpus.patents), corpus.graphs)
    for patent, projection in project_all(chosen, recipe, tokenizer, workers):
        builder.add(projection, patent.ipc[0], _title_tokens(patent, projection, tokenizer))
        if advance is not None:
            advance()
    data = builder.finish(
        {
            "settings": settings_of(recipe, tokenizer),
            "dropped": asdict(sieve.dropped),
            "held_out": [asdict(found) for found in sieve.found[:NAMED]],
            "facts": corpus.facts,
        }
    )
    check(len(data), sieve.dropped)
    return data


def foresee(corpus: Corpus, recipe: Recipe, advance: Callable[..., None] | None = None) -> Steps:
    """Plan the steps from the IPC codes alone: an unusable corpus fails before graphs are built."""
    sieve = Sieve(recipe.sampling.deduplicate, corpus.held_out, texts=False)
    codes = []
    for patent in filter(sieve, corpus.patents):
        codes.append(patent.ipc[0])
        if advance is not None:
            advance()
    check(len(codes), sieve.dropped)
    return Steps.of(tuple(codes), recipe)


def check(count: int, dropped: Dropped) -> None:
    """Refuse an empty corpus, and report why patents were left out."""
    if count:
        return
    reasons = {
        "have no IPC code": dropped.no_ipc,
        "have no claim text": dropped.no_claims,
        "belong to an evaluation set": dropped.held_out,
    }
    counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if count)
    raise PhageError(
        f"no patent is left to train on: {counts or 'the corpus is empty'}",
        remedy="train on patents with claims and IPC codes, as `phage read` writes them",
    )


def settings_of(recipe: Recipe, tokenizer: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return everything that a training set depends on besides the patents."""
    graph = asdict(graph_settings(recipe)) if recipe.graph.relations else None
    return {
        "tokenizer": tokenizer_digest(tokenizer),
        "input.window": recipe.stored,
        "input.fit": recipe.input.fit,
        "input.section": section_of(recipe).value,
        "sampling.deduplicate": list(recipe.sampling.deduplicate),
        "graph": graph,
    }


def section_of(recipe: Recipe) -> Section:
    """Return the section that is stored and encoded; ``varied`` changes it in batches only."""
    return Section.CLAIMS if recipe.input.section == "claims" else Section.TAC


def _title_tokens(patent: Patent, projection: Projection, tokenizer: Any) -> int:  # noqa: ANN401
    head = int(np.count_nonzero(projection.claims < 0)) - 1  # without [CLS]
    if head <= 0:
        return 0
    ids = tokenizer(patent.title, add_special_tokens=False, verbose=False)["input_ids"]
    return min(head, len(ids))


def agree(data: TrainingSet, recipe: Recipe, tokenizer: Any) -> str | None:  # noqa: ANN401
    """Return what in a prepared set contradicts a recipe, or None."""
    found, wanted = data.origin["settings"], settings_of(recipe, tokenizer)
    for key, value in wanted.items():
        # Without relations any graph will do: its edges are not looked at.
        there = found.get(key)
        if there != value and not (key == "graph" and value is None):
            return f"{key} is {there!r} in this file, but {value!r} in the recipe"
    return None


def cached(
    path: Path,
    recipe: Recipe,
    tokenizer: Any,  # noqa: ANN401
    make: Callable[[], TrainingSet],
    strict: bool,
    facts: Mapping[str, Any] | None = None,
) -> TrainingSet:
    """Read a prepared set if it fits the recipe and the files; otherwise make and keep it.

    ``facts`` describes the current files; without it, the prepared set is used as it is. ``strict``
    refuses to replace a file that was made for other settings: it may belong to another run.
    """
    if path.exists():
        data = TrainingSet.load(path)
        wrong = agree(data, recipe, tokenizer)
        if wrong is None and facts and data.origin["facts"] != facts:
            wrong = "it was made from other files"
        known = len(data) + sum(data.origin["dropped"].values())
        invented = not facts and not data.origin["facts"] and recipe.input.invented
        if wrong is None and invented and known != invented:
            wrong = f"it holds {known} invented patents, but input.invented is {invented}"
        if wrong is None:
            return data
        if strict:
            raise PhageError(
                f"this prepared training set was made for something else: {wrong}",
                place=str(path), remedy="give another --cache, or delete the file",
            )  # fmt: skip
    with alone(path):
        data = make()
        data.save(path)
    return data


def read_graphs(path: Path) -> dict[str, ClaimGraph]:
    """Read graphs as ``phage graph`` writes them; their evidence is left out."""
    from phage.graph import files  # late: needs pyarrow

    return {graph.patent: _bare(graph) for graph in files.read_graphs(path)}


def _bare(graph: ClaimGraph) -> ClaimGraph:
    edges = tuple(replace(edge, evidence=()) for edge in graph.edges)
    return replace(graph, edges=edges, diagnostics=())


def graph_settings(recipe: Recipe) -> GraphSettings:
    """Return the claim-graph settings of a recipe."""
    return GraphSettings(parser=recipe.graph.parser, citations=recipe.graph.citations)


def tokenizer_digest(tokenizer: Any) -> str:  # noqa: ANN401
    """Hash a tokenizer: its vocabulary, and its tokens of a sample."""
    sample = tokenizer("1. A Pump-Wheel, wherein said β-phase (5.5 Å) ist größer.")["input_ids"]
    behaviour = json.dumps([sorted(tokenizer.get_vocab().items()), list(sample)])
    return hashlib.sha256(behaviour.encode()).hexdigest()[:16]


class _Task:
    """Projects one patent; picklable, so that worker processes can do it too."""

    def __init__(
        self,
        recipe: Recipe,
        tokenizer: Any,  # noqa: ANN401
        graphs: Mapping[str, ClaimGraph] | None,
    ) -> None:
        self.wanted = graph_settings(recipe) if recipe.graph.relations else None
        self.graphs = graphs
        fit = Fit(recipe.input.fit)
        self.projector = Projector(tokenizer, recipe.stored, fit, section_of(recipe))

    def __call__(self, patent: Patent) -> Projection:
        return self.projector(patent, self._graph(patent))

    def _graph(self, patent: Patent) -> ClaimGraph | None:
        if self.wanted is None:
            return None
        from phage.language import LANGUAGES

        graph = (self.graphs or {}).get(patent.number)
        if graph is None and patent.language not in LANGUAGES:
            return None  # no graph can be built, nor was one: trained as a patent without edges
        if self.graphs is None:
            from phage.graph.build import build_graph

            return build_graph(patent, self.wanted)
        if graph is None:
            raise PhageError(
                f"the given graphs do not include {patent.number}",
                remedy="build them from the same patents (`phage graph`), or leave --graphs out",
            )
        self._check(graph, patent)
        return graph

    def _check(self, graph: ClaimGraph, patent: Patent) -> None:
        built, wanted = asdict(graph.settings), asdict(self.wanted) if self.wanted else {}
        for name, value in wanted.items():
            # Couplings in both directions are chosen by giving such graphs, not by the recipe.
            if built[name] != value and name != "functional":
                raise PhageError(
                    f"the graphs were built with {name} = {built[name]!r}, but the recipe asks "
                    f"for {value!r}",
                    remedy="build them again with the recipe's parser and citations",
                )
        if set(graph.claims) != {claim.number for claim in patent.claims}:
            raise PhageError(
                f"the graph of {patent.number} was built from other claims",
                remedy="build the graphs again from these patents, or leave --graphs out",
            )


def project_all(
    corpus: Corpus,
    recipe: Recipe,
    tokenizer: Any,  # noqa: ANN401
    workers: int = 1,
) -> Iterator[tuple[Patent, Projection]]:
    """Build the graph of every patent of a corpus and project it, in order."""
    yield from mapped(_Task(recipe, tokenizer, corpus.graphs), corpus.patents, workers)
