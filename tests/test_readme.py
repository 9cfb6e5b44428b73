"""What the README says works, works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phage.cli import COMMANDS, app

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def test_the_six_lines_run(tmp_path, monkeypatch):
    pytest.importorskip("lancedb")
    monkeypatch.chdir(tmp_path)
    lines = blocks("bash")[0].strip().splitlines()
    assert len(lines) == 6
    for line in lines:
        done = CliRunner().invoke(app, shlex.split(line)[1:], catch_exceptions=False)
        assert done.exit_code == 0, (line, done.output)
    assert (tmp_path / "vectors" / "vectors.json").is_file()
    assert "claim" in done.output


def test_the_python_lines_run(capsys):
    exec(compile(blocks("python")[0], "README.md", "exec"), {})  # noqa: S102  (our own)
    assert "1 → 2 cite" in capsys.readouterr().out


def test_commands_and_links_exist():
    for name in re.findall(r"`phage ([a-z-]+)", TEXT):
        assert name in COMMANDS, name
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_the_two_commands_are_make_targets():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {"demo", "test"} <= set(targets)


def results(name: str):
    return json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))


def short(value: float, digits: int = 3) -> str:
    """Write a score as the tables do: .203, -.008."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def chance(p: float) -> str:
    """Write a p-value: two digits, three where that would be .00 or too coarse."""
    return short(p, 2 if round(p, 3) >= 0.01 else 3)


def spread(difference: float, low: float, high: float, p: float = 0.0) -> str:
    """Write a difference with its interval: .044 [.021, .068]."""
    return f"{short(difference)} [{short(low)}, {short(high)}]"


def from_citations():
    week = results("citations")["week"]
    full, raw = week["full"], week["raw"]
    found, bare = ((one["precision"], one["recall"]) for one in (full, raw))
    yield "**{:.4f} / {:.4f}** precision and recall".format(*found)
    yield f"a whole USPTO week of {week['patents']:,} grants"
    yield f"the {week['reissued']} reissues left out"
    yield "reissues included: {:.4f} / {:.4f}".format(*bare)
    pairs = (" / ".join(short(one, 4) for one in pair) for pair in (found, bare))
    yield "| {}; {} |".format(*pairs)
    yield f"One free USPTO week ({week['patents']:,} grants of 2014-01-07)"


def from_gpu():
    step = results("step-h200")["cases"]["bert-large"]["ratios"][0]
    size = f"{step['batch']} × {step['tokens']} tokens"
    yield f"**{step['guided_over_plain_time']:.2f} ×**: a claim-guided BERT-large training step of {size}"
    yield f"BERT-large, {size} | {step['guided_over_plain_time']:.2f} |"
    sizes = [one for one in results("attention-h200")["sizes"] if one["batch"] != 24]
    ratios = " / ".join(f"{one['kernel_over_flash']['replayed']:.2f}" for one in sizes)
    yield f"(flash), {' / '.join(format(one['tokens'], ',') for one in sizes)} tokens | {ratios} |"
    times = sizes[0]["ms"]
    ratio = times["dense"]["eager"] / times["kernel"]["eager"]
    yield f"a dense mask takes {ratio:.1f} × the kernel's time"
    packed = results("train-h200")["variants"]["guided, compiled, packed rows"]
    yield f"{packed['tflops_useful']:.0f}; {packed['hours_for_the_papers_run']:.2f} h |"
    yield f"{packed['hours_for_the_papers_run']:.2f} hours on an H200 by what was"


def from_graphs():
    from phage.graph.paper import PAPER

    gold = results("gold")
    ours = (short(gold["parsers"]["pattern"][signal]["f1"]) for signal in ("term", "func"))
    log = (ROOT / "docs/log.md").read_text(encoding="utf-8")
    beside = re.findall(r"^\| (cite|term|func|both) \| [\d.]+ \(([\d.]+)\)", log, re.MULTILINE)
    utility = " / ".join(mean for _, mean in beside)
    theirs = " / ".join(f"{share.mean:.2f}" for share in PAPER.relations.values())
    yield f"against {gold['patents']} patents read by hand"
    yield f"then {gold['second_set']['patents']} more | {' / '.join(ours)}; "
    yield f"| {utility} | {theirs} |"
    seconds = results("graph")["workers"]["two"]["seconds"]
    yield f"| {results('read')['ratio_seconds']:.1f}; {seconds:.0f} s |"


def from_encoding():
    speed = results("encode-cpu")["ours_over"]["sentence-transformers"]
    found = results("search")["vectors"]["measured"]
    indexed = found["lancedb_ivf_pq"]
    yield f"search among {found['vectors'] // 10**6} M vectors"
    yield f"| {speed:.2f} in speed; {indexed['p50_ms']:.0f} ms, {indexed['recall_at_10']:.1f} |"


