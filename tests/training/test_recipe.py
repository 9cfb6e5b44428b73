"""Every shipped recipe parses; a wrong one is refused with the right key named."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from phage.errors import PhageError
from phage.training.optimiser import DECAY
from phage.training.recipe import Recipe
from phage.training.recipe_file import from_values, load, to_toml, to_values
from phage.training.recipe_keys import GONE, KEYS

RECIPES = Path(__file__).parents[2] / "recipes"
ABLATIONS = sorted((RECIPES / "ablations").glob("*.toml"))

DIFFERENCES = {
    "no-graph": {"graph.relations": []},
    "cite-only": {"graph.relations": ["cite"]},
    "without-term": {"graph.relations": ["cite", "func", "both"]},
    "without-func": {"graph.relations": ["cite", "term", "both"]},
    "without-both": {"graph.relations": ["cite", "term", "func"]},
    "without-mask": {"guidance.mask": False},
    "without-bias": {"guidance.bias": False},
    "without-mask-and-bias": {"guidance.mask": False, "guidance.bias": False},
    "document-only": {"loss.claim": 0.0},
    "claim-only": {"loss.document": 0.0},
    "uniform-weights": {"loss.relation_weights": "uniform"},
}


def flat(recipe):
    return {
        f"{section}.{key}": value
        for section, row in to_values(recipe).items()
        if isinstance(row, dict)
        for key, value in row.items()
    }


def test_phage_large_is_the_papers_table():
    recipe = load(RECIPES / "phage-large.toml")
    train, loss = recipe.train, recipe.loss
    assert recipe.backbone.model == "anferico/bert-for-patents"
    assert (recipe.input.window, recipe.input.fit) == (512, "prefix")
    assert (train.batch, train.accumulation, train.epochs) == (4, 128, 5)
    assert (train.learning_rate, DECAY) == (2e-5, 0.01)
    assert (loss.temperature, loss.claim_temperature, loss.claim) == (0.05, 0.05, 1.0)
    assert recipe.graph.relations == ("cite", "term", "func", "both")
    assert recipe.guidance.mask and recipe.guidance.bias
    assert loss.document == 1.0 and loss.relation_weights == "learned"
    # beyond the paper: off
    assert recipe.guidance.probability == 1.0
    assert (loss.negatives, loss.claim_negatives, loss.views) == ("one", "own", 0.0)
    assert (train.schedule, train.average) == ("constant", 0.0)
    assert (loss.distill, loss.classify, loss.teacher) == (0.0, 0.0, "")
    assert (recipe.backbone.pooling, recipe.sampling.level) == ("cls", "subclass")
    assert (recipe.sampling.balance, recipe.sampling.nearest) == (1.0, 0)


def test_eleven_ablations():
    assert {path.stem for path in ABLATIONS} == set(DIFFERENCES)


@pytest.mark.parametrize("path", ABLATIONS, ids=lambda path: path.stem)
def test_an_ablation_differs_in_its_own_lines_only(path):
    full, variant = flat(load(RECIPES / "phage-large.toml")), flat(load(path))
    changed = {key: variant[key] for key in full if variant[key] != full[key]}
    assert changed == DIFFERENCES[path.stem]
    assert load(path).name == path.stem


def test_no_graph_is_neither_guided_nor_aligned():
    recipe = load(RECIPES / "ablations" / "no-graph.toml")
    assert not (recipe.guided or recipe.biased or recipe.aligned or recipe.weighted)


def test_an_ablation_of_another_base():
    recipe = load(ABLATIONS[0], base=RECIPES / "mini" / "untaught.toml")
    assert "minilm" in recipe.backbone.model


@pytest.mark.parametrize("path", sorted(RECIPES.rglob("*.toml")), ids=lambda path: path.stem)
def test_every_recipe_survives_writing(path, tmp_path):
    recipe = load(path)
    (tmp_path / "again.toml").write_text(to_toml(recipe))
    assert load(tmp_path / "again.toml") == recipe


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"train": {"bacth": 4}}, ["train.bacth", "train.batch"]),
        ({"train": {"temperature": 0.1}}, ["train.temperature", "loss.temperature"]),
        ({"trian": {"batch": 4}}, ["trian", "[train]"]),
        ({"Train": {"batch": 4}}, ["Train", "[train]"]),
        ({"optimizer": {"lr": 4}}, ["optimizer", "[backbone]", "[sampling]"]),
        ({"loss": {"lambda": 1.0}}, ["loss.lambda", "loss.claim"]),
        ({"train": {"batch": 0}}, ["train.batch", "1 or more"]),
        ({"train": {"batch": "four"}}, ["train.batch", "whole number"]),
        ({"train": {"batch": True}}, ["train.batch", "whole number"]),
        ({"train": {"batch": 2.5}}, ["train.batch", "whole number"]),
        ({"train": {"learning_rate": -1.0}}, ["train.learning_rate", "above 0"]),
        ({"train": {"precision": "fp8"}}, ["train.precision", "bf16, fp32"]),
        ({"loss": {"temperature": 0}}, ["loss.temperature", "above 0"]),
        ({"loss": {"document": 0, "claim": 0}}, ["loss.document"]),
        ({"loss": {"claim": False}}, ["loss.claim = false", "false is written 0"]),
        ({"graph": {"relations": ["cites"]}}, ["graph.relations", "both, cite, func, term"]),
        ({"graph": {"relations": "cite"}}, ["graph.relations", "list"]),
        ({"graph": {"relations": []}, "loss": {"document": 0}}, ["graph.relations"]),
        ({"graph": {"relations": ["cite", "cite"]}}, ["graph.relations", "once"]),
        ({"loss": {"document": 0, "claim": 0, "views": 0}}, ["no loss to learn from"]),
        (
            {"graph": {"relations": []}, "loss": {"document": 0, "claim": 0, "views": 1}},
            ["graph.relations", "no loss"],
        ),
        ({"train": {"learning_rate": float("inf")}}, ["train.learning_rate", "1 or less"]),
        ({"train": {"learning_rate": 10**400}}, ["train.learning_rate", "1 or less"]),
        ({"loss": {"temperature": float("nan")}}, ["loss.temperature", "above 0"]),
        ({"train": {"seed": 2**63}}, ["train.seed"]),
        ({"guidance": {"probability": 1.5}}, ["guidance.probability"]),
        ({"input": {"fit": "middle"}}, ["input.fit", "balanced, prefix"]),
        ({"input": {"window": 2}}, ["input.window", "8 or more"]),
        ({"input": {"section": "ta"}}, ["input.section", "claims, tac, varied"]),
        ({"train": 4}, ["train", "[train]"]),
        ({"backbone": {"pooling": "max"}}, ["backbone.pooling", "cls, mean"]),
        ({"loss": {"negatives": "all"}}, ["loss.negatives", "pairs"]),
        ({"loss": {"view": "quarter"}}, ["loss.view", "first, half, sections, whole"]),
        ({"loss": {"distill": -1}}, ["loss.distill", "0 or more"]),
        ({"loss": {"teacher": "vectors"}}, ["loss.distill", "loss.teacher"]),
        ({"loss": {"distill": 1}}, ["loss.distill", "loss.teacher"]),
        ({"sampling": {"level": "section"}}, ["sampling.level", "adaptive"]),
        ({"sampling": {"balance": 2}}, ["sampling.balance"]),
        (
            {"sampling": {"nearest": 3}, "loss": {"teacher": "vectors"}},
            ["loss.document = 0", "sampling.nearest"],
        ),
        ({"train": {"average": 1.0}}, ["train.average"]),
    ],
)
def test_a_wrong_recipe_names_its_key(values, said):
    with pytest.raises(PhageError) as caught:
        from_values(values)
    for part in said:
        assert part in str(caught.value)


@pytest.mark.parametrize("key", sorted(GONE))
def test_a_key_of_an_earlier_version_says_what_became_of_it(key):
    section, _, name = key.partition(".")
    with pytest.raises(PhageError) as caught:
        from_values({section: {name: 1}}, place="old/recipe.toml")
    assert key in caught.value.message and GONE[key] in caught.value.remedy
    assert caught.value.place == "old/recipe.toml" and key not in KEYS
    named = re.findall(r"(?:loss|train|sampling|backbone)\.[a-z_]+", GONE[key])
    assert set(named) <= set(KEYS)


def test_an_old_key_with_the_value_that_all_runs_had_is_accepted():
    assert from_values({"train": {"weight_decay": 0.01, "batch": 8}}).train.batch == 8


def test_all_old_keys_are_named_at_once():
    with pytest.raises(PhageError, match=r"loss\.keep, train\.pull"):
        from_values({"loss": {"keep": 1.0}, "train": {"pull": 1.0}})


def test_at_most_45_keys_and_each_is_used_by_a_recipe():
    used = {
        f"{section}.{key}"
        for path in RECIPES.rglob("*.toml")
        for section, row in tomllib.loads(path.read_text()).items()
        if isinstance(row, dict)
        for key in row
    }
    assert len(KEYS) <= 45
    assert set(KEYS) - used == set()


def test_the_file_is_named(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[train]\nepoch = 3\n")
    with pytest.raises(PhageError, match=r"train\.epoch[\s\S]*mine\.toml[\s\S]*train\.epochs"):
        load(path)
    path.write_text("[train\n")
    with pytest.raises(PhageError, match="not TOML"):
        load(path)
    with pytest.raises(PhageError, match="no recipe"):
        load(tmp_path / "absent.toml")
    with pytest.raises(PhageError, match="directory"):
        load(tmp_path)
    path.write_text('base = "mine.toml"\n')
    with pytest.raises(PhageError, match="circle"):
        load(path)
    path.write_text('base = "other.toml"\n')
    with pytest.raises(PhageError, match=r"other\.toml to start from[\s\S]*mine\.toml"):
        load(path)
    path.write_text("base = 3\n")
    with pytest.raises(PhageError, match=r"base is 3[\s\S]*mine\.toml"):
        load(path)
    path.write_text("[train]\nbatch = 8\n", encoding="utf-8-sig")
    assert load(path).train.batch == 8


def test_changes_from_the_command_line():
    path = RECIPES / "debug.toml"
    recipe = load(path, ["train.seed=3", "graph.relations=['cite']", "backbone.model=some/where"])
    assert (recipe.train.seed, recipe.graph.relations) == (3, ("cite",))
    assert recipe.backbone.model == "some/where"
    with pytest.raises(PhageError, match=r"train\.sed"):
        load(path, ["train.sed=3"])
    with pytest.raises(PhageError, match=r"train\.seed=3"):
        load(path, ["seed"])
    with pytest.raises(PhageError, match="--base"):
        load(path, ["base=phage-mini.toml"])


def test_odd_names_survive_writing(tmp_path):
    recipe = replace(Recipe(), name='a\n"b"\\\t\x7fé')
    (tmp_path / "odd.toml").write_text(to_toml(recipe))
    assert load(tmp_path / "odd.toml") == recipe


def test_a_recipe_is_frozen():
    with pytest.raises(AttributeError):
        Recipe().name = "other"
    assert replace(Recipe(), name="other").name == "other"
