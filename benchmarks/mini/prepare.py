"""Prepare both corpora and the backbone, once, where the patents are.

python -m benchmarks.mini.prepare -o gpu/mini

Takes two cores about half an hour. What it writes (see ``corpora``) and ``base/`` (the backbone with
the vocabulary that patents use) travel to the GPU machine; nothing else."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.mini import corpora

from phage.claims import read
from phage.claims.types import Patent
from phage.evaluation.datasets import field
from phage.provenance import provenance
from phage.storage import write_json
from phage.training.model import load_tokenizer
from phage.training.recipe_file import load

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
SOURCES = {
    corpora.WEEK: DATA / "uspto-grants-2014-01-07.xml.xz",
    corpora.FIELD: DATA / "a61b5-claims.jsonl.xz",
}


def claimed(patents: Iterable[Patent]) -> list[Patent]:
    """Keep each number once, and only what has claims."""
    return list({patent.number: patent for patent in patents if patent.claims}.values())


def base(folder: Path, given: Path | None) -> Path:
    """Cut the backbone's vocabulary, unless that was done before."""
    target = folder / "base"
    if not (target / "config.json").is_file():
        if given is not None:
            shutil.copytree(given, target)
        else:
            sources = [str(path) for path in SOURCES.values()]
            command = [sys.executable, str(ROOT / "benchmarks" / "prune.py"), *sources]
            subprocess.run([*command, "-o", str(target)], check=True)
    return target


def invented(count: int) -> dict[str, list[Patent]]:
    """Give two invented corpora, for a rehearsal without data."""
    from phage.claims.invented import invent

    patents = [invention.patent for invention in invent(2 * count)]
    return {corpora.WEEK: patents[:count], corpora.FIELD: patents[count:]}


def prepare(
    folder: Path,
    found: dict[str, list[Patent]],
    makers: dict[str, corpora.Maker],
) -> None:
    """Write corpora, each by its own maker, and what they are made of; others stay as they are."""
    path = folder / "manifest.json"
    told = json.loads(path.read_text())["corpora"] if path.is_file() else {}
    for name, maker in makers.items():
        week = found[corpora.WEEK]
        if name == corpora.FIELD:
            told[name] = corpora.prepare_field(found[name], week, folder, maker)
        else:
            told[name] = corpora.prepare_week(week, folder, maker, name)
    files = [source for source in SOURCES.values() if source.is_file()]
    write_json(path, {"corpora": told, "provenance": provenance(files)})
    for name, row in told.items():
        print(name, row["documents"], "documents,", row["trained"], "trained on,", row["bytes"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "gpu" / "mini")
    parser.add_argument("--base", type=Path, help="a backbone that is cut already")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--smoke", type=int, metavar="PATENTS", help="invented patents instead")
    parser.add_argument("--set", nargs="*", default=[], help="lines changed in the recipe")
    ways = {corpora.WEEK: [], corpora.FIELD: [], **corpora.OTHERWISE}
    parser.add_argument("--only", nargs="*", choices=list(ways), default=list(ways))
    options = parser.parse_args()
    place = base(options.output, options.base)
    makers = {}
    for name in options.only:
        changes = [f"backbone.model={place}", *options.set, *ways[name]]
        recipe = load(ROOT / "recipes" / "mini" / "untaught.toml", changes)
        tokenizer = load_tokenizer(recipe)
        if ways[name]:  # the backbone that reads more comes later, with this very tokenizer
            tokenizer.model_max_length = max(tokenizer.model_max_length, recipe.input.window)
        makers[name] = corpora.Maker(recipe, tokenizer, options.workers)
    if options.smoke:
        field.LEAST = 3  # invented groups are small
        found = invented(options.smoke)
    else:
        wanted = [corpora.WEEK, *({corpora.FIELD} & set(options.only))]
        found = {name: claimed(read(SOURCES[name])) for name in wanted}
    prepare(options.output, found, makers)


if __name__ == "__main__":
    main()
