"""Guided attention in stock ``transformers`` encoders.

In:   a stock model; per call, a Guidance.
Out:  the same model, whose self-attention follows the claim graph when guidance is given and is
      its own when not; and the way back, without trace.
Why:  no forked model code: guidance enters through AttentionInterface, by name.

>>> model = guide(AutoModel.from_pretrained("bert-base-uncased"))         # doctest: +SKIP
>>> hidden = model(**batch.inputs()).last_hidden_state                    # doctest: +SKIP
>>> with guiding(model, batch.guidance): model(input_ids)                 # doctest: +SKIP
>>> release(model).save_pretrained("plain")                               # doctest: +SKIP

Call ``guide`` before ``torch.compile``, DDP or an optimizer sees the model: it adds one
``relation_bias`` (five float32 scalars) to every attention module."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor, nn

from phage.attention.bias import RelationBias
from phage.attention.engine import Engine, choose, guided_attention
from phage.attention.guidance import Guidance
from phage.errors import PhageError

if TYPE_CHECKING:
    from torch.utils.hooks import RemovableHandle

NAME = "phage"
"""Of the attention in ``transformers``' registries."""

Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class Architecture:
    """What must be known of a model family to guide it."""

    label: str
    attention: str
    """Class of its self-attention modules."""


ARCHITECTURES: dict[str, Architecture] = {
    "bert": Architecture("BERT", "BertSelfAttention"),
    "roberta": Architecture("RoBERTa", "RobertaSelfAttention"),
    "xlm-roberta": Architecture("XLM-RoBERTa", "XLMRobertaSelfAttention"),
    "electra": Architecture("ELECTRA", "ElectraSelfAttention"),
    "modernbert": Architecture("ModernBERT", "ModernBertAttention"),
}
"""``config.model_type`` → what to look for."""


@dataclass(frozen=True, slots=True)
class _Record:
    """What ``release`` undoes."""

    implementation: str
    hook: RemovableHandle


def guide(
    model: Model, *, engine: Engine | str = Engine.AUTO, dropout: float | None = None
) -> Model:
    """Let a stock encoder take guidance; returns the same model.

    ``dropout`` overrides the model's attention dropout while guided (the kernel has none); None
    keeps the model's own. Guiding a guided model sets engine and dropout anew, and keeps its
    biases.
    """
    modules = _attention_modules(model)
    if is_guided(model):
        for module in modules:
            module.relation_bias.engine = str(Engine(engine))
            module.relation_bias.dropout = dropout
        return model
    _register()
    for module in modules:
        home = next(module.parameters())
        module.relation_bias = RelationBias(_window(module), dropout, engine).to(home.device)
    base: Any = _base(model)
    base.phage = _Record(
        implementation=base.config._attn_implementation,
        hook=base.register_forward_pre_hook(_hand_over, with_kwargs=True),
    )
    base.guidance = None
    _stock(model).set_attn_implementation(NAME)
    return model


def release(model: Model) -> Model:
    """Make a guided model stock again: no parameter, hook or setting of ours is left."""
    if not is_guided(model):
        return model
    base: Any = _base(model)
    base.phage.hook.remove()
    _stock(model).set_attn_implementation(base.phage.implementation)
    del base.phage, base.guidance
    for module in _attention_modules(model):
        del module.relation_bias
    return model


def is_guided(model: nn.Module) -> bool:
    """Return whether the model takes guidance."""
    return "phage" in vars(_base(model))


@contextlib.contextmanager
def guiding(model: nn.Module, guidance: Guidance | None) -> Iterator[None]:
    """Guide every call inside the block; a call's own ``guidance=`` goes first."""
    if not is_guided(model):
        raise PhageError(
            "this model is not prepared for guidance", remedy="call guide(model) first"
        )
    base: Any = _base(model)
    before = base.guidance
    base.guidance = guidance
    try:
        yield
    finally:
        base.guidance = before


def relation_biases(model: nn.Module) -> list[RelationBias]:
    """Return the biases of all layers, first layer first; empty for a model that is not guided."""
    return (
        [module.relation_bias for module in _attention_modules(model)] if is_guided(model) else []
    )


