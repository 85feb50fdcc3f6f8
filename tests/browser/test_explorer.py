"""The explorer page as a person uses it: with a mouse, a keyboard and a finger."""

import contextlib
import io
import re

import numpy as np
import pytest
from tests.browser.explorer_pages import (
    assert_shows,
    card,
    copied,
    free_spot,
    opened,
    scale,
    settled,
    shown,
    state,
    written,
)
from tests.pages import embedded_model

import treewright as tw

ALARM = tw.load_network("alarm")
HIGH = {"HR": "HIGH"}
NOT_LOW = {"BP": {"LOW": 0, "NORMAL": 1, "HIGH": 1}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def alarm_file(folder):
    return written(folder, ALARM, "alarm")


@pytest.fixture
def alarm(browser, alarm_file):
    with opened(browser, alarm_file) as page:
        yield page


def find(page, name):
    page.keyboard.press("/")
    page.keyboard.type(name)
    page.keyboard.press("Enter")


# evidence, all marginals, before and now


def test_a_click_says_what_is_known_and_all_beliefs_follow(alarm):
    assert_shows(alarm, ALARM.marginals())
    state(alarm, "HR", "HIGH").click()
    assert state(alarm, "HR", "HIGH").get_attribute("aria-checked") == "true"
    assert_shows(alarm, ALARM.marginals(HIGH))
    state(alarm, "BP", "LOW").click()
    assert_shows(alarm, ALARM.marginals(HIGH | {"BP": "LOW"}))
    said = alarm.inner_text("#panel")
    p = ALARM.probability_of(HIGH | {"BP": "LOW"})
    assert f"Probability of this: {p:.4g} (ln {np.log(p):.3f})" in said
    assert "HR = HIGH" in said
    state(alarm, "BP", "LOW").click()
    state(alarm, "HR", "HIGH").click()
    assert_shows(alarm, ALARM.marginals())


def test_alt_rules_a_state_out(alarm):
    state(alarm, "HR", "HIGH").click(modifiers=["Alt"])
    assert_shows(alarm, ALARM.marginals({"HR": {"LOW": 1, "NORMAL": 1, "HIGH": 0}}))
    assert "HR = LOW or NORMAL" in alarm.inner_text("#panel")
    find(alarm, "HR")
    alarm.keyboard.press("Alt+Digit2")
    assert_shows(alarm, ALARM.marginals({"HR": "LOW"}))


def test_keys_set_and_forget_the_picked_variable(alarm):
    find(alarm, "catechol")
    alarm.keyboard.press("1")
    assert_shows(alarm, ALARM.marginals({"CATECHOL": "NORMAL"}))
    alarm.keyboard.press("0")
    assert_shows(alarm, ALARM.marginals())
    alarm.keyboard.press("2")
    alarm.keyboard.press("2")
    assert alarm.locator(".chip").count() == 0


def test_sliders_weigh_states(alarm):
    card(alarm, "HR").locator("h2").click()
    alarm.get_by_text("Not sure?").click()
    alarm.get_by_label("how well NORMAL fits").focus()
    for _ in range(10):
        alarm.keyboard.press("ArrowLeft")
    assert alarm.evaluate("() => document.activeElement.getAttribute('aria-label')") == "how well NORMAL fits"
    assert_shows(alarm, ALARM.marginals({"HR": {"LOW": 1, "NORMAL": 0.9, "HIGH": 1}}))
    assert "HR = LOW 100 : NORMAL 90 : HIGH 100" in alarm.inner_text("#panel")
    alarm.get_by_label("how well NORMAL fits").press("End")
    assert alarm.locator(".chip").count() == 0


def test_bars_move_at_once_where_motion_is_unwanted(browser, alarm_file, alarm):
    seconds = "() => getComputedStyle(document.querySelector('.moves .bar b')).transitionDuration"
    state(alarm, "HR", "HIGH").click()
    assert alarm.evaluate(seconds) == "0s"
    with opened(browser, alarm_file, reduced_motion="no-preference") as page:
        assert page.locator(".moves").count() == 0  # a page opens with its bars where they belong
        state(page, "HR", "HIGH").click()
        assert page.evaluate(seconds) == "0.35s"


def test_before_is_the_start_or_what_was_held(alarm):
    state(alarm, "HR", "HIGH").click()
    was = ALARM.query("CATECHOL")["HIGH"]
    told = state(alarm, "CATECHOL", "HIGH")
    assert f"was {100 * was:.1f}%" in told.get_attribute("aria-label")
    alarm.click("#hold")
    assert "was" not in told.get_attribute("aria-label")
    assert alarm.locator("#hold").get_attribute("aria-pressed") == "true"
    state(alarm, "BP", "LOW").click()
    held = ALARM.query("CATECHOL", HIGH)["HIGH"]
    assert f"was {100 * held:.1f}%" in told.get_attribute("aria-label")
    alarm.keyboard.press("h")
    assert f"was {100 * was:.1f}%" in told.get_attribute("aria-label")


def test_undo_and_redo(alarm):
    assert alarm.locator("#undo").is_disabled()
    state(alarm, "HR", "HIGH").click()
    state(alarm, "BP", "LOW").click()
    alarm.keyboard.press("Control+z")
    assert_shows(alarm, ALARM.marginals(HIGH))
    alarm.click("#undo")
    assert_shows(alarm, ALARM.marginals())
    alarm.keyboard.press("Control+Shift+Z")
    alarm.click("#redo")
    assert_shows(alarm, ALARM.marginals(HIGH | {"BP": "LOW"}))
    alarm.click("#clear")
    assert alarm.locator(".chip").count() == 0
    alarm.keyboard.press("Control+z")
    assert alarm.locator(".chip").count() == 2


def test_the_address_is_a_case(browser, alarm_file, alarm):
    state(alarm, "HR", "HIGH").click()
    state(alarm, "BP", "LOW").click(modifiers=["Alt"])
    settled(alarm)
    fragment = alarm.url.partition("#")[2]
    assert fragment == "HR=HIGH&BP=~0~1~1"
    with opened(browser, alarm_file, f"#{fragment}&nobody=1&HR2=%E0%A4%A") as page:
        assert_shows(page, ALARM.marginals(HIGH | NOT_LOW))
        assert "does not know: nobody=1, HR2=%E0%A4%A" in page.locator(".toast").inner_text()
        page.evaluate("() => { location.hash = 'HR=LOW'; }")
        page.wait_for_function("() => document.querySelectorAll('.chip').length === 1")
        assert_shows(page, ALARM.marginals({"HR": "LOW"}))


def test_a_page_opens_with_what_it_was_given(browser, folder):
    file = written(folder, ALARM, "given", given=HIGH)
    with opened(browser, file) as page:
        assert_shows(page, ALARM.marginals(HIGH))
        assert f"was {100 * ALARM.query('CATECHOL')['HIGH']:.1f}%" in state(
            page, "CATECHOL", "HIGH"
        ).get_attribute("aria-label")
        page.click("#clear")
        settled(page)
        assert page.url.endswith("#nothing")
        page.reload()
        page.wait_for_selector("html.ready")
        assert_shows(page, ALARM.marginals())


def test_what_cannot_happen_is_named_and_beliefs_stay(browser, folder):
    asia = tw.load_network("asia")
    with opened(browser, written(folder, asia, "asia")) as page:
        state(page, "lung", "yes").click()
        state(page, "smoke", "yes").click()
        before = shown(page)
        state(page, "either", "no").click()
        said = page.locator(".bad").inner_text()
        assert "lung and either contradict each other" in said
        assert shown(page) == before
        clash = page.locator(".card.clash h2").all_inner_texts()
        assert sorted(text.replace("!", "").strip() for text in clash) == ["either", "lung"]
        page.keyboard.press("Control+z")
        assert page.locator(".bad").count() == 0


# the panel


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


def information(model, target, other, given):
    joint = model.query([target, other], given).array
    p, q = joint.sum(1, keepdims=True), joint.sum(0, keepdims=True)
    kept = joint > 0
    return float(np.sum(joint[kept] * np.log2(joint[kept] / (p * q)[kept])))


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


# search, views, zoom


def test_search_by_name_and_state(alarm):
    alarm.keyboard.press("/")
    alarm.keyboard.type("vent")
    assert alarm.locator("#found li").all_inner_texts() == ["VENTALV", "VENTMACH", "VENTTUBE", "VENTLUNG"]
    alarm.keyboard.press("ArrowDown")
    alarm.keyboard.press("ArrowDown")
    alarm.keyboard.press("ArrowUp")
    alarm.keyboard.press("Enter")
    box, stage = card(alarm, "VENTMACH").bounding_box(), alarm.locator("#stage").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - stage["x"] - stage["width"] / 2) < 2
    assert scale(alarm)[0] >= 0.89
    assert alarm.locator(".title").inner_text().startswith("VENTMACH")
    assert alarm.locator(".chip").count() == 0
    alarm.fill("#search", "esophageal")
    assert alarm.locator("#found li").first.inner_text() == "INTUBATION · ESOPHAGEAL"
    alarm.keyboard.press("Escape")
    assert alarm.locator("#found").is_hidden()


