"""GCN, GAT and GraphSAGE over a graph of nearest neighbours.

In:   an encoder's vectors, labels of the training part.
Out:  vectors after two rounds of message passing, and the k that validation chose.
Why:  the paper's graph-based peers: a graph between documents by similarity, against the graph
      inside a document by law. Paper silent on their training: docs/decisions.md says ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from phage.errors import PhageError
from phage.evaluation.ranking import search
from phage.evaluation.tasks import Classification, Split, TaskData
from phage.extras import require

NETWORKS = ("gcn", "gat", "sage")
NEIGHBOURS = (5, 10, 20)
"""k that are tried; validation decides."""
HIDDEN = 256
EPOCHS, PATIENCE = 150, 15


def pass_messages(
    vectors: Mapping[str, NDArray[np.float32]], data: TaskData, network: str, seed: int = 0
) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Train a network on the labelled task and give the vectors of its last hidden layer."""
    check_network(network)
    task = labelled(data)
    x = torch.as_tensor(vectors[task.view])
    best: tuple[float, int, Tensor] = (-1.0, 0, x)
    tried = {}
    for k in NEIGHBOURS:
        score, hidden = _train(network, x, neighbour_edges(vectors[task.view], k), task, seed)
        tried[k] = round(score, 4)
        if score > best[0]:
            best = (score, k, hidden)
    settings = {"network": network, "k": best[1], "validation_accuracy": tried, "hidden": HIDDEN}
    return {**vectors, task.view: best[2].numpy()}, settings


def check_network(network: str) -> None:
    """Refuse an unknown network."""
    if network not in NETWORKS:
        raise PhageError(f"unknown network '{network}'", remedy=f"use one of {', '.join(NETWORKS)}")


def labelled(data: TaskData) -> Classification:
    """Return the task whose labels a network is trained on; refuse a data set that has none."""
    for task in data.tasks:
        if isinstance(task, Classification) and not task.multi:
            return task
    raise PhageError(
        f"{data.data_set} has no single-label classification to train a graph network on",
        remedy="evaluate it on uspto-week or clef-ip",
    )


def neighbour_edges(vectors: NDArray[np.float32], k: int) -> Tensor:
    """Return the symmetric k-nearest-neighbour graph as (2, E), by cosine.

    >>> neighbour_edges(np.array([[1, 0], [1, 0.1], [0, 1]], dtype="f4"), 1).tolist()
    [[0, 1, 1, 2], [1, 0, 2, 1]]
    """
    rows = np.arange(len(vectors))
    found, _ = search(vectors, vectors, k, themselves=rows)
    sources = torch.as_tensor(found.ravel())
    targets = torch.as_tensor(np.repeat(rows, found.shape[1]))
    both = torch.stack([torch.cat([sources, targets]), torch.cat([targets, sources])])
    edges: Tensor = torch.unique(both, dim=1)
    return edges


class _Network(nn.Module):
    """Two rounds of message passing, then a linear layer over the classes."""

    def __init__(self, network: str, width: int, classes: int) -> None:
        super().__init__()
        layers = require("torch_geometric.nn", extra="gnn")
        kinds: dict[str, tuple[Any, dict[str, Any]]] = {
            "gcn": (layers.GCNConv, {}),
            "gat": (layers.GATConv, {"heads": 4}),
            "sage": (layers.SAGEConv, {}),
        }
        kind, more = kinds[network]
        each = HIDDEN // more.get("heads", 1)  # heads are put side by side
        self.first, self.second = kind(width, each, **more), kind(HIDDEN, each, **more)
        self.out = nn.Linear(HIDDEN, classes)

    def forward(self, x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
        """Return the vectors that are evaluated, and the classes' scores."""
        x = nn.functional.dropout(self.first(x, edges).relu(), 0.5, self.training)
        hidden: Tensor = self.second(x, edges)
        return hidden, self.out(hidden.relu())


def _train(
    network: str, x: Tensor, edges: Tensor, task: Classification, seed: int
) -> tuple[float, Tensor]:
    """Train on the training part; return the best validation accuracy and its hidden vectors."""
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train, held = task.rows(Split.TRAIN), task.rows(Split.VALIDATION)
    wanted = torch.as_tensor(task.labels(train)).to(device)
    truth = torch.as_tensor(task.labels(held)).to(device)
    x, edges = x.to(device), edges.to(device)
    net = _Network(network, x.shape[1], len(task.classes)).to(device)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=5e-4)
    best, kept, waited = -1.0, x, 0
    for _ in range(EPOCHS):
        net.train()
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(net(x, edges)[1][train], wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        net.eval()
        with torch.inference_mode():
            hidden, scores = net(x, edges)
            score = float((scores[held].argmax(1) == truth).float().mean())
            if score > best:
                best, waited, kept = score, 0, hidden.cpu()
            elif (waited := waited + 1) >= PATIENCE:
                break
    return best, kept
