"""Twins: networks of states and numbers on the page, in a real browser, against the answers of Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.browser.test_engines import ASK, WITHIN, open_page
from tests.reference.models.mixtures import random_mixed

import treewright as tw
from treewright.errors import ImpossibleEvidence
from treewright.models import ConditionalGaussianNetwork, Lines

CLOSE = {"rtol": 1e-9, "atol": WITHIN}
MIXTURES = """() => Object.fromEntries(beliefs.data.variables.flatMap(({ name }, v) => {
  if (!beliefs.isNumber(v)) return [];
  const { weights, means, deviations } = mixtureOf(beliefs.now, v, beliefs.slice(beliefs.now, v));
  return [[name, [weights, means, deviations].map(part => Array.from(part))]];
}))"""


def asked(model, known):
    """Evidence as the page has it."""
    found = []
    for name, value in known.items():
        v, states = model.schema.index(name), model.schema[name].states
        if states is None:
            found.append([v, value])
        elif isinstance(value, dict):
            found.append([v, [float(value[state]) for state in states]])
        else:
            found.append([v, [float(state == value) for state in states]])
    return found


def flat(model, answer):
    """Beliefs as the page has them."""
    found = []
    for variable in model.schema:
        one = answer[variable.name]
        found += one.array.tolist() if variable.is_discrete else [one.mean, one.standard_deviation]
    return found


def check(engines, model, questions):
    for known, found in zip(
        questions, engines.evaluate(ASK, [asked(model, known) for known in questions]), strict=True
    ):
        try:
            answer = model.marginals(known)
        except ImpossibleEvidence:
            check_conflict(model, known, [model.schema.names[v] for v in found["conflict"]])
            continue
        np.testing.assert_allclose(found["out"], flat(model, answer), **CLOSE)
        log_density = answer.log_density_of_evidence
        assert found["logMass"] == pytest.approx(log_density, abs=WITHIN, rel=1e-12)
        check_explanation(model, known, found)


def check_explanation(model, known, found):
    """As high as Python's highest point, and the density there is what the page says."""
    assert found["bestLog"] == pytest.approx(model.mpe(known).log_probability, rel=1e-9, abs=1e-8)
    point = {
        v.name: found["best"][k] if v.states is None else v.states[found["best"][k]]
        for k, v in enumerate(model.schema)
    }
    soft = {name: value[point[name]] for name, value in known.items() if isinstance(value, dict)}
    own = model.log_density_of(point) + sum(map(math.log, soft.values()))
    assert found["bestLog"] == pytest.approx(own, rel=1e-9, abs=1e-8)


def check_conflict(model, known, conflict):
    """Impossible by itself, and nothing can be left out."""
    assert model.log_density_of({name: known[name] for name in conflict}) == -math.inf
    for left_out in conflict:
        assert model.log_density_of({n: known[n] for n in conflict if n != left_out}) > -math.inf


def drawn(model, rng, share):
    """A part of a drawn row, hard and soft."""
    row, known = model.sample(1, rng=rng), {}
    for name in rng.permutation(model.schema.names).tolist():
        variable = model.schema[name]
        if rng.random() >= share:
            continue
        cell = row.column(name)[0]
        if variable.states is None:
            known[name] = float(cell)
        elif rng.random() < 0.7:
            known[name] = variable.states[cell]
        else:
            known[name] = dict(zip(variable.states, rng.uniform(0.1, 1, variable.cardinality), strict=True))
    return known


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    n_discrete=st.integers(0, 5),
    n_continuous=st.integers(0, 6),
    density=st.floats(0, 1),
)
def test_random_networks(engines, seed, n_discrete, n_continuous, density):
    rng = np.random.default_rng(seed)
    model = random_mixed(rng, n_discrete, max(n_continuous, 1 - n_discrete), density=density)
    open_page(engines, model)
    check(engines, model, [{}, *(drawn(model, rng, share) for share in (0.2, 0.4, 0.7, 1.0))])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_larger_network(engines, seed):
    rng = np.random.default_rng(seed)
    model = random_mixed(rng, 10, 12, density=0.12)
    assert open_page(engines, model) is not None
    check(engines, model, [{}, *(drawn(model, rng, share) for share in (0.1, 0.3, 0.5))])


def test_a_curve_has_the_normals_of_python(engines):
    rng = np.random.default_rng(4)
    model = random_mixed(rng, 4, 4, density=0.5)
    open_page(engines, model)
    known = drawn(model, rng, 0.2)
    engines.evaluate(ASK, [asked(model, known)])
    answer = model.marginals(known)
    for name, parts in engines.evaluate(MIXTURES).items():
        found, expected = sorted(zip(*parts, strict=True)), answer[name]
        if name in known:
            assert found == [(1, known[name], 0)]
            continue
        deviations = np.sqrt(expected.variances)
        normals = sorted(zip(expected.weights, expected.means, deviations, strict=True))
        np.testing.assert_allclose(found, normals, rtol=1e-8, atol=WITHIN)


