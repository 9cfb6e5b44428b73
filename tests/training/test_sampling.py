"""Triplets: right, uniform, and a function of the seed alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from phage.claims.types import Claim, Patent
from phage.errors import PhageError
from phage.training.recipe import Recipe, Sampling, Train
from phage.training.sampling import (
    Classes,
    Neighbours,
    Sieve,
    check_classes,
    labels_of,
    plan,
)
from phage.training.steps import Steps, share
from phage.training.teacher import POOL, nearest

LABELS = np.array([0, 1, 0, 2, 1, 0, 3, 1, 1], dtype=np.int32)  # classes 2 and 3 are singles


def test_every_triplet_is_right():
    classes = Classes.of(LABELS)
    for epoch in range(200):
        anchor, positive, negative = plan(classes, 5, epoch).T
        assert (LABELS[anchor] == LABELS[positive]).all() and (anchor != positive).all()
        assert (LABELS[anchor] != LABELS[negative]).all()
        assert sorted(anchor) == [0, 1, 2, 4, 5, 7, 8]  # each with a positive, once; no single


def test_draws_are_uniform():
    classes = Classes.of(LABELS)
    drawn = np.concatenate([plan(classes, 9, epoch) for epoch in range(3000)])
    for anchor in (0, 4):
        mine = drawn[drawn[:, 0] == anchor]
        others = [i for i in range(9) if LABELS[i] == LABELS[anchor] and i != anchor]
        strangers = [i for i in range(9) if LABELS[i] != LABELS[anchor]]
        for column, pool in ((1, others), (2, strangers)):
            counts = np.bincount(mine[:, column], minlength=9)
            assert counts.sum() == counts[pool].sum() == 3000
            expected = 3000 / len(pool)
            assert (np.abs(counts[pool] - expected) < 5 * np.sqrt(expected)).all()


def test_seed_and_epoch_decide():
    classes = Classes.of(LABELS)
    assert (plan(classes, 1, 0) == plan(classes, 1, 0)).all()
    assert (plan(classes, 1, 0) != plan(classes, 1, 1)).any()
    assert (plan(classes, 1, 0) != plan(classes, 2, 0)).any()


def test_patents_that_do_not_reach_the_level_take_no_part():
    labels = labels_of(["A61B 5/00", "A61B", "A61B 5/02", "H02M 7/00"], "main-group")
    assert labels.tolist() == [0, -1, 0, 1]
    drawn = plan(Classes.of(labels), 1, 0)
    assert 1 not in drawn and sorted(drawn[:, 0]) == [0, 2]


@pytest.mark.parametrize(
    ("labels", "said"), [([-1, -1], "no patent has"), ([0, 0, 0], "one IPC"), ([0, 1, 2], "no two")]
)
def test_hopeless_corpora_are_refused(labels, said):
    with pytest.raises(PhageError, match=said):
        check_classes(np.array(labels, dtype=np.int32), "subclass")


def patent(number, application="", family="", claims="A pump.", ipc="F04B 1/00"):
    text = (Claim(1, claims),) if claims is not None else ()
    return Patent(number, text, application=application, family=family, ipc=(ipc,) if ipc else ())


def test_each_invention_once_and_none_held_out():
    sieve = Sieve(held_out=[patent("EP9A", application="EP9", family="f9")])
    corpus = [
        patent("US1A", "US1", "f1"),
        patent("US1B", "US1", "f2"),  # same application
        patent("US2A", "US2", "f1"),  # same family
        patent("US3A"),
        patent("US4A"),  # no application, no family: equal to nobody
        patent("US3A"),  # the same number
        patent("US9A", "US9", "f9"),  # family of an evaluation patent
        patent("US5A", ipc=""),
        patent("US6A", claims=None),
        patent("US7A", claims="  "),
    ]
    kept = [one.number for one in filter(sieve, corpus)]
    assert kept == ["US1A", "US3A", "US4A"]
    told = sieve.dropped
    assert (told.duplicates, told.held_out, told.no_ipc, told.no_claims) == (3, 1, 1, 2)


def test_deduplication_can_be_by_application_alone():
    sieve = Sieve(("application",))
    kept = list(filter(sieve, [patent("US1A", "US1", "f"), patent("US2A", "US2", "f")]))
    assert len(kept) == 2


def test_application_and_grant_without_numbers_share_title_and_date():
    grant = Patent(
        "US8A", (Claim(1, "A pump."),), title="A Pump", filing_date="2014-01-07", ipc=("F04B 1/00",)
    )
    application = replace(grant, number="US9A", title="A pump")
    later = replace(grant, number="US10A", filing_date="2015-01-07")
    sieve = Sieve(("title",))
    assert [one.number for one in filter(sieve, [grant, application, later])] == ["US8A", "US10A"]
    assert [one.number for one in filter(Sieve(held_out=[application]), [grant, later])] == [
        "US10A"
    ]


CODES = tuple(f"{'ABCD'[i % 4]}01B 1/00" for i in range(10))


def steps(**train):
    return Steps.of(CODES, Recipe(sampling=Sampling(), train=Train(**train)))


def test_the_stream_runs_on_over_epochs():
    whole = steps(batch=2, accumulation=2, epochs=4)
    assert whole.count == 10 and whole.size == 4
    stream = np.concatenate([whole.triplets(step) for step in range(10)])
    for epoch in range(4):
        assert sorted(stream[epoch * 10 : (epoch + 1) * 10, 0]) == list(range(10))


def test_sharing_changes_no_micro_batch():
    whole = steps(batch=1, accumulation=4, epochs=4)
    for world in (1, 2, 4):
        seen = sorted(i for rank in range(world) for i in share(4, rank, world))
        assert seen == [0, 1, 2, 3]
    joined = np.concatenate([whole.micro_batch(3, index) for index in range(4)])
    assert (joined == whole.triplets(3)).all()
    seeds = {whole.seed(step, index) for step in range(10) for index in range(4)}
    assert len(seeds) == 40
    with pytest.raises(PhageError, match="accumulation = 4"):
        share(4, 0, 3)


def test_too_few_patents_for_a_step():
    with pytest.raises(PhageError, match="do not fill one step"):
        steps(batch=4, accumulation=128, epochs=1)
    assert steps(batch=4, accumulation=1, epochs=3, max_steps=2).count == 2


def test_anchors_meet_neighbours_that_the_teacher_knows():
    chance = np.random.default_rng(3)
    vectors = torch.nn.functional.normalize(torch.from_numpy(chance.normal(size=(60, 6))), dim=1)
    known = torch.from_numpy(chance.random(60) < 0.8)
    near = nearest(vectors, known, 3)
    unit = vectors.float()
    assert near.shape == (60, POOL) and (near[~known.numpy()] == -1).all()
    for row in np.flatnonzero(known):
        others = [o for o in np.flatnonzero(known) if o != row]
        assert (
            near[row].tolist() == sorted(others, key=lambda o: -float(unit[row] @ unit[o]))[:POOL]
        )
    classes = Classes.of(np.repeat(np.arange(4), 15).astype(np.int32))
    drawn = Neighbours(near, 3).plan(classes, seed=1, epoch=0)
    assert sorted(drawn[:, 0]) == np.flatnonzero(known).tolist()
    for anchor, *joined in drawn:
        assert len(set(joined)) == 3 and set(joined) <= set(near[anchor])
    again = Neighbours(near, 3).plan(classes, seed=1, epoch=1)
    assert (drawn != again).any()
    with pytest.raises(PhageError, match="too few"):
        nearest(vectors[:3], known[:3], 3)


def test_nearest_needs_a_teacher():
    with pytest.raises(PhageError, match=r"loss\.teacher"):
        Recipe(sampling=Sampling(nearest=4))
