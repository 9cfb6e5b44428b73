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
ENV = {
    **os.environ, "PYTHONPATH": str(ROOT / "src"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}  # fmt: skip
WORDS = "a pump with shaft wherein the is steel of claim housing coupled to 1 2 3 4 5 ."
RECIPE = """
[backbone]
model = "{tiny}"
[input]
window = 32
[graph]
parser = "pattern"
citations = "full"
[train]
batch = 2
accumulation = 1
epochs = 1
max_steps = 60
precision = "fp32"
save_every = 5
"""


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
    write([invention.patent for invention in invent(60)], places["some"])
    lines = places["some"].read_text(encoding="utf-8").splitlines()
    for name, turns in SIZES.items():
        with places[name].open("w", encoding="utf-8") as out:
            for turn in range(turns):
                out.writelines(line.replace('"ZZ', f'"ZZ{turn:03d}', 1) + "\n" for line in lines)
    _tiny(places["tiny"])
    places["recipe"].write_text(RECIPE.format(tiny=places["tiny"]), encoding="utf-8")
    return places


def _tiny(folder: Path) -> None:
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(WORDS.split()))]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=64, **sizes)
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)


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
