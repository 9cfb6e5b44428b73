"""What a run may go on from, and what it says of the rest."""

import fcntl
import json
import shutil

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from phage.errors import PhageError
from phage.storage import sha256
from phage.training.checkpoint import checkpoints
from phage.training.data import TrainingSet
from phage.training.loop import Options, train


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return tmp_path_factory.mktemp("ran")


FILES = (
    "trainer/state.json", "trainer/optimizer.safetensors", "recipe.toml", "model.safetensors",
    "relations.safetensors", "tokenizer.json", "config.json",
)  # fmt: skip


def damage(whole: bytes, how: str) -> bytes:
    """Cut a file, or turn bits in its last third, where the numbers lie."""
    if how == "cut":
        return whole[:20]
    turned = bytearray(whole)
    for place in range(2 * len(whole) // 3, len(whole), 50):
        turned[place] ^= 0x7F
    return bytes(turned)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("how", ["cut", "gone", "turned"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_goes_on(
    recipe_of, data_of, ran, name, how
):
    recipe = recipe_of(train={"max_steps": 2, "save_every": 1})
    data = data_of(recipe)
    if not checkpoints(ran):
        train(recipe, data, ran)
    damaged = checkpoints(ran)[-1]
    path = damaged / name
    whole = path.read_bytes()
    published = (ran / "model.safetensors").read_bytes()
    path.unlink()
    if how != "gone":
        path.write_bytes(damage(whole, how))
    try:
        with pytest.raises(PhageError, match="damaged") as caught:
            train(recipe, data, ran, Options(resume=True))
        assert caught.value.place == str(damaged) and "delete" in caught.value.remedy
        assert (ran / "model.safetensors").read_bytes() == published
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize("name", FILES[1:])
def test_weights_that_were_damaged_are_never_published(recipe_of, data_of, tmp_path, name):
    """Resumed to the end: the one way in which a damaged checkpoint became a model."""
    recipe = recipe_of(train={"max_steps": 1, "save_every": 1})
    data = data_of(recipe)
    train(recipe, data, tmp_path)
    (tmp_path / "model.safetensors").unlink()
    path = checkpoints(tmp_path)[-1] / name
    path.write_bytes(damage(path.read_bytes(), "turned"))
    with pytest.raises(PhageError, match="damaged"):
        train(recipe, data, tmp_path, Options(resume=True))
    assert not (tmp_path / "model.safetensors").exists()
    shutil.rmtree(checkpoints(tmp_path)[-1])  # the remedy
    train(recipe, data, tmp_path, Options(resume=True))
    assert (tmp_path / "modules.json").exists()


def test_a_checkpoint_of_an_earlier_version_is_refused(recipe_of, data_of, tmp_path):
    """Its recipe has keys that nobody knows any more; deleting it would be the wrong advice."""
    recipe = recipe_of(train={"max_steps": 1, "save_every": 1})
    data = data_of(recipe)
    train(recipe, data, tmp_path)
    (found,) = checkpoints(tmp_path)
    text = (found / "recipe.toml").read_text().replace("[train]", "[train]\nkeep = 2\npull = 0.0")
    (found / "recipe.toml").write_text(text)
    settled(found, "recipe.toml")
    with pytest.raises(
        PhageError, match=r"earlier version[\s\S]*train\.keep, train\.pull"
    ) as refused:
        train(recipe, data, tmp_path, Options(resume=True))
    assert "-o" in refused.value.remedy and "delete" not in refused.value.remedy


def settled(found, name):
    """Let a checkpoint vouch for a file that was changed."""
    state = json.loads((found / "trainer/state.json").read_text())
    state["files"][name] = sha256(found / name)
    (found / "trainer/state.json").write_text(json.dumps(state))


def test_a_checkpoint_of_numbers_that_are_not_finite_is_refused(recipe_of, data_of, tmp_path):
    recipe = recipe_of(train={"max_steps": 1, "save_every": 1})
    data = data_of(recipe)
    train(recipe, data, tmp_path)
    (found,) = checkpoints(tmp_path)
    moments = load_file(found / "trainer/optimizer.safetensors")
    next(iter(moments.values())).fill_(float("nan"))
    save_file(moments, found / "trainer/optimizer.safetensors")
    settled(found, "trainer/optimizer.safetensors")
    with pytest.raises(PhageError, match="not finite"):
        train(recipe, data, tmp_path, Options(resume=True))


def test_a_second_run_into_the_same_folder_is_refused(recipe_of, data_of, tmp_path):
    recipe = recipe_of(train={"max_steps": 1})
    with (tmp_path / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(PhageError, match="another run is writing") as refused:
            train(recipe, data_of(recipe), tmp_path)
    assert refused.value.remedy
    train(recipe, data_of(recipe), tmp_path)
    assert not (tmp_path / ".lock").exists()


@pytest.mark.parametrize("field", ["ids", "edges", "codes"])
def test_a_prepared_set_whose_bits_turned_is_refused(recipe_of, data_of, tmp_path, field):
    path = tmp_path / "set.safetensors"
    data_of(recipe_of()).save(path)
    with safe_open(path, framework="pt") as stored:
        about, arrays = stored.metadata(), {n: stored.get_tensor(n) for n in stored.keys()}  # noqa: SIM118
    arrays[field].view(torch.uint8).flatten()[-1] ^= 1
    save_file(arrays, path, about)
    with pytest.raises(PhageError, match="damaged") as refused:
        TrainingSet.load(path)
    assert "delete" in refused.value.remedy


def test_what_a_kill_left_half_written_goes_with_the_next_checkpoint(recipe_of, data_of, tmp_path):
    recipe = recipe_of(train={"max_steps": 1})
    half = tmp_path / "checkpoints" / ".step-000001.12345.partial"
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"half")
    train(recipe, data_of(recipe), tmp_path)
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-000001"]
