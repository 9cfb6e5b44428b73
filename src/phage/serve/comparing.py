"""Claim charts and diffs, without loading the model.

In:   two patents; then the vectors of their elements and passages.
Out:  the texts to encode; then the chart, or a file of it in memory.
Why:  splitting and matching belong in a worker process, the model in the service."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from phage.claims import Patent
from phage.compare.chart import chart
from phage.compare.types import Chart, Diff
from phage.errors import PhageError


def chart_texts(patent: Patent, other: Patent, claims: Sequence[int]) -> list[str]:
    """List the texts whose vectors a chart needs, each once."""
    asked: dict[str, None] = {}
    sides: list[int] = []

    def note(texts: Sequence[str]) -> NDArray[np.float32]:
        sides.append(len(texts))
        asked.update(dict.fromkeys(texts))
        return np.zeros((len(texts), 1), dtype=np.float32)

    chart(patent, other, note, claims)
    if not sides or 0 in sides:
        raise PhageError("one side has no words to compare", remedy="give claims with words")
    return list(asked)


def chart_of(
    patent: Patent, other: Patent, claims: Sequence[int], known: Mapping[str, NDArray[np.float32]]
) -> Chart:
    """Make the chart with the vectors of ``chart_texts``."""
    return chart(patent, other, lambda texts: np.stack([known[text] for text in texts]), claims)


def chart_file(made: Chart, ending: str) -> bytes:
    """Write a chart as ``.html``, ``.xlsx`` or ``.docx``, in memory."""
    if ending == ".html":
        from phage.compare.page import chart_page

        return chart_page(made).encode("utf-8", "replace")
    stream = io.BytesIO()
    if ending == ".xlsx":
        from phage.compare.sheet import write_sheet

        write_sheet(made, stream)
    else:
        from phage.compare.word import write_chart

        write_chart(made, stream)
    return stream.getvalue()


def diff_file(made: Diff, ending: str) -> bytes:
    """Write a diff as ``.html`` or ``.docx``, in memory."""
    if ending == ".html":
        from phage.compare.page import diff_page

        return diff_page(made).encode("utf-8", "replace")
    from phage.compare.word import write_diff

    stream = io.BytesIO()
    write_diff(made, stream)
    return stream.getvalue()
