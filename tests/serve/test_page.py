"""The page in a real browser: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import json
import shutil

import pytest

from .conftest import HOSTILE

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
playwright.expect.set_options(timeout=30_000)  # for a busy machine
expect = playwright.expect  # waits: what follows a click may come one task later
CHROMIUM = shutil.which("chromium")
WAYS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WHITE, DARK = "rgb(255, 255, 255)", "rgb(16, 21, 27)"
CLAIMS = """1. A pump comprising a housing, a shaft and a bearing.
2. The pump of claim 1, wherein the shaft carries a rotor.
3. A drive comprising a motor coupled to the rotor.
4. The drive of claim 3, further comprising a controller coupled to the motor."""


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=WAYS)
        yield made
        made.close()


@pytest.fixture
def page(browser, running):
    """A fresh page that fails the test on any error, broken policy or foreign request."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, accept_downloads=True)
    one = context.new_page()
    wrong: list[str] = []
    expected = ("status of 4",)  # a refused request is logged by the browser itself
    one.on("pageerror", lambda error: wrong.append(str(error)))
    one.on(
        "console",
        lambda said: (
            wrong.append(said.text)
            if said.type == "error" and not any(part in said.text for part in expected)
            else None
        ),
    )
    one.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((running, "blob:", "data:")) else wrong.append(asked.url)
        ),
    )
    one.on("dialog", lambda dialog: wrong.append("a script ran: " + dialog.message))
    one.goto(running)
    expect(one.locator("#status")).to_contain_text("·")  # it has asked the server and drawn
    yield one
    context.close()
    assert wrong == []


def draw(page, text=CLAIMS):
    page.click("#tab-graph")
    page.fill("#claims", text)
    page.click("#draw")
    page.wait_for_selector(".forest")


def point_at(page, selector):
    """Move onto the middle of a line; its box's middle lies beside a curve."""
    place = page.eval_on_selector(
        selector + " .line",
        """path => { const at = path.getPointAtLength(path.getTotalLength() / 2);
        const m = path.getScreenCTM(); return {x: at.x * m.a + m.e, y: at.y * m.d + m.f}; }""",
    )
    page.mouse.move(place["x"], place["y"])
    return place


def test_search_filter_and_shared_terms(page):
    page.fill("#query", "a pump with a shaft of steel")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    everything = page.locator(".hit").count()
    assert everything > 4
    first = page.locator(".hit .pair").first
    expect(first.locator("> div")).to_have_count(2)
    assert "shaft" in {text.lower() for text in page.locator("mark.shared").all_text_contents()}
    page.fill("#f-ipc", "H02M")
    page.fill("#f-from", "2010")
    page.click("#go")
    page.wait_for_selector(f".hit:nth-child({everything})", state="detached")
    expect(page.locator(".hit .chip", has_not_text="H02M 7/49")).to_have_count(0)
    assert page.locator(".hit .chip").count() > 0
    assert "ipc=H02M" in page.url
    page.reload()  # an address is a search
    page.wait_for_selector(".hit")
    expect(page.locator("#f-ipc")).to_have_value("H02M")


def test_a_hit_opens_its_graph_and_the_graph_finds_similar(page):
    page.fill("#query", "a pump")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    hit = page.locator('.hit[data-number="US1000003B2"]')
    hit.locator("a.button").click()
    page.wait_for_selector(".forest")
    expect(page.locator(".row")).to_have_count(3)
    expect(page.locator("#graph-sub")).to_contain_text("US1000003B2")
    page.click("#similar")
    page.locator("#summary", has_text="to US1000003").wait_for()
    expect(page.locator('.hit[data-number="US1000003B2"]')).to_have_count(0)
    page.go_back()
    page.wait_for_selector(".forest")


def test_hovering_a_line_shows_its_evidence_in_the_claims(page):
    draw(page)
    selector = '.edge[data-source="2"][data-target="3"]'
    point_at(page, selector)
    page.wait_for_selector("#tip:visible")
    expect(page.locator("#tip")).to_contain_text("claim 2 → claim 3")
    expect(page.locator("#panel .claim-text")).to_have_count(2)
    marks = page.locator("#panel mark.lit").all_text_contents()
    assert len(marks) >= 2  # where it is taken up, and where it comes from
    assert all("rotor" in text for text in marks)
    page.mouse.move(2, 2)
    page.wait_for_selector("#tip", state="hidden")
    expect(page.locator("#panel")).to_contain_text("At a glance")


def test_clicks_and_keys_walk_the_antecedents(page):
    draw(page)
    page.click('.row[data-claim="4"]')
    expect(page.locator("#panel h2")).to_contain_text("Claim 4")
    page.click('#panel [data-walk="3"]')
    expect(page.locator("#panel h2")).to_contain_text("Claim 3")
    page.click('#panel [data-walk="2"]')
    page.mouse.move(2, 2)
    expect(page.locator("#panel .trail button")).to_have_text(["4", "3", "2"])
    page.keyboard.press("Backspace")
    expect(page.locator("#panel h2")).to_contain_text("Claim 3")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#panel h2")).to_contain_text("Claim 4")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#panel h2")).to_contain_text("Claim 3")
    expect(page.locator('.row[data-claim="3"]')).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_contain_text("At a glance")


