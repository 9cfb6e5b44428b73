"""The command: formats, exit codes, comments at the right words."""

import io
import json
import zipfile

import docx
import pytest
from docx.oxml import OxmlElement
from typer.testing import CliRunner

from phage.claims import read
from phage.cli import app

DRAFT = """Claims
1. A pump comprising a shaft.
2. The pump of claim 1, wherein the rotor is
   fixed to the shaft.
"""


def run(*words, **options):
    return CliRunner().invoke(app, ["check", *map(str, words)], **options)


@pytest.fixture
def draft(tmp_path):
    path = tmp_path / "draft.txt"
    path.write_text(DRAFT)
    return path


def test_text_shows_words_reason_and_remedy(draft):
    done = run(draft)
    assert done.exit_code == 1
    lines = done.output.splitlines()
    place = next(n for n, line in enumerate(lines) if "~~~" in line)
    start = lines[place].index("~")
    assert lines[place - 1][start : start + 9] == "the rotor"
    assert "(US, rules" in lines[0] and "not legal advice" in lines[-1]


def test_the_disclaimer_ends_the_output_once(draft):
    lines = run(draft, draft).output.splitlines()
    assert [n for n, line in enumerate(lines) if "not legal advice" in line] == [len(lines) - 1]


def test_json_is_one_report_per_line(draft):
    rows = [json.loads(line) for line in run(draft, draft, "--json").stdout.splitlines()]
    assert [row["number"] for row in rows] == ["draft", "draft"]
    [found] = rows[0]["findings"]
    assert found["text"] == "the rotor" and found["rule"] == "antecedent-missing"
    assert set(rows[0]) == {
        "number", "language", "offices", "settings", "rules", "notice", "findings", "counts",
        "unchecked", "suppressed",
    }  # fmt: skip


def test_sarif_has_levels_fingerprints_and_suppressions(draft, tmp_path):
    log = json.loads(run(draft, "--sarif").stdout)
    [result] = log["runs"][0]["results"]
    assert log["version"] == "2.1.0" and result["level"] == "error"
    assert result["partialFingerprints"] and "suppressions" not in result
    base = tmp_path / "base.jsonl"
    base.write_text(run(draft, "--json").stdout)
    done = run(draft, "--sarif", "--baseline", base)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["runs"][0]["results"][0]["suppressions"]


def test_baseline_suppresses_what_is_known(draft, tmp_path):
    base = tmp_path / "base.jsonl"
    base.write_text(run(draft, "--json").stdout)
    draft.write_text(DRAFT + "3. The pump of claim 1, wherein the seal is red.\n")
    row = json.loads(run(draft, "--json", "--baseline", base).stdout)
    assert [f["text"] for f in row["findings"]] == ["the seal"] and row["suppressed"] == 1


def test_exit_codes(draft, tmp_path):
    assert run(draft, "--fail-on", "never").exit_code == 0
    assert run(draft, "--ignore", "antecedent-missing").exit_code == 0
    (tmp_path / "broken.txt").write_bytes(b"\x00\x01\x02")
    assert run(tmp_path / "broken.txt").exception.code == 2
    assert run(draft, "--select", "no-such-rule").exit_code != 0


def test_standard_input(draft):
    done = run("-", "--json", input=DRAFT)
    assert json.loads(done.stdout)["number"] == "stdin" and done.exit_code == 1


