"""Stock encoders of every supported architecture, guided and back."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from phage.attention import Guidance, guide, guiding, relation_biases, release
from phage.attention.guided_model import is_guided
from phage.errors import PhageError

LENGTHS = [[20, 9, 14, 5], [8, 30]]


@pytest.fixture
def guidance(graph):
    return graph(LENGTHS, tokens=52, seed=4)


@pytest.fixture
def inputs(guidance):
    torch.manual_seed(3)
    mask = (guidance.nodes >= 0).long()
    ids = torch.randint(5, 99, mask.shape) * mask
    return {"input_ids": ids, "attention_mask": mask}


def opened(guidance: Guidance) -> Guidance:
    table = torch.where(guidance.table >= 0, 5, guidance.table).clone()
    size = table.shape[-1]
    for row, claims in enumerate(LENGTHS):
        table[row, : len(claims) + 1, : len(claims) + 1] = 5
    assert size == max(map(len, LENGTHS)) + 1
    return Guidance(guidance.nodes, table, torch.tensor([True, True]))


def hidden(model, inputs, **more):
    return model(**inputs, **more).last_hidden_state


def step(model, inputs, guidance):
    """Give output, bias gradients and an embedding gradient of one backward."""
    model.zero_grad()
    out = hidden(model, inputs, guidance=guidance)
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(1))
    (out.float() * weight.to(out.device)).sum().backward()
    biases = torch.stack([bias.raw.grad for bias in relation_biases(model)])
    return out.detach(), biases, model.get_input_embeddings().weight.grad.clone()


def test_a_guided_model_without_guidance_is_stock_bit_for_bit(model, inputs):
    before = hidden(model, inputs)
    assert guide(model) is model
    assert torch.equal(hidden(model, inputs), before)


def test_open_guidance_is_the_plain_model_bit_for_bit(model, inputs, guidance):
    plain = hidden(model, inputs)
    guide(model)
    real = inputs["attention_mask"].bool()
    mine = hidden(model, inputs, guidance=opened(guidance))
    assert torch.equal(mine[real], plain[real])


def test_guidance_changes_the_model(model, inputs, guidance):
    guide(model)
    real = inputs["attention_mask"].bool()
    difference = (hidden(model, inputs, guidance=guidance) - hidden(model, inputs))[real]
    assert difference.abs().max() > 1e-3


@pytest.mark.parametrize("engine", ["dense", "kernel"])
def test_the_engines_agree_through_the_model(model, inputs, guidance, engine):
    """The kernel where it can run: on a GPU, or in Triton's interpreter."""
    if engine == "kernel":
        pytest.importorskip("triton")
        if torch.cuda.is_available():
            model, guidance = model.cuda(), guidance.to("cuda")
            inputs = {name: value.cuda() for name, value in inputs.items()}
    guide(model, engine="reference")
    for number, bias in enumerate(relation_biases(model)):
        bias.raw.data.copy_(torch.linspace(-1, 1, 5) * (1 + number))
    theirs = step(model, inputs, guidance)
    guide(model, engine=engine)
    mine = step(model, inputs, guidance)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4 * b.abs().max().item())
    assert theirs[1].abs().max() > 0
    again = step(model, inputs, guidance)
    assert all(torch.equal(a, b) for a, b in zip(mine, again, strict=True))


def test_release_leaves_no_trace(model, inputs, guidance):
    names, config = list(model.state_dict()), model.config.to_dict()
    attributes = {name: set(vars(module)) for name, module in model.named_modules()}
    before = hidden(model, inputs)
    guide(model, dropout=0.0)
    assert len(relation_biases(model)) == 3
    assert sum(bias.raw.numel() for bias in relation_biases(model)) == 15
    with guiding(model, guidance):
        hidden(model, inputs)
    assert release(model) is model
    assert list(model.state_dict()) == names
    assert model.config.to_dict() == config
    assert model.config._attn_implementation == "sdpa"
    assert {name: set(vars(module)) for name, module in model.named_modules()} == attributes
    assert not any(module._forward_pre_hooks for module in model.modules())
    assert torch.equal(hidden(model, inputs), before)
    assert relation_biases(release(model)) == []


