"""What a person does on the page, in one word each."""

from __future__ import annotations

import contextlib

CLAIMS = """1. A pump comprising a housing, a shaft and a bearing.
2. The pump of claim 1, wherein the shaft carries a rotor.
3. A drive comprising a motor coupled to the rotor.
4. The drive of claim 3, further comprising a controller coupled to the motor."""
FAULTY = """1. A pump comprising a housing and the rotor.
2. The pump of claim 1, further comprising a first bearing.
3. The pump of claim 1 or 2, wherein the housing is of steel.
4. The pump of claim 9, wherein a lid is closed"""


def look_for(page, words="a pump with a shaft of steel"):
    """Search, and wait for the hits."""
    page.fill("#query", words)
    page.keyboard.press("Enter")
    page.wait_for_selector("#results:not(.loading):not(.stale) .hit")


def open_filters(page):
    """Unfold the filters, which a phone folds after a search."""
    if not page.locator("#f-ipc").is_visible():
        page.click("#filters-open")


def draw(page, text=CLAIMS):
    """Draw the graph of some claims."""
    page.click("#tab-graph")
    page.fill("#claims", text)
    page.click("#draw")
    page.wait_for_selector("#graph:not(.stale) .forest")


def check(page, text=FAULTY):
    """Check some claims."""
    page.click("#tab-check")
    page.fill("#check-text", text)
    page.wait_for_selector("#report:not(.stale) .claim")


@contextlib.contextmanager
def held_back(page, address):
    """Keep answers from coming for a while; gives the requests that wait."""
    waiting = []
    page.route(address, lambda route: waiting.append(route))
    try:
        yield waiting
    finally:
        page.unroute(address)
        for one in waiting:
            with contextlib.suppress(Exception):  # answered already, or given up by the page
                one.continue_()


def tab_to(page, selector, most=150):
    """Press Tab until the focus is there; the mouse is not touched."""
    for _ in range(most):
        if page.evaluate("one => document.activeElement.matches(one)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not lead to {selector}")


def too_wide(page):
    """Give how many pixels stand out on the right."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def downloaded(page, selector, folder):
    """Click, and give the name and the bytes of the file that comes."""
    with page.expect_download() as coming:
        page.click(selector)
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path.name, path.read_bytes()
