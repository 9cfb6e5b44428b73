"""One guided training step, written out: patents → graphs → projections → batch → loss.

Run from anywhere: python examples/guided_step.py
What `phage train` does in a loop, with nothing hidden; the backbone is the embedded model.
"""

from __future__ import annotations

import torch

from phage.attention import Layout, collate, guide, relation_biases, release
from phage.backbone import load_config, load_model, load_tokenizer
from phage.encoder.loading import find_model
from phage.graph import build_graph
from phage.invented import invent
from phage.objective import document_loss
from phage.projection import Projector


def main() -> None:
    """Take a triplet: two patents of one IPC subclass and one of another."""
    patents = [made.patent for made in invent(60, seed=7)]
    anchor = patents[0]
    positive = next(p for p in patents[1:] if p.subclass == anchor.subclass)
    negative = next(p for p in patents[1:] if p.subclass != anchor.subclass)

    folder = find_model("phage-mini")
    tokenizer = load_tokenizer(folder)
    model = load_model(folder, load_config(folder), torch.float32)
    guide(model, dropout=0.0)  # adds five scalars per layer
    project = Projector.of(model, tokenizer, window=128, fit="balanced")
    triplet = [project(patent, build_graph(patent)) for patent in (anchor, positive, negative)]
    batch = collate(triplet, Layout.of(model, tokenizer))

    biases = [bias.raw for bias in relation_biases(model)]
    optimiser = torch.optim.AdamW([*model.parameters()], lr=1e-6)
    torch.manual_seed(0)
    for step in range(3):
        hidden = model(**batch.inputs()).last_hidden_state  # (3, T, D), guided
        loss = document_loss(*batch.documents(hidden).unsqueeze(1)).mean()
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        print(
            f"step {step}: loss {loss.item():.4f}, {len(biases)} layers × {len(biases[0])} biases"
        )
    release(model)  # a stock model again: save it, and any tool can use it


if __name__ == "__main__":
    main()
