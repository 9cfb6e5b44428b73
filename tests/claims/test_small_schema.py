"""Plain lists of claims, as small JSON files hold them."""

import json

from phage.claims import read


def test_numbers_go_on_after_a_cancelled_range(tmp_path):
    path = tmp_path / "small.jsonl"
    claims = ["1-3. (canceled)", "A pump.", "The pump of claim 4."]
    path.write_text(json.dumps({"number": "ZZ1A", "language": "en", "claims": claims}) + "\n")
    (patent,) = read(path)
    assert [claim.number for claim in patent.claims] == [4, 5]
    assert patent.cancelled == (1, 2, 3)


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
