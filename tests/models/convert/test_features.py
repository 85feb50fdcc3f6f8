"""Feature graphs as junction trees, written-out mixtures and drawings."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import EVERYTHING, random_features
from tests.models.features.test_feature_network import worked_graph
from tests.reference.models.feature_graphs import joint_table

import treewright as tw
from treewright.errors import TreewidthError

seeds = st.integers(0, 10**6)


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
