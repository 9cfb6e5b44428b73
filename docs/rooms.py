"""Count lines of tracked Python and TOML per room: python docs/rooms.py [BEFORE] [AFTER].

Prints a Markdown table that compares two commits, by default 9e2130f and HEAD."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

RENAMED = {"check": "checking", "search": "searching"}
"""Rooms that had another name before."""


def git(*words: str) -> bytes:
    """Run git in this checkout."""
    return subprocess.run(["git", *words], capture_output=True, check=True).stdout


def room(path: str) -> str:
    """Name the room of a file: a folder or module of src/phage, or a top folder."""
    parts = path.removeprefix("src/phage/").split("/")
    inside = path.startswith("src/phage/")
    if len(parts) == 1:
        return "single modules of src/phage" if inside else "top folder"
    name = RENAMED.get(parts[0], parts[0]) if inside else parts[0]
    return f"src/phage/{name}" if inside else name


def lines(commit: str) -> Counter[str]:
    """Count the lines of every room in a commit."""
    found: Counter[str] = Counter()
    for path in git("ls-tree", "-r", "--name-only", "-z", commit).decode().split("\0"):
        if path.endswith((".py", ".toml")):
            found[room(path)] += git("show", f"{commit}:{path}").count(b"\n")
    return found


if __name__ == "__main__":
    before, after = map(lines, sys.argv[1:3] or ("9e2130f", "HEAD"))
    print("| room | before | after | change |\n|---|---:|---:|---:|")
    for name in sorted(before | after):
        print(f"| {name} | {before[name]:,} | {after[name]:,} | {after[name] - before[name]:+,} |")
    was, now = before.total(), after.total()
    print(f"| **all** | {was:,} | {now:,} | {now - was:+,} |")
