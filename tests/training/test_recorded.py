"""What a recording reads, and that rounding its shapes changes nothing. Replays need a GPU."""

from dataclasses import replace

import pytest
import torch

from phage.attention import Layout, tiles
from phage.training.batches import Maker
from phage.training.model import build, load_tokenizer
from phage.training.recorded import form, tensors
from phage.training.steps import Steps


@pytest.fixture
def made(recipe_of, data_of, still_backbone):
    recipe = recipe_of(
        backbone={"model": str(still_backbone)}, train={"batch": 4, "accumulation": 2}
    )
    data = data_of(recipe)
    steps, model = Steps.of(data.codes, recipe), build(recipe)
    layout = Layout.of(model.backbone, load_tokenizer(recipe), multiple=64)
    makers = [Maker(data, steps.labels, recipe, replace(layout, nodes=nodes)) for nodes in (1, 32)]
    return model, [[make(steps.micro_batch(0, i)) for i in range(2)] for make in makers]


def test_copying_its_tensors_makes_one_batch_the_other(made):
    _, (_, (first, second)) = made
    for batch in (first, second):
        tiles.plan(batch.batch.guidance, torch.float32)
    assert len(list(tensors(first))) == len(list(tensors(second))) > len(first.__dict__)
    for place, fresh in zip(tensors(first), tensors(second), strict=True):
        place.copy_(fresh)
    assert all(torch.equal(a, b) for a, b in zip(tensors(first), tensors(second), strict=True))
    (plan,) = first.batch.guidance.plans.values()
    assert torch.equal(plan.keys, tiles._plan(second.batch.guidance, torch.float32, None).keys)


def test_rounded_shapes_give_the_same_loss(made):
    model, (plain, rounded) = made
    model.eval()
    assert {batch.relations.shape[1] for batch in rounded} == {32}
    for one, other in zip(plain, rounded, strict=True):
        torch.testing.assert_close(model(one, True), model(other, True), rtol=1e-5, atol=1e-6)


def test_a_recording_serves_batches_that_differ_in_numbers_alone(made):
    _, (_, (first, second)) = made
    assert form(first) == form(second)
    hash(form(first))
    wider = replace(first.batch.guidance, slots=32)
    for changed in (
        replace(first.batch, guidance=wider),
        replace(first.batch, full=not first.batch.full),
        replace(first.batch, position_ids=first.batch.input_ids),
        replace(first.batch, input_ids=first.batch.input_ids[:, 1:]),
    ):
        assert form(replace(first, batch=changed)) != form(second)
    tiles.plan(first.batch.guidance, torch.float32)
    assert form(first) != form(second)


def test_a_batch_that_is_full_asks_for_no_mask(made):
    _, (_, (batch, _)) = made
    given = batch.batch.inputs(guided=False)
    assert (given["attention_mask"] is None) == batch.batch.full
    whole = replace(batch.batch, full=True).inputs()
    assert whole["attention_mask"] is None and set(whole) == {*given, "guidance"}
    assert replace(batch.batch, full=True).to("cpu").full
