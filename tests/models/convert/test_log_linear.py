"""Feature graphs as log-linear models: the same distribution, in as few cases as the contexts need."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.convert.test_features import wide
from tests.models.features.random_features import RandomFeatures, random_features
from tests.models.features.test_feature_network import worked_graph, worked_rows
from tests.reference.models.feature_graphs import joint_table

import treewright as tw
from treewright.errors import NoExactAnswer, TableTooLarge
from treewright.learners import MarkovSettings
from treewright.models.convert import log_linear
from treewright.models.undirected.log_linear import indicator

seeds = st.integers(0, 10**6)
LOG_LINEAR = ("table", "tree", "split", "feature", "and")


def summed_weights(model):
    """Of each row: the weights of the features that hold in it, one by one."""
    schema, logs = model.schema, []
    for row in itertools.product(*map(range, schema.cardinalities)):
        total = 0.0
        for feature, weight in zip(model.features, model.weights.tolist(), strict=True):
            holds = all(row[v] == a for v, a in feature.literals) and all(
                row[v] != a for v, a in feature.excluded
            )
            total += weight if holds != feature.negated else 0.0
        logs.append(total)
    return np.array(logs)


@pytest.mark.slow
@settings(max_examples=60)
@given(seeds, st.booleans())
def test_the_weights_of_a_row_are_its_log_probability(seed, pushed):
    graph = random_features(seed, LOG_LINEAR)
    model = tw.FeatureNetwork(graph).to_log_linear(pushed=pushed)
    np.testing.assert_allclose(np.exp(summed_weights(model)), joint_table(graph).ravel(), atol=1e-12)


@pytest.mark.slow
@settings(max_examples=30)
@given(seeds)
def test_a_log_linear_model_is_the_same_distribution(seed):
    graph = random_features(seed, LOG_LINEAR)
    model = tw.FeatureNetwork(graph).to_log_linear()
    assert model.log_partition == pytest.approx(0, abs=1e-9)
    shape = graph.schema.cardinalities
    rows = tw.Table(graph.schema, [a.ravel().astype(np.uint8) for a in np.indices(shape)])
    np.testing.assert_allclose(np.exp(model.log_probability(rows)), joint_table(graph).ravel(), atol=1e-10)


def test_worked_example_has_24_features():
    fitted = tw.fit(worked_graph(), tw.count(worked_rows()), prior=None)
    model = fitted.to_log_linear()
    assert len(model.features) == 24
    assert np.isneginf(model.weights).sum() == 2 + 4 + 2
    np.testing.assert_allclose(np.exp(summed_weights(model)), joint_table(fitted.graph).ravel(), atol=1e-12)
    pushed = fitted.to_log_linear(pushed=True)
    assert len(pushed.features) == 22  # the two weights of the split went into the first tables


def summed_by_cells(model):
    """As `summed_weights`, feature after feature in one step for all rows."""
    shape = model.schema.cardinalities
    scope, logs = tuple(range(len(shape))), np.zeros(math.prod(shape))
    for feature, weight in zip(model.features, model.weights.tolist(), strict=True):
        logs[indicator(feature, scope, shape)] += weight
    return logs


def deep_chain(n, length, depth, seed):
    """A chain of conjunctions that do not hold, each decided only by the joint table at its end."""
    rng = np.random.default_rng(seed)
    builder = tw.graphs.FeatureGraphBuilder(
        tw.Schema([tw.Variable(f"x{v}", tuple(range(2 + v % 2))) for v in range(n)])
    )
    cards = builder.schema.cardinalities
    allowed, asked = np.ones(cards, dtype=bool), []
    for _ in range(depth):
        literals = {int(v): int(rng.integers(cards[v])) for v in rng.choice(n, length, replace=False)}
        where = tuple(literals.get(v, slice(None)) for v in range(n))
        left = allowed.copy()
        left[where] = False
        if left.any() and allowed[where].any():
            asked.append((literals, allowed[where]))
            allowed = left
    cells = rng.standard_exponential(cards) * allowed
    node = builder.table(range(n), cells / cells.sum())
    for literals, possible in reversed(asked):
        inner = rng.standard_exponential(possible.shape) * possible
        holds = builder.table([v for v in range(n) if v not in literals], inner / inner.sum())
        named = {f"x{v}": a for v, a in literals.items()}
        node = builder.feature(named, float(rng.uniform(0.1, 0.9)), holds, node)
    return builder.graph(node)


@settings(max_examples=10, deadline=None)
@given(seeds, st.booleans())
def test_deeper_graphs_are_the_same_distribution(seed, pushed):
    drawn = RandomFeatures(seed, ("feature", "feature", "tree", "split", "and"), n=6)
    graph = drawn.builder.graph(drawn.node(list(range(6)), 8))
    model = tw.FeatureNetwork(graph).to_log_linear(pushed=pushed)
    np.testing.assert_allclose(np.exp(summed_by_cells(model)), joint_table(graph).ravel(), atol=1e-12)


@settings(max_examples=6, deadline=None)
@given(seeds, st.sampled_from([2, 3]))
def test_a_long_chain_of_false_conjunctions_does_not_multiply(seed, length):
    """Cases made on the way down would be 2^30 and 3^30."""
    graph = deep_chain(6, length, 30, seed)
    model = tw.FeatureNetwork(graph).to_log_linear()
    np.testing.assert_allclose(np.exp(summed_by_cells(model)), joint_table(graph).ravel(), atol=1e-12)
    # cases exclude each other, so a parameter has at most one for each joint state
    parameters = sum(len(graph.numbers_of(node)) for node in range(graph.n_nodes))
    assert len(model.features) <= parameters * math.prod(graph.schema.cardinalities)


@pytest.mark.parametrize("length", [2, 3])
def test_learned_conjunctions_of_seven_variables(length):
    rng = np.random.default_rng(length)
    codes = rng.integers(0, 2, size=(4000, 7))
    codes[:, 3] ^= codes[:, 0] & codes[:, 1]
    codes[:, 5] = np.where(codes[:, 2] & codes[:, 3], codes[:, 4], codes[:, 5])
    table = tw.read_table({f"x{v}": column.tolist() for v, column in enumerate(codes.T)})
    deep = MarkovSettings(feature_length=length, min_variables=2, delta=0.0005, min_rows=20, smoothing=1.0)
    graph = tw.learn_efficient_markov(tw.count(table), settings=deep).structure
    assert graph.kinds()["feature"] > 20
    model = tw.FeatureNetwork(graph).to_log_linear()
    np.testing.assert_allclose(np.exp(summed_by_cells(model)), joint_table(graph).ravel(), atol=1e-12)


def test_cases_of_a_context_exclude_each_other_and_leave_nothing_out():
    """Against all joint states: three false conjunctions, two of which share a variable."""
    false = (((0, 1), (1, 2)), ((1, 2), (2, 0)), ((3, 1), (2, 1), (0, 0)))
    cards = (2, 3, 2, 2)
    context = log_linear.Context({v: (1 << r) - 1 for v, r in enumerate(cards)}, false)
    listed = list(context.cases())
    for row in itertools.product(*map(range, cards)):
        holds = [all(states[v] >> a & 1 for v, a in enumerate(row)) for states in listed]
        assert sum(holds) == all(any(row[v] != a for v, a in one) for one in false)
    assert context.narrowed([(0, 1), (1, 2)]) is None
    assert context.narrowed([(1, 2)]).states == {0: 0b01, 1: 0b100, 2: 0b10, 3: 0b01}


def test_what_is_no_log_linear_model_is_refused(monkeypatch):
    with pytest.raises(NoExactAnswer, match="only deterministic graphs are"):
        tw.FeatureNetwork(wide()).to_log_linear()
    builder = tw.graphs.FeatureGraphBuilder(tw.Schema([tw.Variable("a", (0, 1))]))
    rows = tw.FeatureNetwork(builder.graph(builder.rows("a", [[1]], [1.0])))
    with pytest.raises(NoExactAnswer, match="stored rows forbid everything else"):
        rows.to_log_linear()
    monkeypatch.setattr(log_linear, "MOST_FEATURES", 10)
    with pytest.raises(TableTooLarge, match="more than 10 parameters in context"):
        tw.FeatureNetwork(worked_graph()).to_log_linear()
