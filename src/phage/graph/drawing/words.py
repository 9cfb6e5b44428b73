"""Words in a drawing: how wide they are, and where to cut them.

In:   any text in any script.
Out:  widths in pixels, shortened texts.
Why:  a file does not know its reader's fonts, so widths are estimates that must hold for all."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_EMS = {
    "ijlIJ'": 0.29, " ,.:;/|": 0.33, "ft()[]-!": 0.38, "rsz": 0.5, "cvxykLF": 0.58,
    "wMODGHNQU&": 0.8, "mW%@—…": 0.98, "ABCEKPRSTVXYZ": 0.68,
}  # fmt: skip
_WIDTHS = {sign: width for signs, width in _EMS.items() for sign in signs}


def measure(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a text, after one of the wider fonts a reader may have.

    >>> measure("iii", 10) < measure("mmm", 10) < measure("請求項", 10)
    True
    """
    return size * sum(_ems(text)) * (1.12 if bold else 1.0)


def _ems(text: str) -> Iterator[float]:
    for sign in text:
        wide = unicodedata.east_asian_width(sign) in "WF"
        yield 1.04 if wide else _WIDTHS.get(sign, 0.63)


def fit(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """Cut a text to a width, at a word where there is one.

    >>> fit("a brake disc and a caliper", 80, 10)
    'a brake disc…'
    """
    if measure(text, size, bold=bold) <= room:
        return text
    kept, used = [], size  # room for the ellipsis
    for sign, width in zip(text, _ems(text), strict=True):
        used += size * width * (1.12 if bold else 1.0)
        if used > room:
            break
        kept.append(sign)
    short = "".join(kept)
    cut = short.rfind(" ")
    short = short[:cut] if cut > len(short) * 0.6 else short
    return short.rstrip(" ,;:") + "…" if short else ""
