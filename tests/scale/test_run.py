import fcntl
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from phage.errors import PhageError
from phage.scale import Where, run

sys.path.insert(0, str(Path(__file__).parent))
import jobs

HERE = Path(__file__).parent
SRC = HERE.parents[1] / "src"


@pytest.mark.parametrize("workers", [1, 2])
def test_ordered_whole_and_nothing_left_behind(tmp_path, workers):
    out = tmp_path / "out.jsonl"
    steps = []
    outcome = run(jobs.job(), range(33), out, Where(workers=workers), steps.append)
    assert out.read_bytes() == jobs.expected(33)
    assert (outcome.items, outcome.resumed, sum(steps)) == (33, 0, 33)
    assert outcome.counts == {"items": 33, "even": 17}
    assert outcome.notes[:2] == ("0 is even", "2 is even")
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_failed_run_goes_on_and_does_nothing_twice(tmp_path):
    out, log = tmp_path / "out.jsonl", tmp_path / "log"
    with pytest.raises(PhageError, match="cannot square 17"):
        run(jobs.job(log=str(log), fail_at=17), range(33), out)
    assert not out.exists()
    outcome = run(jobs.job(log=str(log)), range(33), out)
    assert out.read_bytes() == jobs.expected(33)
    assert (outcome.items, outcome.resumed) == (33, 15)
    assert outcome.counts == {"items": 33, "even": 17}, "counts of the stopped run are kept"
    done = [int(line.split()[0]) for line in log.read_text().splitlines()]
    assert done == [0, 5, 10, 15, 20, 25, 30]


def test_another_job_starts_over(tmp_path):
    out, log = tmp_path / "out.jsonl", tmp_path / "log"
    with pytest.raises(PhageError):
        run(jobs.job(fail_at=17), range(33), out)
    outcome = run(jobs.job(log=str(log), settings={"power": 3}), range(33), out)
    assert outcome.resumed == 0
    assert len(log.read_text().splitlines()) == 7


def test_an_error_of_a_worker_process_is_reported(tmp_path):
    with pytest.raises(PhageError, match="cannot square 3"):
        run(jobs.job(fail_at=3), range(33), tmp_path / "out.jsonl", Where(workers=2))


