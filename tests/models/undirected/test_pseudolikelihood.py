"""Pseudo-likelihood: against its definition row by row, and against the likelihood."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.undirected.test_log_linear import SCHEMA, random_features
from tests.models.undirected.test_weight_fitting import random_table

import treewright as tw


def log_pseudolikelihood(features, weights, table):
    """Mean over rows of the sum over variables of log P(state | all others), from the full joint table."""
    joint = tw.models.LogLinearModel(SCHEMA, features, weights).network.joint(range(len(SCHEMA)))
    total = 0.0
    for row in zip(*(np.asarray(column).tolist() for column in table.columns), strict=True):
        for v in range(len(SCHEMA)):
            states = joint[tuple(slice(None) if u == v else code for u, code in enumerate(row))]
            total += np.log(joint[row] / states.sum())
    return total / table.n_rows


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_the_maximum_of_the_definition_is_found(seed):
    rng = np.random.default_rng(seed)
    features, table = random_features(SCHEMA, rng, 4), random_table(rng, 40)
    model = tw.models.fit_pseudolikelihood(
        SCHEMA, features, tw.count(table), prior=tw.models.WeightPrior(3.0)
    )
    assert model.fitting.converged
    assert model.fitting.method == "pseudo-likelihood"

    def objective(weights):
        penalty = float(weights @ weights) / (2 * 3.0 * table.n_rows)
        return log_pseudolikelihood(features, weights, table) - penalty

    best = objective(model.weights)
    for i in range(4):
        for step in (-1e-3, 1e-3):
            moved = model.weights.copy()
            moved[i] += step
            assert objective(moved) <= best + 1e-12


def test_it_agrees_with_the_likelihood_where_that_is_saturated():
    table = random_table(np.random.default_rng(5), 400)
    features = [tw.Feature({"a": i, "b": j, "c": k}) for i in (0, 1) for j in (0, 1, 2) for k in (0, 1)]
    exact = tw.models.fit_weights(SCHEMA, features, tw.count(table), prior=None)
    quick = tw.models.fit_pseudolikelihood(SCHEMA, features, tw.count(table), prior=None)
    np.testing.assert_allclose(quick.network.marginals().cells, exact.network.marginals().cells, atol=1e-5)


@pytest.mark.slow
def test_weights_of_a_grid_without_a_junction_tree_are_recovered():
    side = 12
    schema = tw.Schema([tw.Variable(f"v{i:03}", (0, 1)) for i in range(side * side)])
    pairs = [(i, i + 1) for i in range(side * side - 1) if i % side < side - 1]
    pairs += [(i, i + side) for i in range(side * (side - 1))]
    features = [tw.Feature({schema.names[u]: 1, schema.names[v]: 1}) for u, v in pairs]
    truth = tw.models.LogLinearModel(schema, features, np.full(len(pairs), -0.5))
    rows = tw.models.sample_gibbs(
        truth.network, 2_000, rng=np.random.default_rng(1), burn_in=50, chains=2
    ).table
    model = tw.models.fit_pseudolikelihood(schema, features, tw.count(rows), tolerance=1e-5)
    assert model.fitting.converged
    assert np.abs(model.weights + 0.5).mean() < 0.1


def test_nothing_to_learn_from():
    table = tw.Table(SCHEMA, [np.zeros(0, dtype=np.uint8)] * 3)
    assert tw.models.fit_pseudolikelihood(
        SCHEMA, [tw.Feature({"a": 1})], tw.count(table)
    ).weights.tolist() == [0.0]
    full = tw.count(random_table(np.random.default_rng(1)))
    assert tw.models.fit_pseudolikelihood(SCHEMA, [tw.Feature()], full).weights.tolist() == [0.0]


def test_the_order_of_columns_does_not_matter():
    table = random_table(np.random.default_rng(3))
    features = [tw.Feature({"a": 1, "b": 2}), tw.Feature({"c": 1})]
    turned = table.reordered(table.schema.names[::-1])
    one, other = (tw.models.fit_pseudolikelihood(SCHEMA, features, tw.count(t)) for t in (table, turned))
    assert one.weights == pytest.approx(other.weights, abs=1e-12)
