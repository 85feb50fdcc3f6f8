"""Fitting lines: least squares, recovery, shards, the score, floors, redundant parents and priors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models import normal as slow

import treewright as tw
from treewright.errors import SchemaError, SettingError
from treewright.models import fit_gaussian
from treewright.statistics import Moments


def schema_of(*names):
    return tw.Schema([tw.Variable(name) for name in names])


def family_of(model, rows, v):
    """Intercept, coefficients and variance of one regression by numpy."""
    parents = model.dag.parents(v)
    design = np.column_stack([np.ones(len(rows)), rows[:, list(parents)]])
    found, *_ = np.linalg.lstsq(design, rows[:, v], rcond=None)
    return found, float(np.mean((rows[:, v] - design @ found) ** 2))


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(1, 7), st.integers(0, 10**6))
def test_it_is_least_squares(n, seed):
    truth = slow.random_network(n, seed)
    table = truth.sample(200, rng=np.random.default_rng(seed))
    model = tw.fit(truth.dag, tw.moments(table))
    rows = np.column_stack(table.columns)
    for v in range(n):
        found, variance = family_of(model, rows, v)
        mine = [model.intercept(v), *model.coefficients(v).values()]
        assert np.allclose(mine, found, rtol=1e-6, atol=1e-6 * (1 + np.abs(found).max()))
        assert model.variance(v) == pytest.approx(variance, rel=1e-6)


def test_large_samples_give_the_parameters_back():
    truth = slow.random_network(6, 3, spread=0.5)
    model = tw.fit(truth.dag, tw.moments(truth.sample(200_000, rng=np.random.default_rng(0))))
    assert np.allclose(model.intercepts, truth.intercepts, atol=0.05)
    assert np.allclose(model.variances, truth.variances, rtol=0.02)
    for v in range(6):
        assert model.coefficients(v) == pytest.approx(truth.coefficients(v), abs=0.02)


@pytest.mark.parametrize("seed", range(6))
def test_the_score_is_the_likelihood_less_the_penalty(seed):
    truth = slow.random_network(7, seed)
    table = truth.sample(500, rng=np.random.default_rng(seed))
    moments = tw.moments(table)
    model = tw.fit(truth.dag, moments)
    likelihood = float(model.log_probability(table).sum())
    penalty = 0.5 * math.log(500) * model.n_parameters
    assert tw.GaussianBIC(moments).score(truth.dag) == pytest.approx(likelihood - penalty, rel=1e-9)
    assert model.score(table) >= truth.score(table)


def test_shards_give_the_same_bits():
    truth = slow.random_network(5, 1)
    table = truth.sample(3 * 4096 + 17, rng=np.random.default_rng(2))
    shards = [table.take(slice(start, start + 4096)) for start in range(0, table.n_rows, 4096)]
    whole = tw.fit(truth.dag, tw.moments(table))
    assert tw.fit(truth.dag, Moments.merged(tw.moments(shard) for shard in shards)) == whole


def test_the_order_of_columns_does_not_matter():
    truth = slow.random_network(6, 8)
    table = truth.sample(300, rng=np.random.default_rng(4))
    other = table.reordered(table.schema.names[::-1])
    one = tw.fit(truth.dag, tw.moments(table))
    two = tw.fit(tw.Dag(other.schema, truth.dag.edges()), tw.moments(other))
    for name in table.schema.names:
        assert one.intercept(name) == two.intercept(name)
        assert one.coefficients(name) == two.coefficients(name)
        assert one.variance(name) == two.variance(name)
    # moments may have more columns, and in another order, than the structure
    assert tw.fit(truth.dag, tw.moments(other)) == one


def test_an_offset_costs_no_digits():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = 2 * x + rng.normal(size=500) * 0.1
    schema = schema_of("x", "y")
    line = tw.Dag(schema, [("x", "y")])
    near = tw.fit(line, tw.moments(tw.Table(schema, [x, y])))
    far = tw.fit(line, tw.moments(tw.Table(schema, [x + 1e8, y])))
    assert far.coefficients("y")["x"] == pytest.approx(near.coefficients("y")["x"], rel=1e-7)
    assert far.variance("y") == pytest.approx(near.variance("y"), rel=1e-6)


def test_a_determined_child_has_the_floor_and_says_so():
    rng = np.random.default_rng(1)
    x = rng.normal(size=100) * 3
    schema = schema_of("x", "y", "c")
    table = tw.Table(schema, [x, 2 * x + 1, np.full(100, 7.0)])
    moments = tw.moments(table)
    dag = tw.Dag(schema, [("x", "y")])
    model = tw.fit(dag, moments)
    assert model.floored == ("c", "y")
    assert model.variance("y") == pytest.approx(1e-12 * np.var(2 * x))
    assert model.variance("c") == 1e-12
    assert model.intercept("c") == 7.0
    assert model.coefficients("y")["x"] == pytest.approx(2)
    assert tw.fit(tw.Dag(schema), moments).floored == ("c",)
    # the same floor as in the score
    terms = -50 * (np.log(2 * np.pi * model.variances) + 1) - math.log(100) / 2 * np.array([2, 3, 2])
    assert tw.GaussianBIC(moments).score(dag) == pytest.approx(terms.sum(), rel=1e-9)


def test_redundant_parents_have_no_coefficient_and_are_named():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 300))
    y = a - b + rng.normal(size=300)
    schema = schema_of("a", "b", "k", "sum", "y")
    table = tw.Table(schema, [a, b, np.full(300, 2.0), a + b, y])
    dag = tw.Dag(schema, [(name, "y") for name in ("a", "b", "k", "sum")])
    model = tw.fit(dag, tw.moments(table))
    assert model.redundant == {"y": ("k", "sum")}
    assert model.coefficients("y")["sum"] == model.coefficients("y")["k"] == 0
    plain = tw.fit(tw.Dag(schema, [("a", "y"), ("b", "y")]), tw.moments(table))
    assert model.variance("y") == pytest.approx(plain.variance("y"))
    assert (
        model.redundant == tw.models.formats.twm.from_bytes(tw.models.formats.twm.to_bytes(model)).redundant
    )


def test_a_prior_is_rows_that_were_imagined():
    rng = np.random.default_rng(3)
    schema = schema_of("x", "y")
    line = tw.Dag(schema, [("x", "y")])
    x = rng.normal(size=20)
    data = tw.Table(schema, [x, 3 * x + rng.normal(size=20)])
    moments = tw.moments(data)
    weak, strong = (tw.fit(line, moments, prior=tw.models.GaussianPrior(rows)) for rows in (1e-9, 1e9))
    plain = tw.fit(line, moments)
    assert weak.coefficients("y")["x"] == pytest.approx(plain.coefficients("y")["x"])
    assert strong.coefficients("y")["x"] == pytest.approx(0, abs=1e-6)
    assert strong.variance("y") == pytest.approx(np.var(data.column("y")))
    # ridge by hand: 4 rows of variance 2 and 5 around (1, -1)
    prior = tw.models.GaussianPrior(4.0, mean={"x": 1.0, "y": -1.0}, deviation={"x": 2**0.5, "y": 5**0.5})
    model = tw.fit(line, moments, prior=prior)
    gap = np.array([x.mean() - 1, data.column("y").mean() + 1])
    scatter = moments.scatter + np.diag([8.0, 20.0]) + 20 * 4 / 24 * np.outer(gap, gap)
    slope = scatter[0, 1] / scatter[0, 0]
    assert model.coefficients("y")["x"] == pytest.approx(slope)
    assert model.variance("y") == pytest.approx((scatter[1, 1] - slope * scatter[0, 1]) / 24)
    mean = (20 * np.array([x.mean(), data.column("y").mean()]) + 4 * np.array([1, -1])) / 24
    assert model.intercept("y") == pytest.approx(mean[1] - slope * mean[0])
    # a prior alone is a model
    none = Moments.of_block(schema, [])
    assert tw.fit(line, none, prior=prior).variance("x") == pytest.approx(2)


def test_refusals():
    schema = schema_of("x", "y")
    dag = tw.Dag(schema, [("x", "y")])
    moments = Moments.of_block(schema, [[0.0, 1.0], [1.0, 2.5]])
    with pytest.raises(
        SchemaError, match="a Gaussian network is fitted to one row at least; the moments have none"
    ):
        tw.fit(dag, Moments.of_block(schema, []))
    with pytest.raises(SchemaError, match="there are no rows to take a prior's mean and deviation from"):
        tw.fit(dag, Moments.of_block(schema, []), prior=tw.models.GaussianPrior())
    with pytest.raises(
        SchemaError, match="the structure has a variable 'z' that the moments lack; they have 'x', 'y'"
    ):
        tw.fit(tw.Dag(schema_of("x", "z")), moments)
    with pytest.raises(
        SchemaError, match="a Dirichlet prior goes with counts; moments are fitted with a GaussianPrior"
    ):
        tw.fit(dag, moments, prior=tw.Dirichlet(1.0))
    counter = tw.count(tw.read_table({"a": [0, 1, 0, 1]}))
    with pytest.raises(
        SchemaError, match="a GaussianPrior goes with moments; counts are fitted with a Dirichlet"
    ):
        tw.fit(tw.Dag(counter.schema), counter, prior=tw.models.GaussianPrior())
    with pytest.raises(
        SettingError, match="imagined rows of a Gaussian prior are a positive number; found 0"
    ):
        tw.models.GaussianPrior(0)
    with pytest.raises(SettingError, match="a deviation is not negative; that of 'y' is"):
        tw.fit(dag, moments, prior=tw.models.GaussianPrior(1.0, deviation={"x": 1, "y": -1}))
    with pytest.raises(SchemaError, match="an undirected graph is fitted to counts of discrete variables"):
        tw.fit(dag.skeleton(), moments)
    with pytest.raises(SchemaError, match="a Gaussian network has continuous variables; discrete: 'a'"):
        fit_gaussian(tw.Dag(counter.schema), moments)


def test_one_row_has_no_variance():
    schema = schema_of("x")
    model = tw.fit(tw.Dag(schema), Moments.of_block(schema, [[3.0]]))
    assert model.floored == ("x",)
    assert model.intercept("x") == 3.0
