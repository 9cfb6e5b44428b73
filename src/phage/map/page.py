"""A map as one HTML page that needs nothing else.

In:   a Map.
Out:  a page: points on a canvas, names, legend, search, selection; no request to anywhere.
Why:  it can be mailed and opened offline. Places take four bytes and texts are compressed, so a
      hundred thousand patents stay a few megabytes."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from phage.claims.normal import printable
from phage.map.types import Entry, Map

SECTIONS = {
    "A": "Human necessities", "B": "Operations, transport", "C": "Chemistry, metallurgy",
    "D": "Textiles, paper", "E": "Buildings, mining", "F": "Mechanics, heating, weapons",
    "G": "Physics", "H": "Electricity",
}  # fmt: skip
COLOURS = 12
"""The most values of a colouring; the last one stands for all others."""
TITLE = 160
"""Characters kept of a title."""
_HERE = Path(__file__).parent


def page(made: Map) -> str:
    """Return the page."""
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    parts = {
        "policy": policy,
        "style": (_HERE / "page.css").read_text(encoding="utf-8"),
        "title": escape(printable(made.title)),
        "data": base64.b64encode(packed(made)).decode(),
        "script": script,
    }
    text = (_HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{(policy|style|title|data|script)\}", lambda found: parts[found[1]], text)


def packed(made: Map) -> bytes:
    """Return the data: length of the head, the head as JSON, places, colours, texts; compressed."""
    places = np.clip(made.places * 65_535, 0, 65_535).astype("<u2")  # (N, 2)
    colourings = [_colouring(name, made.entries, value) for name, value in _WAYS.items()]
    head = {
        "count": len(made.entries),
        "colours": [{"name": name, "values": values} for name, values, _ in colourings],
        "clusters": [
            [round(c.x, 4), round(c.y, 4), c.size, c.level, [printable(t) for t in c.terms]]
            for c in made.clusters
        ],
    }
    texts = "\n".join(f"{_line(e.number, 40)}\t{_line(e.title, TITLE)}" for e in made.entries)
    spelled = json.dumps(head).encode()
    spelled += b" " * (-len(spelled) % 4)  # what follows is read in twos
    body = b"".join(
        [
            struct.pack("<I", len(spelled)),
            spelled,
            places[:, 0].tobytes(),
            places[:, 1].tobytes(),
            *(bytes(which) for _, _, which in colourings),
            texts.encode("utf-8", "replace"),
        ]
    )
    return gzip.compress(body, 9, mtime=0)


def _line(text: str, most: int) -> str:
    return " ".join(printable(text).split())[:most]


_WAYS: dict[str, Callable[[Entry], str]] = {
    "IPC section": lambda e: (
        f"{e.subclass[:1]} {SECTIONS[e.subclass[:1]]}" if e.subclass[:1] in SECTIONS else ""
    ),
    "IPC subclass": lambda e: e.subclass,
    "assignee": lambda e: _line(e.assignee, 60),
    "year": lambda e: e.year,
}


def _colouring(
    name: str, entries: Sequence[Entry], value: Callable[[Entry], str]
) -> tuple[str, list[Any], list[int]]:
    """Return a colouring's values with their counts, and the value of each entry."""
    found = [value(entry) for entry in entries]
    if name == "year":
        found = _periods(found)
    counts = Counter(one for one in found if one)
    chosen = [one for one, _ in counts.most_common(COLOURS - 1)]
    if name != "assignee":
        chosen.sort()
    places = {one: at for at, one in enumerate(chosen)}
    rest = len(chosen)
    which = [places.get(one, rest) for one in found]
    values: list[Any] = [[one, counts[one]] for one in chosen]
    left = which.count(rest)
    return name, [*values, ["other or none", left]] if left else values, which


def _periods(years: Sequence[str]) -> list[str]:
    """Group years so that a dozen colours suffice.

    >>> _periods(["1990", "2001", "2020", ""])
    ['1990–1992', '1999–2001', '2020–2022', '']
    """
    known = sorted({int(year) for year in years if year.isdigit()})
    if not known or known[-1] - known[0] < COLOURS - 1:
        return list(years)
    size = -(-(known[-1] - known[0] + 1) // (COLOURS - 1))
    first = known[0]

    def period(year: str) -> str:
        if not year.isdigit():
            return ""
        start = first + (int(year) - first) // size * size
        return f"{start}–{start + size - 1}"

    return [period(year) for year in years]
