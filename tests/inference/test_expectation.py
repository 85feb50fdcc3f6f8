"""Expected counts: against enumeration, and free of any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.random_questions import random_families, random_schema
from tests.reference.models.em import expected_counts

import treewright as tw
from treewright import _core
from treewright.inference.batch import EvidenceColumns
from treewright.inference.expectation import FamilyExpectation
from treewright.models.discrete.family_counts import list_families
from treewright.models.model import align_evidence


def random_model(rng, most=6):
    schema = random_schema(rng, most)
    factors = random_families(schema, rng)
    dag = tw.Dag(schema, [(u, f.scope[-1]) for f in factors for u in f.scope[:-1]])
    tables = []
    for v, factor in enumerate(factors):
        order = [*dag.parents(v), v]
        tables.append(np.transpose(factor.table, [factor.scope.index(u) for u in order]))
    return tw.BayesianNetwork(dag, tables)


def with_holes(rows, rng, share):
    masks = {v: rng.random(rows.n_rows) < share for v in rows.schema.names}
    return tw.Table(rows.schema, rows.columns, missing=masks, weights=rows.weights)


def rows_of(table):
    return [
        [
            None if v in table.missing and table.missing[v][r] else int(table.columns[v][r])
            for v in range(len(table.schema))
        ]
        for r in range(table.n_rows)
    ]


def expectation_of(model, table):
    columns = align_evidence(model.schema, table)
    return FamilyExpectation(model.schema, list_families(model.dag), columns, table.weights)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]))
def test_twin(seed, share):
    rng = np.random.default_rng(seed)
    model = random_model(rng)
    table = with_holes(model.sample(12, rng=rng).with_weights(rng.integers(0, 4, 12)), rng, share)
    counts, log_likelihood = expectation_of(model, table).step(model.tables)
    expected, expected_log = expected_counts(model, rows_of(table), table.weights)
    for ours, theirs in zip(counts, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-11)
    np.testing.assert_allclose(log_likelihood, expected_log, rtol=1e-11, atol=1e-11)


def test_the_same_bits_for_every_order_and_number_of_threads():
    rng = np.random.default_rng(3)
    alarm = tw.load_network("alarm")
    table = with_holes(alarm.sample(400, rng=rng), rng, 0.3)
    expected, log = expectation_of(alarm, table).step(alarm.tables)

    turned = tw.Schema([alarm.schema[name] for name in alarm.schema.names[::-1]])
    dag = tw.Dag(turned, alarm.dag.edges())

    def as_turned(v, cells):
        name = turned.names[v]
        ours = alarm.schema.names_of((*alarm.dag.parents(name), alarm.schema.index(name)))
        theirs = turned.names_of((*dag.parents(v), v))
        return cells[alarm.schema.index(name)].transpose([ours.index(other) for other in theirs])

    mirrored = tw.BayesianNetwork(dag, [as_turned(v, alarm.tables) for v in range(len(turned))])
    shuffled = table.take(rng.permutation(table.n_rows))
    for threads in (1, 2, 3):
        _core.set_threads(threads)
        try:
            counts, found = expectation_of(mirrored, shuffled).step(mirrored.tables)
        finally:
            _core.set_threads(0)
        assert found == log
        assert all(np.array_equal(counts[v], as_turned(v, expected)) for v in range(len(turned)))


def test_complete_rows_are_counted_and_cost_nothing_more():
    asia = tw.load_network("asia")
    rows = asia.sample(500, rng=np.random.default_rng(1))
    expectation = expectation_of(asia, rows)
    assert expectation.n_propagations == 0
    counts, log = expectation.step(asia.tables)
    for v, family in enumerate(list_families(asia.dag)):
        assert np.array_equal(counts[v], tw.count(rows).counts(family))
    np.testing.assert_allclose(log, asia.log_probability(rows).sum())


def test_rows_with_different_holes_share_their_parts():
    alarm = tw.load_network("alarm")
    rng = np.random.default_rng(5)
    table = with_holes(alarm.sample(4_000, rng=rng), rng, 0.05)
    assert expectation_of(alarm, table).n_propagations < 1_500


def test_impossible_rows_and_tiny_masses():
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abc"])
    dag = tw.Dag(schema, [("a", "b"), ("a", "c")])
    zero = tw.BayesianNetwork(dag, [[0.5, 0.5], [[1, 0], [1, 0]], [[0.5, 0.5]] * 2])
    columns = EvidenceColumns([None, np.array([1], np.uint8), None], [None] * 3, 1)
    families = list_families(dag)
    assert FamilyExpectation(schema, families, columns).step(zero.tables)[1] == -np.inf
    tiny = [np.array([0.5, 0.5]), np.array([[1, 1e-200], [1, 3e-200]]), np.array([[1, 1e-200], [1, 1e-200]])]
    columns = EvidenceColumns([None, *[np.array([1], np.uint8)] * 2], [None] * 3, 1)
    counts, log = FamilyExpectation(schema, families, columns).step(tiny)
    np.testing.assert_allclose(counts[0], [0.25, 0.75])
    np.testing.assert_allclose(log, np.log(2e-200) + np.log(1e-200))


def test_a_part_that_does_not_fit_is_refused_by_name(monkeypatch):
    names = [f"x{i:02}" for i in range(24)]
    schema = tw.Schema([tw.Variable(name, tuple(range(8))) for name in [*names, "sum"]])
    dag = tw.Dag(schema, [(a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 5]])
    columns = EvidenceColumns([None] * 25, [None] * 25, 1)
    expectation = FamilyExpectation(schema, list_families(dag), columns)
    tables = [np.full([8] * len(family), 1 / 8) for family in list_families(dag)]
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "64KiB")
    with pytest.raises(tw.errors.TableTooLarge, match=r"a table over 'x\d\d', .*: 262,144 bytes, above"):
        expectation.step(tables)