def test_with_and_keyword_are_the_same(model, inputs, guidance):
    guide(model)
    plain = hidden(model, inputs)
    given = hidden(model, inputs, guidance=guidance)
    with guiding(model, guidance):
        assert torch.equal(hidden(model, inputs), given)
        with guiding(model, None):
            assert torch.equal(hidden(model, inputs), plain)
        assert torch.equal(model(inputs["input_ids"], inputs["attention_mask"])[0], given)
    assert torch.equal(hidden(model, inputs), plain)


def test_biases_start_at_ln_2_and_stay_float32(model):
    guide(model)
    for bias in relation_biases(model):
        assert bias().tolist() == pytest.approx([0.693147] * 5)
    model.to(torch.bfloat16)
    assert {bias.raw.dtype for bias in relation_biases(model)} == {torch.float32}
    model.to(torch.float64)
    assert {bias.raw.dtype for bias in relation_biases(model)} == {torch.float64}


@pytest.mark.parametrize("reentrant", [False, True])
def test_gradient_checkpointing(model, inputs, guidance, reentrant):
    guide(model)
    wanted = step(model, inputs, guidance)
    model.gradient_checkpointing_enable({"use_reentrant": reentrant})
    if reentrant:
        model.enable_input_require_grads()
    model.train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    mine = step(model, inputs, guidance)
    assert all(torch.equal(a, b) for a, b in zip(mine, wanted, strict=True))


def test_checkpointing_with_dropout_draws_the_same_pairs_again(build, inputs, guidance):
    model = guide(build("bert", attention_probs_dropout_prob=0.3, hidden_dropout_prob=0.0)).train()
    torch.manual_seed(5)
    wanted = step(model, inputs, guidance)
    model.gradient_checkpointing_enable({"use_reentrant": False})
    torch.manual_seed(5)
    mine = step(model, inputs, guidance)
    assert all(torch.equal(a, b) for a, b in zip(mine, wanted, strict=True))


def test_dropout_can_be_switched_off_while_guided(build, inputs, guidance):
    model = build("bert", attention_probs_dropout_prob=0.3, hidden_dropout_prob=0.0).train()
    guide(model, dropout=0.0)
    first, second = (hidden(model, inputs, guidance=guidance) for _ in range(2))
    assert torch.equal(first, second)
    guide(model)  # the model's own dropout again
    assert not torch.equal(hidden(model, inputs, guidance=guidance), first)
    model.eval()
    assert torch.equal(hidden(model, inputs, guidance=guidance), first)


def test_autocast(model, inputs, guidance):
    guide(model)
    real = inputs["attention_mask"].bool()
    wanted, plain = step(model, inputs, guidance), hidden(model, inputs)
    with torch.autocast("cpu", torch.bfloat16):
        mine, plain_half = step(model, inputs, guidance), hidden(model, inputs)
    assert mine[1].dtype == torch.float32
    # Half precision costs the guided model no more than it costs the plain one.
    error = (mine[0].float() - wanted[0])[real].abs().mean()
    assert error < 2 * (plain_half.float() - plain)[real].abs().mean()


