"""What the runs were given, told by hashes.

python -m benchmarks.mini inputs          # compare gpu/mini with results/mini/inputs.json

In:   the prepared folder.
Out:  per file the hash of its content, unpacked; ``inputs.json`` where there is none yet.
Why:  a run repeats bit for bit from the same tokens, graphs and teacher; whoever prepares them again
      can see whether they are the same before spending hours of a GPU."""

from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path
from typing import Any

from phage.provenance import provenance
from phage.storage import write_json

KEPT = (".xz", ".npy", ".npz", ".parquet", ".safetensors", "tokenizer.json")


def digests(folder: Path) -> dict[str, str]:
    """Hash every file that runs read."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.name.endswith(KEPT)):
        content = path.read_bytes()
        if path.suffix == ".xz":
            content = lzma.decompress(content)
        found[path.relative_to(folder).as_posix()] = hashlib.sha256(content).hexdigest()
    return found


def write(folder: Path, results: Path) -> bool:
    """Say which files are those of the committed runs; note them where nothing is noted yet."""
    path, found = results / "inputs.json", digests(folder)
    if not path.is_file():
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        about: dict[str, Any] = {"prepared": manifest["provenance"], "provenance": provenance()}
        write_json(path, {"files": found, **about})
    noted = json.loads(path.read_text(encoding="utf-8"))["files"]
    for name in sorted({*noted, *found}):
        same = "the same" if noted.get(name) == found.get(name) else "another"
        print(f"{name:32} {same if name in noted and name in found else 'on one side only'}")
    return bool(noted == found)
