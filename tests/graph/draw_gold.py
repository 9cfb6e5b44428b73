"""Draw the patents of the gold set.

In:   the USPTO week beside the checkout.
Out:  40 patent numbers, five per IPC section A–H, on standard output; with ``--second`` 15
      others, two per section (D has one left); with ``--claims`` the claims of the patents
      named, to be read by an annotator.
Why:  the choice must not depend on anyone's taste, nor on a reader or extractor of this project.

    python tests/graph/draw_gold.py ../shared/data/uspto-grants-2014-01-07.xml.xz
"""

from __future__ import annotations

import argparse
import lzma
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

SEED, SECOND_SEED = 20140107, 20140114
PER_SECTION, PER_SECTION_SECOND = 5, 2
FEWEST, MOST = 8, 16  # claims


@dataclass(frozen=True, slots=True)
class Grant:
    """What the draw and the annotator need of one grant."""

    number: str
    section: str
    claims: tuple[tuple[int, str], ...]


def grants(path: Path) -> Iterator[Grant]:
    """Read the utility grants of the week that carry an IPC."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        lines: list[str] = []
        for line in stream:
            if line.startswith("<?xml") and lines:
                yield from _grant(etree.fromstring("".join(lines).encode(), parser))
                lines = []
            lines.append(line)
        yield from _grant(etree.fromstring("".join(lines).encode(), parser))


def draw(every: Iterable[Grant]) -> list[Grant]:
    """Take five grants of each section at random, among those of 8 to 16 claims."""
    return _draw(every, SEED, PER_SECTION)


def draw_second(every: Iterable[Grant]) -> list[Grant]:
    """Take two more of each section, where there are so many."""
    every = list(every)
    first = {grant.number for grant in draw(every)}
    rest = (grant for grant in every if grant.number not in first)
    return _draw(rest, SECOND_SEED, PER_SECTION_SECOND)


def _draw(every: Iterable[Grant], seed: int, count: int) -> list[Grant]:
    by_section: dict[str, list[Grant]] = defaultdict(list)
    for grant in every:
        if FEWEST <= len(grant.claims) <= MOST:
            by_section[grant.section].append(grant)
    chance, drawn = random.Random(seed), []
    for section in "ABCDEFGH":
        there = sorted(by_section[section], key=lambda grant: grant.number)
        chosen = chance.sample(there, min(count, len(there)))
        drawn += sorted(chosen, key=lambda grant: grant.number)
    return drawn


def _grant(root: etree._Element) -> Iterator[Grant]:
    application = root.find(".//application-reference")
    section = root.findtext(".//classification-ipcr/section")
    if application is None or application.get("appl-type") != "utility" or not section:
        return
    where = ".//publication-reference/document-id/"
    number = (root.findtext(where + "doc-number") or "").lstrip("0")
    claims = tuple(
        (int(claim.get("num") or 0), _text(claim)) for claim in root.iterfind(".//claims/claim")
    )
    yield Grant(f"US{number}{root.findtext(where + 'kind')}", section, claims)


def _text(claim: etree._Element) -> str:
    words = " ".join("".join(map(str, claim.itertext())).split())
    return re.sub(r"^\d+\s*\.\s*", "", words)


def main() -> None:
    """Print the numbers drawn, or the claims of some of them."""
    arguments = argparse.ArgumentParser(description=main.__doc__)
    arguments.add_argument("week", type=Path)
    arguments.add_argument("--claims", nargs="*", metavar="NUMBER")
    arguments.add_argument("--second", action="store_true", help="the second set")
    given = arguments.parse_args()
    for grant in (draw_second if given.second else draw)(grants(given.week)):
        if given.claims is None:
            print(grant.section, grant.number, len(grant.claims))
        elif grant.number in given.claims:
            print(f"\n=== {grant.number}")
            for number, text in grant.claims:
                print(f"[{number}] {text}")


if __name__ == "__main__":
    main()
