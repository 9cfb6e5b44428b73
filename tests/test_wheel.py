"""The wheel installs into an empty environment and works there without a network.

Needs a package index for the dependencies; PHAGE_WHEEL_TORCH names another torch than the pinned."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TORCH = os.environ.get("PHAGE_WHEEL_TORCH", "torch==2.13.0")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
pytestmark = pytest.mark.slow


def run(*words, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def empty(wheel, tmp_path_factory):
    """An environment that holds torch and the wheel, and a folder without a checkout."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", TORCH)
    run(python, "-m", "pip", "install", "--quiet", wheel)
    return folder


def inside(folder, *words):
    env = {"PATH": f"{folder}/venv/bin:/usr/bin:/bin", "HOME": str(folder), "HF_HUB_OFFLINE": "1"}
    return run(*words, cwd=folder, env={**env, "COLUMNS": "140"})


def test_it_holds_every_file_of_the_package_and_the_recipes(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    listed = run("git", "ls-files", "src/phage", "recipes", cwd=ROOT).splitlines()
    for path in listed:
        name = path.removeprefix("src/") if path.startswith("src/") else f"phage/{path}"
        assert name in held, name
    assert not [name for name in held if "__pycache__" in name or name.startswith("tests")]


def test_the_commands_work_without_extras(empty):
    assert "Patents → typed claim graphs" in inside(empty, "phage", "--help")
    told = inside(empty, "phage", "doctor")
    assert "phage-mini" in told and "pip install 'phage[" in told
    inside(empty, "phage", "demo-corpus", "-n", "20", "-o", "corpus.jsonl")
    inside(empty, "phage", "graph", "corpus.jsonl", "-o", "graphs.parquet")
    inside(empty, "phage", "show", "corpus.jsonl", "-o", "graph.svg")
    inside(empty, "phage", "encode", "phage-mini", "corpus.jsonl", "-o", "vectors")
    assert (empty / "vectors" / "vectors.json").is_file()


def test_one_line_of_python_encodes(empty):
    line = (
        "from phage import Encoder; "
        "print(Encoder.from_pretrained('phage-mini').encode(['A pump with a shaft.']).shape)"
    )
    assert inside(empty, "python", "-c", line).strip() == "(1, 384)"


def test_recipes_travel_along(empty):
    line = (
        "from phage.training.recipe_file import load; "
        "print(load('recipes/ablations/no-graph.toml', base='recipes/mini/untaught.toml').name)"
    )
    assert inside(empty, "python", "-c", line).strip() == "no-graph"


@pytest.mark.parametrize("extra", [name for name in EXTRAS if name not in ("dev", "slow")])
def test_an_extra_can_be_resolved(extra, wheel, empty):
    python = empty / "venv" / "bin" / "python"
    # by name, as `phage doctor` says: pip takes the extras from what is installed
    told = run(python, "-m", "pip", "install", "--dry-run", f"phage[{extra}]")
    assert "Would install" in told or "already satisfied" in told
    for package in (re.split(r"[\[<>=]", need)[0] for need in EXTRAS[extra]):
        assert package.lower() in told.lower() or package == "phage", package
