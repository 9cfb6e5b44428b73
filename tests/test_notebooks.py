"""The notebooks run from top to bottom in an empty folder, and are kept without outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PLACE = Path(__file__).parent.parent / "examples" / "notebooks"
BOOKS = sorted(PLACE.glob("*.ipynb"))
SHOWN = {
    "1-a-claim-set": ["claim-graph", "was not introduced in", "cross-category"],
    "2-a-week-of-patents": ["claim-graph", "phage-hits", "image/png"],
    "3-your-own-csv": ["no column for the claims", "line 4", "Pumps & Co."],
    "4-fine-tune": ["<progress", "NDCG@100", "(12, 384)"],
    "5-a-table-of-the-paper": ["claim-graph", "path_length", "image/png"],
}
"""What some output of each notebook holds."""


def test_there_are_five():
    assert [book.stem for book in BOOKS] == list(SHOWN)


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(book):
    for cell in json.loads(book.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and not cell.get("execution_count")


@pytest.mark.slow  # a kernel each, a minute in all: make test would need more than ten
@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(book, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("PYTHONPATH", str(PLACE.parent.parent / "src"))
    read = nbformat.read(book, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(read, timeout=900, kernel_name="python3", resources=place).execute()
    outputs = [output for cell in read.cells for output in cell.get("outputs", ())]
    assert not [one for one in outputs if one.get("name") == "stderr"], outputs
    told = "".join(json.dumps(output, ensure_ascii=False) for output in outputs)
    for words in SHOWN[book.stem]:
        assert words in told, words
