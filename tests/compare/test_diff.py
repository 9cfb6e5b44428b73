"""Claim diffs: what became of each claim, and no word lost."""

from __future__ import annotations

import json

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.compare import matching
from phage.compare.diff import diff, marked
from phage.compare.page import described, diff_page
from phage.compare.types import Change
from phage.compare.word import write_diff
from phage.errors import PhageError

BEFORE = """1. A pump comprising a shaft and an impeller.
2. The pump of claim 1, wherein the impeller carries seven curved bronze blades.
3. The pump of claim 1, wherein the shaft is hollow and holds a cooling liquid.
4. The pump of claim 3, wherein the liquid is water.
5. A boat with an engine, a keel and a red flag at its stern."""
AFTER = """1. A pump comprising a shaft and an impeller that carries seven curved bronze blades.
2. The pump of claim 1, wherein the shaft is hollow and holds a cooling liquid.
3. The pump of claim 2, wherein the liquid is salt water.
4. A train with two doors and a whistle on top of its roof."""


def claims(text):
    return tuple(
        Claim(int(line.split(".", 1)[0]), line.split(". ", 1)[1]) for line in text.splitlines()
    )


@pytest.fixture
def made():
    return diff(Patent("US1A", claims(BEFORE), title="Pump"), Patent("US1B", claims(AFTER)))


def test_claims_are_amended_merged_renumbered_cancelled_and_new(made):
    found = {(one.before, one.after): one.change for one in made.claims}
    assert found == {
        (1, 1): Change.AMENDED,
        (2, None): Change.MERGED,
        (3, 2): Change.RENUMBERED,
        (4, 3): Change.AMENDED,
        (5, None): Change.CANCELLED,
        (None, 4): Change.NEW,
    }
    assert next(one for one in made.claims if one.change is Change.MERGED).into == 1
    assert made.title == "Pump"


def test_the_same_set_has_no_change():
    one = Patent("US1A", claims(BEFORE))
    assert {change.change for change in diff(one, one).claims} == {Change.SAME}
    assert diff(Patent("US1A"), Patent("US1B")).claims == ()


@given(
    *[
        st.lists(
            st.sampled_from(["a", "rim", "lid", ",", ";", "the", "wherein", "x-y", "1.5"]),
            max_size=25,
        )
    ]
    * 2
)
def test_the_pieces_are_both_versions(old, new):
    before, after = " ".join(old), " ".join(new)
    pieces, like = marked(before, after)
    assert "".join(p.text for p in pieces if p.kind != "inserted").split() == before.split()
    assert "".join(p.text for p in pieces if p.kind != "deleted").split() == after.split()
    assert 0 <= like <= 1


def test_a_word_file_shows_an_amendment_as_us_practice_does(made, tmp_path):
    write_diff(made, tmp_path / "a.docx")
    lines = Document(tmp_path / "a.docx").paragraphs
    by = {p.text.split(".")[0]: p for p in lines if p.text[:1].isdigit() and ". (" in p.text}
    assert "(Currently amended)" in by["1"].text
    assert any(run.font.underline and "carries" in run.text for run in by["1"].runs)
    assert by["5"].text.strip() == "5. (Canceled)"
    assert "(New) A train" in by["4"].text
    assert not any(run.font.underline for run in by["4"].runs)
    moved = next(p for p in lines if "formerly claim 4" in p.text)
    assert "[[3]]" in moved.text


def test_the_page_escapes_and_marks(made):
    page = diff_page(made)
    assert "<ins>" in page and "<del>" in page
    bad = Patent("<b>", (Claim(1, "<script>alert(1)</script> \x00"),), title="</title><script>")
    assert "<script" not in diff_page(diff(bad, Patent("<i>", (Claim(1, "<img src=x>"),))))


def test_the_command_compares_two_drafts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(BEFORE, encoding="utf-8")
    (tmp_path / "b.txt").write_text(AFTER, encoding="utf-8")
    words = ["diff", "a.txt", "b.txt", "--html", "d.html", "--docx", "d.docx"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert "2 amended, 1 renumbered, 1 merged, 1 cancelled, 1 new" in done.stdout
    assert "{+" in done.stdout
    found = json.loads(CliRunner().invoke(app, ["diff", "a.txt", "b.txt", "--json"]).stdout)
    assert found["counts"]["merged"] == 1
    assert (tmp_path / "d.html").is_file() and (tmp_path / "d.docx").is_file()


def test_what_repeats_itself_is_compared_within_a_bound(monkeypatch):
    """difflib alone takes cubic time here: a quarter of an hour for the first pair."""
    texts = ["a rod x " * 2_000, "a rod y " * 2_000, "A pump.", "A hand pump."]
    before, after = (
        Patent("US1A", (Claim(1, one), Claim(2, other)))
        for one, other in ((texts[2], texts[0]), (texts[3], texts[1]))
    )
    monkeypatch.setattr(matching, "MOST", 100_000)
    _, long = diff(before, after).claims
    assert long.unmarked and [piece.kind for piece in long.pieces] == ["deleted", "inserted"]
    assert "too long to compare word by word" in described(long)
    assert not diff(after, after).claims[1].unmarked  # nothing to compare
    with pytest.raises(matching.TooMuch):
        marked(texts[0], texts[1])


def test_too_many_claims_are_refused():
    many = Patent("US1A", tuple(Claim(n, "A pump with a rod.") for n in range(1, 3_000)))
    with pytest.raises(PhageError, match="2,999 and 2,999 claims are too many"):
        diff(many, many)
