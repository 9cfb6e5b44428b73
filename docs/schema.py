"""Write the page of all columns: python docs/schema.py.

The columns come from the schemas that write the files, their meanings from the docstrings of the
types. A column without a meaning is an error."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from phage import frames
from phage.claims.tables import SCHEMA as PATENTS
from phage.claims.types import Citation, Claim, Patent
from phage.graph.files import SCHEMA as GRAPHS
from phage.graph.types import Diagnostic, Evidence, GraphSettings
from phage.language.types import Mention
from phage.searching.rows import MADE, claim_schema, schema
from phage.searching.tables import COLUMNS

WIDTH = 384
"""Of the vectors of phage-mini."""


def said(kind: type) -> dict[str, str]:
    """Give the docstring below each field of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body  # type: ignore[attr-defined]
    found = {}
    for field, below in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            found[field.target.id] = " ".join(str(below.value.value).split())  # type: ignore[union-attr, attr-defined]
    return found


SPOT = {
    "claim": "Number of the claim in which the words stand.",
    "start": "First character of the words in the claim's text.",
    "end": "The character after the last.",
    "phrase": "The words as printed.",
}
CLAIM = {f"claims[].{name}": words for name, words in said(Claim).items()}
GRAPH = {
    "patent": "Publication number.",
    "language": "The language whose rules were used: two letters.",
    "claims": "Claim numbers, in ascending order.",
    "edges": "Typed edges; the fields of each follow.",
    "edges[].source": "The earlier claim, on which the other builds.",
    "edges[].target": "The later claim.",
    "edges[].relation": "``cite``, ``term``, ``func`` or ``both``.",
    "edges[].kind": "For ``cite``: ``dependent``, ``alternative`` or ``cross-category``.",
    "edges[].evidence": "The words that prove the edge.",
    **{f"edges[].evidence[].{k}": v for k, v in {**SPOT, **said(Evidence)}.items()},
    "diagnostics": "References that cannot be edges.",
    **{f"diagnostics[].{k}": v for k, v in {**SPOT, **said(Diagnostic)}.items()},
    "diagnostics[].reason": "``later``, ``missing``, ``cancelled``, ``self`` or ``dense``.",
    "settings": "How the graph was built.",
    **{f"settings.{k}": v for k, v in said(GraphSettings).items()},
}
OWN = {
    **said(Patent),
    **CLAIM,
    "citations[].document": said(Citation)["document"],
    **{f"citations[].{name}": words for name, words in said(Citation).items()},
    "translations[].language": "Two letters.",
    "translations[].claims": "The claims in that language.",
    **{f"translations[].{name}": words for name, words in CLAIM.items()},
}
INDEX = {
    **OWN,
    **MADE,
    "office": "Two letters: ``US``.",
    "claim": "The claim's number.",
    "terms": "The words of ``text``: each is a hash of its stem (20 bits) and its count (12 bits).",
    "claim_vectors": "One vector for each claim, row by row, float16.",
    "vector": "Unit length.",
}
HIT = {
    "query": "The query, or its name in a file of queries.",
    "rank": "Rank of the hit, from 1.",
    "score": "On the scale of ``--rank``.",
    "cosine": "Of the two patents' vectors.",
    "publication date": "``YYYY-MM-DD``.",
    "assignees": "Separated by semicolons.",
    "ipc": "Separated by semicolons.",
    "your claim": "The claim of the query that matches best.",
    "their claim": "The claim of the hit that it matches.",
    "claim score": "Cosine of the two claims.",
    "shared terms": "Words that both claims use, the rarer ones first.",
    "claim text": "Text of the hit's claim.",
}
FRAME = {
    **OWN,
    **{name: words for name, words in GRAPH.items() if "." not in name},
    **{name.removeprefix("edges[]."): words for name, words in GRAPH.items() if "[]." in name},
    **SPOT,
    "patent": "Publication number.",
    "text": "The claim's text.",
    "claim": "The claim's number.",
    "phrases": "The words that prove the edge.",
    "terms": "The terms in their normal form.",
    "term": said(Mention)["term"],
    "determiner": "``def``, ``indef`` or ``bare``: how the phrase is introduced.",
    "references": said(Claim)["references"],
    "number": "Publication number.",
    "vector": "As the encoder gave it.",
}
VECTORS = {
    "number": "Publication number.",
    "vector": "Unit length, unless the model folder says otherwise.",
    "model": "Name of the model.",
}
VECTOR = pa.list_(pa.float32(), WIDTH)
DATED = pa.schema([f.with_type(pa.date32()) if f.name.endswith("_date") else f for f in PATENTS])

