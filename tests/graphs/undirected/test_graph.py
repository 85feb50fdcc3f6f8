import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.graphs import undirected as slow

from treewright.errors import GraphError, UnknownNameError
from treewright.graphs import UndirectedGraph
from treewright.tables.schema import Schema, Variable

SCHEMA = Schema([Variable(name) for name in ("d", "b", "a", "c")])


def test_edges_are_sorted_pairs_of_names():
    graph = UndirectedGraph(SCHEMA, [("d", "a"), ("c", "b"), (0, "b"), ("b", "c")])
    assert graph.edges() == [("a", "d"), ("b", "c"), ("b", "d")]
    assert graph.index_edges() == [(0, 1), (0, 2), (1, 3)]
    assert graph.n_edges == 3
    assert repr(graph) == "UndirectedGraph(4 variables, 3 edges)"


def test_neighbourhoods():
    graph = UndirectedGraph(SCHEMA, [("d", "a"), ("d", "b")])
    assert graph.neighbours("d") == ("b", "a")
    assert graph.neighbours(SCHEMA.index("d")) == tuple(map(SCHEMA.index, "ba"))
    assert graph.degree("d") == 2
    assert graph.degree("c") == 0
    assert graph.degrees().tolist() == [2, 1, 1, 0]
    assert graph.adjacent("a", "d")
    assert graph.adjacent("d", "a")
    assert not graph.adjacent("d", "d")


def test_a_graph_is_a_value():
    one = UndirectedGraph(SCHEMA, [("a", "b")])
    same = UndirectedGraph(SCHEMA, [("b", "a"), ("a", "b")])
    assert one == same
    assert hash(one) == hash(same)
    assert one != UndirectedGraph(SCHEMA)
    assert one != "graph"
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(AttributeError, match="a graph does not change"):
        one.schema = SCHEMA
    with pytest.raises(AttributeError, match="a graph does not change"):
        del one.rows
    with pytest.raises(ValueError, match="read-only"):
        one.rows[0, 0] = 1


def test_edges_can_be_added_and_taken_from_a_copy():
    graph = UndirectedGraph(SCHEMA, [("a", "b")])
    more = graph.with_edges([("a", "c"), ("a", "b")])
    assert more.edges() == [("a", "b"), ("a", "c")]
    assert more.without_edges([("a", "b"), ("c", "d")]).edges() == [("a", "c")]
    assert graph.edges() == [("a", "b")]
    assert graph.is_subgraph_of(more)
    assert not more.is_subgraph_of(graph)
    with pytest.raises(GraphError, match="only over the same schema"):
        graph.is_subgraph_of(UndirectedGraph(Schema([])))


def test_components_come_in_name_order():
    graph = UndirectedGraph(SCHEMA, [("d", "b")])
    assert [SCHEMA.names_of(part) for part in graph.components()] == [("a",), ("b", "d"), ("c",)]


def test_completeness_of_a_scope():
    graph = UndirectedGraph(SCHEMA, [("a", "b"), ("b", "c"), ("a", "c")])
    assert graph.is_complete(["a", "b", "c"])
    assert not graph.is_complete(["a", "d"])
    assert graph.is_complete(["d"])
    assert graph.is_complete([])


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="there is no variable 'e'"):
        UndirectedGraph(SCHEMA).neighbours("e")


def test_irregularity_of_stars_and_hubs():
    six = slow.plain_schema(6)
    assert UndirectedGraph(six, [(0, v) for v in range(1, 6)]).irregularity() == 20
    hubs = [(0, 1), *((hub, v) for hub in (0, 1) for v in range(2, 6))]
    assert UndirectedGraph(six, hubs).irregularity() == 24
    assert UndirectedGraph.complete(six).irregularity() == 0


@slow.unhurried
@given(slow.graphs(max_size=8))
def test_irregularity_equals_its_definition(graph):
    assert graph.irregularity() == slow.irregularity(slow.adjacency(graph))


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=8), st.data())
def test_a_subgraph_has_the_edges_between_its_variables(graph, data):
    n = len(graph.schema)
    scope = data.draw(st.lists(st.integers(0, n - 1), unique=True)) if n else []
    part = graph.subgraph(scope)
    assert part.schema.names == graph.schema.names_of(scope)
    inside = set(part.schema.names)
    assert part.edges() == [pair for pair in graph.edges() if inside.issuperset(pair)]


def test_networkx_sees_names_and_lone_variables():
    networkx = pytest.importorskip("networkx")
    graph = UndirectedGraph(SCHEMA, [("a", "b"), ("b", "c")]).to_networkx()
    assert isinstance(graph, networkx.Graph)
    assert sorted(graph.nodes) == ["a", "b", "c", "d"]
    assert sorted(map(tuple, map(sorted, graph.edges))) == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_sizes_around_a_word(n):
    schema = slow.plain_schema(n)
    complete = UndirectedGraph.complete(schema)
    assert complete.n_edges == n * (n - 1) // 2
    assert complete == UndirectedGraph(schema, combinations(range(n), 2))
    assert UndirectedGraph(schema).components() == tuple((v,) for v in range(n))
    assert complete.is_complete(range(n))
    assert complete.subgraph(range(n)) == complete


def test_two_thousand_variables():
    path = np.stack([np.arange(2999), np.arange(1, 3000)], axis=1)
    graph = UndirectedGraph(slow.plain_schema(3000), path)
    assert graph.components() == (tuple(range(3000)),)
    assert graph.neighbours(1500) == (1499, 1501)
