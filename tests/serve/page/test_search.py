"""The search view: filters, hits, facets, busy and stale states."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

from playwright.sync_api import expect

from ..conftest import HOSTILE
from .steps import CLAIMS, downloaded, held_back, look_for, open_filters


def test_filters_and_shared_terms(page):
    look_for(page)
    first = page.locator(".hit .pair").first
    expect(first.locator("> div")).to_have_count(2)
    assert "shaft" in {text.lower() for text in page.locator("mark.shared").all_text_contents()}
    open_filters(page)
    page.fill("#f-ipc", "H02M")
    page.fill("#f-from", "2010")
    page.fill("#f-to", "2019")
    page.fill("#f-office", "US")
    page.fill("#f-assignee", "acme pumps")
    page.click("#go")
    expect(page.locator(".hit")).to_have_count(4)
    expect(page.locator("#summary")).to_contain_text('assignee:"acme pumps"')
    assert set(page.locator(".hit .chip").all_text_contents()) == {"H02M 7/49"}


def test_choices_search_at_once(page):
    look_for(page)
    expect(page.locator("#summary")).to_contain_text("vectors and words together, in σ")
    expect(page.locator("#score-meaning")).to_be_hidden()
    page.click("#score-note summary")
    expect(page.locator("#score-meaning")).to_contain_text("standard deviations")
    expect(page.locator(".score small").first).to_have_text("σ")
    assert page.locator(".parts dt").all_text_contents()[:2] == ["cosine", "words"]
    open_filters(page)
    page.select_option("#f-rank", "words")
    expect(page.locator("#summary")).to_contain_text("similarity of the words")
    page.select_option("#f-rank", "vector")
    expect(page.locator("#summary")).to_contain_text("cosine of the two patents")
    page.select_option("#f-level", "claim")
    expect(page.locator("#summary")).to_contain_text("cosine of the two claims")
    page.select_option("#f-lang", "de")
    expect(page.locator("#summary")).to_contain_text("Nothing was found with language:de")
    page.select_option("#f-lang", "en")
    page.check("#f-families")
    expect(page.locator(".meta", has_text="of its family").first).to_be_visible()


def test_filters_alone_are_a_search(page):
    page.fill("#f-ipc", "A61B")
    page.keyboard.press("Enter")
    expect(page.locator(".hit")).to_have_count(4)
    expect(page.locator("#summary")).to_have_text(
        "4 found with ipc:A61B · no score: every patent that matches the fields, by number"
    )
    expect(page.locator("#score-note")).to_be_hidden()
    page.reload()
    expect(page.locator(".hit")).to_have_count(4)
    open_filters(page)
    page.fill("#f-ipc", "A01B")
    page.click("#go")
    expect(page.locator("#summary")).to_have_text(re.compile("^Nothing was found with ipc:A01B. "))


def test_narrowing_leads_to_the_first_of_the_hits(page):
    look_for(page, "a pump with a shaft and a seal")
    if not page.locator("#facets details[open]").count():
        page.click("#facets summary")
    page.evaluate("scrollTo(0, 2000)")
    page.locator('[data-facet="office:EP"]').evaluate("one => one.click()")
    expect(page.locator(".hit")).to_have_count(10)
    assert page.locator("#hits").bounding_box()["y"] >= 0
    show = page.locator("#facets .show")
    if show.is_visible():  # a phone's list of facets lies above the hits
        expect(show).to_have_text("Show 10 hits")
        show.click()
        expect(page.locator("#facets details[open]")).to_have_count(0)
        expect(page.locator(".hit h2 a").first).to_be_focused()
        assert page.locator(".hit").first.bounding_box()["y"] < 300


def test_scores_below_the_mean_have_a_real_minus(page):
    def lowered(route):
        said = route.fetch()
        body = said.json()
        body["hits"][0]["score"] = -0.14
        route.fulfill(response=said, json=body)

    page.route("**/search", lowered)
    look_for(page)
    expect(page.locator(".score b").first).to_have_text("−0.14")


def test_more_hits_and_facets(page):
    look_for(page, "a pump with a shaft and a seal")
    expect(page.locator(".hit")).to_have_count(25)
    page.click("#more")
    expect(page.locator(".hit")).to_have_count(44)
    expect(page.locator("#more")).to_be_hidden()
    expect(page.locator(".hit").nth(25).locator("h2 a")).to_be_focused()
    if not page.locator("#facets details[open]").count():
        page.click("#facets summary")  # folded on a phone
    expect(page.locator("#facets legend")).to_have_text(["office", "IPC", "assignee", "year"])
    page.check('[data-facet="office:EP"]')
    expect(page.locator(".hit")).to_have_count(10)
    expect(page.locator("#summary")).to_contain_text("10 of the 44")
    page.check('[data-facet="year:2013"]')
    numbers = page.locator(".hit .meta b").all_text_contents()
    assert numbers and all(number.startswith("EP") for number in numbers)
    page.click("#facets-clear")
    expect(page.locator("#more")).to_be_visible()
    page.check('[data-facet="IPC:F16J"]')
    page.check('[data-facet="assignee:Gamma Ltd."]')
    page.click("#facets-everywhere")
    expect(page.locator("#f-ipc")).to_have_value("F16J")
    expect(page.locator("#f-assignee")).to_have_value("Gamma Ltd.")
    expect(page.locator(".hit")).to_have_count(15)


def test_old_hits_never_stand_at_full_strength_under_a_new_query(page):
    look_for(page)
    ink = page.locator(".hit h2 a").first.evaluate("one => getComputedStyle(one).color")
    assert page.locator("#facets").evaluate("one => getComputedStyle(one).color") == ink
    page.locator("#query").press_sequentially(" x")
    expect(page.locator("#results")).to_have_class("stale")
    expect(page.locator("#stale")).to_be_visible()
    for name in (".hit h2 a", "#facets", "#search-link"):
        muted = page.locator(name).first.evaluate("one => getComputedStyle(one).color")
        assert muted != ink, name
    page.click("#undo")
    expect(page.locator("#query")).to_have_value("a pump with a shaft of steel")
    expect(page.locator("#results")).not_to_have_class("stale")
    open_filters(page)
    page.fill("#f-ipc", "A61B")  # a filter makes them old, too
    expect(page.locator("#results")).to_have_class("stale")
    with held_back(page, "**/search"):
        page.click("#go")
        expect(page.locator("#results")).to_have_class("loading")
        expect(page.locator("#results")).to_have_attribute("aria-busy", "true")
        assert page.locator(".hit h2 a").first.evaluate("one => getComputedStyle(one).color") != ink
    expect(page.locator("#results")).not_to_have_class("loading")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")
    assert page.locator(".hit h2 a").first.evaluate("one => getComputedStyle(one).color") == ink


def test_the_later_of_two_searches_wins(page):
    waiting = []
    page.route("**/search", lambda route: waiting.append(route))
    page.fill("#query", "a pump")
    page.keyboard.press("Enter")
    page.fill("#query", "US1000003B2")
    page.keyboard.press("Enter")
    while len(waiting) < 2:
        page.wait_for_timeout(20)
    with page.expect_response("**/search"):
        waiting[1].continue_()
    expect(page.locator("#summary")).to_contain_text("to US1000003B2")
    with page.expect_response("**/search"):
        waiting[0].continue_()
    expect(page.locator("#summary")).to_contain_text("to US1000003B2")


def test_links_out_wait_for_a_click(page):
    look_for(page)  # the fixture fails on any foreign request
    links = page.locator('.hit[data-number="US1000003B2"] .out')
    expect(links).to_have_count(2)
    assert [link.get_attribute("href") for link in links.all()] == [
        "https://patents.google.com/patent/US1000003B2",
        "https://worldwide.espacenet.com/patent/search?q=pn%3DUS1000003B2",
    ]
    assert {link.get_attribute("rel") for link in links.all()} == {"noopener noreferrer"}
    expect(page.locator('.hit[data-number="o\'neil"] .out')).to_have_count(0)


def test_a_hit_opens_its_graph_and_its_check(page):
    look_for(page, "a pump")
    page.click('.hit[data-number="US1000003B2"] a.button:has-text("Claim graph")')
    page.wait_for_selector(".forest")
    expect(page.locator(".row")).to_have_count(3)
    expect(page.locator("#graph-sub")).to_contain_text("US1000003B2")
    page.click("#similar")
    page.locator("#summary", has_text="to US1000003").wait_for()
    expect(page.locator('.hit[data-number="US1000003B2"]')).to_have_count(0)
    page.go_back()
    page.wait_for_selector(".forest")
    page.go_back()
    page.wait_for_selector(".hit")
    page.click('.hit[data-number="US1000003B2"] a.button:has-text("Check")')
    page.wait_for_selector("#report:not(.stale) .claim")
    expect(page.locator(".claim")).to_have_count(3)


def test_a_file_is_searched_with(page, tmp_path):
    (tmp_path / "draft.txt").write_text("Claims\n" + CLAIMS)
    page.set_input_files("#search-file", tmp_path / "draft.txt")
    page.locator("#summary", has_text="to your claims").wait_for()
    expect(page.locator(".pair h3").first).to_contain_text("your claim")


def test_exports(page, tmp_path):
    look_for(page, "ipc:A61B a pump")
    name, data = downloaded(page, '#found-actions [data-export=".csv"]', tmp_path)
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert name == "hits.csv" and len(rows) == 4
    assert {row["rank"] for row in rows} == {"1", "2", "3", "4"}
    assert {row["assignees"] for row in rows} == {"Acme Pumps, Inc."}
    name, data = downloaded(page, '#found-actions [data-export=".xlsx"]', tmp_path)
    sheet = zipfile.ZipFile(io.BytesIO(data)).read("xl/worksheets/sheet1.xml").decode()
    assert name == "hits.xlsx" and sheet.count("<row ") == 5
    _, data = downloaded(page, '#found-actions [data-export=".json"]', tmp_path)
    found = json.loads(data)
    assert len(found) == 4 and found[0]["query"] == "a pump" and found[0]["match"]["text"]


def test_a_warning_stands_beside_the_hits(page):
    def warned(route):
        said = route.fetch()
        route.fulfill(response=said, json={**said.json(), "warning": "Thai is not known"})

    page.route("**/search", warned)
    look_for(page)
    expect(page.locator("#summary b")).to_have_text("Note: Thai is not known.")


def test_bad_input_comes_with_its_remedy(page):
    page.fill("#query", "a pump date:soon")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("The value of date:soon cannot be read.")
    expect(page.locator("#notice")).to_contain_text("date:2014")
    page.click("#tab-graph")
    expect(page.locator("#notice")).to_be_hidden()
    page.click("#tab-search")
    page.fill("#query", "")
    page.click("#go")
    expect(page.locator("#notice")).to_contain_text("empty")


def test_an_error_that_comes_late_stays_with_its_view(page):
    with held_back(page, "**/search"):
        page.fill("#query", "a pump date:soon")
        page.keyboard.press("Enter")
        expect(page.locator("#results")).to_have_attribute("aria-busy", "true")
        page.click("#tab-graph")
        expect(page.locator("#view-graph")).to_be_visible()
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#notice")).to_be_hidden()


def test_what_the_page_shows_is_escaped(page):
    look_for(page, f"a pump {HOSTILE}")
    page.wait_for_selector('.hit[data-number="US2000000B2"]')
    expect(page.locator('.hit[data-number="US2000000B2"] h2')).to_have_text(HOSTILE)
    page.click('.hit[data-number="US2000000B2"] .keep')
    page.click("#tab-kept")
    expect(page.locator("#kept h2")).to_have_text(HOSTILE)
    page.click('#kept a.button:has-text("Claim graph")')
    page.wait_for_selector(".forest")
    expect(page.locator("#graph-title")).to_have_text(HOSTILE)
    page.click(".row")
    expect(page.locator("#panel")).to_contain_text(HOSTILE)
    page.click("#graph-check")
    page.wait_for_selector("#report:not(.stale) .claim")
    expect(page.locator(".claim-words")).to_contain_text(HOSTILE)
    assert page.evaluate("document.querySelectorAll('main script, main img').length") == 0
