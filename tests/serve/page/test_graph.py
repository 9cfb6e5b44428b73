"""The graph view: evidence, walking, layers, broken dependents, the mask."""

from __future__ import annotations

import itertools
import json

from playwright.sync_api import expect

from .steps import CLAIMS, FAULTY, downloaded, draw, held_back, too_wide


def point_at(page, selector):
    """Move onto the middle of a line; its box's middle lies beside a curve."""
    line = page.locator(f"{selector} .line")
    line.scroll_into_view_if_needed()
    place = line.evaluate(
        """path => { const at = path.getPointAtLength(path.getTotalLength() / 2);
        const m = path.getScreenCTM(); return {x: at.x * m.a + m.e, y: at.y * m.d + m.f}; }"""
    )
    page.mouse.move(place["x"], place["y"])


def test_pointing_at_a_line_shows_its_evidence_in_the_claims(page):
    draw(page)
    point_at(page, '.edge[data-source="2"][data-target="3"]:not(.antecedent)')
    expect(page.locator("#tip")).to_contain_text("claim 3 shares a term with")
    expect(page.locator("#panel .claim-text")).to_have_count(2)
    marks = page.locator("#panel mark.lit").all_text_contents()
    assert len(marks) >= 2  # where it is taken up, and where it comes from
    assert all("rotor" in text for text in marks)
    page.mouse.move(2, 2)
    expect(page.locator("#tip")).to_be_hidden()
    expect(page.locator("#panel")).to_contain_text("At a glance")
    expect(page.locator("#panel")).to_contain_text("shares a term with it")


def test_clicks_and_keys_walk_the_claims(page):
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
    expect(page.locator("#panel li:has(.rel.cite)")).to_have_count(0)
    page.keyboard.press("1")
    expect(cites.first).to_be_visible()


def test_a_choice_is_closed_by_its_button(page):
    draw(page)
    page.hover('.row[data-claim="2"]')
    expect(page.locator("#panel h2")).to_contain_text("Claim 2")
    expect(page.locator("#panel")).to_have_class("panel idle")  # nothing is laid over the rows
    expect(page.locator("#panel .close")).to_have_count(0)
    page.click('.row[data-claim="4"]')
    expect(page.locator("#panel")).to_have_class("panel")
    page.click("#panel .close")
    expect(page.locator('.row[data-claim="4"]')).to_be_focused()
    page.mouse.move(2, 2)
    expect(page.locator("#panel")).to_contain_text("At a glance")
    expect(page.locator("#panel")).to_have_class("panel idle")
    page.click('.row[data-claim="3"]')
    page.focus("#panel .close")
    page.keyboard.press("Escape")
    expect(page.locator('.row[data-claim="3"]')).to_be_focused()


def test_hundreds_of_functional_links_wait_to_be_asked_for(page):
    parts = ["motor", "valve", "rotor", "stator", "seal", "lid"]
    lines = [f"1. A machine comprising a {', a '.join(parts)}."]
    for n in range(2, 40):
        a, b, c = (parts[(n + step) % 6] for step in range(3))
        lines.append(
            f"{n}. The machine of claim 1, wherein the {a} is coupled to the {b} and the {c}."
        )
    draw(page, "\n".join(lines))
    many = int(page.text_content('#relations [data-relation="func"] span'))
    assert many > 200
    func, note = page.locator('#relations [data-relation="func"]'), page.locator("#graph-note")
    expect(func).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".forest .edge.func").first).to_be_hidden()
    expect(note).to_contain_text(f"{many} functional links are not shown")
    page.click("#as-mask")  # its cells do not cover each other
    expect(page.locator(".mask .cell.func")).to_have_count(many)
    expect(note).to_be_hidden()
    page.click("#as-graph")
    expect(note).to_be_visible()
    func.click()
    expect(page.locator(".forest .edge.func").first).to_be_visible()
    expect(note).to_be_hidden()
    page.click("#as-mask")
    page.click("#as-graph")
    expect(func).to_have_attribute("aria-pressed", "true")


def test_lines_have_plain_names(page):
    draw(page)
    cite = page.locator('#relations [data-relation="cite"]')
    assert cite.get_attribute("title") == "claim reference (cite): show or hide (key 1)"
    plain = page.viewport_size["width"] > 1300  # a phone has room for the short ones
    assert (
        cite.inner_text().split("\n")[0].startswith("claim reference (cite)" if plain else "cite")
    )