def test_focus_shows_what_is_around(alarm):
    find(alarm, "CATECHOL")
    alarm.keyboard.press("o")
    visible = alarm.locator(".card:visible h2").all_inner_texts()
    assert sorted(visible) == ["ARTCO2", "CATECHOL", "HR", "INSUFFANESTH", "SAO2", "TPR"]
    tops = {name: card(alarm, name).bounding_box()["y"] for name in visible}
    assert tops["TPR"] < tops["CATECHOL"] < tops["HR"]
    card(alarm, "HR").locator("h2").click()
    assert "CATECHOL" in alarm.locator(".card:visible h2").all_inner_texts()
    assert "ERRCAUTER" in alarm.locator(".card:visible h2").all_inner_texts()
    state(alarm, "HR", "LOW").click()
    assert_visible_beliefs(alarm, ALARM.marginals({"HR": "LOW"}))


def assert_visible_beliefs(page, marginals):
    for title in page.locator(".card:visible h2").all_inner_texts():
        name = title.replace("●", "").strip()
        p = next(iter(marginals[name].values()))
        assert f"{100 * p:.1f}%" == card(page, name).locator(".p").first.inner_text()


def test_the_junction_tree_shows_cliques_and_separators(alarm):
    alarm.click('[data-view="tree"]')
    assert alarm.locator(".box").count() == len(ALARM._engine.plan(10**6).scopes)
    assert alarm.locator(".separator").count() == alarm.locator(".box").count() - 1
    alarm.locator(".box button").get_by_text("HRBP", exact=True).click()
    assert alarm.locator(".box.has").count() == 1
    alarm.keyboard.press("3")
    assert alarm.locator(".box button.seen").all_inner_texts() == ["HRBP"]


