"""What is read of a patent: sections, parts, and two readings of it."""

from dataclasses import replace

import numpy as np
import pytest

from phage.projection import Kept, Projection
from phage.training.model import load_tokenizer
from phage.training.prepare import Corpus, prepare
from phage.training.views import SHORT, Reader, piece, some_claims


def reader(seed=0, varied=False):
    return Reader(np.random.default_rng(seed), varied)


def patent(head=40, claims=(60, 60, 60, 60), title=8):
    """A long patent: ids count up, so that a reading shows what it kept."""
    owners = [-1] * (1 + head) + [i for i, size in enumerate(claims) for _ in range(size)]
    owners.append(owners[-1])  # [SEP]
    table = np.tril(np.ones((len(claims), len(claims)), dtype=np.int8), -1)
    made = Projection(
        "US1A", np.arange(len(owners), dtype=np.int32), np.array(owners, dtype=np.int32),
        tuple(range(1, len(claims) + 1)), table, Kept(4, 4, 6, 6, 0),
    )  # fmt: skip
    return made, title


def sound(whole, read):
    """Every token is one of the patent's, with its claim; [CLS] and [SEP] are there."""
    assert read.ids[0] == whole.ids[0] and read.ids[-1] == whole.ids[-1]
    for token, owner in zip(read.ids[:-1], read.claims[:-1], strict=True):
        there = whole.claims[token]
        number = read.numbers[owner] if owner >= 0 else None
        assert number == (whole.numbers[there] if there >= 0 else None)
    assert read.claims[-1] == read.claims[-2] and (np.diff(read.claims) >= 0).all()
    kept = [whole.numbers.index(number) for number in read.numbers]
    assert (read.relations == whole.relations[np.ix_(kept, kept)]).all()
    assert read.open == (not read.relations.any())


def test_two_readings_fit_and_say_different_things():
    whole, title = patent()
    one, seen = reader(), set()
    for _ in range(200):
        claims, other = one.pair(whole, title, 64)
        for read in (claims, other):
            sound(whole, read)
            assert 4 < len(read) <= 64
        assert (claims.claims[1:] >= 0).all()  # claims alone
        start = 41
        if (other.claims[:-1] < 0).sum() == 41:  # title, abstract
            seen.add("later" if len(other) > 42 else "abstract")
            if len(other) > 42:
                assert claims.ids[1] > other.ids[-2]
        else:
            seen.add("halves")
            assert other.ids[1] == start and claims.ids[1] == other.ids[-2] + 1
    assert seen == {"abstract", "later", "halves"}


def test_claims_are_read_from_a_random_one_on():
    whole, title = patent(claims=(60,) * 6)
    one = reader()
    firsts = {one.pair(whole, title, 64)[0].numbers[0] for _ in range(300)}
    assert firsts == {1, 2, 3, 4, 5, 6}


def test_short_patents_are_read_whole():
    whole, title = patent(head=0, claims=(10, SHORT - 20), title=0)
    claims, other = reader().pair(whole, title, 64)
    assert claims.ids.tolist() == other.ids.tolist() == whole.ids.tolist()
    none, title = patent(head=30, claims=())
    claims, other = reader().pair(none, title, 64)
    assert claims.ids.tolist() == other.ids.tolist() == none.ids.tolist()


def test_sections_are_left_out_at_random():
    whole, title = patent()
    one, counts = reader(varied=True), {}
    for _ in range(2000):
        read = one.whole(whole, title)
        sound(whole, read)
        head = read.ids[(read.claims < 0)][1:]
        key = (bool((head <= title).any()), bool((head > title).any()))
        counts[key] = counts.get(key, 0) + 1
        assert set(whole.ids[whole.claims >= 0]) <= set(read.ids)
    assert counts[True, True] > 1000 and counts[False, False] == pytest.approx(500, abs=90)
    assert counts[False, True] > counts[True, False] > 50
    same = reader().whole(whole, title)
    assert same is whole  # nothing is left out unless asked


def test_some_claims():
    whole, _ = patent(claims=(5, 5, 5, 5, 5))
    half = some_claims(whole, "half", np.random.default_rng(1))
    first = some_claims(whole, "first", np.random.default_rng(1))
    sound(whole, half)
    sound(whole, first)
    assert len(half.numbers) == 3 and first.numbers == (1,)
    assert (half.claims < 0).sum() == (first.claims < 0).sum() == 41
    none, _ = patent(claims=())
    assert some_claims(none, "half", np.random.default_rng(1)) is none


def test_a_piece_of_everything_is_the_patent():
    whole, _ = patent()
    assert piece(whole, np.ones(len(whole), dtype=bool)) is whole


def test_a_training_set_knows_its_titles(recipe_of, patents):
    """And stores more than a window where readings move over a patent."""
    few = [replace(p, title="A pump", abstract="A valve with a piston.") for p in patents[:8]]
    recipe = recipe_of(input={"window": 16, "section": "varied"}, loss={"view": "sections"})
    data = prepare(Corpus(few), recipe, load_tokenizer(recipe))
    assert recipe.stored == 48 and data.lengths.max() > 16
    assert data.titles.tolist() == [2] * 8 and data.take([1]).titles.tolist() == [2]
    assert data.origin["settings"]["input.section"] == "tac"
    claims = recipe_of()
    assert not prepare(Corpus(few), claims, load_tokenizer(claims)).titles.any()