def test_legal_antecedents_are_a_layer_of_their_own(page):
    draw(page)
    layer = page.locator(".forest .edge.antecedent")
    button = page.locator('#relations [data-relation="antecedent"]')
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(layer.first).to_be_hidden()
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(layer.first).to_be_visible()
    page.click('.row[data-claim="2"]')
    taken = page.locator("#panel li:has(.rel.antecedent)")
    expect(taken.first).to_contain_text("shaft")
    page.keyboard.press("5")
    expect(layer.first).to_be_hidden()


def test_broken_dependents_are_drawn_as_broken(page):
    draw(page, FAULTY)
    expect(page.locator("#graph-sub")).to_contain_text("4 claims, 1 independent, 1 broken")
    expect(page.locator('.disc.broken[data-disc="4"] .snapped')).to_be_visible()
    expect(page.locator('.row[data-claim="4"] .badge')).to_have_text("claim 9 does not exist")
    expect(page.locator(".disc.independent")).to_have_count(1)
    page.click('.row[data-claim="4"]')
    page.mouse.move(2, 2)
    expect(page.locator("#panel")).to_contain_text("Antecedents not checked")


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
    expect(page.locator(".mask .cell.cite")).to_have_count(0)
    expect(page.locator('#relations [data-relation="antecedent"]')).to_be_disabled()
    page.keyboard.press("5")  # no cell of the mask is one
    page.locator(".mask .cell.self").nth(1).hover()
    expect(page.locator("#tip")).to_contain_text("claim 2 reads its own words")
    page.click("#as-graph")
    page.wait_for_selector(".forest")


def test_downloads(page, tmp_path):
    draw(page)
    name, data = downloaded(page, "#save-svg", tmp_path)
    assert name.endswith(".svg") and data.startswith(b"<svg")
    _, data = downloaded(page, "#save-json", tmp_path)
    graph = json.loads(data)
    assert len(graph["texts"]) == 4
    assert graph["edges"][0]["evidence"]


def test_a_file_opened_or_dropped_a_number_and_the_example(page, tmp_path):
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
    page.click("#other")
    page.click("#example")
    expect(page.locator(".row")).to_have_count(10)
    page.click("#other")
    page.fill("#number", "us 1,000,003")
    page.click("#open-number")
    expect(page.locator("#graph-sub")).to_contain_text("US1000003B2")
    page.click("#similar")
    page.locator("#summary", has_text="to US1000003B2").wait_for()


def test_the_old_drawing_is_not_taken_for_the_new_one(page):
    draw(page)
    with held_back(page, "**/graph"):
        page.goto(page.url.split("#")[0] + "#/graph/US1000003B2")
        expect(page.locator("#graph")).to_have_attribute("aria-busy", "true")
        expect(page.locator("#graph")).to_have_class("stale")
    expect(page.locator("#graph")).not_to_have_class("stale")
    expect(page.locator("#graph-sub")).to_contain_text("US1000003B2")


def test_bad_input_comes_with_its_remedy(page, tmp_path):
    page.click("#tab-graph")
    page.click("#draw")
    expect(page.locator("#notice")).to_contain_text("No claims")
    (tmp_path / "picture.docx").write_bytes(b"PK\x03\x04 not a word file")
    page.set_input_files("#claims-file", tmp_path / "picture.docx")
    page.locator("#notice", has_text="cannot be read").wait_for()
    page.fill("#number", "US7")
    page.click("#open-number")
    page.locator("#notice", has_text="US7").wait_for()


def test_sixty_claims_fit_the_screen(page):
    lines = ["1. A pump comprising a housing, a shaft and a rotor coupled to the shaft."]
    lines += [
        f"{n}. The pump of claim {max(1, n // 3)}, further comprising a valve {n} coupled to the rotor."
        for n in range(2, 66)
    ]
    draw(page, "\n".join(lines))
    expect(page.locator(".row")).to_have_count(65)
    assert too_wide(page) <= 0
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.row')).fontSize)")
    assert size >= 12
    page.click("#as-mask")
    page.wait_for_selector(".mask svg")
    assert too_wide(page) <= 0
    labels = [one.bounding_box() for one in page.locator(".mask text").all()]
    right = page.locator(".mask svg").bounding_box()
    assert all(box["x"] + box["width"] <= right["x"] + right["width"] for box in labels)
    top = sorted((box["x"], box["width"]) for box in labels if box["y"] < right["y"] + 30)
    assert all(x + width < after for (x, width), (after, _) in itertools.pairwise(top[1:]))
    if page.viewport_size["width"] < 400:  # legible, and moved sideways
        assert right["width"] > 600