def sensors(n=40, apart=12.0):
    """Readings of one state, each far from what the other state would give."""
    schema = tw.Schema([tw.Variable("on", ("no", "yes")), *(tw.Variable(f"x{i:02}") for i in range(n))])
    dag = tw.Dag(schema, [("on", f"x{i:02}") for i in range(n)])
    lines = {f"x{i:02}": Lines([0.0, apart], {}, [1.0, 1.0]) for i in range(n)}
    return ConditionalGaussianNetwork(dag, {"on": [0.5, 0.5]}, lines)


def test_readings_whose_density_has_no_double(engines):
    """Of one state, of either, of none: ln P is far below -700, and so is what tells the states apart."""
    model = sensors()
    for values in ([0.0] * 40, [12.0] * 20 + [0.0] * 20, [100.0] * 40, [6.0] * 39 + [6.001]):
        known = {f"x{i:02}": value for i, value in enumerate(values)}
        open_page(engines, model)
        check(engines, model, [known])
    assert model.marginals({f"x{i:02}": 100.0 for i in range(40)}).log_density_of_evidence < -700


def test_states_that_are_ruled_out_against_the_numbers(engines):
    schema = tw.Schema([tw.Variable("a", ("x", "y", "z")), *(tw.Variable(f"n{i:02}") for i in range(40))])
    dag = tw.Dag(schema, [("a", f"n{i:02}") for i in range(40)])
    lines = {f"n{i:02}": Lines([0.0, 1.0, 12.0], {}, [1.0, 1.0, 1.0]) for i in range(40)}
    model = ConditionalGaussianNetwork(dag, {"a": [0.5, 0.25, 0.25]}, lines)
    known = {f"n{i:02}": 12.0 for i in range(40)} | {"a": {"x": 1.0, "y": 0.5, "z": 0.0}}
    assert model.log_density_of(known) < -2000
    open_page(engines, model)
    check(engines, model, [known])


def test_many_joint_states_are_worked_out_in_slices(engines):
    rng = np.random.default_rng(0)
    names, shape = [f"d{i:02}" for i in range(10)], (3,) * 10
    states = dict.fromkeys(names, ("a", "b", "c"))
    schema = tw.Schema([tw.Variable(name, states.get(name)) for name in (*names, "x", "y")])
    lines = {"x": Lines(rng.normal(size=shape) * 5, {}, rng.uniform(0.5, 2, shape))}
    lines["y"] = Lines(1.0, {"x": 0.5}, 2.0)
    tables = {name: rng.dirichlet(np.ones(3)) for name in names}
    dag = tw.Dag(schema, [*((name, "x") for name in names), ("x", "y")])
    model = ConditionalGaussianNetwork(dag, tables, lines)
    cells = open_page(engines, model)
    assert cells == 3**10 * (1 + 2 + 2**2)  # of the clique, and of Normals of two numbers
    assert cells > 300_000
    check(engines, model, [{"d03": "b", "y": 3.0}, {"x": -12.5, "d04": {"a": 1.0, "b": 0.3, "c": 0.0}}])


@pytest.mark.parametrize("value", [1e200, -1e155])
def test_numbers_beyond_all_densities_are_said_to_be_impossible(engines, value):
    model = sensors(2)
    open_page(engines, model)
    (found,) = engines.evaluate(ASK, [asked(model, {"x00": value, "x01": 0.0})])
    assert found["conflict"] == [model.schema.index("x00")]


def rare_mixed(n=80, p=1e-6):
    """A chain of states that hardly ever are, with a reading of each tenth."""
    schema = tw.Schema(
        [
            *(tw.Variable(f"s{i:02}", ("no", "yes")) for i in range(n)),
            *(tw.Variable(f"x{i:02}") for i in range(0, n, 10)),
        ]
    )
    arcs = [(f"s{i:02}", f"s{i + 1:02}") for i in range(n - 1)]
    arcs += [(f"s{i:02}", f"x{i:02}") for i in range(0, n, 10)]
    tables = {f"s{i:02}": [[1 - p, p], [1 - 2 * p, 2 * p]] for i in range(1, n)} | {"s00": [0.5, 0.5]}
    lines = {f"x{i:02}": Lines([0.0, 3.0], {}, [1.0, 2.0]) for i in range(0, n, 10)}
    return ConditionalGaussianNetwork(tw.Dag(schema, arcs), tables, lines)


