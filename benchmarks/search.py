"""Search measured: exact and approximate index of single claims, the service under load.

    python benchmarks/search.py                      # all parts, 1 M synthetic vectors
    python benchmarks/search.py --part service       # one part; the others keep their figures
    python benchmarks/search.py --prepare claims.jsonl          # distinct claims for vectors.py
    python benchmarks/search.py --part vectors --real DIR       # as many as are in DIR/*.npy
    python benchmarks/search.py --part vectors --real DIR --vectors 4000000     # filled up

Parts: ``vectors`` (real ones of ``benchmarks/vectors.py``, or synthetic ones in clusters), ``service``
(invented patents, loopback), ``week`` (real patents, where they are). A number of vectors that was
asked for has a row of its own; each row says how many are real."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from phage.provenance import provenance
from phage.searching import Index, Level, Query, Search
from phage.searching.index import CLAIMS, TABLE
from phage.searching.lance import connect
from phage.searching.ranking import rank
from phage.searching.rows import claim_schema, schema
from phage.searching.state import IndexSettings, write_settings
from phage.storage import write_json
from service import WEEK, quantiles, service_part, week_part

RESULT = Path("results/search.json")
WIDTH = 384
QUERIES = 200
BLOCK = 50_000


def synthetic(count: int, seed: int = 7) -> Iterator[Any]:
    """Draw unit vectors as encoders give them: in clusters, of few true dimensions, with noise.

    Isotropic noise in 384 dimensions would make all neighbours equally far, which no text does."""
    rng = np.random.default_rng(seed)
    true, clusters = 48, max(200, count // 500)
    spread = rng.normal(size=(true, WIDTH)).astype(np.float32) / np.sqrt(true)
    centres = rng.normal(size=(clusters, true)).astype(np.float32)
    for start in range(0, count, BLOCK):
        places = centres[rng.integers(clusters, size=min(BLOCK, count - start))]
        rows = (places + 0.6 * rng.normal(size=places.shape).astype(np.float32)) @ spread
        yield unit(rows + 0.1 * rng.normal(size=rows.shape).astype(np.float32))


def unit(rows: Any) -> Any:
    rows = rows.astype(np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def mixed(files: list[Path], count: int, seed: int = 7) -> Iterator[Any]:
    """Make vectors that lie among real ones: seven parts of one, three of another, some noise."""
    rng = np.random.default_rng(seed)
    few = unit(np.concatenate([np.load(file)[:: len(files)] for file in files]))
    for start in range(0, count, BLOCK):
        one, other = few[rng.integers(len(few), size=(2, min(BLOCK, count - start)))]
        yield unit(0.7 * one + 0.3 * other + rng.normal(size=one.shape, scale=0.3 / WIDTH**0.5))


def drawn(count: int, real: list[Path]) -> tuple[Iterator[Any], Any, dict[str, int]]:
    """Give vectors in blocks, queries, and how many are real: real ones first, then others."""
    if not real:
        blocks = synthetic(count + QUERIES)
        first = next(blocks)
        return chain([first[QUERIES:]], blocks), first[:QUERIES], {"real": 0, "synthetic": count}
    sizes = [len(np.load(file, mmap_mode="r")) for file in real]
    kept = min(count, sum(sizes) - QUERIES)
    rng = np.random.default_rng(7)
    asked = np.sort(rng.permutation(len(np.load(real[0], mmap_mode="r")))[:QUERIES])
    queries = unit(np.load(real[0])[asked])

    def blocks_of() -> Iterator[Any]:
        left = kept
        for file in real:
            rows = np.load(file)
            rows = np.delete(rows, asked, axis=0) if file == real[0] else rows
            for start in range(0, min(left, len(rows)), BLOCK):
                yield unit(rows[start : min(left, start + BLOCK)])
            left -= min(left, len(rows))
        yield from mixed(real, count - kept)

    return blocks_of(), queries, {"real": kept, "synthetic": count - kept}


def prepare(path: Path) -> None:
    """Write the distinct claims of the A61B 5 and Indian sets, one JSON text a line."""
    from phage.claims import ReadReport, read

    seen: set[bytes] = set()
    with path.open("w", encoding="utf-8") as out:
        for name in ("a61b5-claims.jsonl.xz", "indian-patents.jsonl.xz"):
            for patent in read(WEEK.parent / name, report=ReadReport()):
                for claim in patent.claims:
                    key = hashlib.blake2b(claim.text.encode(), digest_size=12).digest()
                    if key not in seen:
                        seen.add(key)
                        out.write(json.dumps(claim.text, ensure_ascii=False) + "\n")
    print(f"{path}: {len(seen):,} distinct claims")


def fill(path: Path, blocks: Iterator[Any], queries: Any, model: str) -> tuple[Index, Any]:
    """Write vectors as the claims of an index, one a patent, without texts; find the true nearest."""
    home, settings = connect(path), IndexSettings(model, WIDTH)
    table = home.create_table(TABLE, schema=schema(WIDTH))
    claims = home.create_table(CLAIMS, schema=claim_schema(WIDTH))
    write_settings(path, settings)
    empty = {f.name: [[] if pa.types.is_list(f.type) else ""] for f in schema(WIDTH)}
    empty |= {"claim_vectors": [b""], "vector": [[0.0] * WIDTH]}
    table.add(pa.table(empty, schema=schema(WIDTH)))  # an index without patents answers nothing
    start = 0
    best = np.empty((len(queries), 0)), np.empty((len(queries), 0), int)
    for part in blocks:
        near = queries @ part.T
        rows = np.broadcast_to(np.arange(start, start + len(part)), near.shape)
        near, rows = np.hstack([best[0], near]), np.hstack([best[1], rows])
        order = np.argsort(-near, axis=1, kind="stable")[:, :10]
        best = np.take_along_axis(near, order, 1), np.take_along_axis(rows, order, 1)
        columns: dict[str, Any] = {name: [""] * len(part) for name in claim_schema(WIDTH).names}
        columns["number"] = [f"ZZ{start + row:09d}A1" for row in range(len(part))]
        columns["claim"] = [1] * len(part)
        columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(part.ravel()), WIDTH)
        claims.add(pa.table(columns, schema=claim_schema(WIDTH)))
        start += len(part)
    return Index(path, settings, table, claims), best[1].tolist()


def timed(work: Any, queries: Any) -> tuple[list[Any], dict[str, float]]:
    """Run a query at a time; give what came back and milliseconds."""
    found, times = [], []
    for query in queries:
        started = time.perf_counter()
        found.append(work(query))
        times.append(1000 * (time.perf_counter() - started))
    return found, quantiles(times)


def recall(found: list[Any], truth: Any) -> float:
    pairs = zip(found, truth, strict=False)
    hits = [len(set(rows) & set(right)) for rows, right in pairs]
    return round(sum(hits) / (10 * len(hits)), 4)


def vectors_part(count: int, work: Path, model: str, real: list[Path]) -> dict[str, Any]:
    blocks, queries, source = drawn(count, real)
    path = work / "vectors.index"
    shutil.rmtree(path, ignore_errors=True)
    index, truth = fill(path, blocks, queries, model)

    def ask(query: Any) -> list[int]:
        hits = rank(index, Query("", query), Search(top=10, level=Level.CLAIM))
        return [int(hit.number[2:-2]) for hit in hits]

    found, exact_ms = timed(ask, queries[:20])
    exact = {"recall_at_10": recall(found, truth), **exact_ms}
    print("lancedb exact", exact, flush=True)
    started, cpu = time.monotonic(), time.process_time()
    index.finish()
    built = {"seconds": time.monotonic() - started, "cpu_seconds": time.process_time() - cpu}
    print("built", built, flush=True)
    found, ms = timed(ask, queries)
    approximate = {"recall_at_10": recall(found, truth), **ms}
    print("lancedb ivf-pq", approximate, flush=True)
    return {
        "vectors": count,
        **source,
        "dimension": WIDTH,
        "queries": len(queries),
        "lancedb_exact": {**exact, "queries": 20},
        "lancedb_ivf_pq": approximate,
        "by_probes": by_probes(index, queries, truth),
        "build": {name: round(value, 1) for name, value in built.items()},
        "bytes": size(path),
        "load_average": os.getloadavg()[0],
    }


def by_probes(index: Index, queries: Any, truth: Any) -> list[dict[str, float]]:
    rows = []
    for probes, refine in ((10, 10), (40, 10), (20, 50), (40, 50), (80, 50), (160, 50)):

        def ask(query: Any, probes: int = probes, refine: int = refine) -> list[int]:
            asked = index.claims.search(query, vector_column_name="vector")
            asked = asked.distance_type("cosine").limit(10).nprobes(probes).refine_factor(refine)
            numbers = asked.select(["number", "_distance"]).to_arrow()["number"].to_pylist()
            return [int(number[2:-2]) for number in numbers]

        found, ms = timed(ask, queries)
        rows.append(
            {"probes": probes, "refine": refine, "recall_at_10": recall(found, truth), **ms}
        )
        print(rows[-1], flush=True)
    return rows


def size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("vectors", "service", "week"), action="append")
    parser.add_argument("--vectors", type=int, help="by default 1 M, or as many as are real")
    parser.add_argument("--real", type=Path, help="a folder of claim vectors, .npy (N, D)")
    parser.add_argument("--prepare", type=Path, help="only write the distinct claims")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--week-patents", type=int, default=0, help="0 takes all")
    parser.add_argument("--model", default="phage-mini")
    parser.add_argument("--work", type=Path, default=None, help="keep the indexes here")
    parser.add_argument("-o", "--out", type=Path, default=RESULT)
    args = parser.parse_args()
    if args.prepare:
        prepare(args.prepare)
        return
    real = sorted(args.real.glob("*.npy")) if args.real else []
    there = sum(len(np.load(file, mmap_mode="r")) for file in real) - QUERIES
    count = args.vectors or (there if real else 1_000_000)
    parts = args.part or ["vectors", "service", "week"]
    result = json.loads(args.out.read_text()) if args.out.is_file() else {}
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        for part in parts:
            name = part
            if part == "vectors":
                name = f"vectors-{count}" if args.vectors else part
                measured = vectors_part(count, work, args.model, real)
            elif part == "service":
                measured = service_part(work, args.model, args.seconds)
            elif WEEK.is_file():
                measured = week_part(work, args.model, args.week_patents)
            else:
                continue
            result[name] = {"measured": measured, "provenance": provenance(model=args.model)}
            write_json(args.out, result)


if __name__ == "__main__":
    main()
