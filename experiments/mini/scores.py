"""A model beside others on all three test parts, every one read whole.

python experiments/mini/scores.py phage-mini=FOLDER today=FOLDER minilm=FOLDER mpnet=FOLDER bm25

In:   model folders by name (a name of ``phage evaluate`` keeps that model's pooling and window), or
      files of vectors (``phage-mini=vectors/{set}.npz``), and the three corpora.
Out:  ``OUT/DATA-SET-whole/MODEL.json`` and samples, as ``phage evaluate`` writes them;
      ``OUT/scores.json``: every measure, and the first model's difference to each other one with
      interval and p.
Why:  one command decides whether a new model is embedded. What is scored already is not scored
      again, so that several calls may share the work (``--only``)."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from phage.evaluation.datasets import DATA_SETS
from phage.evaluation.evaluate import BM25, Options, evaluate
from phage.evaluation.peers.models import PEERS
from phage.evaluation.randomisation import TEST
from phage.evaluation.results import load_result, result_path, samples_of
from phage.evaluation.significance import compare_results
from phage.evaluation.tasks import Part
from phage.provenance import provenance
from phage.storage import write_json

SETS = {
    "uspto-week": "uspto-grants-2014-01-07.xml.xz",
    "cited-pairs": "indian-patents.jsonl.xz",
    "ipc-groups": "a61b5-claims.jsonl.xz",
}
TASKS = {"ipc-groups": ("classification",)}
"""Where not all tasks of the test part, and those over all documents, are asked."""
SHOWN = ("micro_f1", "macro_f1", "nmi", "ndcg@100", "recall@100", "mrr")


def named(data_set: str) -> str:
    """Name a data set that is read whole: tables of claims alone must not mix with it."""
    return f"{data_set}-whole"


def score(name: str, model: str, data_set: str, options: argparse.Namespace, opened: Any) -> None:
    """Score one model on one data set, unless that is done."""
    place = result_path(options.output, named(data_set), name)
    if place.is_file() and samples_of(place).is_file():
        return
    if not opened:
        benchmark = DATA_SETS[data_set][1](options.data / SETS[data_set], "whole")
        parts = (Part.TEST, Part.ALL)
        asked = benchmark.tasks.choose(parts, TASKS.get(data_set, ()))
        opened.append(replace(benchmark, tasks=replace(asked, data_set=named(data_set))))
    peer = PEERS.get(name)
    how = Options(name=name, runs=options.runs)
    if peer and model != name:  # the folder of a known model
        how = replace(how, pooling=peer.pooling, window=peer.window)
    result, scores = evaluate(model.format(set=data_set), opened[0], how)
    print(f"{result.save(options.output, scores)}: {dict(result.seconds)} s", flush=True)


def table(names: list[str], output: Path) -> dict[str, Any]:
    """Collect what is scored, and compare the first model with the others."""
    found: dict[str, Any] = {}
    for data_set in SETS:
        places = {name: result_path(output, named(data_set), name) for name in names}
        done = {name: place for name, place in places.items() if place.is_file()}
        if names[0] not in done:
            continue
        models = {
            name: {
                task: {m: row["mean"] for m, row in about["measures"].items() if m in SHOWN}
                | {"of": about["counts"]}
                for task, about in load_result(place).tasks.items()
            }
            for name, place in done.items()
        }
        apart = {
            name: [
                {"task": one.task, **asdict(one.difference)}
                for one in compare_results([done[names[0]]], [place])
                if one.measure in SHOWN
            ]
            for name, place in done.items()
            if name != names[0]
        }
        found[data_set] = {"models": models, f"{names[0]} minus": apart}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "models", nargs="+", help="NAME=FOLDER, or a name that phage evaluate knows"
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--only", choices=SETS, action="append", help="score only this data set")
    parser.add_argument("--runs", type=int, default=5, help="of the probe and of K-Means")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/whole"))
    options = parser.parse_args()
    models = {name: model or name for name, _, model in (m.partition("=") for m in options.models)}
    for data_set in options.only or SETS:
        opened: list[Any] = []  # read once, and only where something is to do
        for name, model in models.items():
            if model == BM25 and data_set == "ipc-groups":
                continue  # it makes no vectors
            score(name, model, data_set, options, opened)
    files = [options.data / file for file in SETS.values()]
    about = provenance(
        [file for file in files if file.is_file()], runs=options.runs, section="whole"
    )
    made = {"test": TEST, "data_sets": table(list(models), options.output), "provenance": about}
    write_json(options.output / "scores.json", made)
    for data_set, row in made["data_sets"].items():
        for name, tasks in row["models"].items():
            shown = [
                f"{t} {m} {v:.3f}" for t, row in tasks.items() for m, v in row.items() if m != "of"
            ]
            print(f"{data_set} {name}: {', '.join(shown)}")


if __name__ == "__main__":
    main()
