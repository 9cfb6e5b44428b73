"""Words as a teacher: BM25's similarities in few dimensions, beside those of a model."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from phage.claims.types import Claim, Patent
from phage.errors import PhageError
from phage.training.model import load_tokenizer
from phage.training.words import WordCounter, WordCounts, joined, rounded, temperature


@pytest.fixture
def counts(recipe_of):
    def make(patents):
        made = WordCounts(WordCounter(load_tokenizer(recipe_of())))
        made.add(patents)
        return made

    return make


def patent(number, text, **more):
    return Patent(number, (Claim(1, text),), ipc=("F04B 1/00",), **more)


def test_patents_that_share_words_are_near(counts):
    three = counts(
        [
            patent("US1A", "pump piston valve"),
            patent("US2A", "piston valve cylinder"),
            patent("US3A", "inverter circuit switch"),
        ]
    )
    unit = torch.nn.functional.normalize(three.vectors(4096), dim=1)
    near = unit @ unit.T
    assert near[0, 1] > 0.15 > abs(near[0, 2])
    assert near.diagonal().tolist() == pytest.approx([1, 1, 1], rel=1e-4)


def test_products_are_those_of_bm25(counts, patents):
    """Against a computation in words; a projection is right but for its noise."""
    made = counts(patents)
    tokenizer = made.counter.tokenizer
    names = {place: word for word, place in tokenizer.get_vocab().items()}
    rows = []
    for one in patents:
        text = " ".join(f"{claim.number}. {claim.text}" for claim in one.claims)
        words = [names[i] for i in tokenizer(text, add_special_tokens=False)["input_ids"]]
        row = {}
        for key, weight in [
            *((w, 1.0) for w in words),
            *((p, 0.7) for p in itertools.pairwise(words)),
        ]:
            parts = key if isinstance(key, tuple) else (key,)
            if all(part.removeprefix("##").isalpha() for part in parts):
                row[key] = row.get(key, 0.0) + weight
        rows.append(row)
    seen = {key: sum(key in row for row in rows) for row in rows for key in row}
    mean = np.mean([sum(row.values()) for row in rows])
    weighed = []
    for row in rows:
        size = 0.25 + 0.75 * sum(row.values()) / mean
        full = {k: max(0, np.log((len(rows) + 0.5) / (seen[k] + 0.5))) * c / (c + 1.5 * size)
                for k, c in row.items()}  # fmt: skip
        length = np.sqrt(sum(v * v for v in full.values()))
        weighed.append({k: v / length for k, v in full.items()})
    found = made.vectors(8192)
    for a, b in ((0, 1), (0, 4), (3, 7), (5, 5)):
        want = sum(v * weighed[b].get(k, 0.0) for k, v in weighed[a].items())
        assert float(found[a] @ found[b]) == pytest.approx(want, abs=0.05)


def test_descriptions_count_and_numbers_do_not(counts):
    plain = patent("US1A", "pump piston")
    told = replace(plain, description="valve cylinder")
    numbered = replace(plain, description="7 654 321")
    other = patent("US2A", "inverter")
    one, two, three = (counts([p, other]).vectors(64)[0] for p in (plain, told, numbered))
    assert not torch.equal(one, two) and torch.equal(one, three)


def test_both_parts_count_alike():
    chance = torch.Generator().manual_seed(1)
    wide, narrow = (torch.randn(400, width, generator=chance) for width in (8, 512))
    both, most = joined([(wide, None), (narrow, None)])
    a, b = (torch.nn.functional.normalize(part, dim=1) for part in (wide, narrow))
    want = (a @ a.T) / (a @ a.T).std(1).mean() + (b @ b.T) / (b @ b.T).std(1).mean()
    assert torch.allclose(both @ both.T, want, atol=0.1)
    assert (both @ both.T).max().item() == pytest.approx(most, rel=1e-4)
    small = rounded(both).double()
    found, exact = (rows @ rows.T / rows.square().sum(1).mean() for rows in (small, both.double()))
    assert torch.allclose(found, exact, atol=0.02)
    assert temperature(most) == pytest.approx(1 / (0.7 * most))


def test_the_spread_is_that_before_projection(counts, patents):
    made = counts(patents)
    dense = torch.zeros(len(patents), made._total)
    ((places, values, starts),) = made.weighed()
    for row, (start, end) in enumerate(itertools.pairwise([*starts.tolist(), len(places)])):
        dense[row, places[start:end].long()] = values[start:end]
    assert dense.norm(dim=1).tolist() == pytest.approx([1.0] * len(patents), rel=1e-4)
    assert made.spread() == pytest.approx(
        float((dense @ dense.T).std(1, correction=0).mean()), rel=1e-4
    )


def test_no_patents(counts):
    with pytest.raises(PhageError, match="holds no patents"):
        counts([]).vectors(8)


@pytest.mark.parametrize("named", ["file", "folder"])
def test_the_command(phage, tmp_path, tiny, named):
    data = tmp_path / "in" / "patents.jsonl"
    data.parent.mkdir()
    phage("demo-corpus", "-o", data, "-n", 12)
    data = data if named == "file" else data.parent
    phage("encode", tiny, data, "-o", tmp_path / "vectors")
    code, out, err = phage(
        "teacher", data, "--vectors", tmp_path / "vectors", "--width", 16,
        "-o", tmp_path / "teacher", "--json",
    )  # fmt: skip
    assert code == 0, err
    told = json.loads(out)
    assert told["rows"] == 12 and told["width"] == 16 + 32
    about = json.loads((tmp_path / "teacher" / "vectors.json").read_text())
    assert about["teacher_temperature"] == told["teacher_temperature"] > 0
    assert set(about["provenance"]["data"]) == {"patents.jsonl", "vectors-00000.parquet"}
    rows = pq.read_table(tmp_path / "teacher" / "vectors-00000.parquet")
    assert rows.num_rows == 12 and len(rows["vector"][0].as_py()) == 48
