"""The command: formats, exit codes, comments at the right words."""

import io
import json

import docx
import pytest
from typer.testing import CliRunner

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
    from phage.check import check
    from phage.check.report.word import commented as copied
    from phage.claims import read

    write_word(tmp_path / "draft.docx")
    [patent] = read(tmp_path / "draft.docx")
    data = (tmp_path / "draft.docx").read_bytes()
    assert docx.Document(io.BytesIO(copied(data, patent, check(patent)))).comments
