"""A tiny real BERT (width 32, two layers), its tokenizer, and a few invented patents with hand-drawn graphs."""

import string
from pathlib import Path

import pytest

from phage.claims.types import Claim, Patent
from phage.graph.types import ClaimGraph, Edge, Relation
from phage.training.recipe_file import from_values

FIELDS = {
    "F04B 1/00": "pump piston valve cylinder fluid",
    "H02M 7/00": "inverter circuit switch voltage current",
    "A61B 5/00": "sensor skin pulse electrode patient",
    "B65D 1/00": "bottle cap neck thread container",
}


@pytest.fixture(scope="session")
def backbone(tmp_path_factory) -> Path:
    return write_backbone(tmp_path_factory.mktemp("backbone"))


@pytest.fixture(scope="session")
def still_backbone(tmp_path_factory) -> Path:
    """The same without dropout."""
    return write_backbone(tmp_path_factory.mktemp("still"), dropout=0.0)


def write_backbone(folder: Path, layers: int = 2, dropout: float = 0.1) -> Path:
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    letters = string.ascii_lowercase + string.digits + ".,"
    words = [*" ".join(FIELDS.values()).split(), "claim", "the", "of", "wherein", "said", "with"]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    entries = [*special, *letters, *(f"##{letter}" for letter in letters), *words]
    vocabulary = {entry: index for index, entry in enumerate(dict.fromkeys(entries))}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer()
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]", model_max_length=128,
    )  # fmt: skip
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=layers,
        num_attention_heads=2, intermediate_size=64, max_position_embeddings=128,
        hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout, initializer_range=0.15,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def invent(count: int) -> list[Patent]:
    """Patents of four fields; claims lean on claim 1, 2 and 3 and repeat the field's words."""
    patents = []
    for index in range(count):
        code = sorted(FIELDS)[index % len(FIELDS)]
        words = FIELDS[code].split()
        first, second, third = (words[(index + shift) % len(words)] for shift in range(3))
        claims = (
            Claim(1, f"A {first} with a {second}."),
            Claim(2, f"The {first} of claim 1, wherein the {second} is coupled to a {third}."),
            Claim(3, f"The {first} of claim 1, with a {words[-1]} and a {string.ascii_lowercase[index % 26]} part."),
            Claim(4, f"A {third} mounted on the {second} of said {first}."),
        )  # fmt: skip
        patents.append(
            Patent(f"US{index + 1}A", claims, application=f"US{900 + index}", ipc=(code,))
        )
    return patents


@pytest.fixture(scope="session")
def patents() -> list[Patent]:
    return invent(48)


@pytest.fixture
def recipe_of(backbone):
    """Make a recipe for the tiny model; sections are given as keyword dictionaries."""

    def make(**sections):
        values = {
            "name": "tiny",
            "backbone": {"model": str(backbone)},
            "input": {"window": 64},
            "graph": {"parser": "pattern", "citations": "full"},
            "train": {"batch": 2, "accumulation": 2, "epochs": 1, "learning_rate": 1e-3,
                      "precision": "fp32", "save_every": 2},
        }  # fmt: skip
        for name, row in sections.items():
            values[name] = {**values.get(name, {}), **row}
        return from_values(values)

    return make


def draw(patent, settings) -> ClaimGraph:
    """The graph of an invented patent; its implicit edges take turns."""
    turn = int(patent.number[2:-1])
    kinds = [Relation.TERM, Relation.FUNC, Relation.BOTH]
    edges = (
        Edge(1, 2, Relation.CITE),
        Edge(1, 3, Relation.CITE),
        Edge(1, 4, kinds[turn % 3]),
        Edge(2, 4, kinds[(turn + 1) % 3]),
    )
    return ClaimGraph(patent.number, (1, 2, 3, 4), edges, settings=settings)


@pytest.fixture
def data_of(patents):
    """Prepare the invented patents, with the graphs drawn by hand, for a recipe."""
    from phage.training.model import load_tokenizer
    from phage.training.prepare import Corpus, graph_settings, prepare

    def make(recipe, chosen=None):
        corpus = patents if chosen is None else chosen
        graphs = {p.number: draw(p, graph_settings(recipe)) for p in corpus}
        return prepare(Corpus(corpus, graphs=graphs), recipe, load_tokenizer(recipe))

    return make


@pytest.fixture
def started(recipe_of, data_of, still_backbone):
    """A model before its first step, a batch, and the training set."""
    from phage.attention import Layout
    from phage.training.batches import Maker
    from phage.training.model import build, load_tokenizer
    from phage.training.steps import Steps

    def make(**sections):
        sections["backbone"] = {"model": str(still_backbone), **sections.get("backbone", {})}
        sections["train"] = {"batch": 6, "accumulation": 1, **sections.get("train", {})}
        recipe = recipe_of(**sections)
        data = data_of(recipe)
        steps = Steps.of(data.codes, recipe)
        model = build(recipe)
        maker = Maker(data, steps.labels, recipe, Layout.of(model.backbone, load_tokenizer(recipe)))
        return model, maker(steps.micro_batch(0, 0), steps.seed(0, 0)), data

    return make


@pytest.fixture(scope="session")
def teacher_file():
    """Write vectors of patents as ``phage encode`` does."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def write(path, numbers, vectors):
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        pq.write_table(pa.table({"number": list(numbers), "vector": column}), path)

    return write


@pytest.fixture
def phage(phage, monkeypatch):
    """Run commands at the root of the checkout, where the recipes are."""
    monkeypatch.chdir(Path(__file__).parents[2])
    return phage
