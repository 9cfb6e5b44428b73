"""What whole patents say of the training patents: vectors that a reader of claims can learn from.

python -m benchmarks.mini.whole --data gpu/mini          # a minute, after benchmarks.mini.teacher

In:   the training patents with title and abstract, the week's with their descriptions as well; the
      vectors of the larger model (``teacher.parquet``).
Out:  ``whole.parquet`` (number, vector) of the same patents: TF-IDF of all their words on principal
      axes, beside the larger model's axes, as one vector.
Why:  two patents whose descriptions use the same words are near, whatever their claims say. In
      training such texts are at hand; the encoder then has the claims alone. Words are letters
      only: the numbers of cited patents take no part, nothing of the coupling is learned."""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.mini import corpora
from benchmarks.mini.bases import DESCRIPTIONS, descriptions
from benchmarks.mini.prepare import SOURCES
from benchmarks.mini.teacher import FILE as LARGER
from benchmarks.mini.teacher import reduced, unit, write

from phage.claims import read
from phage.claims.text import section_text
from phage.claims.types import Patent
from phage.vector_files import read_shards

FILE = "whole.parquet"
AXES, OF_FIELD, KEPT = 512, 1_000, 384
"""Axes of the words; patents of the field among those that choose them; axes of the outcome."""
STEP = 2.0**-9
"""To which values are rounded: a third of the bytes, cosines to a thousandth."""
SHARES = {corpora.WEEK: 0.3, corpora.FIELD: 0.7}
"""Of the larger model in a product: what finds coupled training patents, and shared IPC groups, best."""


def words(patent: Patent, description: str = "") -> str:
    """Give all words of a patent; those of title and abstract twice."""
    head = f"{patent.title}\n{patent.abstract}\n"
    return f"{head}{head}{section_text(patent, 'claims')}\n{description}"


def word_axes(texts: Sequence[str], chosen: int) -> np.ndarray:
    """Turn texts onto the principal axes of the words of the first ``chosen``, at unit length."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    counter = TfidfVectorizer(
        sublinear_tf=True, min_df=3, max_df=0.3, stop_words="english",
        token_pattern=r"(?u)\b[a-z][a-z\-]{2,}\b",
    )  # fmt: skip
    counted = counter.fit_transform(texts[:chosen])
    axes = TruncatedSVD(min(AXES, chosen - 1), random_state=0, n_iter=4).fit(counted)
    return unit(axes.transform(counter.transform(texts)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("gpu/mini"))
    options = parser.parse_args()
    numbers, larger = read_shards([options.data / LARGER])
    with lzma.open(DESCRIPTIONS, "rt", encoding="utf-8") as lines:
        told = dict(descriptions(lines))
    of_week = {str(one) for one in corpora.load(options.data, corpora.WEEK).documents.numbers}
    known = set(numbers)
    texts = {
        patent.number: words(patent, told.get(patent.number, ""))
        for path in SOURCES.values()
        for patent in read(path)
        if patent.number in known
    }
    # The week first, so that its words choose the axes, and some of the field with it.
    order = sorted(range(len(numbers)), key=lambda row: numbers[row] not in of_week)
    count = sum(number in of_week for number in numbers)
    own = word_axes([texts[numbers[row]] for row in order], min(count + OF_FIELD, len(order)))
    share = np.where(np.arange(len(order)) < count, SHARES[corpora.WEEK], SHARES[corpora.FIELD])
    share = np.sqrt(np.stack([share, 1 - share], axis=1))
    joined = np.hstack([share[:, :1] * unit(larger[order].astype(np.float64)), share[:, 1:] * own])
    short = np.round(reduced(joined, KEPT) / STEP) * STEP
    write(options.data / FILE, [numbers[row] for row in order], short)
    print(f"{count:,} and {len(order) - count:,} patents, {KEPT} axes")


if __name__ == "__main__":
    main()
