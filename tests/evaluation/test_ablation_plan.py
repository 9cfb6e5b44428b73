"""Plans: rows, axes and controls; a small plan run side by side, killed and gone on with."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from phage.claims import write
from phage.cli import app
from phage.errors import PhageError
from phage.evaluation import ablation, ablation_run, ablation_table
from phage.evaluation.ablation_inputs import Inputs
from phage.evaluation.ablation_plan import read_plan
from phage.evaluation.results import load_samples
from phage.invented import invent
from phage.training.recipe_file import load

ROOT = Path(__file__).parents[2]
PLANS = sorted((ROOT / "experiments").rglob("*plan*.toml"))
PLAN = """
base = "recipes/debug.toml"
seeds = [1, 2]
parts = ["test", "validation"]
runs = 1
changes = ["backbone.model={tiny}", "train.max_steps=1", "train.batch=4", "train.save_every=0"]

[data.clef-ip]
kind = "uspto-week"
path = "{folder}/one.jsonl"

[data.other]
kind = "uspto-week"
path = "{folder}/other.jsonl"
tasks = ["classification"]

[rows]
full = "recipes/debug.toml"
no-graph = "recipes/ablations/no-graph.toml"

[each.window]
w32 = {{ changes = ["input.window=32"] }}
w48 = {{ changes = ["input.window=48"] }}

