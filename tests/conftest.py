"""A tiny real model, for every test that encodes; how properties are tried; ``import layouts, plain``."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # before the hub's library is imported

import pytest
import torch
from hypothesis import HealthCheck, settings

for _name in ("layouts", "plain"):
    _spec = importlib.util.spec_from_file_location(_name, Path(__file__).with_name(f"{_name}.py"))
    sys.modules[_name] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules[_name])

# The same cases in every run, and no clock: a change fails by what it does. HYPOTHESIS=explore
# looks for new ones (make explore); what it finds becomes a case of its own.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("steady"), derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS", "steady"))

WORDS = "a pump with shaft wherein the is steel of claim housing coupled to 1 2 3 4 5 ."


@pytest.fixture(scope="session", autouse=True)
def exact_products():
    """Multiply in float32 unless a test asks otherwise, whatever this processor does best."""
    from phage.encoder import loading

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "fast_half", lambda: False)
        yield


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A plain transformers folder: a random BERT of two layers and a word tokenizer."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += sorted(set(WORDS.split()))
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    BertModel(
        BertConfig(vocab_size=len(words), max_position_embeddings=64, **sizes)
    ).save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    return folder
