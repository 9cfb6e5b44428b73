"""The graphs of real patents, frozen as digests: a change of the reader or the graph shows here.

``python tests/graph/test_frozen.py`` writes frozen.json anew. Do that only when graphs are meant to
change, and say in docs/log.md how many did.
"""

import hashlib
import itertools
import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REAL = HERE.parents[2] / "shared" / "data"
FROZEN = HERE / "frozen.json"
FILES = (
    "uspto-grants-2014-01-07.xml.xz",
    "a61b5-claims.jsonl.xz",
    "indian-patents.jsonl.xz",
    "korean-japanese-claims.jsonl.xz",
    "multilingual-families.jsonl.xz",
)
MOST = 5000
"""Patents taken of each file."""
BUCKETS = 25
"""The patent at place i falls into bucket i modulo this; ``make test`` looks at the first alone."""

pytestmark = pytest.mark.data


def digests(name, buckets=range(BUCKETS)):
    """Hash the graphs of a file's patents, bucket by bucket: bucket → (graphs, edges, digest)."""
    from phage import build_graph
    from phage.claims import read
    from phage.language import LANGUAGES

    found = {bucket: [0, 0, hashlib.sha256()] for bucket in buckets}
    for place, patent in enumerate(itertools.islice(read(REAL / name), MOST)):
        if (row := found.get(place % BUCKETS)) is None or patent.language not in LANGUAGES:
            continue
        graph = build_graph(patent).to_json()
        row[0] += 1
        row[1] += len(graph["edges"])
        row[2].update(json.dumps(graph, sort_keys=True).encode())
    return {
        str(bucket): {"graphs": graphs, "edges": edges, "digest": digest.hexdigest()[:16]}
        for bucket, (graphs, edges, digest) in found.items()
    }


def check(name, buckets):
    if not (REAL / name).is_file():
        pytest.skip("no real patents in ../shared/data")
    expected = json.loads(FROZEN.read_text())[name]
    assert digests(name, buckets) == {str(bucket): expected[str(bucket)] for bucket in buckets}


@pytest.mark.parametrize("name", FILES)
def test_a_part_of_the_graphs_is_unchanged(name):
    check(name, [0])


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_all_graphs_are_unchanged(name):
    check(name, range(BUCKETS))


if __name__ == "__main__":
    FROZEN.write_text(json.dumps({name: digests(name) for name in FILES}, indent=1) + "\n")
