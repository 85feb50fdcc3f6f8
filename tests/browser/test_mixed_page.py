"""The page of a network of states and numbers: what is clicked and typed, and what it then says."""

import numpy as np
import pytest
from tests.browser.explorer_pages import (
    assert_shows,
    card,
    find,
    opened,
    percent,
    run_copied,
    scale,
    settled,
    shown,
    state,
    written,
)
from tests.browser.test_security import HOSTILE

import treewright as tw
from treewright.models import ConditionalGaussianNetwork, Lines

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def weather():
    states = {"sky": ("clear", "grey"), "season": ("summer", "winter")}
    schema = tw.Schema([tw.Variable(name, states.get(name)) for name in ("season", "sky", "sun", "heat")])
    dag = tw.Dag(schema, [("season", "sky"), ("sky", "sun"), ("season", "heat"), ("sun", "heat")])
    return ConditionalGaussianNetwork(
        dag,
        {"season": [0.5, 0.5], "sky": [[0.6, 0.4], [0.2, 0.8]]},
        {
            "sun": Lines([8.0, 3.0], {}, [2.0, 1.0]),
            "heat": Lines([12.0, 2.0], {"sun": [1.5, 0.5]}, [4.0, 2.0]),
        },
    )


WEATHER = weather()


@pytest.fixture(scope="module")
def weather_file(tmp_path_factory):
    return written(tmp_path_factory.mktemp("pages"), WEATHER, "weather")


def moments(page, name):
    mean, deviation = card(page, name).locator(".words").inner_text().split(" ± ")
    return float(mean), float(deviation)


def assert_says(page, known):
    """States to the last digit shown, numbers to four."""
    now = WEATHER.marginals(known)
    for name, states in shown(page).items():
        for label, text in states.items():
            assert text == percent(now[name][label])
    for name in {"sun", "heat"} - set(known):
        expected = now[name].mean, now[name].standard_deviation
        assert moments(page, name) == pytest.approx(expected, rel=6e-4)


def test_states_are_clicked_and_numbers_typed(browser, weather_file, monkeypatch):
    with opened(browser, weather_file, **CLIPBOARD) as page:
        assert_says(page, {})
        assert "click a state or a point of any card" in page.inner_text("#panel")
        state(page, "season", "winter").click()
        assert_says(page, {"season": "winter"})
        assert "Probability of this: 0.5" in page.inner_text("#panel")
        find(page, "heat")
        page.get_by_label("value of heat").fill("6.5")
        page.keyboard.press("Enter")
        known = {"season": "winter", "heat": 6.5}
        assert_says(page, known)
        assert f"ln {WEATHER.log_density_of(known):.3f}" in page.inner_text("#panel")
        assert "Density of this" in page.inner_text("#panel")
        assert page.evaluate("() => location.hash") in ("#season=winter&heat=6.5", "")
        settled(page)
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        _, names, _ = run_copied(page, weather_file.parent, monkeypatch)
        assert names["given"] == known
        page.reload()  # the address brings it back
        page.wait_for_selector("html.ready")
        assert_says(page, known)
        page.keyboard.press("x")
        page.keyboard.press("Control+z")
        assert_says(page, known)


def test_soft_evidence_hold_and_points_of_a_curve(browser, weather_file):
    with opened(browser, weather_file, "#sky=~1~0.25") as page:
        soft = {"sky": {"clear": 1.0, "grey": 0.25}}
        assert_says(page, soft)
        page.keyboard.press("h")
        box = card(page, "sun").locator("svg").bounding_box()
        page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 20)
        x = float(card(page, "sun").locator(".words").inner_text())
        assert_says(page, soft | {"sun": x})
        assert page.evaluate("() => document.querySelector('.card .was').getAttribute('d').length") > 100
        assert page.locator('[aria-label="Changed most"] li').count() == 3


def test_what_is_not_worked_out_is_said(browser, weather_file):
    with opened(browser, weather_file) as page:
        find(page, "sky")
        asked = page.locator('[aria-label="What to ask next about sky"]')
        assert "has no closed form" in asked.inner_text()
        asked.get_by_role("button", name="season").wait_for()
        assert asked.get_by_role("button").count() == 1
        find(page, "heat")
        asked = page.locator('[aria-label="What to ask next about heat"]')
        assert "has no closed form" in asked.inner_text()
        assert "entropy" not in page.inner_text("#panel")
        page.locator("summary", has_text="Its numbers").click()
        rows = page.locator(".cpt tbody tr")
        rows.first.wait_for()
        assert rows.all_inner_texts() == ["summer\t12\t1.5\t2", "winter\t2\t0.5\t1.414"]
        assert "width between states: mutual information (up to 1 bit)" in page.inner_text("#legend")


