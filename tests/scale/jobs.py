"""Jobs for the tests: in a module of their own, so that other processes can import them."""

import json
import os
import time
from functools import partial
from pathlib import Path

from phage.errors import PhageError
from phage.scale import Job, Part, join_lines


def square(items, log=None, pause=0.0, fail_at=None, stick_at=None):
    """Square numbers, one line each; note who did it."""
    time.sleep(pause)
    if fail_at is not None and fail_at in items:
        raise PhageError(f"cannot square {fail_at}", remedy="leave it out")
    if stick_at is not None and stick_at in items:
        Path(log).write_text("stuck")
        time.sleep(3600)
    if log:
        with Path(log).open("a") as out:
            out.write(f"{items[0]} {os.getpid()}\n")
    notes = tuple(f"{item} is even" for item in items if item % 2 == 0)
    data = "".join(json.dumps({"n": n, "square": n * n}) + "\n" for n in items).encode()
    return Part(data, {"items": len(items), "even": len(notes)}, notes)


def job(chunk=5, settings=None, **more):
    return Job(partial(square, **more), join_lines, settings or {"power": 2}, chunk)


def expected(count):
    return "".join(json.dumps({"n": n, "square": n * n}) + "\n" for n in range(count)).encode()
