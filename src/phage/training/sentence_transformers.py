"""Guided claim contrast for the trainer of sentence-transformers.

In:   a SentenceTransformer; patents with their claim graphs; a data set of publication numbers in the
      columns anchor, positive and negative.
Out:  PhageLoss and PhageCollator, which ``SentenceTransformerTrainer`` takes; ``triplets``, a data set
      by IPC. What it saves is a stock model: the relation scalars are left out.
Why:  users of that library keep its trainer, arguments, logging and evaluators.

>>> model = SentenceTransformer("all-MiniLM-L6-v2")                       # doctest: +SKIP
>>> pairs = [(patent, build_graph(patent)) for patent in patents]         # doctest: +SKIP
>>> SentenceTransformerTrainer(model, arguments, triplets(patents),       # doctest: +SKIP
...     loss=PhageLoss(model), data_collator=PhageCollator(model, pairs)).train()
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from phage.attention import Batch, Layout, collate, guide, relation_biases
from phage.claims.text import Section
from phage.claims.types import Patent
from phage.claims.window import Fit
from phage.errors import PhageError, chosen, given
from phage.extras import require
from phage.graph.types import ClaimGraph
from phage.objective import RELATIONS, claim_loss, claim_means, document_loss
from phage.projection import Projector
from phage.training.sampling import LEVELS, Classes, Sieve, check_classes, labels_of, plan

COLUMNS = ("anchor", "positive", "negative")
"""Columns of the data set; each holds publication numbers."""

EXAMPLE = {
    "source_sentence": "1. A pump comprising a shaft.",
    "sentences": ["1. A pump comprising a rotor.", "1. A sensor comprising an electrode."],
}
"""Examples for the model's page on a hub."""


class PhageLoss(nn.Module):
    """Contrast patents by the data set and claims by the graph, with guided attention (section 3.3)."""

    def __init__(
        self,
        model: Any,  # noqa: ANN401  (a SentenceTransformer)
        weight: float = 1.0,
        temperature: float = 0.05,
        claim_temperature: float = 0.05,
    ) -> None:
        """Guide the model's transformer. ``weight`` is λ of the claim loss."""
        super().__init__()
        _check_model(model)
        self.model, self.passes = model, 0
        self.weight, self.temperatures = weight, (temperature, claim_temperature)
        model.model_card_data.widget = [EXAMPLE]  # the data set would give bare numbers
        # The four w̃. Their trainer spares names with "bias" from weight decay, as ours spares these;
        # it clips, and shares between processes, only what is part of the model and its output.
        self.weight_bias = nn.Parameter(torch.zeros(RELATIONS))
        transformer = guide(model.transformers_model)
        relation_biases(transformer)[0].claim_weights = self.weight_bias
        relation_biases(transformer)[0].register_forward_hook(self._count)
        model[0].register_forward_hook(self._give)
        transformer.register_state_dict_post_hook(_leave_out)
        transformer.register_load_state_dict_post_hook(self._keep)

    def forward(self, features: list[Any], labels: object = None) -> dict[str, Tensor]:
        """Return the two terms by name; the trainer adds them up and logs each."""
        if len(features) != 1 or "batch" not in features[0]:
            raise PhageError(
                "this batch was not laid out by PhageCollator, so it has no claim graphs",
                remedy="give the trainer data_collator=PhageCollator(model, pairs)",
            )
        (inputs,), before = map(dict, features), self.passes
        batch: Batch = inputs.pop("batch")
        found = self.model({**inputs, "guidance": batch.guidance})
        if self.passes == before:
            if all(one is not self.weight_bias for one in self.model.parameters()):
                raise PhageError(
                    "this loss was made for another model than the one that is trained",
                    remedy="give the loss and the trainer the same model: loss=PhageLoss(model)",
                )
            raise PhageError(_DROPPED, remedy="pip install 'sentence-transformers>=6.0'")
        tau, (anchor, near, far) = self.temperatures, found["sentence_embedding"].chunk(3)
        document = document_loss(anchor, near, far, tau[0])
        # One patent a row: its first node is [CLS], the others are its claims.
        means = claim_means(found["token_embeddings"], batch.guidance.nodes, batch.owner.shape[1])
        graph = means[:, 1:], batch.guidance.table[:, 1:, 1:], batch.owner[:, 1:] >= 0
        claim = claim_loss(*graph, found["claim_weights"], tau[1])
        return {"document": document.mean(), "claim": self.weight * claim.mean()}

    def _count(self, *_: object) -> None:
        """Count the passes in which attention was guided."""
        self.passes += 1

    def _give(self, _: nn.Module, __: object, found: dict[str, Any]) -> None:
        """Make the weights an output of the model, where DDP looks for its parameters."""
        if "guidance" in found:
            found["claim_weights"] = nn.functional.softplus(self.weight_bias)

    def _keep(self, _: nn.Module, keys: Any) -> None:  # noqa: ANN401
        """Keep the relation scalars when the best checkpoint is loaded; refuse to resume without."""
        if not self.passes:
            raise PhageError(_INCOMPLETE, remedy="start again; only `phage train` can resume")
        keys.missing_keys[:] = [name for name in keys.missing_keys if _SCALARS not in name]


