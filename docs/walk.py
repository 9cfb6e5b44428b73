"""Walk one patent from a file to a search result: python docs/walk.py.

Prints how many files and functions of the package it meets, per step and in all."""

from __future__ import annotations

import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType

from typer.testing import CliRunner

import phage
from phage.cli import app

HOME = str(Path(phage.__file__).parent)
DRAFT = str(Path(__file__).parent.parent / "examples" / "draft.txt")
STEPS = (f"read {DRAFT} -o p.parquet", "graph p.parquet -o g.parquet", "show p.parquet -o g.svg",
         "check p.parquet --fail-on never", "encode phage-mini p.parquet -o vectors",
         "index p.parquet -o my.index", "search my.index pump")  # fmt: skip
met: set[CodeType] = set()


def note(frame: FrameType, event: str, _: object) -> None:
    """Remember each function of the package that is called."""
    if event == "call" and frame.f_code.co_filename.startswith(HOME):
        met.add(frame.f_code)


def row(name: str, codes: set[CodeType]) -> None:
    """Print files and named functions; module bodies and comprehensions are not functions."""
    named = [code for code in codes if not code.co_name.startswith("<")]
    print(f"| {name} | {len({code.co_filename for code in named})} | {len(named)} |")


if __name__ == "__main__":
    seen: set[CodeType] = set()
    print("| step | files | functions |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for step in STEPS:
            met.clear()
            words = [
                f"{folder}/{w}" if w[:2] in ("p.", "g.", "my", "ve") else w for w in step.split()
            ]
            threading.setprofile(note)
            sys.setprofile(note)
            done = CliRunner().invoke(app, words)
            sys.setprofile(None)
            assert done.exit_code == 0, (step, done.output, done.exception)
            seen |= met
            row(f"`phage {words[0]}`", met)
    files = sum(1 for _ in Path(HOME).rglob("*.py"))
    row(f"**all**, of {files} files", seen)