def test_states_that_hardly_ever_are(engines):
    model = rare_mixed()
    known = {f"s{i:02}": "yes" for i in range(80) if i % 10} | {"x30": 2.5, "x50": -40.0}
    assert model.marginals(known).log_density_of_evidence < -700
    open_page(engines, model)
    check(engines, model, [known, {name: known[name] for name in list(known)[:50]}])


def impossible():
    states = dict.fromkeys("abc", ("no", "yes"))
    schema = tw.Schema([tw.Variable(name, states.get(name)) for name in "abcxy"])
    dag = tw.Dag(schema, [("a", "b"), ("b", "c"), ("c", "x"), ("x", "y")])
    tables = {"a": [0.4, 0.6], "b": [[1.0, 0.0], [0.3, 0.7]], "c": [[1.0, 0.0], [0.2, 0.8]]}
    lines = {"x": Lines([0.0, 5.0], {}, [1.0, 2.0]), "y": Lines(1.0, {"x": 2.0}, 0.5)}
    return ConditionalGaussianNetwork(dag, tables, lines)


def test_a_smallest_part_of_what_is_impossible(engines):
    model = impossible()
    open_page(engines, model)
    check(
        engines,
        model,
        [
            {"x": 3.0, "a": "no", "y": 4.0, "b": "yes"},
            {"y": 4.0, "c": "yes", "a": "no"},
            {"c": {"no": 0.0, "yes": 0.4}, "x": -1.0, "b": "no"},
        ],
    )


def test_what_is_told_of_states_is_exact_and_of_numbers_left_open(engines):
    model = impossible()
    open_page(engines, model)
    known = {"x": 1.0}
    (found,) = engines.evaluate(ASK, [asked(model, known)])
    edges = dict(zip(model.dag.edges(), found["strength"], strict=True))
    joint = model.query(["a", "b"], known).array
    apart = joint * np.log2(np.where(joint > 0, joint, 1) / np.outer(joint.sum(1), joint.sum(0)))
    assert edges["a", "b"] == pytest.approx(np.nansum(apart), abs=WITHIN)
    assert edges["x", "y"] == edges["c", "x"] == 0  # the end is known
    (found,) = engines.evaluate(ASK, [[]])
    edges = dict(zip(model.dag.edges(), found["strength"], strict=True))
    assert edges["x", "y"] is edges["c", "x"] is None
    gain = engines.evaluate("async v => Array.from(await beliefs.worth(v))", model.schema.index("a"))
    joint = model.query(["a", "c"]).array
    apart = joint * np.log2(np.where(joint > 0, joint, 1) / np.outer(joint.sum(1), joint.sum(0)))
    assert gain[model.schema.index("c")] == pytest.approx(np.nansum(apart), abs=WITHIN)
    assert gain[model.schema.index("x")] == gain[model.schema.index("y")] == 0


def test_how_far_a_number_moved_is_its_hellinger_distance(engines):
    rng = np.random.default_rng(6)
    model = random_mixed(rng, 4, 4, density=0.6)
    open_page(engines, model)
    known = drawn(model, rng, 0.3)
    engines.evaluate(ASK, [asked(model, known)])
    before, after = model.marginals(), model.marginals(known)
    compared = 0
    for name in model.continuous:
        if name in known:
            continue
        at = np.linspace(before[name].mean - 60, before[name].mean + 60, 40_001)
        p, q = (np.array([one[name].density(x) for x in at[::8]]) for one in (before, after))
        overlap = float(np.sum((np.sqrt(p) - np.sqrt(q)) ** 2) * (at[8] - at[0]) / 2)
        v = model.schema.index(name)
        assert engines.evaluate("v => beliefs.change(v)", v) == pytest.approx(math.sqrt(overlap), abs=2e-3)
        compared += 1
    assert compared


def test_beyond_the_limit_curves_are_kept(engines, monkeypatch):
    monkeypatch.setattr("treewright.reports.explorer.page_data.MOST_CELLS", 120)
    monkeypatch.setattr("treewright.reports.explorer.page_data.MOST_NUMBERS", 120)
    model = random_mixed(np.random.default_rng(4), 4, 4, density=0.5)
    assert open_page(engines, model) is None
    answer = model.marginals()
    np.testing.assert_allclose(
        engines.evaluate("() => Array.from(beliefs.now)"), flat(model, answer), **CLOSE
    )
    for name, (weights, means, _) in engines.evaluate(MIXTURES).items():
        assert np.dot(weights, means) == pytest.approx(answer[name].mean, abs=WITHIN)