def test_relations_switch_off_and_on(page):
    draw(page)
    cites = page.locator(".forest .edge.cite")
    expect(cites.first).to_be_visible()
    page.click('#relations [data-relation="cite"]')
    expect(cites.first).to_be_hidden()
    expect(page.locator('#relations [data-relation="cite"]')).to_have_attribute(
        "aria-pressed", "false"
    )
    page.click('.row[data-claim="2"]')
    assert (
        page.locator("#panel li").count() == page.locator("#panel li:has(.rel:not(.cite))").count()
    )
    page.keyboard.press("1")
    expect(cites.first).to_be_visible()


def test_the_mask_is_the_relation_table(page):
    draw(page)
    page.click("#as-mask")
    page.wait_for_selector(".mask svg")
    cites = int(page.text_content('#relations [data-relation="cite"] span'))
    assert cites == 2
    expect(page.locator(".mask .cell.cite")).to_have_count(cites)
    expect(page.locator(".mask .cell.self")).to_have_count(4)
    expect(page.locator(".mask .cell.free")).to_have_count(5)  # the row of [CLS]
    page.click('#relations [data-relation="cite"]')
    page.wait_for_selector(".mask .cell.cite", state="detached")
    page.locator(".mask .cell.self").nth(1).hover()
    expect(page.locator("#tip")).to_contain_text("claim 2 reads its own words")


def test_downloads(page, tmp_path):
    draw(page)
    with page.expect_download() as svg:
        page.click("#save-svg")
    svg.value.save_as(tmp_path / "g.svg")
    assert (tmp_path / "g.svg").read_text().startswith("<svg")
    with page.expect_download() as saved:
        page.click("#save-json")
    saved.value.save_as(tmp_path / "g.json")
    graph = json.loads((tmp_path / "g.json").read_text())
    assert len(graph["texts"]) == 4
    assert graph["edges"][0]["evidence"]


def test_a_file_opened_or_dropped(page, tmp_path):
    page.click("#tab-graph")
    (tmp_path / "draft.txt").write_text("Claims\n" + CLAIMS)
    page.set_input_files("#claims-file", tmp_path / "draft.txt")
    page.wait_for_selector(".forest")
    expect(page.locator("#graph-title")).to_have_text("draft")
    page.click("#other")
    page.evaluate(
        """text => { const carried = new DataTransfer();
        carried.items.add(new File([text], "dropped.txt"));
        document.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true})); }""",
        CLAIMS,
    )
    page.wait_for_selector(".forest")
    expect(page.locator("#graph-title")).to_have_text("dropped")


def test_bad_input_is_told_with_its_remedy(page, tmp_path):
    page.fill("#query", "a pump date:soon")
    page.keyboard.press("Enter")
    page.wait_for_selector("#notice:visible")
    expect(page.locator("#notice")).to_contain_text("date:2014")
    page.click("#tab-graph")
    expect(page.locator("#notice")).to_be_hidden()
    page.click("#draw")
    expect(page.locator("#notice")).to_contain_text("No claims")
    (tmp_path / "picture.docx").write_bytes(b"PK\x03\x04 not a word file")
    page.set_input_files("#claims-file", tmp_path / "picture.docx")
    page.locator("#notice", has_text="cannot be read").wait_for()
    page.fill("#number", "US7")
    page.click("#open-number")
    page.locator("#notice", has_text="US7").wait_for()


def test_an_error_that_comes_late_stays_with_its_view(page):
    waiting = []
    page.route("**/search", lambda route: waiting.append(route))  # the answer is held back
    page.fill("#query", "a pump date:soon")
    page.keyboard.press("Enter")
    expect(page.locator("#hits")).to_have_class("hits loading")
    page.click("#tab-graph")
    expect(page.locator("#view-graph")).to_be_visible()
    with page.expect_response("**/search"):
        waiting[0].continue_()
    expect(page.locator("#hits")).not_to_have_class("hits loading")
    expect(page.locator("#notice")).to_be_hidden()


def test_what_the_page_shows_is_escaped(page):
    page.fill("#query", f"a pump {HOSTILE}")
    page.keyboard.press("Enter")
    page.wait_for_selector('.hit[data-number="US2000000B2"]')
    expect(page.locator('.hit[data-number="US2000000B2"] h2')).to_have_text(HOSTILE)
    page.click('.hit[data-number="US2000000B2"] a.button')
    page.wait_for_selector(".forest")
    expect(page.locator("#graph-title")).to_have_text(HOSTILE)
    page.click(".row")
    expect(page.locator("#panel")).to_contain_text(HOSTILE)
    draw_again = f"1. A pump {HOSTILE} with a shaft.\n2. The pump of claim 1, {HOSTILE}."
    page.click("#other")
    page.fill("#claims", draw_again)
    page.click("#draw")
    page.wait_for_selector('.row[data-claim="2"]')
    assert page.evaluate("document.querySelectorAll('main script, main img').length") == 0


def test_dark_follows_the_system_and_the_button(page):
    ground = page.locator("body")
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


def test_sixty_claims_fit_a_laptop_screen(page):
    lines = ["1. A pump comprising a housing, a shaft and a rotor coupled to the shaft."]
    lines += [
        f"{n}. The pump of claim {max(1, n // 3)}, further comprising a valve {n} coupled to the rotor."
        for n in range(2, 66)
    ]
    draw(page, "\n".join(lines))
    expect(page.locator(".row")).to_have_count(65)
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.row')).fontSize)")
    assert size >= 12
    page.click("#as-mask")
    page.wait_for_selector(".mask svg")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