def test_clusters_open(browser, folder):
    rows = ALARM.sample(1_000, rng=np.random.default_rng(1))
    learned = tw.learn_knots(tw.count(rows))
    model = tw.fit(learned.structure, tw.count(rows))
    with opened(browser, written(folder, model, "knots")) as page:
        page.keyboard.press("g")
        clusters = model.structure.clusters
        assert page.locator(".box").count() == len(clusters.cluster_scopes)
        page.locator(".open").first.click()
        members = {clusters.schema.names[v] for v in clusters.cluster_scopes[0]}
        assert set(page.locator(".card:visible h2").all_inner_texts()) == members
        page.get_by_text("All clusters").click()
        assert page.locator(".box").count() == len(clusters.cluster_scopes)


def test_the_table_holds_and_does_everything(alarm):
    alarm.keyboard.press("t")
    rows = alarm.locator("#sheet tbody tr")
    assert rows.count() == 37
    alarm.get_by_role("button", name="probability").click()
    shares = [
        float(text.strip("<>%")) for text in alarm.locator("#sheet tbody td:nth-child(4)").all_inner_texts()
    ]
    assert shares == sorted(shares, reverse=True)
    alarm.get_by_role("button", name="variable", exact=True).click()
    names = alarm.locator("#sheet tbody th").all_inner_texts()
    assert names == sorted(names)
    row = alarm.locator('#sheet tr:has(button:text-is("HR"))')
    row.get_by_role("radio", name="HIGH").click()
    assert row.locator("td").first.inner_text() == "HIGH"
    p = ALARM.query("CATECHOL", HIGH)["HIGH"]
    assert (
        f"HIGH {100 * p:.1f}% (was" in alarm.locator('#sheet tr:has(button:text-is("CATECHOL"))').inner_text()
    )


def moved_from(page, k):
    """Wait until the wheel has turned: the browser hands it on when it likes to."""
    page.wait_for_function(
        "k => Math.abs(new DOMMatrix(document.getElementById('world').style.transform).a - k) > 1e-6", arg=k
    )


