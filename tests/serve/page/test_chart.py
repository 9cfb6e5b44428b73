"""The compare view: a chart of two documents."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from .steps import CLAIMS, downloaded, held_back, look_for


def compare(page, left=CLAIMS, right="US1000003B2", claims="1"):
    page.click("#tab-chart")
    page.fill("#chart-left", left)
    page.fill("#chart-right", right)
    page.fill("#chart-claims", claims)
    page.click("#chart-go")
    page.wait_for_selector("#chart:not(.stale) .chart-row[data-element]")


def test_a_draft_against_a_patent_of_the_index(page):
    compare(page)
    rows = page.locator(".chart-row[data-element]")
    expect(rows.first.locator("h2")).to_have_text("1[pre]")
    assert rows.count() >= 2
    expect(page.locator(".chart-row mark.shared").first).to_be_visible()
    expect(page.locator(".chart-row mark.lack").first).to_be_visible()
    expect(page.locator(".chart-row dt").first).to_have_text("cosine")
    expect(page.locator(".chart-note")).to_contain_text("not legal advice")
    rows.first.locator("summary").click()
    expect(rows.first.locator("details p").first).to_be_visible()
    page.fill("#chart-claims", "1 and 4")
    expect(page.locator("#chart")).to_have_class("stale")
    page.click("#chart-go")
    expect(page.locator('[data-element="4[pre]"]')).to_be_visible()
    page.reload()
    expect(page.locator('[data-element="4[pre]"]')).to_be_visible()


def test_ranges_of_claims(page):
    compare(page, CLAIMS, "US1000003B2", "2-4")
    labels = page.locator(".chart-row[data-element] h2").all_text_contents()
    assert {label[0] for label in labels} == set("234")
    page.fill("#chart-claims", "4 – 3")
    page.click("#chart-go")
    page.wait_for_selector("#chart:not(.stale) .chart-row[data-element]")
    labels = page.locator(".chart-row[data-element] h2").all_text_contents()
    assert {label[0] for label in labels} == set("34")


def test_claims_that_have_nothing_in_common_are_no_versions_of_each_other(page):
    compare(page, "1. A cup of clay.", "1. A method of sending data by light.")
    page.select_option("#chart-show", "diff")
    expect(page.locator(".chart-alert")).to_contain_text("different claim sets")
    page.fill("#chart-right", "1. A cup of white clay.")
    page.click("#chart-go")
    expect(page.locator('[data-change="amended"]')).to_have_count(1)
    expect(page.locator(".chart-alert")).to_have_count(0)


def test_a_chart_names_both_documents_on_every_screen(page):
    compare(page, "US1000004B2", "US1000003B2")
    names = page.locator(".chart-row.names span")
    for place, number in ((1, "US1000004B2"), (2, "US1000003B2")):
        expect(names.nth(place)).to_be_visible()
        expect(names.nth(place)).to_contain_text(number)


def test_two_patents_swapped(page):
    compare(page, "US1000004B2", "us 1,000,003", "")
    expect(page.locator(".chart-row.names")).to_contain_text("US1000004B2")
    page.click("#chart-swap")
    expect(page.locator("#chart-right")).to_have_value("US1000004B2")
    expect(page.locator(".chart-row.names span").nth(1)).to_contain_text("US1000003B2")


def test_from_a_hit_and_from_the_shortlist(page):
    look_for(page, "a pump with a shaft of steel")
    page.locator(".hit .keep").first.click()
    number = page.locator(".hit").first.get_attribute("data-number")
    page.locator(".hit .compare").first.click()
    expect(page.locator("#chart-left")).to_have_value("1. a pump with a shaft of steel")
    expect(page.locator("#chart-right")).to_have_value(number)
    expect(page.locator(".chart-row[data-element]").first).to_be_visible()
    page.click("#tab-search")
    look_for(page, "US1000003B2")
    page.locator(".hit .compare").first.click()
    expect(page.locator("#chart-left")).to_have_value("US1000003B2")
    page.click("#tab-kept")
    page.locator("#kept .compare").first.click()
    expect(page.locator("#chart-left")).to_have_value("1. a pump with a shaft of steel")


def test_what_a_later_version_changed(page, tmp_path):
    compare(page, CLAIMS, CLAIMS.replace("a motor", "an electric motor").replace("4.", "5."))
    page.select_option("#chart-show", "diff")
    expect(page.locator("#chart .change")).to_have_count(4)
    expect(page.locator('[data-change="amended"] ins')).to_have_text("an electric ")
    expect(page.locator('[data-change="amended"] del')).to_have_text("a ")
    expect(page.locator('[data-change="renumbered"] small')).to_have_text("renumbered, was claim 4")
    expect(page.locator(".chart-note").first).to_contain_text(
        "2 unchanged, 1 amended, 1 renumbered"
    )
    expect(page.locator("#chart-claims")).to_be_disabled()
    for ending, start in ((".html", b"<!doctype html>"), (".docx", b"PK"), (".json", b"{")):
        name, data = downloaded(page, f'#chart-exports [data-export="{ending}"]', tmp_path)
        assert name == f"diff-draft-draft{ending}" and data.startswith(start)
    expect(page.locator('#chart-exports [data-export=".xlsx"]')).to_be_hidden()
    page.reload()
    expect(page.locator("#chart .change")).to_have_count(4)
    page.select_option("#chart-show", "chart")
    expect(page.locator('[data-element="1[pre]"]')).to_be_visible()


def test_busy_and_late_answers(page):
    compare(page)
    with held_back(page, "**/chart"):
        page.fill("#chart-right", "US1000004B2")
        page.click("#chart-go")
        expect(page.locator("#chart")).to_have_class("stale")
        expect(page.locator("#chart")).to_have_attribute("aria-busy", "true")
    expect(page.locator("#chart")).not_to_have_class("stale")
    expect(page.locator(".chart-row.names")).to_contain_text("US1000004B2")


def test_exports(page, tmp_path):
    compare(page)
    for ending, start in ((".html", b"<!doctype html>"), (".xlsx", b"PK"), (".docx", b"PK")):
        name, data = downloaded(page, f'#chart-exports [data-export="{ending}"]', tmp_path)
        assert name == f"chart-draft-US1000003B2{ending}"
        assert data.startswith(start)
    _, data = downloaded(page, '#chart-exports [data-export=".json"]', tmp_path)
    assert json.loads(data)["rows"]


def test_problems_come_with_their_remedy(page):
    page.click("#tab-chart")
    page.click("#chart-go")
    expect(page.locator("#notice")).to_contain_text("Two documents")
    page.fill("#chart-left", "US1000003B2")
    page.fill("#chart-right", "US7777777B2")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("not in this index")
