"""A real Ray cluster of two nodes on this machine, one of them killed on the way."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from phage.scale import Where, run

sys.path.insert(0, str(Path(__file__).parent))
import jobs

pytestmark = pytest.mark.slow
ray = pytest.importorskip("ray")

HERE = Path(__file__).parent
SRC = HERE.parents[1] / "src"


@pytest.fixture
def cluster(monkeypatch):
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", f"{SRC}:{HERE}")  # nodes import the job by its name
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_a_node_killed_on_the_way(cluster, tmp_path):
    doomed = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    out, log = tmp_path / "out.jsonl", tmp_path / "log"
    done = 0

    def advance(step):
        nonlocal done
        done += step
        if done == 50:
            cluster.remove_node(doomed, allow_graceful=False)

    outcome = run(jobs.job(log=str(log), pause=0.1), range(200), out, Where(engine="ray"), advance)
    assert out.read_bytes() == jobs.expected(200)
    assert outcome.items == 200
    assert len({line.split()[1] for line in log.read_text().splitlines()}) > 1, "both nodes worked"


SCRIPT = """
import sys
sys.path[:0] = [{src!r}, {here!r}]
import jobs
from phage.scale import Where, run
where = Where(engine="ray", address={address!r})
outcome = run(jobs.job(pause=0.1), range(200), {out!r}, where)
print(outcome.resumed)
"""


def test_driver_killed_and_started_again(cluster, tmp_path):
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    out, script = tmp_path / "out.jsonl", tmp_path / "script.py"
    script.write_text(
        SCRIPT.format(src=str(SRC), here=str(HERE), out=str(out), address=cluster.address)
    )
    started = subprocess.Popen([sys.executable, str(script)])
    folder = tmp_path / "out.jsonl.parts"
    while len(list(folder.glob("*.part"))) < 10:
        assert started.poll() is None, "it ended before it could be killed"
        time.sleep(0.02)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    kept = len(list(folder.glob("*.part")))
    again = subprocess.run(
        [sys.executable, str(script)], check=True, capture_output=True, text=True
    )
    assert int(again.stdout.split()[-1]) == 5 * kept
    assert out.read_bytes() == jobs.expected(200)
