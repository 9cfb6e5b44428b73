"""How the time for a text grows with its length: hostile shapes, six languages, six stages.

python benchmarks/growth.py [-o results/growth.json] [--stage split] [--shape couplings]

In:   the shapes of ``benchmarks/shapes.py`` at n, 2n, 4n and 8n characters.
Out:  the exponent of each stage on each shape in each language, fitted to processor time, the
      best of several; the worst ones in full; claim sets that grow by claims; the bounds.
Why:  a pattern that reads one blank in two ways hangs a service. 1 is linear, 2 a square.

A quick cell starts at a larger n, up to 8n = 400,000 characters, the most that one request may
have. A cell above the limit is measured again, then at larger sizes: below them it has not yet
reached the bound that makes it linear."""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from benchmarks.shapes import SETS, SHAPES, WORDS

from phage.claims import Claim, Patent
from phage.claims.readers import draft
from phage.claims.readers.sources import Entry
from phage.claims.readers.unpack import Peek
from phage.claims.split import split_set
from phage.errors import PhageError
from phage.graph import build_graph
from phage.graph.citations import LONGEST, cite_edges
from phage.language import LANGUAGES
from phage.language.en import mentions, noun_phrases, tagging
from phage.language.subjects import OPENING
from phage.language.types import NEAREST
from phage.provenance import provenance
from phage.searching.asking import understand
from phage.serve.settings import CLAIMS, TEXT
from phage.storage import write_json
from phage.structure import MOST, find_mentions

SMALLEST, TIMES, LIMIT = 2_000, (1, 2, 4, 8), 1.2
BEST_OF, LEAST = 3, 0.0005
"""Runs of each cell, and seconds at n below which n is raised."""

Run = Callable[[], object]


def split(text: str, code: str) -> Run:
    """Split a run of text into claims."""
    return partial(split_set, text)


def citations(text: str, code: str) -> Run:
    """Read references and judge them."""
    claims = (Claim(1, WORDS[code].new), Claim(2, text))
    return partial(cite_edges, claims, LANGUAGES[code])


def terms(text: str, code: str) -> Run:
    """Find noun phrases."""
    return partial(find_mentions, text, LANGUAGES[code])


def couplings(text: str, code: str) -> Run:
    """Find what verbs join; the noun phrases are there."""
    components = LANGUAGES[code].components
    if components is None:
        raise SystemExit(f"{code} has no couplings")
    return partial(components, text, find_mentions(text, LANGUAGES[code]))


def query(text: str, code: str) -> Run:
    """Parse a search as the service does."""

    def run() -> None:
        with contextlib.suppress(PhageError):  # too many claims, or a filter with a wrong value
            understand(text)

    return run


def drafts(text: str, code: str) -> Run:
    """Read a draft from a file."""
    data = text.encode()
    return lambda: list(
        draft.read_draft(Entry("draft.txt", Peek(io.BytesIO(data))), descriptions=True)
    )


STAGES: dict[str, Callable[[str, str], Run]] = {
    "split": split,
    "citations": citations,
    "terms": terms,
    "couplings": couplings,
    "query": query,
    "drafts": drafts,
}
ANY_LANGUAGE = {"split", "query", "drafts"}
"""Stages that see the text alone: the same text is measured once."""
BOUNDS = {
    "noun phrases on either side of a verb": (NEAREST, "a Diagnostic 'dense' names the claim"),
    "pieces of evidence in a graph": (MOST, "the patent is refused, named and skipped"),
    "characters of a reference that evidence shows": (LONGEST, "the phrase is cut"),
    "characters in which a claim names its thing": (OPENING, "the rest does not decide its kind"),
    "characters of one text of a request": (TEXT, "the request is refused"),
    "claims of one request": (CLAIMS, "the request is refused"),
}
"""What is not linear by nature, where it ends, and what the user learns."""


def forget() -> None:
    """Empty the caches, so that the second run costs as much as the first."""
    for known in (
        tagging._remembered,
        noun_phrases._remembered,
        noun_phrases._known_term,
        mentions._known_worth,
    ):
        known.cache_clear()


def seconds(run: Run, times: int = BEST_OF) -> float:
    """Give the least processor time of several runs."""
    best = math.inf
    for _ in range(times):
        forget()
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
        if best > 0.05:
            break  # long enough to trust; a cell above the limit is measured again
    return max(best, 1e-6)


