"""The page with the keyboard alone."""

from __future__ import annotations

from playwright.sync_api import expect

from .steps import CLAIMS, FAULTY, check, draw, look_for, tab_to

FOCUSABLE = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter(one => one.tabIndex >= 0 && !one.disabled && !one.closest('[inert]') && one.checkVisibility({visibilityProperty: true}))
  .map(one => { one.dataset.seen ??= String(Math.random()); return one.dataset.seen; })"""
NOW = """() => { const one = document.activeElement; const style = getComputedStyle(one);
  const shown = style.outlineStyle !== 'none' || one.parentElement?.matches(':focus-within')
    && getComputedStyle(one.closest('.ask, .button, label') || one).outlineStyle !== 'none' || one.closest('.ask');
  return [one.dataset.seen || '', Boolean(shown) || one === document.body, one.outerHTML.slice(0, 120)]; }"""


def every_stop(page):
    """Tab through the whole page: every control is reached once, and shows that it has the focus."""
    wanted = set(page.evaluate(FOCUSABLE))
    page.evaluate("document.activeElement.blur(); document.querySelector('.skip').focus()")
    met = {page.evaluate(NOW)[0]}
    for _ in range(len(wanted) + 5):
        page.keyboard.press("Tab")
        seen, shown, what = page.evaluate(NOW)
        assert shown, f"nothing shows that this has the focus: {what}"
        met.add(seen)
    missed = wanted - met
    names = page.evaluate(
        "keys => keys.map(key => document.querySelector(`[data-seen='${key}']`)?.outerHTML.slice(0, 120))",
        list(missed),
    )
    assert not missed, names


def test_every_control_of_every_view_is_reached(page):
    every_stop(page)
    look_for(page, "a pump")
    page.locator(".keep").first.click()
    every_stop(page)
    page.click("#tab-kept")
    expect(page.locator("#view-kept")).to_be_visible()
    every_stop(page)
    check(page)
    every_stop(page)
    draw(page)
    every_stop(page)


def test_search_narrow_keep_and_export(page):
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("a pump with a seal")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    if page.locator("#facets details:not([open])").count():
        tab_to(page, "#facets summary")
        page.keyboard.press("Enter")
    tab_to(page, '[data-facet="office:EP"]')
    page.keyboard.press("Space")
    expect(page.locator(".hit")).to_have_count(10)
    expect(page.locator('[data-facet="office:EP"]')).to_be_focused()
    tab_to(page, ".hit .keep")
    page.keyboard.press("Space")
    expect(page.locator("#kept-count")).to_have_text("1")
    page.keyboard.press("j")  # the next hit
    expect(page.locator(".hit").nth(1).locator("h2 a")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator(".hit").nth(0).locator("h2 a")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
    with page.expect_download():
        tab_to(page, '#found-actions [data-export=".json"]')
        page.keyboard.press("Enter")


def test_check_and_walk_its_words(page):
    tab_to(page, "#tab-check")
    page.keyboard.press("Enter")
    expect(page.locator("#check-text")).to_be_focused()
    expect(page.locator("#check-text")).to_have_value("")  # the key went to the link alone
    page.keyboard.insert_text(FAULTY)
    page.wait_for_selector("#report:not(.stale) .claim")
    tab_to(page, '[data-claim="1"] .word')
    expect(page.locator("#tip")).to_contain_text("not introduced")
    page.keyboard.press("Enter")  # to the note
    expect(page.locator('[data-claim="1"] .jump')).to_be_focused()
    page.keyboard.press("Enter")  # to the words
    expect(page.locator("#check-text")).to_be_focused()
    tab_to(page, '[data-claim="3"] .word')
    expect(page.locator("#tip")).to_contain_text("introduced in claim 1")
    tab_to(page, '[data-claim="3"] .unfold button')
    page.keyboard.press("Space")
    expect(page.locator(".as-read")).to_be_visible()


def test_draw_walk_and_switch(page):
    tab_to(page, "#tab-graph")
    page.keyboard.press("Enter")
    expect(page.locator("#claims")).to_be_focused()
    page.keyboard.insert_text(CLAIMS)
    tab_to(page, "#draw")
    page.keyboard.press("Enter")
    page.wait_for_selector(".forest")
    tab_to(page, ".row")
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_contain_text("Claim 1")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#panel h2")).to_contain_text("Claim 2")
    tab_to(page, '#panel [data-walk="1"]')
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_contain_text("Claim 1")
    tab_to(page, "#forget")
    page.keyboard.press("Enter")
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    tab_to(page, "#theme")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_the_link_past_the_navigation_stays_in_its_view(page):
    page.click("#tab-graph")  # opens it at once; nothing moves the focus later
    page.evaluate("document.querySelector('.skip').focus()")
    page.keyboard.press("Enter")
    expect(page.locator("#view-graph")).to_be_visible()
    expect(page.locator("#main")).to_be_focused()
