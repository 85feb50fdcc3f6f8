"""A real browser, once for all tests of a process.

The one that TREEWRIGHT_BROWSER names, else the first of a few on the path; driven by playwright (the extra
`browser`). Without either the tests are skipped, or, where TREEWRIGHT_BROWSER_REQUIRED is set, fail.
"""

import os
import shutil

import pytest
from tests.browser.explorer_pages import ALARM, opened, written

from treewright.reports.explorer.page_file import joined_script

KNOWN = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _lacking(what):
    if os.environ.get("TREEWRIGHT_BROWSER_REQUIRED"):
        pytest.fail(f"{what}, and TREEWRIGHT_BROWSER_REQUIRED is set", pytrace=False)
    pytest.skip(what)


def _found():
    named = os.environ.get("TREEWRIGHT_BROWSER")
    path = shutil.which(named) if named else next(filter(None, map(shutil.which, KNOWN)), None)
    if path is None:
        _lacking(f"there is no browser {named!r}" if named else f"none of {', '.join(KNOWN)} is on the path")
    return path


@pytest.fixture(scope="session")
def browser():
    path = _found()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _lacking("playwright is not installed; pip install 'treewright[browser]' brings it")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def engines(browser):
    """A blank page that has the engines and beliefs of the explorer, and nothing of its drawing."""
    page = browser.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.add_script_tag(
        content=joined_script("beliefs.js") + "window.Beliefs = Beliefs; window.mixtureOf = mixtureOf;",
        type="module",
    )
    page.wait_for_function("() => window.Beliefs")
    yield page
    page.close()
    assert problems == []


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def alarm_file(folder):
    return written(folder, ALARM, "alarm")


@pytest.fixture
def alarm(browser, alarm_file):
    with opened(browser, alarm_file) as page:
        yield page
