"""Light and dark, print, narrow windows, moves, and names of any length and direction."""

import re

import numpy as np
import pytest
from tests.browser.explorer_pages import ALARM, card, find, opened, scale, state, written

import treewright as tw


def test_light_and_dark(browser, alarm_file):
    background = "() => getComputedStyle(document.body).backgroundColor"
    with opened(browser, alarm_file, color_scheme="dark") as page:
        assert page.evaluate(background) == "rgb(15, 19, 24)"
        page.click("#theme")
        assert page.evaluate(background) == "rgb(245, 247, 250)"
        page.emulate_media(color_scheme="light")
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(background) == "rgb(245, 247, 250)"  # chosen for this visit
        page.reload()
        page.wait_for_selector("html.ready")
        assert page.evaluate(background) == "rgb(15, 19, 24)"


def test_print_shows_the_network_alone(alarm):
    state(alarm, "HR", "HIGH").click()
    alarm.keyboard.press("t")
    before = alarm.locator("#stage").get_attribute("data-view")
    alarm.evaluate(
        """() => addEventListener('beforeprint', () => {
          window.printed = document.getElementById('stage').dataset.view; })"""
    )
    pdf = alarm.pdf()
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    assert alarm.evaluate("() => window.printed") == "network"
    assert alarm.locator("#stage").get_attribute("data-view") == before
    alarm.keyboard.press("n")
    alarm.emulate_media(media="print")
    for gone in (".tools", "#panel", ".zoom"):
        assert not alarm.locator(gone).is_visible()


def test_a_narrow_window_has_the_panel_below(browser, alarm_file):
    with opened(browser, alarm_file, viewport={"width": 390, "height": 800}, has_touch=True) as page:
        panel, stage = page.locator("#panel").bounding_box(), page.locator("#stage").bounding_box()
        assert panel["y"] >= stage["y"] + stage["height"] - 1
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        assert stage["height"] > 200
        card(page, "HR").tap()
        page.get_by_role("radio", name="HIGH").tap()
        assert page.locator(".chip").count() == 1


@pytest.mark.parametrize("sheet", [(1047, 718), (980, 740)], ids=["A4", "letter"])
def test_all_of_a_drawing_is_on_the_printed_sheet(browser, alarm_file, sheet):
    with opened(browser, alarm_file, viewport={"width": sheet[0], "height": sheet[1]}) as page:
        page.emulate_media(media="print")
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        stage = page.locator("#stage").bounding_box()
        boxes = [one.bounding_box() for one in page.locator(".card").all()]
        assert max(box["y"] + box["height"] for box in boxes) <= stage["y"] + stage["height"]
        assert stage["x"] >= 0
        assert stage["x"] + stage["width"] <= sheet[0]
        left, right = min(box["x"] for box in boxes), max(box["x"] + box["width"] for box in boxes)
        assert left >= stage["x"]
        assert right <= stage["x"] + stage["width"]
        assert abs(left + right - sheet[0]) < 60  # in the middle, but for lines beside them
        legend = page.locator("#stage #legend")
        assert legend.is_visible()
        below = legend.bounding_box()["y"] + legend.bounding_box()["height"]
        assert min(box["y"] for box in boxes) >= below


def test_the_legend_of_a_comparison_has_the_colours_of_its_edges(browser, tmp_path):
    dag = ALARM.dag
    file = tmp_path / "both.svg"
    file.write_text(tw.draw_comparison(dag, dag.without([dag.edges()[0]])), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    strokes = page.evaluate(
        "() => Array.from(document.querySelectorAll("
        "'[data-difference=missing]'), x => getComputedStyle(x).stroke)"
    )
    page.close()
    assert strokes == ["rgb(194, 59, 59)"] * 2


def test_a_narrow_window_has_the_legend_in_its_panel(browser, alarm_file):
    with opened(browser, alarm_file, viewport={"width": 390, "height": 800}) as page:
        legend = page.locator("#panel #legend")
        assert "mutual information (up to 1 bit)" in legend.inner_text()
        legend.scroll_into_view_if_needed()
        assert legend.is_visible()
        page.set_viewport_size({"width": 1200, "height": 800})
        page.locator("#stage #legend").wait_for()
        assert page.locator("#panel #legend").count() == 0
        page.set_viewport_size({"width": 700, "height": 800})
        legend.wait_for()


def test_a_narrow_window_is_filled_from_the_start(browser, alarm_file):
    with opened(browser, alarm_file, viewport={"width": 390, "height": 800}) as page:
        opens = scale(page)
        page.keyboard.press("f")
        assert scale(page) == pytest.approx(opens)
        assert "pick a variable, then a state of it" in page.inner_text("#panel")  # none is seen


@pytest.mark.parametrize("size", [(1400, 900), (1000, 700), (900, 600)])
@pytest.mark.parametrize("key", ["n", "o", "j"])
def test_a_drawing_is_clear_of_what_lies_over_it(browser, alarm_file, size, key):
    with opened(browser, alarm_file, viewport={"width": size[0], "height": size[1]}) as page:
        page.keyboard.press(key)
        page.keyboard.press("f")
        boxes = [one.bounding_box() for one in page.locator(".card:visible, .box:visible").all()]
        over = [one.bounding_box() for one in page.locator("#stage .legend:visible, .zoom").all()]
        assert len(over) == 2
        for a in over:
            for b in boxes:
                assert (
                    a["x"] >= b["x"] + b["width"]
                    or b["x"] >= a["x"] + a["width"]
                    or a["y"] >= b["y"] + b["height"]
                    or b["y"] >= a["y"] + a["height"]
                )


LANDED = "() => !('glide' in document.getElementById('world').dataset)"


def test_moves_are_gliding_until_a_hand_takes_over(browser, alarm_file):
    gliding = "() => document.getElementById('world').getAnimations({ subtree: true }).length"
    with opened(browser, alarm_file, reduced_motion="no-preference") as page:
        assert page.evaluate(gliding) == 0  # a page opens where it is
        find(page, "HYPOVOLEMIA")
        assert page.evaluate(gliding) > 0
        page.keyboard.press("o")
        assert page.evaluate(gliding) > 2  # cards that stay in sight too
        page.mouse.move(400, 500)
        page.mouse.wheel(0, 100)
        page.wait_for_function(LANDED)
        page.keyboard.press("f")
        page.wait_for_function(LANDED)
        assert page.evaluate(gliding) == 0
    with opened(browser, alarm_file) as page:
        find(page, "HYPOVOLEMIA")
        page.keyboard.press("o")
        assert page.evaluate(gliding) == 0


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
