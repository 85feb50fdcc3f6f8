"""Search, the views of one model, and how much of it is seen from how far."""

import numpy as np
import pytest
from tests.browser.explorer_pages import (
    ALARM,
    HIGH,
    assert_shows,
    card,
    find,
    free_spot,
    information,
    opened,
    scale,
    settled,
    state,
    written,
)

import treewright as tw


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
    card(alarm, "HR").focus()
    alarm.keyboard.press("Enter")  # to its details
    alarm.keyboard.press("Space")
    assert "HR = LOW" in alarm.locator(".chip").inner_text()


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
        page.keyboard.press("8")
        assert card(page, "many").locator(".more").inner_text() == "and 3 more: ● 7"
        page.keyboard.press("m")
        page.wait_for_selector(".best")
        assert card(page, "many").locator(".more").inner_text() == "and 3 more: ●◆ 7"


def test_names_of_a_large_drawing_give_way_to_what_matters(browser, folder):
    names = [f"variable {i:03}" for i in range(400)]
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in names])
    arcs = [(names[(i - 1) // 3], names[i]) for i in range(1, 400)]
    fair, follows = [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]
    tables = {name: follows if i else fair for i, name in enumerate(names)}
    model = tw.BayesianNetwork(tw.Dag(schema, arcs), tables)
    with opened(browser, written(folder, model, "tree")) as page:
        assert page.locator("#world").get_attribute("data-density") == "dots"
        page.wait_for_selector(".tag:visible")
        names_apart(page)
        shown = page.locator(".tag:visible").all_inner_texts()
        assert 8 <= len(shown) <= 24
        assert set(shown) <= {f"variable {i:03}" for i in range(25)}  # those with most edges
        find(page, "variable 000")
        page.keyboard.press("1")
        page.keyboard.press("f")
        page.wait_for_selector(".tag.seen:visible")
        told = set(page.locator(".tag:visible").all_inner_texts())
        assert "● variable 000" in told  # what is known is never left out, and not told by its colour alone
        assert told - {"● variable 000"} <= {
            f"variable {i:03}" for i in range(1, 40)
        }  # near it, or changed most
        names_apart(page)


def names_apart(page):
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


def test_a_drawing_is_dragged_by_its_cards_and_that_is_no_click(alarm):
    k, x, y = scale(alarm)
    box = state(alarm, "HR", "HIGH").bounding_box()
    px, py = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    alarm.mouse.move(px, py)
    alarm.mouse.down()
    alarm.mouse.move(px - 60, py - 30, steps=3)
    alarm.mouse.up()
    assert scale(alarm) == pytest.approx([k, x - 60, y - 30], abs=0.5)
    assert alarm.locator(".chip").count() == 0
    alarm.mouse.click(px - 60, py - 30)
    assert alarm.locator(".chip").count() == 1


def star(n_children):
    """One parent of many children, which do not fit in a line."""
    names = ["hub", *(f"child {i:02}" for i in range(n_children))]
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in names])
    tables = {name: [[0.9, 0.1], [0.2, 0.8]] for name in names[1:]} | {"hub": [0.5, 0.5]}
    return tw.BayesianNetwork(tw.Dag(schema, [("hub", name) for name in names[1:]]), tables)


def test_edges_of_the_focus_view_go_between_cards(browser, folder):
    with opened(browser, written(folder, star(20), "star")) as page:
        find(page, "hub")
        page.keyboard.press("o")
        hidden = page.evaluate(
            """() => {
              const cards = [...document.querySelectorAll('.card:not([hidden])')].map(card => {
                const m = new DOMMatrix(card.style.transform);
                return [m.e + 1, m.f + 1, m.e + card.offsetWidth - 1, m.f + card.offsetHeight - 1]; });
              const under = [];
              for (const edge of document.querySelectorAll('.edge'))
                for (let at = 0; at <= edge.getTotalLength(); at += 4) {
                  const p = edge.getPointAtLength(at);
                  if (cards.some(([a, b, c, d]) => p.x > a && p.x < c && p.y > b && p.y < d)) under.push(at);
                }
              return [cards.length, under.length]; }"""
        )
        assert hidden == [21, 0]
        tops = [round(one.bounding_box()["y"]) for one in page.locator(".card:visible").all()]
        assert sorted(tops.count(top) for top in set(tops)) == [1, 6, 7, 7]  # in lines of seven


def test_a_large_junction_tree_opens_where_it_can_be_read(browser, folder):
    with opened(browser, written(folder, star(60), "star60")) as page:
        find(page, "child 41")
        page.keyboard.press("j")
        assert scale(page)[0] == pytest.approx(0.9)
        shown = page.locator('.box.has button:text-is("child 41")').bounding_box()
        assert 300 < shown["x"] < 800
        assert page.locator("#map").is_visible()
        page.keyboard.press("f")
        assert scale(page)[0] < 0.45


def test_the_table_tells_strengths_and_the_explanation(alarm):
    state(alarm, "BP", "LOW").click()
    alarm.keyboard.press("t")
    alarm.keyboard.press("m")
    alarm.wait_for_function("() => document.getElementById('sheet').textContent.includes('◆')")
    marked = alarm.locator('#sheet [role="radio"]:has-text("◆")').all_inner_texts()
    assert [text.split()[1] for text in marked] == [str(label) for label in ALARM.mpe({"BP": "LOW"}).values()]
    bits = information(ALARM, "LVEDVOLUME", "PCWP", {"BP": "LOW"})
    row = alarm.locator('#sheet tr:has(button:text-is("PCWP"))').inner_text()
    assert f"from LVEDVOLUME ({bits:.3f}\u00a0bits)" in row
    low = alarm.locator('#sheet tr:has(button:text-is("HR"))').get_by_role("radio", name="LOW")
    low.click(modifiers=["Alt"])
    settled(alarm)
    assert alarm.locator(".chip").count() == 2