def test_the_page_marks_the_words_and_escapes(tmp_path):
    path = tmp_path / "draft.txt"
    path.write_text(
        "1. A pump <b>with</b> R&D.\n2. The pump of claim 1, wherein the rotor is red.\n"
    )
    run(path, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert ">the rotor</mark>" in page and "R&amp;D" in page and "<script" not in page


def write_word(path):
    document = docx.Document()
    document.add_paragraph("Claims")
    document.add_paragraph("1. A pump comprising a shaft.")
    second = document.add_paragraph("2. The pump of claim 1, wherein the ")
    second.add_run("ro").bold = True
    second.add_run("tor is fixed to the shaft.")
    document.add_paragraph("3. A pump comprising a base")
    document.save(path)


def test_numbers_that_word_counts_do_not_shift_comments(tmp_path):
    document = docx.Document()
    document.add_paragraph("What is claimed is:")
    for text in ("A pump comprising a shaft.", "The pump of claim 1, wherein the rotor is red."):
        document.add_paragraph(text, style="List Number")
    document.save(tmp_path / "draft.docx")
    run(tmp_path / "draft.docx", "--docx", tmp_path / "out.docx")
    assert [words for words, _ in commented(tmp_path / "out.docx")] == ["the rotor"]


def moved(paragraph, words):
    """Add words that a tracked change moved elsewhere."""
    gone = OxmlElement("w:moveFrom")
    gone.append(paragraph.add_run(words)._r)
    paragraph._p.append(gone)


def test_deleted_words_are_no_words_and_do_not_shift_comments(tmp_path):
    document = docx.Document()
    document.add_paragraph("1. A pump comprising a shaft, [[a rotor,]] and a rod[[s]].")
    second = document.add_paragraph("2. The pump of claim 1, ")
    second.add_run("comprising a seat,\ta ").font.strike = True
    second.add_run("wherein ")
    second.add_run("a bed").font.double_strike = True
    moved(second, "a lid ")
    second.add_run("the [[old]] rotor is fixed to the seat, not ").font.strike = False
    second.add_run("the bed and the lid.")
    document.save(tmp_path / "draft.docx")
    done = run(tmp_path / "draft.docx", "--docx", tmp_path / "out.docx", "--json")
    found = [f["text"] for f in json.loads(done.stdout)["findings"]]
    assert found == ["the rotor", "the seat", "the bed", "the lid"]
    covered = [words for words, _ in commented(tmp_path / "out.docx")]
    assert covered == ["the [[old]] rotor", *found[1:]]


def test_a_claim_that_is_crossed_out_keeps_its_number(tmp_path):
    document = docx.Document()
    document.add_paragraph("What is claimed is:")
    for text in ("A pump.", "A pump with a rod.", "The pump of claim 2."):
        document.add_paragraph(text, style="List Number")
    document.paragraphs[2].runs[0].font.strike = True
    document.save(tmp_path / "draft.docx")
    [patent] = read(tmp_path / "draft.docx")
    assert [(claim.number, claim.text) for claim in patent.claims] == [
        (1, "A pump."), (3, "The pump of claim 2.")
    ]  # fmt: skip


def commented(path):
    """Give the words that each comment of a Word file covers, and what it says."""
    document = docx.Document(path)
    space = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
    covered, open_ = {}, set()
    for element in document.element.body.iter():
        name = element.tag.rsplit("}", 1)[-1]
        key = element.get(f"{{{space['w']}}}id")
        if name == "commentRangeStart":
            open_.add(int(key))
        elif name == "commentRangeEnd":
            open_.discard(int(key))
        elif name == "t":
            for one in open_:
                covered[one] = covered.get(one, "") + (element.text or "")
    return [(covered[c.comment_id], c.text) for c in document.comments]


def test_comments_stand_at_their_words(tmp_path):
    write_word(tmp_path / "draft.docx")
    done = run(tmp_path / "draft.docx", "--docx", tmp_path / "out.docx", "--json")
    found = json.loads(done.stdout)["findings"]
    assert {f["rule"] for f in found} >= {"antecedent-missing", "no-full-stop"}
    comments = commented(tmp_path / "out.docx")
    assert [words for words, _ in comments] == [f["text"] for f in found]
    assert all(f["message"] in said for f, (_, said) in zip(found, comments, strict=True))
    before, after = (
        [p.text for p in docx.Document(tmp_path / name).paragraphs]
        for name in ("draft.docx", "out.docx")
    )
    assert before == after


def test_comments_need_one_word_file(draft, tmp_path):
    done = run(draft, "--docx", tmp_path / "out.docx")
    assert done.exit_code != 0 and not (tmp_path / "out.docx").exists()


def test_the_bytes_of_the_copy_are_a_word_file(tmp_path):
    from phage.checking import check
    from phage.checking.report.word import commented as copied
    from phage.claims import read

    write_word(tmp_path / "draft.docx")
    [patent] = read(tmp_path / "draft.docx")
    data = (tmp_path / "draft.docx").read_bytes()
    assert docx.Document(io.BytesIO(copied(data, patent, check(patent)))).comments


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def insert(paragraph, inner):
    """Put XML behind a paragraph's first run."""
    paragraph.runs[0]._r.addnext(docx.oxml.parse_xml(f"<w:r {W}>{inner}</w:r>"))


def test_comments_stand_at_their_words_beside_boxes_and_empty_paragraphs(tmp_path):
    """The reader joins empty paragraphs and reads a text box as paragraphs of its own."""
    document = docx.Document()
    for _ in range(4):
        document.add_paragraph("")
    document.add_paragraph("Claims")
    document.add_paragraph("1. A pump comprising a shaft.")
    for _ in range(3):
        document.add_paragraph(" ")
    second = document.add_paragraph("\t 2. The pump of claim 1, wherein the ro")
    second.add_run("tor is fixed to the seal.")
    box = "<w:p><w:r><w:t>Note.</w:t></w:r></w:p><w:p/>"
    insert(second, f"<w:pict><w:txbxContent>{box}</w:txbxContent></w:pict>")
    document.save(tmp_path / "draft.docx")
    found = json.loads(
        run(tmp_path / "draft.docx", "--docx", tmp_path / "out.docx", "--json").stdout
    )["findings"]
    assert [one["text"] for one in found] == ["the rotor", "the seal"]
    [(first, _), (last, _)] = commented(tmp_path / "out.docx")
    assert first == "the ro" + "Note." + "tor" and last == "the seal"
    before, after = (
        "".join(docx.Document(tmp_path / name).element.xpath("//w:t/text()"))
        for name in ("draft.docx", "out.docx")
    )
    assert before == after


def test_cutting_a_run_keeps_what_else_it_holds(tmp_path):
    document = docx.Document()
    document.add_paragraph("1. A pump comprising a shaft.")
    second = document.add_paragraph("2. The pump of claim 1, wherein ")
    insert(second, "<w:rPr><w:b/></w:rPr><w:t>so the</w:t><w:tab/><w:t>rotor</w:t><w:sym/>")
    second.add_run(" is red.")
    document.save(tmp_path / "draft.docx")
    run(tmp_path / "draft.docx", "--docx", tmp_path / "out.docx")
    copied = docx.Document(tmp_path / "out.docx")
    assert [words for words, _ in commented(tmp_path / "out.docx")] == ["therotor"]
    assert len(copied.element.xpath("//w:sym")) == len(copied.element.xpath("//w:tab")) == 1
    assert [r.text for r in copied.paragraphs[1].runs if r.bold] == ["so ", "the\trotor"]


def test_claims_in_a_table_get_comments(tmp_path):
    document = docx.Document()
    cell = document.add_table(1, 1).cell(0, 0)
    cell.text = "1. A pump comprising a shaft.\n2. The pump of claim 1, wherein the rotor is red."
    document.save(tmp_path / "draft.docx")
    assert not document.paragraphs
    run(tmp_path / "draft.docx", "--docx", tmp_path / "out.docx")
    assert [words for words, _ in commented(tmp_path / "out.docx")] == ["the rotor"]


def test_a_word_file_of_very_many_findings_gets_the_first(tmp_path):
    from phage.checking.report.word import MOST

    many = ", ".join(f"the part{place}" for place in range(MOST + 1_000))
    document = docx.Document()
    document.add_paragraph("1. A pump.")
    document.add_paragraph(f"2. The pump of claim 1, with {many}.")
    document.save(tmp_path / "draft.docx")
    done = run(tmp_path / "draft.docx", "--docx", tmp_path / "out.docx", "--json")
    found = json.loads(done.stdout)["findings"]
    words = [words for words, _ in commented(tmp_path / "out.docx")]
    assert words == [one["text"] for one in found[:MOST]] and len(found) > MOST
    assert "the first 1,000 findings" in done.stderr


def test_a_packed_file_that_is_not_word_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "claims.zip", "w") as archive:
        archive.writestr("draft.txt", DRAFT)
    done = run(tmp_path / "claims.zip", "--docx", tmp_path / "out.docx")
    assert done.exception.code == 2 and "one Word file" in str(done.exception)
    assert run(tmp_path / "claims.zip").exit_code == 1