[each.corpus]
one = {{ train = ["clef-ip"] }}
other = {{ train = ["other"] }}
"""


@pytest.fixture
def plan(tmp_path, tiny):
    patents = [invention.patent for invention in invent(160, seed=5)]
    write(patents[:80], tmp_path / "one.jsonl")
    write(patents[80:], tmp_path / "other.jsonl")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.format(tiny=tiny, folder=tmp_path))
    return path


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.parent.name)
def test_every_plan_names_recipes_that_load(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    plan = read_plan(path)
    assert plan.data and len({row.name for row in plan.rows}) == len(plan.rows)
    for row in plan.rows:
        assert row.load(row.seeds[0]).train.seed == row.seeds[0]
        assert set(row.against) <= {other.name for other in plan.rows}


def test_models_for_claim_vectors_are_trained_as_the_controls_are(monkeypatch):
    monkeypatch.chdir(ROOT)
    folder = ROOT / "experiments" / "controls"
    rows = {row.name: row for row in read_plan(folder / "plan.toml").rows}
    for row in read_plan(folder / "claims-plan.toml").rows:
        assert not row.score and row.train == rows[row.name].train
        assert all(row.load(seed) == rows[row.name].load(seed) for seed in row.seeds)


def test_a_plan_that_scores_nothing_has_no_picture(tmp_path):
    with pytest.raises(PhageError, match="not scored"):
        ablation_table.plot({"full": {}}, tmp_path / "ablation.png")


def test_rows_are_multiplied_by_the_axes(plan):
    rows = {row.name: row for row in read_plan(plan).rows}
    assert len(rows) == 8
    row = rows["no-graph/w32/other"]
    assert row.train == ("other",) and row.against == ("full/w32/other",)
    recipe = row.load(2)
    assert (recipe.input.window, recipe.train.seed, recipe.graph.relations) == (32, 2, ())


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("sceds = [1]", "no key 'sceds'"),
        ("seeds = '12'", "seeds are a list of whole numbers"),
        ("seeds = [-1]", "seeds are a list of whole numbers"),
        ('parts = ["tset"]', "not a plan"),
        ("[rows.x]\nchanges = []\nscore = ['nothing']", "scores 'nothing'"),
        ("[data.x]\nkind = 'uspto-week'", "not a plan"),
    ],
)
def test_a_wrong_plan_is_explained(tmp_path, line, wrong):
    path = tmp_path / "plan.toml"
    path.write_text(f"base = 'recipes/debug.toml'\n{line}\n[rows.full]\n")
    with pytest.raises(PhageError, match=wrong) as caught:
        read_plan(path)
    assert str(path) in str(caught.value)


def test_a_plan_runs_side_by_side_and_goes_on(plan, tmp_path, monkeypatch):
    """Two rows, two seeds, two data sets, two windows: nothing is overwritten or repeated."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    inputs = Inputs(read_plan(plan), out / "inputs")
    left = ablation.run_all(inputs, out, ablation.How(deadline=0.0))
    assert len(left) == 16 and all(line.endswith("not begun") for line in left)
    made = {path.name: path.stat().st_mtime_ns for path in (out / "inputs").iterdir()}
    assert sum(name.startswith("train-") for name in made) == 4  # windows and corpora; graphs once

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ablation_run, "_save", killed)  # trained and scored, not yet written
        with pytest.raises(KeyboardInterrupt):
            ablation.run_all(inputs, out, ablation.How())
    assert not list(out.rglob("seed-*.json")) and list(out.rglob("run-1"))
    assert ablation.run_all(inputs, out, ablation.How(jobs=2)) == []
    rows = {path: path.stat().st_mtime_ns for path in out.rglob("seed-*.json")}
    assert len(rows) == 16 and not list(out.rglob("run-*")) and not list(out.rglob("*.error"))
    done = CliRunner().invoke(app, ["ablate", str(plan), "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in rows.items())
    assert all((out / "inputs" / name).stat().st_mtime_ns == at for name, at in made.items())
    _check_table(out, json.loads(done.stdout))


def _check_table(out, row):
    table = ablation_table.from_json(row["table"])
    cells = table["no-graph/w32/other"]
    assert {"clef-ip/macro_f1", "clef-ip/macro_f1/validation", "clef-ip/nmi"} <= set(cells)
    assert {c for c in cells if c.startswith("other")} == {"other/macro_f1", "other/micro_f1"}
    titles = ablation_table.titles(table)
    # The paper's figure stands beside the test score of its own data set, and beside no other.
    assert [t for t in titles if "paper" in t] == ["clef-ip Ma-F1 (paper)", "clef-ip NMI (paper)"]
    assert titles.index("clef-ip Ma-F1 (paper)") == titles.index("clef-ip Ma-F1") + 1
    shown = {line[0]: line for line in ablation_table.rows(table)}
    assert shown["No Graph, w32, other"][titles.index("clef-ip Ma-F1 (paper)")] == _printed(
        "no-graph"
    )
    # Every p comes from the committed samples.
    apart = cells["clef-ip/macro_f1"].against["full/w32/other"]
    again = _recomputed(out, "no-graph/w32/other", "full/w32/other", "clef-ip/classification")
    assert again["macro_f1"] == apart


def _printed(name):
    printed = ablation_table.paper()["ablation"]
    columns = list(zip(printed["data_sets"], printed["measures"], strict=True))
    values = next(row["values"] for row in printed["rows"] if row["recipe"] == name)
    return f"{values[columns.index(('clef-ip', 'macro_f1'))]:.3f}"


def _recomputed(out, one, other, task):
    from phage.evaluation.randomisation import chances, judge
    from phage.evaluation.tasks import Kind

    sides = [
        [load_samples(out / name / f"seed-{seed}.npz")[task] for seed in (1, 2)]
        for name in (one, other)
    ]
    found = chances(Kind.CLASSIFICATION, *sides, place=task)
    return {name: judge(name, [chance]) for name, chance in found.items()}


def test_a_failed_run_does_not_end_the_others(plan, tmp_path):
    axis = '[each.window]\nw48 = { changes = ["input.window=48"] }\n'
    plan.write_text(plan.read_text().split("[each.window]")[0] + axis)
    out = tmp_path / "out"
    inputs = Inputs(read_plan(plan, seeds=1), out / "inputs")
    broken = inputs.plan.rows[0]
    place = out / broken.name / "run-1"
    place.mkdir(parents=True)
    (place / "checkpoints").mkdir()
    (place / "checkpoints" / "step-000001").mkdir()  # of nothing
    left = ablation.run_all(inputs, out, ablation.How(jobs=2))
    assert len(left) == 1 and left[0].startswith(broken.name) and "damaged" in left[0]
    assert len(list(out.rglob("seed-*.json"))) == 1


def test_inputs_of_another_file_are_refused(plan, tmp_path):
    inputs = Inputs(read_plan(plan), tmp_path / "inputs")
    inputs.tasks("other")
    write([invention.patent for invention in invent(60, seed=9)], tmp_path / "other.jsonl")
    from phage.evaluation import ablation_inputs

    ablation_inputs._hash.cache_clear()
    with pytest.raises(PhageError, match="file other than"):
        inputs.tasks("other")


def test_controls_change_edges_and_nothing_else(tmp_path, tiny):
    from phage.evaluation.ablation_plan import DataSet, Plan, Row
    from phage.training.controls import controlled

    write([invention.patent for invention in invent(80)], tmp_path / "some.jsonl")
    data = DataSet("week", "uspto-week", str(tmp_path / "some.jsonl"))
    lines = [f"backbone.model={tiny}", "input.window=400"]
    recipe = load("recipes/debug.toml", lines)
    row = Row("full", ROOT / "recipes/debug.toml")
    true = Inputs(Plan((row,), (data,)), tmp_path / "inputs").patents(["week"], recipe)
    for name in ("random-pairs", "rewired", "other-patent"):
        asked = load("recipes/debug.toml", [*lines, f"graph.control={name}"])
        attention, loss = controlled(true, asked)
        again = controlled(true, asked)[1]
        assert np.array_equal(loss.edges, again.edges) and loss.numbers == true.numbers
        assert (attention is true) == (name == "random-pairs")
        assert np.array_equal(loss.ids, true.ids) and not np.array_equal(loss.edges, true.edges)
        assert (loss.edges[:, 1] < loss.edges[:, 0]).all()
        if name != "other-patent":
            assert np.array_equal(loss.ends, true.ends)  # as many edges in every patent
            assert sorted(loss.edges[:, 2]) == sorted(true.edges[:, 2])
        if name == "rewired":
            for a, b in zip(true.ends[:-1], true.ends[1:], strict=True):
                for column in (0, 1):
                    degrees = [np.sort(one.edges[a:b, column]) for one in (true, loss)]
                    assert np.array_equal(*degrees)
    assert controlled(true, recipe) == (true, true)


def test_the_small_models_table_follows_from_its_rows(monkeypatch):
    """Every score of results/mini/table.json, from the rows beside it."""
    import importlib.util

    place = ROOT / "experiments" / "mini" / "table.py"
    spec = importlib.util.spec_from_file_location("mini_table", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(ROOT)
    table = json.loads(Path("results/mini/table.json").read_text(encoding="utf-8"))
    assert module.again(table, module.read_rows(Path("results/mini"))) == table
    assert module.markdown(table) == Path("results/mini/table.md").read_text(encoding="utf-8")
