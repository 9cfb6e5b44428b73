"""What the README says works, works; every figure in it and in docs/results.md has its source."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phage.cli import COMMANDS, app

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def masked(line: str) -> str:
    """Leave scores out: their last digit may differ between processors."""
    return re.sub(r"\d+\.\d{3}", "…", line.rstrip())


def test_the_lines_run_and_print_what_is_shown(tmp_path, monkeypatch):
    """Where a shown line ends in "…", or "…" stands alone, the true output goes on."""
    pytest.importorskip("lancedb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = re.findall(r"^\$ (.+)\n((?:[^$].*\n)*)", "".join(blocks("console")), re.MULTILINE)
    assert len(commands) == 4
    for line, shown in commands:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        assert done.exit_code == (1 if " check " in line else 0), (line, done.output)
        printed = [masked(one) for one in done.output.splitlines()]
        for one in shown.splitlines():
            start = masked(one.removesuffix("…"))
            assert any(other.startswith(start) for other in printed), (line, one, done.output)
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)  # noqa: S102  (our own)
    assert names["findings"] and names["graph"].edges and len(names["hits"]) == 1


def test_commands_and_links_exist():
    for name in re.findall(r"`phage ([a-z-]+)", TEXT):
        assert name in COMMANDS, name
    for target in re.findall(r"\]\((?!http)([^)#]+)", TEXT):
        assert (ROOT / target).exists(), target


def test_the_commands_for_newcomers_are_make_targets():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {"demo", "demo-train", "docs", "test"} <= set(targets)


def results(name: str):
    return json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))


def short(value: float, digits: int = 3) -> str:
    """Write a score as the tables do: .203, -.008."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def chance(p: float) -> str:
    """Write a p-value: two digits, three where that would be .00 or too coarse."""
    return short(p, 2 if round(p, 3) >= 0.01 else 3)


def p_value(p: float) -> str:
    return "< .001" if p < 0.001 else chance(p)


def full(p: float) -> str:
    """Write a p-value as the README does: 0.44, like the scores beside it."""
    return f"p = {p:.2f}"


def spread(difference: float, low: float, high: float, p: float = 0.0) -> str:
    """Write a difference with its interval as two cells of a table."""
    return f"{short(difference)} | [{short(low)}, {short(high)}]"


def from_citations():
    week = results("citations")["week"]
    full, raw = week["full"], week["raw"]
    assert raw["recall"] == 1.0
    assert "it found every claim reference that the patent office had tagged" in flat(TEXT)
    assert "and few false ones" in flat(TEXT) and full["precision"] > 0.999
    for told in (
        f"one USPTO week of {week['patents']:,} grants",
        f"the {week['reissued']} reissues are left out",
        f"the references as marked | {raw['precision']:.4f} | {raw['recall']:.4f} |",
        f"after ranges are expanded | {full['precision']:.4f} | {full['recall']:.4f} |",
        f"{week['patents']:,} grants of 2014-01-07",
    ):
        yield RESULTS, told


def from_check():
    recall = results("check")["recall"]
    missing = recall["rule antecedent-missing"]["errors_and_warnings"]
    hardest = min(("renamed", "several"), key=lambda kind: recall[kind]["errors_and_warnings"])
    assert hardest == "renamed"
    yield TEXT, f"PHAGE reported {missing * 100:.0f} % of the plainest"
    alarms = results("check")["alarms"]["all"]["antecedent_per_patent"]
    yield TEXT, f"A granted patent gets {alarms:.1f} antecedent findings on average"
    yield TEXT, f"and {recall[hardest]['errors_and_warnings'] * 100:.0f} % of the hardest"
    yield RESULTS, f"a missing antecedent, plain kinds | {missing:.3f} |"
    for name, kinds in (
        ("harder kinds", ("renamed", "several")),
        ("planted in other ways", ("named", "any_name", "removed", "appended")),
    ):
        shares = sorted(recall[kind]["errors_and_warnings"] for kind in kinds)
        yield RESULTS, f"a missing antecedent, {name} | {shares[0]:.3f} to {shares[-1]:.3f} |"
    lost = recall["rule reference-missing"]["errors_and_warnings"]
    yield RESULTS, f"refers to a missing claim | {lost:.3f} |"
    with (ROOT / "results" / "check-read.tsv").open(encoding="utf-8") as lines:
        read = list(csv.DictReader(lines, delimiter="\t"))
    assert len(read) == 100
    one, other = (sum(row[reader] == "real" for row in read) for reader in ("first", "second"))
    yield TEXT, f"one called {one} real, the other {other}"
    yield RESULTS, f"One called {one} of them real and the other {other}"


