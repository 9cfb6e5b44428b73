"""What the tab remembers, what a link holds, what one click forgets; the shortlist."""

from __future__ import annotations

import csv
import io
import json
import re

from playwright.sync_api import expect

from .steps import CLAIMS, FAULTY, check, downloaded, draw, look_for, open_filters

SECRET = "a zirconium frobnicator"


def test_a_reload_brings_everything_back(page):
    look_for(page, SECRET)
    open_filters(page)
    page.fill("#f-ipc", "F04B")
    page.click("#go")
    page.locator("#summary", has_text="ipc:F04B").wait_for()
    assert re.search(r"#/search/\d+$", page.url)
    page.reload()
    page.wait_for_selector(".hit")
    expect(page.locator("#query")).to_have_value(SECRET)
    expect(page.locator("#f-ipc")).to_have_value("F04B")
    page.go_back()  # to the search without the filter
    expect(page.locator("#f-ipc")).to_have_value("")
    page.wait_for_selector("#results:not(.loading):not(.stale) .hit")
    check(page)
    page.select_option("#check-office", "EP")
    page.reload()
    expect(page.locator("#check-text")).to_have_value(FAULTY)
    expect(page.locator("#check-office")).to_have_value("EP")
    page.wait_for_selector("#report:not(.stale) .claim")
    draw(page)
    page.reload()
    page.wait_for_selector("#graph:not(.stale) .forest")
    page.click("#other")
    expect(page.locator("#claims")).to_have_value(CLAIMS)


def test_words_that_were_not_searched_yet_survive_too(page):
    page.fill("#query", SECRET)
    page.reload()
    expect(page.locator("#query")).to_have_value(SECRET)


def test_pasted_claims_survive_a_reload(page, tmp_path):
    (tmp_path / "draft.txt").write_text(CLAIMS)
    page.set_input_files("#search-file", tmp_path / "draft.txt")
    page.locator("#summary", has_text="to your claims").wait_for()
    page.reload()
    page.locator("#summary", has_text="to your claims").wait_for()


def test_one_click_forgets(page):
    look_for(page, SECRET)
    page.locator(".keep").first.click()
    check(page, f"1. {SECRET}.")
    with page.expect_navigation():  # the old page, too, has what is waited for
        page.click("#forget")
    page.locator("#status", has_text="·").wait_for(state="attached")
    stored = page.evaluate("JSON.stringify(sessionStorage) + JSON.stringify(localStorage)")
    assert "frobnicator" not in stored
    expect(page.locator("#query")).to_have_value("")
    expect(page.locator("#kept-count")).to_have_text("")
    page.click("#tab-check")
    expect(page.locator("#check-text")).to_have_value("")


def test_no_address_that_reaches_the_server_holds_a_word(page):
    asked = []
    page.on("request", lambda one: asked.append(one.url))
    look_for(page, SECRET)
    page.click("#search-link")
    expect(page.locator("#said")).to_contain_text("Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "#/search?z=" in link and "zirconium" not in link
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".hit")
    expect(page.locator("#query")).to_have_value(SECRET)
    assert re.search(r"#/search/\d+$", page.url)  # and the address bar holds none either
    sent = [url for url in asked if url.startswith("http")]
    assert sent and not any("zirconium" in url or "z=" in url.split("#")[0] for url in sent)


def test_a_link_to_a_check(page):
    check(page)
    page.select_option("#check-office", "CN")
    page.click("#check-link")
    expect(page.locator("#said")).to_contain_text("Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#check-text")).to_have_value(FAULTY)
    expect(page.locator("#check-office")).to_have_value("CN")
    page.goto("about:blank")
    page.goto(link[:-20])
    expect(page.locator("#notice")).to_contain_text("damaged")


def test_an_address_written_by_hand_is_a_search(page):
    page.goto(page.url.split("#")[0] + "#/search?q=a+pump&ipc=A61B&rank=words")
    page.wait_for_selector(".hit")
    expect(page.locator("#f-ipc")).to_have_value("A61B")
    expect(page.locator("#f-rank")).to_have_value("words")


def test_the_shortlist(page, tmp_path):
    page.click("#tab-kept")
    expect(page.locator("#kept-sub")).to_contain_text("Nothing is kept yet")
    expect(page.locator("#kept-exports")).to_be_hidden()
    page.click("#tab-search")
    look_for(page)
    keep = page.locator('.hit[data-number="US1000003B2"] .keep')
    keep.click()
    expect(keep).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#kept-count")).to_have_text("1")
    look_for(page, "a seal")
    page.locator(".keep").first.click()
    page.reload()
    page.wait_for_selector(".hit")
    page.click("#tab-kept")
    expect(page.locator("#kept .hit")).to_have_count(2)
    # "your words" stand on the card already
    expect(page.locator("#kept .from")).to_have_text(
        ["score: vectors and words together, in σ"] * 2
    )
    expect(page.locator("#kept .pair h3", has_text="your words")).to_have_count(2)
    expect(page.locator("#kept .meter")).to_have_count(0)  # the best of what?
    name, data = downloaded(page, '#kept-exports [data-export=".csv"]', tmp_path)
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert name == "shortlist.csv"
    assert [row["query"] for row in rows] == ["a pump with a shaft of steel", "a seal"]
    name, data = downloaded(page, '#kept-exports [data-export=".xlsx"]', tmp_path)
    assert name == "shortlist.xlsx" and data.startswith(b"PK")
    _, data = downloaded(page, '#kept-exports [data-export=".json"]', tmp_path)
    assert json.loads(data)[0]["number"] == "US1000003B2"
    page.locator("#kept .keep").first.click()
    expect(page.locator("#kept .hit")).to_have_count(1)
    expect(page.locator("#kept .keep")).to_be_focused()  # of the next one
    page.click("#kept-clear")
    expect(page.locator("#kept .hit")).to_have_count(0)
    expect(page.locator("#kept-count")).to_have_text("")
    expect(page.locator("#kept-clear")).to_have_text("Undo: bring back 1")
    expect(page.locator("#kept-clear")).to_be_focused()
    page.click("#kept-clear")
    expect(page.locator("#kept .hit")).to_have_count(1)
    expect(page.locator("#kept-count")).to_have_text("1")
    expect(page.locator("#kept-clear")).to_have_text("Remove all")
    page.locator("#kept .keep").click()
    expect(page.locator("#kept .hit")).to_have_count(0)
    expect(page.locator("#kept-title")).to_be_focused()
    expect(page.locator("#kept-clear")).to_be_hidden()


def test_a_kept_hit_of_a_number_says_what_it_was_found_with(page):
    look_for(page, "US1000003B2")
    page.locator(".keep").first.click()
    page.click("#tab-kept")
    expect(page.locator("#kept .from")).to_contain_text("found with: US1000003B2 · score: ")
