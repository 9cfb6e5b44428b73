"""Build wheel and sdist, install them into empty environments of several Pythons, and try them.

Run:  python release/install.py [PYTHON …]   (or `make wheels PYTHONS="python3.11 python3.12"`)
Out:  results/install.json: what was built, and per Python the versions and how the steps went.

The packages are built and checked with ``build`` and ``twine``. Each Python then gets an environment
of its own with torch, the wheel and its extra ``search``. There, in an empty folder and with every
address but this machine's closed, ``phage doctor`` and ``phage tour`` must succeed, and so must the
command that ``doctor`` names for a missing extra. The first Python installs the sdist as well.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from phage.provenance import commit, provenance
from phage.storage import write_json

ROOT = Path(__file__).resolve().parents[1]
TORCH = "torch==2.13.0"
TOOLS = ("build==1.6.1", "twine==7.0.0")
CLOSED = """\
import socket
def _closed(self, address):
    if self.family == getattr(socket, "AF_UNIX", None) or address[0] in ("127.0.0.1", "::1"):
        return _open(self, address)
    raise OSError(f"no network here: {address}")
_open, socket.socket.connect = socket.socket.connect, _closed
"""
"""sitecustomize.py: a connection to another machine fails."""


def run(*words: object, **more: object) -> str:
    """Run a command; print what it said if it fails."""
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{words} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return str(done.stdout)


def built(scratch: Path) -> dict[str, Path]:
    """Build both packages and check their metadata."""
    tools = environment(Path(sys.executable), scratch / "tools")
    run(tools, "-m", "pip", "install", "--quiet", *TOOLS)
    run(tools, "-m", "build", "--outdir", scratch / "dist", ROOT)
    run(tools, "-m", "twine", "check", "--strict", *(scratch / "dist").iterdir())
    (wheel,), (sdist,) = ((scratch / "dist").glob(end) for end in ("*.whl", "*.tar.gz"))
    return {"wheel": wheel, "sdist": sdist}


def environment(python: Path | str, folder: Path) -> Path:
    """Make an empty environment; give its interpreter."""
    run(python, "-m", "venv", "--clear", folder)
    return folder / "bin" / "python"


def tried(python: str, package: Path, folder: Path) -> dict[str, object]:
    """Install a package for one Python and take the tour there."""
    inside = environment(python, folder / "venv")
    began = time.monotonic()
    run(inside, "-m", "pip", "install", "--quiet", TORCH)
    run(inside, "-m", "pip", "install", "--quiet", f"{package}[search]")
    seconds = time.monotonic() - began
    (closed := folder / "closed").mkdir()
    (closed / "sitecustomize.py").write_text(CLOSED, encoding="utf-8")
    (away := folder / "away").mkdir()
    env = {"PATH": f"{inside.parent}:{os.defpath}", "HOME": str(away), "COLUMNS": "140"}
    offline = {**env, "PYTHONPATH": str(closed), "OMP_NUM_THREADS": "1"}
    found = json.loads(run("phage", "doctor", "--json", cwd=away, env=offline))
    told = run("phage", "tour", cwd=away, env=offline)
    missing = next(extra for extra in found["extras"] if extra["extra"] == "serve")
    asked = missing["install"].replace("pip install", "").strip(" '")
    would = run(inside, "-m", "pip", "install", "--dry-run", asked)
    return {
        "package": package.name,
        "install_seconds": round(seconds),
        "environment_gigabytes": round(_size(folder / "venv") / 1e9, 1),
        "tour": re.findall(r"^Done in \d+ s", told, re.MULTILINE)[0],
        "remedy": {missing["install"]: "fastapi" in would},
        "versions": found["versions"],
    }


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Try every Python that was named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "results" / "install.json")
    asked = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)  # else the checkout would be found everywhere
    commit()  # remembered: what is built now, whatever is committed meanwhile
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        packages = built(scratch)
        jobs = [(python, "wheel") for python in asked.pythons] + [(asked.pythons[0], "sdist")]
        rows = []
        for place, (python, kind) in enumerate(jobs):
            folder = scratch / str(place)
            folder.mkdir()
            rows.append(tried(python, packages[kind], folder))
            print(rows[-1]["versions"]["python"], kind, rows[-1]["tour"])  # type: ignore[index]
            shutil.rmtree(folder)  # one at a time: a CUDA build of torch takes gigabytes
        sizes = {path.name: path.stat().st_size for path in packages.values()}
    write_json(
        asked.out,
        {
            "what": "packages built and checked, then installed and tried in empty environments",
            "built": sizes,
            "twine_check": "passed",
            "tried": rows,
            "provenance": provenance(tools=list(TOOLS)),
        },
    )


if __name__ == "__main__":
    main()
