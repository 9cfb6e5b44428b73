"""What a run may go on from, and what it says of the rest."""

import pytest

from phage.errors import PhageError
from phage.training.checkpoint import checkpoints
from phage.training.loop import Options, train


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return tmp_path_factory.mktemp("ran")


@pytest.mark.parametrize(
    "name",
    ["trainer/state.json", "trainer/optimizer.safetensors", "recipe.toml", "model.safetensors"],
)
@pytest.mark.parametrize("how", ["cut", "gone"])
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
    path.unlink()
    if how == "cut":
        path.write_bytes(whole[:20])
    try:
        if (name, how) == ("trainer/state.json", "gone"):  # no whole checkpoint: passed over
            assert checkpoints(ran) == [damaged.with_name("step-000001")]
            return
        with pytest.raises(PhageError, match="damaged") as caught:
            train(recipe, data, ran, Options(resume=True))
        assert caught.value.place == str(damaged) and "delete" in caught.value.remedy
    finally:
        path.write_bytes(whole)


def test_what_a_kill_left_half_written_goes_with_the_next_checkpoint(recipe_of, data_of, tmp_path):
    recipe = recipe_of(train={"max_steps": 1})
    half = tmp_path / "checkpoints" / ".step-000001.12345.partial"
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"half")
    train(recipe, data_of(recipe), tmp_path)
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-000001"]
