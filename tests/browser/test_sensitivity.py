"""How much an answer moves with each number: the page's twins of Python."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.browser.explorer_pages import ALARM, HIGH, find, opened, written
from tests.browser.test_engines import (
    drawn_questions,
    kinds_of_nodes,
    likelihoods,
    open_page,
    random_gaussian,
    rare_chain,
    worded,
)
from tests.browser.test_mixed_engine import asked, drawn
from tests.browser.test_mixed_page import WEATHER
from tests.inference.random_questions import (
    random_evidence,
    random_families,
    random_potentials,
    random_schema,
)
from tests.models.discrete.test_sensitivity import network_of
from tests.models.features.random_features import RandomFeatures
from tests.reference.models.mixtures import random_mixed
from tests.reports.explorer.test_explorer import published

import treewright as tw
from treewright.errors import ImpossibleEvidence
from treewright.models import MarkovNetwork
from treewright.reports.explorer.mixed_data import mixed_tables

SENSITIVITY = "async ([v, state]) => (await beliefs.sensitivity(v, state))?.map(table => Array.from(table))"
SET = "async items => { await beliefs.set(new Map(items)); }"


def flat(found, place):
    table = found.factor(place) if hasattr(found, "factor") else found.table(place)
    return np.asarray(table).ravel()


def check(engines, model, evidence, target, state, within=1e-9):
    """One answer's derivatives, all of them."""
    words, schema = worded(model.schema, evidence), model.schema
    expected = model.sensitivity(schema.names[target], schema[target].states[state], words)
    engines.evaluate(SET, likelihoods(schema, evidence))
    found = engines.evaluate(SENSITIVITY, [target, state])
    if expected.probability == 0:
        assert found is None  # and nothing moves it
        return
    for place, table in enumerate(found):
        np.testing.assert_allclose(table, flat(expected, place), rtol=within, atol=within)


def asked_of(model, evidence, rng):
    """A variable that is open, and its likeliest state or any."""
    schema = model.schema
    target = int(rng.choice([v for v in range(len(schema)) if v not in evidence.observed]))
    likeliest = int(np.argmax(model.query(schema.names[target], worded(schema, evidence)).array))
    return target, likeliest if rng.random() < 0.5 else int(rng.integers(schema.cardinalities[target]))


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_of_networks(engines, name):
    model, rng = tw.load_network(name), np.random.default_rng(4)
    open_page(engines, model)
    for evidence in drawn_questions(model, 6):
        check(engines, model, evidence, *asked_of(model, evidence, rng))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["andes", "pigs"])
def test_of_larger_networks(engines, name):
    """Their tables have zeros; numbers that have no say move by rounding alone."""
    model, rng = published(name), np.random.default_rng(2)
    assert any((table == 0).any() for table in model.tables)
    open_page(engines, model)
    evidence = drawn_questions(model, 4)[4]
    check(engines, model, evidence, *asked_of(model, evidence, rng))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), directed=st.booleans())
