"""Make ``import written`` and ``import damage`` work in this folder's tests; find real patents."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
for _file in (_HERE / "written.py", _HERE.parent / "faults" / "damage.py"):
    _spec = importlib.util.spec_from_file_location(_file.stem, _file)
    sys.modules[_file.stem] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules[_file.stem])

REAL = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of real patents beside the checkout."""
    if not REAL.is_dir():
        pytest.skip("no real patents in ../shared/data")
    return REAL


@pytest.fixture
def load(tmp_path):
    """Read text or bytes as a file of some name; give the patents and the report."""
    from phage.claims import ReadReport, read

    def _load(data, name="file.xml", **options):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        report = ReadReport()
        return list(read(path, report=report, **options)), report

    return _load
