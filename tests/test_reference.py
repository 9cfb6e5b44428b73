"""The API reference builds without a warning, and every public name says what it is."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from pathlib import Path

import pytest

import phage

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def reference():
    pytest.importorskip("pdoc")
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def members(module):
    """Give the public classes and functions of a module, and what the classes offer."""
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__
        if name.startswith("_") or not own or not callable(value):
            continue
        yield name, value
        if inspect.isclass(value):
            kinds = (classmethod, staticmethod, property)
            for part, held in vars(value).items():
                if not part.startswith("_") and (
                    inspect.isfunction(held) or isinstance(held, kinds)
                ):
                    yield f"{name}.{part}", held


def test_every_public_name_has_a_docstring(reference):
    silent = []
    for name in reference.modules():
        module = importlib.import_module(name)
        if not (module.__doc__ or "").strip():
            silent.append(name)
        silent += [f"{name}.{part}" for part, held in members(module) if not inspect.getdoc(held)]
    assert not silent


@pytest.mark.slow  # fifteen seconds
def test_the_reference_builds(reference, tmp_path, capsys):
    reference.main(str(tmp_path))
    page = (tmp_path / "phage" / "graph" / "build.html").read_text(encoding="utf-8")
    assert "Turn a patent" in page
    assert "modules" in capsys.readouterr().out
    assert "build_graph" in (tmp_path / "phage.html").read_text(encoding="utf-8")


def test_the_package_is_typed_and_its_names_exist():
    assert (Path(phage.__file__).parent / "py.typed").is_file()
    for name in phage.__all__:
        assert getattr(phage, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        phage.nothing  # noqa: B018
