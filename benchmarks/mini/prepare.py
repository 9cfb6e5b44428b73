"""Prepare both corpora and the backbone, once, where the patents are.

python -m benchmarks.mini.prepare -o gpu/mini

Takes two cores about half an hour. What it writes (see ``corpora``) and ``base/`` (the backbone with
the vocabulary that patents use) travel to the GPU machine; nothing else."""

from __future__ import annotations

import argparse
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


def prepare(folder: Path, found: dict[str, list[Patent]], maker: corpora.Maker) -> None:
    """Write both corpora and what they are made of."""
    path = folder / "manifest.json"
    told = {corpora.WEEK: corpora.prepare_week(found[corpora.WEEK], folder, maker)}
    told[corpora.FIELD] = corpora.prepare_field(
        found[corpora.FIELD], found[corpora.WEEK], folder, maker
    )
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
    options = parser.parse_args()
    place = base(options.output, options.base)
    recipe = load(ROOT / "recipes" / "phage-mini.toml", [f"backbone.model={place}", *options.set])
    maker = corpora.Maker(recipe, load_tokenizer(recipe), options.workers)
    if options.smoke:
        field.LEAST = 3  # invented groups are small
        found = invented(options.smoke)
    else:
        found = {name: claimed(read(path)) for name, path in SOURCES.items()}
    prepare(options.output, found, maker)


if __name__ == "__main__":
    main()
