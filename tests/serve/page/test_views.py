"""Every view on every screen: nothing stands out, axe finds nothing; every control has a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from phage.serve.app import PAGE

from .steps import FAULTY, check, draw, held_back, look_for, too_wide

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
WHITE, DARK = "rgb(255, 255, 255)", "rgb(16, 21, 27)"
ALL = [f"{size} {colours}" for size in ("desktop", "phone") for colours in ("light", "dark")]


def is_sound(page, name):
    """Ask axe-core, which looks at contrast, names, roles, order of headings and more."""
    found = axe.Axe().run(page).response["violations"]
    told = [
        (one["id"], node["target"], [why["message"] for why in node["any"]])
        for one in found
        for node in one["nodes"]
    ]
    assert told == [], name
    assert too_wide(page) <= 0, name
    nav = [one.bounding_box() for one in page.locator(".bar nav a:visible, .bar #theme").all()]
    ends = [0, *(box["x"] + box["width"] for box in nav)]
    beside = [box["x"] >= end for box, end in zip(nav, ends, strict=False)]
    assert all(beside), name  # none covers another
    assert ends[-1] <= page.viewport_size["width"], name


@pytest.mark.parametrize("screen", ALL)
def test_search_views(page):
    is_sound(page, "start")
    look_for(page)
    page.locator(".keep").first.click()
    is_sound(page, "hits")
    if not page.locator("#facets details[open]").count():
        page.click("#facets summary")
    page.check('[data-facet="office:EP"]')
    is_sound(page, "narrowed")
    page.fill("#query", "something else")
    expect(page.locator("#results")).to_have_class("stale")
    is_sound(page, "stale hits")
    with held_back(page, "**/search"):
        page.keyboard.press("Enter")
        expect(page.locator("#results")).to_have_class("loading")
        is_sound(page, "busy")
    page.click("#tab-kept")
    expect(page.locator("#kept .hit")).to_have_count(1)
    is_sound(page, "shortlist")
    page.click("#kept-clear")
    is_sound(page, "an empty shortlist")


@pytest.mark.parametrize("screen", ALL)
def test_check_views(page):
    page.click("#tab-check")
    expect(page.locator("#view-check")).to_be_visible()
    is_sound(page, "nothing to check")
    check(page)
    for button in page.locator('[data-claim="3"] .unfold button').all():
        button.click()
    page.locator('[data-claim="1"] mark.word').focus()
    is_sound(page, "findings")
    with held_back(page, "**/check"):
        page.locator("#check-text").press_sequentially(" ")
        is_sound(page, "findings of an older text")
    page.click("#check-edit")
    is_sound(page, "without the text")


@pytest.mark.parametrize("screen", ALL)
def test_graph_views(page):
    page.click("#tab-graph")
    expect(page.locator("#view-graph")).to_be_visible()
    is_sound(page, "the form")
    page.click("#draw")
    is_sound(page, "an error")
    draw(page, FAULTY)
    is_sound(page, "a graph")
    page.click('#relations [data-relation="antecedent"]')
    page.click('.row[data-claim="3"]')
    is_sound(page, "a claim")
    page.click("#as-mask")
    is_sound(page, "the mask")


@pytest.mark.parametrize("screen", ALL)
def test_the_chart(page):
    page.click("#tab-chart")
    expect(page.locator("#view-chart")).to_be_visible()
    is_sound(page, "the form")
    page.fill("#chart-left", FAULTY)
    page.fill("#chart-right", "US1000003B2")
    page.click("#chart-go")
    page.wait_for_selector("#chart:not(.stale) .chart-row[data-element]")
    is_sound(page, "a chart")
    page.fill("#chart-claims", "2")
    expect(page.locator("#chart")).to_have_class("stale")
    is_sound(page, "a chart of other claims")
    page.select_option("#chart-show", "diff")
    page.wait_for_selector("#chart:not(.stale) .change")
    is_sound(page, "a diff")


@pytest.mark.parametrize("screen", ALL)
def test_the_api_page(page, running):
    page.goto(f"{running}/docs")
    page.wait_for_selector("#POST-check")
    expect(page.locator("#POST-check h2 code")).to_have_text("/check")
    expect(page.locator("#POST-check")).to_contain_text("at most 400,000 characters")
    page.click("#POST-check .trial button")
    expect(page.locator("#POST-check pre")).to_contain_text('"findings"')
    page.fill("#GET-patents-number- .trial input", "US1000003B2")
    page.click("#GET-patents-number- .trial button")
    expect(page.locator("#GET-patents-number- pre")).to_contain_text("US1000003B2")
    page.fill("#POST-graph .trial textarea", '{"text": "<img src=x onerror=alert(1)>"')
    page.click("#POST-graph .trial button")
    expect(page.locator("#POST-graph pre")).to_contain_text("JSON")
    expect(page.locator("#POST-read .trial")).to_have_count(0)
    is_sound(page, "the API page")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_dark_follows_the_system_and_the_button(page):
    ground = page.locator("body")
    page.emulate_media(color_scheme="light")
    expect(ground).to_have_css("background-color", WHITE)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector('html[data-theme="dark"]')
    expect(ground).to_have_css("background-color", DARK)
    page.click("#theme")  # from as-the-system to light
    expect(ground).to_have_css("background-color", WHITE)
    page.click("#theme")
    page.emulate_media(color_scheme="light")
    expect(ground).to_have_css("background-color", DARK)
    page.reload()
    expect(ground).to_have_css("background-color", DARK)


def test_a_server_with_a_token_and_without_an_index(page, guarded):
    page.goto(guarded)
    expect(page.locator("#tab-search")).to_be_hidden()
    page.fill("#token", "wrong")
    page.keyboard.press("Enter")
    page.fill("#check-text", FAULTY)
    expect(page.locator("#token-form")).to_be_visible()  # asked for again
    page.fill("#token", "secret")
    page.keyboard.press("Enter")
    expect(page.locator(".claim")).to_have_count(4)
    is_sound(page, "without an index")
    page.goto(f"{guarded}/docs")
    expect(page.locator("#POST-check")).to_be_visible()


def test_every_control_has_a_test():
    html = (PAGE / "index.html").read_text()
    controls = re.findall(r'<(?:button|input|select|textarea)[^>]*\bid="([\w-]+)"', html)
    controls += re.findall(r'<a[^>]*\bid="([\w-]+)"', html)
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    assert len(controls) > 40
    assert [one for one in controls if f"#{one}" not in tests] == []
