"""Mistyped records among good ones: each is repaired, read in part or skipped, named and counted."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from phage.claims import ReadReport, read, write
from phage.invented import invent

CLAIMS = [{"number": 1, "text": "A pump."}, {"number": 2, "text": "The pump of claim 1."}]


def row(**values):
    return json.dumps({"number": "ZZ1A", "claims": CLAIMS, **values})


def claims(*values, **others):
    return row(claims=list(values), **others)


def numbered(number, **more):
    return claims(CLAIMS[0], {"number": number, "text": "The pump of claim 1.", **more})


REPAIRED, PARTIAL, SKIPPED = "repaired", "read in part", "skipped"
TWO = [1, 2]
MISTYPED = {
    "family, a number": (row(family=3), REPAIRED, {"family": "3"}),
    "title, a number": (row(title=7.5), REPAIRED, {"title": "7.5"}),
    "date, a number": (row(filing_date=20140107), REPAIRED, {"filing_date": "2014-01-07"}),
    "ipc, a text": (row(ipc="F04D 29/10"), REPAIRED, {"ipc": ("F04D 29/10",)}),
    "ipc, one text of two": (row(ipc="F04D29/10; F04B 1/00"), REPAIRED, {"ipc": ("F04D 29/10", "F04B 1/00")}),
    "abstract, paragraphs": (row(abstract=["A pump.", "It pumps."]), REPAIRED, {"abstract": "A pump. It pumps."}),
    "title, a list of one": (row(title=["Pump"]), REPAIRED, {"title": "Pump"}),
    "number, a number": (row(number=8621662), REPAIRED, {"number": "8621662"}),
    "language unknown": (row(language="klingon"), REPAIRED, {"language": "en"}),
    "claim number, a text": (numbered("2"), REPAIRED, {"numbers": TWO}),
    "claim number, a float": (numbered(2.0), REPAIRED, {"numbers": TWO}),
    "claim number, 2 to the 31st": (numbered(2**31), REPAIRED, {"numbers": TWO}),
    "claim number, negative": (numbered(-2), REPAIRED, {"numbers": TWO}),
    "claim number, NaN": (numbered(float("nan")), REPAIRED, {"numbers": TWO}),
    "claim number, true": (numbered(True), REPAIRED, {"numbers": TWO}),
    "claim number, an object": (numbered({"n": 2}), REPAIRED, {"numbers": TWO}),
    "claim number missing": (numbered(None), REPAIRED, {"numbers": TWO}),
    "claims out of order": (claims(*CLAIMS[::-1]), REPAIRED, {"numbers": TWO}),
    "claims, an object by number": (row(claims={"1": "A pump.", "2": "It."}), REPAIRED, {"numbers": TWO}),
    "claims, one object": (row(claims=CLAIMS[0]), REPAIRED, {"numbers": [1]}),
    "references, a number": (numbered(2, references=1), REPAIRED, {"references": (1,)}),
    "citations, a text": (row(citations="US1234567A"), REPAIRED, {"cited": ["US1234567A"]}),
    "a key twice": (row()[:-1] + ', "title": "A", "title": "B"}', REPAIRED, {"title": "B"}),
    "family, an object": (row(family={"id": 3}), PARTIAL, {"family": ""}),
    "title, true": (row(title=True), PARTIAL, {"title": ""}),
    "ipc, a list with a number": (row(ipc=[5, "F04D 29/10"]), PARTIAL, {"ipc": ("F04D 29/10",)}),
    "ipc, nested lists": (row(ipc=[["F04D 29/10"]]), PARTIAL, {"ipc": ()}),
    "ipc, not a symbol": (row(ipc=["pumps"]), PARTIAL, {"ipc": ()}),
    "date out of range": (row(filing_date="2014-13-45"), PARTIAL, {"filing_date": ""}),
    "span of one": (numbered(2, span=[1]), PARTIAL, {"numbers": TWO, "span": None}),
    "references, texts": (numbered(2, references=["x"]), PARTIAL, {"references": ()}),
    "printed, a text": (numbered(2, printed="1"), REPAIRED, {"printed": 1}),
    "printed, a list": (numbered(2, printed=[1, 2]), PARTIAL, {"printed": 0}),
    "claim text, null": (numbered(2, text=None), PARTIAL, {"numbers": [1]}),
    "claim text, a number": (numbered(2, text=5), PARTIAL, {"numbers": [1]}),
    "two claims of one number": (claims(*CLAIMS, CLAIMS[1]), PARTIAL, {"numbers": TWO}),
    "claims of mixed types": (claims("A pump.", 5, CLAIMS[1]), PARTIAL, {"numbers": TWO}),
    "translations, a number": (row(translations=3), PARTIAL, {"translations": {}}),
    "citations with a number": (row(citations=[7]), PARTIAL, {"cited": []}),
    "ipc, a list with null": (row(ipc=[None, "F04D 29/10"]), PARTIAL, {"ipc": ("F04D 29/10",)}),
    "references with null": (numbered(2, references=[None, 1]), PARTIAL, {"references": (1,)}),
    "title, half a character": (row()[:-1] + ', "title": "\\ud83d pump"}', REPAIRED, {"title": "? pump"}),
    "claims, blank": (row(claims=" "), SKIPPED, "the claims are empty"),
    "claims, null": (row(claims=None), SKIPPED, "the claims, is empty"),
    "claims, a number": (row(claims=7), SKIPPED, "not a list"),
    "number, a list": (row(number=["a", "b"]), SKIPPED, "number"),
    "number, blank": (row(number=" "), SKIPPED, "no publication number"),
    "a list": ("[1, 2]", SKIPPED, "not an object"),
    "a text": ('"US1A"', SKIPPED, "not an object"),
    "a trailing comma": (row()[:-1] + ",}", SKIPPED, "not valid JSON"),
    "cut short": (row()[:-20], SKIPPED, "not valid JSON"),
    "nested too deep": ('{"number": ' + "[" * 100_000, SKIPPED, "nested too deep"),
    "a number of 5,000 digits": (row()[:-1] + ', "family": ' + "9" * 5_000 + "}", SKIPPED, "not valid JSON"),
}  # fmt: skip
"""Name → one line of a file, what becomes of it, and what is read or why it is skipped."""


def found(patent):
    """Give what the table above looks at."""
    last = patent.claims[-1]
    return {
        **{name: getattr(patent, name) for name in patent.__slots__},
        "numbers": [claim.number for claim in patent.claims],
        "references": last.references,
        "span": last.span,
        "printed": last.printed,
        "cited": [cited.document for cited in patent.citations],
    }


@pytest.mark.parametrize("case", MISTYPED)
@pytest.mark.parametrize("at", ["first", "between"])
def test_one_mistyped_record(case, at, tmp_path):
    line, outcome, expected = MISTYPED[case]
    good = [row(number=f"ZZ{n}A") for n in (7, 8)]
    lines = [line, *good] if at == "first" else [good[0], line, good[1]]
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    report = ReadReport()
    patents = list(read(path, report=report))
    (problem,) = report.problems
    assert problem.outcome == outcome and problem.line == lines.index(line) + 1
    if outcome == SKIPPED:
        assert expected in problem.reason and len(patents) == 2
    else:
        bad = next(found(patent) for patent in patents if patent.number not in ("ZZ7A", "ZZ8A"))
        assert {name: bad[name] for name in expected} == expected
        assert len(patents) == 3
    for name in ("out.parquet", "out.jsonl"):
        assert write(patents, tmp_path / name) == len(patents)
        assert list(read(tmp_path / name, strict=True)) == patents, "written and read unchanged"


def test_a_thousand_good_ones_and_all_the_mistyped(tmp_path):
    good = [json.dumps(one.to_json()) for one in invent(1000, seed=3)]
    lines, places = list(good), {}
    for place, (case, (line, _, _)) in enumerate(MISTYPED.items()):
        if not line.startswith("{") or '"ZZ1A"' not in line:
            places[case] = len(lines) + 1
            lines.append(line)
        else:
            places[case] = len(lines) + 1
            lines.append(line.replace("ZZ1A", f"ZZ9{place:03}A"))
    source = tmp_path / "mine.jsonl"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def phage(*words):
        return subprocess.run(
            [sys.executable, "-m", "phage", "read", source, *words],
            check=False, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    out = tmp_path / "out.parquet"
    done = phage("-o", out, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    kinds = {"problems": SKIPPED, "notices": PARTIAL, "repairs": REPAIRED}
    named = {(one["line"], kinds[kind]) for kind in kinds for one in told[kind]}
    assert named == {(places[case], MISTYPED[case][1]) for case in MISTYPED}
    skipped = sum(outcome == SKIPPED for _, outcome, _ in MISTYPED.values())
    assert len(MISTYPED) >= 40
    assert told["skipped"] == skipped and told["patents"] == 1000 + len(MISTYPED) - skipped
    assert told["skipped"] + told["partial"] + told["repaired"] == len(MISTYPED)
    assert pq.read_metadata(out).num_rows == told["patents"]

    for_people = phage("-o", out)
    assert for_people.returncode == 0
    for place in places.values():
        assert f"mine.jsonl, line {place:,}:" in for_people.stderr

    strict = phage("-o", tmp_path / "strict.parquet", "--strict")
    assert strict.returncode == 1 and "line 1,001" in strict.stderr
    assert not (tmp_path / "strict.parquet").exists()


OTHER_SCHEMAS = {
    "google, a text for a list": (
        {"publication_number": "US-1-A", "title_localized": "Pump", "claims_localized": "1. A pump. 2. It."},
        REPAIRED, {"title": "Pump", "numbers": TWO},
    ),
    "google, numbers": (
        {"publication_number": "US-1-A", "title_localized": [3], "claims_localized": [{"text": "1. A pump."}], "ipc": [4]},
        PARTIAL, {"title": "", "ipc": ()},
    ),
    "google, cut by the source": (
        {"publication_number": "US-1-A", "claims_localized": [{"text": "1. A pump.", "language": "en", "truncated": True}]},
        PARTIAL, {"numbers": [1]},
    ),
    "hupd, numbers": (
        {"application_number": 13175987, "decision": "ACCEPTED", "claims": "1. A pump.", "title": 5, "ipcr_labels": "F04D2910"},
        REPAIRED, {"application": "US13175987", "title": "5", "ipc": ("F04D 29/10",)},
    ),
    "hupd, claims an object": (
        {"application_number": "13175987", "decision": "ACCEPTED", "claims": {"a": 1}}, SKIPPED, "no claims",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHER_SCHEMAS)
def test_other_schemas_have_the_same_checks(case, tmp_path):
    line, outcome, expected = OTHER_SCHEMAS[case]
    path = tmp_path / "mine.jsonl"
    path.write_text(f"{json.dumps(line)}\n{row()}\n", encoding="utf-8")
    report = ReadReport()
    first, *rest = read(path, report=report)
    (problem,) = report.problems
    assert (problem.outcome, problem.line) == (outcome, 1)
    if outcome == SKIPPED:
        assert expected in problem.reason and not rest
    else:
        assert {name: found(first)[name] for name in expected} == expected


def test_a_list_with_one_damaged_element_keeps_the_others(tmp_path):
    path = tmp_path / "mine.json"
    rows = [row(number=f"ZZ{n}A", title='a "quoted" title') for n in range(5)]
    rows[2] = rows[2][:-9] + "}"
    path.write_text("[" + ",\n".join(rows) + ",]", encoding="utf-8")
    report = ReadReport()
    assert [p.number for p in read(path, report=report)] == ["ZZ0A", "ZZ1A", "ZZ3A", "ZZ4A"]
    (problem,) = report.problems
    assert problem.line == 3 and "not valid JSON" in problem.reason


def test_a_hostile_list_ends(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text("[" + '{"a":[{}, ' * 100_000, encoding="utf-8")
    report = ReadReport()
    assert not list(read(path, report=report)) and report.skipped


def test_bytes_marks_and_line_ends(tmp_path):
    path = tmp_path / "mine.jsonl"
    lines = [
        row(number="ZZ1A"),
        row(number="ZZ2A", title="Fl\u00fcgel").encode().decode(),
        row(number="ZZ3A"),
    ]
    data = "\r\n".join(lines).encode()
    path.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\\u00fc", b"\xfc"))
    report = ReadReport()
    patents = list(read(path, report=report))
    assert [p.number for p in patents] == ["ZZ1A", "ZZ2A", "ZZ3A"]
    (problem,) = report.problems
    assert problem.line == 2 and problem.repaired and "not UTF-8" in problem.reason


def test_a_line_too_long_costs_itself_only(tmp_path, monkeypatch):
    monkeypatch.setattr("phage.claims.readers.rows.LARGEST", 5_000)
    path = tmp_path / "mine.jsonl"
    long = row(number="ZZ2A", title="x" * 3_000_000)
    path.write_text("\n".join([row(), long, row(number="ZZ3A"), long]), encoding="utf-8")
    report = ReadReport()
    assert [p.number for p in read(path, report=report)] == ["ZZ1A", "ZZ3A"]
    assert [(p.line, p.reason.split(":")[0]) for p in report.problems] == [
        (2, "refused"),
        (4, "refused"),
    ]


def test_a_hundred_thousand_symbols(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(row(ipc=[f"F04D {n}/10" for n in range(10_000)] * 10), encoding="utf-8")
    (patent,) = read(path, strict=True)
    assert len(patent.ipc) == 10_000


def test_a_parquet_row_that_python_cannot_hold(tmp_path):
    path = tmp_path / "mine.parquet"
    days = pa.array([0, 2**30, 1], pa.int32()).cast(pa.date32())
    numbers = pa.array(["ZZ1A", "ZZ2A", "ZZ3A"])
    texts = pa.array([["A pump."]] * 3)
    pq.write_table(pa.table({"number": numbers, "filing_date": days, "claims": texts}), path)
    report = ReadReport()
    patents = list(read(path, report=report))
    assert [(p.number, p.filing_date) for p in patents] == [
        ("ZZ1A", "1970-01-01"),
        ("ZZ3A", "1970-01-02"),
    ]
    (problem,) = report.problems
    assert (problem.row, problem.outcome) == (2, SKIPPED) and "row 2" in problem.place


def test_a_parquet_of_wide_numbers(tmp_path):
    path = tmp_path / "mine.parquet"
    claim = [{"number": 2**40, "text": "A pump.", "references": [2**40]}]
    table = pa.table(
        {
            "number": ["ZZ1A", "ZZ2A"],
            "claims": [claim, [{**claim[0], "number": 1, "references": []}]],
        }
    )
    pq.write_table(table, path)
    report = ReadReport()
    patents = list(read(path, report=report))
    assert [[c.number for c in p.claims] for p in patents] == [[1], [1]] and report.partial == 1
    assert write(patents, tmp_path / "out.parquet") == 2


def test_a_claim_table_with_odd_cells(tmp_path):
    path = tmp_path / "g_claims.tsv"
    rows = ["10000001\t--5\tA pump.", f"10000002\t{'9' * 5000}\tA valve.", "10000003\t0\tA seal."]
    path.write_text("Patent_ID\tclaim_sequence\tclaim_text\n" + "\n".join(rows), encoding="utf-8")
    assert [p.claims[0].text for p in read(path, strict=True)] == ["A pump.", "A valve.", "A seal."]
