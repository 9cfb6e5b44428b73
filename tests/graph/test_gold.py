"""The gold file says what its guideline allows, and names only words that stand in the claims."""

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WEEK = HERE.parents[2] / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
ROWS = [json.loads(line) for line in (HERE / "gold.jsonl").read_text("utf-8").splitlines()]


def test_rows_hold_terms_and_classes_only():
    assert len(ROWS) == 482
    assert len({row["patent"] for row in ROWS}) == 40
    for row in ROWS:
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
    for row in ROWS:
        numbers.setdefault(row["patent"], []).append(row["claim"])
    for claims in numbers.values():
        assert claims == list(range(1, len(claims) + 1))
        assert 8 <= len(claims) <= 16


@pytest.mark.data
@pytest.mark.skipif(not WEEK.exists(), reason="the USPTO week is not beside the checkout")
def test_every_term_stands_in_its_claim():
    import sys

    sys.path.insert(0, str(HERE))
    from draw_gold import draw, grants

    texts = {(g.number, n): text for g in draw(grants(WEEK)) for n, text in g.claims}
    assert set(texts) == {(row["patent"], row["claim"]) for row in ROWS}
    for row in ROWS:
        text = re.sub(r"(?<=\w)- (?=and|or)", "-", texts[row["patent"], row["claim"]].lower())
        for _, term in row["mentions"]:
            for word in re.findall(r"[a-z]{4,}", term):
                stem = word[:-1] if word[-1] in "yx" else word[:-2] if word[-2:] == "is" else word
                assert stem in text, (row["patent"], row["claim"], term)
