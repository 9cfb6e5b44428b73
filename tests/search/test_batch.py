"""Files of queries, tables of hits, and an index that grows while it is searched."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest
from lxml import etree
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.searching import Hit, Index, Search, find, from_text, parse
from phage.searching.tables import COLUMNS, write_table
from phage.searching.types import ClaimMatch

pytest.importorskip("lancedb")


def patents(count=12):
    words = ("a pump with a shaft", "the housing of steel", "claim 4 coupled to claim 5")
    return [
        Patent(f"US{2000000 + n}B2", (Claim(1, words[n % 3]),), title=f"{words[n % 3]} {n}")
        for n in range(count)
    ]


@pytest.fixture
def index(tiny, tmp_path):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    made = Index.create(tmp_path / "ix", encoder)
    made.add(patents(), encoder)
    made.finish()
    return made


QUERIES = [
    {"id": "a", "text": "a pump of steel"},
    {"id": 7, "number": "US 2,000,003 B2"},
    {"id": "c", "claims": ["A pump.", "The pump of claim 1."]},
    {"id": "d", "claims": [{"number": 4, "text": "A housing."}], "title": "Housing"},
    {"id": "e", "number": "US9999999"},
    {"id": "f", "text": ""},
    {"id": "g", "text": "x", "number": "y"},
    [1],
    {"id": "h", "claims": [""]},
    {"id": "i", "text": "*"},
    {"id": float("nan"), "text": "a pump"},
]


def test_one_line_for_every_query(index, tmp_path):
    source = tmp_path / "queries.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in QUERIES) + "{broken\n\n")
    words = ["search", str(index.path), "--queries", str(source), "--top", "100", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in rows] == ["a", 7, "c", "d", "e", "f", "g", 8, "h", "i", 11, 12]
    assert [len(row["hits"]) for row in rows] == [12, 11, 12, 12, 0, 0, 0, 0, 0, 0, 0, 0]
    assert set(rows[0]["hits"][0]) == {"number", "score"}
    assert "US2000003B2" not in {hit["number"] for hit in rows[1]["hits"]}
    assert "not in this index" in rows[4]["error"]
    assert all("error" in row for row in rows[4:]) and "error" not in rows[0]
    scores = [hit["score"] for hit in rows[0]["hits"]]
    assert scores == sorted(scores, reverse=True)
    table = CliRunner().invoke(app, [*words[:-1], "-o", str(tmp_path / "hits.csv")])
    for output in (done.stderr, table.stderr):  # a table has no place for them
        assert output.count("no answer: ") == 8 and "line 8 cannot be read" in output


def test_a_batch_finds_what_single_searches_find(index, tiny, tmp_path):
    source = tmp_path / "queries.jsonl"
    source.write_text(json.dumps({"text": "a pump of steel"}) + "\n")
    done = CliRunner().invoke(app, ["search", str(index.path), "--queries", str(source), "--json"])
    [row] = map(json.loads, done.stdout.splitlines())
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    hits = find(index, from_text("a pump of steel", encoder), Search())
    assert [hit["number"] for hit in row["hits"]] == [hit.number for hit in hits]


def test_hits_in_a_spreadsheet(index, tmp_path):
    for name in ("hits.csv", "hits.xlsx"):
        words = ["search", str(index.path), "US2000000", "--top", "5", "-o", str(tmp_path / name)]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
    with (tmp_path / "hits.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == list(COLUMNS) and len(rows) == 6
    whole = [[cell.removesuffix(".0") for cell in row] for row in rows]  # a sheet has 1 for 1.0
    assert sheet(tmp_path / "hits.xlsx") == whole
    refused = CliRunner().invoke(app, ["search", str(index.path), "pump", "-o", "hits.doc"])
    assert "hits.doc" in str(refused.exception) and "hits.jsonl" in refused.exception.remedy


@pytest.mark.parametrize("name", ["hits.json", "hits.jsonl"])
def test_a_file_of_json_holds_what_the_screen_shows(index, tmp_path, name):
    source, path = tmp_path / "queries.jsonl", tmp_path / name
    source.write_text("".join(json.dumps(one) + "\n" for one in QUERIES), encoding="utf-8")
    for words in (["--queries", str(source)], ["US2000000"]):
        shown, done = (
            CliRunner().invoke(app, ["search", str(index.path), *words, *way])
            for way in (["--json"], ["-o", str(path)])
        )
        assert done.exit_code == 0 and done.stdout == "", done.output
        assert done.stderr.count("no answer: ") == shown.stderr.count("no answer: ")
        written = path.read_text(encoding="utf-8")
        if words[0] == "--queries":
            assert written == shown.stdout and written.count("\n") == len(QUERIES)
        else:
            assert json.loads(written) == json.loads(shown.stdout)
            assert len(json.loads(written)["hits"]) == 11
            assert (written.count("\n") == 1) == (name == "hits.jsonl")


def sheet(path):
    with zipfile.ZipFile(path) as book:
        for name in book.namelist():
            etree.fromstring(book.read(name))
        root = etree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("{*}row")]


@pytest.mark.parametrize("name", ["hits.csv", "hits.xlsx"])
def test_no_text_becomes_a_formula_or_breaks_the_file(tmp_path, name):
    evil = '=HYPERLINK("http://x","<b>\x01\ud800")'
    match = ClaimMatch(1, "x", 2, "@SUM(A1)" + "y" * 40_000, 0.5, ("+1",))
    hit = Hit("US1A", -0.5, None, evil, "", (), "", "", "US", "en", (evil,), match)
    assert write_table([("-1+1", 1, hit)], tmp_path / name) == 1
    if name == "hits.xlsx":
        [_, row] = sheet(tmp_path / name)
        assert row[5].startswith("=HYPERLINK") and len(row[-1]) == 32_767
        with zipfile.ZipFile(tmp_path / name) as book:
            assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")
        return
    with (tmp_path / name).open(encoding="utf-8-sig", newline="") as stream:
        [_, row] = csv.reader(stream)
    assert [row[0][0], row[5][0], row[7][0], row[-1][0], row[-2][0]] == ["'"] * 5
    assert float(row[3]) == -0.5


def test_what_another_process_adds_and_removes_is_seen(index, tiny, tmp_path):
    """The index stays open, as in ``phage serve``."""
    import time

    encoder = Encoder.from_pretrained(tiny, device="cpu")
    source = tmp_path / "more.jsonl"
    new = replace(patents()[0], number="US3000000B2")
    source.write_text(json.dumps(new.to_json()) + "\n")
    words = [sys.executable, "-m", "phage", "index", "-o", str(index.path)]
    subprocess.run([*words, str(source), "--model", str(tiny)], check=True)
    subprocess.run([*words, "--delete", "US 2,000,001"], check=True)
    time.sleep(1.1)  # how old the state may be that a search sees
    assert len(index) == 12
    found = {hit.number for hit in find(index, from_text("a pump", encoder), Search(top=50))}
    assert "US3000000B2" in found and "US2000001B2" not in found


def test_an_index_in_the_making_is_searched_by_vectors(tiny, tmp_path):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    made = Index.create(tmp_path / "new", encoder)
    made.add(patents(), encoder)
    assert len(find(made, from_text("a pump", encoder), Search(top=5))) == 5
    with pytest.raises(PhageError, match="once the index is finished"):
        find(made, from_text("a pump", encoder), Search(filters=parse('"a pump"')[1]))


def test_a_search_by_number_loads_no_model(index):
    code = (
        "import sys; from phage.cli import app\n"
        f"try: app(['search', {str(index.path)!r}, 'US2000000', '--json'])\n"
        "except SystemExit: pass\n"
        "print({'torch', 'transformers', 'lance_namespace_urllib3_client'} & set(sys.modules), "
        "file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert len(json.loads(done.stdout)["hits"]) == 11
    assert done.stderr.strip().endswith("set()")
