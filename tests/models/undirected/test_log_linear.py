"""Log-linear models: weights as factors, expectations, and extremes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models.markov import distribution, log_likelihood_of_features

import treewright as tw
from treewright.errors import SchemaError
from treewright.tables.features import Literal

SCHEMA = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1, 2)), tw.Variable("c", (0, 1))])


def random_features(schema, rng, n):
    """Conjunctions of up to three literals, some negative, some as a whole negated."""
    features = []
    for _ in range(n):
        scope = rng.permutation(len(schema))[: rng.integers(0, 4)]
        literals = [
            Literal(
                schema.names[v],
                schema[int(v)].states[rng.integers(schema.cardinalities[v])],
                rng.random() < 0.7,
            )
            for v in scope
        ]
        features.append(tw.Feature(literals, negated=bool(rng.random() < 0.3)))
    return features


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_likelihood_and_expectations_agree_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    features = random_features(SCHEMA, rng, int(rng.integers(0, 6)))
    model = tw.models.LogLinearModel(SCHEMA, features, rng.normal(size=len(features)) * 3)
    table = tw.Table(SCHEMA, [rng.integers(r, size=20).astype(np.uint8) for r in SCHEMA.cardinalities])
    slow = log_likelihood_of_features(SCHEMA, model.features, model.weights, table)
    assert model.score(table) == pytest.approx(slow, abs=1e-9)
    joint = distribution(model.network)
    everything = list(itertools.product(*(range(r) for r in SCHEMA.cardinalities)))
    rows = tw.Table(SCHEMA, [np.array(column, dtype=np.uint8) for column in zip(*everything, strict=True)])
    expected = [float(joint.ravel() @ feature.mask(rows)) for feature in model.features]
    np.testing.assert_allclose(model.expectations(), expected, atol=1e-9)
    energies = np.zeros(len(everything)) + sum(
        (w * f.mask(rows) for f, w in zip(model.features, model.weights, strict=True)),
        np.zeros(len(everything)),
    )
    assert model.log_partition == pytest.approx(float(np.logaddexp.reduce(energies)), abs=1e-9)
    assert tw.MarkovNetwork.from_features(SCHEMA, features, model.weights) == model.network


def test_features_inside_others_share_a_factor():
    features = [tw.Feature({"a": 1}), tw.Feature({"a": 1, "b": 2}), tw.Feature({"c": 1})]
    model = tw.models.LogLinearModel(SCHEMA, features, [1.0, 2.0, 3.0])
    assert [f.scope for f in model.network.factors] == [(0, 1), (2,)]
    np.testing.assert_allclose(
        np.log(model.network.factors[0].table), [[-3, -3, -3], [-2, -2, 0]], atol=1e-12
    )


def test_huge_weights_neither_overflow_nor_vanish():
    features = [
        tw.Feature({"a": 1}),
        tw.Feature({"a": 1, "b": 0}),
        tw.Feature({"b": 0, "c": 1}, negated=True),
    ]
    model = tw.models.LogLinearModel(SCHEMA, features, [900.0, -900.0, 5000.0])
    # the best states: a=1 and b=1 or 2 (either c), worth 5900; four of them
    assert model.log_partition == pytest.approx(5900 + math.log(4))
    assert model.expectations().round(9).tolist() == [1.0, 0.0, 1.0]


def test_refusals():
    with pytest.raises(SchemaError, match="one weight; found 1 features and 2 weights"):
        tw.models.LogLinearModel(SCHEMA, [tw.Feature({"a": 1})], [1, 2])
    with pytest.raises(SchemaError, match="weights are finite numbers; that of a=1 is inf"):
        tw.models.LogLinearModel(SCHEMA, [tw.Feature({"a": 1})], [math.inf])
    with pytest.raises(SchemaError, match="there is no variable 'z'"):
        tw.models.LogLinearModel(SCHEMA, [tw.Feature({"z": 1})], [1.0])
