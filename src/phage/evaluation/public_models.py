"""What mteb asks about a model, so that its results can be submitted.

In:   an embedder and its name.
Out:  mteb's ModelMeta: the library's own where it knows the model, otherwise one made here.
Why:  a leaderboard files results by model and revision. mteb lacks PaECTER, PatentSBERTa, patembed
      and BERT-for-Patents; what it wants to know of them is counted, not typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from phage.encoder.loading import find_model
from phage.errors import PhageError
from phage.evaluation.peers.models import Embedder
from phage.extras import require
from phage.storage import sha256

_HUB = re.compile(r"[\w.-]+/[\w.-]+")


def describe(embedder: Embedder, name: str) -> Any:  # noqa: ANN401
    """Describe a model to mteb: a hub model by its hub name, any other as ``phage/NAME``."""
    library = require("mteb", extra="mteb")
    source = str(embedder.settings.get("source", ""))
    hub = bool(_HUB.fullmatch(source)) and not Path(source).exists()
    public = source if hub else "phage/" + re.sub(r"[^\w.-]+", "-", name).strip("-")
    seen = {"revision": _revision(source)}
    try:
        return library.get_model_meta(public).model_copy(update=seen)
    except KeyError:  # mteb's word for a model it does not know
        pass
    model = getattr(getattr(embedder, "encoder", embedder), "model", None)
    counted = sum(part.numel() for part in model.parameters()) if model is not None else None
    models = require("mteb.models.model_meta", extra="mteb")
    known = {
        "name": public,
        "n_parameters": counted,
        "memory_usage_mb": round(counted * 4 / 2**20, 1) if counted else None,
        "embed_dim": int(embedder.embed(["a"]).shape[1]),
        "max_tokens": embedder.settings.get("window"),
        "open_weights": True,
        "framework": ["PyTorch", "Sentence Transformers", "safetensors"],
        "reference": f"https://huggingface.co/{source}" if hub else None,
        "similarity_fn_name": models.ScoringFunction.COSINE,
        "use_instructions": bool(embedder.settings.get("prompt")),
    }
    return models.ModelMeta.create_empty({**known, **seen})


def _revision(source: str) -> str:
    """Name the weights: the hub's commit, or the first digits of their SHA-256."""
    try:
        folder = find_model(source)
    except PhageError:
        return "local"
    if folder.parent.name == "snapshots":
        return folder.name
    weights = folder / "model.safetensors"
    return sha256(weights)[:16] if weights.is_file() else "local"
