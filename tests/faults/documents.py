"""Mutated documents: each is read, or reported; none crashes or hangs a reader.

In:   how many of each kind, and a seed.
Out:  counts, and every failure with what is needed to repeat it.
Why:  a corpus of millions has every kind of damage in it."""

from __future__ import annotations

import dataclasses
import functools
import json
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REAL = ROOT.parent / "shared" / "data" / "formats"
LIMIT = 20
"""Seconds after which one document counts as a hang; the slowest ordinary one takes under one."""
sys.path += [str(HERE), str(ROOT / "tests" / "claims")]

import written
from damage import garbled, mistyped, mutated

from phage.claims import Patent, ReadReport, read
from phage.errors import PhageError
from phage.graph import build_graph
from phage.invented import invent


class Hang(Exception):
    """A document took longer than the limit."""


def in_order(patents: list[Patent], report: ReadReport, data: bytes) -> None:
    """Check what was read: numbered once, not empty; and that nothing is lost in silence.

    Numbers rise, but for a draft that uses one number twice: its second claim gets a free number.
    """
    assert len(patents) + report.skipped >= 1 or not data.strip(), "nothing read, nothing reported"
    for patent in patents:
        numbers = [claim.number for claim in patent.claims]
        rising = [claim.number for claim in patent.claims if not claim.printed]
        assert patent.number and len(set(numbers)) == len(numbers), numbers
        assert rising == sorted(rising), numbers
        assert all(claim.text for claim in patent.claims), "an empty claim"
    assert all(problem.reason and problem.file for problem in report.problems)


def of_bytes(rng: random.Random, folder: Path) -> tuple[str, Callable[[], None]]:
    """Damage the bytes of a document of any format."""
    name, data = rng.choice(_documents())
    damaged = mutated(data, rng)

    def job() -> None:
        _read(folder / "damaged", damaged)

    return name, job


def of_values(rng: random.Random, folder: Path) -> tuple[str, Callable[[], None]]:
    """Damage the types of a record's values, between two whole records."""
    record = rng.choice(_records())
    whole = [json.dumps({**record, "number": f"US{n}A"}).encode() + b"\n" for n in (1, 2)]
    damaged = whole[0] + mistyped(record, rng) + whole[1]

    def job() -> None:
        numbers = {patent.number for patent in _read(folder / "records.jsonl", damaged)}
        assert {"US1A", "US2A"} <= numbers, "a whole record was lost beside a damaged one"

    return "records.jsonl", job


def of_text(rng: random.Random, folder: Path) -> tuple[str, Callable[[], None]]:
    """Damage the claims of a patent, then build its graph."""
    patent = rng.choice(_patents())
    claims = list(patent.claims)
    for _ in range(rng.choice([1, 2, 5])):
        at = rng.randrange(len(claims))
        claims[at] = dataclasses.replace(claims[at], text=garbled(claims[at].text, rng))
    damaged = dataclasses.replace(
        patent, claims=tuple(claims), language=rng.choice(["en", "de", "fr", "zh", "ja", "ko"])
    )

    def job() -> None:
        graph = build_graph(damaged)
        numbers = {claim.number for claim in damaged.claims}
        for edge in graph.edges:
            assert {edge.source, edge.target} <= numbers and edge.source != edge.target, edge

    return "claims", job


KINDS = {"bytes": of_bytes, "values": of_values, "text": of_text}


def campaign(kind: str, seed: int, count: int) -> dict[str, object]:
    """Try so many documents of one kind; run in a process of its own."""
    signal.signal(signal.SIGALRM, _hang)
    counts: Counter[str] = Counter()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(count):
            rng = random.Random(f"{kind} {seed} {turn}")
            name, job = KINDS[kind](rng, Path(folder))
            signal.alarm(LIMIT)
            try:
                job()
                outcome = "in order"
            except PhageError:
                outcome = "refused"
            except Hang:
                outcome = "hang"
            except Exception:  # noqa: BLE001  (any other is what we look for)
                outcome = "crash"
                trace = traceback.format_exc(limit=-3).replace(f"{ROOT}/", "")
                failures.append(f"{kind} {seed} {turn} {name}: {trace}")
            finally:
                signal.alarm(0)
            if outcome == "hang":
                failures.append(f"{kind} {seed} {turn} {name}: hang")
            counts[outcome] += 1
    return {"kind": kind, "counts": dict(counts), "failures": failures}


def _hang(*_: object) -> None:
    raise Hang


def _read(path: Path, data: bytes) -> list[Patent]:
    path.write_bytes(data)
    report = ReadReport()
    patents = list(read(path, report=report))
    in_order(patents, report, data)
    return patents


@functools.cache
def _documents() -> list[tuple[str, bytes]]:
    real = [(path.name, path.read_bytes()) for path in sorted(REAL.glob("*/*"))]
    return [*written.everything().items(), *real]


@functools.cache
def _patents() -> list[Patent]:
    return [invention.patent for invention in invent(40)]


@functools.cache
def _records() -> list[dict[str, Any]]:
    return [patent.to_json() for patent in _patents()]