@pytest.mark.slow
def test_compile(model, inputs, guidance):
    torch._dynamo.reset()  # five architectures share code whose recompilations are counted
    guide(model)
    wanted = step(model, inputs, guidance)
    plain = hidden(model, inputs)
    compiled = torch.compile(model, fullgraph=True)
    model.zero_grad()
    out = hidden(compiled, inputs, guidance=guidance)
    torch.testing.assert_close(out, wanted[0], rtol=1e-4, atol=1e-4)
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(1))
    (out * weight).sum().backward()
    biases = torch.stack([bias.raw.grad for bias in relation_biases(model)])
    torch.testing.assert_close(biases, wanted[1], rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(hidden(compiled, inputs), plain, rtol=1e-4, atol=1e-4)
    with guiding(compiled, guidance):
        torch.testing.assert_close(hidden(compiled, inputs), wanted[0], rtol=1e-4, atol=1e-4)


def test_traced_by_the_compiler_without_a_break(model, inputs, guidance):
    """The graph is captured whole; compiling it to machine code is left to the slow test."""
    guide(model)
    wanted = step(model, inputs, guidance)[0]
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    assert torch.allclose(hidden(compiled, inputs, guidance=guidance), wanted, atol=1e-5)
    torch._dynamo.reset()


def test_a_copy_can_be_released_alone(model, inputs, guidance):
    guide(model)
    other = release(copy.deepcopy(model))
    assert is_guided(model)
    assert not is_guided(other)
    assert torch.equal(hidden(other, inputs), hidden(model, inputs))
    assert not torch.equal(hidden(model, inputs, guidance=guidance), hidden(model, inputs))


def test_heads_on_top_pass_guidance_down(inputs, guidance):
    from transformers import BertConfig, BertForMaskedLM

    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(0)
    model = guide(BertForMaskedLM(BertConfig(vocab_size=99, intermediate_size=96, **sizes)).eval())
    plain = model(**inputs).logits
    assert not torch.equal(model(**inputs, guidance=guidance).logits, plain)
    release(model)
    assert torch.equal(model(**inputs).logits, plain)


@pytest.mark.parametrize("kind", ["albert", "distilbert", "gpt2"])
def test_other_architectures_are_refused_by_name(build, kind):
    with pytest.raises(PhageError, match=f"'{kind}' cannot be guided") as error:
        guide(build(kind))
    for label in ("BERT", "RoBERTa", "XLM-RoBERTa", "ELECTRA", "ModernBERT"):
        assert label in error.value.remedy


def test_what_is_no_model_is_refused():
    with pytest.raises(PhageError, match="cannot be guided"):
        guide(nn.Linear(2, 2))


def test_a_decoder_is_refused(build):
    with pytest.raises(PhageError, match="decoder"):
        guide(build("bert", is_decoder=True))


def test_guiding_a_plain_model_is_an_error(model, guidance):
    with pytest.raises(PhageError, match=r"guide\(model\)"), guiding(model, guidance):
        pass


def test_guidance_of_another_batch_is_an_error(model, inputs, guidance):
    guide(model)
    shorter = {name: value[:, :-1] for name, value in inputs.items()}
    with pytest.raises(PhageError, match="collated"):
        hidden(model, shorter, guidance=guidance)


def test_local_layers_keep_their_window_and_the_graph(build, inputs, guidance):
    """In ModernBERT a token's output depends on nothing outside window ∩ graph of one layer."""
    from phage.attention.reference import mask_and_bias

    model = guide(build("modernbert", num_hidden_layers=2, global_attn_every_n_layers=2))
    windows = [bias.window for bias in relation_biases(model)]
    assert windows == [None, 8]
    local = model.layers[1]
    states = torch.randn(2, 52, 64, generator=torch.Generator().manual_seed(2), requires_grad=True)
    cos_sin = model.rotary_emb(states, torch.arange(52)[None], "sliding_attention")
    out = local.attn(states, position_embeddings=cos_sin, attention_mask=None, guidance=guidance)[0]
    mask, _ = mask_and_bias(guidance, torch.ones(5), torch.zeros(2, 1, 52, 1), window=8)
    for query in (0, 5, 25, 40):
        (reach,) = torch.autograd.grad(out[0, query].sum(), states, retain_graph=True)
        touched = reach[0].abs().sum(-1) > 0
        allowed = torch.isfinite(mask[0, 0, query])
        allowed[query] = True  # its own query vector
        assert not (touched & ~allowed).any()
        assert touched.sum() > 1