def from_gpu():
    step = results("step-h200")["cases"]["bert-large"]["ratios"][0]
    ratio = f"{step['guided_over_plain_time']:.2f} times as long"
    size = f"{step['batch']} × {step['tokens']} tokens"
    yield RESULTS, f"BERT-large step of {size}, compared with a plain one (H200) | {ratio} |"
    sizes = [one for one in results("attention-h200")["sizes"] if one["batch"] != 24]
    yield RESULTS, " | ".join(f"{one['tokens']:,} tokens" for one in sizes)
    yield RESULTS, " | ".join(f"{one['kernel_over_flash']['replayed']:.2f}" for one in sizes)
    times = sizes[0]["ms"]
    dense = times["dense"]["eager"] / times["kernel"]["eager"]
    yield RESULTS, f"compared with a dense mask (H200) | {dense:.1f} times as fast |"
    packed = results("train-h200")["variants"]["guided, compiled, packed rows"]
    hours = f"{packed['hours_for_the_papers_run']:.2f}"
    yield RESULTS, f"| {packed['tflops_useful']:.0f} useful TFLOP/s |"
    yield RESULTS, f"whole run at that rate | {hours} h |"


def from_graphs():
    from phage.graph.paper import PAPER

    gold = results("gold")
    ours = " | ".join(short(gold["parsers"]["pattern"][one]["f1"]) for one in ("term", "func"))
    counted = results("functional") | {"paper": PAPER.to_json()}
    yield RESULTS, f"| {gold['patents']} patents | {ours} |"
    yield RESULTS, f"{gold['second_set']['patents']} further patents"
    second = gold["second_set"]["parsers"]["pattern"]
    fixed = " | ".join(short(second[one]["f1"]) for one in ("term", "func"))
    yield RESULTS, f"the same, after errors were fixed | {fixed} |"
    names = {"forward": "utility grants", "both": "in both directions", "paper": "the paper"}
    for key, name in names.items():
        means = [f"{row['mean']:.2f}" for row in counted[key]["relations"].values()]
        yield RESULTS, f"{name} | {' | '.join(means)} |"
    yield RESULTS, f"a bare lxml pass | {results('read')['ratio_seconds']:.1f} times as long |"
    seconds = results("graph")["workers"]["two"]["seconds"]
    yield RESULTS, f"the week on two cores | {seconds:.0f} s |"


def from_encoding():
    speed = results("encode-cpu")["ours_over_by_processor_time"]["sentence-transformers"]
    found = results("search")["vectors"]["measured"]
    indexed = found["lancedb_ivf_pq"]
    yield RESULTS, f"sentence-transformers | {speed:.2f} times as fast |"
    yield RESULTS, (f"search among the vectors of {found['vectors'] // 10**6} M claims, median, two cores | "
                    f"{indexed['p50_ms']:.0f} ms, recall@10 of {indexed['recall_at_10']:.3f} |")  # fmt: skip


TASKS = ("classification macro_f1", "clustering nmi", "retrieval ndcg@100")


