"""The public names: there whatever was imported, light to import, and every column explained."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import phage

ROOT = Path(__file__).parent.parent
PROMISED = {
    "Claim", "ClaimGraph", "Encoder", "Index", "Patent", "PhageError", "build_graph", "check",
    "evaluate", "read", "search", "train",
}  # fmt: skip

LOOK = """
import importlib, pkgutil, phage
for module in pkgutil.walk_packages(phage.__path__, "phage."):
    if module.name != "phage.__main__":
        importlib.import_module(module.name)
for name in phage.__all__:
    assert callable(getattr(phage, name)), name
assert set(phage.__all__) <= set(dir(phage))
"""


def test_no_module_takes_the_place_of_a_function():
    assert set(phage.__all__) == PROMISED
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, phage; phage.read, phage.build_graph; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"torch", "transformers", "pandas", "polars", "datasets", "lancedb"}


def test_the_schema_page_is_what_the_code_says():
    spec = importlib.util.spec_from_file_location("schema_page", ROOT / "docs" / "schema.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = (ROOT / "docs" / "schema.md").read_text(encoding="utf-8")
    assert found == module.page(), "run python docs/schema.py"


def test_every_public_name_has_an_example():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = "".join(part for place, part in enumerate(page.split("```")) if place % 2)
    for name in PROMISED - {"ClaimGraph"}:
        assert f"phage.{name}" in blocks, name


def test_the_ten_tasks_are_counted_and_compile():
    spec = importlib.util.spec_from_file_location("tasks_page", ROOT / "docs" / "tasks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.PAGE.read_text(encoding="utf-8")
    assert module.table(page) in page, "run python docs/tasks.py"
    assert module.table(page).count(" · ") == 10
    for block in page.split("```python\n")[1:]:
        compile(block.split("```")[0], "docs/ten-tasks.md", "exec")


def test_an_index_holds_every_field_of_a_patent_but_those_it_need_not():
    from dataclasses import fields

    from phage.searching.rows import MADE, schema

    left_out = {
        "description": "too large, and not searched",
        "citations": "not searched",
        "publications": "numbers of other publications",
        "cancelled": "only the graph needs it",
        "translations": "claims are indexed in one language",
    }
    made = {*MADE, "office", "terms", "claim_vectors", "vector"}
    names = {one.name for one in fields(phage.Patent)}
    assert set(schema(4).names) - made == names - set(left_out)
