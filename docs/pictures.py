"""Take the pictures of the page that the guides show: python docs/pictures.py.

Indexes fictional patents, serves them on a free port and photographs each view with chromium."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote_plus
from urllib.request import urlopen

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from typer.testing import CliRunner

from phage.claims import Patent, read
from phage.cli import app
from phage.serve import Settings, create_app
from phage.serve.transport import transport

HOME = Path(__file__).parent
DRAFT = (HOME.parent / "examples" / "draft.txt").read_text("utf-8")
COUNT = 40
"""Patents in the index, as many as in the README."""
QUERY = "a pump shaft sealed by a mechanical seal"
"""The claims that match it best have the seal, so the picture shows what a search finds."""
DESK, TALL, TALLER, PHONE = (1366, 768), (1366, 860), (1366, 1288), (390, 844)


@contextmanager
def served(index: Path) -> Iterator[str]:
    """Serve an index; gives the address."""
    settings = Settings(workers=2)
    mine = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{mine.getsockname()[1]}"
    made = create_app(index, None, settings)
    server = uvicorn.Server(uvicorn.Config(made, log_level="error", **transport(settings)))
    thread = threading.Thread(target=server.run, args=([mine],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    urlopen(f"{address}/search?q=pump").close()  # the first search loads the model
    yield address
    server.should_exit = True
    thread.join(timeout=20)


class Camera:
    """A browser that opens one fresh tab per picture."""

    def __init__(self, browser: Browser, address: str) -> None:
        """Remember both."""
        self.browser, self.address = browser, address

    @contextmanager
    def picture(
        self, name: str, view: str, size: tuple[int, int] = DESK, colours: str = "light"
    ) -> Iterator[Page]:
        """Open a view; what the caller leaves there becomes the picture."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=colours,
            reduced_motion="reduce",
        )  # fmt: skip
        page = context.new_page()
        page.goto(f"{self.address}/{view}")
        page.locator("#status", has_text="·").wait_for(state="attached")
        yield page
        page.screenshot(path=HOME / "page" / f"{name}.png")
        context.close()


def photograph(camera: Camera, patents: list[Patent]) -> None:
    """Take all pictures."""
    large = min(patents, key=lambda patent: abs(len(patent.claims) - 36)).number
    words = f"#/search?q={quote_plus(QUERY)}"
    with camera.picture("search", words, TALL) as page:
        page.wait_for_selector(".hit")
        page.locator(".keep").first.click()
    with camera.picture("check", "#/check", TALLER) as page:
        page.fill("#check-text", DRAFT)
        page.wait_for_selector("#report:not(.stale) .claim")
    with camera.picture("chart", words) as page:
        page.wait_for_selector(".hit")
        page.fill("#query", DRAFT)
        page.click("#go")
        page.locator("#summary", has_text="your claims").wait_for()
        page.locator(".compare").first.click()
        page.wait_for_selector("#chart:not(.stale) .chart-row[data-element]")
        page.fill("#chart-claims", "1")
        page.click("#chart-go")
        page.wait_for_selector('#chart:not(.stale) [data-element="1[pre]"]')
    with camera.picture("graph", f"#/graph/{large}") as page:
        page.wait_for_selector(".forest")
    with camera.picture("walk-dark", f"#/graph/{large}", colours="dark") as page:
        page.click(".row >> nth=5")
        page.click('#relations [data-relation="antecedent"]')
        page.locator("#panel [data-walk]").first.click()
    with camera.picture("mask-dark", f"#/graph/{large}", colours="dark") as page:
        page.wait_for_selector(".forest")
        page.click("#as-mask")
    with camera.picture("phone", words, PHONE) as page:
        page.wait_for_selector(".hit")
    with camera.picture("phone-check-dark", "#/check", PHONE, "dark") as page:
        page.fill("#check-text", DRAFT)
        page.wait_for_selector("#report:not(.stale) .claim")
        page.click("#check-edit")
        page.click("#check-next")


def main() -> None:
    """Make the corpus, the index and the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, index = Path(folder) / "corpus.jsonl", Path(folder) / "my.index"
        for command in (f"demo-corpus -n {COUNT} -o {corpus}", f"index {corpus} -o {index}"):
            done = CliRunner().invoke(app, command.split())
            assert done.exit_code == 0, done.output
        with served(index) as address, sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            photograph(Camera(browser, address), list(read(str(corpus))))
            browser.close()


if __name__ == "__main__":
    main()
