"""The map of the week, and of 100,000 patents: time, memory, file size, frames per second.

python benchmarks/map.py [-o results/map.json] [--pages FOLDER] [--part week] [--part many] …

``week``: all grants of the USPTO week, by the vectors of their titles and the beginnings of their
    abstracts.
``many``: the page of 100,000 patents of the A61B 5 and the Indian set, at places drawn from sixty
    hills: file size and frames do not depend on how places were found.
``layout``: how long the layout of those 100,000 takes, by the words of their titles (TF-IDF, 50
    latent dimensions).

Frames are counted in headless chromium, without a GPU, while the map is zoomed and moved by
events, one per frame. ``paint_ms`` is the time that the page's own code takes for a frame."""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import time
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from phage.claims import Patent, read
from phage.encoder import Encoder
from phage.map.clusters import clusters
from phage.map.layout import layout
from phage.map.page import page
from phage.map.types import Entry, Map
from phage.provenance import provenance
from phage.storage import read_json, write_json, write_text

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
SOURCES = {
    "week": ["uspto-grants-2014-01-07.xml.xz"],
    "many": ["a61b5-claims.jsonl.xz", "indian-patents.jsonl.xz"],
    "layout": ["a61b5-claims.jsonl.xz", "indian-patents.jsonl.xz"],
}
MANY, FRONT = 100_000, 160
SCREENS = {"desktop": (1366, 768, 1), "phone": (390, 844, 2)}
FRAMES = 120
_COUNT = """
const raf = window.requestAnimationFrame.bind(window); window.costs = [];
window.requestAnimationFrame = (call) => raf((now) => {
  const start = performance.now(); call(now); window.costs.push(performance.now() - start); });
window.drive = (frames) => new Promise((done) => {
  const canvas = document.getElementById("points"), at = canvas.getBoundingClientRect();
  const x = at.left + at.width / 2, y = at.top + at.height / 2, times = [];
  window.costs.length = 0;
  const send = (type, more) => canvas.dispatchEvent(new PointerEvent(type,
    { pointerId: 7, clientX: x, clientY: y, bubbles: true, ...more }));
  canvas.setPointerCapture = () => {};
  send("pointerdown", {});
  const step = (now) => {
    times.push(now);
    const n = times.length;
    if (n % 2) canvas.dispatchEvent(new WheelEvent("wheel",
      { deltaY: n < frames / 2 ? -40 : 40, clientX: x, clientY: y, cancelable: true }));
    else send("pointermove", { clientX: x + 20 * Math.sin(n / 5), clientY: y + 20 * Math.cos(n / 5) });
    if (n < frames) raf(step); else { send("pointerup", { clientX: x + 20 }); done([times, window.costs.slice()]); }
  };
  raf(step);
});
"""


def patents(part: str) -> Iterator[Patent]:
    """Read the patents of a part."""
    found = read([DATA / name for name in SOURCES[part]])
    return islice((p for p in found if p.title), MANY)


def entry(patent: Patent) -> Entry:
    """Take what a map needs."""
    claim = patent.claims[0].text if patent.claims else ""
    owner = patent.assignees[0] if patent.assignees else ""
    year = patent.publication_date[:4]
    return Entry(patent.number, patent.title, patent.subclass, owner, year, claim, patent.language)


def vectors(found: list[Patent], cache: Path) -> np.ndarray:
    """Encode titles and beginnings of abstracts, or read what was encoded before."""
    if not cache.is_file():
        texts = [f"{p.title} {p.abstract[:FRONT]}" for p in found]
        encoder = Encoder.from_pretrained("phage-mini")
        made = encoder.encode(texts, long="cut", batch_tokens=2_048, on_cut=lambda _: None)
        np.save(cache, made)
    return np.load(cache)


def hills(count: int) -> np.ndarray:
    """Draw places from sixty hills of various widths."""
    draw = np.random.default_rng(0)
    centres, widths = draw.uniform(0.1, 0.9, (60, 2)), draw.uniform(0.005, 0.05, (60, 1))
    which = draw.integers(0, 60, count)
    return np.clip(draw.normal(centres[which], widths[which]), 0, 1).astype(np.float32)