def test_of_random_products(engines, seed, directed):
    """With zeros, single states, parts without a link and soft evidence, on the target too."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng)
    if directed:
        model = network_of(random_families(schema, rng), schema)
    else:
        model = MarkovNetwork(schema, [f for f in random_potentials(schema, rng) if f.table.any()])
    evidence = random_evidence(schema, rng, 0.2)
    assume(len(evidence.observed) < len(schema))
    try:
        model.marginals(worded(schema, evidence))
    except ImpossibleEvidence:
        assume(False)
    open_page(engines, model)
    check(engines, model, evidence, *asked_of(model, evidence, rng))


def test_of_rare_evidence(engines):
    model = rare_chain()
    given = {f"x{v:02}": "yes" for v in range(80) if v % 10 != 4}
    open_page(engines, model)
    check(engines, model, model._read(given), 4, 1, within=1e-7)


def test_of_a_markov_network(engines):
    model, rng = MarkovNetwork.of(ALARM), np.random.default_rng(1)
    open_page(engines, model)
    for evidence in drawn_questions(model, 4):
        check(engines, model, evidence, *asked_of(model, evidence, rng))


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_of_gaussian_networks(engines, seed):
    rng = np.random.default_rng(seed)
    model = random_gaussian(int(rng.integers(2, 20)), rng)
    names = model.schema.names
    target, *seen = rng.permutation(len(names))[: rng.integers(1, 5)].tolist()
    known = {v: float(rng.normal()) for v in seen}
    expected = model.sensitivity(names[target], {names[v]: x for v, x in known.items()})
    open_page(engines, model)
    engines.evaluate(SET, [list(item) for item in known.items()])
    found = engines.evaluate("v => beliefs.sensitivity(v)", target)
    listed = {(one.variable, one.kind, one.parent): one for one in expected}
    for one in found:
        same = listed.get((names[one["v"]], one["kind"], names[one["u"]] if "u" in one else None))
        told = (same.value, same.mean, same.variance) if same else (one["value"], 0.0, 0.0)
        np.testing.assert_allclose([one["value"], one["mean"], one["variance"]], told, rtol=1e-9, atol=1e-9)
    assert len(found) == 2 * len(names) + model.dag.n_edges


def told(engines, *asked):
    """Derivatives by all numbers, one array for each part of the answer."""
    return engines.evaluate(SENSITIVITY, list(asked))


@pytest.mark.parametrize("kind", kinds_of_nodes())
def test_of_each_kind_of_node(engines, kind):
    model, rng = kinds_of_nodes()[kind], np.random.default_rng(3)
    open_page(engines, model)
    for evidence in drawn_questions(model, 4):
        if len(evidence.observed) < len(model.schema):
            check_graph(engines, model, evidence, rng)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_of_random_feature_graphs(engines, seed):
    made = RandomFeatures(seed)
    model, rng = tw.FeatureNetwork(made.graph()), made.rng
    evidence = random_evidence(model.schema, rng, 0.2)
    assume(len(evidence.observed) < len(model.schema))
    try:
        model.marginals(worded(model.schema, evidence))
    except ImpossibleEvidence:
        assume(False)
    open_page(engines, model)
    check_graph(engines, model, evidence, rng)


def check_graph(engines, model, evidence, rng):
    target, state = asked_of(model, evidence, rng)
    words, schema = worded(model.schema, evidence), model.schema
    expected = model.sensitivity(schema.names[target], schema[target].states[state], words)
    engines.evaluate(SET, likelihoods(schema, evidence))
    found = told(engines, target, state)
    if expected.probability == 0:
        assert found is None
        return
    np.testing.assert_allclose(found[0], expected.derivatives, rtol=1e-9, atol=1e-9)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), n_discrete=st.integers(0, 4), n_continuous=st.integers(0, 4))
def test_of_mixed_networks(engines, seed, n_discrete, n_continuous):
    rng = np.random.default_rng(seed)
    model = random_mixed(rng, n_discrete, max(n_continuous, 1 - n_discrete), density=0.6)
    known = drawn(model, rng, 0.5)
    free = [name for name in model.schema.names if not isinstance(known.get(name, {}), str | float)]
    assume(free)
    target = str(rng.choice(free))
    states = model.schema[target].states
    state = None if states is None else str(rng.choice(states))
    open_page(engines, model)
    engines.evaluate(SET, asked(model, known))
    found = told(engines, model.schema.index(target), 0 if state is None else states.index(state))
    expected = flat_mixed(model, model.sensitivity(target, state, known))
    for moved, by in zip(found, expected, strict=True):
        np.testing.assert_allclose(moved, by, rtol=1e-8, atol=1e-8)


def flat_mixed(model, found):
    """Derivatives in the order of a page's packed numbers."""
    tables, _ = mixed_tables(model)
    names = model.schema.names

    def sorted_axes(array, about, rest=0):
        order = sorted(range(len(about)), key=about.__getitem__)
        return array.transpose([*order, *range(len(order), len(order) + rest)]).ravel()

    for part in range(len(found.answer)):
        out = []
        for factor in tables["factors"]:
            child = names[factor["scope"][-1]]
            above = list(model.dag.parents(child))
            out.append(sorted_axes(found.derivatives(child)[part], above, 1))
        for line in tables["lines"]:
            child = names[line["child"]]
            above = [p for p in model.dag.parents(child) if model.schema[p].is_discrete]
            keys = [("intercept", None), ("variance", None)]
            out += [sorted_axes(found.derivatives(child, *key)[part], above) for key in keys]
            slopes = [
                sorted_axes(found.derivatives(child, "coefficient", names[u])[part], above)
                for u in line["continuous"]
            ]
            out.append(np.stack(slopes, axis=1).ravel() if slopes else np.zeros(0))
        yield np.concatenate(out)


# In the panel


def open_numbers(page, name):
    find(page, name)
    page.get_by_text("Which numbers matter to it").click()
    page.locator(".matters li").first.wait_for()


def moves(page):
    lines = page.locator(".matters li").all_inner_texts()
    return [abs(float(line.split()[-1].replace("\u2212", "-"))) for line in lines]


