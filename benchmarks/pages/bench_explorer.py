"""The explorer page beside its bars: bytes, seconds to write it, to open it, to click in it and to move it.

`python benchmarks/pages/bench_explorer.py` prints what is measured beside its bar. All times are processor
time, so that a busy machine matters little: of Python for writing, of the page's main thread for the rest
(script, style, layout and painting; the compositor works beside it, and what the driver brings into a page to
look for elements, about 70 ms, is no part of opening it). Networks other than alarm come from the
folder that TREEWRIGHT_DATA names, the browser is the one that TREEWRIGHT_BROWSER names, else chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

import treewright as tw
from treewright.reports.explorer.explorer import _CALLED_ELSEWHERE
from treewright.reports.explorer.page_file import page_code

console = Console(width=120)
NETWORKS = ("alarm", "pathfinder", "andes", "pigs", "link")
BYTES = {"alarm": 100_000, "pathfinder": 250_000}
WRITING = {"alarm": 0.5, "andes": 1.5, "link": 4.0}  # seconds
OPENING = {"alarm": 300.0, "andes": 800.0}  # milliseconds
CLICKING = {"alarm": 16.0, "pigs": 100.0}
MOVING = {"andes": 20.0}  # 50 frames a second
CLICKS, FRAMES = 12, 60
TELL = """() => { const panel = document.getElementById('panel');
  new MutationObserver(() => { if (!panel.textContent.includes('working')) performance.mark('told'); })
    .observe(panel, { childList: true, subtree: true }); }"""
READY = """new Promise(done => {
  const look = () => { if (document.documentElement?.classList.contains('ready'))
    requestAnimationFrame(() => setTimeout(done)); else setTimeout(look, 4); };
  look(); })"""
FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


@dataclass
class Measured:
    """One figure and its bar."""

    what: str
    network: str
    value: float
    unit: str
    bar: float | None

    @property
    def held(self) -> bool:
        return self.bar is None or self.value <= self.bar


def network(name: str) -> Any:
    if name == "alarm":
        return tw.load_network(name)
    file = Path(os.environ.get("TREEWRIGHT_DATA", ""), "networks", f"{name}.bif.gz")
    if not file.is_file():
        console.print(f"[yellow]{name}: set TREEWRIGHT_DATA to measure it[/]")
        return None
    return tw.read_model(file)


def write_pages(folder: Path) -> list[Measured]:
    found = []
    tw.to_html(tw.load_network("asia"))  # what is imported once
    for name in NETWORKS:
        model = network(name)
        if model is None:
            continue
        start = time.process_time()
        page = tw.to_html(model, title=name, file=f"{name}.twm").encode()
        seconds = time.process_time() - start
        (folder / f"{name}.html").write_bytes(page)
        found.append(Measured("page", name, len(page), "bytes", BYTES.get(name)))
        found.append(Measured("writing", name, seconds, "s", WRITING.get(name)))
    for kind, without in _CALLED_ELSEWHERE.items():
        size = len("".join(page_code(without)).encode())
        found.append(Measured("code and style", kind, size, "bytes", 120_000))
    return found


class Clock:
    """Processor milliseconds of the main thread of a page."""

    def __init__(self, page: Any) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self) -> float:
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(item["value"] for item in metrics if item["name"] == "TaskDuration")


def use_page(browser: Any, file: Path) -> list[Measured]:
    name = file.stem
    page = browser.new_page(viewport={"width": 1500, "height": 940})
    clock = Clock(page)
    start = clock.now()
    page.goto(file.as_uri())
    clock.session.send("Runtime.evaluate", {"expression": READY, "awaitPromise": True})
    found = [Measured("opening", name, clock.now() - start, "ms", OPENING.get(name))]
    page.wait_for_timeout(300)
    if page.locator("html.still").count() == 0:  # it propagates
        found.append(Measured("a click", name, clicking(browser, page), "ms", CLICKING.get(name)))
    found.append(Measured("a frame of moving", name, moving(page, clock), "ms", MOVING.get(name)))
    page.close()
    return found


def clicking(browser: Any, page: Any) -> float:
    """The least of a dozen pieces of evidence on different variables, from the key to the painted beliefs."""
    categories = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]
    browser.start_tracing(page=page, categories=categories)
    page.evaluate(TELL)
    cards = page.locator(".card")
    for i in range(CLICKS):
        cards.nth(3 * i % cards.count()).focus()
        page.evaluate(FRAME)
        page.wait_for_timeout(100)  # what to ask next is worked out after the frame
        page.keyboard.press("1")
        page.wait_for_function("() => !document.getElementById('panel').textContent.includes('working')")
        page.evaluate(FRAME)
    return min(painted_after_keys(json.loads(browser.stop_tracing())["traceEvents"]))


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


def moving(page: Any, clock: Clock) -> float:
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.evaluate(FRAME)
    start = clock.now()
    for i in range(FRAMES):
        page.keyboard.press("Shift+ArrowRight" if i % 2 else "Shift+ArrowLeft")
        page.evaluate(FRAME)
    return (clock.now() - start) / FRAMES


def in_browser(folder: Path) -> list[Measured]:
    from playwright.sync_api import sync_playwright

    path = shutil.which(os.environ.get("TREEWRIGHT_BROWSER", "chromium"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        found = [one for file in sorted(folder.glob("*.html")) for one in use_page(browser, file)]
        browser.close()
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = write_pages(folder) + in_browser(folder)
    shown = RichTable("what", "of", "measured", "bar", "held", title="explorer page")
    for one in found:
        value, bar = (f"{x:,.0f}" if one.unit != "s" else f"{x:.2f}" for x in (one.value, one.bar or 0.0))
        told = (f"{bar} {one.unit}", "yes" if one.held else "no") if one.bar is not None else ("", "")
        shown.add_row(one.what, one.network, f"{value} {one.unit}", *told)
    console.print(shown)
    sys.exit(not all(one.held for one in found))


if __name__ == "__main__":
    main()
