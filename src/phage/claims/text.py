"""The strings that are encoded: one spelling for training, encoding and search.

In:   a Patent.
Out:  the text of its claims or other sections; for the claims also where each one stands in it.
Why:  a graph-free encoder must read the very string the guided one was trained on, so both take it
      from here; how it is cut to a window is in ``phage.claims.window``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
    WHOLE = "whole"
    """Title and abstract, and all claims, each in as many windows as it takes."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that is read in one go, and where the claims stand in it."""

    text: str
    starts: tuple[int, ...] = ()
    """The character at which each claim (its number) starts."""
    end: int = 0
    """The character behind the last claim."""
    lead: int = 0
    """Characters of the prompt, which stands before every window."""


def passage(patent: Patent, section: Section | str = Section.CLAIMS, prompt: str = "") -> Passage:
    """Write one section of a patent after a prompt; empty parts are left out.

    >>> patent = Patent("US1A", (Claim(1, "A pump."),), title="Pump", abstract="It pumps.")
    >>> passage(patent, "tac", prompt="query: ")
    Passage(text='query: Pump It pumps. 1. A pump.', starts=(22,), end=32, lead=7)
    """
    section = Section(section)
    front = " ".join(filter(None, (patent.title, patent.abstract)))
    head = "" if section is Section.CLAIMS else front
    claims, starts = joined(() if section is Section.TA else patent.claims)
    tail = patent.description if section is Section.FULL else ""
    before = len(prompt) + (len(head) + 1 if head else 0)
    return Passage(
        prompt + " ".join(filter(None, (head, claims, tail))),
        tuple(before + start for start in starts),
        before + len(claims),
        len(prompt),
    )


def passages(patent: Patent, section: Section | str, prompt: str = "") -> list[Passage]:
    """Return the texts that are read separately: front page and claims of a whole patent, or one text.

    >>> patent = Patent("US1A", (Claim(1, "A pump."),), title="Pump")
    >>> [part.text for part in passages(patent, "whole")]
    ['Pump', '1. A pump.']
    """
    apart = (Section.TA, Section.CLAIMS) if section == Section.WHOLE else (section,)
    found = [passage(patent, one, prompt) for one in apart]
    return [one for one in found if len(one.text) > len(prompt)]


def section_text(patent: Patent, section: Section | str = Section.CLAIMS) -> str:
    """Write one section of a patent as one text.

    >>> patent = Patent("US1A", (Claim(1, "A pump."),), title="Pump", abstract="It pumps.")
    >>> section_text(patent, "tac")
    'Pump It pumps. 1. A pump.'
    """
    return passage(patent, section).text


def claims_text(claims: Iterable[Claim]) -> str:
    """Join the claims in order, each behind its printed number.

    >>> claims_text([Claim(1, "A pump."), Claim(2, "The pump of claim 1.")])
    '1. A pump. 2. The pump of claim 1.'
    """
    return joined(claims)[0]


def joined(claims: Iterable[Claim]) -> tuple[str, list[int]]:
    """Return ``claims_text`` and the character at which each claim (its number) starts.

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
