"""The explorer page beside its bars: bytes, seconds to write it, to open it, to click in it and to move it.

    TREEWRIGHT_DATA=... python benchmarks/pages/bench_explorer.py --write

prints what is measured beside its bar, with `--write` into MEASURED.md beside it, and fails where one
is missed. A busy machine matters little where processor time is measured: of Python for writing, of the
page's main thread for opening and clicking (script, style, layout and painting; the compositor works beside
it, and what the driver brings into a page to look for elements, about 70 ms, is no part of opening it).
Bars are held against the least of several; the median stands beside, and so does the time that passed until
a page was open. Frames are counted as they come while a drawing is dragged. Networks other than alarm come
from the folder that TREEWRIGHT_DATA names, the browser is the one that TREEWRIGHT_BROWSER names, else
chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import treewright as tw
from treewright.models import ConditionalGaussianNetwork, Lines
from treewright.reports.explorer.explorer import _CALLED_ELSEWHERE
from treewright.reports.explorer.page_file import page_code, page_part

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "core")]
from bars import Figures
from tests.pages import embedded_model
from tests.reports.test_layout import n_crossings

NETWORKS = ("alarm", "hailfinder", "insurance", "pathfinder", "andes", "pigs", "link", "numbers")
LABELS, CHAIN = 14, 30  # of "numbers": a chain of numbers on labels, near what a page works through
BYTES = {"alarm": 100_000, "pathfinder": 250_000}
WRITING = {"alarm": 0.5, "andes": 1.5, "link": 4.0}  # seconds
OPENING = {"alarm": 300.0, "andes": 800.0}  # milliseconds
CLICKING = {"alarm": 16.0, "hailfinder": 16.0, "pigs": 100.0}  # the first two have up to 10,000 cells
MOVED, FRAMES_A_SECOND = ("andes",), 50.0
CROSSINGS = {"alarm": 8 * 1.05, "andes": 638 * 1.05}
OPENINGS, CLICKS, FRAMES, DRAGS = 4, 12, 30, 12
TELL = """() => { const panel = document.getElementById('panel');
  new MutationObserver(() => { if (!panel.textContent.includes('working')) performance.mark('told'); })
    .observe(panel, { childList: true, subtree: true }); }"""
READY = """new Promise(done => {
  const look = () => { if (document.documentElement?.classList.contains('ready'))
    requestAnimationFrame(() => setTimeout(() => done(performance.now()))); else setTimeout(look, 4); };
  look(); })"""
FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
DRAG = """frames => new Promise(done => {
  const stage = document.getElementById('stage'), times = [];
  stage.setPointerCapture = () => {};  // there is no such pointer
  const at = { pointerId: 1, bubbles: true, button: 0, clientY: 450 };
  const fire = (type, x) => stage.dispatchEvent(new PointerEvent(type,
    { ...at, buttons: Number(type !== 'pointerup'), clientX: x }));
  const step = time => {
    times.push(time);
    fire('pointermove', 700 + 12 * Math.abs(times.length % 40 - 20));
    if (times.length < frames) { requestAnimationFrame(step); return; }
    fire('pointerup', 700);
    done(1000 * (times.length - 1) / (times.at(-1) - times[0]));
  };
  fire('pointerdown', 700);
  requestAnimationFrame(step); })"""


def network(name: str) -> Any:
    if name == "alarm":
        return tw.load_network(name)
    if name == "numbers":
        return many_numbers()
    file = Path(os.environ.get("TREEWRIGHT_DATA", ""), "networks", f"{name}.bif.gz")
    if not file.is_file():
        print(f"{name}: set TREEWRIGHT_DATA to measure it")
        return None
    return tw.read_model(file)


def many_numbers() -> Any:
    """Numbers that hang together on 2 ** LABELS joint states: 14.8 of the 16 million of a page."""
    rng = np.random.default_rng(0)
    labels = [f"label {i:02}" for i in range(LABELS)]
    numbers = [f"number {i:02}" for i in range(CHAIN)]
    variables = [tw.Variable(name, ("no", "yes")) for name in labels] + [
        tw.Variable(name) for name in numbers
    ]
    above = dict(zip(numbers, labels, strict=False))
    arcs = [*pairwise(numbers), *((label, name) for name, label in above.items())]
    lines = {}
    for before, name in pairwise([None, *numbers]):
        shape = (2,) if name in above else ()
        slopes = {} if before is None else {before: rng.normal(size=shape) / 2}
        lines[name] = Lines(2 * rng.normal(size=shape), slopes, rng.uniform(0.5, 2.0, size=shape))
    dag = tw.Dag(tw.Schema(variables), arcs)
    return ConditionalGaussianNetwork(dag, {label: [0.4, 0.6] for label in labels}, lines)


def write_pages(figures: Figures, folder: Path) -> None:
    tw.to_html(tw.load_network("asia"))  # what is imported once
    for name in NETWORKS:
        model = network(name)
        if model is None:
            continue
        start = time.process_time()
        page = tw.to_html(model, title=name, file=f"{name}.twm")
        seconds = time.process_time() - start
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
        figures.add(f"{name}: the page", len(page.encode()), "bytes", BYTES.get(name))
        figures.add(f"{name}: writing it", seconds, "s", WRITING.get(name))
        figures.add(f"{name}: crossings of its lines", crossings(page), "", CROSSINGS.get(name))
    for kind, without in _CALLED_ELSEWHERE.items():
        size = len("".join(page_code(without)).encode())
        figures.add(f"code and style of pages of {kind}", size, "bytes", 120_000)
        figures.add(
            f"code and style of pages of {kind}, with comments and white space", whole(without), "bytes"
        )


def whole(without: tuple[str, ...]) -> int:
    """Bytes of scripts and styles as they were written."""
    names = [file.name for file in (Path(tw.__file__).parent / "reports" / "explorer" / "page").iterdir()]
    return sum(
        len(page_part(name).encode())
        for name in names
        if name.endswith((".js", ".css")) and name not in without
    )


def crossings(page: str) -> int:
    data = embedded_model(page)
    routes = dict(zip(map(tuple, data["edges"]), data["layout"]["routes"], strict=True))
    return n_crossings(SimpleNamespace(routes=routes)) if routes else 0


class Clock:
    """Processor milliseconds of the main thread of a page."""

    def __init__(self, page: Any) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self) -> float:
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(item["value"] for item in metrics if item["name"] == "TaskDuration")


def use_page(figures: Figures, browser: Any, file: Path) -> None:
    name, opened = file.stem, []
    for _ in range(OPENINGS):
        page = browser.new_page(viewport={"width": 1500, "height": 940})
        clock = Clock(page)
        start = clock.now()
        page.goto(file.as_uri())
        ready = clock.session.send(
            "Runtime.evaluate", {"expression": READY, "awaitPromise": True, "returnByValue": True}
        )
        opened.append((clock.now() - start, ready["result"]["value"]))
        if len(opened) < OPENINGS:
            page.close()
    busy, passed = (list(times) for times in zip(*opened, strict=True))
    figures.add(f"{name}: opening, processor", min(busy), "ms", OPENING.get(name))
    figures.add(f"{name}: opening, processor, median", statistics.median(busy), "ms")
    figures.add(f"{name}: opening, time that passed", min(passed), "ms")
    figures.add(f"{name}: opening, time that passed, median", statistics.median(passed), "ms")
    page.wait_for_timeout(300)
    if page.locator("html.still").count() == 0:  # it propagates
        times = clicking(browser, page)
        figures.add(f"{name}: a click, processor", min(times), "ms", CLICKING.get(name))
        figures.add(f"{name}: a click, median", statistics.median(times), "ms")
    if name in MOVED:
        for zoom, key in (("far", "f"), ("near", "+")):
            page.keyboard.press("Escape")
            page.keyboard.press("f")
            for _ in range(4 if key == "+" else 0):
                page.keyboard.press(key)
            page.wait_for_timeout(300)
            seen = page.locator("#world").get_attribute("data-zoom")
            assert seen == zoom
            frames, spent = [], []
            for _ in range(DRAGS):
                start = clock.now()
                frames.append(page.evaluate(DRAG, FRAMES))
                spent.append((clock.now() - start) / FRAMES)
            what = f"{name}: dragging it {seen}"
            figures.add(f"{what}, processor", min(spent), "ms a frame", 1000 / FRAMES_A_SECOND)
            figures.add(what, max(frames), "frames a second", FRAMES_A_SECOND, least=True)
    page.close()


def clicking(browser: Any, page: Any) -> list[float]:
    """A dozen pieces of evidence on different variables, from the key to the painted beliefs."""
    categories = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]
    browser.start_tracing(page=page, categories=categories)
    page.evaluate(TELL)
    cards = page.locator('.card:not(:has(h2[title^="number "]))')
    for i in range(CLICKS):
        cards.nth(3 * i % cards.count()).focus()
        page.evaluate(FRAME)
        page.wait_for_timeout(100)  # what to ask next is worked out after the frame
        page.keyboard.press("1")
        page.wait_for_function("() => !document.getElementById('panel').textContent.includes('working')")
        page.evaluate(FRAME)
    return painted_after_keys(json.loads(browser.stop_tracing())["traceEvents"])


def painted_after_keys(events: list[dict[str, Any]]) -> list[float]:
    """Processor milliseconds of the tasks from each key to the first frame that shows what follows."""
    keys = [one for one in events if one["args"].get("data", {}).get("type") == "keydown"]
    thread = keys[0]["pid"], keys[0]["tid"]
    events = sorted(
        (one for one in events if (one["pid"], one["tid"]) == thread and one.get("ph") in "XRI"),
        key=lambda one: one["ts"],
    )
    found = []
    for key in keys:
        told = first(events, "told", key["ts"])
        frame = told and first(events, "Commit", told)
        if frame:
            tasks = [one for one in events if one["name"] == "RunTask" and one["ts"] < frame]
            found.append(sum(one["tdur"] for one in tasks if one["ts"] + one["dur"] > key["ts"]) / 1000)
    return found


def first(events: list[dict[str, Any]], name: str, after: float) -> float | None:
    return next((one["ts"] for one in events if one["name"] == name and one["ts"] > after), None)


def in_browser(figures: Figures, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    path = shutil.which(os.environ.get("TREEWRIGHT_BROWSER", "chromium"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in NETWORKS:
            if (file := folder / f"{name}.html").exists():
                use_page(figures, browser, file)
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="into MEASURED.md beside it")
    options = parser.parse_args()
    page = Path(__file__).with_name("MEASURED.md")
    figures = Figures("python benchmarks/pages/bench_explorer.py", page)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(figures, folder)
        in_browser(figures, folder)
    figures.finish(write=options.write)


if __name__ == "__main__":
    main()
