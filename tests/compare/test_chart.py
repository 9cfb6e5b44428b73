"""Claim charts: the right passage, the marked words, every output, and hostile text."""

from __future__ import annotations

import json
import re
import zipfile

import numpy as np
import pytest
from docx import Document
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.compare.chart import MOST, chart
from phage.compare.page import chart_page
from phage.compare.sheet import write_sheet
from phage.compare.terminal import chart_lines
from phage.compare.word import write_chart
from phage.errors import PhageError

OURS = Patent(
    "US1A",
    (
        Claim(1, "A pump comprising: a shaft; a steel impeller on the shaft; and a rubber seal."),
        Claim(2, "The pump of claim 1, wherein the seal is a lip."),
    ),
    title="Pump",
)
THEIRS = Patent(
    "US2A",
    (Claim(1, "A machine comprising: a rotating shaft; and an impeller of bronze on that shaft."),),
    title="Machine",
    abstract="A machine moves water. It has seals of rubber between its parts.",
    description="The lip 12 touches the shaft.\nEach lip seal is thin, see FIG. 2. It is cheap to make.",
)
HOSTILE = "<script>alert(1)</script> =1+1 \x00\x1b[31m \ud800 & \u202e"


def flat(texts):
    """Vectors that say nothing: words alone decide."""
    return np.ones((len(texts), 4), dtype=np.float32) / 2


def test_each_element_gets_the_passage_that_has_its_words():
    made = chart(OURS, THEIRS, flat, [1, 2])
    best = {row.element.label: row.matches[0].passage.place for row in made.rows}
    assert best["1[a]"] == "claim 1[a]"
    assert best["1[b]"] == "claim 1[b]"
    assert best["1[c]"] == "abstract 2"
    assert best["2[a]"] == "description 2"
    [row] = [row for row in made.rows if row.element.label == "1[b]"]
    match = row.matches[0]
    assert [row.element.text[a:b] for a, b in match.missing] == ["steel"]
    assert [match.passage.text[a:b] for a, b in match.shared] == ["impeller", "shaft"]
    assert match.score >= row.matches[1].score


def test_vectors_decide_where_words_are_equal():
    def vectors(texts):
        return np.stack(
            [np.float32([1, 0]) if "cap" in t or "lid" in t else np.float32([0, 1]) for t in texts]
        )

    other = Patent(
        "US3A", abstract="The vessel carries a cap on top. The vessel carries a cup below."
    )
    made = chart(Patent("US1A", (Claim(1, "A lid."),)), other, vectors)
    assert made.rows[0].matches[0].passage.place == "abstract 1"


def test_the_terminal_says_where_no_passage_is_close():
    far = Patent("US4A", (Claim(1, "A lever."),))
    lines = [line.plain.strip() for line in chart_lines(chart(OURS, far, flat, [2]))]
    [told, *_] = [line for line in lines if "no close" in line]
    assert re.fullmatch(r"no close passage \(nearest: claim 1\[a\], 0\.\d\d: A lever\.\)", told)


def test_a_patent_without_text_gives_rows_without_passages(tmp_path):
    made = chart(OURS, Patent("US9A"), flat)
    assert [row.matches for row in made.rows] == [()] * 4
    assert "no text to compare" in chart_page(made)
    write_sheet(made, tmp_path / "a.xlsx")
    write_chart(made, tmp_path / "a.docx")


def test_a_claim_that_is_not_there_is_named():
    with pytest.raises(PhageError, match="US1A has no claim 7"):
        chart(OURS, THEIRS, flat, [7])
    with pytest.raises(PhageError, match="no claims to chart"):
        chart(THEIRS.__class__("US9A"), OURS, flat)
    with pytest.raises(PhageError, match="elements; a chart takes"):
        chart(Patent("US9A", (Claim(1, "rim and;" * (MOST + 9)),)), THEIRS, flat)


def test_hostile_text_is_shown_and_never_acts(tmp_path):
    ours = Patent(HOSTILE, (Claim(1, f"A pump {HOSTILE}; {HOSTILE}"),), title=HOSTILE)
    theirs = Patent("US2A", (Claim(1, f"=cmd() {HOSTILE}"),), title=HOSTILE, abstract=HOSTILE)
    made = chart(ours, theirs, flat)
    page = chart_page(made)
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "default-src 'none'" in page and "http" not in page.replace("http-equiv", "")
    page.encode("utf-8")
    write_chart(made, tmp_path / "a.docx")
    assert "<script>" in "\n".join(
        c.text for r in Document(tmp_path / "a.docx").tables[0].rows for c in r.cells
    )
    write_sheet(made, tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


def test_a_word_file_breaks_pages_between_rows_and_repeats_its_heading(tmp_path):
    write_chart(chart(OURS, THEIRS, flat), tmp_path / "a.docx")
    head, *rows = [row._tr.xml for row in Document(tmp_path / "a.docx").tables[0].rows]
    assert "<w:tblHeader/>" in head
    assert all("<w:cantSplit/>" in row and "<w:tblHeader/>" not in row for row in rows)


def test_the_command_writes_every_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(json.dumps(one.to_json()) for one in (OURS, THEIRS))
    (tmp_path / "two.jsonl").write_text(rows, encoding="utf-8")
    words = ["chart", "US1A", "US2A", "--from", "two.jsonl", "--claim", "1", "--json"]
    words += ["--html", "a.html", "--xlsx", "a.xlsx", "--docx", "a.docx"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [row["element"]["label"] for row in found["rows"]] == ["1[pre]", "1[a]", "1[b]", "1[c]"]
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert zipfile.is_zipfile(tmp_path / "a.xlsx") and zipfile.is_zipfile(tmp_path / "a.docx")
    shown = CliRunner().invoke(app, words[:-7], catch_exceptions=False)
    assert "1[b]" in shown.stdout and "claim 1[b]" in shown.stdout


def test_a_number_without_a_source_is_an_error():
    done = CliRunner().invoke(app, ["chart", "US1A", "US2A"])
    assert "US1A is not a file" in str(done.exception)
