"""The check view: claims as they are typed, notes, antecedents, elements."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect
from typer.testing import CliRunner

from phage.cli import app

from .steps import FAULTY, check, downloaded, held_back


def rules(page):
    return [
        one.text_content().split(":")[0] for one in page.locator(".margin .remark > small").all()
    ]


def test_notes_marks_and_the_notice(page):
    check(page)
    assert rules(page) == ["antecedent-missing", "reference-missing", "no-full-stop"]
    expect(page.locator('[data-claim="1"] mark.word.error')).to_have_text("the rotor")
    expect(page.locator('[data-claim="4"] mark.word.error')).to_have_text("of claim 9")
    expect(page.locator("#check-summary")).to_have_text("3 findings in 4 claims")
    said = page.locator("#check-notice")
    expect(said).to_contain_text("Office: US · rules of 2")
    expect(said).to_contain_text("not legal advice")
    broken = page.locator('[data-claim="4"]')
    expect(broken).to_have_class("claim broken")
    expect(broken.locator(".hint")).to_contain_text("because claim 9 does not exist")


def test_it_is_checked_again_while_typing(page):
    check(page)
    page.locator("#check-text").press("Control+End")
    with held_back(page, "**/check"):
        page.locator("#check-text").press_sequentially(".")
        expect(page.locator("#report")).to_have_class("report stale")
        expect(page.locator("#check-summary")).to_have_text("Checking …")
    expect(page.locator("#report")).not_to_have_class("report stale")
    assert rules(page) == ["antecedent-missing", "reference-missing"]
    page.fill("#check-text", "")
    expect(page.locator("#check-summary")).to_have_text("Nothing to check yet.")
    expect(page.locator(".claim")).to_have_count(0)
    expect(page.locator("#check-graph")).to_be_disabled()


def test_only_the_last_answer_counts(page):
    page.click("#tab-check")
    waiting = []
    page.route("**/check", lambda route: waiting.append(route))
    for text, count in (("1. A pump and the lid.", 1), ("1. A pump.\n2. The pump of claim 1.", 2)):
        page.fill("#check-text", text)
        while len(waiting) < count:
            page.wait_for_timeout(20)
    with page.expect_response("**/check"):
        waiting[1].continue_()
    expect(page.locator(".claim")).to_have_count(2)


def test_what_is_typed_is_not_lost_to_a_patent_that_comes_late(page):
    with held_back(page, "**/patents/*") as waiting:
        page.goto(page.url.split("#")[0] + "#/check/US1000003B2")
        expect(page.locator("#report")).to_have_attribute("aria-busy", "true")
        page.fill("#check-text", "1. A lid.")
    assert waiting
    expect(page.locator(".claim")).to_have_count(1)
    expect(page.locator("#check-text")).to_have_value("1. A lid.")


def test_an_antecedent_lights_up_where_it_is_introduced(page):
    check(page)
    word = page.locator('[data-claim="3"] .word', has_text="the housing")
    word.hover()
    expect(page.locator("#tip")).to_contain_text("introduced in claim 1: “a housing”")
    expect(page.locator('[data-claim="1"] .lit')).to_have_text("a housing")
    page.mouse.move(2, 2)
    expect(page.locator("#tip")).to_be_hidden()
    expect(page.locator(".claim .lit")).to_have_count(0)


def test_a_tip_does_not_outlive_its_word(page):
    check(page)
    page.locator('[data-claim="3"] .word', has_text="the housing").hover()
    expect(page.locator("#tip")).to_be_visible()
    page.locator("#check-text").press_sequentially(" ")
    expect(page.locator("#tip")).to_be_hidden()


def test_a_note_leads_to_its_words_in_the_text(page):
    check(page, "1.  A pump\n   comprising a housing and the\nrotor.")
    page.click('[data-claim="1"] .remark .jump')
    chosen = "one => one.value.slice(one.selectionStart, one.selectionEnd)"
    assert page.locator("#check-text").evaluate(chosen) == "the\nrotor"
    page.click('[data-claim="1"] mark.word')
    expect(page.locator('[data-claim="1"] .remark .jump')).to_be_focused()


def test_office_strict_and_severities(page):
    check(page)
    page.select_option("#check-office", "EP")
    expect(page.locator("#check-notice")).to_contain_text("Office: EP")
    expect(page.locator(".remark")).to_have_count(2)  # a full stop is a rule of the US
    page.select_option("#check-office", "US")
    expect(page.locator(".remark")).to_have_count(3)
    page.click('[data-level="warning"]')
    expect(page.locator(".remark")).to_have_count(2)
    expect(page.locator('[data-level="warning"]')).to_have_attribute("aria-pressed", "false")
    page.click('[data-level="warning"]')
    page.fill(
        "#check-text",
        "1. A pump with a check valve.\n2. The pump of claim 1, wherein the valve is open.",
    )
    expect(page.locator(".claim")).to_have_count(2)
    before = page.locator(".remark").count()
    page.check("#check-strict")
    page.wait_for_selector("#report:not(.stale)")
    expect(page.locator(".remark.note")).to_have_count(before + 1)


def test_from_finding_to_finding(page):
    check(page)
    for claim in (1, 4, 4, 1):
        page.click("#check-next")
        focused = page.evaluate("document.activeElement.closest('[data-claim]').dataset.claim")
        assert focused == str(claim)
        expect(page.locator(".remark.here .jump")).to_be_focused()
        middle = page.locator(".remark.here").bounding_box()["y"]
        assert middle < page.viewport_size["height"] * 0.7  # not at the edge


def test_what_a_claim_depends_on_and_the_width_it_has(page):
    check(page)
    chips = page.locator(".claim h2 .chip").all_text_contents()
    assert chips == [
        "independent",
        "depends on claim 1",
        "depends on claims 1, 2",
        "broken reference",
    ]
    whole, halved = (page.locator(f'[data-claim="{n}"] > div').first for n in (2, 1))
    claim = page.locator('[data-claim="2"]').bounding_box()
    assert whole.bounding_box()["width"] == claim["width"]  # no empty margin beside it
    if page.viewport_size["width"] > 1180:
        assert halved.bounding_box()["width"] < claim["width"] - 200
        box = page.locator("#check-text").bounding_box()
        assert box["y"] + box["height"] <= page.viewport_size["height"]


def test_as_read_and_elements(page):
    check(page)
    claim = page.locator('[data-claim="3"]')
    claim.locator(".unfold button", has_text="As read").click()
    lines = claim.locator(".as-read li")
    expect(lines).to_have_count(2)
    expect(lines.nth(1)).to_contain_text("wherein the housing is of steel.")
    claim.locator("select").select_option("2")
    expect(lines).to_have_count(3)
    expect(lines.nth(1)).to_contain_text("further comprising a first bearing.")
    claim.locator(".as-read button").click()
    expect(page.locator("#said")).to_contain_text("copied")
    assert "of steel." in page.evaluate("navigator.clipboard.readText()")
    claim.locator(".unfold button", has_text="Elements").click()
    expect(claim.locator(".elements li")).to_have_text(
        ["The pump of claim 1 or 2", "wherein the housing is of steel."]
    )
    claim.locator(".unfold button", has_text="As read").click()
    expect(claim.locator(".as-read")).to_have_count(0)


def test_files_and_the_example(page, tmp_path):
    from docx import Document

    page.click("#tab-check")
    word = Document()
    for line in ("Claims", *FAULTY.splitlines()):
        word.add_paragraph(line)
    word.save(tmp_path / "draft.docx")
    patent = {"number": "US7A1", "title": "A cup", "claims": [{"number": 1, "text": "A cup."}]}
    (tmp_path / "own.json").write_text(json.dumps(patent))
    (tmp_path / "draft.txt").write_text("1. A lid.\n2. The lid of claim 1.\n2. The lid of claim 1.")
    for name, claims in (("draft.docx", 4), ("own.json", 1), ("draft.txt", 3)):
        page.set_input_files("#check-file", tmp_path / name)
        expect(page.locator(".claim")).to_have_count(claims)
        page.wait_for_selector("#report:not(.stale)")
    assert "number-duplicate" in rules(page)
    page.click("#check-example")
    expect(page.locator(".claim")).to_have_count(6)
    page.evaluate(
        """text => { const carried = new DataTransfer();
        carried.items.add(new File([text], "dropped.txt"));
        document.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true})); }""",
        FAULTY,
    )
    expect(page.locator(".claim")).to_have_count(4)


def test_the_page_shows_the_findings_of_the_terminal(page, tmp_path):
    from docx import Document

    paragraphs = (
        "Bicycle trailer", "A thin slat is one of less than 2 mm.", "What is claimed is:",
        "1. A trailer having a relatively thin slat.", "2. The trailer of claim 1 having a thin lid.",
        "3. The trailer of claim 1, wherein the canopy is about 5 mm thick",
    )  # fmt: skip
    draft = Document()
    for paragraph in paragraphs:
        draft.add_paragraph(paragraph)
    draft.save(tmp_path / "draft.docx")
    page.click("#tab-check")
    page.set_input_files("#check-file", tmp_path / "draft.docx")
    page.wait_for_selector("#report:not(.stale) .claim")
    assert shown(page) == printed(tmp_path / "draft.docx")
    assert ("1", "warning", "relative-term") in shown(page)  # the description explains "thin" alone
    page.reload()
    page.wait_for_selector("#report:not(.stale) .claim")
    assert shown(page) == printed(tmp_path / "draft.docx")
    (tmp_path / "draft.txt").write_text("\n".join(paragraphs))
    page.fill("#check-text", "")
    page.fill("#check-text", "\n".join(paragraphs))  # the whole draft, pasted
    page.wait_for_selector("#report:not(.stale) .claim")
    assert shown(page) == printed(tmp_path / "draft.txt")
    page.fill("#check-text", "\n".join(paragraphs[3:]))
    page.wait_for_selector("#report:not(.stale):not([aria-busy=true]) .claim")
    page.locator(".remark.note", has_text="relatively thin").wait_for()  # without a description


def shown(page):
    """Give claim, severity and rule of each finding on the page."""
    return sorted(
        (claim.get_attribute("data-claim"), level, rule)
        for claim in page.locator("#check-claims .claim").all()
        for level in ("error", "warning", "note")
        for rule in (
            one.text_content().split(":")[0]
            for one in claim.locator(f".margin .remark.{level} > small").all()
        )
    )


def printed(path):
    """Give claim, severity and rule of each finding in the terminal."""
    said = CliRunner().invoke(app, ["check", str(path)]).output
    return sorted(re.findall(r"^  claim (\d+): (\w+): ([\w-]+)$", said, re.MULTILINE))


def test_from_the_check_to_the_other_views(page, tmp_path):
    check(page)
    page.click("#check-edit")
    expect(page.locator("#check-text")).to_be_hidden()
    page.click("#check-edit")
    expect(page.locator("#check-text")).to_be_visible()
    name, data = downloaded(page, "#check-json", tmp_path)
    assert name == "check.json" and len(json.loads(data)["findings"]) == 3
    page.click("#check-graph")
    page.wait_for_selector(".forest")
    expect(page.locator(".row")).to_have_count(4)
    page.click("#tab-check")
    page.click("#check-similar")
    page.locator("#summary", has_text="to your claims").wait_for()


def test_bad_text_comes_with_its_remedy(page, tmp_path):
    page.click("#tab-check")
    (tmp_path / "picture.docx").write_bytes(b"PK\x03\x04 not a word file")
    page.set_input_files("#check-file", tmp_path / "picture.docx")
    page.locator("#notice", has_text="cannot be read").wait_for()
    page.goto(page.url.split("#")[0] + "#/check/US7")
    page.locator("#notice", has_text="US7").wait_for()
