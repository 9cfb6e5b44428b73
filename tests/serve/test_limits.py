"""One request costs itself alone: stuck, dead and greedy workers, and the end of the service."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import pytest

from phage.serve import Settings, create_app
from phage.serve.batching import Batcher
from phage.serve.problems import Stop
from phage.serve.workers import Workers

from .conftest import serving

# holds the interpreter for longer than anyone waits: no thread could be stopped in it
STUCK = partial(re.match, r"(a+)+$", "a" * 64 + "b")
SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import stuck_job
import phage.serve
from phage.serve import Settings, jobs

if __name__ == "__main__":
    jobs.JOBS["graph"] = stuck_job.stuck
    phage.serve.Settings = lambda **given: Settings(answer_seconds={seconds}, **given)
    from phage.cli import main
    sys.argv = ["phage", "serve", "--model", {model!r}, "--port", {port!r}]
    main()
"""
JOB = """
import re


def stuck(body):
    re.match(r"(a+)+$", "a" * 64 + "b")
"""


@pytest.fixture
def workers():
    made = Workers(Settings(workers=1, answer_seconds=60))
    yield made
    made.close()


def test_a_stuck_worker_is_killed_and_replaced():
    workers = Workers(Settings(workers=1, answer_seconds=3))
    try:
        with pytest.raises(Stop, match="longer than 3 s") as caught:
            workers.submit(STUCK).result(60)
        assert (caught.value.status, workers.replaced) == (503, 1)
        for _ in range(40):  # a busy machine may need more than 3 s to start the next one
            try:
                assert workers.submit(len, "four").result(60) == 4
                break
            except Stop:
                pass
        else:
            pytest.fail("no worker came back")
    finally:
        workers.close()


def test_a_worker_that_dies_costs_one_request(workers):
    with pytest.raises(Stop, match="died") as caught:
        workers.submit(os._exit, 9).result(60)
    assert caught.value.status == 503
    assert workers.submit(len, "four").result(60) == 4
    assert workers.replaced == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is the kernel's")
def test_a_worker_has_only_so_much_memory(workers):
    with pytest.raises(Stop, match="memory"):
        workers.submit(bytearray, 2 << 30).result(60)
    assert workers.submit(len, "four").result(60) == 4
    assert workers.replaced == 0  # it said so itself


def test_an_answer_has_only_so_many_bytes():
    workers = Workers(Settings(workers=1, answer_bytes=1000))
    try:
        with pytest.raises(Stop, match="answer is larger"):
            workers.submit(bytes, 2000).result(60)
    finally:
        workers.close()


def test_more_jobs_than_may_wait_are_turned_away():
    workers = Workers(Settings(workers=1, waiting=2))
    try:
        for _ in range(3):  # one at work at most
            with pytest.raises(Stop, match="waiting"):
                for _ in range(5):
                    workers.submit(time.sleep, 30)
    finally:
        workers.close()
    with pytest.raises(Stop, match="stopping"):
        workers.submit(len, "four")


def test_health_answers_while_every_worker_is_stuck(index_path, encoder):
    settings = Settings(workers=2, answer_seconds=10)
    app = create_app(index_path, encoder, settings)

    @app.post("/stuck")
    async def stuck() -> None:
        await app.state.service.workers.run(STUCK)

    for address in serving(app, settings):
        with ThreadPoolExecutor(4) as pool:
            stuck_ones = [pool.submit(httpx.post, f"{address}/stuck", timeout=60) for _ in range(4)]
            answered = 0
            while not all(one.done() for one in stuck_ones):
                assert httpx.get(f"{address}/health", timeout=60).json()["status"] == "ok"
                assert httpx.get(f"{address}/patents/US1000003B2", timeout=60).is_success
                answered += 1
        assert answered >= 5  # they were answered during, not after
        for one in stuck_ones:
            answer = one.result()
            assert answer.status_code == 503
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["remedy"]
        while httpx.get(f"{address}/health", timeout=60).json()["replaced"] < 2:
            time.sleep(0.1)  # a worker is counted once its successor runs


