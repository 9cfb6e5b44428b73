"""Our own tables: what is written is read again, whole or not at all."""

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import written
from hypothesis import given, settings
from hypothesis import strategies as st

from phage.claims import Citation, Claim, Patent, ReadReport, read, tables, write
from phage.claims.tables import SCHEMA
from phage.errors import PhageError

TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=40)
CLAIMS = st.builds(
    lambda texts, span, refs, printed: tuple(
        Claim(n, text, span, refs, printed) for n, text in enumerate(texts, start=1)
    ),
    st.lists(TEXT.filter(str.strip), max_size=4),
    st.none() | st.tuples(st.integers(0, 9), st.integers(10, 99)),
    st.lists(st.integers(1, 99), max_size=3).map(tuple),
    st.integers(0, 3),
)
PATENTS = st.builds(
    Patent,
    number=TEXT.filter(str.strip),
    claims=CLAIMS,
    application=TEXT,
    family=TEXT,
    kind=TEXT,
    language=st.sampled_from(["en", "de", "ko"]),
    title=TEXT,
    abstract=TEXT,
    description=TEXT,
    ipc=st.lists(st.sampled_from(["F04B 53/14", "H02M 7/493"]), max_size=2, unique=True).map(tuple),
    cpc=st.just(("F04B 53/144",)),
    filing_date=st.sampled_from(["", "2014-01-07"]),
    publication_date=st.just("2015-01-07"),
    citations=st.lists(st.builds(Citation, TEXT, TEXT, st.just("other")), max_size=3).map(tuple),
    related=st.lists(TEXT, max_size=2).map(tuple),
    publications=st.lists(TEXT, max_size=2).map(tuple),
    assignees=st.lists(TEXT, max_size=2).map(tuple),
    inventors=st.lists(TEXT, max_size=2).map(tuple),
    priorities=st.lists(TEXT, max_size=2).map(tuple),
    priority_date=st.sampled_from(["", "2013-01-07"]),
    cancelled=st.lists(st.integers(1, 50), max_size=3).map(tuple),
    translations=st.dictionaries(st.sampled_from(["fr", "zh"]), CLAIMS, max_size=2),
)


@settings(max_examples=60)
@given(st.lists(PATENTS, min_size=1, max_size=5))
def test_both_tables_give_back_what_they_got(tmp_path_factory, patents):
    folder = tmp_path_factory.mktemp("tables")
    for name in ("patents.parquet", "patents.jsonl"):
        assert write(patents, folder / name) == len(patents)
        report = ReadReport()
        assert list(read(folder / name, report=report)) == patents
        assert not report.problems


@pytest.mark.parametrize("name", ["patents.parquet", "patents.jsonl"])
def test_claims_with_one_number_stay_in_printed_order(tmp_path, name):
    claims = (Claim(1, "A pump."), Claim(3, "A rod.", printed=1), Claim(2, "An arm."))
    write([Patent("draft", claims)], tmp_path / name)
    report = ReadReport()
    [patent] = read(tmp_path / name, report=report)
    assert patent.claims == claims and not report.problems


def test_schema_does_not_depend_on_the_rows(tmp_path):
    write([Patent("US1A")], tmp_path / "bare.parquet")
    write([Patent("EP1B1", (Claim(1, "A.", (0, 2), (1,)),), translations={"de": (Claim(1, "B."),)})],
          tmp_path / "full.parquet")  # fmt: skip
    for name in ("bare", "full"):
        assert pq.read_schema(tmp_path / f"{name}.parquet").equals(SCHEMA)


def test_json_line_has_the_promised_keys(tmp_path):
    (tmp_path / "grant.xml").write_text(written.redbook())
    write(read(tmp_path / "grant.xml"), tmp_path / "out.jsonl")
    row = json.loads((tmp_path / "out.jsonl").read_text())
    assert row["number"] == "US8621662B2"
    assert set(row) >= {
        "number", "application", "family", "kind", "language", "title", "abstract", "claims", "ipc", "cpc",
        "filing_date", "publication_date", "citations",
    }  # fmt: skip
    assert row["claims"][0] == {
        "number": 1,
        "text": "A pump comprising: a housing; and a shaft of 5 mm H2O.",
    }


def test_failed_write_leaves_nothing(tmp_path):
    def broken():
        yield Patent("US1A")
        raise PhageError("stop")

    for name in ("out.parquet", "out.jsonl"):
        with pytest.raises(PhageError, match="stop"):
            write(broken(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_unknown_suffix_is_reported(tmp_path):
    with pytest.raises(PhageError, match="format"):
        write([], tmp_path / "out.csv")


def test_damaged_parquet_is_a_problem_not_a_traceback(tmp_path):
    write([Patent(f"US{n}A", (Claim(1, "A pump."),)) for n in range(1, 50)], tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    for cut in (10, len(data) // 2, len(data) - 3):
        (tmp_path / "b.parquet").write_bytes(data[:cut])
        report = ReadReport()
        assert list(read(tmp_path / "b.parquet", report=report)) == []
        assert "Parquet" in report.problems[0].reason


def test_parquet_of_another_kind(tmp_path):
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "a.parquet")
    report = ReadReport()
    assert list(read(tmp_path / "a.parquet", report=report)) == [] and report.skipped == 2


def test_a_table_of_a_later_format_is_refused(tmp_path):
    import pyarrow.parquet as pq

    from phage.claims.tables import SCHEMA, table

    assert SCHEMA.metadata[b"phage.format"] == b"phage-patents/1"
    later = SCHEMA.with_metadata({b"phage.format": b"phage-patents/2"})
    patents = table([Patent("US1A", (Claim(1, "A pump."),))])
    pq.write_table(patents.cast(later), tmp_path / "later.parquet")
    with pytest.raises(PhageError, match="this version of phage reads up to 1"):
        list(read(tmp_path / "later.parquet"))


def test_memory_does_not_grow_with_the_file(tmp_path):
    """What was read is let go: only the batch at hand is held."""
    noise = random.Random(1)
    claims = (noise.randbytes(2_000).hex() for _ in range(20 * tables.BATCH))
    corpus = tmp_path / "patents.parquet"
    write((Patent(f"US{n}", (Claim(1, text),)) for n, text in enumerate(claims)), corpus)
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in tables.rows(corpus)]
    assert max(held) < corpus.stat().st_size / 2
