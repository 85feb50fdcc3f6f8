"""Feature graphs as log-linear models, junction trees, written-out mixtures and drawings."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import EVERYTHING, random_features
from tests.models.features.test_feature_network import worked_graph, worked_rows
from tests.reference.models.feature_graphs import joint_table

import treewright as tw
from treewright.errors import NoExactAnswer, TableTooLarge, TreewidthError
from treewright.models.convert import features

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


@pytest.mark.slow
@settings(max_examples=40)
@given(seeds)
def test_the_junction_tree_has_the_same_marginals(seed):
    graph = random_features(seed, EVERYTHING)
    model = tw.FeatureNetwork(graph)
    network = model.to_markov_network()
    assert network.log_partition == pytest.approx(0, abs=1e-9)
    ours, theirs = model.marginals(), network.marginals()
    np.testing.assert_allclose(ours.cells, theirs.cells, atol=1e-10)
    shape = graph.schema.cardinalities
    rows = tw.Table(graph.schema, [a.ravel().astype(np.uint8) for a in np.indices(shape)])
    np.testing.assert_allclose(np.exp(network.log_probability(rows)), joint_table(graph).ravel(), atol=1e-10)


@pytest.mark.slow
@settings(max_examples=40)
@given(seeds)
def test_hidden_trees_written_out_are_the_same(seed):
    graph = random_features(seed, ("hidden", "hidden", "and", "split", "mix"))
    written = graph.expanded()
    assert "hidden" not in written.kinds()
    np.testing.assert_allclose(joint_table(written), joint_table(graph), atol=1e-12)
    ours, theirs = tw.FeatureNetwork(graph).marginals(), tw.FeatureNetwork(written).marginals()
    np.testing.assert_allclose(ours.cells, theirs.cells, atol=1e-12)


def wide(n=25):
    schema = tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(n)])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    coins = [builder.product([builder.table(v, [1 - p, p]) for v in range(n)]) for p in (0.1, 0.9)]
    return builder.graph(builder.mixture(coins, [0.5, 0.5]))


def test_cliques_above_the_limit_are_refused():
    model = tw.FeatureNetwork(wide())
    with pytest.raises(TreewidthError) as caught:
        model.to_markov_network()
    assert str(caught.value) == (
        "the junction tree of this graph has a clique of 25 variables ('x0', 'x1', 'x10', 'x11', 'x12', "
        "'x13', 'x14', 'x15' and 17 more), more than clique_limit=20; ask the feature network itself, which "
        "needs no junction tree"
    )


def test_what_is_no_log_linear_model_is_refused(monkeypatch):
    with pytest.raises(NoExactAnswer, match="only deterministic graphs are"):
        tw.FeatureNetwork(wide()).to_log_linear()
    builder = tw.graphs.FeatureGraphBuilder(tw.Schema([tw.Variable("a", (0, 1))]))
    rows = tw.FeatureNetwork(builder.graph(builder.rows("a", [[1]], [1.0])))
    with pytest.raises(NoExactAnswer, match="stored rows forbid everything else"):
        rows.to_log_linear()
    monkeypatch.setattr(features, "MOST_FEATURES", 10)
    with pytest.raises(TableTooLarge, match="more than 10 parameters in context"):
        tw.FeatureNetwork(worked_graph()).to_log_linear()


def test_drawings_of_the_nodes():
    model = tw.FeatureNetwork(worked_graph())
    graph = model.to_networkx()
    assert graph.number_of_nodes() == 9
    assert graph.nodes[8] == {"kind": "split", "label": "split x0", "scope": tuple(model.schema.names)}
    assert math.fsum(data["probability"] for *_, data in graph.out_edges(8, data=True)) == 1
    text = model.to_dot()
    assert text.splitlines()[1] == '  n8 [label="split x0"];'
    assert '[label="0 0.5"]' in text
    everything = tw.FeatureNetwork(random_features(393))
    assert everything.to_networkx().number_of_nodes() == everything.graph.n_nodes
    assert 'label="feature x1=1 and x2=0 and x3=1"' in everything.to_dot()
