"""Expected counts: against enumeration, without gaps the counts themselves, the same bits in every order."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import _core
from treewright.errors import SchemaError
from treewright.models import ExpectedCounter
from treewright.tables import Schema, Table, Variable


def random_case(seed, n_variables=4, n_rows=12, share=0.4):
    """A random network, and rows of it with gaps."""
    rng = np.random.default_rng(seed)
    names = list(rng.permutation([f"v{i}" for i in range(n_variables)]))
    schema = Schema([Variable(name, tuple(range(int(rng.integers(2, 4))))) for name in names])
    arcs = [(a, b) for a, b in combinations(range(n_variables), 2) if rng.random() < 0.6]
    dag = tw.Dag(schema, [(names[a], names[b]) for a, b in arcs])
    columns = [rng.integers(0, r, n_rows).astype(np.uint8) for r in schema.cardinalities]
    complete = Table(schema, columns)
    model = tw.fit(dag, tw.count(complete))
    missing = {v: rng.random(n_rows) < share for v in range(n_variables) if rng.random() < 0.9}
    weights = rng.integers(0, 3, n_rows) if rng.random() < 0.5 else None
    return model, Table(schema, columns, missing=missing, weights=weights), complete


def enumerated(model, table, scope):
    """Every way to complete every row, weighed by its probability."""
    cards = model.schema.cardinalities
    out = np.zeros([cards[v] for v in scope])
    for row in range(table.n_rows):
        open_ = [v for v in range(len(cards)) if v in table.missing and table.missing[v][row]]
        codes = [int(column[row]) for column in table.columns]
        ways, masses = [], []
        for states in product(*(range(cards[v]) for v in open_)):
            for v, state in zip(open_, states, strict=True):
                codes[v] = state
            labels = [[model.schema.variables[v].states[c]] for v, c in enumerate(codes)]
            one = dict(zip(model.schema.names, labels, strict=True))
            masses.append(model.probability_of({name: cell[0] for name, cell in one.items()}))
            ways.append(tuple(codes[v] for v in scope))
        weight = 1.0 if table.weights is None else float(table.weights[row])
        for cell, mass in zip(ways, masses, strict=True):
            out[cell] += weight * mass / sum(masses)
    return out


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_expected_counts_equal_enumeration(seed):
    model, table, _ = random_case(seed)
    counter = ExpectedCounter(model, table)
    scopes = [scope for k in range(4) for scope in combinations(range(4), k)] + [(3, 1), (2, 3, 0)]
    for scope, found in zip(scopes, counter.counts_many(scopes), strict=True):
        np.testing.assert_allclose(found, enumerated(model, table, scope), rtol=0, atol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_families_agree_with_the_step_of_em(seed):
    model, table, _ = random_case(seed, 7, 60, 0.3)
    from treewright.inference.expectation import FamilyExpectation
    from treewright.models.discrete.family_counts import list_families
    from treewright.models.model import align_evidence

    families = list_families(model.dag)
    step = FamilyExpectation(model.schema, families, align_evidence(model.schema, table), table.weights)
    for ours, theirs in zip(
        ExpectedCounter(model, table).counts_many(families), step.step(model.tables)[0], strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_large_parts_are_propagated_and_say_the_same():
    alarm = tw.load_network("alarm")
    rows = alarm.sample(60, rng=np.random.default_rng(3))
    gaps = np.random.default_rng(4).random((len(alarm.schema), 60)) < 0.4
    table = Table(alarm.schema, rows.columns, missing=dict(enumerate(gaps)))
    scopes = [(0, 1), (5, 17, 30), (2, 3, 4, 5)]
    whole = ExpectedCounter(alarm, table)
    try:
        tw.set_memory_limit(1 << 17)  # few parts are kept whole
        small = ExpectedCounter(alarm, table)
        found = small.counts_many(scopes)
    finally:
        tw.set_memory_limit(None)
    assert small.n_parts[1] > whole.n_parts[1] > 0
    for one, other in zip(found, whole.counts_many(scopes), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


def test_without_gaps_they_are_the_counts():
    model, _, complete = random_case(7, n_rows=200)
    scopes = [(0, 1), (3,), (), (2, 0, 1)]
    found = ExpectedCounter(model, complete).counts_many(scopes)
    assert [one.tolist() for one in found] == [one.tolist() for one in tw.count(complete).counts_many(scopes)]


def test_orders_and_threads_do_not_show():
    model, table, _ = random_case(11, 8, 500, 0.3)
    names = [("v0", "v1"), ("v2", "v5", "v7"), ("v3",)]
    first = [one.tolist() for one in ExpectedCounter(model, table).counts_many(names)]
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(table.n_rows), rng.permutation(len(table.schema))
    other = table.take(rows).select([table.schema.names[v] for v in columns])
    moved = tw.fit(tw.Dag(other.schema, model.dag.edges()), tw.count(random_case(11, 8, 500, 0.3)[2]))
    threads = _core.threads()
    try:
        _core.set_threads(2)
        again = [one.tolist() for one in ExpectedCounter(moved, other).counts_many(names)]
    finally:
        _core.set_threads(threads)
    assert first == again


def test_rows_that_the_model_forbids_are_refused():
    schema = Schema([Variable("a", (0, 1)), Variable("b", (0, 1))])
    dag = tw.Dag(schema, [("a", "b")])
    rows = Table(schema, [np.array([0, 0, 0], np.uint8), np.array([0, 0, 0], np.uint8)])
    model = tw.fit(dag, tw.count(rows), prior=None)
    gap = Table(
        schema, [np.array([0, 0], np.uint8), np.array([1, 1], np.uint8)], missing={"a": [True, False]}
    )
    with pytest.raises(
        SchemaError, match="forbids a row, so nothing is expected of it; fit the model with a"
    ):
        ExpectedCounter(model, gap).counts(("a",))
