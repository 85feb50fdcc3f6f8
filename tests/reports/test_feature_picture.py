"""Pictures of feature networks: the upper nodes, and variables that are not drowned in edges."""

import time

import pytest
from tests.models.convert.test_features import wide
from tests.models.features.test_feature_network import worked_graph

import treewright as tw
from treewright.reports.feature_picture import drawn_structure, upper_nodes
from treewright.reports.render import to_static_html


def test_the_upper_nodes_are_drawn():
    assert upper_nodes(worked_graph()).edges()[-2:] == [("8: split x0", "2: and"), ("8: split x0", "7: and")]
    few = upper_nodes(worked_graph(), 3)
    assert sorted(few.schema.names) == ["2: and", "7: and", "8: split x0"]


def test_many_edges_are_not_drawn():
    graph = wide(40)
    assert drawn_structure(graph.to_undirected()).n_edges == 0
    assert drawn_structure(worked_graph().to_undirected()).n_edges == 10
    start = time.process_time()
    page = to_static_html(tw.FeatureNetwork(graph))
    assert time.process_time() - start < 5
    assert "780 edges" in page
    assert "<title>Feature network</title>" in page


@pytest.mark.parametrize("graph", [worked_graph(), wide(40)])
def test_notebooks(graph):
    shown = tw.FeatureNetwork(graph)._repr_html_()
    assert f"feature graph of {graph.n_nodes} nodes" in shown
    assert "<svg" in shown
