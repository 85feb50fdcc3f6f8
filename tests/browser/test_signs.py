"""What is told of a variable by signs and words, at every size and distance; nothing by a colour alone.

And edges, drawn as what they are, with the legend that says so.
"""

import numpy as np
import pytest
from tests.browser.explorer_pages import ALARM, card, find, information, opened, settled, state, written
from tests.pages import embedded_model

import treewright as tw


def tree(n, sure=False):
    """Everybody follows somebody; surely, where only contradictions matter."""
    names = [f"variable {i:03}" for i in range(n)]
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in names])
    arcs = [(names[(i - 1) // 3], names[i]) for i in range(1, n)]
    follows = [[1.0, 0.0], [0.0, 1.0]] if sure else [[0.9, 0.1], [0.3, 0.7]]
    tables = {name: follows if i else [0.4, 0.6] for i, name in enumerate(names)}
    return tw.BayesianNetwork(tw.Dag(schema, arcs), tables)


def density(page):
    return page.locator("#world").get_attribute("data-density")


def test_far_cards_name_the_state_of_the_explanation(alarm):
    state(alarm, "BP", "LOW").click()
    alarm.keyboard.press("m")
    alarm.locator(".best").first.wait_for()
    for _ in range(4):
        alarm.keyboard.press("-")
    assert alarm.locator("#world").get_attribute("data-zoom") == "far"
    said = alarm.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.card')].map(card =>
          [card.querySelector('h2').title, getComputedStyle(card, '::after').content]))"""
    )
    best = dict(ALARM.mpe({"BP": "LOW"}).items())
    assert set(said) == set(best)
    for name, words in said.items():
        assert "\u25c6" in words
        assert card(alarm, name).get_attribute("data-best") == best[name]
    assert f"most probable together: {best['HR']}" in card(alarm, "HR").get_attribute("aria-label")
    size = "() => parseFloat(getComputedStyle(document.querySelector('.seen .mark')).fontSize)"
    assert alarm.evaluate(size) >= 24  # seen from afar
    alarm.keyboard.press("m")
    alarm.wait_for_function("() => !document.querySelector('[data-best]')")


def test_strips_have_a_tick_at_the_state_of_the_explanation(browser, folder):
    model = tree(55)
    with opened(browser, written(folder, model, "pills")) as page:
        assert density(page) == "pills"
        find(page, "variable 000")
        page.keyboard.press("1")
        page.keyboard.press("m")
        page.locator(".strip s").first.wait_for(state="attached")
        given = {"variable 000": "no"}
        best, now = model.mpe(given), model.marginals(given)
        ticks = page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll('.strip s')].map(tick =>
              [tick.closest('.card').querySelector('h2').title, parseFloat(tick.style.left)]))"""
        )
        assert len(ticks) == len(model.schema)
        for name, left in ticks.items():
            p = now[name]["no"]
            assert left == pytest.approx(100 * (p / 2 if best[name] == "no" else (1 + p) / 2), abs=0.051)
        page.keyboard.press("f")
        known = page.locator(".tag.seen:visible")
        known.wait_for()
        assert known.inner_text() == "\u25cf variable 000 \u25c6 no"
        page.keyboard.press("m")
        page.wait_for_function("() => !document.querySelector('.strip s')")


def test_dots_have_it_in_their_labels_and_contradictions_a_label_of_their_own(browser, folder):
    model = tree(400, sure=True)
    with opened(browser, written(folder, model, "dots")) as page:
        assert density(page) == "dots"
        find(page, "variable 000")
        page.keyboard.press("1")
        page.keyboard.press("m")
        page.locator('.tag:visible:has-text("\u25c6")').first.wait_for()
        assert "\u25cf variable 000 \u25c6 no" in page.locator(".tag:visible").all_inner_texts()
        page.keyboard.press("m")
        find(page, "variable 001")
        page.keyboard.press("2")
        page.wait_for_selector(".bad")
        page.keyboard.press("f")
        page.keyboard.press("Escape")
        page.locator(".tag.clash:visible").first.wait_for()
        clash = page.locator(".tag.clash:visible").all_inner_texts()
        assert clash[0] in ("! variable 000", "! variable 001")
        assert set(clash) <= {"! variable 000", "! variable 001"}
        border = "() => getComputedStyle(document.querySelector('.tag.clash')).borderStyle"
        assert page.evaluate(border) == "dashed"


def test_what_is_weighed_has_another_sign_than_what_is_known(browser, folder):
    with opened(browser, written(folder, tree(130), "weighed"), "#variable%20001=~1~0.5") as page:
        page.keyboard.press("f")
        page.locator(".tag.seen:visible").wait_for()
        assert page.locator(".tag.seen:visible").inner_text() == "\u25d0 variable 001"


def test_edges_are_blue_under_the_pointer(alarm):
    blue = alarm.evaluate(
        """() => { const probe = document.createElement('i'); probe.style.color = 'var(--now)';
          document.body.append(probe); const c = getComputedStyle(probe).color; probe.remove(); return c; }"""
    )
    assert alarm.locator(".edge.near").count() == 0
    card(alarm, "CATECHOL").hover()
    joined = len(ALARM.dag.parents("CATECHOL")) + len(ALARM.dag.children("CATECHOL"))
    assert alarm.locator(".edge.near").count() == joined
    strokes = "() => [...document.querySelectorAll('.edge.near')].map(e => getComputedStyle(e).stroke)"
    assert set(alarm.evaluate(strokes)) == {blue}
    heads = [one.get_attribute("marker-end") for one in alarm.locator(".edge.near").all()]
    assert set(heads) == {"url(#head-near)"}
    alarm.mouse.move(2, 200)
    assert alarm.locator(".edge.near").count() == 0


def test_bars_move_where_that_is_a_pixel_of_the_screen(browser, alarm_file):
    with opened(browser, alarm_file, reduced_motion="no-preference") as page:
        find(page, "HR")
        k = page.evaluate("() => new DOMMatrix(document.getElementById('world').style.transform).a")
        state(page, "HR", "HIGH").click()
        settled(page)
        moving = page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll('.card')].map(card =>
              [card.querySelector('h2').title, [...card.querySelectorAll('.state')].map(state =>
                state.classList.contains('moves'))]))"""
        )
        before, now = ALARM.marginals(), ALARM.marginals({"HR": "HIGH"})
        pixels = {name: 58 * k * np.abs(now.array(name) - before.array(name)) for name in ALARM.schema.names}
        for name, flags in moving.items():
            assert flags == [bool(x > 1) for x in pixels[name]], name
        assert any(((x > 1) & (x < 0.03 * 58)).any() for x in pixels.values())  # which were still once


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
