"""Broken, hostile and mutated input: a report, never a traceback, a hang or a wrong count."""

import io
import random
import re

import pytest
import written
from damage import mutated
from hypothesis import given, settings
from hypothesis import strategies as st

from phage.claims import ReadReport, read
from phage.claims.readers.documents import Malformed, documents, parse
from phage.claims.readers.unpack import Peek
from phage.errors import PhageError


def load(path, data, name="file", **options):
    (path / name).write_bytes(data)
    report = ReadReport()
    return list(read(path / name, report=report, **options)), report


def test_one_broken_document_is_named_and_its_neighbours_are_read(tmp_path):
    good, bad = written.redbook().encode(), written.redbook("08000002").encode()
    for damage in (
        bad[: len(bad) // 2],
        bad.replace(b"<us-patent-grant", b"<us-pbtent-grant"),
        bad.replace(b"<?xml", b"<?xmk").replace(b"</claim>", b"<claim>", 1),
        bad.replace(b"</us-patent-grant>", b""),
        bad.replace(b"<abstract", b"<abstract <"),
        bad.replace(b"<doc-number>08000002</doc-number>", b""),
    ):
        patents, report = load(tmp_path, good + damage + written.redbook("08000003").encode())
        assert [p.number for p in patents] == ["US8621662B2", "US8000003B2"], damage[:60]
        assert report.skipped == 1, report.problems
        problem = report.problems[0]
        assert problem.file.endswith("file") and problem.reason
        assert abs(problem.offset - len(good)) < 100


DAMAGED = {
    "a bare &": ("a housing", "a housing of R & D", "R & D"),
    "an & in a word": ("a housing", "a housing by AT&T here", "AT&T here"),
    "a stray <": ("a housing", "a housing of p < 5", "p < 5"),
    "a control character": ("a housing", "a \x07 housing", "\ufffd housing"),
    "a reference to one": ("a housing", "a &#7; housing", "\ufffd housing"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_characters_are_mended_and_the_patent_is_partial(tmp_path, case):
    old, new, expected = DAMAGED[case]
    whole = written.redbook()
    patents, report = load(tmp_path, whole.replace(old, new).encode())
    clean, _ = load(tmp_path, whole.encode())
    assert expected in patents[0].claims[0].text
    assert [c.number for c in patents[0].claims] == [c.number for c in clean[0].claims]
    (problem,) = report.problems
    assert (
        problem.partial and "recovery mode" in problem.reason and problem.document == "US8621662B2"
    )
    with pytest.raises(PhageError, match="recovery mode") as caught:
        load(tmp_path, whole.replace(old, new).encode(), strict=True)
    assert caught.value.code == 1


def test_recovery_expands_no_entity(tmp_path):
    kind = '<!DOCTYPE us-patent-grant [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    text = re.sub(r"<!DOCTYPE.*\n", lambda _: kind + "\n", written.redbook())
    patents, report = load(tmp_path, text.replace("a housing", "R & D &x; housing").encode())
    assert "R & D &x; housing" in patents[0].claims[0].text and report.partial == 1


def test_a_label_of_absurd_length_costs_its_document_only(tmp_path):
    bad = written.redbook("08000002").replace('num="00002"', f'num="{"9" * 5000}"')
    patents, report = load(tmp_path, (bad + written.redbook("08000003")).encode())
    assert patents[-1].number == "US8000003B2" and len(patents) + report.skipped == 2


def test_strict_stops_at_the_first(tmp_path):
    data = (written.redbook() + "<us-patent-grant>" + written.redbook()).encode()
    (tmp_path / "x.xml").write_bytes(data)
    with pytest.raises(PhageError, match="cannot be read") as caught:
        list(read(tmp_path / "x.xml", strict=True))
    assert "byte" in caught.value.place and "--strict" in caught.value.remedy


def test_declaration_lost_in_the_middle(tmp_path):
    three = [written.redbook(f"0800000{n}") for n in range(1, 4)]
    three[1] = re.sub(r"<\?xml.*\n<!DOCTYPE.*\n", "", three[1])
    patents, report = load(tmp_path, "".join(three).encode())
    assert len(patents) == 3 and not report.problems


def test_documents_inside_a_wrapper(tmp_path):
    body = "".join(
        re.sub(r"<\?xml.*\n<!DOCTYPE.*\n", "", written.redbook(f"0800000{n}")) for n in (1, 2)
    )
    patents, report = load(tmp_path, f"<all>\n{body}\n</all>".encode())
    assert [p.number for p in patents] == ["US8000001B2", "US8000002B2"] and not report.problems


def test_sequence_listings_are_no_patents(tmp_path):
    listing = '<?xml version="1.0"?>\n<!DOCTYPE sequence-cwu SYSTEM "s.dtd">\n<sequence-cwu id="S"><p/></sequence-cwu>\n'
    patents, report = load(tmp_path, (listing + written.redbook() + listing).encode())
    assert len(patents) == 1 and not report.problems


HOSTILE = {
    "external entity": '<!DOCTYPE us-patent-grant [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    "billion laughs": '<!DOCTYPE us-patent-grant [<!ENTITY a "ha"><!ENTITY x "&a;&a;&a;&a;&a;&a;">]>',
    "parameter entity": '<!DOCTYPE us-patent-grant [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>',
    "remote document type": '<!DOCTYPE us-patent-grant SYSTEM "http://127.0.0.1:9/x.dtd">',
}


@pytest.mark.parametrize("case", HOSTILE)
def test_entities_are_never_expanded(tmp_path, case):
    text = re.sub(r"<!DOCTYPE.*\n", lambda _: HOSTILE[case] + "\n", written.redbook())
    patents, _ = load(tmp_path, text.replace("a housing", "a &x; housing").encode())
    assert patents[0].claims[0].text.startswith("A pump comprising: a &x; housing")


def test_absurd_nesting_is_refused(tmp_path):
    deep = written.redbook().replace("a housing", "<b>" * 100_000 + "x" + "</b>" * 100_000)
    patents, report = load(tmp_path, deep.encode())
    assert not patents and "depth" in report.problems[0].reason
    _, report = load(tmp_path, b'{"number": ' + b"[" * 200_000, "x.json")
    assert "nested" in report.problems[0].reason or "JSON" in report.problems[0].reason


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x", b"\x89PNG\r\n\x1a\n" + bytes(100)), ("x.xml", b"<html><body>no</body></html>"), ("x.pdf", b"%PDF-1.4"),
        ("x.json", b"[]"), ("x.json", b"[1, 2]"), ("x.json", b'{"number": 3, "claims": [3]}'), ("x", b"PAR1 not really"),
        ("x.json", b'{"number": "US1", "claims": [{"number": "x", "text": 5}]}'), ("x.json", b"{}"), ("x", b""),
        ("x.zip", b"PK\x03\x04 not really"), ("x.gz", b"\x1f\x8b not really"), ("x.xml", b"<?xml version='1.0'?>"),
        ("x.docx", b"PK\x03\x04word/document.xml"), ("x.tsv", b'patent_id\tclaim_text\n"1\tx'), ("x.txt", b"\xff\xfe\x00"),
        ("x.json", b'{"publication_number": "US-1-A", "claims_localized": 3, "title_localized": "x"}'),
        ("x.json", b'{"application_number": "1", "claims": null, "decision": "x"}'),
        ("x.json", b'{"number": "US1A", "claims": [], "translations": 3, "ipc": 4, "citations": 7}'),
        ("x.json", b'{"id": "US1A", "claims": 7, "ipc": 4}'), ("x.txt", b"PATN\nWKU  \nCLMS\n"),
        ("x.xml", b"<ep-patent-document/>"), ("x.xml", b"<patent-document/>"), ("x.xml", b"<PATDOC/>"),
        ("x.xml", b"<patent-application-publication/>"), ("x.xml", b"<o:world-patent-data xmlns:o='o'/>"),
    ],
)  # fmt: skip
def test_nonsense_is_told_apart(tmp_path, name, data):
    patents, report = load(tmp_path, data, name)
    assert len(patents) + report.skipped >= 1
    assert all(not patent.claims for patent in patents)


def check(path, data, whole):
    """Read a damaged file: whatever comes out of it must be in order, or be reported."""
    patents, report = load(path, data, "damaged")
    assert len(patents) <= whole + 1
    assert len(patents) + report.skipped >= 1 or not data.strip(), (
        "nothing is passed over in silence"
    )
    for patent in patents:
        numbers = [claim.number for claim in patent.claims]
        assert patent.number and numbers == sorted(set(numbers))
        assert all(claim.text for claim in patent.claims)
    for problem in report.problems:
        assert problem.reason and problem.file
    return patents, report


@pytest.mark.parametrize("name", sorted(written.everything()))
def test_mutated_written_documents(tmp_path, name):
    data = written.everything()[name]
    (tmp_path / "whole").write_bytes(data)
    whole = len(list(read(tmp_path / "whole")))
    rng = random.Random(name)
    for _ in range(40):
        check(tmp_path, mutated(data, rng), whole)


def languages(patent):
    """The number of claims in each of a patent's languages."""
    sets = {patent.language: patent.claims, **patent.translations}
    return sorted(len(claims) for claims in sets.values())


@pytest.mark.data
def test_two_thousand_mutated_real_documents(tmp_path, real):
    """A count of claims is right, or the report says that something is missing."""
    files = sorted((real / "formats").glob("*/*"))
    rng = random.Random(7)
    wrong = []
    counts = {}
    for turn in range(2000):
        path = files[turn % len(files)]
        data = path.read_bytes()
        if turn < len(files):
            [expected] = read(path)
            counts[path] = languages(expected)
        patents, report = check(tmp_path, mutated(data, rng), 1)
        for patent in patents:
            if languages(patent) != counts[path] and not report.problems:
                wrong.append((path.name, turn, languages(patent), counts[path]))
    assert not wrong, wrong


@settings(max_examples=150)
@given(st.binary(max_size=300), st.integers(0, 2), st.booleans())
def test_any_bytes_between_documents(noise, where, declared):
    """Random bytes before, between or after documents never hide a whole document."""
    pieces = [written.redbook("08000001").encode(), written.redbook("08000002").encode()]
    if not declared:
        pieces = [re.sub(rb"<\?xml.*\n<!DOCTYPE.*\n", b"", piece) for piece in pieces]
    data = b"".join([*pieces[:where], b"\n", noise, b"\n", *pieces[where:]])
    roots = [re.compile(rb"<us-patent-grant[\s>/]")]
    cut = [found.data for found in documents(Peek(io.BytesIO(data)), roots)]
    assert b"".join(cut).replace(b"\n", b"").strip() in data.replace(b"\n", b"")
    whole = 0
    for piece in cut:
        try:
            start = piece.index(b"<us-patent-grant")
            parse(piece[start : piece.rindex(b"</us-patent-grant>") + 18])
            whole += 1
        except (Malformed, ValueError):
            continue
    assert whole == 2
