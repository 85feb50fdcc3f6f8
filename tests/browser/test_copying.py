"""What pages open with, keep in their address and take along as Python that runs, of every kind of model."""

import numpy as np
import pytest
from tests.browser.explorer_pages import (
    ALARM,
    HIGH,
    NOT_LOW,
    assert_shows,
    card,
    find,
    opened,
    run_copied,
    settled,
    state,
    written,
)
from tests.browser.test_engines import kinds_of_nodes

import treewright as tw
from treewright.models import FeatureNetwork

COPYING = {"permissions": ["clipboard-read", "clipboard-write"]}


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


def gaussian(noise=9.0):
    schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat")])
    dag = tw.Dag(schema, [("sun", "heat")])
    return tw.GaussianNetwork(dag, [6.0, 10.0], {"heat": {"sun": 2.0}}, [4.0, noise])


def stored_rows():
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("ann", "bob", "cid")])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    rows = builder.rows(schema.names, np.array([[0, 1, 0], [1, 1, 1], [1, 0, 1]]), [0.25, 0.5, 0.25])
    even = builder.table([*schema.names], np.full((2, 2, 2), 1 / 8))
    return FeatureNetwork(builder.graph(builder.mixture([rows, even], [0.6, 0.4])))


def test_a_gaussian_page_opens_with_numbers_and_keeps_them_in_its_address(browser, folder, monkeypatch):
    model = gaussian()
    with opened(browser, written(folder, model, "given", given={"heat": 27.0}), **COPYING) as page:
        assert card(page, "sun").locator(".words").inner_text() == "7.6 ± 1.2"
        find(page, "heat")
        page.get_by_label("value of heat").fill("1e21")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('.chip').textContent.includes('e+21')")
        settled(page)
        assert page.url.endswith("#heat=1e%2B21")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Copy as Python").click()
        _, names, _ = run_copied(page, folder, monkeypatch)
        assert names["given"] == {"heat": 1e21}
        page.evaluate("() => { location.hash = 'heat=-30'; }")
        page.wait_for_function("() => document.querySelector('.chip').textContent.includes('-30')")
        page.keyboard.press("c")
        text, names, _ = run_copied(page, folder, monkeypatch)
        assert '"heat": -30.0' in text
        mean = names["model"].query("sun", names["given"]).mean
        assert float(card(page, "sun").locator(".words").inner_text().split()[0]) == pytest.approx(mean, 1e-3)
        page.reload()
        page.wait_for_selector("html.ready")
        assert page.locator(".chip").inner_text().startswith("heat = -30")


def test_a_value_that_others_determine_is_said_in_the_panel(browser, folder):
    with opened(browser, written(folder, gaussian(0.0), "sure"), "#sun=1") as page:
        find(page, "heat")
        page.get_by_label("value of heat").fill("5")
        page.keyboard.press("Enter")
        page.locator(".bad").wait_for()
        said = page.locator('.bad[role="alert"]').inner_text()
        assert "The other values determine heat already, so its value cannot be added." in said
        assert "Beliefs are those of the step before." in said
        clash = page.locator(".card.clash h2").all_inner_texts()
        assert {text.replace("!", "").strip() for text in clash} == {"sun", "heat"}


def test_the_table_of_numbers_has_what_was_before(browser, folder):
    with opened(browser, written(folder, gaussian(), "before"), "#heat=27") as page:
        page.keyboard.press("t")
        heads = page.locator("#sheet thead th").all_inner_texts()
        row = page.locator('#sheet tr:has(button:text-is("sun")) td').all_inner_texts()
        assert row[heads.index("before") - 1] == "6 ± 2"
        assert row[heads.index("mean") - 1] == "7.6"


def test_a_feature_page_opens_with_evidence_and_copies_it(browser, folder, monkeypatch):
    model = stored_rows()
    with opened(browser, written(folder, model, "rows", given={"ann": "yes"}), **COPYING) as page:
        assert_shows(page, model.marginals({"ann": "yes"}))
        state(page, "bob", "no").click(modifiers=["Alt"])
        settled(page)
        assert page.url.endswith("#ann=yes&bob=yes")
        page.keyboard.press("c")
        _, names, said = run_copied(page, folder, monkeypatch)
        assert_shows(page, names["model"].marginals(names["given"]))
        assert said.strip() == str(model.marginals({"ann": "yes", "bob": {"no": 0, "yes": 1}})).strip()
        fragment = page.url.partition("#")[2]
    with opened(browser, written(folder, model, "again"), f"#{fragment}") as page:
        assert_shows(page, model.marginals({"ann": "yes", "bob": "yes"}))


def test_why_there_is_no_explanation_is_said(browser, folder):
    with opened(browser, written(folder, stored_rows(), "ways")) as page:
        button = page.locator("#explain")
        assert button.is_disabled()
        assert button.get_attribute("title") == (
            "Not known exactly of a model whose rows take several ways through its graph"
        )
        page.keyboard.press("m")
        assert page.locator(".best").count() == 0
    with opened(browser, written(folder, kinds_of_nodes()["split"], "one way")) as page:
        assert page.locator("#explain").is_enabled()


def test_without_a_file_the_python_says_how_to_save_the_model(browser, tmp_path, monkeypatch):
    file = tmp_path / "page.html"
    file.write_text(tw.to_html(ALARM), encoding="utf-8")
    with opened(browser, file, "#HR=HIGH", **COPYING) as page:
        page.keyboard.press("c")
        ALARM.save(tmp_path / "model.twm")  # as it says
        text, names, _ = run_copied(page, tmp_path, monkeypatch)
        assert "model = tw.load('model.twm')  # after model.save('model.twm')\n" in text
        assert_shows(page, names["model"].marginals(names["given"]))


MADE = {
    "alarm": lambda: ALARM,
    "markov": lambda: tw.models.MarkovNetwork.of(tw.load_network("asia")),
    "features": stored_rows,
    "gaussian": gaussian,
    "structure": lambda: ALARM.dag,
}


@pytest.mark.parametrize("name", MADE)
def test_the_same_model_gives_the_same_bytes(name):
    assert tw.to_html(MADE[name]()).encode() == tw.to_html(MADE[name]()).encode()
