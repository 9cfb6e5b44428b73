"""What training learns: a backbone, 5 biases per layer, 4 weights.

In:   a recipe; then triplets.
Out:  Phage, a module whose forward pass gives the loss and its terms.
Why:  objective and guidance meet here and nowhere else; under DDP every learned number must be part
      of one module's forward pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from phage import backbone as saved
from phage.attention.batch import Batch
from phage.attention.guided_model import guide, plan_ahead, relation_biases
from phage.claims.window import window_of
from phage.errors import PhageError, placed
from phage.model_folder import model_source
from phage.objective import (
    RELATIONS,
    claim_loss,
    claim_loss_others,
    claim_means,
    contrast,
    document_loss,
    in_batch_loss,
    keep_loss,
    shared_levels,
)
from phage.training.batches import Triplets
from phage.training.recipe import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

TERMS = ("loss", "document", "claim", "views", "keep")
"""What a forward pass gives, in this order."""
GRADED = 2
"""IPC levels that graded positives share at least: section and class."""


class Phage(nn.Module):
    """The backbone under guidance, with the claim-loss weights beside it."""

    raw_weights: Tensor

    def __init__(self, backbone: PreTrainedModel, recipe: Recipe) -> None:
        """Guide a backbone as the recipe says; where nothing guides, it stays as it is."""
        super().__init__()
        self.backbone = backbone
        self.recipe = recipe
        for name, parameter in backbone.named_parameters():
            if name.startswith("pooler."):  # no loss looks at it, and the saved model keeps it
                parameter.requires_grad_(False)
        if recipe.guided:
            guide(backbone, engine=recipe.guidance.engine)
            for bias in relation_biases(backbone):
                bias.requires_grad_(recipe.biased)
        start = torch.zeros(RELATIONS)
        if recipe.weighted:
            self.raw_weights = nn.Parameter(start)
        else:
            self.register_buffer("raw_weights", start, persistent=False)
        self.before: Tensor | None = None
        """(patents, D′) vectors before training or of a teacher, where the recipe keeps their
        neighbours."""
        self.known: Tensor | None = None
        """(patents,) bool: those the teacher knows; None for all."""

    def forward(self, triplets: Triplets, guided: bool) -> Tensor:
        """Give loss, document, claim, views and keep term: (5,)."""
        loss = self.recipe.loss
        states = self._encode(triplets.batch, guided)  # (rows, T, D)
        vectors = self._pool(triplets.batch, states)  # (3 B, D)
        zero = vectors.new_zeros(())
        document = self._document(vectors, triplets) if loss.document else zero
        claim = self._claim(states, triplets) if self.recipe.aligned else zero
        views = self._views(vectors, triplets, guided) if triplets.views is not None else zero
        keep = self._keep(vectors, triplets) if self.before is not None else zero
        total = document + loss.claim_weight * claim + loss.views * views + loss.keep * keep
        return torch.stack([total + 0.0 * self._touch(), document, claim, views, keep])

    def _pool(self, batch: Batch, states: Tensor) -> Tensor:
        mean = self.recipe.backbone.pooling == "mean"
        return batch.means(states) if mean else batch.documents(states)

    def _encode(self, batch: Batch, guided: bool) -> Tensor:
        given = batch.inputs(guided=guided)
        if self.recipe.train.compile and "guidance" in given:
            plan_ahead(self.backbone, given["guidance"])
        states: Tensor = self.backbone(**given).last_hidden_state
        return states

    def _document(self, vectors: Tensor, triplets: Triplets) -> Tensor:
        loss, labels, count = self.recipe.loss, triplets.labels, triplets.count
        if loss.negatives == "one":
            anchor, positive, negative = vectors.chunk(3)
            return document_loss(anchor, positive, negative, loss.temperature).mean()
        if loss.negatives == "in-batch" and loss.positives == "drawn":
            anchor, others = vectors[:count], vectors[count:]
            return in_batch_loss(
                anchor, others, labels[:count], labels[count:], loss.temperature
            ).mean()
        same = triplets.patents[:, None] == triplets.patents[None]  # one patent, drawn twice
        if loss.positives == "graded":
            depth = shared_levels(triplets.levels)  # (P, P)
            weights = loss.grade ** (triplets.levels.shape[1] - depth).float()
            targets = torch.where(depth >= GRADED, weights, 0.0)
        else:
            targets = (labels[:, None] == labels[None]).float()
        if loss.positives == "drawn":
            partner = torch.arange(2 * count, device=labels.device).roll(count)
            drawn = torch.zeros_like(same)[: 2 * count]
            drawn[torch.arange(2 * count), partner] = True
            same, targets = same | ((targets > 0) & ~drawn), drawn.float()
        terms = contrast(vectors, targets, same, loss.temperature)
        known = ((targets > 0) & ~same).any(1)  # rows with a positive
        return terms.sum() / known.sum().clamp_min(1)

    def _keep(self, vectors: Tensor, triplets: Triplets) -> Tensor:
        assert self.before is not None
        same = triplets.patents[:, None] == triplets.patents[None]
        count: Tensor | int = len(vectors)
        if self.known is not None:
            known = self.known[triplets.patents]
            same = same | ~(known[:, None] & known[None])  # a row without any other gives zero
            count = known.sum().clamp_min(1)
        temperature = self.recipe.loss.temperature
        return keep_loss(vectors, self.before[triplets.patents], same, temperature).sum() / count

    def _claim(self, states: Tensor, triplets: Triplets) -> Tensor:
        loss = self.recipe.loss
        nodes = claim_means(states, triplets.batch.guidance.nodes, triplets.batch.owner.shape[1])
        means = nodes.flatten(0, 1)[triplets.slots]  # (P, n, D)
        few = triplets.count if loss.claim_patents == "anchor" else len(means)
        weights = nn.functional.softplus(self.raw_weights)
        graph = (means[:few], triplets.relations[:few], triplets.present[:few], weights)
        if loss.claim_negatives == "own":
            return claim_loss(*graph, loss.claim_temperature).mean()
        return claim_loss_others(*graph, triplets.patents[:few], loss.claim_temperature).mean()

    def _views(self, vectors: Tensor, triplets: Triplets, guided: bool) -> Tensor:
        """Contrast each anchor's encoding with its other one: guided and graph-free."""
        assert triplets.views is not None
        states = self._encode(triplets.views, self.recipe.guided and not guided)
        other = self._pool(triplets.views, states)  # (B, D)
        labels = triplets.labels[: len(other)]
        anchor = vectors[: len(other)]
        return in_batch_loss(anchor, other, labels, labels, self.recipe.loss.temperature).mean()

    def _touch(self) -> Tensor:
        """Sum the relation scalars: one that a batch does not use still gets a gradient, zero.

        DDP waits for the gradient of every parameter; a batch without an edge, or with the graph
        off, would leave it waiting.
        """
        scalars = self.relation_scalars()
        return torch.cat([*scalars]).sum() if scalars else self.raw_weights.new_zeros(())

    def relation_scalars(self) -> list[nn.Parameter]:
        """Give the learned scalars: 5 per layer, and the 4 weights."""
        found = [bias.raw for bias in relation_biases(self.backbone) if self.recipe.biased]
        return [*found, self.raw_weights] if self.recipe.weighted else found  # type: ignore[list-item]

    def relation_tensors(self) -> dict[str, Tensor]:
        """Give copies of them: ``bias`` (L, 5) and ``weights`` (4,), raw."""
        found: dict[str, Tensor] = {}
        if self.recipe.biased:
            raw = [bias.raw.detach().cpu() for bias in relation_biases(self.backbone)]
            found["bias"] = torch.stack(raw)
        if self.recipe.weighted:
            found["weights"] = self.raw_weights.detach().cpu().clone()
        return found

    def restore_relations(self, stored: dict[str, Tensor]) -> None:
        """Put them back."""
        with torch.no_grad():
            if self.recipe.biased:
                for bias, raw in zip(relation_biases(self.backbone), stored["bias"], strict=True):
                    bias.raw.copy_(raw)
            if self.recipe.weighted:
                self.raw_weights.copy_(stored["weights"])

    def plain_state(self) -> dict[str, Tensor]:
        """Give the backbone's own weights, as if it had never been guided."""
        state = self.backbone.state_dict()
        return {name: value for name, value in state.items() if ".relation_bias." not in name}


