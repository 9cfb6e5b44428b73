"""The documentation site builds offline, holds every page, and loads nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    place = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(place), strict=True))
    return place


def test_every_page_is_built_and_in_the_navigation(site):
    home = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        name = "index" if page.stem == "README" else page.stem
        assert (site / f"{name}.html").is_file()
        whole = (site / f"{name}.html").read_text(encoding="utf-8")
        assert "<h1" in whole and ('href="log.html"' in whole or name == "log")
    for part in ("Guides", "Concepts", "API", "Results", "Decisions", "Log"):
        assert part in home


def test_nothing_is_loaded_from_elsewhere(site):
    loads = re.compile(
        r"<(?:script|img|iframe)[^>]+src=\"?https?:|<link[^>]+href=\"?https?:|url\(https?:"
    )
    for page in (*site.rglob("*.html"), *site.rglob("*.css")):
        assert not loads.findall(page.read_text(encoding="utf-8")), page.name


def test_linked_files_of_the_repository_come_along(site):
    assert (site / "results" / "citations.json").read_bytes() == (
        ROOT / "results" / "citations.json"
    ).read_bytes()
    assert 'href="results/citations.json"' in (site / "results.html").read_text(encoding="utf-8")
