"""Small windows, fingers and paper."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .steps import check, draw, look_for, too_wide
from .test_views import is_sound

PHONE = pytest.mark.parametrize("screen", ["phone light"])
DESKTOP = pytest.mark.parametrize("screen", ["desktop dark"])
QUERY = (
    "A drill string with a downhole motor whose rotor turns in a stator of rubber. The stator is "
    "cooled by the drilling fluid and a sensor measures its temperature."
)


@PHONE
@pytest.mark.parametrize("width", [390, 360, 320])
def test_the_tabs_of_a_phone_with_a_long_shortlist(page, width):
    page.set_viewport_size({"width": width, "height": 700})
    look_for(page, "a pump with a shaft and a seal")
    for button in page.locator(".keep").all()[:12]:
        button.click()
    expect(page.locator("#kept-count")).to_have_text("12")
    is_sound(page, str(width))
    for name in ("theme", "tab-graph", "tab-kept"):  # nothing lies on them
        page.click(f"#{name}", trial=True)


@PHONE
def test_a_phone_shows_hits_not_the_form(page):
    expect(page.locator("#f-ipc")).to_be_visible()
    page.fill("#query", QUERY)
    page.focus("#f-level")
    page.select_option("#f-level", "claim")
    page.wait_for_selector("#results:not(.loading):not(.stale) .hit")
    expect(page.locator("#filters-open")).to_be_focused()  # what was chosen is folded
    expect(page.locator("#filters-open")).to_have_text("Filters (1)")
    expect(page.locator("#f-ipc")).to_be_hidden()
    assert page.locator(".hit").first.bounding_box()["y"] <= 470
    page.click("#filters-open")
    expect(page.locator("#filters-open")).to_have_attribute("aria-expanded", "true")
    page.fill("#f-ipc", "F16J")
    page.fill("#f-from", "2013")
    page.fill("#f-to", "2014")
    expect(page.locator("#filters-open")).to_have_text("Filters (3)")
    page.keyboard.press("Enter")
    page.wait_for_selector("#results:not(.loading):not(.stale) .hit")
    expect(page.locator("#f-ipc")).to_be_hidden()
    expect(page.locator("#filters-open")).to_have_attribute("aria-expanded", "false")


@PHONE
def test_a_new_search_on_a_phone_folds_the_facets(page):
    look_for(page, "a pump with a shaft")
    page.click("#facets summary")
    expect(page.locator("#facets .show")).to_be_visible()
    page.fill("#query", "a seal of rubber")
    expect(page.locator("#facets .show")).to_be_hidden()  # it counts the old hits
    page.keyboard.press("Enter")
    page.wait_for_selector("#results:not(.loading):not(.stale) .hit")
    expect(page.locator("#facets details")).not_to_have_attribute("open", "")


@PHONE
def test_the_panel_of_a_phone_does_not_cover_the_chosen_claim(page):
    draw(page, "\n".join(f"{n}. A pump with a part {n}." for n in range(1, 31)))
    page.mouse.move(2, 2)  # fingers do not hover
    for number in (10, 11, 12, 30, 13):
        page.tap(f'.row[data-claim="{number}"]')
        expect(page.locator("#panel h2")).to_have_text(f"Claim {number}")
        row = page.locator(f'.row[data-claim="{number}"]').bounding_box()
        assert row["y"] >= 54, number
        assert row["y"] + row["height"] <= page.locator("#panel").bounding_box()["y"], number


@PHONE
def test_controls_are_large_enough_for_fingers(page):
    look_for(page, "a pump with a shaft")
    for name in (".hit .keep", ".hit .button", ".hit .out", "#go", "#search-link"):
        assert page.locator(name).first.bounding_box()["height"] >= 36, name
    size = "one => parseFloat(getComputedStyle(one).fontSize)"
    for name in ("#query", "#f-ipc", "#f-rank", "#chart-left", "#check-text", "#claims"):
        assert page.locator(name).evaluate(size) >= 16, name  # iOS zooms into smaller ones


@pytest.mark.parametrize("screen", ["desktop light"])
@pytest.mark.parametrize("width", [1366, 1024, 800, 640])
def test_keeping_a_hit_moves_nothing(page, width):
    page.set_viewport_size({"width": width, "height": 768})
    look_for(page, "a pump with a shaft")
    buttons = page.locator(".hit").first.locator(".hit-actions > :is(button, a)")
    places = [one.bounding_box() for one in buttons.all()]
    assert len({box["y"] for box in places}) == 1
    buttons.first.click()
    assert [one.bounding_box() for one in buttons.all()] == places
    tabs = page.locator(".bar nav a").all()
    assert len({one.bounding_box()["height"] for one in tabs}) == 1  # none is in two lines
    page.click("#tab-chart")
    assert page.locator("#chart-left").bounding_box()["width"] > 250
    assert too_wide(page) <= 0


@DESKTOP
def test_on_paper(page):
    look_for(page)
    page.emulate_media(media="print")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    for name in (".bar", ".foot", "#search-form", "#facets", ".hit-actions >> nth=0"):
        expect(page.locator(name)).to_be_hidden()
    expect(page.locator(".hit").first).to_be_visible()
    page.emulate_media(media="screen")
    check(page)
    page.emulate_media(media="print")
    expect(page.locator("#check-editor")).to_be_hidden()
    expect(page.locator(".remark").first).to_be_visible()
    page.emulate_media(media="screen")
    draw(page)
    page.emulate_media(media="print")
    expect(page.locator(".forest")).to_be_visible()
    expect(page.locator("#panel")).to_be_hidden()
    top = page.locator(".forest").bounding_box()["y"]
    assert top < 200  # no empty page before it
