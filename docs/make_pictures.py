"""Take the pictures of the explorer page that README and tutorial show.

`python docs/make_pictures.py` writes each page, opens it in a browser (TREEWRIGHT_BROWSER, else chromium),
does what a reader would do, and keeps what is seen. The larger network is one of the folder that
TREEWRIGHT_DATA names; without it that picture stays as it is.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

import treewright as tw

ROOT = Path(__file__).resolve().parent
WINDOW = {"width": 1280, "height": 800}
SEEN = {"HRBP": "HIGH", "BP": "LOW", "PCWP": "HIGH"}


def known(page: Page, name: str, state: str) -> None:
    page.locator(f'.card:has(h2[title="{name}"]) .state[title="{state}"]').click()


def find(page: Page, name: str) -> None:
    page.keyboard.press("/")
    page.keyboard.type(name)
    page.keyboard.press("Enter")


def alarm_goes_off(page: Page) -> None:
    for name, state in SEEN.items():
        known(page, name, state)


def ask_about_blood(page: Page) -> None:
    find(page, "HYPOVOLEMIA")
    page.keyboard.press("o")


def see_from_afar(page: Page) -> None:
    find(page, "SNode_75")
    page.keyboard.press("2")
    page.keyboard.press("f")
    page.keyboard.press("Escape")


def published(name: str) -> Any:
    file = Path(os.environ.get("TREEWRIGHT_DATA", ""), "networks", f"{name}.bif.gz")
    return tw.read_model(file) if file.is_file() else None


def take(browser: Any, target: Path, model: Any, act: Callable[[Page], None], **options: Any) -> None:
    """One picture: the page of a model after something was done."""
    scheme, window = options.pop("color_scheme", "light"), options.pop("window", WINDOW)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(tw.to_html(model, **options), encoding="utf-8")
        page = browser.new_page(viewport=window, color_scheme=scheme, reduced_motion="reduce")
        page.goto(file.as_uri())
        page.wait_for_selector("html.ready")
        act(page)
        page.mouse.move(window["width"] - 5, window["height"] - 5)
        page.wait_for_timeout(500)
        target.parent.mkdir(exist_ok=True)
        page.screenshot(path=target)
        page.close()
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")


def main() -> None:
    alarm, andes = tw.load_network("alarm"), published("andes")
    with sync_playwright() as playwright:
        path = shutil.which(os.environ.get("TREEWRIGHT_BROWSER", "chromium"))
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        take(browser, ROOT / "pictures" / "explorer.png", alarm, alarm_goes_off, title="alarm")
        heart = ROOT / "tutorial" / "pictures" / "heart_focus.png"
        take(browser, heart, alarm, ask_about_blood, title="alarm", given=SEEN, color_scheme="dark")
        if andes is not None:
            small = {"width": 1080, "height": 700}
            far = ROOT / "guides" / "pictures" / "andes.png"
            take(browser, far, andes, see_from_afar, title="andes", window=small)
        browser.close()


if __name__ == "__main__":
    main()