def test_the_explanation_is_the_highest_point(browser, weather_file):
    known = {"heat": 14.0}
    best = WEATHER.mpe(known)
    with opened(browser, weather_file, "#heat=14") as page:
        page.keyboard.press("m")
        page.locator(".best").first.wait_for()
        marked = page.locator(".card .best").evaluate_all(
            "all => all.map(e => [e.closest('.card').querySelector('h2').title, e.title])"
        )
        assert dict(marked) == {name: best[name] for name in ("season", "sky")}
        assert card(page, "sun").locator(".words").inner_text().endswith(f"◆ {best['sun']:.4g}")
        said = page.locator('[aria-label="Most probable explanation"]').inner_text()
        share = best.log_probability - WEATHER.log_density_of(known)
        assert f"(ln {share:.3f})" in said
        assert f"sun: ◆ {best['sun']:.4g}" in said
        page.keyboard.press("t")
        cells = page.locator("#sheet tbody tr", has_text="sun").first.inner_text()
        assert f"◆ {best['sun']:.4g}" in cells
        assert page.locator("#sheet tbody tr").count() == 4
        page.get_by_role("button", name="probability").click()
        assert page.locator("#sheet tbody th").all_inner_texts()[2:] == ["sun", "heat"]


def test_every_view_and_what_is_said_aloud(browser, weather_file):
    with opened(browser, weather_file) as page:
        state(page, "sky", "grey").click()
        settled(page)
        assert page.locator("#said").inner_text().startswith("sky is grey. sun ")
        for key in ("o", "j", "n"):
            page.keyboard.press(key)
        page.keyboard.press("j")
        assert page.locator(".box").count() == len(page.locator(".box").all())
        assert "cliques in which answers are worked out" in page.locator(".legend:visible").inner_text()


def test_what_cannot_happen_is_named_and_undone(browser, tmp_path):
    schema = tw.Schema([tw.Variable("a", ("no", "yes")), tw.Variable("b", ("no", "yes")), tw.Variable("x")])
    dag = tw.Dag(schema, [("a", "b"), ("b", "x")])
    lines = {"x": Lines([0.0, 5.0], {}, [1.0, 2.0])}
    model = ConditionalGaussianNetwork(dag, {"a": [0.4, 0.6], "b": [[1.0, 0.0], [0.3, 0.7]]}, lines)
    with opened(browser, written(tmp_path, model), "#x=3&a=no&b=yes") as page:
        assert "This cannot happen: a and b contradict each other" in page.inner_text("#panel")
        assert page.locator(".clash").count() == 2
        page.keyboard.press("x")
        state(page, "a", "yes").click()
        assert page.locator(".clash").count() == 0


def test_evidence_that_the_page_opens_with(browser, tmp_path):
    known = {"sky": "grey", "heat": 9.5}
    with opened(browser, written(tmp_path, WEATHER, given=known)) as page:
        assert_says(page, known)
        assert page.locator(".chip").count() == 2


