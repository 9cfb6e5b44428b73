"""The strings that are encoded: one spelling for training, encoding and search.

In:   a Patent.
Out:  the text of its claims or other sections; for the claims also where each one stands in it.
Why:  a graph-free encoder must read the very string the guided one was trained on, so both take it
      from here; how a claim set is cut to a window is in ``phage.claims.window``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from phage.claims.types import Claim, Patent


class Section(StrEnum):
    """Which parts of a patent are encoded; TA and TAC as in the paper's retrieval tables."""

    CLAIMS = "claims"
    TA = "ta"
    """Title and abstract."""
    TAC = "tac"
    """Title, abstract and claims."""
    FULL = "full"
    """Title, abstract, claims and description."""


def section_text(patent: Patent, section: Section | str = Section.CLAIMS) -> str:
    """Spell out one section of a patent; empty parts leave no trace.

    >>> patent = Patent("US1A", (Claim(1, "A pump."),), title="Pump", abstract="It pumps.")
    >>> section_text(patent, "tac")
    'Pump It pumps. 1. A pump.'
    """
    claims = claims_text(patent.claims)
    parts = {
        Section.CLAIMS: (claims,),
        Section.TA: (patent.title, patent.abstract),
        Section.TAC: (patent.title, patent.abstract, claims),
        Section.FULL: (patent.title, patent.abstract, claims, patent.description),
    }
    return " ".join(part for part in parts[Section(section)] if part)


def claims_text(claims: Iterable[Claim]) -> str:
    """Join the claims in order, each behind its printed number.

    >>> claims_text([Claim(1, "A pump."), Claim(2, "The pump of claim 1.")])
    '1. A pump. 2. The pump of claim 1.'
    """
    return joined(claims)[0]


def joined(claims: Iterable[Claim]) -> tuple[str, list[int]]:
    """Give ``claims_text`` and the character at which each claim (its number) starts.

    >>> joined([Claim(1, "A pump."), Claim(2, "The pump of claim 1.")])[1]
    [0, 11]
    """
    pieces: list[str] = []
    starts: list[int] = []
    at = 0
    for claim in claims:
        piece = f"{claim.number}. {claim.text}"
        pieces.append(piece)
        starts.append(at)
        at += len(piece) + 1  # the blank between two claims
    return " ".join(pieces), starts
