"""Names and states of any length and direction: what of them is seen."""

import numpy as np
import pytest
from tests.browser.explorer_pages import card, find, opened, state, written

import treewright as tw

LONG = "a name that is longer than any card is wide, and goes on and on and on"
NAMES = (LONG, "W" * 40, "gypsy_quays_jj", "العربية", "עברית עברית עברית עברית", "名前が長い変数", "b")
STATES = ("ja_q", "لا", "a state that is longer than a row")


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    schema = tw.Schema([tw.Variable(name, STATES) for name in NAMES])
    arcs = [(NAMES[0], name) for name in NAMES[1:]]
    rng = np.random.default_rng(0)
    tables = {name: rng.dirichlet(np.ones(3), 3) for name in NAMES[1:]} | {LONG: rng.dirichlet(np.ones(3))}
    return written(
        tmp_path_factory.mktemp("pages"), tw.BayesianNetwork(tw.Dag(schema, arcs), tables), "named"
    )


CUT = """() => [...document.querySelectorAll('.card .name, .card .label')].flatMap(one => {
  if (!one.offsetParent) return [];
  const range = document.createRange();
  range.selectNodeContents(one);
  const [text, box] = [range, one].map(what => what.getBoundingClientRect());
  return text.top < box.top - 0.6 || text.bottom > box.bottom + 0.6 ? [one.textContent] : []; })"""


@pytest.mark.parametrize("farther", [0, 2, 5])
def test_no_letter_is_cut_at_its_foot(browser, named, farther):
    with opened(browser, named) as page:
        for _ in range(farther):
            page.keyboard.press("-")
        assert page.evaluate(CUT) == []


def test_boxes_of_the_junction_tree_hold_their_names(browser, named):
    with opened(browser, named) as page:
        page.keyboard.press("j")
        outside = page.evaluate(
            """() => [...document.querySelectorAll('.box')].flatMap(box => {
              const a = box.getBoundingClientRect();
              return [...box.querySelectorAll('button')].filter(button => {
                const b = button.getBoundingClientRect();
                return b.left < a.left || b.right > a.right || b.top < a.top || b.bottom > a.bottom;
              }).map(button => button.textContent); })"""
        )
        assert outside == []
        assert (
            page.locator(".box button", has_text="a name that is lon…").first.get_attribute("title") == LONG
        )


def test_a_name_from_right_to_left_stays_before_its_state(browser, named):
    with opened(browser, named) as page:
        state(page, "العربية", "لا").click()
        name, known = (one.bounding_box() for one in page.locator(".chip bdi").all())
        assert name["x"] + name["width"] < known["x"]
        find(page, "עברית")
        assert (
            "What to ask next" in page.locator("#panel h3").all_text_contents()
        )  # as it is written, and no name in it
        hebrew = card(page, "עברית עברית עברית עברית").locator(".name")
        assert hebrew.evaluate("one => getComputedStyle(one).unicodeBidi") == "plaintext"  # cut at its end


def test_figures_of_one_are_said_of_one(browser, tmp_path):
    schema = tw.Schema([tw.Variable("coin", ("heads", "tails"))])
    with opened(
        browser, written(tmp_path, tw.BayesianNetwork(tw.Dag(schema, []), {"coin": [0.5, 0.5]}))
    ) as page:
        assert page.inner_text(".facts") == "1 variable · 0 edges · 1 parameter"
        assert "Changed most" not in page.inner_text("#panel").capitalize()
        state(page, "coin", "heads").click()
        assert "Beliefs are as they were" in page.inner_text("#panel")
