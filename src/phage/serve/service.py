"""What the service does, without HTTP.

In:   an Encoder, an Index or none, and checked requests.
Out:  answers as plain values.
Why:  the routes only translate; everything worth testing happens here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phage.claims import Claim, Patent
from phage.claims.language import detect
from phage.claims.normal import fold, shortened
from phage.claims.readers import draft, phage_json
from phage.claims.readers.documents import Malformed
from phage.claims.readers.loading import Loader, Unloaded
from phage.claims.readers.records import Record
from phage.claims.readers.unpack import BROKEN
from phage.claims.readers.word import word_text
from phage.claims.types import LISTS, TEXTS
from phage.errors import PhageError
from phage.graph import ClaimGraph, build_graph
from phage.graph.drawing.layout import lay_out
from phage.graph.drawing.scene import compose
from phage.graph.drawing.svg import to_svg
from phage.projection import relation_table
from phage.searching.asking import REMEDY, Asked, drafted, understand
from phage.serve.checking import legal_layer
from phage.serve.problems import Stop
from phage.serve.schemas import ClaimSet, HitBody, PatentAnswer, SearchAsked
from phage.serve.settings import CLAIMS, SHOWN, TEXT

if TYPE_CHECKING:  # the worker processes load neither the model nor the index
    from phage.encoder import Encoder
    from phage.searching import Hit, Index, Query

Advance = Callable[[int], None]
"""Called after each batch of a long encoding; an exception from it ends the encoding."""


class Desk:
    """One encoder and one index, and the answers they give."""

    def __init__(self, encoder: Encoder, index: Index | None) -> None:
        """Join them; without an index there are only graphs and vectors."""
        self.encoder, self.index = encoder, index

    def the_index(self) -> Index:
        """Return the index, or raise an error if there is none."""
        if self.index is None:
            raise Stop(
                404, "this server has no index", remedy="start it with one: phage serve my.index"
            )
        return self.index

    def row(self, number: str) -> dict[str, Any]:
        """Look a patent up."""
        found = self.the_index().get(number)
        if found is None:
            raise Stop(404, f"{number[:80]} is not in this index", remedy="search for it by words")
        return found

    def indexed(self, number: str) -> Query:
        """Make a query of an indexed patent; an unknown number gives a 404."""
        from phage.searching import NotIndexed, from_index

        try:
            return from_index(self.the_index(), number)
        except NotIndexed as error:
            raise Stop(404, error.message, remedy=error.remedy) from error

    def encode_queries(self, asked: Sequence[str | Patent], advance: Advance) -> list[Query]:
        """Encode a batch of searches."""
        from phage.searching.queries import queries

        return queries(asked, self.encoder, advance, self.the_index().settings.section)

    def encode_texts(self, texts: Sequence[list[str]], advance: Advance) -> list[list[list[float]]]:
        """Encode several requests' texts in one go."""
        from phage.encoder.inputs import unsaid

        flat = [text for one in texts for text in one]
        vectors = iter(self.encoder.encode(flat, on_cut=unsaid, advance=advance).tolist())
        return [[next(vectors) for _ in one] for one in texts]

    def encode_parts(
        self, asked: Sequence[list[str]], advance: Advance
    ) -> list[NDArray[np.float32]]:
        """Encode short texts, each by the mean of its tokens: (N, D) per request."""
        flat = [text for one in asked for text in one]
        vectors = np.stack([one.vectors[0] for one in self.encoder.read(flat, advance=advance)])
        ends = np.cumsum([len(one) for one in asked])
        return np.split(vectors, ends[:-1])


def given_claims(asked: ClaimSet) -> Patent | None:
    """Make a patent of the claims in a request; None if it names an indexed patent instead."""
    given = [bool(asked.text.strip()), bool(asked.claims), bool(asked.number)]
    if asked.claims and not asked.text.strip():
        claims = tuple(Claim(c.number, fold(c.text)) for c in asked.claims)
        if len({claim.number for claim in claims}) < len(claims):
            raise PhageError("two claims have the same number", remedy="number each once")
        language = asked.language or detect(" ".join(claim.text for claim in claims))
        return Patent(asked.number or "draft", claims, title=asked.title, language=language)
    if sum(given) != 1:
        raise PhageError(
            "the request names no claims; give one of text, claims or number",
            remedy='{"text": "1. A pump …"}',
        )
    if asked.number:
        return None
    return _named(drafted(asked.text, "draft"), asked.title, asked.language)


