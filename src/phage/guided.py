"""Encode with the claim graph switched on.

In:   a trained folder (backbone, relation parameters, recipe) and patents.
Out:  one vector per patent, from guided attention, with the checkpoint's own biases.
Why:  the paper leaves open what dropping the graph at inference costs; the same checkpoint encoded
      both ways answers it. Everyday encoding stays in ``phage.encoder``, which knows no graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from phage.attention import Layout, collate, guide, relation_biases
from phage.backbone import broken
from phage.claims.types import Patent
from phage.claims.window import Fit
from phage.encoder import Encoder
from phage.encoder.inputs import OnCut
from phage.encoder.loading import find_model
from phage.errors import PhageError
from phage.graph import GraphSettings, build_graph
from phage.projection import Projection, Projector
from phage.training.checkpoint import RECIPE, RELATIONS
from phage.training.inspect import read as learned
from phage.training.prepare import graph_settings, section_of
from phage.training.recipe import Recipe
from phage.training.recipe_file import load


@dataclass(frozen=True)
class GuidedEncoder:
    """A trained folder with its graph: ``GuidedEncoder.from_pretrained(path).encode(patents)``."""

    plain: Encoder
    """The same weights, graph-free."""
    recipe: Recipe
    projector: Projector
    settings: GraphSettings

    @classmethod
    def from_pretrained(cls, source: Path | str, device: str | None = None) -> GuidedEncoder:
        """Load the embedded model, or a folder that ``phage train`` wrote."""
        folder = checked(source)
        recipe = load(folder / RECIPE)
        plain = Encoder.from_pretrained(folder, device=device).stock()
        guide(plain.model, dropout=0.0)
        bias = learned(folder).bias
        if bias is not None:
            places = relation_biases(plain.model)
            if bias.shape != (len(places), *places[0].raw.shape):
                raise broken(folder, f"{RELATIONS} belongs to a model of another shape")
            with torch.no_grad():
                for place, raw in zip(places, torch.from_numpy(bias), strict=True):
                    place.raw.copy_(raw)
        reads = recipe.input
        projector = Projector(
            plain.tokenizer, plain.settings.window, Fit(reads.fit), section_of(recipe)
        )
        return cls(plain, recipe, projector, graph_settings(recipe))

    def encode(self, patents: Sequence[Patent], on_cut: OnCut | None = None) -> NDArray[np.float32]:
        """Return one vector per patent, in order; a patent without an edge is encoded plainly.

        ``on_cut`` takes the number of patents that are longer than the window.
        """
        rows = [self.projector(patent, build_graph(patent, self.settings)) for patent in patents]
        layout = Layout.of(self.plain.model, self.plain.tokenizer)
        vectors = np.empty((len(rows), self.plain.dimension), dtype=np.float32)
        order = sorted(range(len(rows)), key=lambda row: (-len(rows[row].ids), row))
        size = 64 if self.plain.device.type == "cuda" else 8
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            vectors[chosen] = self._forward([rows[row] for row in chosen], layout)
        if on_cut:
            on_cut(sum(row.cut for row in rows))
        return vectors

    @torch.inference_mode()
    def _forward(self, rows: list[Projection], layout: Layout) -> NDArray[np.float32]:
        batch = collate(rows, layout).to(self.plain.device)
        hidden = self.plain.model(**batch.inputs(guided=True)).last_hidden_state
        mean = self.recipe.backbone.pooling == "mean"
        pooled = batch.means(hidden) if mean else batch.documents(hidden)
        documents = torch.nn.functional.normalize(pooled.float(), dim=-1)
        vectors: NDArray[np.float32] = documents.cpu().numpy()
        return vectors


def read_section(source: Path | str) -> str:
    """Return the section that a model reads with its graph on: the one it was trained on."""
    return str(section_of(load(checked(source) / RECIPE)))


def checked(source: Path | str) -> Path:
    """Find a model's folder and see that its graph can be switched on."""
    folder = find_model(source)
    if not (folder / RELATIONS).is_file() or not (folder / RECIPE).is_file():
        raise PhageError(
            "this folder has no relation parameters, so its graph cannot be switched on",
            place=str(source),
            remedy="give a folder that `phage train` wrote with guidance",
        )
    if not load(folder / RECIPE).graph.relations:
        raise PhageError(
            "this model was trained without a claim graph, so there is none to switch on",
            place=str(source),
            remedy="give a folder whose recipe names graph.relations",
        )
    return folder
