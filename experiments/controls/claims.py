"""Ask claim vectors which claims belong together.

python experiments/controls/claims.py measure runs/controls/*/*/run-* chance claim-1 words …
python experiments/controls/claims.py table

In:   the file of ``claim_questions.py``, and models: folders that ``phage ablate --keep-models`` kept
      (ROW/BASE/run-SEED), others as ROW/BASE/SEED=FOLDER, or rules that need no model (``RULES``).
Out:  ``results/claim-vectors``: scores and samples of each model; ``table.json``.
Why:  if the claim graph helps anywhere, it should help in claim vectors. A claim is read in context
      (``Encoder.read``) and alone (``Encoder.encode``), because in context its neighbours leak."""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from claim_questions import INPUTS, Questions, load

from phage.evaluation import ranking
from phage.evaluation.ablation_plan import read_plan
from phage.evaluation.randomisation import TEST
from phage.evaluation.results import Result, find_files, load_result, result_path
from phage.evaluation.scoring import TaskScore
from phage.evaluation.significance import compare_results
from phage.evaluation.tasks import Kind, Part
from phage.provenance import provenance
from phage.storage import sha256, write_json

NAME = "claim-vectors"
PLAN = Path("experiments/controls/plan.toml")
ORDERS = ("claim-1", "nearest", "independent")
"""Claim 1 first; the nearest claim before; the nearest independent claim before."""
RULES = ("chance", *ORDERS, "words")
READINGS = ("context", "alone")
Alike = Callable[[Any, Any], Any]
"""Rows of claims (A,) and (B,) → how alike they are (A, B)."""


def find_parents(data: Questions, alike: Alike) -> dict[str, Any]:
    """Rank the other claims of a patent for each claim with one parent; ties share their rank.

    ``_later``: the parent is not claim 1. ``_deep``: the parent depends on a claim itself.
    """
    owners, places, kinds = [], [], []
    for patent, (start, end) in enumerate(zip(data.starts, data.starts[1:], strict=False)):
        rows = start + np.flatnonzero(data.parents[start:end] >= 0)
        if len(rows):
            lines, true = np.arange(len(rows)), data.parents[rows]
            scores = np.array(alike(rows, np.arange(start, end)), np.float64)
            scores[lines, rows - start] = -np.inf
            own = scores[lines, true - start][:, None]
            places.append((1 + (scores > own).sum(1) + (scores >= own).sum(1)) / 2)
            kinds.append([np.full(len(rows), True), true > start, data.independent[true] == 0])
            owners.append(np.full(len(rows), patent))
    place, wanted = np.concatenate(places), np.concatenate(kinds, axis=1)
    scores = {"mrr": 1 / place, "hit@1": (place == 1).astype(float)}
    ends = zip(("", "_later", "_deep"), wanted, strict=True)
    values = {n + end: np.where(kept, s, np.nan) for end, kept in ends for n, s in scores.items()}
    return per_patent(np.concatenate(owners), values)


def find_patents(data: Questions, alike: Alike) -> dict[str, Any]:
    """Rank patents by their best claim for each independent claim of a query."""
    count = len(data.numbers)
    owners = np.repeat(np.arange(count), np.diff(data.starts))
    rows = np.flatnonzero(data.independent & np.isin(owners, data.relevance[:, 0]))
    every = np.array(alike(rows, np.arange(len(owners))), np.float32)
    best = np.maximum.reduceat(every, data.starts[:-1], axis=1)
    right, shut = np.zeros((count, count), bool), np.eye(count, dtype=bool)
    right[tuple(data.relevance.T)], shut[tuple(data.closed.T)] = True, True
    best[shut[owners[rows]]] = -np.inf
    order = np.argsort(-best, axis=1, kind="stable")[:, : ranking.DEPTH]
    found = ranking.measure(order, np.arange(len(rows)), np.argwhere(right[owners[rows]]))
    return per_patent(owners[rows], {"ndcg@100": found["ndcg@100"]})


