"""The trainer of sentence-transformers with our loss and collator learns what our own trainer does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from phage import Encoder, build_graph
from phage.attention import Layout, relation_biases, release
from phage.claims.types import Claim, Patent
from phage.encoder.loading import find_model
from phage.errors import PhageError
from phage.model_folder import Reading, write
from phage.training.batches import Maker
from phage.training.loop import train
from phage.training.model import build, load_tokenizer
from phage.training.prepare import Corpus, graph_settings, prepare
from phage.training.sentence_transformers import COLUMNS, PhageCollator, PhageLoss, triplets
from phage.training.steps import Steps

library = pytest.importorskip("sentence_transformers", minversion="6.0")
datasets = pytest.importorskip("datasets")
STEPS = 3


@pytest.fixture(params=["cls", "mean"])
def recipe(recipe_of, still_backbone, request):
    return recipe_of(
        backbone={"model": str(still_backbone), "pooling": request.param},
        train={"batch": 6, "accumulation": 1, "max_steps": STEPS, "save_every": 0},
    )


@pytest.fixture
def stock(recipe, still_backbone, tmp_path):
    """The backbone before training, as sentence-transformers loads it."""
    start = Encoder.from_pretrained(
        still_backbone, pooling=recipe.backbone.pooling, window=recipe.input.window, device="cpu"
    )
    start.save_pretrained(tmp_path / "stock")
    return library.SentenceTransformer(str(tmp_path / "stock"), device="cpu")


@pytest.fixture
def data(recipe, patents):
    return prepare(Corpus(patents), recipe, load_tokenizer(recipe))


@pytest.fixture
def drawn(recipe, data):
    """Publication numbers of the triplets that our trainer meets, in its order."""
    steps = Steps.of(data.codes, recipe)
    numbers = np.array(data.numbers)[np.concatenate([steps.triplets(s) for s in range(STEPS)])]
    return datasets.Dataset.from_dict(dict(zip(COLUMNS, numbers.T.tolist(), strict=True)))


@pytest.fixture
def trainer_of(stock, recipe, patents, drawn, tmp_path):
    def make(rows=drawn, **more):
        pairs = [(patent, build_graph(patent, graph_settings(recipe))) for patent in patents]
        settings = {
            "max_steps": STEPS, "per_device_train_batch_size": 6, "learning_rate": 1e-3,
            "weight_decay": 0.01, "lr_scheduler_type": "constant", "use_cpu": True,
            "report_to": "none", "save_strategy": "no", "logging_steps": 1, "disable_tqdm": True,
        }  # fmt: skip
        where = str(tmp_path / "theirs")
        return library.SentenceTransformerTrainer(
            model=stock,
            args=library.SentenceTransformerTrainingArguments(where, **{**settings, **more}),
            train_dataset=rows.to_iterable_dataset(),  # not shuffled
            eval_dataset=rows,
            loss=PhageLoss(stock),
            data_collator=PhageCollator(stock, pairs),
        )

    return make


def test_one_batch_has_our_loss_and_our_gradients(recipe, data, trainer_of):
    ours = build(recipe)
    steps = Steps.of(data.codes, recipe)
    layout = Layout.of(ours.backbone, load_tokenizer(recipe))
    wanted = ours(Maker(data, steps.labels, recipe, layout)(steps.micro_batch(0, 0)), guided=True)
    wanted[0].backward()
    assert wanted[2] > 0  # the claim loss counts

    trainer = trainer_of()
    found = trainer.compute_loss(trainer.model.train(), next(iter(trainer.get_train_dataloader())))
    found.backward()
    assert abs(found.item() - wanted[0].item()) < 1e-6
    theirs = dict(trainer.model.transformers_model.named_parameters())
    learned = {name: p.grad for name, p in ours.backbone.named_parameters() if p.grad is not None}
    assert sum("relation_bias" in name for name in learned) == 2  # one per layer
    for name, gradient in learned.items():
        torch.testing.assert_close(theirs[name].grad, gradient, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(
        trainer.loss.weight_bias.grad, ours.raw_weights.grad, atol=1e-6, rtol=1e-5
    )


def test_a_run_takes_the_same_steps_and_leaves_the_same_stock_model(
    recipe, data, trainer_of, stock, tmp_path
):
    place = train(recipe, data, tmp_path / "ours")
    rows = [json.loads(line) for line in (place / "history.jsonl").read_text().splitlines()]
    trainer, losses = trainer_of(), []
    trainer.loss.register_forward_hook(
        lambda *told: losses.append(sum(term.item() for term in told[2].values()))
    )
    trainer.train()
    assert losses[0] == pytest.approx(rows[0]["loss"], abs=1e-6)
    assert losses == pytest.approx([row["loss"] for row in rows], abs=1e-5)
    scalars = torch.stack([bias.raw.detach() for bias in relation_biases(stock.transformers_model)])
    kept = load_file(place / "relations.safetensors")
    torch.testing.assert_close(scalars, kept["bias"], atol=1e-4, rtol=0)
    torch.testing.assert_close(
        trainer.loss.weight_bias.detach(), kept["weights"], atol=1e-4, rtol=0
    )

    stock.save_pretrained(str(tmp_path / "saved"))
    assert not any("relation" in name for name in load_file(tmp_path / "saved/model.safetensors"))
    assert "phage" not in json.loads((tmp_path / "saved/config.json").read_text()).values()
    texts = ["1. A pump with a piston.", "1. A sensor with an electrode. 2. The sensor of claim 1."]
    wanted = library.SentenceTransformer(str(place), device="cpu").encode(texts)
    saved = library.SentenceTransformer(str(tmp_path / "saved"), device="cpu")
    np.testing.assert_allclose(saved.encode(texts), wanted, atol=1e-4)
    np.testing.assert_allclose(stock.encode(texts), saved.encode(texts), atol=1e-6)  # graph-free
    release(stock.transformers_model)
    np.testing.assert_allclose(stock.encode(texts), saved.encode(texts), atol=1e-6)


def test_the_best_checkpoint_is_loaded_and_a_run_is_not_resumed_without_scalars(trainer_of):
    steps = {"save_strategy": "steps", "eval_strategy": "steps", "save_steps": 1, "eval_steps": 1}
    trainer = trainer_of(**steps, load_best_model_at_end=True, max_steps=2)
    trainer.train()
    best = load_file(f"{trainer.state.best_model_checkpoint}/model.safetensors")
    now = trainer.model.transformers_model.state_dict()
    assert best.keys() == now.keys()
    assert all(torch.equal(now[name], value) for name, value in best.items())
    trainer.loss.passes = 0  # as in a new process
    with pytest.raises(PhageError, match="relation scalars"):
        trainer.train(resume_from_checkpoint=trainer.state.best_model_checkpoint)


TWO = """
import sys
from pathlib import Path
import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
from sentence_transformers import SentenceTransformerTrainingArguments
from phage import build_graph, read
from phage.attention import relation_biases
from phage.training.sentence_transformers import PhageCollator, PhageLoss, triplets

