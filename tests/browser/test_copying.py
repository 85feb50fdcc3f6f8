"""Copy as Python: it runs and says what the page says."""

from tests.browser.explorer_pages import (
    ALARM,
    HIGH,
    NOT_LOW,
    assert_shows,
    find,
    opened,
    run_copied,
    state,
    written,
)

import treewright as tw


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
