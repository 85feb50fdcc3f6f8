import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.enumeration import posterior

from treewright.graphs.dag import Dag
from treewright.inference.arithmetic import LINEAR, LOGARITHMIC
from treewright.inference.elimination import EliminationEngine, Factor, plan_elimination
from treewright.models import BayesianNetwork
from treewright.networks import random_dag
from treewright.tables.schema import Schema, Variable


@st.composite
def networks(draw):
    """Small networks: one to four states, a third of the cells zero, loose parts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dag = random_dag(draw(st.integers(1, 7)), density=draw(st.floats(0, 1)), states=(1, 4), rng=rng)
    tables = []
    for v, r in enumerate(dag.schema.cardinalities):
        cells = rng.random((*(dag.schema.cardinalities[p] for p in dag.parents(v)), r))
        cells *= rng.random(cells.shape) > 0.33
        cells[..., 0] += (cells.sum(axis=-1) == 0) * 1.0
        tables.append(cells / cells.sum(axis=-1, keepdims=True))
    return BayesianNetwork(dag, tables)


@st.composite
def questions(draw):
    model = draw(networks())
    n = len(model.schema)
    variables = draw(st.permutations(range(n)))
    n_targets = draw(st.integers(0, min(3, n)))
    observed = draw(st.lists(st.sampled_from(range(n)), unique=True))
    evidence = {v: draw(st.integers(0, model.schema.cardinalities[v] - 1)) for v in observed}
    return model, tuple(variables[:n_targets]), evidence


@settings(max_examples=150, deadline=None)
@given(questions())
def test_joint_agrees_with_enumeration(question):
    model, targets, evidence = question
    expected, probability = posterior(model, targets, evidence)
    answer = model._engine.joint(targets, evidence)
    np.testing.assert_allclose(answer.tables[targets], expected, rtol=1e-12, atol=1e-14)
    assert math.exp(answer.log_evidence) == pytest.approx(probability, rel=1e-11, abs=0)


@settings(max_examples=100, deadline=None)
@given(questions())
def test_marginals_agree_with_enumeration(question):
    model, _, evidence = question
    answer = model._engine.marginals(evidence)
    probability = posterior(model, (), evidence)[1]
    assert math.exp(answer.log_evidence) == pytest.approx(probability, rel=1e-11, abs=0)
    if probability > 0:
        for v in range(len(model.schema)):
            expected = posterior(model, (v,), evidence)[0]
            np.testing.assert_allclose(answer.tables[v,], expected, rtol=1e-12, atol=1e-14)


@given(st.integers(0, 10_000))
def test_both_arithmetics_agree(seed):
    rng = np.random.default_rng(seed)
    table = rng.random((3, 4, 2)) * (rng.random((3, 4, 2)) > 0.4)
    other = rng.random((1, 4, 2)) * (rng.random((1, 4, 2)) > 0.4)
    results = []
    for arithmetic in (LINEAR, LOGARITHMIC):
        cells = arithmetic.enter(table.copy())
        arithmetic.multiply(cells, arithmetic.enter(other))
        quotient = arithmetic.divided(cells, np.broadcast_to(arithmetic.enter(other), cells.shape))
        results.append((arithmetic.leave(arithmetic.sum_out(cells, (0, 2))), arithmetic.leave(quotient)))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def naive_bayes(n, ratio, tail=None):
    """A hidden cause with n observed effects; half of them speak for each state."""
    schema = Schema([Variable("cause", ("a", "b")), *(Variable(f"e{i}", (0, 1)) for i in range(n))])
    tables = [np.array([0.5, 0.5])]
    for i in range(n):
        row = np.array([ratio, 1 - ratio]) if i % 2 else np.array([0.5, 0.5])
        tables.append(np.array([row, row[::-1] if i % 2 else row]))
        if i % 2 == 0:
            tables[-1] = np.array([[0.5, 0.5], [ratio, 1 - ratio]])
    if tail is not None:
        tables[-1] = tail
    dag = Dag(schema, [("cause", f"e{i}") for i in range(n)])
    return BayesianNetwork(dag, tables), {f"e{i}": 0 for i in range(n)}


def test_thousands_of_observations_do_not_underflow():
    model, evidence = naive_bayes(3000, 0.2)
    exact = [sum(math.log(t[s, 0]) for t in model.tables[1:]) for s in (0, 1)]
    answer = model.query("cause", given=evidence)
    assert answer["a"] == pytest.approx(1 / (1 + math.exp(exact[1] - exact[0])), rel=1e-9)
    expected = math.log(0.5) + np.logaddexp(*exact)
    assert answer.log_probability_of_evidence == pytest.approx(expected, rel=1e-12)


def test_unlikely_is_not_impossible():
    # four effects make state a less likely by 1e-150 each; a fifth forbids state b
    schema = Schema([Variable("cause", ("a", "b")), *(Variable(f"e{i}", (0, 1)) for i in range(5))])
    faint = np.array([[1e-150, 1.0], [0.5, 0.5]])
    tables = [np.array([0.5, 0.5]), faint, faint, faint, faint, np.array([[0.5, 0.5], [0.0, 1.0]])]
    model = BayesianNetwork(Dag(schema, [("cause", f"e{i}") for i in range(5)]), tables)
    evidence = {f"e{i}": 0 for i in range(5)}
    answer = model.query("cause", given=evidence)
    assert answer.dict() == {"a": 1.0, "b": 0.0}
    assert answer.log_probability_of_evidence == pytest.approx(2 * math.log(0.5) + 4 * math.log(1e-150))
    assert model.marginals(evidence)["cause"]["a"] == 1.0


def test_a_long_chain_needs_small_tables_only():
    n = 500
    schema = Schema([Variable(f"x{i}", ("a", "b")) for i in range(n)])
    dag = Dag(schema, [(i, i + 1) for i in range(n - 1)])
    model = BayesianNetwork(dag, [np.array([0.9, 0.1])] + [np.array([[0.9, 0.1], [0.2, 0.8]])] * (n - 1))
    assert model.query(f"x{n - 1}")["a"] == pytest.approx(2 / 3)
    scopes = [(*dag.parents(v), v) for v in range(n)]
    assert max(map(len, plan_elimination(scopes, schema.cardinalities, ()))) == 2


def test_min_fill_needs_no_extra_edges_on_chordal_graphs():
    scopes = [(0, 1, 2), (1, 2, 3), (2, 3, 4), (4, 5)]
    plan = plan_elimination(scopes, [2] * 6, ())
    assert max(map(len, plan)) == 3
    assert plan_elimination(scopes, [2] * 6, (0, 5))[-1][0] not in (0, 5)


def test_barren_variables_are_left_out():
    schema = Schema([Variable("a", (0, 1)), Variable("b", (0, 1))])
    broken = np.full((2, 2), np.nan)  # would spoil the answer if it were touched
    engine = EliminationEngine(schema, [Factor((0,), np.array([0.25, 0.75])), Factor((0, 1), broken)])
    assert engine.joint((0,), {}).tables[0,].tolist() == [0.25, 0.75]
