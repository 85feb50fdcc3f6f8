"""Fitting weights: gradients against differences, matching expectations, the prior's pull."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.undirected.test_log_linear import SCHEMA, random_features
from tests.reference.models.markov import log_likelihood_of_features

import treewright as tw
from treewright.errors import SettingError

ROWS = {"a": [0, 0, 1, 1, 1, 0, 1], "b": [0, 1, 2, 1, 0, 0, 2], "c": [0, 1, 1, 1, 0, 1, 0]}


def random_table(rng, n=60):
    return tw.Table(SCHEMA, [rng.integers(r, size=n).astype(np.uint8) for r in SCHEMA.cardinalities])


@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_the_gradient_is_frequency_less_expectation(seed):
    rng = np.random.default_rng(seed)
    features, table = random_features(SCHEMA, rng, 4), random_table(rng)
    weights = rng.normal(size=4)
    bound = tuple(f.bind(SCHEMA) for f in features)
    frequency = np.array([f.mask(table).mean() for f in bound])
    gradient = frequency - tw.models.LogLinearModel(SCHEMA, features, weights).expectations()
    for i in range(4):
        step = np.zeros(4)
        step[i] = 1e-5
        up, down = (log_likelihood_of_features(SCHEMA, bound, weights + s, table) for s in (step, -step))
        assert gradient[i] == pytest.approx((up - down) / 2e-5, abs=1e-7)


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_a_prior_is_a_penalty_and_the_maximum_is_one(seed):
    rng = np.random.default_rng(seed)
    features, table = random_features(SCHEMA, rng, 4), random_table(rng)
    model = tw.models.fit_weights(SCHEMA, features, tw.count(table), prior=tw.models.WeightPrior(2.0))
    assert model.fitting.converged

    def objective(weights):
        likelihood = tw.models.LogLinearModel(SCHEMA, features, weights).score(table)
        return likelihood - float(weights @ weights) / (2 * 2.0 * table.n_rows)

    best = objective(model.weights)
    for _ in range(4):
        assert objective(model.weights + 0.01 * rng.normal(size=4)) <= best + 1e-12


def test_maximum_likelihood_matches_the_frequencies():
    table = tw.read_table(ROWS, schema=SCHEMA)
    features = [
        tw.Feature({"a": 1}),
        tw.Feature({"b": 0}),
        tw.Feature({"a": 1, "c": 1}),
        tw.Feature({"c": 1}),
    ]
    model = tw.models.fit_weights(SCHEMA, features, tw.count(table), prior=None)
    frequency = [f.mask(table).mean() for f in model.features]
    np.testing.assert_allclose(model.expectations(), frequency, atol=1e-6)
    assert model.fitting.method == "maximum likelihood"


def test_a_saturated_model_is_the_fitted_clique():
    rng = np.random.default_rng(5)
    table = random_table(rng, 300)
    features = [tw.Feature({"a": i, "b": j, "c": k}) for i in (0, 1) for j in (0, 1, 2) for k in (0, 1)]
    model = tw.models.fit_weights(SCHEMA, features, tw.count(table), prior=None)
    exact = tw.fit(tw.UndirectedGraph.complete(SCHEMA), tw.count(table), prior=None)
    assert model.score(table) == pytest.approx(exact.score(table), abs=1e-9)


def test_a_tighter_prior_pulls_weights_towards_zero():
    counter = tw.count(tw.read_table(ROWS, schema=SCHEMA))
    sizes = [
        np.abs(
            tw.models.fit_weights(
                SCHEMA, [tw.Feature({"a": 1, "c": 0})], counter, prior=tw.models.WeightPrior(v)
            ).weights[0]
        )
        for v in (0.01, 1.0, 100.0)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < 0.02


def test_nothing_to_learn_from_leaves_weights_at_zero():
    table = tw.Table(SCHEMA, [np.zeros(0, dtype=np.uint8)] * 3)
    model = tw.models.fit_weights(SCHEMA, [tw.Feature({"a": 1})], tw.count(table))
    assert model.weights.tolist() == [0.0]
    assert tw.models.fit_weights(SCHEMA, [], tw.count(table)).network.query("a")[1] == pytest.approx(0.5)


def test_refusals():
    counter = tw.count(tw.read_table({"a": [0, 0], "b": [0, 1], "c": [0, 1]}, schema=SCHEMA))
    with pytest.raises(SettingError) as error:
        tw.models.fit_weights(SCHEMA, [tw.Feature({"a": 1})], counter, prior=None)
    assert str(error.value) == (
        "the feature a=1 holds in no row, so its maximum-likelihood weight is infinite; leave it out, or "
        "pass prior=WeightPrior()"
    )
    with pytest.raises(SettingError, match="a!=1 holds in every row"):
        tw.models.fit_weights(SCHEMA, [~tw.Feature({"a": 1})], counter, prior=None)
    assert tw.models.fit_weights(SCHEMA, [tw.Feature({"a": 1})], counter).fitting.converged
    with pytest.raises(SettingError, match="positive number; found 0"):
        tw.models.WeightPrior(0)