def whole_map(part: str, folder: Path) -> dict[str, Any]:
    """Make a map, and look at it in a browser."""
    found = list(patents(part))
    entries = [entry(patent) for patent in found]
    times: dict[str, float] = {}
    made = vectors(found, folder / "week.npy") if part == "week" else None
    del found
    start = time.process_time()
    places = hills(len(entries)) if made is None else layout(made)
    times["layout"] = time.process_time() - start
    start = time.process_time()
    regions = clusters(places, entries)
    times["names"] = time.process_time() - start
    start = time.process_time()
    title = {"week": "USPTO grants of 7 January 2014", "many": "100,000 patents"}[part]
    text = page(Map(title, tuple(entries), places, regions))
    times["page"] = time.process_time() - start
    write_text(folder / f"{part}.html", text)
    return {
        "patents": len(entries),
        "places": "t-SNE of phage-mini's vectors of titles and beginnings of abstracts"
        if part == "week"
        else "drawn from sixty hills",
        "cpu_seconds": {name: round(value, 1) for name, value in times.items()},
        "peak_memory_mb": peak(),
        "file_bytes": len(text.encode()),
        "bytes_per_patent": round(len(text.encode()) / len(entries), 1),
        "named_regions": len(regions),
        "frames": frames(folder / f"{part}.html"),
    }


def peak() -> int:
    """Give the most memory that this process has had, in megabytes."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def only_layout(part: str, folder: Path) -> dict[str, Any]:
    """Lay 100,000 vectors out."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    titles = [patent.title for patent in patents(part)]
    words = TfidfVectorizer(sublinear_tf=True, min_df=3, stop_words="english")
    made = TruncatedSVD(50, random_state=0).fit_transform(words.fit_transform(titles))
    made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)
    start, clock = time.process_time(), time.monotonic()
    layout(made.astype(np.float32))
    return {
        "patents": len(titles),
        "cpu_seconds": round(time.process_time() - start, 1),
        "wall_seconds": round(time.monotonic() - clock, 1),
        "threads": 1,
        "peak_memory_mb": peak(),
    }


def frames(path: Path) -> dict[str, Any]:
    """Count frames in headless chromium, on a desktop's and a phone's screen."""
    from playwright.sync_api import sync_playwright

    result: dict[str, Any] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--headless", "--no-sandbox", "--disable-gpu"],
        )
        for name, (width, height, ratio) in SCREENS.items():
            size = {"width": width, "height": height}
            tab = browser.new_context(viewport=size, device_scale_factor=ratio).new_page()
            tab.add_init_script(_COUNT)
            start = time.monotonic()
            tab.goto(path.resolve().as_uri())
            tab.locator("#legend li").first.wait_for()
            opened = time.monotonic() - start
            tab.wait_for_timeout(500)
            stamps, costs = tab.evaluate("(frames) => window.drive(frames)", FRAMES)
            gaps = [b - a for a, b in pairwise(stamps)]
            result[name] = {
                "screen": f"{width} x {height} at {ratio}",
                "open_seconds": round(opened, 2),
                "frames_per_second": round(1000 * len(gaps) / sum(gaps), 1),
                "median_frame_ms": round(statistics.median(gaps), 1),
                "paint_ms_median": round(statistics.median(costs), 1),
                "paint_ms_95": round(float(np.percentile(costs, 95)), 1),
            }
        browser.close()
    return result


def main() -> None:
    """Make the maps and write the figures; parts that are not asked for keep theirs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-o", dest="out", type=Path, default=ROOT / "results" / "map.json")
    parser.add_argument("--pages", type=Path, default=ROOT / "build" / "map")
    parser.add_argument("--part", action="append", choices=list(SOURCES))
    asked = parser.parse_args()
    asked.pages.mkdir(parents=True, exist_ok=True)
    result = read_json(asked.out) if asked.out.is_file() else {}
    for part in asked.part or SOURCES:
        measure = only_layout if part == "layout" else whole_map
        result[part] = measure(part, asked.pages)
        files = [DATA / name for names in SOURCES.values() for name in names]
        write_json(asked.out, {**result, **provenance(files)})


if __name__ == "__main__":
    main()
