"""The trained module: a backbone, 5 biases per layer, 4 weights, perhaps a classifier.

In:   a recipe; then triplets.
Out:  Phage, a module whose forward pass gives the loss and its terms.
Why:  objective and guidance meet here and nowhere else; under DDP every learned number must be part
      of one module's forward pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from phage import backbone as saved
from phage.adapter import adapt
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
    classify_loss,
    contrast,
    distill_loss,
    document_loss,
    in_batch_loss,
)
from phage.training.batches import Triplets
from phage.training.recipe import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class Phage(nn.Module):
    """The backbone under guidance, with the claim-loss weights beside it."""

    raw_weights: Tensor

    def __init__(self, backbone: PreTrainedModel, recipe: Recipe, classes: int = 0) -> None:
        """Guide a backbone as the recipe says; without guidance it stays unchanged.

        ``classes`` is the number of IPC subclasses that a classifier distinguishes.
        """
        super().__init__()
        self.backbone = backbone
        self.recipe = recipe
        if recipe.backbone.adapter:
            adapt(backbone, recipe.backbone.adapter, recipe.train.seed)
        for name, parameter in backbone.named_parameters():
            if name.startswith("pooler."):  # no loss looks at it, and the saved model keeps it
                parameter.requires_grad_(False)
        if recipe.guided:
            guide(backbone)
            for bias in relation_biases(backbone):
                bias.requires_grad_(recipe.biased)
        start = torch.zeros(RELATIONS)
        if recipe.weighted:
            self.raw_weights = nn.Parameter(start)
        else:
            self.register_buffer("raw_weights", start, persistent=False)
        self.classes = self._classifier(classes) if recipe.loss.classify and classes else None
        self.teacher: Tensor | None = None
        """(patents, D′) vectors of the teacher."""
        self.known: Tensor | None = None
        """(patents,) bool: those the teacher knows."""

    def _classifier(self, count: int) -> nn.Parameter:
        """Return one small random vector per IPC subclass, determined by the seed."""
        chance = torch.Generator().manual_seed(self.recipe.train.seed)
        width = int(self.backbone.config.hidden_size)
        return nn.Parameter(0.05 * torch.randn(count, width, generator=chance))

    def forward(self, triplets: Triplets, guided: bool) -> Tensor:
        """Return the loss and its terms, in the order of ``TERMS``: (6,)."""
        loss = self.recipe.loss
        states = self._encode(triplets.batch, guided)  # (rows, T, D)
        vectors = self._pool(triplets.batch, states)  # (P, D)
        zero = vectors.new_zeros(())
        other = self._other(triplets, guided) if triplets.views else None
        document = self._document(vectors, triplets) if loss.document else zero
        claim = self._claim(states, triplets) if self.recipe.aligned else zero
        views = zero
        if other is not None and loss.views:
            views = self._views(vectors, other, triplets)
        readings = [vectors]
        if other is not None and loss.view == "sections":
            readings.append(other)
        distill = self._distill(readings, triplets) if loss.distill else zero
        classify = self._classify(readings, triplets) if loss.classify else zero
        total = loss.document * document + loss.claim * claim + loss.views * views
        total = total + loss.distill * distill + loss.classify * classify
        return torch.stack([total + 0.0 * self._touch(), document, claim, views, distill, classify])

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
        if loss.negatives == "in-batch":
            anchor, others = vectors[:count], vectors[count:]
            return in_batch_loss(
                anchor, others, labels[:count], labels[count:], loss.temperature
            ).mean()
        same = triplets.patents[:, None] == triplets.patents[None]  # one patent, drawn twice
        alike = labels[:, None] == labels[None]
        partner = torch.arange(2 * count, device=labels.device).roll(count)
        drawn = partner[:, None] == torch.arange(2 * count, device=labels.device)
        same, targets = same | (alike & ~drawn), drawn.float()
        terms = contrast(vectors, targets, same, loss.temperature)
        known = (drawn & ~same).any(1)  # rows with a positive
        return terms.sum() / known.sum().clamp_min(1)

    def _distill(self, readings: list[Tensor], triplets: Triplets) -> Tensor:
        """Compare the readings of all patents with each other; a single reading with itself."""
        assert self.teacher is not None and self.known is not None
        loss, known = self.recipe.loss, self.known[triplets.patents]
        closed = triplets.patents[:, None] == triplets.patents[None]
        closed = closed | ~(known[:, None] & known[None])  # a row without any other gives zero
        teacher = self.teacher[triplets.patents]
        tau = (loss.temperature, loss.teacher_temperature)
        ways = list(zip(readings, reversed(readings), strict=True))
        terms = [distill_loss(a, b, teacher, closed, tau).sum() for a, b in ways]
        return sum(terms, terms[0].new_zeros(())) / (len(ways) * known.sum().clamp_min(1))

    def _classify(self, readings: list[Tensor], triplets: Triplets) -> Tensor:
        assert self.classes is not None
        every, tau = torch.cat(readings), self.recipe.loss.temperature
        labels = triplets.subclasses.repeat(len(readings))
        return classify_loss(every, self.classes, labels, tau)

    def _claim(self, states: Tensor, triplets: Triplets) -> Tensor:
        loss = self.recipe.loss
        nodes = claim_means(states, triplets.batch.guidance.nodes, triplets.batch.owner.shape[1])
        means = nodes.flatten(0, 1)[triplets.slots]  # (P, n, D)
        weights = nn.functional.softplus(self.raw_weights)
        graph = (means, triplets.relations, triplets.present, weights)
        if loss.claim_negatives == "own":
            return claim_loss(*graph, loss.claim_temperature).mean()
        return claim_loss_others(*graph, triplets.patents, loss.claim_temperature).mean()

    def _other(self, triplets: Triplets, guided: bool) -> Tensor:
        """Encode the second reading the other way: graph-free if the first is guided."""
        guided = self.recipe.guided and not guided
        found = [self._pool(batch, self._encode(batch, guided)) for batch in triplets.views]
        if triplets.order is None:
            return found[0]  # (B, D)
        return torch.cat(found)[triplets.order]  # (P, D)

    def _views(self, vectors: Tensor, other: Tensor, triplets: Triplets) -> Tensor:
        """Contrast each patent's reading with its other one."""
        labels, anchor = triplets.labels[: len(other)], vectors[: len(other)]
        return in_batch_loss(anchor, other, labels, labels, self.recipe.loss.temperature).mean()

    def _touch(self) -> Tensor:
        """Sum the relation scalars, so that unused ones get a zero gradient.

        DDP waits for the gradient of every parameter. A batch without edges, or with the graph off,
        would leave it waiting.
        """
        scalars = self.relation_scalars()
        return torch.cat([*scalars]).sum() if scalars else self.raw_weights.new_zeros(())

    def relation_scalars(self) -> list[nn.Parameter]:
        """Return the learned scalars: 5 per layer, and the 4 weights."""
        found = [bias.raw for bias in relation_biases(self.backbone) if self.recipe.biased]
        return [*found, self.raw_weights] if self.recipe.weighted else found  # type: ignore[list-item]

    def relation_tensors(self) -> dict[str, Tensor]:
        """Return copies of the raw scalars: ``bias`` (L, 5) and ``weights`` (4,)."""
        found: dict[str, Tensor] = {}
        if self.recipe.biased:
            raw = [bias.raw.detach().cpu() for bias in relation_biases(self.backbone)]
            found["bias"] = torch.stack(raw)
        if self.recipe.weighted:
            found["weights"] = self.raw_weights.detach().cpu().clone()
        return found

    def restore_relations(self, stored: dict[str, Tensor]) -> None:
        """Restore the scalars."""
        with torch.no_grad():
            if self.recipe.biased:
                for bias, raw in zip(relation_biases(self.backbone), stored["bias"], strict=True):
                    bias.raw.copy_(raw)
            if self.recipe.weighted:
                self.raw_weights.copy_(stored["weights"])

    def plain_state(self) -> dict[str, Tensor]:
        """Return the backbone's own weights, as if it had never been guided."""
        state = self.backbone.state_dict()
        return {name: value for name, value in state.items() if ".relation_bias." not in name}


