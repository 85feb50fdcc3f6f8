"""Edges drawn as what they are, and the legend that says so."""

import numpy as np
import pytest
from tests.browser.explorer_pages import ALARM, find, information, opened, state, written
from tests.pages import embedded_model

import treewright as tw


def test_heads_of_edges_stand_beside_each_other_in_the_focus_view(alarm):
    find(alarm, "CATECHOL")
    alarm.keyboard.press("o")
    ends = alarm.evaluate(
        """() => [...document.querySelectorAll('.edge[marker-end]')].filter(e => e.style.display !== 'none')
          .map(e => { const p = e.getPointAtLength(e.getTotalLength()); return [p.x, p.y]; })"""
    )
    assert len(ends) == 5
    for i, (x, y) in enumerate(ends):
        assert all(abs(x - u) > 9 or abs(y - v) > 9 for u, v in ends[:i])


def test_edges_that_few_resamplings_found_are_pale(browser, folder):
    rows = tw.load_network("asia").sample(400, rng=np.random.default_rng(3))
    climb = lambda table: tw.learn_hill_climbing(tw.BIC(tw.count(table)))  # noqa: E731
    sure = tw.edge_confidence(rows, climb, repetitions=10, rng=np.random.default_rng(0))
    model = tw.fit(climb(rows).structure, tw.count(rows))
    file = written(folder, model, "confidence", confidence=sure)
    shares = embedded_model(file.read_text(encoding="utf-8"))["confidence"]
    with opened(browser, file) as page:
        drawn = page.evaluate(
            "() => [...document.querySelectorAll('.edge')].map(e => Number(getComputedStyle(e).opacity))"
        )
        assert drawn == pytest.approx([0.7 + 0.3 * share for share in shares], abs=1e-3)
        assert "pale: fewer resamplings found it" in page.inner_text("#legend")


def test_edges_are_drawn_as_what_they_are(browser, folder):
    rows = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(0))
    score = tw.BIC(tw.count(rows))
    model = tw.fit(tw.learn_hill_climbing(score).structure, tw.count(rows))
    with opened(browser, written(folder, model, "learned")) as page:
        plain = page.locator(".edge:not([marker-end]):not([marker-start])").count()
        assert plain == len(model.pattern.undirected_edges()) == 2
        assert page.locator(".edge").count() == model.dag.n_edges
        legend = page.inner_text("#legend")
        assert "either direction fits the rows equally well" in legend
        assert "direction told by the rows, the knowledge or the score" in legend
        assert page.locator(".edge.weak").count() == 0
        state(page, "smoke", "yes").click()
        assert page.locator(".edge.weak").count() == 2  # what is known cuts them off
        page.keyboard.press("?")
        assert "An arrow is not a cause" in page.inner_text("#keys")
        page.get_by_role("button", name="Close").click()


def test_width_follows_mutual_information(alarm, alarm_file):
    bits = information(ALARM, "LVEDVOLUME", "PCWP", {})
    index = ALARM.schema.index
    edges = embedded_model(alarm_file.read_text(encoding="utf-8"))["edges"]
    at = edges.index([index("LVEDVOLUME"), index("PCWP")])
    drawn = alarm.evaluate("i => document.querySelectorAll('.edge')[i].style.strokeWidth", at)
    assert float(drawn.removesuffix("px")) == pytest.approx(0.9 + 5.5 * np.sqrt(min(1, bits)), abs=0.06)
