"""The real patents beside the checkout: facts about them, never their text."""

import re
from pathlib import Path

import pytest
from lxml import etree

from phage.claims import ReadReport, read, write
from phage.claims.readers.unpack import unpacker
from phage.claims.split import split

pytestmark = pytest.mark.data

FACTS = [
    # file, number, kind, languages, main IPC, IPC codes, filed, application,
    # claims, cancelled, references the office tagged
    ("EP0166996B2.xml", "EP0166996B2", "B2", "en de fr", "C12N 15/28", 4, "1985-06-04", "EP85106915", 15, 0, 0),
    ("EP0449582B1.xml", "EP0449582B1", "B1", "en de fr", "G03F 9/00", 2, "1991-03-26", "EP91302636", 12, 0, 0),
    ("EP0610335B1.xml", "EP0610335B1", "B1", "en de fr", "C12N 15/62", 4, "1992-10-16", "EP92922494", 14, 0, 0),
    ("EP0640886B1.xml", "EP0640886B1", "B1", "en fr de", "G03G 15/08", 2, "1994-08-29", "EP94113456", 10, 0, 0),
    ("EP0697382B1.xml", "EP0697382B1", "B1", "en de fr", "C04B 26/28", 4, "1995-08-02", "EP95305416", 38, 0, 0),
    ("EP0874807B2.xml", "EP0874807B2", "B2", "en de fr", "C07C 249/08", 5, "1996-11-18", "EP96939832", 5, 0, 0),
    ("EP1291416B1.xml", "EP1291416B1", "B1", "en de fr", "C12N 9/06", 5, "2002-09-03", "EP02256108", 12, 0, 0),
    ("EP1451194B2.xml", "EP1451194B2", "B2", "en de fr", "C07D 498/06", 4, "2002-10-03", "EP02776152", 9, 0, 0),
    ("EP-1000000-A1.xml", "EP1000000A1", "A1", "en", "B28B 1/00", 6, "1999-11-08", "EP99203729", 11, 0, 0),
    ("EP-1000000-B1.xml", "EP1000000B1", "B1", "en de fr", "B28B 5/02", 6, "1999-11-08", "EP99203729", 11, 0, 0),
    ("WO-2004047228-B1.xml", "WO2004047228B1", "B1", "en", "H01R 12/16", 6, "2003-11-19", "PCTUS0336952", 0, 0, 0),
    ("US3930271.txt", "US3930271A", "A", "en", "A41D 19/00", 1, "1974-12-16", "US05532875", 4, 0, 0),
    ("US4347903.txt", "US4347903A", "A", "en", "G01G 19/04", 3, "1980-03-10", "US06192529", 3, 0, 0),
    ("US20010000044A1.xml", "US20010000044A1", "A1", "en", "G06F 17/60", 1, "1999-06-29", "US09342866", 21, 0, 0),
    ("US20010002518A1.xml", "US20010002518A1", "A1", "en", "B62B 9/04", 4, "2001-01-16", "US09761340", 75, 0, 69),
    ("US20050004437A1.xml", "US20050004437A1", "A1", "en", "A61B 5/00", 1, "2004-04-23", "US10830857", 10, 0, 9),
    ("US20150075015A2.xml", "US20150075015A2", "A2", "en", "B26B 21/52", 1, "2014-05-01", "US14266913", 23, 18, 20),
    ("US20220240350A1.xml", "US20220240350A1", "A1", "en", "H05B 1/02", 3, "2022-04-11", "US17718024", 18, 18, 17),
    ("US11147203B2.xml", "US11147203B2", "B2", "en", "A01B 51/02", 4, "2018-02-20", "US15900792", 20, 0, 18),
    ("US6970935B1.xml", "US6970935B1", "B1", "en", "G06F 15/16", 1, "2000-11-01", "US09703574", 30, 0, 27),
    ("US8930553B2.xml", "US8930553B2", "B2", "en", "G06F 15/16", 1, "2012-10-09", "US13648029", 8, 0, 6),
    ("US6336130B1.xml", "US6336130B1", "B1", "en", "G06F 15/16", 2, "1999-10-05", "US09413215", 22, 0, 19),
    ("US6530116B2.xml", "US6530116B2", "B2", "en", "A47L 5/14", 1, "2001-02-13", "US09782496", 20, 0, 16),
]  # fmt: skip


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact[0])
def test_single_documents(real, fact):
    [path] = (real / "formats").glob(f"*/{fact[0]}")
    report = ReadReport()
    [patent] = read(path, report=report)
    assert not report.problems
    assert fact[1:] == (
        patent.number, patent.kind, " ".join([patent.language, *patent.translations]), patent.ipc[0],
        len(patent.ipc), patent.filing_date, patent.application, len(patent.claims),
        len(patent.cancelled), sum(len(claim.references) for claim in patent.claims),
    )  # fmt: skip
    for claims in (patent.claims, *patent.translations.values()):
        numbers = [claim.number for claim in claims]
        assert numbers == list(
            range(len(patent.cancelled) + 1, len(patent.cancelled) + len(claims) + 1)
        )
        assert not any(re.match(r"\d+\s*\.", claim.text) for claim in claims)


