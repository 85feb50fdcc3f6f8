"""The page for people who do not see it, do not point at it, or see it otherwise."""

import re

import pytest
from tests.browser.explorer_pages import ALARM, opened, settled, state, written

import treewright as tw


def tree(page):
    """Roles and names as assistive technology gets them."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    told = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored") and "role" in node
    ]
    return [item for item in told if item[0] not in ("StaticText", "InlineTextBox", "none", "generic")]


def test_roles_and_names(browser, alarm_file):
    with opened(browser, alarm_file) as page:
        state(page, "HR", "HIGH").click()
        found = tree(page)
        groups = [name for role, name in found if role == "radiogroup"]
        assert sorted(groups) == sorted(ALARM.schema.names)
        now, before = ALARM.query("CATECHOL", {"HR": "HIGH"}), ALARM.query("CATECHOL")
        assert ("radio", f"HIGH {100 * now['HIGH']:.1f}%, was {100 * before['HIGH']:.1f}%") in found
        assert ("radio", "HIGH 100.0%, was " + f"{100 * ALARM.query('HR')['HIGH']:.1f}%") in found
        assert ("main", "Drawing") in found
        assert ("complementary", "Details") in found
        unnamed = [
            role for role, name in found if role in ("button", "radio", "combobox", "slider") and not name
        ]
        assert unnamed == []


def test_what_was_set_is_said_with_the_largest_changes(browser, alarm_file):
    with opened(browser, alarm_file) as page:
        region = page.locator("#said")
        assert region.get_attribute("aria-live") == "polite"
        state(page, "HR", "HIGH").click()
        settled(page)
        said = region.inner_text()
        p = ALARM.query("HRBP", {"HR": "HIGH"})["HIGH"]
        told = re.match(r"HR is HIGH\. HRBP HIGH ([\d.]+)%, changed by ", said)
        assert float(told[1]) == pytest.approx(100 * p, abs=0.051)
        assert said.count("changed by") == 3
        page.keyboard.press("Control+z")
        settled(page)
        assert region.inner_text() == "undone"


def focused(page):
    return page.evaluate(
        """() => { const e = document.activeElement;
          return [e.closest('.card')?.querySelector('h2').title ?? e.id ?? '',
            e.getAttribute('role') ?? e.tagName.toLowerCase()]; }"""
    )


def test_one_tab_stop_for_each_card_and_focus_is_seen(browser, alarm_file):
    with opened(browser, alarm_file) as page:
        page.focus("#help")
        stops = []
        for _ in range(37):
            page.keyboard.press("Tab")
            stops.append(focused(page))
            outline = page.evaluate("() => getComputedStyle(document.activeElement).outline")
            assert "solid 2px" in outline
        assert sorted(name for name, _ in stops) == sorted(ALARM.schema.names)
        assert {role for _, role in stops} == {"radio"}
        assert stops[0][0] == "MINVOLSET"
        page.keyboard.press("Tab")
        assert focused(page)[0] == "in"  # then the buttons of the drawing


def test_keys_are_listed_and_the_dialog_keeps_them(browser, alarm_file):
    with opened(browser, alarm_file) as page:
        page.keyboard.press("?")
        assert page.locator("#keys").is_visible()
        said = page.locator("#keys").inner_text()
        for key in ("/", "1 … 9", "Ctrl + Z", "Escape"):
            assert key in said
        page.keyboard.press("t")  # a key of the page does nothing meanwhile
        assert page.locator("#sheet").is_hidden()
        page.keyboard.press("Escape")
        assert page.locator("#keys").is_hidden()


def test_large_text_keeps_everything_in_reach(browser, alarm_file):
    with opened(browser, alarm_file) as page:
        page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        for name in ("#help", "#clear", "#search", "[data-view=table]"):
            box = page.locator(name).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 1400


def test_forced_colours_keep_bars(browser, alarm_file):
    with opened(browser, alarm_file, forced_colors="active") as page:
        bar, track = page.evaluate(
            "() => ['.bar b', '.bar'].map(x => getComputedStyle(document.querySelector(x)).backgroundColor)"
        )
        assert bar != track


def test_forced_colours_keep_edges_and_what_is_known_or_contradicts(browser, folder):
    asia = tw.load_network("asia")
    with opened(browser, written(folder, asia, "forced"), forced_colors="active") as page:
        style = "([of, what]) => getComputedStyle(document.querySelector(of))[what]"
        ground = page.evaluate(style, ["body", "backgroundColor"])
        assert page.evaluate(style, [".edge", "stroke"]) != ground
        state(page, "tub", "yes").click()
        assert page.evaluate(style, [".card.seen", "borderTopWidth"]) == "3px"
        assert page.evaluate(style, [".card.seen", "borderTopStyle"]) == "solid"
        state(page, "either", "no").click()
        assert page.evaluate(style, [".card.clash", "borderTopStyle"]) == "dashed"
        assert page.locator(".clash .mark").first.inner_text() == "!"


def test_focus_is_seen_on_everything_that_has_it(browser, alarm_file):
    """Tools, search, chips, rows of the panel, sliders, the choice of a state, the table."""
    with opened(browser, alarm_file, "#HR=HIGH") as page:
        page.keyboard.press("/")
        page.keyboard.type("CATECHOL")
        page.keyboard.press("Enter")
        for key in ("soft", "numbers", "matters"):
            page.locator(f'[data-key="fold {key}"]').click()
        page.locator("#matters select").wait_for()
        page.focus("#search")
        kinds, outlines = set(), set()
        for view in ("n", "t"):
            for _ in range(180 if view == "n" else 60):
                page.keyboard.press("Tab")
                tag, outline = page.evaluate(
                    """() => { const e = document.activeElement, s = getComputedStyle(e);
                      return [`${e.tagName.toLowerCase()} ${e.type ?? ''}`, s.outline]; }"""
                )
                if tag != "body ":
                    kinds.add(tag)
                    outlines.add("solid 2px" in outline)
            page.focus("#help")
            page.keyboard.press("t")
        assert outlines == {True}
        assert {"button submit", "input range", "select select-one", "summary "} <= kinds