def exponent(sizes: list[int], found: list[float]) -> float:
    """Fit a line through the logarithms.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    x, y = [math.log(size) for size in sizes], [math.log(one) for one in found]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - middle_x) ** 2 for a in x)


def measure(make: Callable[[int], Run]) -> dict[str, Any]:
    """Time one cell; where it is above the limit, again, then at larger sizes."""
    first = seconds(make(SMALLEST), 1)
    size = min(TEXT // TIMES[-1], math.ceil(SMALLEST * max(1.0, LEAST / first)))
    while True:
        sizes = [size * times for times in TIMES]
        runs = [make(one) for one in sizes]
        found = [seconds(run) for run in runs]
        for _ in range(2):
            if exponent(sizes, found) <= LIMIT:
                break
            found = [min(old, seconds(run)) for old, run in zip(found, runs, strict=True)]
        fitted = exponent(sizes, found)
        if fitted <= LIMIT or size * TIMES[-1] >= TEXT or sum(found) > 20:
            break
        size = min(4 * size, TEXT // TIMES[-1])
    return {
        "exponent": round(fitted, 2),
        "n": size,
        "seconds": [round(one, 4) for one in found],
    }


def prepare(stage: str, shape: str, code: str, size: int) -> Run:
    """Make a text, and what one stage does with it."""
    return STAGES[stage](SHAPES[shape](WORDS[code], size), code)


def cells(stages: list[str], shapes: list[str]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Measure every stage on every shape in every language."""
    for stage in stages:
        print(stage, flush=True)
        for shape in shapes:
            known: dict[str, dict[str, Any]] = {}
            for code, words in WORDS.items():
                key = SHAPES[shape](words, 400) if stage in ANY_LANGUAGE else code
                if key not in known:
                    known[key] = measure(partial(prepare, stage, shape, code))
                yield stage, shape, code, known[key]


def sets() -> dict[str, Any]:
    """Time whole claim sets that grow by claims, against claims and against what they hold."""
    told = {}
    for name, make in SETS.items():
        counts = [60 * times for times in TIMES]
        held, found = [], []
        for count in counts:
            patent = Patent("growth", make(count))
            graph = build_graph(patent)
            words = sum(len(claim.text) for claim in patent.claims)
            held.append(words + sum(len(edge.evidence) for edge in graph.edges))
            found.append(seconds(partial(build_graph, patent)))
        told[name] = {
            "claims": counts,
            "characters_and_evidence": held,
            "seconds": [round(one, 4) for one in found],
            "exponent_of_characters_and_evidence": round(exponent(held, found), 2),
        }
        print(name, json.dumps(told[name]), flush=True)
    return told


def main() -> None:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "results" / "growth.json")
    parser.add_argument("--stage", action="append", choices=list(STAGES))
    parser.add_argument("--shape", action="append", choices=list(SHAPES))
    asked = parser.parse_args()
    gc.disable()  # or what is alive from other cells would be counted in this one
    start = time.perf_counter()
    exponents: dict[str, dict[str, dict[str, float]]] = {}
    all_cells = []
    for stage, shape, code, told in cells(asked.stage or list(STAGES), asked.shape or list(SHAPES)):
        exponents.setdefault(stage, {}).setdefault(shape, {})[code] = told["exponent"]
        all_cells.append({"stage": stage, "shape": shape, "language": code, **told})
        if told["exponent"] > LIMIT:
            print(json.dumps(all_cells[-1]), flush=True)
    worst = sorted(all_cells, key=lambda cell: -cell["exponent"])[:20]
    slowest = sorted(all_cells, key=lambda cell: -cell["seconds"][-1] / cell["n"])[:10]
    result = {
        "shapes": len(asked.shape or SHAPES),
        "cells": len(all_cells),
        "limit": LIMIT,
        "above_limit": sum(cell["exponent"] > LIMIT for cell in all_cells),
        "largest_exponent": worst[0]["exponent"],
        "bounds": {name: {"at": at, "then": then} for name, (at, then) in BOUNDS.items()},
        "claim_sets": {} if asked.stage or asked.shape else sets(),
        "worst": worst,
        "slowest": slowest,
        "languages": " ".join(WORDS),
        "exponents": {
            stage: {
                shape: " ".join(f"{value:.2f}" for value in by_code.values())
                for shape, by_code in by_shape.items()
            }
            for stage, by_shape in exponents.items()
        },
        "wall_seconds": round(time.perf_counter() - start, 1),
    }
    print({name: result[name] for name in ("cells", "above_limit", "largest_exponent")})
    write_json(asked.out, {**result, **provenance()})


if __name__ == "__main__":
    main()
