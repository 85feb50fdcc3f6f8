"""Distributions of columns that no table has together."""

from __future__ import annotations

import numpy as np
import pytest
from tests.learners.separation_trees.database_examples import (
    EXAMPLE_2,
    EXAMPLE_3,
    exact_table,
    family_tables,
    random_model,
)

import treewright as tw
from treewright.errors import TableTooLarge
from treewright.graphs.undirected.collapse import collapsed_scope
from treewright.inference.completion import CompletedJoint
from treewright.learners.separation_trees.pooled_judges import complete_counter


def completed(model, sets):
    databases = tw.tables.Databases([exact_table(model, columns) for columns in sets])
    counted = tw.statistics.PooledCounter(databases)
    return databases, CompletedJoint(databases.schema, databases.hyperedge_scopes, counted.counts_many)


@pytest.mark.parametrize(("arcs", "sets"), [EXAMPLE_2, EXAMPLE_3])
def test_exact_margins_of_families_determine_the_joint(arcs, sets):
    names = sorted({name for arc in arcs for name in arc})
    model = random_model(arcs, names, np.random.default_rng(0), cardinality=3)
    databases, joint = completed(model, sets)
    everything = exact_table(model, names).weights.reshape([3] * len(names))
    assert np.abs(joint.margin(tuple(range(len(names)))) - everything).max() < 1e-9
    assert joint.residual < 1e-9
    pair = joint.margin((databases.schema.index("3"), databases.schema.index("2")))
    assert np.abs(pair - exact_table(model, "32").weights.reshape(3, 3)).max() < 1e-9


def test_example_2_has_no_information_between_2_and_3_given_1():
    model = random_model(*((EXAMPLE_2[0], "123")), np.random.default_rng(5))
    counter = complete_counter(tw.tables.Databases([exact_table(model, s, 1e6) for s in EXAMPLE_2[1]]))
    assert tw.mutual_information(counter, "2", "3") > 1e-4
    assert tw.GTest(counter).test("2", "3", ("1",)).statistic < 1e-6
    assert counter.model_based == {(1, 2, (0,))}


def test_random_family_tables_recover_the_joint():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        dag = tw.networks.random_dag(5, n_arcs=6, rng=rng)
        model = random_model(dag.edges(), dag.schema.names, rng)
        _, joint = completed(model, family_tables(dag, rng))
        everything = exact_table(model, sorted(dag.schema.names)).weights.reshape([2] * 5)
        assert np.abs(joint.margin(tuple(range(5))) - everything).max() < 1e-8


def test_moral_edges_without_families_are_not_enough():
    arcs = [("1", "2"), ("1", "3"), ("2", "4"), ("3", "4")]
    model = random_model(arcs, "1234", np.random.default_rng(3))
    _, joint = completed(model, ["12", "13", "23", "24", "34"])
    everything = exact_table(model, "1234").weights.reshape([2] * 4)
    assert np.abs(joint.margin((0, 1, 2, 3)) - everything).max() > 1e-4


def test_columns_that_say_nothing_are_left_out():
    wide = [tuple(range(30)), tuple(range(28, 60))]
    assert collapsed_scope(60, wide, (0, 1)) == (0, 1)
    assert collapsed_scope(60, wide, (0, 59)) == (0, 28, 29, 59)
    ring = [(0, 1), (1, 2), (2, 3), (0, 3)]
    assert collapsed_scope(4, ring, (0, 2)) == (0, 1, 2, 3)


def test_wide_tables_are_completed_across_what_they_share():
    rng = np.random.default_rng(0)
    names = [f"v{i:02d}" for i in range(40)]
    z = rng.integers(0, 2, (2, 500))
    tables = []
    for part, columns in enumerate((names[:21], names[20:])):
        tables.append({name: (z[part] ^ (rng.random(500) < 0.1)).tolist() for name in columns})
    counter = complete_counter(tw.read_databases(tables))
    across = counter.counts(("v00", "v39"))  # 2^39 cells if nothing were left out
    assert across.sum() == pytest.approx(500)


def test_states_that_one_table_never_saw():
    first = {"a": [0, 1] * 30, "s": ["x", "y"] * 30}
    second = {"s": ["x", "y", "z"] * 20, "b": [0, 1, 1] * 20}
    counter = complete_counter(tw.read_databases([first, second]))
    cells = counter.counts(("a", "b"))
    assert np.isfinite(cells).all()
    assert cells.sum() == pytest.approx(60)


def test_what_is_too_large_is_refused_before_it_is_made():
    ring = [f"v{i}" for i in range(6)]
    tables = [{ring[i]: list(range(40)), ring[i - 1]: list(range(40))} for i in range(6)]
    schema = tw.Schema([tw.Variable(name, tuple(range(40))) for name in ring])
    counter = complete_counter(tw.read_databases(tables, schema=schema))
    tw.set_memory_limit("100KiB")
    try:
        with pytest.raises(TableTooLarge, match="no table has 'v0', 'v3' together, and completing"):
            counter.counts(("v0", "v3"))
    finally:
        tw.set_memory_limit(None)


def pairs(**counts):
    """A joint of a, b, c from counts of scopes."""
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abc"])
    lookup = {tuple("abc".index(v) for v in scope): np.array(c, float) for scope, c in counts.items()}
    return schema, lambda scopes: [lookup[tuple(scope)] for scope in scopes]


def test_scopes_may_come_in_any_order():
    schema, counts = pairs(ab=[[3, 1], [1, 3]], ac=[[2, 2], [0, 4]], a=[4, 4])
    one, other = (CompletedJoint(schema, scopes, counts) for scopes in ([(0, 1), (0, 2)], [(1, 0), (2, 0)]))
    assert np.array_equal(one.margin((1, 2)), other.margin((1, 2)))
    assert np.array_equal(one.margin((2, 1)), one.margin((1, 2)).T)


def test_states_that_one_table_never_saw_are_spread_evenly():
    # the table of b has no row with a=1; that of c says that half of all rows have it
    schema, counts = pairs(ab=[[6, 2], [0, 0]], ac=[[1, 3], [3, 1]], a=[12, 4])
    joint = CompletedJoint(schema, [(0, 1), (0, 2)], counts)
    np.testing.assert_allclose(joint.margin((0,)), [0.75, 0.25], atol=1e-9)
    spread = joint.margin((0, 1, 2)).sum(axis=2)
    np.testing.assert_allclose(spread, [[0.5625, 0.1875], [0.125, 0.125]], atol=1e-9)


def test_no_rows_are_an_even_distribution():
    schema, counts = pairs(ab=[[0, 0], [0, 0]], c=[0, 0])
    joint = CompletedJoint(schema, [(0, 1), (2,)], counts)
    np.testing.assert_allclose(joint.margin((0, 1, 2)), np.full((2, 2, 2), 0.125))
    assert joint.residual < 1e-9


def test_tables_that_contradict_each_other_say_by_how_much():
    schema, counts = pairs(
        ab=[[9, 1], [1, 9]], bc=[[9, 1], [1, 9]], ac=[[1, 9], [9, 1]], a=[1, 1], b=[1, 1], c=[1, 1]
    )
    joint = CompletedJoint(schema, [(0, 1), (1, 2), (0, 2)], counts)
    joint.margin((0, 1, 2))
    assert joint.residual > 0.05
    schema, counts = pairs(ab=[[9, 1], [1, 9]], bc=[[9, 1], [1, 9]], b=[10, 10])
    agreeing = CompletedJoint(schema, [(0, 1), (1, 2)], counts)
    agreeing.margin((0, 1, 2))
    assert agreeing.residual < 1e-9
