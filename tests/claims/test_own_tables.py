"""Your own table: every kind gives the same patents, and what is wrong is named by row and column."""

from __future__ import annotations

import csv
import datetime
import io
import json
import random
import re
import tracemalloc
import zipfile

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from phage.claims import ReadReport, read
from phage.claims.readers import csv_table
from phage.cli import app
from phage.errors import PhageError

ROWS = [
    {
        "Publication Number": "US-8621662-B2",
        "Title": "Hollow pump",
        "Claims Text": "1. A pump comprising a shaft.\n2. The pump of claim 1, the shaft hollow.",
        "Applicant": "Acme, Inc.; Pumps & Co.",
        "Inventors": "Jane Doe; John Roe",
        "CPC": "F04B 1/00; F04B 53/14",
        "Filing Date": "2011-07-05",
        "Publication Date": "2014-01-07",
        "Status": "active",
    },
    {
        "Publication Number": "EP0166996B1",
        "Title": "Welle",
        "Claims Text": "1. Vorrichtung mit einer Welle und einem Lager, dadurch gekennzeichnet, dass "
        "die Welle hohl ist. 2. Vorrichtung nach Anspruch 1, dadurch gekennzeichnet, dass das Lager ist.",
        "Applicant": "Müller GmbH",
        "Inventors": "",
        "CPC": "F16C 3/02",
        "Filing Date": "1985-06-25",
        "Publication Date": "",
        "Status": "",
    },
]
NAMES = list(ROWS[0])
MIXED = [[row[name] for name in NAMES] for row in ROWS]


def text(rows, separator=",", code="utf-8"):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue().encode(code)


def dated(row):
    """Give a row with dates as dates, empty cells as nothing."""
    found = {name: value or None for name, value in row.items()}
    for name in ("Filing Date", "Publication Date"):
        found[name] = datetime.date.fromisoformat(row[name]) if row[name] else None
    return found


def workbook(path, rows=None):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "About"
    book.active.append(["Made by hand"])
    sheet = book.create_sheet("Patents")
    for row in rows or [NAMES, *([dated(row)[name] for name in NAMES] for row in ROWS)]:
        sheet.append(row)
    book.save(path)
    return path


def typed():
    return [dated(row) for row in ROWS]


NUMBERED = re.compile(r"\s*\b(\d)\. ")


def claimed(form):
    """Give the rows with their claims as a list or an object, one text for each."""
    texts = [NUMBERED.split(row["Claims Text"])[2::2] for row in ROWS]
    return [{**row, "Claims Text": form(one)} for row, one in zip(typed(), texts, strict=True)]


def objects(texts):
    return [{"number": n, "text": f"{n}.  {text}"} for n, text in enumerate(texts, start=1)]


def single(folder):
    """Write one row for each claim."""
    rows = [[*row.values(), n] for row, texts in zip(ROWS, claimed(list), strict=True)
            for n, _ in enumerate(texts["Claims Text"], start=1)]  # fmt: skip
    texts = [text for row in claimed(list) for text in row["Claims Text"]]
    for row, words in zip(rows, texts, strict=True):
        row[NAMES.index("Claims Text")] = words
    return file("own.csv", text([[*NAMES, "Claim No"], *rows]))(folder)


def file(name, data):
    def made(folder):
        (folder / name).write_bytes(data)
        return folder / name

    return made


def arrow_file(write):
    def made(folder):
        path = folder / "own.arrow"
        write(pa.Table.from_pylist(typed()), path)
        return path

    return made


def stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as out:
        out.write_table(table)