def from_small_model():
    def means(row):
        return [row["measures"][task]["mean"] for task in TASKS]

    def chances(row):
        return " | ".join(chance(row["measures"][task]["against"]["p"]) for task in TASKS)

    tables = results("mini/table")["tables"]
    week = tables["Week, trained on both, 400 steps; * differs from no-graph, p < 0.05"]
    both = next(rows for title, rows in tables.items() if "the mean of several seeds" in title)
    shipped = both["phage-mini, the mean of 4 seeds (shipped)"]
    for name, row in (
        ("No Graph, as in the paper", week["no-graph"]),
        ("PHAGE, as in the paper", week["paper"]),
        ("the earlier phage-mini's recipe without the graph", week["no-graph-mini"]),
        ("the earlier phage-mini's recipe", week["phage-mini"]),
        ("No Graph, averaged weights of four seeds", both["no-graph, the mean of 4 seeds"]),
        ("**the earlier phage-mini, averaged weights of four seeds**", shipped),
    ):
        yield RESULTS, f"| {name} | {' | '.join(map(short, means(row)))} |"
    yield RESULTS, f"its p against No Graph | {chances(week['phage-mini'])} |"
    yield RESULTS, f"its p against the averaged No Graph | {chances(shipped)} |"
    level = tables["Week, trained on both, 400 steps; * differs from no-graph-mini"]["phage-mini"]
    for row in (level, week["paper"]):
        found = row["measures"]["retrieval ndcg@100"]["against"]
        assert found["p"] > 0.05
    assert "were not significantly better at finding similar patents than otherwise" in flat(TEXT)
    title = (
        "Week, trained on both, 200 steps, the earlier teacher; * differs from no-graph-untaught"
    )
    untaught = tables[title]
    one, other = (means(untaught[name])[-1] for name in ("untaught", "no-graph-untaught"))
    p = untaught["untaught"]["measures"]["retrieval ndcg@100"]["against"]["p"]
    yield (
        RESULTS,
        f"reach {short(one)}. The recipe without both reaches {short(other)}. That difference is not significant either (p {chance(p)})",
    )


def from_sources():
    models = results("sources")["models"]
    names = {"minilm": "MiniLM-L6 (mean)", "all-mpnet-base-v2": "MPNet-base (mean)"}
    own = [short(models["phage-mini"][one]["mean"]) for one in ("subclass@5", "ndcg@10")]
    yield RESULTS, f"| phage-mini | {own[0]} | | {own[1]} | |"
    for model, name in names.items():
        cells = []
        for one in ("subclass@5", "ndcg@10"):
            row = models[model][one]
            cells += [short(row["mean"]), chance(row["first_over_it"]["p"])]
        yield RESULTS, f"| {name} | {' | '.join(cells)} |"
    assert results("sources")["sets"] == 167
    yield RESULTS, "167 English claim sets"


def from_comparisons():
    from phage.evaluation.significance import compare_results

    week = ROOT / "results" / "uspto-week"
    names = {"MiniLM-L6 (mean)": "MiniLM-L6-mean", "BM25": "BM25"}
    for name, file in {**names, "MPNet-base (mean)": "MPNet-base-mean"}.items():
        rows = compare_results([week / "phage-mini.json"], [week / f"{file}.json"])
        (row,) = [one for one in rows if (one.task, one.measure) == ("retrieval", "ndcg@100")]
        found = row.difference
        yield (
            RESULTS,
            f"| {name} | {spread(found.value, found.low, found.high)} | {p_value(found.p)} |",
        )


def from_week_table():
    from phage.evaluation.report import make_report
    from phage.evaluation.tables import markdown

    (table,) = [one for one in make_report(ROOT / "results") if one.name == "uspto-week"]
    for line in markdown(table.titles, table.rows).splitlines():
        yield RESULTS, line


MEASURES = (("classification", "micro_f1"), ("classification", "macro_f1"), ("clustering", "nmi"),
            ("retrieval", "ndcg@100"))  # fmt: skip


