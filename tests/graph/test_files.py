"""Graphs read back from files that other hands may have touched."""

import json

import pytest

from phage.errors import PhageError
from phage.graph.files import read_graphs

GOOD = {"patent": "ZZ1A", "language": "en", "claims": [1, 2], "edges": []}
ODD = {
    "a number": "3",
    "a list": "[]",
    "claims, null": json.dumps({**GOOD, "claims": None}),
    "claims, a number": json.dumps({**GOOD, "claims": 5}),
    "claims, texts": json.dumps({**GOOD, "claims": ["1", "2"]}),
    "patent, a number": json.dumps({**GOOD, "patent": 3}),
    "edges, texts": json.dumps({**GOOD, "edges": ["x"]}),
    "an edge of infinity": json.dumps(
        {**GOOD, "edges": [{"source": float("inf"), "target": 2, "relation": "cite"}]}
    ),
    "an unknown relation": json.dumps(
        {**GOOD, "edges": [{"source": 1, "target": 2, "relation": "love"}]}
    ),
    "nested too deep": '{"patent": ' + "[" * 100_000,
}


@pytest.mark.parametrize("case", ODD)
def test_an_odd_row_is_an_error_that_names_it(case, tmp_path):
    path = tmp_path / "graphs.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{ODD[case]}\n", encoding="utf-8")
    graphs = read_graphs(path)
    assert next(graphs).patent == "ZZ1A"
    with pytest.raises(PhageError) as caught:
        next(graphs)
    assert caught.value.place.endswith(("row 2", "line 2"))