KINDS = {
    "csv": file("own.csv", text([NAMES, *MIXED])),
    "csv of a German Excel": file("own.csv", text([NAMES, *MIXED], ";", "cp1252")),
    "csv in UTF-16": file("own.csv", text([NAMES, *MIXED], "\t", "utf-16")),
    "tsv": file("own.tsv", text([NAMES, *MIXED], "\t")),
    "table without an ending": file("export", text([NAMES, *MIXED])),
    "xlsx": lambda folder: workbook(folder / "own.xlsx"),
    "feather": arrow_file(pa.feather.write_feather),
    "arrow stream": arrow_file(stream),
    "parquet": arrow_file(pq.write_table),
    "jsonl": file("own.jsonl", "\n".join(map(json.dumps, ROWS)).encode()),
    "pandas": lambda _: pytest.importorskip("pandas").DataFrame(typed()),
    "pandas with days": lambda _: pytest.importorskip("pandas").DataFrame(typed()).assign(
        **{"Filing Date": lambda f: pytest.importorskip("pandas").to_datetime(f["Filing Date"])}
    ),
    "polars": lambda _: pytest.importorskip("polars").DataFrame(typed()),
    "arrow table": lambda _: pa.Table.from_pylist(typed()),
    "datasets": lambda _: pytest.importorskip("datasets").Dataset.from_list(typed()),
    "list of dictionaries": lambda _: typed(),
    "lists of texts": lambda _: claimed(list),
    "lists of objects": lambda _: claimed(objects),
    "an object by number": lambda _: claimed(lambda texts: dict(map(dict.values, objects(texts)))),
    "a row for each claim": single,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_patents(kind, tmp_path):
    report = ReadReport()
    first, second = read(KINDS[kind](tmp_path), report=report)
    assert (first.number, first.kind, first.title) == ("US8621662B2", "B2", "Hollow pump")
    assert [claim.text for claim in first.claims] == [
        "A pump comprising a shaft.", "The pump of claim 1, the shaft hollow.",
    ]  # fmt: skip
    assert first.assignees == ("Acme, Inc.", "Pumps & Co.")
    assert first.inventors == ("Jane Doe", "John Roe")
    assert first.cpc == ("F04B 1/00", "F04B 53/14")
    assert (first.filing_date, first.publication_date) == ("2011-07-05", "2014-01-07")
    assert (second.number, second.kind, second.language) == ("EP0166996B1", "B1", "de")
    assert (second.assignees, second.inventors) == (("Müller GmbH",), ())
    assert (second.filing_date, second.publication_date) == ("1985-06-25", "")
    assert len(second.claims) == 2
    [columns] = report.columns.values()
    assert columns.taken["claims"] == "Claims Text" and columns.unused == ("Status",)
    assert "not used: 'Status'" in next(report.guesses())
    assert not report.skipped and not report.partial
    assert report.repaired == {"csv of a German Excel": 1, "an object by number": 2}.get(kind, 0)


def test_columns_are_named_by_the_user_or_guessed_and_reported(tmp_path):
    rows = [{"ref": "US1A", "what it claims": "1. A pump.", "other": "2. A cup."}]
    with pytest.raises(PhageError, match=r"no column for the number among 'ref', 'what it claims'"):
        list(read(rows))
    named = {"number": "ref", "claims": "what it claims"}
    [patent] = read(rows, columns=named)
    assert patent.claims[0].text == "A pump."
    with pytest.warns(UserWarning, match="number from 'Pub No', claims from 'Claim Text'"):
        list(read([{"Pub No": "US1A", "Claim Text": "1. A pump."}]))
    [patent] = read([{"ref": "US1A", "title": "Pump"}], columns={"number": "ref"})
    assert patent.title == "Pump" and not patent.claims
    path = tmp_path / "own.csv"
    path.write_bytes(text([["ref", "words"], ["US1A", "1. A pump."]]))
    out = tmp_path / "p.jsonl"
    words = ["read", str(path), "-o", str(out), "--columns", "number=ref"]
    done = CliRunner().invoke(app, words)
    assert "no column for the claims" in str(done.exception)
    done = CliRunner().invoke(app, [*words, "--columns", "claims=words"])
    assert done.exit_code == 0 and "1 patents with 1 claims" in done.output
    done = CliRunner().invoke(app, ["read", str(path), "-o", str(out), "--columns", "words"])
    assert "--columns 'words' does not name a field" in str(done.exception)
    done = CliRunner().invoke(
        app, ["read", str(KINDS["csv"](tmp_path)), "-o", str(out), "--limit", "1"]
    )
    assert "columns of" in done.output and "claims from 'Claims Text'" in done.output
    assert len(out.read_text().splitlines()) == 1


def test_lists_in_cells_are_unfolded():
    [patent] = read(
        [{"number": "US1A", "claims": "['A pump.', 'A cup.']", "cpc": '["F04B 1/00"]'}],
        report=ReadReport(),
    )
    assert [claim.text for claim in patent.claims] == ["A pump.", "A cup."]
    assert patent.cpc == ("F04B 1/00",)


@pytest.mark.parametrize("above", ["", "\n\n", ",,,\n", "sep=,\n", '"sep=,"\r\n\n'])
def test_blank_lines_and_a_line_of_excel_may_stand_above_the_header(above, tmp_path):
    report = ReadReport()
    assert [one.number for one in read(csv_of(above + HEAD + GOOD)(tmp_path), report=report)]
    assert not report.problems


def test_what_stands_beside_a_sheet_costs_no_row(tmp_path):
    head = ["Pub No", "Claims", "Pub Date", "Status"]
    rows = [head, ["US1A", "1. A pump.", "=A1", "=A1", "a note"], [None] * 5 + ["a note"]]
    report = ReadReport()
    [patent] = read(sheet(*rows)(tmp_path), report=report)
    [problem] = report.problems
    assert patent.claims and problem.partial and problem.row == 2
    assert "column 'Pub Date': the cell shows a formula without its value" in problem.reason
    assert "Status" not in problem.reason


GOOD = "US1A,1. A pump.,2014-01-07,F04B 1/00\n"
HEAD = "Pub No,Claims,Pub Date,CPC\n"


def sheet(*rows):
    return lambda folder: workbook(folder / "own.xlsx", list(rows))


def error_cell(cell):
    """A workbook with a spoilt cell in its second row, and a good row below."""

    def made(folder):
        rows = [["Pub No", "Claims"], ["US1A", "=NA()"], ["US2A", "1. A cup."]]
        path = workbook(folder / "own.xlsx", rows)
        with zipfile.ZipFile(path) as book:
            parts = {name: book.read(name) for name in book.namelist()}
        with zipfile.ZipFile(path, "w") as book:
            for name, data in parts.items():
                book.writestr(name, data.replace(b'<c r="B2"><f>NA()</f><v></v></c>', cell))
        return path

    return made


def cut_feather(folder):
    path = KINDS["feather"](folder)
    path.write_bytes(path.read_bytes()[:-200])
    return path


def csv_of(data):
    return file("own.csv", data.encode() if isinstance(data, str) else data)


MALFORMED = {
    "no number": (csv_of("Claims,Date\n1. A pump.,x\n"), "line 1", "no column for the number"),
    "an endless name": (csv_of("c" * 9_000 + ",Claims\nUS1A,x\n"), "line 1", "no column for the number among 'ccc"),
    "an endless name of no cell": (csv_of(f"Pub No,Claims,{'c' * 9_000}\nUS1A,x\n"), "line 2", "column 'ccc"),
    "another separator": (csv_of("Pub No^Claims\nUS1A^x\n"), "line 1", "write a comma, semicolon, tab or bar"),
    "a row for each claim without its number": (csv_of("Pub No,Claims\nUS1A,A pump.\nUS1A,A cup.\n"), "line 3", "--columns claim_number="),
    "no claims": (csv_of("Pub No,Text\nUS1A,x\n"), "line 1", "no column for the claims among"),
    "a column twice": (csv_of("id,claims,claims\nUS1A,a,b\n"), "line 1", "two columns are named 'claims'"),
    "no header": (csv_of("\nUS1A,x\n"), "line 2", "line 2 is taken as the header: no column for the number"),
    "nothing": (csv_of("\n,,\n"), "line 2", "the table is empty"),
    "a title above": (csv_of("Patents of 2024,,\n" + HEAD + GOOD), "line 1", ", or delete the rows above the header"),
    "a title above a sheet": (sheet(["Patents of 2024"], ["Pub No", "Claims"]), "row 1", "row 1 is taken as the header"),
    "a header alone": (csv_of(HEAD), "own.csv", "holds no patents"),
    "an open quote": (csv_of(HEAD + GOOD + 'US2A,"1. A cup,2014-01-07,\n'), "line 3", "column 'Claims': a quote is opened"),
    "a quote inside": (csv_of(HEAD + 'US2A,"1. A 5" cup",2014-01-07,\n' + GOOD), "line 2", "column 'Claims': a quote inside"),
    "too many cells": (csv_of(HEAD + "US2A,1. A cup, blue,2014-01-07,F04B 1/00\n"), "line 2", "comes after 'CPC'"),
    "too few cells": (csv_of(HEAD + "US2A,1. A cup.\n"), "line 2", "column 'Pub Date' and what follows"),
    "an empty number": (csv_of(HEAD + ",1. A cup.,,\n"), "line 2", "column 'Pub No', the number, is empty"),
    "empty claims": (csv_of(HEAD + "US2A,,,\n"), "line 2", "column 'Claims', the claims, is empty"),
    "not a day": (csv_of(HEAD + "US2A,1. A cup.,2014-13-45,\n"), "line 2", "column 'Pub Date': '2014-13-45' is not a date"),
    "not a symbol": (csv_of(HEAD + "US2A,1. A cup.,,pumps!\n"), "line 2", "column 'CPC': 'pumps!' is not a classification"),
    "other bytes": (csv_of(HEAD.encode() + b"US2A,1. A cup of tea\xe4.,,\n"), "line 2", "column 'Claims': bytes that are not UTF-8"),
    "a row below lines of text": (csv_of(HEAD + 'US1A,"1. A\npump.",,\n,x,,\n'), "line 4", "column 'Pub No'"),
    "a number that is none": (error_cell(b'<c r="B2"><v>1e</v></c>'), "row 2", "column 'Claims': the cell shows '1e'"),
    "a text that is none": (error_cell(b'<c r="B2" t="s"><v>x</v></c>'), "row 2", "column 'Claims': the cell shows 'x'"),
    "an error of Excel": (error_cell(b'<c r="B2" t="e"><v>#N/A</v></c>'), "row 2", "column 'Claims': the cell shows #N/A"),
    "a formula without a value": (sheet(["Pub No", "Claims"], ["US1A", "=A1"], ["US2A", "1. A cup."]), "row 2", "column 'Claims': the cell shows a formula"),
    "an empty sheet": (sheet([]), "own.xlsx!", "no column for the number"),
    "a broken Feather": (cut_feather, "row 1", "damaged Arrow file"),
    "a number for claims": (lambda _: [{"id": "US1A", "claims": 5}], "row 1", "'claims' is 5, not a list"),
    "claims without text": (lambda _: [{"pub no": "US1A", "claims": [None, 3]}], "row 1", "column 'claims': claim 1: its text is null"),
    "a row that is none": (lambda _: [{"id": "US1A", "claims": "1. A pump."}, 7], "row 2", "a row is 7, not an object"),
    "a row of words": (lambda _: [{"id": "US1A", "claims": "1. A pump."}, "US2A"], "row 2", "a row is 'US2A', not an object"),
    "an inventor of numbers": (lambda _: [{"pub no": "US1A", "claims": "1. A pump.", "Inventor": [7]}], "row 1", "column 'Inventor': 7 is not a text"),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_table_is_named_by_row_and_column(case, tmp_path):
    make, place, said = MALFORMED[case]
    source, report = make(tmp_path), ReadReport()
    patents = list(read(source, report=report))
    assert "the cell shows" not in said or [patent.number for patent in patents] == ["US2A"]
    [problem] = [one for one in report.problems if said in one.reason]
    assert place in problem.place and len(problem.reason) < 2_100
    with pytest.raises(PhageError) as raised:
        list(read(source, strict=True))
    assert place in raised.value.place and said in str(raised.value)


def test_blanks_after_a_separator_are_no_part_of_a_cell(tmp_path):
    rows = 'Pub No, "Claims", Title\nUS1A, "1. A pump, hollow.", Pump\n'
    [patent] = read(csv_of(rows)(tmp_path), report=ReadReport())
    assert patent.claims[0].text == "A pump, hollow." and patent.title == "Pump"
    assert csv_table._broken('US1, "a" pump,x', ",") == 1


def test_an_open_quote_is_found_in_little_memory():
    tracemalloc.start()
    assert csv_table._broken('US1A,"' + "x" * 1_000_000, ",") == 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20


def test_a_stray_nul_costs_no_table(tmp_path):
    rows = "US2A,1. A \0cup.,2014-01-07,\n"
    assert [one.number for one in read(csv_of(HEAD + rows + GOOD)(tmp_path))] == ["US2A", "US1A"]


def test_nothing_read_is_an_error_and_a_pdf_is_named(tmp_path):
    path = tmp_path / "draft.pdf"
    path.write_bytes(b"%PDF-1.7\n1 0 obj")
    with pytest.raises(PhageError, match="PDF files cannot be read") as raised:
        list(read(path))
    assert raised.value.place == str(path)
    assert raised.value.remedy.startswith("save the draft as .docx, or its text as .txt")
    (tmp_path / "bare.txt").write_text("A pump and a cup.")
    with pytest.raises(PhageError, match=r"no claims found\n.*\n  remedy: number them '1\.', '2"):
        list(read(tmp_path / "bare.txt"))
    (tmp_path / "bare.txt").unlink()
    with pytest.raises(PhageError, match=r"only files that are not read: 1 \.pdf"):
        list(read(tmp_path))
    with pytest.raises(PhageError, match="nothing to read at number"):
        list(read(["number"]))


def test_skipped_rows_are_warned_about(tmp_path):
    path = csv_of(HEAD + GOOD + ",x,,\n,y,,\n")(tmp_path)
    with pytest.warns(UserWarning, match="line 3.*is empty; 1 more"):
        assert len(list(read(path))) == 1


def spoilt(data, seed):
    """Change a few bytes, cut, or double a part."""
    draw = random.Random(seed)
    data = bytearray(data)
    for _ in range(draw.randrange(1, 8)):
        data[draw.randrange(len(data))] = draw.randrange(256)
    if draw.random() < 0.3:
        del data[draw.randrange(len(data)) :]
    return bytes(data)


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx", "feather", "parquet"])
def test_a_spoilt_table_is_reported_never_a_traceback(kind, tmp_path):
    path = KINDS[kind](tmp_path)
    data = path.read_bytes()
    for seed in range(60):
        if kind != "xlsx":
            path.write_bytes(spoilt(data, seed))
        else:  # a zip file checks its parts; so they are spoilt before they are packed
            with zipfile.ZipFile(io.BytesIO(data)) as book:
                parts = {name: book.read(name) for name in book.namelist()}
            chosen = sorted(parts)[seed % len(parts)]
            parts[chosen] = spoilt(parts[chosen], seed)
            with zipfile.ZipFile(path, "w") as book:
                for name, part in parts.items():
                    book.writestr(name, part)
        report = ReadReport()
        found = list(read(path, report=report))
        assert len(found) + len(report.problems) > 0
