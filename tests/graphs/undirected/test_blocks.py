import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.graphs import undirected as slow

from treewright.errors import GraphError
from treewright.graphs import BlockPath, BlockTree, UndirectedGraph, find_induced_nodes, triangulate
from treewright.tables.schema import Schema, Variable


def two_triangles():
    """Triangles 0 1 2 and 3 4 5, bridges 2-3 and 5-6."""
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (5, 6)]
    return UndirectedGraph(slow.plain_schema(7), edges)


def test_two_triangles():
    tree = BlockTree(two_triangles())
    assert tree.block_scopes == ((0, 1, 2), (2, 3), (3, 4, 5), (5, 6))
    assert tree.cut_scope == (2, 3, 5)
    assert tree.path(0, 6) == BlockPath((0, 1, 2, 3), (2, 3, 5))
    assert tree.path(3, 6) == BlockPath((2, 3), (5,))
    assert tree.path(2, 5) == BlockPath((1, 2), (3,))
    assert tree.path(0, 1) == BlockPath((0,), ())
    assert tree.path(3, 3) == BlockPath((), ())
    assert tree.path_to_block(0, 2) == BlockPath((0, 1, 2), (2, 3))
    assert tree.path_to_block(3, 2) == BlockPath((2,), ())
    assert tree.path_to_block(3, 0) == BlockPath((1, 0), (2,))
    assert tree.block_holding(3, 4, 5) == 2
    assert tree.block_holding(0, 3) is None
    assert tree.blocks_of(3) == (1, 2)


def test_names_order_blocks():
    schema = Schema([Variable(name) for name in ("z", "m", "a", "k")])
    tree = BlockTree(UndirectedGraph(schema, [("z", "m"), ("m", "a")]))
    assert tree.blocks == (("a", "m"), ("k",), ("m", "z"))
    assert tree.cut_vertices == ("m",)
    assert tree.path("z", "k") is None


@slow.unhurried
@given(slow.graphs(max_size=7))
def test_blocks_equal_their_definition(graph):
    tree = BlockTree(graph)
    assert set(map(frozenset, tree.block_scopes)) == slow.blocks(slow.adjacency(graph))
    assert len(tree.block_scopes) == len(set(tree.block_scopes))


@slow.unhurried
@given(slow.graphs(max_size=9))
def test_networkx_agrees(graph):
    networkx = pytest.importorskip("networkx")
    other = graph.to_networkx()
    lone = {frozenset([name]) for name in networkx.isolates(other)}
    assert set(map(frozenset, BlockTree(graph).blocks)) == lone | set(
        map(frozenset, networkx.biconnected_components(other))
    )
    assert set(BlockTree(graph).cut_vertices) == set(networkx.articulation_points(other))


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(min_size=2, max_size=9), st.data())
def test_a_path_crosses_exactly_the_separating_cut_vertices(graph, data):
    n = len(graph.schema)
    u, v = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    tree, adj = BlockTree(graph), slow.adjacency(graph)
    path = tree.path(u, v)
    everything = set(adj)
    if u != v and not slow.connected(adj, u, v, everything):
        assert path is None
        return
    separating = {
        w for w in everything - {u, v} if u != v and not slow.connected(adj, u, v, everything - {w})
    }
    assert set(path.cut_vertices) == separating
    assert len(path.blocks) == (len(separating) + 1 if u != v else len(path.blocks))
    ring = [u, *path.cut_vertices, v]
    for block, a, b in zip(path.blocks, ring, ring[1:], strict=False):
        assert {a, b} <= set(tree.block_scopes[block])


def test_refusals():
    tree = BlockTree(two_triangles())
    with pytest.raises(GraphError, match="there is no block number 4; there are 4, counted from 0"):
        tree.path_to_block(0, 4)
    with pytest.raises(GraphError, match="name at least one variable"):
        tree.block_holding()


@pytest.mark.parametrize("n", [0, 1, 3, 100])
def test_empty_and_complete_graphs(n):
    schema = slow.plain_schema(n)
    assert BlockTree(UndirectedGraph(schema)).block_scopes == tuple((v,) for v in range(n))
    assert BlockTree(UndirectedGraph.complete(schema)).block_scopes == ((tuple(range(n)),) if n else ())


@pytest.mark.slow
def test_a_path_of_five_thousand_is_walked_without_recursion():
    ends = np.stack([np.arange(4999), np.arange(1, 5000)], axis=1)
    tree = BlockTree(UndirectedGraph(slow.plain_schema(5000), ends))
    assert len(tree.block_scopes) == 4999
    assert len(tree.path(0, 4999).blocks) == 4999


def strip():
    edges = [(i, i + step) for step in (1, 2) for i in range(7 - step)]
    return UndirectedGraph(slow.plain_schema(7), edges)


@pytest.mark.parametrize(("s", "t", "inner"), [(0, 6, (1, 2, 3, 4, 5)), (0, 3, (1, 2)), (1, 6, (2, 3, 4, 5))])
def test_induced_nodes_of_a_strip(s, t, inner):
    assert find_induced_nodes(strip(), s, t) == find_induced_nodes(strip(), t, s) == inner


def test_induced_nodes_of_a_fan():
    fan = UndirectedGraph(slow.plain_schema(6), [(0, 1), (1, 2), (2, 3), *((v, 4) for v in range(4)), (4, 5)])
    assert find_induced_nodes(fan, 0, 3) == (1, 2, 4)
    assert find_induced_nodes(fan, 0, 2) == (1, 4)
    assert find_induced_nodes(fan, 0, 4) == ()
    assert find_induced_nodes(fan, 2, 2) == ()
    assert find_induced_nodes(fan, 0, 5) == (4,)


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(min_size=1, max_size=9))
def test_induced_nodes_equal_path_enumeration(graph):
    chordal = triangulate(graph).graph
    adj = slow.adjacency(chordal)
    for s in adj:
        for t in adj:
            assert set(find_induced_nodes(chordal, s, t)) == slow.find_induced_nodes(adj, s, t)


def test_induced_nodes_need_a_chordal_graph():
    ring = UndirectedGraph(slow.plain_schema(4), [(0, 1), (1, 2), (2, 3), (3, 0)])
    with pytest.raises(GraphError, match=r"finding induced paths needs a chordal graph; .* chordless cycle"):
        find_induced_nodes(ring, 0, 2)