def test_zoom_and_pan_by_mouse(alarm):
    (k, x, y), (px, py) = scale(alarm), free_spot(alarm)
    alarm.mouse.move(px, py)
    alarm.mouse.wheel(0, -300)
    moved_from(alarm, k)
    assert scale(alarm)[0] == pytest.approx(k * np.exp(0.48), rel=1e-3)
    nearer = scale(alarm)[0]
    alarm.mouse.wheel(0, 300)
    moved_from(alarm, nearer)
    assert scale(alarm) == pytest.approx([k, x, y], abs=0.5)
    alarm.mouse.down()
    alarm.mouse.move(px + 100, py + 40, steps=3)
    alarm.mouse.up()
    assert scale(alarm) == pytest.approx([k, x + 100, y + 40], abs=0.5)
    for _ in range(4):
        alarm.click("#in")
    assert alarm.locator("#map").is_visible()
    before = scale(alarm)
    alarm.locator("#map").click(position={"x": 85, "y": 10})
    assert scale(alarm)[2] != before[2]
    alarm.click("#fit")
    assert scale(alarm)[0] == pytest.approx(k, rel=1e-3)
    assert not alarm.locator("#map").is_visible()  # everything is in sight


def test_two_fingers_zoom(browser, alarm_file):
    with opened(browser, alarm_file, has_touch=True) as page:
        (k, _, _), (x, y) = scale(page), free_spot(page)
        touch = page.context.new_cdp_session(page)

        def fingers(kind, far):
            points = [{"x": x, "y": y, "id": 1}, {"x": x, "y": y + far, "id": 2}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if far else []})

        page.evaluate(
            "y => { for (const c of document.querySelectorAll('.card')) c.style.pointerEvents = 'none'; }", y
        )
        fingers("touchStart", 100)
        fingers("touchMove", 150)
        fingers("touchMove", 200)
        fingers("touchEnd", 0)
        assert scale(page)[0] == pytest.approx(2 * k, rel=0.02)


def test_zoom_and_move_by_keys(alarm):
    k, x, _ = scale(alarm)
    alarm.keyboard.press("+")
    assert scale(alarm)[0] == pytest.approx(1.3 * k, rel=1e-3)
    alarm.keyboard.press("-")
    alarm.keyboard.press("Shift+ArrowRight")
    assert scale(alarm)[1] == pytest.approx(x - 80, abs=0.5)
    alarm.keyboard.press("f")
    assert scale(alarm)[1] == pytest.approx(x, abs=0.5)


def test_arrows_walk_inside_cards_and_between_them(alarm):
    find(alarm, "CATECHOL")
    focused = """() => { const state = document.activeElement;
      return [state.closest('.card').querySelector('h2').title, state.title]; }"""
    assert alarm.evaluate(focused) == ["CATECHOL", "NORMAL"]
    alarm.keyboard.press("ArrowDown")
    assert alarm.evaluate(focused) == ["CATECHOL", "HIGH"]
    alarm.keyboard.press("Space")
    assert_shows(alarm, ALARM.marginals({"CATECHOL": "HIGH"}))
    alarm.keyboard.press("ArrowDown")  # beyond the last state: the card below
    name = alarm.evaluate(focused)[0]
    assert name != "CATECHOL"
    assert alarm.locator(".title").inner_text().startswith(name)
    alarm.keyboard.press("ArrowUp")
    assert alarm.evaluate(focused)[0] == "CATECHOL"
    alarm.keyboard.press("Escape")
    assert alarm.locator(".title").count() == 0


def test_names_grow_and_words_go_with_distance(alarm):
    alarm.keyboard.press("/")
    alarm.keyboard.type("HR")
    alarm.keyboard.press("Enter")
    assert alarm.locator("#world").get_attribute("data-zoom") == "near"
    assert state(alarm, "HR", "HIGH").locator(".p").is_visible()
    for _ in range(2):
        alarm.keyboard.press("-")
    assert alarm.locator("#world").get_attribute("data-zoom") == "middle"
    assert not state(alarm, "HR", "HIGH").locator(".p").is_visible()
    assert state(alarm, "HR", "HIGH").locator(".bar").is_visible()
    for _ in range(3):
        alarm.keyboard.press("-")
    assert alarm.locator("#world").get_attribute("data-zoom") == "far"
    assert not state(alarm, "HR", "HIGH").is_visible()
    assert card(alarm, "HR").locator(".name").is_visible()
    assert card(alarm, "HR").get_attribute("role") == "button"