def from_small_model():
    def means(row):
        tasks = ("classification macro_f1", "clustering nmi", "retrieval ndcg@100")
        return ", ".join(short(row["measures"][task]["mean"]) for task in tasks)

    def chances(row):
        tasks = ("classification macro_f1", "clustering nmi", "retrieval ndcg@100")
        return ", ".join(chance(row["measures"][task]["against"]["p"]) for task in tasks)

    tables = results("mini/table")["tables"]
    week = tables["Week, trained on both, 400 steps; * differs from no-graph, p < 0.05"]
    both = next(rows for title, rows in tables.items() if "the mean of several seeds" in title)
    shipped, plain = "phage-mini, the mean of 4 seeds (shipped)", "no-graph, the mean of 4 seeds"
    yield f"single seeds (p {chances(week['phage-mini'])});"
    yield f"the latter embedded (p {chances(both[shipped])})"
    single, merged = (
        f"{means(week[one])} → {means(week[other])}"
        for one, other in (("no-graph", "phage-mini"), (plain, shipped))
    )
    yield f"| {single}; {merged} |"
    yield f"| {means(week['no-graph'])} → {means(week['paper'])} |"
    yield f"| {means(week['phage-mini'])} → {means(week['no-graph-mini'])} |"


def from_sources():
    models = results("sources")["models"]
    own, minilm, mpnet = (
        models[name]["subclass@5"] for name in ("phage-mini", "minilm", "all-mpnet-base-v2")
    )
    yield f"{short(own['mean'])} of its five nearest share the subclass (MiniLM"
    apart = [one["first_over_it"] for one in (minilm, mpnet)]
    first, second = (f"{spread(**one)}, p {chance(one['p'])}" for one in apart)
    yield f"{short(minilm['mean'])}, difference {first}"
    yield f"MPNet {short(mpnet['mean'])}, {second}"


def from_comparisons():
    from phage.evaluation.significance import compare_results

    week = ROOT / "results" / "uspto-week"
    apart = {}
    for other in ("MiniLM-L6-mean", "BM25", "MPNet-base-mean"):
        rows = compare_results([week / "phage-mini.json"], [week / f"{other}.json"])
        (row,) = [one for one in rows if (one.task, one.measure) == ("retrieval", "ndcg@100")]
        found = row.difference
        apart[other] = spread(found.value, found.low, found.high), found.p
    (minilm, p), (bm25, q), (mpnet, r) = apart.values()
    assert p < 0.001
    yield f"above MiniLM (mean) by {minilm} (95 % interval, p < .001)"
    yield f"above BM25 by {bm25} (p {chance(q)})"
    yield f"level with MPNet: {mpnet}, p {chance(r)}"


def from_week_table():
    from phage.evaluation.report import make_report
    from phage.evaluation.tables import markdown

    (table,) = [one for one in make_report(ROOT / "results") if one.name == "uspto-week"]
    yield from markdown(table.titles, table.rows).splitlines()


def from_model():
    config = json.loads((ROOT / "src/phage/models/phage-mini/config.json").read_text())
    yield f"phage-mini has {config['num_hidden_layers']} of {config['hidden_size']}"
    recipe = (ROOT / "src/phage/models/phage-mini/recipe.toml").read_text()
    window = re.search(r"^window = (\d+)", recipe, re.MULTILINE)[1]
    yield f"claims of up to {window} tokens"


WRITTEN = {
    "they run 97 % of the lines of src": ("docs/log.md", "97 % of the lines of `src`"),
    ".914 / .963; .990 / .967 |": (
        "docs/log.md",
        ("**0.914** | **0.963**", "**0.990** | **0.967**"),
    ),
    "MPNet-base has 12 layers of 768": ("docs/benchmark.md", "12 layers of 768"),
    "trained on 46,564 English patents": ("docs/decisions.md", "46,564"),
}
"""Figure of the README → the page of the repository that says how it was found, and its words."""
SOURCES = (from_citations, from_gpu, from_graphs, from_encoding, from_small_model, from_sources,
           from_comparisons, from_week_table, from_model)  # fmt: skip
NAMES = re.compile(
    r"MiniLM-L6|H200|Ma-F1|Mi-F1|[Ff]1\b|@\d+|USPTO-70k|CLEF-IP 2011|127\.0\.0\.1|Python 3\.11\+|"
    r"Apache-2\.0|CC BY(?:-NC)?(?:-SA)? \d\.\d|bfloat16"
)
"""Digits that are part of a name, not a figure."""


def flat(text: str) -> str:
    return " ".join(text.split())


def test_every_figure_has_its_source():
    """What the sources say stands in the README; no other figure does."""
    left = flat(re.sub(r"```.*?```|\]\([^)]*\)", " ", TEXT, flags=re.DOTALL))
    for source in SOURCES:
        for told in source():
            told = flat(told)
            assert told in left, (source.__name__, told)
            left = left.replace(told, " ¦ ")
    for told, (page, words) in WRITTEN.items():
        assert told in flat(TEXT), told
        left = left.replace(told, " ¦ ")
        text = flat((ROOT / page).read_text(encoding="utf-8"))
        for word in (words,) if isinstance(words, str) else words:
            assert word in text, (page, word)
    left = NAMES.sub("", left)
    figures = re.findall(r".{0,40}\d.{0,40}", left)
    assert not figures, figures