def build(recipe: Recipe, source: str | None = None) -> Phage:
    """Load the backbone (or a checkpoint of it) and make it trainable as the recipe says."""
    backbone = load_backbone(recipe, source)
    if recipe.backbone.gradient_checkpointing:
        backbone.gradient_checkpointing_enable({"use_reentrant": False})
    return Phage(backbone.train(), recipe)


def load_backbone(recipe: Recipe, source: str | None = None) -> PreTrainedModel:
    """Load the backbone as it is before training, or a checkpoint of it."""
    from transformers import AutoModel

    origin = source or model_source(recipe.backbone.model)
    torch.manual_seed(recipe.train.seed)  # random weights are the seed's
    try:
        config = saved.load_config(origin)
        _set_dropout(config, recipe.backbone.attention_dropout)
        if recipe.backbone.weights == "random" and source is None:
            backbone = AutoModel.from_config(config, dtype=torch.float32)
        else:
            backbone = saved.load_model(origin, config, torch.float32)
    except PhageError as error:
        if source:
            raise
        raise _not_loaded("weights", recipe, error) from error
    found: PreTrainedModel = backbone
    return found


def load_tokenizer(recipe: Recipe) -> PreTrainedTokenizerBase:
    """Load the backbone's tokenizer."""
    try:
        return saved.load_tokenizer(model_source(recipe.backbone.model))
    except PhageError as error:
        raise _not_loaded("tokenizer", recipe, error) from error