def test_the_state_can_be_chosen(browser, alarm_file):
    with opened(browser, alarm_file, "#HR=HIGH") as page:
        open_numbers(page, "CATECHOL")
        choice = page.get_by_label("state of CATECHOL")
        assert choice.input_value() == "HIGH"  # the likeliest
        find(page, "SAO2")
        choice = page.get_by_label("state of SAO2")
        choice.wait_for()
        for state in ("NORMAL", "LOW"):
            choice.select_option(state)
            found = ALARM.sensitivity("SAO2", state, HIGH)
            strongest = sorted((abs(one.derivative) for one in found), reverse=True)
            page.wait_for_function(
                "p => Math.abs(document.querySelector('.matters .n').textContent.slice(1) - p) < 6e-4",
                arg=strongest[0],
            )
            assert choice.input_value() == state
            assert moves(page) == pytest.approx(strongest[: len(moves(page))], abs=6e-4)
        find(page, "CATECHOL")
        page.get_by_label("state of CATECHOL").wait_for()
        find(page, "SAO2")
        choice.wait_for()
        assert choice.input_value() == "LOW"  # as it was chosen


def test_factors_are_named_by_their_states(browser, folder):
    model = MarkovNetwork.of(tw.load_network("asia"))
    with opened(browser, written(folder, model, "factors"), "#xray=yes") as page:
        open_numbers(page, "lung")
        assert "the logarithm of a number is raised" in page.inner_text("#matters")
        page.get_by_label("state of lung").select_option("yes")
        found = model.sensitivity("lung", "yes", {"xray": "yes"})
        strongest = sorted((abs(one.derivative) for one in found), reverse=True)[:10]
        assert moves(page) == pytest.approx(strongest, abs=6e-4)
        assert page.locator(".matters li").first.inner_text().startswith("factor(")


def test_numbers_of_gaussian_networks_are_named(browser, folder):
    schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat")])
    model = tw.GaussianNetwork(
        tw.Dag(schema, [("sun", "heat")]), [6.0, 10.0], {"heat": {"sun": 2.0}}, [4.0, 9.0]
    )
    with opened(browser, written(folder, model, "sun"), "#heat=27") as page:
        open_numbers(page, "sun")
        lines = page.locator(".matters li").all_inner_texts()
        expected = [(str(one), one.mean) for one in model.sensitivity("sun", {"heat": 27.0})]
        assert [line.split(" = ")[0] for line in lines] == [name for name, _ in expected]
        told = [float(line.split(",")[0].split()[-1].replace("\u2212", "-")) for line in lines]
        assert told == pytest.approx([mean for _, mean in expected], rel=1e-3)


def said(page):
    return [line.split(" = ") for line in page.locator(".matters li").all_inner_texts()]


def test_numbers_of_feature_graphs_are_named(browser, folder):
    model = kinds_of_nodes()["mix"]
    with opened(browser, written(folder, model, "ways"), "#b=1") as page:
        open_numbers(page, "a")
        found = list(model.sensitivity("a", 0, {"b": 1}))
        page.get_by_label("state of a").select_option("0")
        page.wait_for_function(
            "p => Math.abs(document.querySelector('.matters .n').textContent.slice(1) - p) < 6e-4",
            arg=abs(found[0].derivative),
        )
        lines = page.locator(".matters li span:first-child").all_inner_texts()
        assert len(lines) == 10
        for line, one in zip(lines, found, strict=False):
            what, _, value = line.rpartition(" = ")
            assert what.replace(" = ", "=") == str(one)
            assert float(value) == pytest.approx(one.probability, abs=5e-4, rel=5e-3)


def test_numbers_of_mixed_networks_are_named(browser, folder):
    with opened(browser, written(folder, WEATHER, "weather"), "#heat=10") as page:
        for name, state in (("sun", None), ("sky", "grey")):
            open_numbers(page, name) if state is None else find(page, name)
            if state:
                page.get_by_label(f"state of {name}").select_option(state)
            found = list(WEATHER.sensitivity(name, state, {"heat": 10.0}))[:10]
            page.wait_for_function(
                "text => document.querySelector('.matters li')?.textContent.startsWith(text)",
                arg=str(found[0]).replace("=", " = "),
            )
            for (*what, rest), one in zip(said(page), found, strict=True):
                value, *moves = (float(x) for x in rest.replace("\u2212", "-").replace(",", " ").split())
                assert "=".join(what) == str(one)
                assert [value, *moves] == pytest.approx([one.value, *one.moves.values()], rel=2e-3)
