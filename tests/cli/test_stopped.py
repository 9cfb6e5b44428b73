"""Commands as processes: Ctrl-C, a disk that is really full, an output nobody reads."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from phage.claims import write
from phage.invented import invent
from tiny_model import recipe, repeat

SRC = Path(__file__).parents[2] / "src"
ENV = {**os.environ, "PYTHONPATH": str(SRC), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
PHAGE = [sys.executable, "-m", "phage"]
slow = pytest.mark.slow
TOLD = "error: stopped by Ctrl-C; no half-written file is left\n"

LONG = [
    ("demo-corpus -n 200000 -o {out}/c.jsonl", ".c.jsonl.*.partial"),
    ("graph {many} -o {out}/g.parquet --workers 2", "g.parquet.parts/*.part"),
    pytest.param("read {many} -o {out}/p.parquet", ".p.parquet.*.partial", marks=slow),
    pytest.param("encode {tiny} {many} -o {out}/v", "v/vectors.json.parts/*.part", marks=slow),
    pytest.param("index {many} --model {tiny} -o {out}/i", "i/index.json", marks=slow),
    pytest.param("train {recipe} --data {some} -o {out}/r", "r/history.jsonl", marks=slow),
    pytest.param("serve --model {tiny} --port 0", None, marks=slow),
    pytest.param("evaluate {tiny} --path {many} -o {out}", None, marks=slow),
    pytest.param("leakage {many} {many}", None, marks=slow),
    pytest.param(
        "ablate --recipes {recipes} --data {some} -o {out}/a", "a/**/history.jsonl", marks=slow
    ),
]
"""A command, and the file whose first bytes show it is under way; none: it gets five seconds."""


@pytest.fixture(scope="module")
def places(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    some = [invention.patent for invention in invent(60)]
    write(some, folder / "some.jsonl")
    repeat(folder / "some.jsonl", folder / "many.jsonl", 100)
    (folder / "recipes").mkdir()
    (folder / "recipes" / "one.toml").write_text(recipe(tiny, epochs=500, save_every=0))
    return {
        "tiny": tiny,
        "some": folder / "some.jsonl",
        "many": folder / "many.jsonl",
        "recipe": folder / "recipes" / "one.toml",
        "recipes": folder / "recipes",
    }


def heard() -> None:
    """Let Ctrl-C through: what a script runs in the background ignores it, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begun(words: list[str], folder: Path, sign: str | None) -> subprocess.Popen[str]:
    """Start a command as a terminal does, in a group of its own, and wait until it is under way."""
    running = subprocess.Popen(
        [*PHAGE, *words],
        env=ENV,
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heard,  # noqa: PLW1509  (safe: no thread of ours holds a lock here)
    )
    since = time.monotonic()
    while sign and not any(found.stat().st_size for found in folder.glob(sign)):
        assert running.poll() is None, (running.returncode, running.stderr.read())
        assert time.monotonic() - since < 240, "it never got under way"
        time.sleep(0.02)
    return running


@pytest.mark.parametrize(("line", "sign"), LONG)
def test_ctrl_c_is_told_and_leaves_nothing_half_written(line, sign, places, tmp_path):
    words = line.format_map({**places, "out": tmp_path}).split()
    running = begun(words, tmp_path, sign)
    if not sign:
        time.sleep(5)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert "Traceback" not in said, said
    if words[0] == "serve":  # Ctrl-C is how a server is ended
        assert running.returncode in (0, 130)
        return
    assert running.returncode == 130 and "stopp" in said, (running.returncode, said)
    assert not list(tmp_path.rglob("*.partial")), said
    for name in ("c.jsonl", "g.parquet", "p.parquet", "v/vectors.json", "r/modules.json"):
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.2, 0.4])
def test_ctrl_c_in_a_terminal_while_workers_start_is_told_once(moment, places, tmp_path):
    words = ["graph", str(places["many"]), "-o", str(tmp_path / "g.parquet"), "--workers=2"]
    running = begun(words, tmp_path, "g.parquet.parts/job.json")
    time.sleep(moment)
    os.killpg(running.pid, signal.SIGINT)  # the workers too
    _, said = running.communicate(timeout=120)
    assert (running.returncode, said) == (130, TOLD)