folder = Path(sys.argv[1])
model = SentenceTransformer(str(folder / "stock"), device="cpu")
patents = list(read(folder / "patents.parquet"))
arguments = SentenceTransformerTrainingArguments(
    str(folder / "two"), max_steps=2, per_device_train_batch_size=3, learning_rate=1e-3,
    use_cpu=True, report_to="none", save_strategy="no",
)
loss = PhageLoss(model)
trainer = SentenceTransformerTrainer(
    model, arguments, train_dataset=triplets(patents), loss=loss,
    data_collator=PhageCollator(model, [(patent, build_graph(patent)) for patent in patents]),
)
trainer.train()
raw = relation_biases(model.transformers_model)[0].raw
found = {"weights": loss.weight_bias.detach(), "bias": raw.detach().clone()}
save_file(found, folder / f"rank-{arguments.process_index}.safetensors")
torch.distributed.destroy_process_group()
"""


@pytest.mark.slow  # two processes that load everything anew
@pytest.mark.parametrize("recipe", ["cls"], indirect=True)
def test_two_processes_learn_the_same_scalars(stock, patents, tmp_path):
    from phage.claims.tables import write

    write(patents, tmp_path / "patents.parquet")
    (tmp_path / "two.py").write_text(TWO)
    source = str(Path(__file__).parents[2] / "src")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*command, str(tmp_path / "two.py"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    left, right = (load_file(tmp_path / f"rank-{rank}.safetensors") for rank in (0, 1))
    for name, value in left.items():
        assert torch.equal(value, right[name]) and value.abs().max() > 0, name


def test_triplets_are_drawn_by_class_and_what_is_missing_is_named(patents, stock):
    rows = triplets(patents, epochs=2)
    field = {patent.number: patent.subclass for patent in patents}
    assert len(rows) == 2 * len(patents) and rows.column_names == list(COLUMNS)
    for row in rows:
        assert field[row["anchor"]] == field[row["positive"]] != field[row["negative"]]
        assert row["anchor"] != row["positive"]
    with pytest.raises(PhageError, match="no patent has an IPC subclass"):
        triplets([Patent("US1A", (Claim(1, "A pump."),))])
    collator = PhageCollator(stock, [(patents[0], None)])
    with pytest.raises(PhageError, match="US2A, which the collator was not given"):
        collator([{"anchor": "US1A", "positive": "US2A", "negative": "US1A"}])
    with pytest.raises(PhageError, match="lacks one of the columns"):
        collator([{"anchor": "US1A", "text": "a pump"}])


def test_what_does_not_fit_is_named_with_a_remedy(patents, stock):
    one, other = patents[:2]
    wrong = {
        "patents alone": lambda: PhageCollator(stock, patents),
        "one patent": lambda: PhageCollator(stock, one),
        "nothing": lambda: PhageCollator(stock, None),
        "another's graph": lambda: PhageCollator(stock, [(one, build_graph(other))]),
        "swapped": lambda: PhageCollator(stock, [(build_graph(one), one)]),
        "fit": lambda: PhageCollator(stock, [(one, None)], fit="longest"),
        "section": lambda: PhageCollator(stock, [(one, None)], section="claim"),
        "a name": lambda: PhageCollator("phage-mini", [(one, None)]),
        "a name for the loss": lambda: PhageLoss("phage-mini"),
        "level": lambda: triplets(patents, level="subclss"),
        "unknown": lambda: PhageCollator(stock, [])([dict.fromkeys(COLUMNS, "US1A")]),
        "columns": lambda: PhageCollator(stock, [(one, None)])([{"a": one.number}]),
        "no collator": lambda: PhageLoss(stock)([{}, {}, {}]),
    }
    for case, act in wrong.items():
        with pytest.raises(PhageError) as refused:
            act()
        assert refused.value.remedy, case


def test_a_loss_for_another_model_is_refused(trainer_of, tmp_path):
    trainer = trainer_of()
    batch = next(iter(trainer.get_train_dataloader()))
    other = library.SentenceTransformer(str(tmp_path / "stock"), device="cpu")
    trainer.loss.model = other  # as the trainer does
    with pytest.raises(PhageError, match="made for another model"):
        trainer.compute_loss(other, batch)


def test_our_folders_load_there_without_a_report(tmp_path):
    """Our models have no pooler, and it is not used there."""
    mini = find_model("phage-mini")
    stock = Encoder.from_pretrained(mini, device="cpu").stock()
    state = {n: w for n, w in stock.model.state_dict().items() if "pooler." not in n}
    write(tmp_path, stock.model, stock.tokenizer, Reading(512, "cls"), state)
    code = "import sys; from sentence_transformers import SentenceTransformer as S; "
    code += "[S(folder) for folder in sys.argv[1:]]"
    words = [sys.executable, "-c", code, str(mini), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "REPORT" not in done.stdout + done.stderr
