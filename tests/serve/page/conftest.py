"""The page in a real browser: Debian's chromium, driven by Playwright, on two kinds of screen."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from phage.claims import Claim, Patent
from phage.searching import Index
from phage.serve import Settings, create_app

from ..conftest import patents, serving

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
playwright.expect.set_options(timeout=30_000)  # for a busy machine
CHROMIUM = shutil.which("chromium")
WAYS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
SIZES = {"desktop": (1366, 768), "phone": (390, 844)}
OURS = ("http://127.0.0.1:", "blob:", "data:")
"""Where requests may go."""
SCREENS = ["desktop light", "phone dark"]
"""What every test runs on; the other two combinations are looked at by test_views.py."""


def more_patents() -> list[Patent]:
    """Enough for more than one page of hits, with everything that facets count."""
    found = [replace(one, assignees=("Acme Pumps, Inc.",)) for one in patents()]
    for place in range(30):
        office = ("US", "EP", "WO")[place % 3]
        text = f"A pump with a shaft and a seal {place} of rubber."
        found.append(
            Patent(
                f"{office}{3000000 + place}A1",
                (Claim(1, text), Claim(2, "The pump of claim 1, wherein the seal is round.")),
                title=f"Seal {place}",
                abstract="A seal for a pump.",
                ipc=("F16J 15/00", "F04B 1/00") if place % 2 else ("F16J 15/32",),
                publication_date=f"20{12 + place % 4}-05-01",
                assignees=(("Beta Seals GmbH", "Gamma Ltd.")[place % 2],),
            )
        )
    return found


@pytest.fixture(scope="package")
def running(encoder, tmp_path_factory):
    """Serve on loopback; gives the address."""
    path = tmp_path_factory.mktemp("workbench") / "my.index"
    made = Index.create(path, encoder)
    made.add(more_patents(), encoder)
    made.finish()
    settings = Settings(workers=2)
    yield from serving(create_app(path, encoder, settings), settings)


@pytest.fixture(scope="package")
def guarded(encoder):
    """Serve with a token and without an index; gives the address."""
    settings = Settings(workers=2, token="secret")
    yield from serving(create_app(None, encoder, settings), settings)


@pytest.fixture(scope="package")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=WAYS)
        yield made
        made.close()


@pytest.fixture(params=SCREENS)
def screen(request):
    """Size and colours; a test may ask for others with ``pytest.mark.parametrize``."""
    return request.param


@pytest.fixture
def page(browser, running, screen):
    """A fresh page that fails the test on any error, broken policy or foreign request."""
    size, colours = screen.split()
    width, height = SIZES[size]
    phone = {"is_mobile": True, "has_touch": True} if size == "phone" else {}
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=colours,
        accept_downloads=True,
        reduced_motion="reduce",  # no colours halfway between two
        permissions=["clipboard-read", "clipboard-write"],
        **phone,
    )
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
        lambda asked: None if asked.url.startswith(OURS) else wrong.append(asked.url),
    )
    one.on("dialog", lambda dialog: wrong.append("a script ran: " + dialog.message))
    one.goto(running)
    # it has asked the server and drawn
    one.locator("#status", has_text="·").wait_for(state="attached")
    yield one
    context.close()
    assert wrong == []