def per_patent(owners: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Average the values of claims over each patent; NaN where it has none."""
    asked = np.unique(owners)
    found = {"query": asked}
    for name, each in values.items():
        known = ~np.isnan(each)
        count, total = (np.bincount(owners[known], weights, asked.max() + 1)[asked]
                        for weights in (None, each[known]))  # fmt: skip
        found[name] = np.where(count, total / np.maximum(1, count), np.nan).astype(np.float32)
    return found


def rule(name: str, data: Questions) -> Alike:
    """Return a rule that needs no model."""
    if name == "words":
        from sklearn.feature_extraction.text import TfidfVectorizer

        words = TfidfVectorizer().fit_transform(data.texts)
        return lambda a, b: (words[a] @ words[b].T).toarray()
    if name == "chance":
        return lambda a, b: np.random.default_rng(a).random((len(a), len(b)))
    if name == "claim-1":
        return lambda a, b: np.broadcast_to(-b, (len(a), len(b)))
    first = data.independent * len(data.parents) * (name == "independent")
    return lambda a, b: np.where(b < a[:, None], b + first[b], -b)  # the later, the nearer


def cosines(vectors: Any) -> Alike:
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return lambda a, b: unit[a] @ unit[b].T


def read(folder: str, pooling: str | None, sets: dict[str, Questions]) -> dict[Any, Any]:
    """Encode all claims as a user would: data set and reading → vectors."""
    import torch

    from phage.encoder import Encoder

    encoder = Encoder.from_pretrained(folder, pooling=pooling, device="cpu")  # in float32
    encoder.model.to("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    found = {}
    for name, data in sets.items():
        whole = [one.vectors for one in encoder.read(data.patents)]
        found[name, "context"] = np.concatenate(whole)
        budget = encoder.budget
        alone = encoder.encode(data.texts, batch_tokens=budget, on_cut=lambda _: None)
        found[name, "alone"] = alone
    return found


def score(task: str, data: Questions, alike: Alike) -> TaskScore:
    """Ask one question of all patents."""
    samples = find_parents(data, alike) if "/parents/" in task else find_patents(data, alike)
    values = {name: each for name, each in samples.items() if name != "query"}
    runs = {name: (float(np.nanmean(each)),) for name, each in values.items()}
    counts = {name: int((~np.isnan(each)).sum()) for name, each in values.items()}
    return TaskScore(task, Kind.RETRIEVAL, Part.TEST, runs, samples, counts)


def named(given: str) -> tuple[str, str]:
    """Split NAME=FOLDER; a kept folder names itself.

    >>> named("runs/controls/ours/gte/run-3")
    ('ours/gte/3', 'runs/controls/ours/gte/run-3')
    """
    name, _, folder = given.rpartition("=")
    row, base, run = Path(folder).parts[-3:] if not name and given not in RULES else [""] * 3
    return name or (f"{row}/{base}/{run.removeprefix('run-')}" if row else given), folder


def measure(options: argparse.Namespace) -> None:
    """Measure what is not measured yet."""
    sets = load(options.inputs)
    for name, folder in map(named, options.models):
        if result_path(options.output, NAME, name).is_file():
            continue
        start, weights = time.monotonic(), {}
        if name in RULES:
            kept = {(s, r): rule(name, data) for s, data in sets.items() for r in READINGS}
        else:
            found = read(folder, options.pooling, sets)
            kept = {place: cosines(vectors) for place, vectors in found.items()}
            weights = {"weights": sha256(Path(folder) / "model.safetensors")}
        seconds, start = {"encode": time.monotonic() - start}, time.monotonic()
        whats = ("parents",) if name in ORDERS else ("parents", "patents")
        scores = [score(f"{place[0]}/{what}/{place[1]}", sets[place[0]], alike)
                  for place, alike in kept.items() for what in whats]  # fmt: skip
        seconds["score"] = time.monotonic() - start
        tasks = {one.task: one.to_json() for one in scores}
        notes = {"sets": {s: data.notes for s, data in sets.items()}}
        about = provenance([options.inputs], **weights)
        result = Result(name, NAME, tasks, {"pooling": options.pooling}, notes, {}, seconds, about)
        print(f"{result.save(options.output, scores)}: {seconds}", flush=True)


def groups(folder: Path) -> dict[str, dict[int, Path]]:
    """Find the results of each row and base, by seed."""
    found: dict[str, dict[int, Path]] = defaultdict(dict)
    for path, result in find_files(folder):
        stem, _, seed = result.model.rpartition("/")
        found[stem or result.model][int(seed) if stem else 0] = path
    return found


def cells(paths: Sequence[Path]) -> dict[str, Any]:
    """Average every measure over the seeds."""
    results = [load_result(path) for path in paths]
    found = {}
    for task, about in results[0].tasks.items():
        for measure in about["measures"]:
            values = [one.tasks[task]["measures"][measure]["mean"] for one in results]
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
            row = {"mean": float(np.mean(values)), "sd": spread, "seeds": len(values)}
            found[f"{task}/{measure}"] = {**row, "against": {}}
    return found


def table(options: argparse.Namespace) -> None:
    """Compare each row with the rows that its plan names, the untrained base and shared words."""
    found = groups(options.output / NAME)
    plan = {row.name: row.against for row in read_plan(options.plan).rows}
    made = {}
    for name, seeds in sorted(found.items()):
        made[name] = cells([*seeds.values()])
        others = [*plan.get(name, ()), f"untrained/{name.partition('/')[2]}", "words"]
        for other in (one for one in others if one in found and one != name):
            both = [seed for seed in seeds if seed in found[other]]
            sides = [[side[s] for s in both or side] for side in (seeds, found[other])]
            for one in compare_results(*sides):
                against = made[name][f"{one.task}/{one.measure}"]["against"]
                against[other] = asdict(one.difference)
        print(name, {key: round(cell["mean"], 3) for key, cell in made[name].items()}, flush=True)
    about = {"test": TEST, "table": made, "provenance": provenance()}
    write_json(options.output / NAME / "table.json", about)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("models", nargs="*", help="kept folders, ROW/BASE/SEED=FOLDER, or rules")
    parser.add_argument("--inputs", type=Path, default=INPUTS)
    parser.add_argument("--pooling", help="of folders that do not state it")
    parser.add_argument("--plan", type=Path, default=PLAN, help="names the rows to compare")
    parser.add_argument("-o", "--output", type=Path, default=Path("results"))
    options = parser.parse_intermixed_args()
    (measure if options.what == "measure" else table)(options)


if __name__ == "__main__":
    main()
