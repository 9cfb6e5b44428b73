"""The commands that write, each with what makes two of its outputs equal.

In:   a folder with a corpus, a recipe and a tiny model.
Out:  command lines, and a fingerprint of what they wrote.
Why:  a killed or damaged run that is started again must end where an undisturbed one ends."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from tiny_model import recipe, repeat, save

ENV = {
    **os.environ, "PYTHONPATH": str(ROOT / "src"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}  # fmt: skip

SIZES = {"some": 1, "several": 10, "many": 20}
"""Corpora, in repetitions of 60 patents under new numbers."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line; ``{out}`` is where it writes, the rest names the inputs."""

    line: str
    again: str = ""
    """What is added when a stopped run is started again."""

    def words(self, places: dict[str, Path], out: Path, again: bool = False) -> list[str]:
        """Spell it for one output."""
        line = f"{self.line} {self.again if again else ''}"
        return [sys.executable, "-m", "phage", *line.format_map({**places, "out": out}).split()]


COMMANDS = {
    "read": Command("read {many} -o {out}/p.parquet --json"),
    "graph": Command("graph {many} -o {out}/g.parquet --workers 2 --json"),
    "encode": Command("encode {tiny} {several} -o {out}/v --json"),
    "index": Command("index {several} --model {tiny} -o {out}/i --json"),
    "train": Command("train {recipe} --data {some} -o {out}/r --json", again="--resume"),
}


def fingerprint(name: str, out: Path) -> str:
    """Hash what a finished command left; equal content, equal hash."""
    return _FINGERPRINTS[name](out)


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        words, env=ENV, capture_output=True, text=True, check=False, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def prepare(folder: Path) -> dict[str, Path]:
    """Write the corpus, the recipe and a tiny model of random weights."""
    from phage.claims import write
    from phage.invented import invent

    names = {"tiny": "tiny", "recipe": "recipe.toml", **{name: f"{name}.jsonl" for name in SIZES}}
    places = {name: folder / file for name, file in names.items()}
    first = folder / "first.jsonl"
    write([invention.patent for invention in invent(60)], first)
    for name, turns in SIZES.items():
        repeat(first, places[name], turns)
    places["tiny"].mkdir()
    save(places["tiny"])
    places["recipe"].write_text(
        recipe(places["tiny"], max_steps=60, save_every=5), encoding="utf-8"
    )
    return places


def _bytes(*names: str) -> Callable[[Path], str]:
    def digest(out: Path) -> str:
        return hashlib.sha256(b"".join((out / name).read_bytes() for name in names)).hexdigest()

    return digest


def _vectors(out: Path) -> str:
    import pyarrow.dataset as ds

    table = ds.dataset(sorted((out / "v").glob("*.parquet"))).to_table(["number", "vector"])
    return _rows(table)


def _index(out: Path) -> str:
    from phage.searching import Index

    return _rows(Index.open(out / "i").table.to_arrow())


def _rows(table: object) -> str:
    rows = sorted(map(str, table.to_pylist()))  # type: ignore[attr-defined]
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


_FINGERPRINTS: dict[str, Callable[[Path], str]] = {
    "read": _bytes("p.parquet"),
    "graph": _bytes("g.parquet"),
    "encode": _vectors,
    "index": _index,
    "train": _bytes("r/model.safetensors", "r/relations.safetensors"),
}