def from_whole_patents():
    """Of every model: four measures of the week, then one of the Indian patents and of A61B 5."""
    sets = results("whole/scores")["data_sets"]
    rows = (
        ("phage-mini", f"**phage-mini** | {layers()}", "phage-mini ([JSON](../results/whole/scores.json))"),
        ("mpnet", "all-mpnet-base-v2 | 12 × 768", "MPNet-base (mean)"),
        ("phage-base", "", "phage-base, not in the package"),
        ("former", "", "the earlier phage-mini"),
        ("gte-small", "gte-small, the base of phage-mini | 12 × 384", "gte-small (mean), the base of phage-mini"),
        ("minilm", "all-MiniLM-L6-v2 | 6 × 384", "MiniLM-L6 (mean)"),
        ("bm25", "BM25 | –", "BM25"),
    )  # fmt: skip
    for model, name, long_name in rows:

        def cell(data_set, task, measure, model=model):
            found = sets[data_set]["models"].get(model, {}).get(task, {})
            return f"{found[measure]:.3f}" if measure in found else ""

        week = [cell("uspto-week", *one) for one in MEASURES]
        cells = [*week, cell("cited-pairs", *MEASURES[3]), cell("ipc-groups", *MEASURES[0])]
        line = f"| {long_name} | {' | '.join(cells)} |"
        yield RESULTS, prose(re.sub(r" {2,}", " ", line))
        if name:
            columns = (week[1], week[3], cells[4])
            yield TEXT, f"| {name} | {' | '.join(one or '–' for one in columns)} |"
        if model == "bm25":
            yield TEXT, f"words alone (BM25) {week[3]}"

    def lead(data_set, other, task="retrieval"):
        rows = sets[data_set]["phage-mini minus"][other]
        (found,) = [row for row in rows if (row["task"], row["measure"]) == (task, "ndcg@100")]
        assert found["value"] > 0
        return found

    for model, _, long_name in rows[1:]:
        found = [lead("uspto-week", model), lead("uspto-week", model, "retrieval-all"),
                 lead("cited-pairs", model)]  # fmt: skip
        apart = [f"{short(d['value'])} [{short(d['low'])}, {short(d['high'])}], p {p_value(d['p'])}"
                 for d in found]  # fmt: skip
        yield RESULTS, f"| {long_name} | {' | '.join(apart)} |"
    for data_set, other in (
        ("uspto-week", "bm25"),
        *(("cited-pairs", m) for m in ("mpnet", "gte-small", "bm25")),
    ):
        assert lead(data_set, other)["p"] < 0.001
    assert "lead over BM25 in NDCG@100 is significant in both columns" in flat(TEXT)
    mpnet, gte = (full(lead("uspto-week", m)["p"]) for m in ("mpnet", "gte-small"))
    chance = f"{mpnet} and {gte.removeprefix('p = ')}"
    yield TEXT, f"significant on the Indian patents, but not on the US grants ({chance})"


def from_search():
    from phage.searching.ranking import WEIGHT

    found = results("retrieval")
    week, indian = (found[f"{one}/test/phage-mini/whole"] for one in ("week", "indian"))
    both = [one["by_weight"][str(WEIGHT)] for one in (week, indian)]
    assert WEIGHT == 0.8 and both[0] < week["vector"] and both[1] > indian["vector"]
    yield TEXT, f"the default of `phage search` | {layers()} | – | {both[0]:.3f} | {both[1]:.3f} |"
    yield TEXT, f"the default search (phage-mini and words together) scored {both[0]:.3f}"
    for name, scores in (
        ("vectors alone", (week["vector"], indian["vector"])),
        ("words alone", (week["words"], indian["words"])),
        ("both, as `phage search` does", both),
    ):
        yield RESULTS, f"| {name} | {' | '.join(f'{one:.3f}' for one in scores)} |"


def from_findings():
    page = flat((ROOT / "docs" / "findings.md").read_text(encoding="utf-8"))
    counted = re.findall(
        r"Of (\d+) differences with [^,]+, (\d+) favour the true edges and (\d+) a", page
    )
    assert len(counted) == 2
    compared, true, false = (sum(map(int, column)) for column in zip(*counted, strict=True))
    times = ("no", "one", "two", "three", "four", "five", "six")
    yield (
        TEXT,
        f"In {compared} comparisons, true links were significantly better {times[true]} times, and false links {times[false]} times",
    )


