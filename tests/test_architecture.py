"""The house as drawn: the tree in docs/architecture.md, and the sizes that STYLE asks for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src" / "phage"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DRAWN = TEXT.split("```")[1]
BELOW = TEXT.split("| module |")[1].split("\n\n")[0]
DATA = {"models"}
"""Folders of the package that hold no code."""


def rooms():
    """Give the modules and packages right below the package."""
    packages = {path.parent.name for path in SRC.glob("*/__init__.py")}
    modules = {path.stem for path in SRC.glob("*.py")} - {"__init__", "__main__"}
    return packages, modules


def test_the_tree_is_the_real_one():
    packages, modules = rooms()
    named = set(re.findall(r"\b([a-z_]+)(/|\.py)", DRAWN.removeprefix("\nsrc/phage/")))
    assert {name for name, kind in named if kind == "/"} == packages
    small = set(re.findall(r"`([a-z_]+)`", BELOW))
    assert {name for name, kind in named if kind == ".py"} | small == modules
    folders = {path.name for path in SRC.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - packages == DATA


def test_the_contract_lists_the_same_rooms():
    packages, modules = rooms()
    contract = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("layers = [")[1]
    listed = set(re.findall(r"[a-z_]+", re.sub(r"#.*", "", contract.split("]")[0])))
    assert listed == packages | modules


def test_links_of_the_readme_lead_to_the_rooms():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(src/phage/([a-z_]+)", text))
    packages, modules = rooms()
    assert linked <= packages | modules | DATA


@pytest.mark.parametrize("path", sorted(SRC.rglob("*.py")), ids=lambda p: str(p.relative_to(SRC)))
def test_a_file_can_be_read_in_one_sitting(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 300
    tree = ast.parse(text)
    if path.name == "__init__.py":
        offered = [
            node.value.elts
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "__all__"
        ]
        assert not offered or len(offered[0]) <= 12
    if not path.name.startswith("__main__") and len(text) > 2_000 and path.parent.name != "cli":
        assert ast.get_docstring(tree), "a module's docstring is its contract"