class PhageCollator:
    """Lays out patents by number: the three columns as one batch, each patent with its graph."""

    valid_label_columns: Sequence[str] = ()
    """Required by the trainer; the data set has no labels."""

    def __init__(
        self,
        model: Any,  # noqa: ANN401  (a SentenceTransformer)
        patents: Iterable[tuple[Patent, ClaimGraph | None]],
        fit: str = "prefix",
        section: str = "claims",
    ) -> None:
        """Take window and tokenizer from the model. A patent without a graph attends to all of itself."""
        _check_model(model)
        transformer, tokenizer = model.transformers_model, model.tokenizer
        window, cut = model.max_seq_length, chosen(Fit, fit)
        projector = Projector.of(transformer, tokenizer, window=window, fit=cut)
        self.projector = replace(projector, section=chosen(Section, section))
        self.layout = Layout.of(transformer, tokenizer)
        given(patents, Iterable, _PAIRS)
        self.patents = {patent.number: (patent, graph) for patent, graph in map(_pair, patents)}

    def __call__(self, rows: Sequence[dict[str, str]]) -> dict[str, Any]:
        """Return the anchors, then their positives, then their negatives."""
        if not set(COLUMNS) <= set(rows[0]):
            wanted = ", ".join(COLUMNS)
            raise PhageError(
                f"the data set lacks one of the columns {wanted}: {', '.join(rows[0])}",
                remedy="name its columns so, or draw them: triplets(patents)",
            )
        batch = self._batch([row[column] for column in COLUMNS for row in rows])
        inputs = {"input_ids": batch.input_ids, "attention_mask": batch.attention_mask}
        return {f"patents_{name}": value for name, value in {**inputs, "batch": batch}.items()}

    def _batch(self, numbers: list[str]) -> Batch:
        unknown = next((number for number in numbers if number not in self.patents), None)
        if unknown is not None:
            raise PhageError(
                f"the data set names {unknown}, which the collator was not given",
                remedy="give PhageCollator every patent that the data set names",
            )
        return collate([self.projector(*self.patents[number]) for number in numbers], self.layout)


def triplets(
    patents: Iterable[Patent], *, level: str = "subclass", epochs: int = 1, seed: int = 1
) -> Any:  # noqa: ANN401  (a datasets.Dataset)
    """Draw triplets by IPC as ``phage train`` does: each patent that has a positive is the anchor once.

    Duplicates and patents without an IPC code or claims are left out. Every epoch draws other
    partners, so give the number here and let the trainer pass over the data set once.
    """
    library = require("datasets", extra="sentence-transformers")
    if level not in LEVELS:
        raise PhageError(f"unknown level '{level}'", remedy=f"use one of {', '.join(LEVELS)}")
    kept = list(filter(Sieve(), patents))
    labels = labels_of([patent.ipc[0] for patent in kept], level)
    check_classes(labels, level)
    classes = Classes.of(labels)
    rows = np.concatenate([plan(classes, seed, epoch) for epoch in range(epochs)])
    numbers = np.array([patent.number for patent in kept])[rows]  # (anchors, 3)
    return library.Dataset.from_dict(dict(zip(COLUMNS, numbers.T.tolist(), strict=True)))


def _check_model(model: object) -> None:
    if not hasattr(model, "transformers_model"):
        raise PhageError(
            f"a SentenceTransformer is expected here, not {type(model).__name__}",
            remedy="give SentenceTransformer(FOLDER), of sentence-transformers 6.0 or later",
        )


def _pair(pair: Any) -> tuple[Patent, ClaimGraph | None]:  # noqa: ANN401  (whatever was given)
    """Refuse anything that is not a patent with its own graph."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise PhageError(
            f"a patent and its graph are expected here, not {type(pair).__name__}", remedy=_PAIRS
        )
    patent, graph = pair
    given(patent, Patent, _PAIRS)
    given(graph, (ClaimGraph, type(None)), _PAIRS)
    if graph is not None and (
        graph.patent != patent.number
        or set(graph.claims) != {claim.number for claim in patent.claims}
    ):
        raise PhageError(
            f"the patent {patent.number} was given with the graph of {graph.patent}, or of other "
            "claims",
            remedy=_PAIRS,
        )
    return patent, graph


_PAIRS = "give each patent with its own graph: [(p, build_graph(p)) for p in patents]"
_SCALARS = ".relation_bias."
_DROPPED = "this version of sentence-transformers does not pass the claim graph on to attention"
_INCOMPLETE = "a checkpoint of sentence-transformers lacks the relation scalars that a run needs"


def _leave_out(_: nn.Module, state: dict[str, Tensor], *__: object) -> None:
    """Leave the relation scalars out of the saved model: the graph is no longer needed."""
    for name in [name for name in state if _SCALARS in name]:
        del state[name]
