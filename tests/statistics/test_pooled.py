"""Counts, moments and tests of several tables."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import SchemaError, SettingError, SingularError
from treewright.learners.separation_trees.pooled_judges import complete_counter
from treewright.statistics.counter import Counter
from treewright.statistics.several.homogeneity import chi_square_of, holm
from treewright.statistics.several.pooled_moments import scale_covariance


def random_databases(seed, sets=("abc", "bcd", "ab", "e")):
    rng = np.random.default_rng(seed)
    tables = [{name: rng.integers(0, 3, 40).tolist() for name in columns} for columns in sets]
    return tables, tw.read_databases(tables)


@given(st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_counts_are_those_of_every_table_that_has_the_columns(seed):
    tables, databases = random_databases(seed)
    counter = tw.statistics.PooledCounter(databases)
    assert isinstance(counter, Counter)
    scopes = ["a", "b", "ab", "bc", "bcd", "ba", "e"]
    for scope, counts in zip(scopes, counter.counts_many([tuple(s) for s in scopes]), strict=True):
        rows = [zip(*(t[v] for v in scope), strict=True) for t in tables if set(scope) <= t.keys()]
        expected = np.zeros(counts.shape, dtype=int)
        for codes in (code for part in rows for code in part):
            expected[tuple(databases.schema[v].code(c) for v, c in zip(scope, codes, strict=True))] += 1
        assert (counts == expected).all()
        assert counter.rows(tuple(scope)) == expected.sum()
        sparse = counter.sparse_counts(tuple(scope))
        assert (expected.ravel()[sparse.codes] == sparse.counts).all()


def test_tests_equal_those_of_the_rows_put_together():
    _, databases = random_databases(3)
    pooled = tw.GTest(tw.statistics.PooledCounter(databases))
    joined = tw.GTest(tw.count(databases.pool((0, 1))))
    assert pooled.test("b", "c") == joined.test("b", "c")
    assert pooled.test("b", "d", ("c",)) == tw.GTest(tw.count(databases.tables[1])).test("b", "d", ("c",))
    chi = tw.ChiSquareTest(tw.statistics.PooledCounter(databases))
    assert chi.test("a", "b") == tw.ChiSquareTest(tw.count(databases.pool((0, 2)))).test("a", "b")
    assert pooled.covers(("a", "b"))
    assert not pooled.covers(("a", "d"))
    assert tw.GTest(tw.count(databases.tables[0])).covers(("a",))


def test_reliability_counts_the_rows_behind_each_test():
    tables = [{"a": [0, 1] * 200, "b": [0, 1] * 200}, {"b": [0, 1], "c": [0, 1]}]
    test = tw.GTest(tw.statistics.PooledCounter(tw.read_databases(tables)))
    assert test.test("a", "b").reliable
    assert not test.test("b", "c").reliable


def test_without_a_completion_nobody_calls_it_independent():
    _, databases = random_databases(0)
    counter = tw.statistics.PooledCounter(databases)
    test = tw.GTest(counter, unreliable="dependent")
    assert not test.independent("a", "d")
    assert test.test("a", "d").p_value == 0
    assert counter.undecided
    with pytest.raises(SchemaError, match="no table has the columns 'a', 'd' together"):
        counter.counts(("a", "d"))
    with pytest.raises(SettingError, match="bic of families that are counted in different tables"):
        tw.BIC(counter).local("a")


def test_the_completion_is_a_distribution_with_the_margins_of_the_tables():
    _, databases = random_databases(1, sets=("ab", "bc", "cd", "da"))
    counter = complete_counter(databases)
    joint = counter.counts(("a", "b", "c", "d"))
    assert joint.sum() == pytest.approx(counter.rows(("a", "b", "c", "d")))
    assert len(counter.model_based) == 0  # counts are not tests
    assert not tw.GTest(counter, alpha=1e-300).independent("a", "c") or counter.model_based
    alone = counter.counts(("a", "c"))
    assert alone.shape == (3, 3)


def test_rows_where_a_feature_holds():
    tables, databases = random_databases(2, sets=("ab", "bc"))
    parts = tw.tables.Databases([table.where(tw.Feature({"b": 1})) for table in databases.tables])
    assert tw.statistics.PooledCounter(parts).counts(("b",))[1] == sum(t["b"].count(1) for t in tables)


def gaussian_tables(seed=0, n=400):
    rng = np.random.default_rng(seed)

    def rows():
        a = rng.normal(size=n)
        b = a + rng.normal(size=n)
        return {"a": a, "b": b, "c": b - rng.normal(size=n)}

    return [{k: v for k, v in rows().items() if k in kept} for kept in ("ab", "bc", "b")]


def test_pooled_moments():
    tables = gaussian_tables()
    databases = tw.read_databases(tables)
    pooled = tw.statistics.PooledMoments(databases)
    everything = np.concatenate([t["b"] for t in tables])
    assert pooled.moments(("b",)).mean[0] == pytest.approx(everything.mean())
    assert pooled.moments(("b",)).n == 1200
    assert pooled.moments(("a", "b")).n == 400
    across = pooled.moments(("a", "c"))
    assert across.n == 400
    cov = pooled.covariance
    a, b, c = 0, 1, 2
    assert cov[a, c] == pytest.approx(cov[a, b] * cov[b, c] / cov[b, b])  # independent given b
    assert cov[b, b] == pytest.approx(everything.var())
    with pytest.raises(SchemaError, match="no table has the columns 'a', 'c' together"):
        tw.statistics.PooledMoments(databases, completed=False).moments(("a", "c"))
    constant = tw.read_databases([{"a": [0.5, 0.5], "b": [0.5, 1.5]}, {"b": [1.5, 2.5], "c": [0.1, 3.5]}])
    with pytest.raises(SingularError, match="cannot be completed: a column is constant or a linear function"):
        tw.statistics.PooledMoments(constant).moments(("a", "c"))


def test_fisher_z_on_pooled_moments():
    databases = tw.read_databases(gaussian_tables())
    test = tw.criteria.PooledFisherZTest(tw.statistics.PooledMoments(databases), alpha=0.01)
    plain = tw.FisherZTest(tw.moments(databases.tables[0]), alpha=0.01)
    assert test.test("a", "b").p_value == plain.test("a", "b").p_value
    assert test.independent("a", "c", given=("b",))
    assert not test.independent("a", "c")
    assert test.model_based == {(0, 2, (1,)), (0, 2, ())}
    undecided = tw.criteria.PooledFisherZTest(tw.statistics.PooledMoments(databases, completed=False))
    assert not undecided.independent("a", "c", given=("b",))
    assert undecided.undecided == {(0, 2, (1,))}


def test_scaling_recovers_a_joint_covariance_from_exact_blocks():
    # example 3 of Xie, Geng & Zhao with weights on its arcs
    arcs = ["12", "13", "23", "14", "24", "15", "35", "46", "56"]
    rng = np.random.default_rng(0)
    weights = np.zeros((6, 6))
    for u, v in arcs:
        weights[int(v) - 1, int(u) - 1] = rng.choice([-1, 1]) * rng.uniform(0.4, 1)
    inverse = np.linalg.inv(np.eye(6) - weights)
    truth = inverse @ inverse.T
    sets = [(0, 1, 2), (0, 1, 3), (0, 2, 4), (3, 4, 5)]
    blocks = [truth[np.ix_(s, s)] for s in sets]
    found, residual = scale_covariance(np.diag(np.diag(truth)), sets, blocks, tolerance=1e-14)
    assert residual < 1e-12
    assert np.abs(found - truth).max() < 1e-10


def test_holm_and_merged_rare_cells():
    assert holm([]).tolist() == []
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0]
    statistic, df = chi_square_of(np.array([[100.0, 100.0], [100.0, 100.0]]))
    assert (statistic, df) == (0.0, 1.0)
    assert chi_square_of(np.array([[3.0, 1.0], [1.0, 3.0]])) == (0.0, 0.0)  # too few rows to say anything


def test_homogeneity_holds_its_level_and_finds_differences():
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(60):
        tables = [{"x": rng.integers(0, 3, 200), "y": rng.integers(0, 2, 200)} for _ in range(3)]
        rejected += not tw.statistics.check_homogeneity(tw.read_databases(tables), alpha=0.05).is_homogeneous
    assert rejected <= 8
    # same margins, another dependence
    x = rng.integers(0, 2, 500)
    tables = [{"x": x, "y": x}, {"x": x, "y": rng.integers(0, 2, 500)}]
    found = tw.statistics.check_homogeneity(tw.read_databases(tables))
    assert [test.columns for test in found.rejected] == [("x", "y")]


@pytest.mark.parametrize("n_rows", [20, 100, 2_000])
def test_states_that_only_a_small_table_has_are_a_difference(n_rows):
    known = {"smoke": ["yes", "no"] * 500, "x": ["u", "v"] * 500}
    other = {"smoke": ["ja", "nein"] * (n_rows // 2), "y": ["p", "q"] * (n_rows // 2)}
    found = tw.statistics.check_homogeneity(tw.read_databases([known, other]))
    assert not found.is_homogeneous


@given(st.lists(st.lists(st.integers(0, 40), min_size=4, max_size=4), min_size=2, max_size=4))
def test_no_counts_are_beyond_comparison(cells):
    statistic, df = chi_square_of(np.array(cells, dtype=np.float64))
    assert np.isfinite(statistic)
    assert statistic >= 0
    assert df >= 0


def test_homogeneity_of_continuous_tables():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    same = [{"x": rng.normal(size=300), "y": rng.normal(size=300)} for _ in range(2)]
    assert tw.statistics.check_homogeneity(tw.read_databases(same)).is_homogeneous
    other = [same[0], {"x": x + 1, "y": x}, {"x": 3 * rng.normal(size=300), "y": rng.normal(size=300)}]
    found = tw.statistics.check_homogeneity(tw.read_databases(other))
    assert {test.about for test in found.rejected} == {"mean", "variance", "correlation"}
    with pytest.raises(SettingError, match="alpha must lie between 0 and 1"):
        tw.statistics.check_homogeneity(tw.read_databases(same), alpha=2)


@pytest.mark.parametrize("continuous", [False, True])
def test_homogeneity_does_not_depend_on_the_order_of_tables(continuous):
    rng = np.random.default_rng(0)
    x = [rng.normal(size=n) for n in (31, 57, 43, 101)]
    tables = [{"x": one if continuous else (one * 2).astype(int).clip(-2, 2)} for one in x]
    found = [
        tw.statistics.check_homogeneity(tw.read_databases(order)).tests for order in permutations(tables)
    ]
    assert {tuple((t.about, t.statistic, t.p_value) for t in tests) for tests in found} == {
        tuple((t.about, t.statistic, t.p_value) for t in found[0])
    }