def interrupted(folder: Path, more: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``python -m phage demo-corpus``, stopped inside what a dataclass is made of."""
    (folder / "sitecustomize.py").write_text(
        "import atexit, signal\nimport phage.invented as invented\n"
        f"invented.invent = lambda *_: exec('raise KeyboardInterrupt')\n{more}\n"
    )
    return subprocess.run(
        [*PHAGE, "demo-corpus", "-o", str(folder / "c.jsonl")],
        env={**ENV, "PYTHONPATH": f"{folder}{os.pathsep}{SRC}"},
        preexec_fn=heard,
        capture_output=True,
        text=True,
        check=False,
    )


def test_ctrl_c_inside_an_evaluated_string_ends_with_the_same_code(tmp_path):
    # CPython notes it and lets ``-m`` end by the signal, whatever the exit code.
    done = interrupted(tmp_path)
    assert (done.returncode, done.stderr) == (130, TOLD)
    assert not list(tmp_path.glob("*c.jsonl*"))


def test_the_second_ctrl_c_ends_it_at_once_without_a_word(tmp_path):
    done = interrupted(tmp_path, "atexit.register(signal.raise_signal, signal.SIGINT)")
    assert (done.returncode, done.stderr) == (-signal.SIGINT, TOLD)


FULL = [
    "read {some} -o {disk}/p.parquet",
    pytest.param("graph {some} -o {disk}/g.parquet", marks=slow),
    pytest.param("show {some} -o {disk}/g.png", marks=slow),
    pytest.param("encode {tiny} {some} -o {disk}/v", marks=slow),
    pytest.param("index {some} --model {tiny} -o {disk}/i", marks=slow),
    pytest.param("train {recipe} --data {some} -o {disk}/r --set train.max_steps=2", marks=slow),
    pytest.param("export {tiny} --onnx -o {disk}/x", marks=slow),
    pytest.param("evaluate {tiny} --path {some} --runs 1 -o {disk}/e", marks=slow),
]


@pytest.mark.parametrize("line", FULL)
def test_a_disk_of_eight_kilobytes_is_reported(line, places, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    # A mount in a name space of its own: nobody else sees it, and it ends with the command.
    mount = f"mount -t tmpfs -o size=8k phage {disk} && touch {disk}/here && "
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    tried = shutil.which("unshare") and subprocess.run([*alone, mount + "true"], check=False)
    if not tried or tried.returncode:
        pytest.skip("this machine lets us mount nothing")
    words = " ".join(PHAGE) + " " + line.format_map({**places, "disk": disk})
    left = f"; code=$?; echo; find {disk} -type f; exit $code"
    done = subprocess.run(
        [*alone, mount + words + left], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "No space left" in done.stderr, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr and "unexpected" not in done.stderr
    left = {Path(found).name for found in done.stdout.split() if found.startswith(str(disk))}
    assert not left & {"p.parquet", "g.parquet", "g.png", "vectors.json", "modules.json"}, left


def test_output_into_a_full_device_is_reported(places):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("w") as full:
        line = [*PHAGE, "stats", str(places["some"]), "--json"]
        (Path(places["some"]).parent / "none").mkdir(exist_ok=True)
        words = [*PHAGE, "report", str(Path(places["some"]).parent / "none"), "--json"]
        for command in (words, line):
            done = subprocess.run(
                command, env=ENV, stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
            assert done.returncode != 0 and "Traceback" not in done.stderr, done.stderr


def test_a_reader_that_leaves_ends_it_quietly(places):
    line = " ".join([*PHAGE, "report", str(places["recipes"]), "--format", "markdown"])
    done = subprocess.run(
        f"{line} | head -c 10", shell=True, env=ENV, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr and "Error" not in done.stderr, done.stderr
