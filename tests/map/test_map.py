"""The map: the same for the same seed, small, escaped, and every control works in a browser."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import shutil
import struct

import numpy as np
import pytest
from typer.testing import CliRunner

from phage.claims import Claim, Patent, write
from phage.cli import app
from phage.map.build import build
from phage.map.clusters import clusters, regions
from phage.map.layout import layout
from phage.map.page import page
from phage.map.types import Entry

pytest.importorskip("openTSNE")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
playwright.expect.set_options(timeout=30_000)  # for a busy machine
expect = playwright.expect

FIELDS = {"F04D": "pump impeller", "H01M": "fuel cell", "A47G": "drinking cup"}
HOSTILE = "</script><script>window.bad=1</script> & \t\n\x00 {data} {script}"


def made(count=120):
    draw = np.random.default_rng(3)
    names = list(FIELDS)
    centres = draw.normal(size=(3, 16)) * 4
    entries, vectors = [], []
    for n in range(count):
        kind = n % 3
        thing = FIELDS[names[kind]]
        claim = f"A {thing} comprising a {thing.split()[-1]} wall and a {thing} seal."
        owner = f"Maker {n % 17}"
        entries.append(
            Entry(f"US{n + 1}B2", f"The {thing} {n}", names[kind], owner, str(1980 + n % 40), claim)
        )
        vectors.append(centres[kind] + draw.normal(size=16))
    return entries, np.float32(vectors)


def data_of(text):
    spelled = re.search(r'id="data">([^<]*)<', text)[1]
    body = gzip.decompress(base64.b64decode(spelled))
    [length] = struct.unpack("<I", body[:4])
    return json.loads(body[4 : 4 + length]), body[4 + length :]


def test_the_same_vectors_give_the_same_page():
    entries, vectors = made()
    first, second = (page(build(entries, vectors, "Map")) for _ in range(2))
    assert first == second


def test_fields_lie_apart_and_are_named_by_their_terms():
    entries, vectors = made()
    places = layout(vectors)
    assert places.shape == (120, 2) and places.min() >= 0 and places.max() <= 1
    named = {term for one in clusters(places, entries) for term in one.terms}
    assert all(any(word in term for term in named) for word in ("impeller", "cell", "cup"))
    kinds = np.arange(120) % 3
    near = ((places[:, None] - places[None]) ** 2).sum(-1) + np.eye(120)
    assert (kinds[near.argmin(1)] == kinds).mean() > 0.95


def test_few_patents_and_equal_ones_have_a_place():
    entries, vectors = made(5)
    assert page(build(entries, vectors, "Few"))
    same = np.ones((3, 16), dtype=np.float32)
    assert np.isfinite(layout(same)).all()
    assert np.isfinite(layout(vectors[:1])).all()
    assert set(regions(np.float32([[0.1, 0.1]] * 5 + [[0.9, 0.9]] * 5), 9)) == {0, 1}


def test_the_data_hold_every_patent_in_few_bytes():
    entries, vectors = made()
    head, rest = data_of(page(build(entries, vectors, "Map")))
    assert head["count"] == 120
    assert [one["name"] for one in head["colours"]] == [
        "IPC section",
        "IPC subclass",
        "assignee",
        "year",
    ]
    assert all(sum(n for _, n in one["values"]) == 120 for one in head["colours"])
    assert len(head["colours"][3]["values"]) <= 12  # forty years in a dozen colours
    assert rest[120 * 8 :].decode().split("\n")[0] == "US1B2\tThe pump impeller 0"


def test_hostile_titles_stay_text():
    entries, vectors = made(10)
    bad = [Entry(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE) for _ in entries]
    text = page(build(bad, vectors, HOSTILE))
    assert text.count("<script") == 2 and "window.bad" not in text.replace(
        "&lt;script&gt;window.bad", ""
    )
    _, rest = data_of(text)
    assert len(rest[10 * 8 :].decode().split("\n")) == 10


@pytest.fixture(scope="module")
def browser():
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--headless", "--no-sandbox", "--disable-gpu"],
        )
        yield found
        found.close()


@pytest.fixture(params=[(1366, 768, "light"), (390, 844, "dark")], ids=["desktop", "phone"])
def tab(request, browser, tmp_path):
    """A map that fails the test on any error or foreign request."""
    entries, vectors = made()
    entries[7] = Entry("US8B2", HOSTILE, *["H01M", "Maker", "2001", "A fuel cell."])
    (tmp_path / "map.html").write_text(
        page(build(entries, vectors, "Map of <pumps>")), encoding="utf-8"
    )
    width, height, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    tab = context.new_page()
    tab.set_default_timeout(30_000)
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    tab.on(
        "request",
        lambda asked: (
            wrong.append(asked.url) if not asked.url.startswith(("file:", "blob:")) else None
        ),
    )
    tab.goto((tmp_path / "map.html").as_uri())
    expect(tab.locator("#colour option")).to_have_count(4)
    yield tab
    assert not wrong
    assert tab.evaluate("() => window.bad") is None
    context.close()


PIXELS = """() => new Promise(done => requestAnimationFrame(
    () => done(document.getElementById('points').toDataURL())))"""
"""The picture, once what was asked for before is drawn."""


def hits(tab):
    return tab.locator("#hits li")


def test_a_screen_that_turns_before_the_data_are_there_does_no_harm(tab):
    tab.add_init_script(
        "document.addEventListener('DOMContentLoaded', () => dispatchEvent(new Event('resize')))"
    )
    tab.reload()
    expect(tab.locator("#colour option")).to_have_count(4)


def test_axe_finds_nothing_and_nothing_is_cut_off(tab):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    tab.click("#view")
    found = axe.Axe().run(tab).response["violations"]
    assert [(one["id"], one["nodes"][0]["target"]) for one in found] == []
    room = tab.locator("#find").evaluate(
        """one => { const pen = document.createElement('canvas').getContext('2d');
        pen.font = getComputedStyle(one).font;
        return one.clientWidth - 20 - pen.measureText(one.placeholder).width; }"""
    )
    assert room > 0


def test_no_name_lies_under_the_tools(tab):
    seen = tab.evaluate(
        """() => { const bar = document.getElementById('tools'), k = labels.width / stage.clientWidth;
        const [right, below] = [(bar.offsetLeft + bar.offsetWidth) * k, (bar.offsetTop + bar.offsetHeight) * k];
        const drawn = (w, h) => labels.getContext('2d').getImageData(0, 0, w, h).data.some(Boolean);
        let under = 0, anywhere = 0;
        for (let down = 0; down < 12; down++) {  // move the names past the tools, in small steps
          for (let step = 0; step < 30; step++) {
            pan(down % 2 ? -13 : 13, 0); paint();
            under += drawn(right, below); anywhere += drawn(labels.width, labels.height);
          }
          pan(0, -25);
        }
        return [under, anywhere]; }"""
    )
    assert seen[0] == 0 and seen[1] > 200


def test_words_numbers_and_view_lead_to_hits(tab):
    assert tab.locator("#count").inner_text() == "120 patents"
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    tab.fill("#find", "fuel cell")
    expect(hits(tab)).to_have_count(39)
    tab.fill("#find", "us8b2")
    expect(hits(tab)).to_have_count(1)
    assert "</script>" in hits(tab).first.inner_text()
    tab.click("#clear")
    assert hits(tab).count() == 0
    tab.click("#view")
    assert hits(tab).count() == 120


def test_a_lasso_selects_and_the_selection_is_saved(tab):
    tab.click("#select")
    area = tab.locator("#points").bounding_box()
    x, y, w, h = (area[key] for key in ("x", "y", "width", "height"))
    corners = [(0.02, 0.12), (0.98, 0.12), (0.98, 0.98), (0.02, 0.98)]
    tab.mouse.move(x + corners[0][0] * w, y + corners[0][1] * h)
    tab.mouse.down()
    for a, b in corners[1:]:
        tab.mouse.move(x + a * w, y + b * h, steps=4)
    tab.mouse.up()
    assert hits(tab).count() > 60
    with tab.expect_download() as found:
        tab.click("#save")
    text = found.value.path().read_text(encoding="utf-8-sig")
    assert text.startswith("number,title") and text.count("\n") == hits(tab).count() + 1


def test_colours_and_groups_are_switched(tab):
    seen = set()
    for place in range(4):
        tab.select_option("#colour", str(place))
        seen.add(tab.evaluate(PIXELS))
    assert len(seen) >= 3  # each section has one subclass here
    first = tab.locator("#legend button").first
    first.click()
    assert first.get_attribute("aria-pressed") == "false"
    tab.click("#view")
    assert hits(tab).count() < 120


def test_the_keyboard_alone_moves_zooms_and_lists(tab):
    tab.focus("#points")
    whole = tab.evaluate(PIXELS)
    for key in ("+", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp"):
        tab.keyboard.press(key)
    tab.keyboard.press("Enter")
    assert 0 < hits(tab).count() < 120
    tab.keyboard.press("Escape")
    tab.keyboard.press("0")
    assert tab.evaluate(PIXELS) == whole
    assert hits(tab).count() == 0


def test_the_command_draws_an_index(tiny, tmp_path):
    pytest.importorskip("lancedb")
    draw = random.Random(1)
    patents = [
        Patent(
            f"US{n}B2",
            (
                Claim(
                    1, f"A {draw.choice(['pump', 'cup', 'cell'])} comprising a wall and a seal {n}."
                ),
            ),
            title=f"Thing {n}",
            ipc=("F04D 1/00",),
            publication_date="2014-01-07",
            assignees=("Maker",),
        )
        for n in range(1, 51)
    ]
    write(patents, tmp_path / "p.jsonl")
    words = ["index", str(tmp_path / "p.jsonl"), "-o", str(tmp_path / "i"), "--model", str(tiny)]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    words = ["map", str(tmp_path / "i"), "-o", str(tmp_path / "m.html"), "--json"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert json.loads(done.stdout)["patents"] == 50
    head, _ = data_of((tmp_path / "m.html").read_text(encoding="utf-8"))
    assert head["count"] == 50
