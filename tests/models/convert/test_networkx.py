import networkx as nx
import pytest
from tests.models.formats.samples import LABELS, collider, labelled

from treewright.errors import CycleError, SchemaError
from treewright.models.convert import from_networkx, to_networkx
from treewright.networks import load_network


@pytest.mark.parametrize("kind", LABELS)
def test_the_trip(kind):
    model = labelled(LABELS[kind])
    graph = model.to_networkx()
    assert set(graph.edges) == set(model.dag.edges())
    assert from_networkx(graph) == model


def test_alarm():
    assert from_networkx(to_networkx(load_network("alarm"))) == load_network("alarm")


def test_parents_may_be_left_out_where_there_is_one():
    graph = nx.DiGraph([("a", "b")])
    graph.add_node("a", states=("x", "y"), table=[0.5, 0.5])
    graph.add_node("b", states=(1, 2), table=[[0.1, 0.9], [0.2, 0.8]])
    assert from_networkx(graph).table("b").tolist() == [[0.1, 0.9], [0.2, 0.8]]


def test_refusals():
    graph = collider().to_networkx()
    del graph.nodes["C"]["parents"]
    with pytest.raises(
        SchemaError, match="the arcs into 'C' come from 'A', 'B'; its attribute 'parents' must list"
    ):
        from_networkx(graph)
    with pytest.raises(SchemaError, match="node 'a' has no attribute 'states', so it is no model"):
        from_networkx(nx.DiGraph([("a", "b")]))
    with pytest.raises(SchemaError, match="variables have names that are texts; found 1, rename it first"):
        from_networkx(nx.DiGraph([(1, 2)]))
    graph = collider().to_networkx()
    graph.nodes["A"]["table"] = [0.5, 0.5]
    with pytest.raises(SchemaError, match=r"the table of 'A' has the shape \(2,\); states ask for \(3,\)"):
        from_networkx(graph)
    graph = nx.DiGraph([("a", "b"), ("b", "a")])
    for name in "ab":
        graph.add_node(name, states=("x",), table=[[1.0]])
    with pytest.raises(CycleError):
        from_networkx(graph)
