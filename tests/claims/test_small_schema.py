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