def test_health_answers_while_the_index_hangs(index_path, encoder):
    app = create_app(index_path, encoder, Settings(answer_seconds=2))
    gate = threading.Event()

    @app.post("/hang")
    async def hang() -> None:
        await app.state.service.apart(lambda: gate.wait(120))

    for address in serving(app, Settings(answer_seconds=2)):
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(partial(httpx.post, timeout=60), [f"{address}/hang"] * 6))
        assert [answer.status_code for answer in answers] == [503] * 6
        assert httpx.get(f"{address}/health", timeout=60).is_success
        gate.set()
        for _ in range(600):  # the threads end, and their slots are free again
            if httpx.get(f"{address}/patents/US1000003B2", timeout=60).is_success:
                break
        else:
            pytest.fail("the slots were lost")


def test_sigterm_ends_the_service_with_requests_in_flight_answered(tiny, tmp_path):
    """A stuck request holds neither the signal nor the end: it is answered, then the process ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "stuck_job.py").write_text(JOB)
    (tmp_path / "run.py").write_text(
        SCRIPT.format(folder=str(tmp_path), seconds=6, model=str(tiny), port=str(port))
    )
    run = subprocess.Popen([sys.executable, str(tmp_path / "run.py")], stderr=subprocess.PIPE)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(2400):  # minutes, where the machine is busy
            try:
                httpx.get(f"{address}/health")
                break
            except httpx.TransportError:
                assert run.poll() is None
                time.sleep(0.1)
        with ThreadPoolExecutor(3) as pool:
            asked = [
                pool.submit(httpx.post, f"{address}/graph", json={"text": "1. A."}, timeout=120)
                for _ in range(3)
            ]
            time.sleep(1)
            assert httpx.get(f"{address}/health", timeout=60).is_success
            assert not any(one.done() for one in asked)
            children = set(_children(run.pid))
            run.send_signal(signal.SIGTERM)
            for _ in range(600):
                try:
                    httpx.get(f"{address}/health", timeout=60)
                except httpx.TransportError:  # new requests are refused
                    break
                time.sleep(0.05)
            else:
                pytest.fail("it went on taking requests")
            answers = [one.result().status_code for one in asked]
        assert answers == [503] * 3
        run.communicate(timeout=120)
    finally:
        run.kill()
        run.communicate()
    assert run.returncode == -signal.SIGTERM
    for child in children:
        for _ in range(600):
            if not _is_alive(child):
                break
            time.sleep(0.05)
        else:
            pytest.fail("a worker outlived the service")


def _children(parent: int) -> list[int]:
    said = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False
    )
    return [int(word) for word in said.stdout.split()]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_grace_at_the_end_is_what_a_request_may_take():
    from phage.serve.transport import transport

    settings = Settings(body_seconds=10, answer_seconds=60)
    assert transport(settings)["timeout_graceful_shutdown"] >= 70


def test_an_encoding_that_nobody_waits_for_is_given_up():
    steps, gate = [], threading.Event()

    def work(jobs, advance):
        for step in range(1_000_000):
            gate.wait(0.05)
            advance(1)
            steps.append(step)

    batcher = Batcher({"w": work}, Settings(answer_seconds=0.5))
    with pytest.raises(Stop, match=r"longer than 0\.5 s"):
        batcher.submit("w", "a").result(60)
    assert len(steps) < 1000
    batcher.close()


def test_large_encodings_are_not_gathered():
    seen, gate = [], threading.Event()

    def work(jobs, advance):
        gate.wait(60)
        seen.append("".join(jobs))
        return jobs

    batcher = Batcher({"w": work}, Settings(gather_seconds=0.5, gather_characters=100))
    futures = [batcher.submit("w", job, size) for job, size in (("a", 1), ("b", 99), ("c", 500))]
    futures += [batcher.submit("w", job, 1) for job in "de"]
    gate.set()
    assert [future.result(60) for future in futures] == list("abcde")
    batcher.close()
    assert seen == ["ab", "c", "de"]