def test_many_states_are_cut_short_in_a_card_and_whole_in_the_panel(browser, folder):
    schema = tw.Schema([tw.Variable("many", tuple(range(9))), tw.Variable("six", tuple(range(6)))])
    model = tw.BayesianNetwork(tw.Dag(schema, []), {"many": [1 / 9] * 9, "six": [1 / 6] * 6})
    with opened(browser, written(folder, model, "states")) as page:
        assert card(page, "many").locator(".state").count() == 6
        assert card(page, "many").locator(".more").inner_text() == "and 3 more"
        assert card(page, "six").locator(".state").count() == 6
        assert card(page, "six").locator(".more").count() == 0
        card(page, "many").locator("h2").click()
        assert page.locator("#panel .state").count() == 9


def test_names_of_a_large_drawing_give_way_to_what_matters(browser, folder):
    names = [f"variable {i:03}" for i in range(400)]
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in names])
    arcs = [(names[(i - 1) // 3], names[i]) for i in range(1, 400)]
    fair, follows = [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]
    tables = {name: follows if i else fair for i, name in enumerate(names)}
    model = tw.BayesianNetwork(tw.Dag(schema, arcs), tables)
    with opened(browser, written(folder, model, "tree")) as page:
        assert page.locator("#world").get_attribute("data-density") == "dots"
        assert page.locator(".tag:visible").count() == 0
        find(page, "variable 000")
        page.keyboard.press("1")
        page.keyboard.press("f")
        page.wait_for_selector(".tag.seen:visible")
        told = set(page.locator(".tag:visible").all_inner_texts())
        assert "variable 000" in told  # what is known is never left out
        assert told - {"variable 000"} <= {
            f"variable {i:03}" for i in range(1, 40)
        }  # near it, or changed most
        boxes = [one.bounding_box() for one in page.locator(".tag:visible").all()]
        assert len(boxes) > 1
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                assert (
                    a["x"] >= b["x"] + b["width"]
                    or b["x"] >= a["x"] + a["width"]
                    or a["y"] >= b["y"] + b["height"]
                    or b["y"] >= a["y"] + a["height"]
                )
        assert len({round(box["height"]) for box in boxes}) == 1  # as large as they are, however far away


# edges, legend


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
            "() => [...document.querySelectorAll('.edge')].map(e => Number(e.style.opacity))"
        )
        assert drawn == pytest.approx([0.2 + 0.8 * share for share in shares], abs=1e-3)
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


# light and dark, print, narrow windows


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


# taking it along


def run_copied(page, folder, monkeypatch):
    """What the clipboard holds, executed where the model lies; its names and what it printed."""
    text = copied(page)
    monkeypatch.chdir(folder)
    said, names = io.StringIO(), {}
    with contextlib.redirect_stdout(said):
        exec(text, names)
    return text, names, said.getvalue()


def test_copied_python_runs_and_says_the_same(browser, alarm_file, folder, monkeypatch):
    with opened(browser, alarm_file, permissions=["clipboard-read", "clipboard-write"]) as page:
        state(page, "HR", "HIGH").click()
        state(page, "BP", "LOW").click(modifiers=["Alt"])
        page.keyboard.press("c")
        text, names, said = run_copied(page, folder, monkeypatch)
        assert_shows(page, names["model"].marginals(names["given"]))
        assert said.strip() == str(names["model"].marginals(names["given"])).strip()
        find(page, "CATECHOL")
        page.get_by_role("button", name="Copy as Python").click()
        text, names, said = run_copied(page, folder, monkeypatch)
        assert 'model.query("CATECHOL", given)' in text
        assert said.strip() == str(ALARM.query("CATECHOL", HIGH | NOT_LOW)).strip()


def test_copied_labels_are_python_literals(browser, folder, monkeypatch):
    schema = tw.Schema(
        [
            tw.Variable("it's \"a\\", (1, 2)),
            tw.Variable("b", (False, True)),
            tw.Variable("é", ("0", "ö'\"\n")),
        ]
    )
    model = tw.BayesianNetwork(
        tw.Dag(schema, [("b", "é")]),
        {"it's \"a\\": [0.3, 0.7], "b": [0.5, 0.5], "é": [[0.9, 0.1], [0.2, 0.8]]},
    )
    with opened(
        browser, written(folder, model, "labels"), permissions=["clipboard-read", "clipboard-write"]
    ) as page:
        for v in range(3):
            page.locator(f'.card[data-v="{v}"] .state').nth(1).click()
        page.keyboard.press("c")
        _, names, _ = run_copied(page, folder, monkeypatch)
        assert names["given"] == {"it's \"a\\": 2, "b": True, "é": "ö'\"\n"}


# other models


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
        assert "only in a Bayesian network" in page.inner_text("#panel")
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
