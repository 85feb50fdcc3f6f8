"""Pages of other models than Bayesian networks, and of those too large for one."""

import re

import numpy as np
import pytest
from tests.browser.explorer_pages import (
    ALARM,
    HIGH,
    assert_shows,
    card,
    find,
    opened,
    run_copied,
    state,
    written,
)

import treewright as tw


def test_numbers_are_typed_or_pointed_at(browser, folder, monkeypatch):
    rng = np.random.default_rng(0)
    age, weight = rng.normal(40, 10, 500), rng.normal(70, 8, 500)
    rows = tw.read_table(
        {"age": age, "weight": weight, "speed": 120 - 0.5 * age - 0.2 * weight + rng.normal(0, 3, 500)}
    )
    model = tw.fit(tw.Dag(rows.schema, [("age", "speed"), ("weight", "speed")]), tw.moments(rows))
    with opened(
        browser, written(folder, model, "normal"), permissions=["clipboard-read", "clipboard-write"]
    ) as page:
        find(page, "speed")
        page.get_by_label("value of speed").fill("80.5")
        page.keyboard.press("Enter")
        now = model.marginals({"speed": 80.5})
        words = {name: card(page, name).locator(".words").inner_text() for name in ("age", "weight", "speed")}
        for name in ("age", "weight"):
            mean, deviation = map(float, words[name].split(" ± "))
            assert mean == pytest.approx(now[name].mean, rel=2e-3)
            assert deviation == pytest.approx(now[name].standard_deviation, rel=2e-3)
        assert words["speed"] == "80.5"
        page.keyboard.press("Escape")
        box = card(page, "age").locator("svg").bounding_box()
        page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 20)
        assert page.locator(".chip").count() == 2
        page.keyboard.press("c")
        _, names, _ = run_copied(page, folder, monkeypatch)
        assert set(names["given"]) == {"speed", "age"}
        mean = float(card(page, "weight").locator(".words").inner_text().split(" ± ")[0])
        assert mean == pytest.approx(names["model"].marginals(names["given"])["weight"].mean, rel=2e-3)
        assert page.locator("#explain").is_disabled()


def test_a_markov_network_has_lines(browser, folder):
    rows = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    graph = tw.UndirectedGraph(rows.schema, tw.load_network("asia").dag.edges())
    model = tw.fit(graph, tw.count(rows))
    with opened(browser, written(folder, model, "markov")) as page:
        state(page, "smoke", "yes").click()
        assert_shows(page, model.marginals({"smoke": "yes"}))
        assert page.locator("[marker-end]").count() == 0
        assert "joined, without direction" in page.inner_text("#legend")


def test_feature_graphs_show_their_upper_nodes(browser, folder):
    rows = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    learned = tw.learn_cutset_network(tw.count(rows))
    model = tw.FeatureNetwork(learned.structure) if not hasattr(learned, "model") else learned.model
    with opened(browser, written(folder, model, "cutset")) as page:
        find(page, "smoke")
        page.keyboard.press("1")
        p = model.query("lung", {"smoke": "yes"})["yes"]
        assert (
            f"{100 * p:.1f}%"
            in (card(page, "lung").get_attribute("aria-label") + card(page, "lung").inner_text())
            or p < 0.5
        )
        page.wait_for_function(
            "() => new Set([...document.querySelectorAll('.edge')].map(e => e.style.strokeWidth)).size > 1"
        )
        page.locator("summary", has_text="Which numbers matter").click()
        page.locator("#matters", has_text="None: what is known settles it.").wait_for()
        page.click('[data-view="tree"]')
        assert page.get_by_role("button", name="Feature graph").get_attribute("aria-pressed") == "true"
        assert page.locator(".box").count() > 0
        assert "from a node of the feature graph to its parts" in page.locator(".legend:visible").inner_text()


def test_too_many_lines_are_left_out_and_that_is_said(browser, folder):
    names = [f"x{i}" for i in range(26)]
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in names])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    parts = [builder.product([builder.table(name, [p, 1 - p]) for name in names]) for p in (0.2, 0.7)]
    model = tw.FeatureNetwork(builder.graph(builder.mixture(parts, [0.5, 0.5])))
    with opened(browser, written(folder, model, "mixture")) as page:
        assert "325 pairs are joined, too many to draw" in page.inner_text("#legend")
        assert "width" not in page.inner_text("#legend")
        assert page.locator(".edge").count() == 0


def test_a_bare_structure_has_no_beliefs(browser, folder):
    with opened(browser, written(folder, ALARM.dag, "bare")) as page:
        assert page.locator(".card").count() == 37
        assert page.locator(".state").count() == 0
        assert not page.locator("#undo").is_visible()
        card(page, "CATECHOL").click()
        assert re.search(r"to\s*HR", page.inner_text("#panel"))
        page.keyboard.press("t")
        assert page.locator("#sheet tbody tr").count() == 37


def test_beyond_the_limit_the_page_says_what_to_call(browser, folder, monkeypatch):
    monkeypatch.setattr("treewright.reports.explorer.page_data.MOST_CELLS", 500)
    with opened(browser, written(folder, ALARM, "large", given=HIGH)) as page:
        assert_shows(page, ALARM.marginals(HIGH))
        assert "tw.load('large.twm').marginals" in page.locator(".note").inner_text()
        assert not page.locator("#undo").is_visible()
        find(page, "CATECHOL")
        page.keyboard.press("1")
        assert_shows(page, ALARM.marginals(HIGH))