def plan_ahead(model: nn.Module, guidance: Guidance, dtype: torch.dtype | None = None) -> None:
    """Plan the kernel's tiles for every layer before a compiled model runs: it cannot do so itself.

    Nothing happens where another engine attends. A plan moves with its guidance, so it may be made
    on the CPU, ahead of the model; ``dtype`` then says what the model will compute in.
    """
    home = next(model.parameters())
    if dtype is None:
        dtype = home.dtype
        if torch.is_autocast_enabled(home.device.type):
            dtype = torch.get_autocast_dtype(home.device.type)
    for window, engine in {(b.window, b.engine) for b in relation_biases(model)}:
        if choose(Engine(engine), home.device) is Engine.KERNEL:
            from phage.attention.tiles import plan

            plan(guidance, dtype, window)


def _stock(model: nn.Module) -> Any:  # noqa: ANN401
    """Look into DDP and ``torch.compile``."""
    inner: Any = model
    while not hasattr(inner, "base_model"):
        wrapped = getattr(inner, "module", None) or getattr(inner, "_orig_mod", None)
        if wrapped is None:
            break
        inner = wrapped
    return inner


def _base(model: nn.Module) -> nn.Module:
    """Look below a head, at the encoder itself."""
    inner = _stock(model)
    found: nn.Module = getattr(inner, "base_model", inner)
    return found


def _attention_modules(model: nn.Module) -> list[Any]:
    """Find the self-attention of every layer, or say which models have one we know."""
    base: Any = _base(model)
    kind = getattr(getattr(base, "config", None), "model_type", type(base).__name__)
    able = ", ".join(architecture.label for architecture in ARCHITECTURES.values())
    if kind not in ARCHITECTURES:
        raise PhageError(f"a model of type '{kind}' cannot be guided", remedy=f"use one of: {able}")
    if getattr(base.config, "is_decoder", False):
        raise PhageError(
            "this model is configured as a decoder, but claims need an encoder",
            remedy="load it with is_decoder=False",
        )
    wanted = ARCHITECTURES[kind].attention
    found = [module for module in base.modules() if type(module).__name__ == wanted]
    known = all(hasattr(module, "layer_idx") for module in found)  # ModernBERT before 5.17: no
    if len(found) != base.config.num_hidden_layers or not known:
        raise PhageError(
            f"found {len(found)} modules {wanted} in {base.config.num_hidden_layers} layers",
            remedy="use transformers 5.17 or later",
        )
    return sorted(found, key=lambda module: int(module.layer_idx))


def _window(module: Any) -> int | None:  # noqa: ANN401
    """Return the reach of a local layer to either side; None for a global one."""
    if getattr(module, "sliding_window", None) is None:
        return None
    return int(module.config.sliding_window)


def _hand_over(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:  # noqa: ANN401
    """Before the encoder runs: find its guidance, and spare it the (T, T) mask it won't need."""
    given = kwargs.pop("guidance", None)
    given = module.guidance if given is None else given
    if given is None:
        return args, kwargs
    ids = args[0] if args else kwargs.get("input_ids")
    shape = (ids if ids is not None else kwargs["inputs_embeds"]).shape[:2]
    if given.nodes.shape != shape:
        raise PhageError(
            f"the guidance has the shape {tuple(given.nodes.shape)}, the input {tuple(shape)}",
            remedy="pass the Guidance that was collated with these input ids",
        )
    # Guidance knows the padding. A mask of four dimensions is passed on as it is.
    unused = given.nodes.new_zeros(1, 1, 1, 1)
    if len(args) > 1:
        args = (args[0], unused, *args[2:])
    else:
        kwargs["attention_mask"] = unused
    return args, {**kwargs, "guidance": given}


def _attend(
    module: Any,  # noqa: ANN401
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    guidance: Guidance | None = None,
    **rest: Any,  # noqa: ANN401
) -> tuple[Tensor, None]:
    """Attend as the registry asks: (B, H, T, D) → (B, T, H, D)."""
    if guidance is None:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        plain: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, **rest
        )
        return plain
    relation: RelationBias = module.relation_bias
    dropout = rest.get("dropout", 0.0)
    if relation.dropout is not None:
        dropout = relation.dropout if module.training else 0.0
    scale = rest.get("scaling")
    out = guided_attention(
        query,
        key,
        value,
        guidance,
        relation(),
        scale=query.shape[-1] ** -0.5 if scale is None else scale,
        dropout=dropout,
        window=relation.window,
        engine=relation.engine,
    )
    return out.transpose(1, 2).contiguous(), None


def _register() -> None:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(NAME, _attend)
    # Without a mask function of this name, unguided calls would silently see padding.
    AttentionMaskInterface.register(NAME, sdpa_mask)
