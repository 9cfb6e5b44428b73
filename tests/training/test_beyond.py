"""What goes beyond the paper: each option against a computation of its own."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from phage.attention import Layout
from phage.errors import PhageError
from phage.objective import contrast, in_batch_loss
from phage.training.loop import Options, train
from phage.training.model import load_tokenizer
from phage.training.sampling import Classes, labels_of, plan
from phage.training.start import average, start_state

NO_GRAPH = {"graph": {"relations": []}}


def plain(model, batch):
    states = model.backbone(input_ids=batch.input_ids, attention_mask=batch.attention_mask)
    return states.last_hidden_state


def test_pairs_encode_two_patents_per_anchor_and_contrast_both_ways(started):
    model, pairs, _ = started(**NO_GRAPH, loss={"negatives": "pairs"})
    assert pairs.count == 6 and len(pairs.labels) == 12
    vectors = F.normalize(plain(model, pairs.batch)[:, 0], dim=1)
    scores = vectors @ vectors.T / 0.05
    terms = []
    for row in range(12):
        partner = (row + 6) % 12
        others = [j for j in range(12) if pairs.labels[j] != pairs.labels[row]]
        terms.append(torch.logsumexp(scores[row, [partner, *others]], 0) - scores[row, partner])
    assert torch.allclose(model(pairs, False)[1], torch.stack(terms).mean(), atol=1e-5)


def test_one_direction_of_pairs_is_the_in_batch_loss():
    torch.manual_seed(0)
    rows, labels = torch.randn(4, 5), torch.tensor([0, 1, 0, 1])
    targets = torch.zeros(4, 4)
    targets[0, 2] = targets[1, 3] = 1
    closed = torch.eye(4, dtype=torch.bool)
    closed[0, 1] = closed[1, 0] = True  # in_batch_loss never compares anchors
    one = contrast(rows, targets, closed)[:2]
    other = in_batch_loss(rows[:2], rows[2:], labels[:2], labels[2:])
    assert torch.allclose(one, other, atol=1e-6)


def test_mean_pooling_is_that_of_the_mask(started):
    model, batch, _ = started(**NO_GRAPH, backbone={"pooling": "mean"})
    states, mask = plain(model, batch.batch), batch.batch.attention_mask[:, :, None]
    want = (states * mask).sum(1) / mask.sum(1)
    assert torch.allclose(model._pool(batch.batch, states), want, atol=1e-6)


def test_mean_pooling_travels_with_the_folder(recipe_of, data_of, tmp_path):
    from sentence_transformers import SentenceTransformer

    from phage.encoder import Encoder

    recipe = recipe_of(backbone={"model": recipe_of().backbone.model, "pooling": "mean"})
    train(recipe, data_of(recipe), tmp_path / "run")
    ours = Encoder.from_pretrained(tmp_path / "run")
    assert ours.settings.pooling == "mean"
    theirs = SentenceTransformer(str(tmp_path / "run"), device="cpu")
    text = ["1. A pump with a valve."]
    assert np.allclose(ours.encode(text), theirs.encode(text), atol=1e-6)
    assert "mean of all tokens" in (tmp_path / "run" / "README.md").read_text()
    with pytest.raises(PhageError, match="one patent per row"):
        train(recipe, data_of(recipe), tmp_path / "packed", Options(pack=True))


@pytest.mark.parametrize("view", ["half", "first"])
def test_a_view_of_some_claims_needs_no_graph(started, view):
    model, batch, _ = started(**NO_GRAPH, loss={"views": 0.5, "view": view})
    (views,) = batch.views
    assert (views.attention_mask.sum(1) < batch.batch.attention_mask.sum(1)[:6]).all()
    total, document, _, views, _, _ = model(batch, False)
    assert views > 0 and torch.allclose(total, document + 0.5 * views)


def test_title_and_abstract_before_the_claims(recipe_of, patents):
    """The ids are those of the text that is encoded later; the head belongs to [CLS]'s node."""
    from phage.attention import Code, collate
    from phage.claims.text import passage
    from phage.claims.window import cut
    from phage.training.prepare import Corpus, prepare

    recipe = recipe_of(input={"window": 40, "section": "tac"})
    tokenizer = load_tokenizer(recipe)
    told = [replace(p, title="A pump", abstract="A valve with a piston.") for p in patents[:8]]
    data = prepare(Corpus(told), recipe, tokenizer)
    for row, one in enumerate(cut([passage(p, "tac") for p in told], tokenizer, 40)):
        whole = data.projection(row, frozenset({1, 2, 3, 4}))
        assert whole.ids.tolist() == one.ids.tolist()
        assert whole.claims[0] == -1 and whole.claims[3] == -1 and whole.claims[-1] >= 0
        assert (np.diff(whole.claims) >= 0).all()
    batch = collate([whole], Layout(0))
    nodes = batch.guidance.nodes[0]
    codes = batch.guidance.codes()[0]
    head, claim = (nodes == 0).nonzero().flatten(), (nodes == 1).nonzero().flatten()
    assert len(head) > 5 and (codes[head][:, claim] == Code.FREE).all()
    assert whole.open or (codes[claim][:, head] == Code.CLOSED).all()
    assert data.origin["settings"]["input.section"] == "tac"


def test_averaged_runs_stay_nearer_the_start(recipe_of, data_of, tmp_path):
    def moved(name, **more):
        recipe = recipe_of(train={"epochs": 4, "save_every": 0, **more})
        train(recipe, data_of(recipe), tmp_path / name)
        start = start_state(recipe)
        now = load_file(tmp_path / name / "model.safetensors")
        return sum((now[key] - start[key]).square().sum() for key in now if key in start).item()

    assert moved("averaged", average=0.5) == pytest.approx(moved("free") / 4, rel=1e-3)
    mixed = average({"n": torch.tensor([3])}, {"n": torch.tensor([5])}, 0.5)
    assert mixed["n"].item() == 3  # counters are not averaged


def test_adaptive_classes_divide_only_what_is_large():
    codes = ["A61B 5/00"] * 3 + ["A61B 5/02"] * 3 + ["A61B 6/00"] * 2 + ["H02M 7/00", "H02M 1/00"]
    labels = labels_of(codes, "adaptive", 4)
    assert len(set(labels[:6])) == 2 and len(set(labels[6:8])) == 1 and labels[8] == labels[9]


def test_balance_draws_small_classes_as_often():
    classes = Classes.of(np.repeat([0, 1], [90, 10]).astype(np.int32))
    share = [
        np.isin(np.concatenate([plan(classes, 1, e, balance)[:, 0] for e in range(20)]),
                np.arange(90, 100)).mean()
        for balance in (1.0, 0.5, 0.0)
    ]  # fmt: skip
    assert share[0] == 0.1 and share[1] == pytest.approx(0.25, abs=0.04)
    assert share[2] == pytest.approx(0.5, abs=0.05)


def test_training_sets_can_be_joined(recipe_of, data_of, patents):
    recipe = recipe_of()
    whole = data_of(recipe)
    joined = type(whole).join([whole.take(range(20)), whole.take(range(20, len(whole)))])
    assert joined.digest() == whole.digest()
