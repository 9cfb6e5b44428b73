"""A newcomer's first hour, walked and timed: from ``git clone`` to a search over a real week.

    python benchmarks/walkthrough.py WEEK.xml.xz [-o docs/walkthrough.md] [--from REPOSITORY]

Every command is run in an empty folder as it is printed, with what it printed and how long it took.
Claim text of real patents is left out of the page: it is the reader's own data that will stand there.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES = 34
"""Of what a command prints; longer output is cut in its middle."""
HITS = (
    "python -c \"import json, sys; [print(h['number'], h['ipc'][0], round(h['score'], 3), "
    "'claim', h['match']['claim'] if h.get('match') else '-') for h in json.load(sys.stdin)['hits']]\""
)


@dataclass(frozen=True)
class Step:
    """One command of the walk."""

    title: str
    """Its heading."""
    words: str
    """What the reader should know; may be empty."""
    command: str
    run: str = ""
    """What is run where it differs from what is shown (a server must end again)."""


STEPS = (
    Step("Get the code", "", "git clone REPOSITORY phage && cd phage"),
    Step(
        "Run the demo",
        "It installs what it needs into `.venv` and runs every step once, on fictional patents.",
        "make demo",
    ),
    Step(
        "See what is installed",
        "`phage doctor` also lists what is missing, and how to get it.",
        ". .venv/bin/activate && phage doctor",
    ),
    Step(
        "Read a weekly file",
        "One weekly file of the USPTO, as downloaded. Every claim, citation and class goes into one Parquet file.",
        "phage read WEEK -o week.parquet",
    ),
    Step(
        "Build the claim graphs",
        "One typed graph for each patent of the week.",
        "phage graph week.parquet -o graphs.parquet",
    ),
    Step(
        "Compare them with the paper",
        "The tables show our figures beside the paper's.",
        "phage stats graphs.parquet",
    ),
    Step(
        "Draw one graph",
        "Open the file in a browser and point at an edge to see its evidence.",
        "phage show week.parquet --patent US8621662B2 -o graph.html",
    ),
    Step(
        "Index the week",
        "The index holds a vector for every patent and every claim. This is the longest step. To finish an interrupted run, give the same command again.",
        "phage index week.parquet -o week.index --model phage-mini",
    ),
    Step(
        "Search",
        "Without `--json`, the command prints titles and the matching claims. Here it prints number, first IPC code, score and the best-matching claim.",
        'phage search week.index "a wearable sensor patch that measures a cardiac signal" --top 5 '
        f"--json | {HITS}",
    ),
    Step(
        "Search with a filter",
        "The filter restricts the hits to one IPC class.",
        'phage search week.index "inverter with a snubber ipc:H02M" --top 3 --json | ' + HITS,
    ),
    Step(
        "Open the page",
        "It offers search, filters and claim graphs with evidence, on this machine only.",
        "phage serve week.index --port 8765",
        "phage serve week.index --port 8765 & p=$!; for i in $(seq 60); do sleep 1; "
        "curl -s http://127.0.0.1:8765/health && break; done; kill $p; wait $p || true",
    ),
    Step("Run the tests", "The whole suite, except the slow tests.", "make test"),
)


def main() -> None:
    """Walk and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("week", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "docs" / "walkthrough.md")
    parser.add_argument("--from", dest="origin", default=str(ROOT))
    arguments = parser.parse_args()
    week = arguments.week.resolve()
    with tempfile.TemporaryDirectory() as folder:
        parts = walk(Path(folder), week, arguments.origin)
    arguments.out.write_text(page(parts, week.name), encoding="utf-8")
    print(f"→ {arguments.out}")


def walk(folder: Path, week: Path, origin: str) -> list[tuple[Step, str, float, int]]:
    """Run the steps one after the other; a failing one ends the walk and is shown."""
    parts: list[tuple[Step, str, float, int]] = []
    outside = {name: os.environ[name] for name in os.environ if not name.startswith("VIRTUAL_ENV")}
    place = folder
    for step in STEPS:
        command = (step.run or step.command).replace("WEEK", str(week))
        command = command.replace("REPOSITORY", origin)
        if place != folder and "activate" not in command and not command.startswith("make"):
            command = (
                f". .venv/bin/activate; {command}"  # no &&: one of them goes to the background
            )
        started = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"], cwd=place, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**outside, "COLUMNS": "100"},
        )  # fmt: skip
        took = time.monotonic() - started
        print(f"{took:7.1f} s  {done.returncode}  {step.command[:90]}", flush=True)
        parts.append((step, shown(done.stdout, folder, week), took, done.returncode))
        place = folder / "phage"
        if done.returncode:
            break
    return parts


def shown(text: str, folder: Path, week: Path) -> str:
    """Take colours, redrawn lines and the folder's name out; cut the middle."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    text = text.replace(str(folder / "phage"), "phage").replace(str(week), week.name)
    text = re.sub(r"/tmp/pytest-[^/]+/[^/]+/[^/]+/", "", text)
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in text.splitlines()]
    # an installer's remarks on the machine's own set-up would tell the reader nothing
    lines = [line for line in lines if line and not line.startswith(("WARNING:", "[notice]"))]
    if len(lines) > LINES:
        half = LINES // 2
        lines = [*lines[:half], f"… {len(lines) - 2 * half} lines …", *lines[-half:]]
    return "\n".join(lines)


def page(parts: list[tuple[Step, str, float, int]], week: str) -> str:
    """Write the walk as Markdown."""
    whole = sum(took for step, _, took, _ in parts if not step.run)
    head = f"""# From `git clone` to a search over a real week
Walked on {date.today()} on {os.cpu_count()} cores without a GPU, Python and make installed, by
`benchmarks/walkthrough.py`: {whole / 60:.0f} minutes in all, downloads of packages included. `WEEK` is
`{week}`, 4,973 grants.

| step | time |
|---|---|
"""
    rows = [f"| `{brief(s.command)}` | {spent(s, took)} |" for s, _, took, _ in parts]
    said = []
    for step, text, took, code in parts:
        end = "" if code == 0 else f" **It ended with code {code}.**"
        said.append(
            f"## {step.title}\n{step.words + chr(10) if step.words else ''}```bash\n{step.command}\n```\n{spent(step, took)}.{end}\n"
            f"```text\n{text}\n```"
        )
    return head + "\n".join(rows) + "\n\n" + "\n\n".join(said) + "\n"


def spent(step: Step, took: float) -> str:
    """Say how long a step took; a server has no end of its own."""
    return "until Ctrl-C" if step.run else f"{took:.0f} s"


def brief(command: str) -> str:
    """Cut what is piped behind a command."""
    return command.split(" | ")[0].replace("|", "\\|")


if __name__ == "__main__":
    main()
