"""What a larger model says of the training patents: vectors to learn neighbours from.

python -m benchmarks.mini.teacher ./all-mpnet-base-v2 --data gpu/mini      # resumable; 2 cores, 1 hour

In:   a sentence-transformers folder that is too large to travel; the prepared corpora, the patents.
Out:  ``teacher.parquet`` (number, vector): every training patent of the week, and the first of the
      field by hash, turned onto their 256 principal axes.
Why:  four hundred megabytes of weights become four of vectors; axes keep the cosines to a percent."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.mini import corpora
from benchmarks.mini.prepare import SOURCES

from phage.claims import read
from phage.claims.text import section_text
from phage.storage import atomic

FILE = "teacher.parquet"
FIELD, AXES, BLOCK = 6_000, 256, 128


def wanted(folder: Path, name: str, count: int | None = None) -> list[str]:
    """Name the training patents of a corpus, the lowest hashes first."""
    corpus = corpora.load(folder, name)
    numbers = [corpus.documents.numbers[row] for row in corpus.train]
    return sorted(numbers, key=lambda one: hashlib.sha256(f"size {one}".encode()).digest())[:count]


def encoded(texts: Sequence[str], model: Path, blocks: Path) -> np.ndarray:
    """Encode block by block; blocks that are there are not made again."""
    from phage.evaluation.peers.models import load_model
    from phage.terminal import progress

    blocks.mkdir(parents=True, exist_ok=True)
    loaded = None
    with progress("teacher", len(texts), "patents") as advance:
        for at in range(0, len(texts), BLOCK):
            path = blocks / f"{at // BLOCK:04}.npy"
            if not path.exists():
                loaded = loaded or load_model(str(model), bf16=True)
                made = np.asarray(loaded.embed(list(texts[at : at + BLOCK])), dtype=np.float32)
                with atomic(path) as partial, partial.open("wb") as out:
                    np.save(out, made)
            advance(len(texts[at : at + BLOCK]))
    return np.concatenate([np.load(path) for path in sorted(blocks.glob("*.npy"))])


def unit(vectors: np.ndarray) -> np.ndarray:
    """Give rows of length one; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: np.ndarray = vectors / np.maximum(lengths, 1e-9)
    return scaled


def reduced(vectors: np.ndarray, axes: int = AXES) -> np.ndarray:
    """Turn vectors onto their principal axes, about zero: products stay what they were."""
    turned = unit(vectors)
    _, _, directions = np.linalg.svd(turned, full_matrices=False)
    short: np.ndarray = turned @ directions[:axes].T
    return short


def write(path: Path, numbers: Sequence[str], vectors: np.ndarray) -> None:
    """Write numbers and vectors as ``phage encode`` does, in half precision."""
    flat = pa.array(vectors.astype(np.float16).ravel())
    column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    with atomic(path) as partial:
        table = pa.table({"number": list(numbers), "vector": column})
        pq.write_table(table, partial, compression="zstd")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=Path("gpu/mini"))
    parser.add_argument("--field", type=int, default=FIELD, help="patents of the field")
    parser.add_argument("--blocks", type=Path, default=Path("runs/mini/teacher"))
    options = parser.parse_args()
    sizes = {corpora.WEEK: None, corpora.FIELD: options.field}
    made: dict[str, np.ndarray] = {}
    for name, count in sizes.items():
        numbers = wanted(options.data, name, count)
        known = set(numbers)
        texts = {
            patent.number: section_text(patent, "claims")
            for patent in read(SOURCES[name])
            if patent.number in known
        }
        vectors = encoded([texts[one] for one in numbers], options.model, options.blocks / name)
        made.update(zip(numbers, vectors, strict=True))
    short = reduced(np.stack(list(made.values())))
    write(options.data / FILE, list(made), short)
    print(f"{len(made):,} patents, {(options.data / FILE).stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