def build(recipe: Recipe, source: str | None = None, classes: int = 0) -> Phage:
    """Load the backbone (or a checkpoint of it) and make it trainable as the recipe says."""
    return Phage(load_backbone(recipe, source).train(), recipe, classes)


def load_backbone(recipe: Recipe, source: str | None = None) -> PreTrainedModel:
    """Load the backbone as it is before training, or a checkpoint of it."""
    origin = source or model_source(recipe.backbone.model)
    torch.manual_seed(recipe.train.seed)  # weights that a folder lacks are the seed's
    try:
        config = saved.load_config(origin)
        _set_dropout(config, recipe)
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
    """Build the model without its weights: a bad recipe fails now, not in an hour.

    Returns the number of parameters that guidance and claim loss add: 5 L + 4 in full.
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
    _set_dropout(config, recipe)  # only tried; it is set when loading
    return sum(scalars.numel() for scalars in model.relation_scalars())


def _not_loaded(part: str, recipe: Recipe, error: PhageError) -> PhageError:
    return PhageError(
        f"cannot load the backbone's {part}: {error.message}",
        place=f"backbone.model = {recipe.backbone.model}",
        remedy="set it to a folder with config.json, tokenizer and model.safetensors, or go online "
        "once to download a model from the hub",
    )


def _set_dropout(config: Any, recipe: Recipe) -> None:  # noqa: ANN401
    """Override the dropout of a configuration if the recipe says so."""
    wanted = {
        "attention": recipe.backbone.attention_dropout,
        "hidden": recipe.backbone.hidden_dropout,
    }
    for kind, share in wanted.items():
        known = [name for name in _DROPOUT[kind] if hasattr(config, name)]
        if share is not None and not known:
            raise PhageError(
                f"a backbone of type '{config.model_type}' has no {kind} dropout to set",
                remedy=f"leave backbone.{kind}_dropout out",
            )
        if share is not None:
            setattr(config, known[0], share)


_DROPOUT = {
    "attention": ("attention_probs_dropout_prob", "attention_dropout"),  # BERT and kin, ModernBERT
    "hidden": ("hidden_dropout_prob",),
}
