"""Claims as people write them: any numbering, any code page, any name of the file."""

import io
import json

import pytest
import written

from phage.claims import ReadReport, read
from phage.claims.split import split_set

PUMP = "A pump comprising a housing and a shaft."
HOLLOW = "The pump of claim 1, wherein the shaft is hollow."
VALVE = "The pump of any of claims 1 and 2, with a valve."
THREE = [(1, PUMP), (2, HOLLOW), (3, VALVE)]


def texts(patent):
    return [(claim.number, claim.text) for claim in patent.claims]


@pytest.mark.parametrize(
    "form",
    [
        "What is claimed is:\n\n1. {}\n2. {}\n3. {}\n",
        "What is claimed is:\r\n1) {}\r\n2) {}\r\n3) {}\r\n",
        "Claim 1: {}\nClaim 2: {}\nClaim 3: {}\n",
        "CLAIM 1\n{}\n\nCLAIM 2\n{}\n\nCLAIM 3\n{}\n",
        "(1) {}\n(2) {}\n(3) {}\n",
        "1 {}\n2 {}\n3 {}\n",
        "[Claim 1] {}\n[Claim 2] {}\n[Claim 3] {}\n",
        "1.{}\n2.{}\n3.{}",
        "Claims:\n1. {} 2. {} 3. {}",
        "AMENDMENTS TO THE CLAIMS\n\n1. (Original) {}\n2. (New) {}\n3. (New) {}\n",
        "In the Claims\n1. {}\n2. {}\n3. {}\n",
        "Claim amendments\n1. {}\n2. {}\n3. {}\n",
        "1. (Original) {}\n2. (Currently amended) {}\n3. (Withdrawn - previously presented) {}\n",
        "PUMP\n\nBackground\n1. A list. 2. Of things.\n\nCLAIMS\n\n1. {}\n2. {}\n3. {}\n\nABSTRACT\nIt.\n",
    ],
)
@pytest.mark.parametrize("code", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_numbering_and_code(load, form, code):
    text = form.format(PUMP, HOLLOW, VALVE)
    [patent], report = load(text.encode(code), "draft.txt")
    assert texts(patent) == THREE and not report.problems
    assert [text[slice(*claim.span)] for claim in patent.claims] == [PUMP, HOLLOW, VALVE]


@pytest.mark.parametrize("name", ["claims.md", "claims", "claims.doc", "claims.xml", "claims.json"])
def test_the_name_does_not_matter(load, name):
    [patent], _ = load(f"What is claimed is:\n1. {PUMP}\n2. {HOLLOW}\n", name)
    assert texts(patent) == THREE[:2]


def test_word_under_another_name(load):
    [patent], _ = load(written.docx(True), "draft.bin")
    assert len(patent.claims) == 2


def test_a_number_given_twice_is_reported(load):
    [patent], report = load(
        f"1. {PUMP}\n2. {HOLLOW}\n2. {VALVE}\n3. The pump of claim 2.\n", "d.txt"
    )
    assert [(claim.number, claim.printed) for claim in patent.claims] == [
        (1, 0), (2, 0), (4, 2), (3, 0)
    ]  # fmt: skip
    assert [claim.text for claim in patent.claims][1:3] == [HOLLOW, VALVE]
    assert report.partial == 1 and "number 2" in report.problems[0].reason


def test_the_second_claim_of_a_number_is_cut_at_its_line(load):
    text = f"1. {PUMP}\n2. A rod with\n1.\n2. An arm.\n\n\n claim 2: {VALVE}\n3. (canceled)\n"
    [patent], _ = load(text, "d.txt")
    assert [(claim.number, claim.printed) for claim in patent.claims] == [
        (1, 0), (2, 0), (4, 2), (5, 2)
    ]  # fmt: skip
    parts = ["A rod with\n1.", "An arm.", VALVE]
    assert [text[slice(*claim.span)] for claim in patent.claims[1:]] == parts


@pytest.mark.parametrize(
    "words",
    [
        "(Cancelled without prejudice).",
        "(Previously cancelled)",
        "(Cancelled herein)",
        "(Not entered)",
    ],
)
def test_what_says_that_a_claim_is_gone(load, words):
    [patent], _ = load(f"1. {PUMP}\n2. {words}\n3. {VALVE}\n", "d.txt")
    assert patent.cancelled == (2,) and [claim.number for claim in patent.claims] == [1, 3]


def test_claims_in_the_form_of_a_reply(load):
    text = f"Claim 1 (original): {PUMP}\nClaims 2-3 (canceled).\nClaim 4 (new): {VALVE}\n"
    [patent], report = load(text, "d.txt")
    assert patent.cancelled == (2, 3) and not report.problems
    assert [(c.number, c.text) for c in patent.claims] == [(1, PUMP), (4, VALVE)]
    assert text[slice(*patent.claims[1].span)] == VALVE


@pytest.mark.parametrize("page", ["- 13 -", "13", "Page 12 of 14", "-2-", "\n13\n", "\f"])
def test_the_number_of_a_page_is_no_part_of_a_claim(load, page):
    after = page.replace("13", "14")
    text = f"1. {PUMP}\n2. {HOLLOW}\n{page}\n3. {VALVE}\n{after}\n"
    [patent], report = load(text, "d.txt")
    assert [(c.number, c.text) for c in patent.claims] == [(1, PUMP), (2, HOLLOW), (3, VALVE)]
    assert text[slice(*patent.claims[2].span)] == VALVE and not report.problems


def test_a_page_ends_within_a_claim(load):
    words = VALVE.partition(" ")
    text = f"1. {PUMP}\n2. {words[0]}\n\n- 3 -\n\n{words[2]}\n"
    [patent], _ = load(text, "d.txt")
    assert patent.claims[1].text == VALVE


def test_numbers_on_lines_of_their_own_are_those_of_claims(load):
    [patent], _ = load(f"Claims\n1\n{PUMP}\n2\n{HOLLOW}\n", "d.txt")
    assert [(c.number, c.text) for c in patent.claims] == [(1, PUMP), (2, HOLLOW)]


def test_bare_claim_numbers_are_no_pages(load):
    steps = "A method comprising:\n1) heating; and\n2) cooling."
    text = f"Claims\n1\n\n{steps}\n\n2\n\n{HOLLOW}\n\n3\n\n{HOLLOW}\n"
    [patent], report = load(text, "d.txt")
    assert [c.number for c in patent.claims] == [1, 2, 3] and not report.problems


@pytest.mark.parametrize(
    "words", ["heating to\n\n25\n\ndegrees", "a matrix of\n\n[[1 2]]\n\nas weights"]
)
def test_values_on_lines_of_their_own_stay(load, words):
    [patent], _ = load(f"1. A method of {words}.\n2. {HOLLOW}\n", "d.txt")
    assert patent.claims[0].text == f"A method of {' '.join(words.split())}."


@pytest.mark.parametrize("mark", ["{}", "[[{}]]"])
@pytest.mark.parametrize("gone", [(1,), (2,), (3,), (1, 2)])
def test_a_claim_that_is_deleted_whole_is_cancelled(load, mark, gone):
    words = {n: text for n, text in THREE}
    for number in gone:
        words[number] = "[[Canceled]]" if mark == "{}" else mark.format(words[number])
    [patent], report = load("".join(f"{n}. {text}\n" for n, text in words.items()), "d.txt")
    assert patent.cancelled == gone and not report.problems
    assert texts(patent) == [one for one in THREE if one[0] not in gone]


@pytest.mark.parametrize("style", ["List Number", None])
@pytest.mark.parametrize("gone", [1, 2, 3])
def test_a_claim_that_is_crossed_out_is_cancelled(load, style, gone):
    document = pytest.importorskip("docx").Document()
    document.add_paragraph("Claims")
    for number, text in THREE:
        words = document.add_paragraph("" if style else f"{number}. ", style).add_run(text)
        words.font.strike = number == gone
    held = io.BytesIO()
    document.save(held)
    [patent], report = load(held.getvalue(), "d.docx")
    assert patent.cancelled == (gone,) and not report.problems
    assert texts(patent) == [one for one in THREE if one[0] != gone]


@pytest.mark.parametrize("joint", ["-\n", "–\n", " to\n", "-"])
def test_a_cancelled_range_may_be_broken_behind_its_sign(load, joint):
    [patent], report = load(f"Claims\n1{joint}3. (canceled)\n4. {PUMP}\n", "d.txt")
    assert patent.cancelled == (1, 2, 3) and not report.problems
    assert texts(patent) == [(4, PUMP)]


def test_a_page_before_a_cancelled_claim_is_no_range():
    found = split_set(f"1. {PUMP} \n- 2 -\n3. (canceled)\n4. {VALVE}")
    assert found.cancelled == (3,) and [claim.number for claim in found.claims] == [1, 4]


def test_what_an_amendment_deletes_is_gone(load):
    [patent], _ = load(f"1. {PUMP}\n2. [[An old]] {VALVE}\n", "d.txt")
    assert patent.claims[1].text == VALVE


def test_numbered_steps_are_no_claims(load):
    steps = "A method comprising:\n1. heating water; and\n2. cooling the water."
    [patent], report = load(f"1. {steps}\n2. The method of claim 1, being quick.\n", "d.txt")
    assert [c.number for c in patent.claims] == [1, 2] and not report.problems
    assert patent.claims[0].text == " ".join(steps.split())


def test_very_many_steps_end(load):
    [patent], _ = load("1. a pump:\n" + "1. foo,\n" * 20_000, "d.txt")
    assert len(patent.claims) == 1


def test_a_number_left_out_is_reported(load):
    [patent], report = load(f"I claim:\n1. {PUMP}\n3. {VALVE}\n", "d.txt")
    assert [claim.number for claim in patent.claims] == [1, 3]
    assert report.problems[0].reason == "claims missing: 2"


@pytest.mark.parametrize(
    ("language", "code", "text"),
    [
        ("ja", "cp932", "特許請求の範囲\n【請求項1】\n筐体を備えるポンプ。\n【請求項2】\n請求項1に記載のポンプ。\n"),
        ("zh", "gb18030", "权利要求书\n1. 一种泵，包括壳体。\n2. 根据权利要求1所述的泵。\n"),
        ("ko", "cp949", "청구항 1. 하우징을 포함하는 펌프.\n청구항 2. 청구항 1에 있어서, 중공인 펌프.\n"),
    ],
)  # fmt: skip
def test_code_pages_of_east_asia(load, language, code, text):
    [patent], _ = load(text.encode(code), "draft.txt")
    assert patent.language == language and [claim.number for claim in patent.claims] == [1, 2]


def test_claims_as_one_text_in_json(load):
    rows = [
        {"number": "US1A", "claims": f"1. {PUMP} 2. {HOLLOW}"},
        {"publication_number": "US-2-A1", "claims": [PUMP, HOLLOW]},
    ]
    first, second = load(json.dumps(rows), "some.json")[0]
    assert texts(first) == texts(second) == THREE[:2]
    assert second.number == "US2A1"


def test_xml_in_utf_16(load):
    text = written.redbook().replace("UTF-8", "UTF-16").replace("a housing", "a höusing")
    [patent], report = load(text.encode("utf-16"))
    assert patent.claims[0].text.startswith("A pump comprising: a höusing") and not report.problems


def test_a_packed_draft_cut_short_is_no_draft(tmp_path):
    import gzip

    packed = gzip.compress("".join(f"{n}. Pump number {n}.\n" for n in range(1, 999)).encode())
    (tmp_path / "draft.txt.gz").write_bytes(packed[:-200])
    report = ReadReport()
    assert not list(read(tmp_path / "draft.txt.gz", report=report))
    assert "cut short" in report.problems[0].reason
