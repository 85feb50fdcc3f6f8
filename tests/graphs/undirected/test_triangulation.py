import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.graphs import undirected as slow

from treewright.errors import GraphError, SchemaError
from treewright.graphs import (
    UndirectedGraph,
    eliminate,
    find_maximal_cliques,
    is_chordal,
    make_minimal,
    triangulate,
    triangulate_minimally,
)
from treewright.graphs.undirected.triangulation import METHODS
from treewright.tables.schema import Schema, Variable

SQUARE = UndirectedGraph(
    Schema([Variable(name) for name in "abcd"]), [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
)


def is_minimal(graph, cover):
    """No single fill edge can be spared, which is enough."""
    extra = set(cover.index_edges()) - set(graph.index_edges())
    return not any(slow.is_chordal(slow.adjacency(cover.without_edges([pair]))) for pair in extra)


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=9), st.data())
def test_elimination_equals_its_twin(graph, data):
    order = tuple(data.draw(st.permutations(range(len(graph.schema)))))
    result = eliminate(graph, order)
    fill, width = slow.eliminate(slow.adjacency(graph), order)
    assert (set(result.fill), result.width, result.order) == (fill, width, order)
    assert result.graph == graph.with_edges(result.fill)
    assert is_chordal(result.graph)
    assert result.cliques == find_maximal_cliques(result.graph)
    assert result.width == max(map(len, result.cliques), default=0) - 1


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@slow.unhurried
@given(graph=slow.graphs(max_size=9))
def test_a_triangulation_is_a_chordal_supergraph(method, graph):
    result = triangulate(graph, method)
    assert graph.is_subgraph_of(result.graph)
    assert slow.is_chordal(slow.adjacency(result.graph))
    if is_chordal(graph) and method != "min_degree":
        assert result.fill == ()
    if method in ("mcs_m", "lex_m"):
        assert is_minimal(graph, result.graph)


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=8))
def test_minimal_triangulations_are_minimal(graph):
    assert is_minimal(graph, triangulate_minimally(graph).graph)
    for cover in (UndirectedGraph.complete(graph.schema), triangulate(graph, "lex_bfs").graph):
        result = make_minimal(graph, cover)
        assert graph.is_subgraph_of(result.graph)
        assert result.graph.is_subgraph_of(cover)
        assert is_chordal(result.graph)
        assert is_minimal(graph, result.graph)


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=8))
def test_columns_in_another_order_give_the_same_fill(graph):
    turned = graph.subgraph(list(reversed(graph.schema.names)))
    for method in METHODS:
        assert triangulate(turned, method).fill_edges() == triangulate(graph, method).fill_edges()
    minimal = make_minimal(graph, UndirectedGraph.complete(graph.schema))
    again = make_minimal(turned, UndirectedGraph.complete(turned.schema))
    assert minimal.fill_edges() == again.fill_edges()


@pytest.mark.slow
def test_larger_redundant_fill_is_dropped():
    graph = slow.moral_graph(80, np.random.default_rng(5), max_parents=2)
    wide = triangulate(graph, "lex_bfs")
    result = make_minimal(graph, wide.graph)
    assert len(result.fill) < len(wide.fill)
    assert is_minimal(graph, result.graph)


def test_an_order_names_every_variable_once():
    with pytest.raises(GraphError, match="an elimination order names every variable; missing: 'c', 'd'"):
        eliminate(SQUARE, ["a", "b"])
    with pytest.raises(SchemaError, match="found twice: 'a'"):
        eliminate(SQUARE, ["a", "b", "c", "a"])


def test_a_cover_must_contain_the_graph_and_be_chordal():
    with pytest.raises(GraphError, match="it lacks the edge a - b"):
        make_minimal(SQUARE, SQUARE.without_edges([("a", "b")]))
    with pytest.raises(GraphError, match="dropping redundant fill needs a chordal graph"):
        make_minimal(SQUARE, SQUARE)


def test_three_thousand_variables():
    graph = slow.moral_graph(3000, np.random.default_rng(2), max_parents=2, window=20)
    result = triangulate(graph)
    assert graph.is_subgraph_of(result.graph)
    assert is_chordal(result.graph)
    assert result.width == max(map(len, find_maximal_cliques(result.graph))) - 1
