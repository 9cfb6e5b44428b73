"""The service under load, and the time to index a week of real patents; ``search.py`` runs both."""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

from phage.searching import Index

WEEK = Path("../shared/data/uspto-grants-2014-01-07.xml.xz")
PATENTS = 4973
"""Of that week."""
SENTENCES = (
    "a pump whose rotor floats on a magnetic bearing",
    "an inverter with two half bridges and a snubber",
    "a method of frying a food item in hot oil",
    "a plough with a headstock that can be turned",
    "a wearable patch that measures a cardiac signal",
    "a casting mould with cooling channels",
    "a network node that schedules packets by priority",
    "a composite panel cured under vacuum",
)


def quantiles(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {"p50_ms": round(cuts[49], 2), "p99_ms": round(cuts[98], 2)}


def cpu_of(process: int) -> float:
    """Give the seconds of CPU a process has used; its wall time tells little on a busy machine."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(
    address: str, server: int, clients: int, seconds: float, number: str = ""
) -> dict[str, Any]:
    """Ask from several clients for a while; each waits for its answer."""
    import httpx

    times: list[float] = []
    wrong: list[int] = []
    end = time.monotonic() + seconds

    def client(place: int) -> None:
        with httpx.Client(base_url=address, timeout=120) as one:
            turn = place
            while time.monotonic() < end:
                body = {"query": number or f"{SENTENCES[turn % 8]} {turn}", "top": 10}
                started = time.perf_counter()
                answer = one.post("/search", json=body)
                times.append(1000 * (time.perf_counter() - started))
                if answer.status_code != 200:
                    wrong.append(answer.status_code)
                turn += clients

    started, cpu = time.monotonic(), cpu_of(server)
    threads = [threading.Thread(target=client, args=(place,)) for place in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = len(times) / (time.monotonic() - started)
    return {
        "clients": clients,
        "requests": len(times),
        "failed": len(wrong),
        "queries_per_second": round(rate, 1),
        **quantiles(times),
        "server_cpu_ms_per_query": round(1000 * (cpu_of(server) - cpu) / len(times), 1),
        "load_average": round(os.getloadavg()[0], 1),
    }


def served(index: Path, seconds: float, numbers: bool) -> list[dict[str, Any]]:
    """Start ``phage serve`` and load it."""
    import httpx

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "phage", "serve", str(index), "--port", str(port)]
    run = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                httpx.get(f"{address}/health", timeout=60)
                break
            except httpx.TransportError:
                if run.poll() is not None:
                    raise SystemExit("the server did not start") from None
                time.sleep(0.3)
        load(address, run.pid, 1, 2)  # warm
        rows = [{"query": "text", **load(address, run.pid, n, seconds)} for n in (1, 8, 32)]
        if numbers:
            some = Index.open(index).table.search().limit(1).to_list()[0]["number"]
            rows += [
                {"query": "number", **load(address, run.pid, n, seconds, some)} for n in (1, 8, 32)
            ]
    finally:
        run.terminate()
        run.wait(timeout=60)
    for row in rows:
        print(index.name, row, flush=True)
    return rows


def service_part(work: Path, model: str, seconds: float) -> dict[str, Any]:
    index = work / "invented.index"
    if not (index / "index.json").is_file():
        corpus = work / "corpus.jsonl"
        for words in (
            ["demo-corpus", "-n", "400", "-o", str(corpus)],
            ["index", str(corpus), "-o", str(index), "--model", model],
        ):
            subprocess.run([sys.executable, "-m", "phage", *words], check=True)
    return {"invented_400": served(index, seconds, numbers=True)}


def week_part(work: Path, model: str, count: int) -> dict[str, Any]:
    """Index real patents: all, or some and the rest by proportion (its start is counted in)."""
    from phage.claims import read, write

    source, index = work / "week.parquet", work / "week.index"
    shutil.rmtree(index, ignore_errors=True)
    patents = (patent for patent in read(WEEK) if patent.claims)
    # evenly through the week: it begins with designs, which have one claim each
    write(islice(patents, 0, None, max(1, PATENTS // count)) if count else patents, source)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "phage", "index", str(source), "-o", str(index)]
    done = subprocess.run(
        [*words, "--model", model, "--json"], check=True, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = json.loads(done.stdout)
    share = PATENTS / said["patents"]
    return {
        "patents": said["patents"],
        "model": model,
        "minutes": round(said["seconds"] / 60, 2),
        "cpu_minutes": round(cpu / 60, 2),
        "megabytes": round(said["bytes"] / 1e6, 1),
        "whole_week": {
            "patents": PATENTS,
            "extrapolated": share > 1,
            "minutes_at_this_load": round(said["seconds"] / 60 * share, 1),
            "minutes_on_2_free_cores": round(cpu / 120 * share, 1),
            "megabytes": round(said["bytes"] / 1e6 * share, 1),
        },
        "load_average": round(os.getloadavg()[0], 1),
    }
