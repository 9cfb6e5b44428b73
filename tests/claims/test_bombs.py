"""Small files that are huge when unpacked or parsed: refused, or read a piece at a time."""

import gzip
import io
import tracemalloc
import zipfile

import pytest

from phage.claims import ReadReport, read
from phage.claims.readers import documents, loading, rows, word
from phage.claims.readers.loading import Loader
from phage.claims.readers.unpack import BLOCK, Peek, Refused

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
GOOD = b'{"number": "US1A", "claims": [{"number": 1, "text": "A pump."}]}'


def load(path, data, name):
    (path / name).write_bytes(data)
    report = ReadReport()
    return list(read(path / name, report=report)), report


def docx(body, **others):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:d xmlns:w="{WORD}">{body}</w:d>')
        for name, text in others.items():
            archive.writestr(f"word/{name}.xml", text)
    return data.getvalue()


def elements(stream):
    return (value for _, _, value in Loader().elements(stream, lambda row: True))


class Counted(io.BytesIO):
    """Knows how much was read."""

    taken = 0

    def read(self, size=-1):
        data = super().read(size)
        self.taken += len(data)
        return data


def test_a_list_is_read_as_it_comes():
    stream = Counted(b"[" + b"{}," * 700_000 + b"{}]")
    found = elements(Peek(stream))
    assert next(found) == {}
    assert stream.taken <= BLOCK
    assert sum(1 for _ in found) == 700_000


def test_elements_across_blocks_are_whole():
    long = "a" * (3 * BLOCK)
    expected = [long, 12345678901234567890, {"b": [1, 2]}, "", long, 7]
    text = b'["' + long.encode() + b'",12345678901234567890 , {"b": [1, 2]},"",\n"'
    text += long.encode() + b'",7 ] \n'
    assert list(elements(Peek(io.BytesIO(text)))) == expected


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_millions_of_empty_rows_are_given_up(tmp_path, monkeypatch, name):
    monkeypatch.setattr(rows, "HOPELESS", 100)
    empty = b"[" + b"{}," * 5000 + b"{}]" if name == "x.json" else b"{}\n" * 5000
    patents, report = load(tmp_path, empty, name)
    assert not patents and report.skipped == 101
    assert "hold no patent" in report.problems[-1].reason
    patents, report = load(tmp_path, GOOD + b"\n" + b"{}\n" * 5000, "y.jsonl")
    assert len(patents) == 1 and report.skipped == 5000


@pytest.mark.parametrize("end", [b"", b", ", b", {", b"; 3]", b"] 3", b", nul]"])
def test_rows_before_a_break_are_read(tmp_path, end):
    patents, report = load(tmp_path, b"[" + GOOD + end, "x.json")
    assert [patent.number for patent in patents] == ["US1A"]
    assert report.skipped == 1
    assert "not valid JSON" in report.problems[0].reason


@pytest.mark.parametrize("around", [(b"[[", b"]]"), (b'{"a":[', b"]}"), (b'[{"a":[', b"]}]")])
def test_one_record_of_millions_of_parts_is_refused(tmp_path, around):
    data = around[0] + b"{}," * loading.PARTS + b"{}" + around[1]
    patents, report = load(tmp_path, gzip.compress(data), "x.json.gz")
    assert not patents
    assert "parts" in report.problems[0].reason


def test_a_line_of_millions_of_parts_costs_itself_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "PARTS", 1000)
    bomb = b'{"number": "US2A", "claims": [' + b"{}," * 1000 + b"{}]}"
    patents, report = load(tmp_path, b"\n".join((GOOD, bomb, GOOD)), "x.jsonl")
    assert [patent.number for patent in patents] == ["US1A", "US1A"]
    assert "parts" in report.problems[0].reason


def test_a_document_of_millions_of_tags_is_refused(tmp_path):
    data = b"<us-patent-grant>" + b"<b/>" * documents.TAGS + b"</us-patent-grant>"
    patents, report = load(tmp_path, gzip.compress(data, 1), "x.xml.gz")
    assert not patents
    assert "tags" in report.problems[0].reason


def test_a_word_file_of_empty_paragraphs_is_bounded(tmp_path, monkeypatch):
    claims = "<w:p><w:t>1. A pump.</w:t></w:p><w:p><w:t>2. The pump of claim 1.</w:t></w:p>"
    text = word.word_text(docx("<w:p/>" * 100_000 + claims + "<w:p> <w:tab/></w:p>" * 100_000))
    assert text.split("\n") == ["", "1. A pump.", "2. The pump of claim 1.", ""]
    monkeypatch.setattr(word, "_ELEMENTS", 10_000)
    _, report = load(tmp_path, docx("<w:p><w:r/></w:p>" * 6_000), "x.docx")
    assert "elements" in report.problems[0].reason
    with pytest.raises(Refused, match="MB"):
        word.word_text(docx("<w:p/>", numbering="<a>" + " " * (5 << 20) + "</a>"))


def test_lists_that_share_a_long_abstract_list_stay_linear():
    """Each of 20,000 lists would go through 20,000 levels; Word has nine."""
    levels = f'<w:lvl w:ilvl="{"9" * 5000}"/>' + '<w:lvl w:ilvl="0"/>' * 20_000
    number = '<w:num w:numId="{}"><w:abstractNumId w:val="1"/></w:num>'
    lists = f'<w:n xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>'
    lists += "".join(number.format(n) for n in range(20_000)) + "</w:n>"
    assert word.word_text(docx("<w:p><w:t>a</w:t></w:p>", numbering=lists)) == "a"


def test_a_text_box_is_read_once_and_in_its_place():
    box = "<w:txbxContent><w:p><w:t>in the box</w:t></w:p></w:txbxContent>"
    text = word.word_text(
        docx(f"<w:p><w:t>be</w:t>{box}<w:t>fore</w:t></w:p><w:p><w:t>z</w:t></w:p>")
    )
    assert text == "before\nin the box\nz"


def test_blank_lines_before_a_header_are_not_kept(load):
    tracemalloc.start()
    try:
        [patent], _ = load(",\n" * 500_000 + "number,claims\nUS1A,1. A pump.\n", "own.csv")
        assert patent.number == "US1A" and tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