def test_beyond_the_limit_the_page_says_what_to_call(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.reports.explorer.page_data.MOST_CELLS", 20)
    monkeypatch.setattr("treewright.reports.explorer.page_data.MOST_NUMBERS", 20)
    with opened(browser, written(tmp_path, WEATHER, "large", given={"sky": "grey"})) as page:
        assert_says(page, {"sky": "grey"})
        assert "tw.load('large.twm').marginals" in page.locator(".note").inner_text()
        path = card(page, "heat").locator(".now").get_attribute("d")
        assert len(path) > 300
        assert not page.locator("#undo").is_visible()


def test_any_name_stays_text(browser, tmp_path):
    names = [*HOSTILE, *(f"{name} n" for name in HOSTILE)]
    schema = tw.Schema(
        [tw.Variable(name, ("<b>x</b>", "</script>", "~1~2") if name in HOSTILE else None) for name in names]
    )
    arcs = [(label, f"{label} n") for label in HOSTILE]
    tables = {label: [0.2, 0.3, 0.5] for label in HOSTILE}
    lines = {f"{label} n": Lines([0.0, 2.0, 5.0], {}, [1.0, 1.0, 2.0]) for label in HOSTILE}
    model = ConditionalGaussianNetwork(tw.Dag(schema, arcs), tables, lines)
    with opened(browser, written(tmp_path, model)) as page:
        page.locator('.card[data-v="0"] .state').nth(1).click()
        v = model.schema.index(f"{HOSTILE[1]} n")
        page.evaluate("() => document.querySelectorAll('.card h2').length")
        page.locator(f'.card[data-v="{v}"] h2').click()
        page.locator("#panel input[type=number]").fill("3.25")
        page.keyboard.press("Enter")
        page.locator("summary", has_text="Its numbers").click()
        for key in ("m", "o", "j", "t", "n"):
            page.locator("h1").click()
            page.keyboard.press(key)
        settled(page)
        assert page.evaluate("() => document.querySelectorAll('img,iframe,b:not(.bar b)').length") == 0
        assert page.evaluate("() => document.querySelectorAll('script').length") == 2
        assert page.evaluate("() => window.hacked") is None
        page.reload()
        page.wait_for_selector("html.ready")
        assert page.locator(".chip").count() == 2


def test_numbers_alone_and_states_alone(browser, tmp_path):
    schema = tw.Schema([tw.Variable("x"), tw.Variable("y")])
    lines = {"x": Lines(1.0), "y": Lines(0.0, {"x": 2.0}, 1.0)}
    numbers = ConditionalGaussianNetwork(tw.Dag(schema, [("x", "y")]), {}, lines)
    with opened(browser, written(tmp_path, numbers, "numbers"), "#y=3") as page:
        answer = numbers.marginals({"y": 3.0})["x"]
        assert moments(page, "x") == pytest.approx((answer.mean, answer.standard_deviation), rel=6e-4)
        for key in ("m", "j", "t", "n"):
            page.keyboard.press(key)
        page.wait_for_timeout(50)
    schema = tw.Schema([tw.Variable("a", ("no", "yes"))])
    states = ConditionalGaussianNetwork(tw.Dag(schema), {"a": [0.3, 0.7]}, {})
    with opened(browser, written(tmp_path, states, "states")) as page:
        assert_shows(page, states.marginals())
        page.keyboard.press("j")


def test_curves_show_each_normal_however_narrow(browser, tmp_path):
    schema = tw.Schema([tw.Variable("a", ("no", "yes")), tw.Variable("x")])
    lines = {"x": Lines([0.0, 1000.0], {}, [1.0, 1.0])}
    model = ConditionalGaussianNetwork(tw.Dag(schema, [("a", "x")]), {"a": [0.5, 0.5]}, lines)
    with opened(browser, written(tmp_path, model)) as page:
        path = card(page, "x").locator(".now").get_attribute("d")
        heights = [float(point.split(" ")[1]) for point in path.removesuffix("z").split("L")[1:]]
        assert np.sum(np.array(heights) < 5) >= 2  # both peaks reach the top


def test_a_search_leaves_alone_what_can_be_read(browser, weather_file):
    """All of a small drawing is in sight: what was found is picked, nothing moves."""
    with opened(browser, weather_file) as page:
        before = scale(page)
        find(page, "heat")
        assert page.locator(".card.picked h2").get_attribute("title") == "heat"
        assert scale(page) == before
        page.keyboard.press("+")
        page.keyboard.press("+")
        page.keyboard.press("+")
        find(page, "season")
        assert scale(page) != before


def test_what_did_not_change_is_not_said_twice(browser, weather_file):
    with opened(browser, weather_file) as page:
        find(page, "sky")
        assert "was" not in page.locator("#panel .mass").first.inner_text()
        page.keyboard.press("1")
        find(page, "season")
        said = page.locator("#panel section .mass").all_inner_texts()
        assert any(", was " in text for text in said)


def test_keys_are_those_that_do_something(browser, weather_file, folder):
    with opened(browser, weather_file) as page:
        page.keyboard.press("?")
        assert "n o j t" in page.inner_text("#keylist")
        assert "rule a state out" in page.inner_text("#keylist")
    with opened(browser, written(folder, WEATHER.dag, "bare weather")) as page:
        page.keyboard.press("?")
        assert "n o t" in page.inner_text("#keylist")
        assert "undo" not in page.inner_text("#keylist")
