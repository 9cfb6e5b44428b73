"""Plain lists of claims, as small JSON files hold them."""

import json
from dataclasses import replace

import pytest

from phage.claims import ReadReport, read

FORMS = [
    "1. A pump.\n2. The pump of claim 1.",
    ["A pump.", "The pump of claim 1."],
    ["1. A pump.", "2. The pump of claim 1."],
    [{"number": 1, "text": "A pump."}, {"number": 2, "text": "The pump of claim 1."}],
    [{"number": 1, "text": "1. A  pump."}, {"number": 2, "text": "2. The pump of claim 1."}],
    {"1": "A pump.", "2": "The pump of claim 1."},
]


@pytest.mark.parametrize("key", ["number", "id", "Pub No"])
def test_every_form_of_claims_gives_the_same_patent(key):
    rows = [{key: "US-8621662-B2", "title": "A  pump", "claims": claims} for claims in FORMS]
    first, *others = (spanless(next(read([row], report=ReadReport()))) for row in rows)
    assert (first.number, first.kind, first.title) == ("US8621662B2", "B2", "A pump")
    assert all(other == first for other in others)


def spanless(patent):
    """Only a run of text has places of its claims."""
    return replace(patent, claims=tuple(replace(claim, span=None) for claim in patent.claims))


def test_numbers_go_on_after_a_cancelled_range(tmp_path):
    path = tmp_path / "small.jsonl"
    claims = ["1-3. (canceled)", "A pump.", "The pump of claim 4."]
    path.write_text(json.dumps({"number": "ZZ1A", "language": "en", "claims": claims}) + "\n")
    (patent,) = read(path)
    assert [claim.number for claim in patent.claims] == [4, 5]
    assert patent.cancelled == (1, 2, 3)
    rows = [{"patent": "ZZ1A", "claim": n, "text": text} for n, text in enumerate(claims, 3)]
    (patent,) = read([{**rows[0], "text": "3. (canceled)"}, *rows[1:]], report=ReadReport())
    assert [claim.number for claim in patent.claims] == [4, 5] and patent.cancelled == (3,)


def test_half_a_surrogate_pair_costs_one_character_not_the_file(tmp_path):
    path = tmp_path / "small.jsonl"
    rows = [
        r'{"number": "ZZ\ud8001A", "title": "\ud83d\ude00", "claims": ["A \uDFFF pump."]}',
        r'{"number": "ZZ2A", "claims": ["A \ud55c pump."]}',
    ]
    path.write_text("\n".join(rows))
    first, second = read(path)
    assert (first.number, first.title) == ("ZZ?1A", "\U0001f600")
    assert first.claims[0].text == "A ? pump."
    assert second.claims[0].text == "A \ud55c pump."