def test_the_table_lists_every_document(real):
    files = [path.name for path in (real / "formats").rglob("*") if path.is_file()]
    assert sorted(files) == sorted(fact[0] for fact in FACTS)


def test_the_folder_merges_kinds(real):
    report = ReadReport()
    numbers = [patent.number for patent in read(real / "formats", report=report)]
    assert len(numbers) == 22 and report.merged == 1 and not report.problems
    assert "EP1000000B1" in numbers and "EP1000000A1" not in numbers


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """The weekly file, read once and kept as our own table."""
    source = Path(__file__).parents[3] / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
    if not source.exists():
        pytest.skip("no real patents in ../shared/data")
    report = ReadReport()
    path = tmp_path_factory.mktemp("week") / "week.parquet"
    write(read(source, report=report), path)
    return source, path, report


def test_the_week(week):
    source, path, report = week
    assert (report.patents, report.with_ipc, report.skipped) == (4973, 4622, 0)
    data = unpacker("xz", source.open("rb")).read()
    begins = [found.start() for found in re.finditer(rb"<\?xml ", data)] + [len(data)]
    for patent, begin, end in zip(read(path), begins, begins[1:], strict=False):
        claims = etree.fromstring(data[begin:end]).findall("claims/claim")
        assert [claim.number for claim in patent.claims] == [int(c.get("num")) for c in claims]
        for ours, theirs in zip(patent.claims, claims, strict=True):
            bare = re.sub(r"\s", "", "".join(theirs.itertext()))
            assert re.sub(r"\s", "", f"{ours.number}.{ours.text}").endswith(bare) or bare.endswith(
                re.sub(r"\s", "", ours.text)
            )
            tags = [ref.get("idref") for ref in theirs.iter("claim-ref")]
            assert list(ours.references) == [int(tag[4:]) for tag in tags]


def test_the_week_joined_and_split_again(week):
    wrong = []
    for patent in read(week[1]):
        joined = " ".join(f"{claim.number}. {claim.text}" for claim in patent.claims)
        expected = [(claim.number, claim.text) for claim in patent.claims]
        if [(claim.number, claim.text) for claim in split(joined)] != expected:
            wrong.append(patent.number)
    assert len(wrong) <= 4973 // 1000, wrong


@pytest.mark.parametrize(
    ("name", "count", "languages"),
    [
        ("korean-japanese-claims", 1743, {"ko", "ja"}),
        ("multilingual-families", 511, {"en", "de", "fr", "zh", "ja", "ko", "es"}),
    ],
)
def test_collections(real, name, count, languages):
    report = ReadReport()
    patents = list(read(real / f"{name}.jsonl.xz", report=report))
    assert len(patents) == count and not report.problems
    assert set(report.languages) == languages
    if name.startswith("multi"):
        assert all(patent.family for patent in patents)
