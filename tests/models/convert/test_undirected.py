import numpy as np
from tests.models.formats.samples import collider

from treewright.models import MarkovNetwork


def test_the_graph_carries_everything():
    model = MarkovNetwork.of(collider())
    graph = model.to_networkx()
    assert sorted(map(sorted, graph.edges)) == [["A", "B"], ["A", "C"], ["B", "C"]]
    assert graph.nodes["A"] == {"states": ("x", "y", "z"), "ordered": False}
    assert MarkovNetwork(model.schema, graph.graph["factors"]) == model
    graph.graph["factors"][0][1][:] = 0  # a copy
    assert np.all(model.factors[0].table > 0)


def test_the_text():
    text = MarkovNetwork.of(collider()).to_dot()
    assert text == 'graph {\n  "A";\n  "B";\n  "C";\n  "A" -- "B";\n  "A" -- "C";\n  "B" -- "C";\n}\n'