def test_a_second_run_into_the_same_output_is_refused(tmp_path):
    with (tmp_path / ".out.jsonl.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(PhageError, match="another run is writing"):
            run(jobs.job(), range(3), tmp_path / "out.jsonl")


def turned(path):
    """Turn one bit in the middle of a file."""
    found = bytearray(path.read_bytes())
    found[len(found) // 2] ^= 1
    path.write_bytes(found)


DAMAGED = {
    "a part that is cut": lambda folder: (folder / "00000001.part").write_bytes(b"half"),
    "a part that is empty": lambda folder: (folder / "00000001.part").write_bytes(b""),
    "a part with a turned bit": lambda folder: turned(folder / "00000001.part"),
    "a part without its counts": lambda folder: (folder / "00000001.json").unlink(),
    "a part with broken counts": lambda folder: (folder / "00000001.json").write_text("{"),
    "a part with counts in words": lambda folder: (folder / "00000001.json").write_text("[]"),
    "counts with a turned bit": lambda folder: turned(folder / "00000001.json"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_part_is_done_again(tmp_path, name):
    out, log = tmp_path / "out.jsonl", tmp_path / "log"
    with pytest.raises(PhageError, match="cannot square 17"):
        run(jobs.job(fail_at=17), range(33), out)
    DAMAGED[name](tmp_path / "out.jsonl.parts")
    outcome = run(jobs.job(log=str(log)), range(33), out)
    assert out.read_bytes() == jobs.expected(33)
    assert outcome.counts == {"items": 33, "even": 17}
    assert outcome.resumed == 10
    done = [int(line.split()[0]) for line in log.read_text().splitlines()]
    assert done == [5, 15, 20, 25, 30], "the damaged part, and those that were not done"


def test_only_a_few_chunks_are_read_ahead(tmp_path):
    taken = 0
    ahead = []

    def items():
        nonlocal taken
        for number in range(200):
            taken += 1
            yield number

    done = 0

    def advance(step):
        nonlocal done
        done += step
        ahead.append(taken - done)

    run(jobs.job(), items(), tmp_path / "out.jsonl", Where(workers=2), advance)
    assert max(ahead) <= 9 * 5, "eight chunks of five under way, one just read"


@pytest.mark.parametrize(
    ("where", "words"),
    [(Where(engine="grid"), "local or ray"), (Where(workers=0), "at least one worker")],
)
def test_what_cannot_run_is_reported(tmp_path, where, words):
    with pytest.raises(PhageError, match=words):
        run(jobs.job(), range(3), tmp_path / "out.jsonl", where)


SCRIPT = """
import sys
sys.path[:0] = [{src!r}, {here!r}]
import jobs
from phage.scale import Where, run
import os, signal
whole = sys.modules["phage.scale.run"]
keep, kept = whole._keep, []

def keep_ten(*given):
    keep(*given)
    kept.append(given)
    if len(kept) == 10 and sys.argv[1:] == ["die"]:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    whole._keep = keep_ten
    outcome = run(jobs.job(log={log!r}, pause=0.05), range(200), {out!r}, Where(workers={workers}))
    print(outcome.resumed)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_and_started_again(tmp_path, workers):
    out, log = tmp_path / "out.jsonl", tmp_path / "log"
    script = tmp_path / "script.py"
    script.write_text(
        SCRIPT.format(src=str(SRC), here=str(HERE), log=str(log), out=str(out), workers=workers)
    )
    folder = tmp_path / "out.jsonl.parts"
    # it dies by itself half way: nobody has to be quick enough to kill it
    killed = subprocess.run([sys.executable, str(script), "die"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    kept = len(list(folder.glob("*.part")))
    workers_of_old = {int(line.split()[1]) for line in log.read_text().splitlines()}
    again = subprocess.run(
        [sys.executable, str(script)], check=True, capture_output=True, text=True
    )
    assert int(again.stdout) == 5 * kept, "nothing finished is done again"
    assert out.read_bytes() == jobs.expected(200)
    assert not folder.exists()
    _gone(workers_of_old)


STUCK = """
import sys
sys.path[:0] = [{src!r}, {here!r}]
import jobs, os, signal, time
from pathlib import Path
from phage.errors import PhageError
from phage.scale import Where, run

def items():
    yield from range(10)  # two chunks: the second never ends
    while not Path({log!r}).exists():
        time.sleep(0.01)
    if sys.argv[1] == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    yield from range(10, 100)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    job = jobs.job(log={log!r}, stick_at=7, fail_at=12 if sys.argv[1] == "error" else None)
    try:
        run(job, items(), {out!r}, Where(workers=2))
    except (KeyboardInterrupt, PhageError) as error:
        print(type(error).__name__)
"""


def stuck(folder, what, before="", after=""):
    """Run STUCK, some of its text changed; give what it printed, and how it ended."""
    script = folder / "script.py"
    out, log = folder / "out.jsonl", folder / "log"
    text = STUCK.format(src=str(SRC), here=str(HERE), log=str(log), out=str(out))
    script.write_text(text.replace(before, after, 1))
    done = subprocess.run(  # the chunk takes an hour
        [sys.executable, str(script), what],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert not out.exists()
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize(
    ("what", "told"), [("interrupt", "KeyboardInterrupt"), ("error", "PhageError")]
)
def test_the_end_does_not_wait_for_chunks_that_are_thrown_away(tmp_path, what, told):
    assert stuck(tmp_path, what) == (f"{told}\n", "", 0)


def _gone(pids):
    """Workers of a killed run end by themselves."""
    for _ in range(600):
        alive = {pid for pid in pids if Path(f"/proc/{pid}").exists()}
        if not alive:
            return
        time.sleep(0.1)
    raise AssertionError(f"still running: {alive}")


def test_half_written_job_note_is_no_obstacle(tmp_path):
    folder = tmp_path / "out.jsonl.parts"
    folder.mkdir()
    (folder / "job.json").write_text('{"power"')
    (folder / "00000000.part").write_text("of another job\n")
    run(jobs.job(), range(7), tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == jobs.expected(7)
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[2])["square"] == 4


SLOWLY = """
from multiprocessing import connection
close = connection.Connection._close

def slow(self):
    time.sleep(0.3)  # in time for another thread to begin the same
    close(self)

if __name__ == "__main__":
    connection.Connection._close = slow
"""


def test_a_pipe_that_the_pool_closes_at_the_same_moment(tmp_path):
    """Both close it, one is too late: seen once in thousands of interrupted runs."""
    said = stuck(tmp_path, "interrupt", '\nif __name__ == "__main__":\n', SLOWLY)
    assert said == ("KeyboardInterrupt\n", "", 0)