def uploaded(data: bytes, name: str) -> Patent:
    """Read a dropped file: text, Word, or a patent as JSON."""
    stem = Path(name.replace("\\", "/")).name.split(".")[0]
    stem = "".join(filter(str.isprintable, stem)).strip()[:80] or "draft"
    try:
        if name.lower().endswith((".json", ".jsonl")):
            return _named(_from_json(draft.decoded(data)), "", "")
        text = word_text(data) if data.startswith(b"PK") else draft.decoded(data)
        if len(text) > TEXT:
            raise Malformed(f"longer than {TEXT:,} characters")
        return _named(draft.patent(text, stem, descriptions=True), "", "")
    except (Malformed, KeyError, ValueError, *BROKEN) as error:
        raise PhageError(f"this file cannot be read: {error}", remedy=REMEDY) from error


def _from_json(text: str) -> Patent:
    """Read the only, or the first, patent of a JSON file or of JSON lines."""
    loader = Loader()
    row = loader.value(text)
    if isinstance(row, Unloaded):
        row = loader.value(text.lstrip().split("\n")[0])
    if isinstance(row, list) and row:
        row = row[0]
    if not isinstance(row, dict) or not phage_json.is_own(row):
        raise Malformed("it holds no patent with a number and claims")
    found = phage_json.patent(Record(row))
    if sum(len(claim.text) for claim in found.claims) > TEXT:
        raise Malformed(f"its claims have more than {TEXT:,} characters")
    return found


def understood(asked: SearchAsked) -> Asked:
    """Understand a search; a pasted claim set has a limit."""
    claims = [Claim(claim.number, claim.text) for claim in asked.claims]
    said = understand(asked.query, asked.filter, claims)
    return replace(said, patent=_named(said.patent, "", "")) if said.patent else said


def _named(found: Patent, title: str, language: str) -> Patent:
    if len(found.claims) > CLAIMS:
        raise PhageError(f"{len(found.claims):,} claims are too many", remedy=f"up to {CLAIMS}")
    return replace(found, title=title or found.title, language=language or found.language)


def from_row(row: dict[str, Any]) -> Patent:
    """Make a Patent of an index row."""
    claims = tuple(Claim(claim["number"], claim["text"]) for claim in row["claims"])
    values: dict[str, Any] = {name: row[name] for name in TEXTS if row.get(name)}
    values |= {name: tuple(row[name]) for name in LISTS if row.get(name)}
    return Patent(claims=claims, **values)


def hit_json(hit: Hit) -> dict[str, Any]:
    """Return a hit as JSON, with its two claims shortened."""
    row = hit.to_json()
    row["title"] = shortened(row["title"], SHOWN)
    if row["match"]:
        row["match"]["query_text"] = shortened(row["match"]["query_text"], SHOWN)
        row["match"]["text"] = shortened(row["match"]["text"], SHOWN)
    return row


def as_hit(given: HitBody) -> Hit:
    """Make a Hit of a hit that a client sends back."""
    from phage.searching.types import ClaimMatch, Hit

    row = given.model_dump(exclude={"query", "rank"})
    match = row.pop("match")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
    }
    if match:
        values["match"] = ClaimMatch(**{**match, "terms": tuple(match["terms"])})
    return Hit(**values)


def written(value: dict[str, Any]) -> bytes:
    """Write an answer as JSON; half a surrogate pair, which UTF-8 cannot write, becomes '?'."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def patent_json(patent: Patent) -> dict[str, Any]:
    """Return the parts of a patent that the page shows."""
    row = {name: getattr(patent, name) for name in PatentAnswer.model_fields}
    row["claims"] = [
        {"number": c.number, "text": c.text} | ({"printed": c.printed} if c.printed else {})
        for c in patent.claims
    ]
    return row


def graph_json(patent: Patent, *, svg: bool) -> dict[str, Any]:
    """Build the graph of a patent, and everything the page needs to draw it."""
    graph, legal = build_graph(patent), legal_layer(patent)
    table = relation_table(graph.claims, graph)
    return {
        "graph": graph.to_json(),
        "patent": patent_json(patent),
        "rows": rows(graph, patent, legal["broken"]),
        "mask": {
            "numbers": list(graph.claims),
            "table": table.tolist(),
            "open": not table.any(),
        },
        "legal": legal,
        "svg": to_svg(compose(graph, patent), f"claim graph of {graph.patent}") if svg else "",
    }


def rows(graph: ClaimGraph, patent: Patent, broken: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return the drawing's rows: the place of each claim, its new words, and why it is broken."""
    return [
        {
            "number": row.number,
            "depth": row.depth,
            "parent": row.parent,
            "independent": row.independent,
            "broken": broken.get(row.number, ""),
            "opening": row.opening,
            "words": row.words,
        }
        for row in lay_out(graph, patent).rows
    ]