def test_a_word_file_without_claims_leaves_no_copy(tmp_path):
    docx.Document().save(tmp_path / "empty.docx")
    done = run(tmp_path / "empty.docx", "--docx", tmp_path / "out.docx")
    assert done.exception.code == 2 and not (tmp_path / "out.docx").exists()


def test_what_cannot_be_read_or_checked_does_not_stop_the_others(draft, tmp_path, monkeypatch):
    from phage import structure

    monkeypatch.setattr(structure, "MOST", 100)
    (tmp_path / "broken.txt").write_bytes(b"\x00\x01\x02")
    claims = "".join(f"{n}. A pump of any preceding claim.\n" for n in range(2, 40))
    (tmp_path / "many.txt").write_text("1. A pump.\n" + claims)
    done = run(tmp_path / "broken.txt", tmp_path / "many.txt", draft, "--json")
    assert [json.loads(line)["number"] for line in done.stdout.splitlines()] == ["draft"]
    assert done.exit_code == 2
    assert "broken.txt" in done.stderr and "references to claims" in done.stderr


def test_a_baseline_has_one_report_per_line_whatever_its_words(tmp_path):
    claims = [{"number": 1, "text": "A pump with the rotor\u2028\x85\x1b[31m and the seal."}]
    source, base = tmp_path / "claims.jsonl", tmp_path / "base.jsonl"
    source.write_text(json.dumps({"number": "ZZ1A\u2028", "claims": claims}))
    base.write_text(run(source, "--json").stdout + "\n", encoding="utf-8")
    assert json.loads(base.read_text("utf-8"))["findings"]
    assert not json.loads(run(source, "--json", "--baseline", base).stdout)["findings"]
    base.write_text("[" * 100_000)
    assert "not a report" in str(run(source, "--baseline", base).exception)


def test_numbers_given_twice_survive_the_tables(tmp_path):
    (tmp_path / "draft.txt").write_text("1. A pump.\n2. A rod.\n2. An arm.\n3. A shaft.\n")
    for name in ("read.parquet", "read.jsonl"):
        CliRunner().invoke(app, ["read", f"{tmp_path}/draft.txt", "-o", f"{tmp_path}/{name}"])
        found = json.loads(run(tmp_path / name, "--json").stdout)["findings"]
        assert "number-duplicate" in {one["rule"] for one in found}