TABLES: dict[str, tuple[str, pa.Schema, Mapping[str, str]]] = {
    "Patents": (
        ("`phage read` writes `patents.parquet` and `patents.jsonl`. Only a claim's span "
        "can be null. In JSON lines, empty optional fields are left out, and translations are an object by "
        "language."), PATENTS, OWN),
    "Graphs": (
        "`phage graph` writes `graphs.parquet` and `graphs.jsonl`.", GRAPHS, GRAPH),
    "Vectors": (
        ("`phage encode` writes `*.parquet` into a folder, and last `vectors.json`, which lists the "
        "files with their rows and hashes."),
        pa.schema({"number": pa.string(), "vector": VECTOR, "model": pa.string()}), VECTORS),
    "Index, patents": (
        "`phage index` writes a folder of LanceDB tables. This is `patents`.", schema(WIDTH), INDEX),
    "Index, claims": (
        "The table `claims` of an index: one row for each claim.", claim_schema(WIDTH), INDEX),
    "Hits": (
        "`phage search -o` writes `hits.csv` and `hits.xlsx`. `hits.json` and `hits.jsonl` hold what `--json` prints.",
        pa.schema({name: pa.string() for name in COLUMNS}), {**OWN, **HIT}),
    "Frame of patents": ("`to_arrow(patents)`: as the file, but days are dates.", DATED, OWN),
    "Frame of claims": ('`to_arrow(patents, "claims")`', frames.CLAIMS, FRAME),
    "Frame of edges": ("`to_arrow(graphs)`", frames.EDGES, FRAME),
    "Frame of mentions": ('`to_arrow(patents, "mentions")`', frames.MENTIONS, FRAME),
    "Frame of vectors": (
        "`to_arrow(vectors, numbers=…)`",
        pa.schema({"number": pa.string(), "vector": VECTOR}), FRAME),
}  # fmt: skip
"""Heading → what the table is, its columns, and their meanings."""


def flat(fields: pa.Schema | pa.StructType, before: str = "") -> Iterator[tuple[str, str]]:
    """Give each column and each field inside it, with its type."""
    for field in fields:
        kind, name = field.type, f"{before}{field.name}"
        inner = kind.value_type if pa.types.is_list(kind) else kind
        if pa.types.is_struct(inner):
            yield name, "list of objects" if inner is not kind else "object"
            yield from flat(inner, f"{name}{'[]' if inner is not kind else ''}.")
        elif pa.types.is_fixed_size_list(kind):
            yield name, f"{kind.value_type} × width"
        else:
            yield name, f"list of {inner}" if inner is not kind else str(kind)


def page() -> str:
    """Give the page."""
    parts = [
        (
            "# Schema\nEvery column of every table that PHAGE writes. `python docs/schema.py` writes this page from the "
            "code; a test\ncompares the two. `[]` stands for each item of a list. The metadata of the Parquet\nfiles of patents and graphs carry the number of their format under `phage.format`; a later number is refused.\n"
        )
    ]
    for title, (intro, columns, meanings) in TABLES.items():
        parts.append(f"\n## {title}\n{intro}\n\n| column | type | meaning |\n|---|---|---|\n")
        for name, kind in flat(columns):
            meaning = meanings[name].replace("``", "`").replace("|", "\\|")
            parts.append(f"| `{name}` | {kind} | {meaning} |\n")
    return "".join(parts)


if __name__ == "__main__":
    Path(__file__).with_name("schema.md").write_text(page(), encoding="utf-8")
