"""The checker's findings and the legal reading, as the page shows them.

In:   a Patent.
Out:  plain values: the report, each claim with its references and resolved mentions.
Why:  notes, hover and graph layer all show the same reading, so it has one JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from phage.checking import CheckSettings, LegalReading, check, read_legally
from phage.checking.reading import LegalClaim
from phage.checking.scope import Introduction
from phage.checking.types import Step
from phage.checking.walk import Resolution
from phage.claims.elements import elements
from phage.claims.types import Claim, Patent


def check_json(patent: Patent, settings: CheckSettings) -> dict[str, Any]:
    """Check a claim set; each claim comes with its references and mentions."""
    reading = read_legally(patent)
    return {
        "report": check(patent, settings).to_json(),
        "title": patent.title,
        "claims": [_claim(claim, reading.claims.get(claim.number)) for claim in patent.claims],
    }


def _claim(claim: Claim, read: LegalClaim | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "number": claim.number,
        "printed": claim.printed or claim.number,
        "text": claim.text,
        "elements": [
            {"label": one.label, "start": one.start, "end": one.end} for one in elements(claim)
        ],
    }
    if read is None:  # cancelled: only its number is left
        return row | {"references": [], "mentions": [], "unchecked": ""}
    return row | {
        "references": list(_references(read)),
        "mentions": [_mention(found) for found in read.resolutions],
        "unchecked": read.unchecked,
    }


def _references(read: LegalClaim) -> Iterator[dict[str, Any]]:
    for link in read.links:
        yield {
            "start": link.start,
            "end": link.end,
            "parents": list(link.parents),
            "kind": str(link.kind),
            "broken": [{"claim": cited, "reason": str(why)} for cited, why in link.broken],
        }


def _mention(found: Resolution) -> dict[str, Any]:
    return {
        "term": found.term,
        "start": found.start,
        "end": found.end,
        "step": str(found.step),
        "ambiguous": found.ambiguous,
        "antecedents": [
            {"claim": one.claim, "start": one.start, "end": one.end} for one in _taken_up(found)
        ],
    }


def _taken_up(found: Resolution) -> Iterable[Introduction]:
    """Return the introduction that a mention refers to; several if the text is ambiguous."""
    if found.step is Step.NONE:
        return ()
    several = found.ambiguous or found.split
    return found.antecedents if several else found.antecedents[:1]


def legal_layer(patent: Patent) -> dict[str, Any]:
    """Return the antecedents that lead from claim to claim, and the claims with broken references.

    >>> claims = (Claim(1, "A pump comprising a shaft."),
    ...     Claim(2, "The pump of claim 1, wherein the shaft turns."), Claim(3, "The pump of claim 9."))
    >>> layer = legal_layer(Patent("US1A", claims))
    >>> [(edge["source"], edge["target"], edge["terms"][0]["term"]) for edge in layer["edges"]]
    [(1, 2, 'shaft')]
    >>> layer["broken"]
    {3: 'claim 9 does not exist'}
    """
    reading = read_legally(patent)
    edges: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for claim in reading.claims.values():
        for found in claim.resolutions:
            for one in _taken_up(found):
                if one.claim != claim.number:
                    terms = edges.setdefault((one.claim, claim.number), [])
                    terms.append({"term": found.term, "start": found.start, "end": found.end})
    return {
        "edges": [
            {"source": source, "target": target, "terms": terms}
            for (source, target), terms in edges.items()
        ],
        "broken": _broken(reading),
        "unchecked": {n: claim.unchecked for n, claim in reading.claims.items() if claim.unchecked},
    }


def _broken(reading: LegalReading) -> dict[int, str]:
    """Return the claims that cite other claims but have no valid parent."""
    return {
        number: claim.unchecked
        for number, claim in reading.claims.items()
        if claim.links and not any(link.parents for link in claim.links)
    }