def rehearse(recipe: Recipe, tokenizer: PreTrainedTokenizerBase) -> int:
    """Build the model without its weights: what cannot be trained fails now, not in an hour.

    Gives the number of parameters that guidance and claim loss add: 5 L + 4 in full.
    """
    from transformers import AutoModel

    try:
        config = saved.load_config(model_source(recipe.backbone.model))
    except PhageError as error:
        raise _not_loaded("configuration", recipe, error) from error
    with placed(f"input.window = {recipe.input.window}"):
        window_of(config, tokenizer, recipe.input.window)
    with torch.device("meta"):
        model = Phage(AutoModel.from_config(config), recipe)
    with placed(f"backbone.model = {recipe.backbone.model}"):
        saved.check_fit("", tokenizer, model.backbone)
    _set_dropout(config, recipe.backbone.attention_dropout)  # only tried; it is set when loading
    return sum(scalars.numel() for scalars in model.relation_scalars())


def _not_loaded(part: str, recipe: Recipe, error: PhageError) -> PhageError:
    return PhageError(
        f"cannot load the backbone's {part}: {error.message}",
        place=f"backbone.model = {recipe.backbone.model}",
        remedy="set it to a folder with config.json, tokenizer and model.safetensors, or go online "
        "once for a model of the hub",
    )


def _set_dropout(config: Any, share: float | None) -> None:  # noqa: ANN401
    if share is None:
        return
    names = ("attention_probs_dropout_prob", "attention_dropout")  # BERT and kin, ModernBERT
    known = [name for name in names if hasattr(config, name)]
    if not known:
        raise PhageError(
            f"a backbone of type '{config.model_type}' has no attention dropout to set",
            remedy="leave backbone.attention_dropout out",
        )
    setattr(config, known[0], share)
