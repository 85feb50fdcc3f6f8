"""The explorer page as a person uses it, with a mouse and a keyboard: what is known, and what follows."""

import numpy as np
from tests.browser.explorer_pages import (
    ALARM,
    HIGH,
    NOT_LOW,
    assert_shows,
    card,
    find,
    opened,
    settled,
    shown,
    state,
    written,
)

import treewright as tw


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
