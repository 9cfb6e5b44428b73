"""The gold file says what its guideline allows, and names only words that stand in the claims."""

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WEEK = HERE.parents[2] / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
ROWS, SECOND = (
    [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]
    for name in ("gold.jsonl", "gold-second.jsonl")
)


def test_the_sets_are_apart():
    first, second = ({row["patent"] for row in rows} for rows in (ROWS, SECOND))
    assert (len(ROWS), len(first)) == (482, 40)
    assert (len(SECOND), len(second)) == (167, 15)
    assert not first & second


@pytest.mark.parametrize("rows", [ROWS, SECOND])
def test_rows_hold_terms_and_classes_only(rows):
    for row in rows:
        assert sorted(row) == ["claim", "components", "mentions", "patent"]
        assert re.fullmatch(r"US\d{7}B[12]", row["patent"])
        mentions = [tuple(mention) for mention in row["mentions"]]
        assert len(set(mentions)) == len(mentions)
        assert {kind for kind, _ in mentions} <= {"indef", "def"}
        assert all(term == " ".join(term.lower().split()) for _, term in mentions)
        assert len(row["components"]) == len(set(row["components"])) <= 8
        assert set(row["components"]) <= {term for _, term in mentions}


def test_claims_are_numbered_without_a_gap():
    numbers: dict[str, list[int]] = {}
    for row in (*ROWS, *SECOND):
        numbers.setdefault(row["patent"], []).append(row["claim"])
    for claims in numbers.values():
        assert claims == list(range(1, len(claims) + 1))
        assert 8 <= len(claims) <= 16


@pytest.mark.data
@pytest.mark.skipif(not WEEK.exists(), reason="the USPTO week is not beside the checkout")
def test_every_term_stands_in_its_claim():
    import sys

    sys.path.insert(0, str(HERE))
    from draw_gold import draw, draw_second, grants

    week = list(grants(WEEK))
    drawn = (*draw(week), *draw_second(week))
    texts = {(g.number, n): text for g in drawn for n, text in g.claims}
    assert set(texts) == {(row["patent"], row["claim"]) for row in (*ROWS, *SECOND)}
    for row in (*ROWS, *SECOND):
        text = re.sub(r"(?<=\w)- (?=and|or)", "-", texts[row["patent"], row["claim"]].lower())
        for _, term in row["mentions"]:
            for word in re.findall(r"[a-z]{4,}", term):
                stem = word[:-1] if word[-1] in "yx" else word[:-2] if word[-2:] == "is" else word
                assert stem in text, (row["patent"], row["claim"], term)
