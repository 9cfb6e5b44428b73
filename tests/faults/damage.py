"""Ways to damage bytes, typed values and claim texts.

In:   something whole, and a random generator.
Out:  the same thing, damaged as disks, networks, exports and people damage it.
Why:  the tests and the campaign (``make faults``) damage things in the same ways."""

from __future__ import annotations

import json
import random
from typing import Any

BYTES = ("flip", "cut", "drop", "twice", "noise", "zero", "swap", "tail", "case")
"""Kinds of damage to bytes."""


def mutated(data: bytes, rng: random.Random, kind: str = "") -> bytes:
    """Damage a document in one of the ways that disks, networks and people do."""
    place = rng.randrange(len(data))
    size = rng.choice([1, 2, 5, 20, 200, 2000])
    kind = kind or rng.choice(BYTES)
    piece = data[place : place + size]
    if kind == "cut":
        return data[:place]
    if kind == "tail":
        return data[place:]
    other = {
        "flip": bytes(byte ^ (1 << rng.randrange(8)) for byte in piece),
        "drop": b"",
        "twice": piece * 2,
        "noise": rng.randbytes(size),
        "zero": bytes(len(piece)),
        "swap": piece[::-1],
        "case": piece.swapcase(),
    }[kind]
    return data[:place] + other + data[place + size :]


ODD: tuple[Any, ...] = (
    None, True, 0, -1, 5, 2**31, 2**63, 10**40, 1.5, float("nan"), float("inf"), "", " ", "\x00",
    "\ud800", "\x1b[31m", "F04D 29/10", "20140230", "x" * 100_000, [], [[]], [5], [None], {}, {"a": 1},
    {"number": 1}, ["A pump."], [{"number": "x", "text": "A pump."}],
)  # fmt: skip
"""Values that a well-meant export can hold where another type belongs."""


def mistyped(record: dict[str, Any], rng: random.Random) -> bytes:
    """Put an odd value somewhere into a record, or move, drop or repeat a field; give a JSON line."""
    record = json.loads(json.dumps(record))
    spots = list(_spots(record))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        holder, key = rng.choice(spots)
        kind = rng.choice(["odd", "odd", "odd", "drop", "wrap", "text"])
        if (isinstance(holder, list) and key >= len(holder)) or (
            isinstance(holder, dict) and key not in holder
        ):
            continue  # an earlier change removed it
        if kind == "odd":
            holder[key] = rng.choice(ODD)
        elif kind == "drop":
            del holder[key]
        elif kind == "wrap":
            holder[key] = [holder[key]]
        else:
            holder[key] = str(holder[key])
    return json.dumps(record).encode() + b"\n"


def _spots(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, held in list(pairs):
        yield value, key
        if isinstance(held, (dict, list)):
            yield from _spots(held)


PIECES = (
    "claims 1 to 999999", "claim 0", "claims 1, 2, 3 , 4 , 5 and 6", "SEQ ID NO: 1 , 2 , 3 ", "the the the",
    "said said means for", "(((((", ")))", "a " * 300, "; " * 300, "\n" * 300, " " * 3000, "wherein " * 100,
    "the first and second and third", "nach einem der Ansprüche 1 bis 99", "selon l'une des revendications 1 à 9",
    "如权利要求1至3中任一项所述的", "請求項1から3のいずれか", "제1항 내지 제3항 중 어느 한 항에 있어서", "\u202e", "\x00",
    "coupled to " * 50, "1. 2. 3. 4. ", "A (B (C (D (E) ) ) )", "-" * 500, "“”" * 50, "é" * 200, "\U0001f600" * 20,
)  # fmt: skip
"""Phrases that readers of claims stumble over."""


def garbled(text: str, rng: random.Random) -> str:
    """Damage a claim: repeat, move or drop a part, or put a difficult phrase inside."""
    place = rng.randrange(len(text) + 1)
    end = min(len(text), place + rng.choice([1, 5, 30, 200]))
    kind = rng.choice(["insert", "insert", "insert", "drop", "twice", "many", "move"])
    if kind == "insert":
        return text[:place] + rng.choice(PIECES) + text[place:]
    if kind == "drop":
        return text[:place] + text[end:]
    if kind == "move":
        return text[place:] + text[:place]
    return text[:place] + text[place:end] * (2 if kind == "twice" else 50) + text[end:]
