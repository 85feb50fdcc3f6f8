"""Beside the drawing: rankings, what is picked, its numbers, the most probable explanation."""

import re

import numpy as np
import pytest
from tests.browser.explorer_pages import ALARM, HIGH, card, find, information, opened, state, written

import treewright as tw


def ranking(page, title):
    section = page.locator(f'#panel section[aria-label="{title}"]')
    section.locator(".ranking").wait_for()
    names = section.locator(".ranking .label").all_inner_texts()
    return dict(zip(names, map(float, section.locator(".ranking .n").all_inner_texts()), strict=True))


def distance(p, q):
    """Square root of the Jensen-Shannon divergence in bits."""

    def entropy(x):
        return -sum(a * np.log2(a) for a in x if a > 0)

    p, q = np.array([*p.values()]), np.array([*q.values()])
    return np.sqrt(max(0.0, entropy((p + q) / 2) - entropy(p) / 2 - entropy(q) / 2))


def test_nothing_picked_lists_changes_and_doubts(alarm):
    state(alarm, "HR", "HIGH").click()
    before, now = ALARM.marginals(), ALARM.marginals(HIGH)
    changes = {name: distance(before[name], now[name]) for name in ALARM.schema.names if name != "HR"}
    listed = ranking(alarm, "Changed most")
    assert len(listed) == 12
    assert listed == {
        name: round(changes[name], 3) for name in sorted(changes, key=lambda n: -changes[n])[:12]
    }
    doubts = ranking(alarm, "Least certain (bits)")
    assert len(doubts) == 6
    assert next(iter(doubts)) == "PRESS"


def test_a_picked_variable_tells_all_about_itself(alarm):
    state(alarm, "HR", "HIGH").click()
    card(alarm, "LVEDVOLUME").locator("h2").click()
    said = alarm.inner_text("#panel")
    assert "LVEDVOLUME" in said
    assert re.search(r"from\s*HYPOVOLEMIA\s*LVFAILURE", said)
    assert re.search(r"to\s*CVP\s*PCWP", said)
    asked = ranking(alarm, "What to ask next about LVEDVOLUME")
    told = {name: information(ALARM, "LVEDVOLUME", name, HIGH) for name in asked}
    assert asked == {name: round(bits, 3) for name, bits in told.items()}
    assert list(asked) == sorted(asked, key=lambda name: -told[name])
    assert {"CVP", "PCWP"} == set(list(asked)[:2])
    alarm.get_by_text("Its numbers").click()
    alarm.locator(".cpt").wait_for()
    assert alarm.locator(".cpt tbody tr").count() == 4
    assert alarm.locator(".cpt tr.on").count() == 0
    alarm.get_by_role("button", name="HYPOVOLEMIA").first.click()
    alarm.keyboard.press("1")
    find(alarm, "LVFAILURE")
    alarm.keyboard.press("2")
    card(alarm, "LVEDVOLUME").locator("h2").click()
    row = alarm.locator(".cpt tr.on")
    assert row.count() == 1
    assert row.locator("th").all_inner_texts() == ["TRUE", "FALSE"]


def test_numbers_of_a_table_are_not_broken(alarm):
    find(alarm, "VENTLUNG")
    alarm.locator("summary", has_text="Its numbers").click()
    alarm.locator(".cpt").wait_for()
    assert alarm.locator(".cpt td").first.inner_text() == "0.970"
    heights = alarm.evaluate("() => [...document.querySelectorAll('.cpt tr')].map(row => row.offsetHeight)")
    assert max(heights) < 26  # one line each


def test_long_tables_have_a_filter(browser, folder):
    schema = tw.Schema(
        [
            tw.Variable(name, tuple(f"{name}{i}" for i in range(n)))
            for name, n in (("a", 16), ("b", 16), ("c", 2))
        ]
    )
    rng = np.random.default_rng(0)
    tables = {"a": np.full(16, 1 / 16), "b": np.full(16, 1 / 16), "c": rng.dirichlet((1, 1), (16, 16))}
    model = tw.BayesianNetwork(tw.Dag(schema, [("a", "c"), ("b", "c")]), tables)
    with opened(browser, written(folder, model, "wide")) as page:
        assert "and 10 more" in card(page, "a").inner_text()
        find(page, "c")
        page.get_by_text("Its numbers").click()
        page.locator(".cpt").wait_for()
        assert "200 of 256 rows" in page.inner_text("#panel")
        page.locator(".filter").fill("a15 b7")
        row = page.locator(".cpt tbody tr")
        assert row.count() == 1
        assert row.locator("td").all_inner_texts() == [f"{p:.3f}" for p in tables["c"][15, 7]]


def test_numbers_that_matter_are_those_of_python(alarm):
    state(alarm, "HR", "HIGH").click()
    find(alarm, "LVFAILURE")
    alarm.get_by_text("Which numbers matter to it").click()
    alarm.locator(".matters li").first.wait_for()
    lines = alarm.locator(".matters li").all_inner_texts()
    moves = [abs(float(line.split()[-1].replace("\u2212", "-"))) for line in lines]
    found = ALARM.sensitivity("LVFAILURE", "FALSE", HIGH)
    strongest = sorted((abs(entry.derivative) for entry in found), reverse=True)[: len(moves)]
    assert moves == pytest.approx(strongest, abs=6e-4)


def test_the_explanation_is_marked_in_every_card(alarm):
    state(alarm, "BP", "LOW").click()
    alarm.keyboard.press("m")
    alarm.locator(".best").first.wait_for()
    best = ALARM.mpe({"BP": "LOW"})
    marked = alarm.evaluate(
        """() => [...document.querySelectorAll('.card .best')].map(
          state => [state.closest('.card').querySelector('h2').title, state.title])"""
    )
    assert dict(marked) == dict(best)
    share = np.exp(best.log_probability) / ALARM.probability_of({"BP": "LOW"})
    assert f"{100 * share:.1f}%" in alarm.locator('[aria-label="Most probable explanation"]').inner_text()
    now = ALARM.marginals({"BP": "LOW"})
    differing = [name for name, label in best.items() if now[name][label] < max(now[name].values())]
    assert alarm.locator(".plain li").count() == len(differing)
    alarm.click("#explain")
    assert alarm.locator(".best").count() == 0