def layers() -> str:
    config = json.loads((ROOT / "src/phage/models/phage-mini/config.json").read_text())
    return f"{config['num_hidden_layers']} × {config['hidden_size']}"


def from_model():
    yield RESULTS, f"phage-mini has {layers().replace('×', 'of')}"
    origin = json.loads((ROOT / "src/phage/models/phage-mini/provenance.json").read_text())
    patents = f"{origin['patents']:,}"
    yield RESULTS, f"trained on {patents} English patents"
    size = (ROOT / "src/phage/models/phage-mini/model.safetensors").stat().st_size
    yield TEXT, f"a {size / 1e6:.0f} MB model"
    leaks = results("uspto-week/phage-mini")["leakage"]
    assert (leaks["trained"], leaks["leaked"]) == (origin["patents"], 0)
    yield RESULTS, f"Its {patents} training patents were compared"


WRITTEN = {
    "The tests run 97 % of the lines of `src`": ("docs/log.md", "97 % of the lines of `src`"),
    "not used to write the rules | .914 | .963 |": ("docs/log.md", "**0.914** | **0.963**"),
    "| .990 | .967 |": ("docs/log.md", "**0.990** | **0.967**"),
    "MPNet-base has 12 layers of 768": ("docs/benchmark.md", "12 layers of 768"),
    "make and 8 GB of disk space": ("docs/README.md", "4 GB instead of 8"),
    "F1 was at least 0.91 for each type": (
        "docs/results.md",
        "not used to write the rules | .914 | .963 |",
    ),
    "on 35 patents not used to write the rules": ("docs/results.md", "the half of them"),
}
"""Figure of one of the two pages → the page that says how it was found, and its words there."""
SOURCES = (from_citations, from_check, from_gpu, from_graphs, from_encoding, from_small_model,
           from_sources, from_comparisons, from_week_table, from_whole_patents, from_search, from_model,
           from_findings)  # fmt: skip
NAMES = re.compile(
    r"all-mpnet-base-v2|all-MiniLM-L6-v2|MiniLM-L6|BM25|H200|Ma-F1|Mi-F1|macro-F1|\bF1\b|@\d+|USPTO-70k|CLEF-IP 2011|Python 3\.11(?:, 3\.12 and 3\.13)?|"
    r"Apache-2\.0|http://127\.0\.0\.1:8000|CC BY(?:-NC)?(?:-SA)? \d\.\d|bfloat16|95 % intervals|A61B(?: 5)?|[Cc]laim \d\b|\"claims 1 to 5\""
)
"""Digits that are part of a name or a quotation, not a figure."""


def flat(text: str) -> str:
    return " ".join(text.split())


def prose(text: str) -> str:
    return re.sub(r"```.*?```|\]\([^)]*\)", " ", text, flags=re.DOTALL)


def test_every_figure_has_its_source():
    """What the sources give stands in the two pages; no other figure does."""
    left = {page: flat(prose(page)) for page in (TEXT, RESULTS)}
    expected = [flat_pair for source in SOURCES for flat_pair in source()]
    for page, told in sorted(expected, key=lambda pair: -len(pair[1])):
        assert flat(told) in flat(prose(page)), told
        left[page] = left[page].replace(flat(told), " ¦ ")
    for told, (place, words) in WRITTEN.items():
        pages = [page for page in left if told in flat(page)]
        assert pages, told
        for page in pages:
            left[page] = left[page].replace(told, " ¦ ")
        assert words in flat((ROOT / place).read_text(encoding="utf-8")), (place, words)
    for text in left.values():
        figures = re.findall(r".{0,40}\d.{0,40}", NAMES.sub("", text))
        assert not figures, figures


def test_no_sentence_of_the_readme_has_more_than_two_figures():
    lines = [line for line in prose(TEXT).splitlines() if not line.startswith("|")]
    for paragraph in re.split(r"\n\s*\n|\n- |\n#", "\n".join(lines)):
        for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z*`])", NAMES.sub("", flat(paragraph))):
            assert len(re.findall(r"\d[\d.,]*", sentence)) <= 2, sentence
