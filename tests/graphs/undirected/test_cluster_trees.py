import gzip
import os
import pickle
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.graphs import undirected as slow

from treewright.errors import GraphError, SchemaError, UnknownNameError
from treewright.graphs import (
    DSeparationTree,
    JunctionTree,
    UndirectedGraph,
    is_chordal,
    separation_tree_from_hypergraph,
    triangulate,
)
from treewright.graphs.undirected.triangulation import METHODS
from treewright.tables.schema import Schema, Variable


def numbered(n):
    """Variables called 01, 02, ...: the order of the names is the order of the numbers."""
    return Schema([Variable(f"{i:02d}") for i in range(1, n + 1)])


def indices(numbers):
    return [number - 1 for number in numbers]


def numbers(scopes):
    return [tuple(v + 1 for v in scope) for scope in scopes]


def moral(n, parents):
    """The moral graph of a DAG given as child -> parents, counted from 1."""
    families = [indices((child, *above)) for child, above in parents.items()]
    return UndirectedGraph(numbered(n), [pair for family in families for pair in combinations(family, 2)])


# --- junction trees


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@slow.unhurried
@given(graph=slow.graphs(max_size=9))
def test_the_tree_is_the_heaviest_over_the_cliques(method, graph):
    tree = JunctionTree.of(graph, method=method)
    cliques = [set(scope) for scope in tree.cluster_scopes]
    heaviest = slow.spanning_tree(cliques)
    assert list(tree.edges) == [(i, j) for i, j in heaviest if cliques[i] & cliques[j]]
    assert list(DSeparationTree.of(graph, method=method).edges) == heaviest
    assert set(map(frozenset, cliques)) == slow.find_maximal_cliques(slow.adjacency(tree.graph()))
    assert tree.graph() == triangulate(graph, method).graph
    assert tree.width == triangulate(graph, method).width
    assert [set(s) for s in tree.separator_scopes] == [cliques[i] & cliques[j] for i, j in tree.edges]


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=9))
def test_columns_in_another_order_give_the_same_tree(graph):
    tree = JunctionTree.of(graph)
    turned = JunctionTree.of(graph.subgraph(list(reversed(graph.schema.names))))
    assert (tree.clusters, tree.edges, tree.separators) == (turned.clusters, turned.edges, turned.separators)


@slow.unhurried
@given(slow.graphs(max_size=8))
def test_parts_can_be_joined_and_parted(graph):
    tree = JunctionTree.of(graph)
    joined = tree.connect()
    assert len(joined.edges) == max(len(joined.clusters) - 1, 0)
    assert joined.forest() == tree
    assert joined.connect() == joined
    assert joined.edges == DSeparationTree.of(graph).edges
    assert len(tree.clusters) - len(tree.edges) == len(graph.components())


def test_a_triangulation_is_taken_as_it_is():
    graph = moral(4, {2: (1,), 3: (2,), 4: (3, 1)})
    assert JunctionTree.of(triangulate(graph, "mcs")) == JunctionTree.of(graph, method="mcs")


def test_a_tree_is_a_value():
    schema = numbered(3)
    tree = JunctionTree(schema, [("02", "01"), (1, 2)], [(1, 0)])
    assert tree.clusters == (("01", "02"), ("02", "03"))
    assert tree.edges == ((0, 1),)
    assert tree.separators == (("02",),)
    assert tree.neighbours(0) == (1,)
    assert tree == JunctionTree(schema, [(0, 1), (1, 2)], [(0, 1)])
    assert hash(tree) == hash(JunctionTree(schema, [(0, 1), (1, 2)], [(0, 1)]))
    assert tree != DSeparationTree(schema, [(0, 1), (1, 2)], [(0, 1)])
    assert pickle.loads(pickle.dumps(tree)) == tree
    with pytest.raises(AttributeError):
        tree.edges = ()


@pytest.mark.parametrize(
    ("clusters", "edges", "message"),
    [
        (
            [(0, 1), (1, 2), (2, 0)],
            [(0, 1), (1, 2)],
            "the clusters that hold '01' must hang together in the tree; they are in 2 parts",
        ),
        (
            [(0, 1), (2,), (1,)],
            [(0, 1), (1, 2)],
            "the clusters that hold '02' must hang together in the tree; they are in 2 parts",
        ),
        ([(0, 1)], [], "every variable lies in a cluster; '03' lies in none"),
        (
            [(0, 1, 2), (1,), (1, 2)],
            [(0, 1), (1, 2), (2, 0)],
            "the tree edges close a cycle through {02} and {02, 03}",
        ),
        ([(0, 1), (1, 2)], [(0, 2)], "a tree edge joins two of the 2 clusters (from 0 on); found (0, 2)"),
        ([(0, 1), (1, 2)], [(1, 1)], "a tree edge joins two of the 2 clusters (from 0 on); found (1, 1)"),
    ],
)
def test_what_is_no_junction_tree_is_refused(clusters, edges, message):
    with pytest.raises(GraphError) as caught:
        JunctionTree(numbered(3), clusters, edges)
    assert str(caught.value) == message


@pytest.mark.parametrize("n", [0, 1, 2, 70])
def test_empty_and_complete_graphs(n):
    schema = slow.plain_schema(n)
    tree = JunctionTree.of(UndirectedGraph.complete(schema))
    assert tree.cluster_scopes == ((tuple(range(n)),) if n else ())
    assert tree.width == n - 1
    apart = JunctionTree.of(UndirectedGraph(schema))
    assert (len(apart.clusters), apart.edges) == (n, ())
    assert apart.connect().separators == ((),) * max(n - 1, 0)


def test_two_thousand_variables():
    graph = slow.moral_graph(2500, np.random.default_rng(4), max_parents=2, window=15)
    tree = JunctionTree.of(graph)
    assert is_chordal(tree.graph())
    assert graph.is_subgraph_of(tree.graph())
    families = [(v, *range(max(0, v - 2), v)) for v in range(2500)]
    separation = separation_tree_from_hypergraph(graph.schema, families)
    assert separation.width == 2
    assert len(separation.reduced) == 2


# --- paths


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(min_size=1, max_size=8), st.data())
def test_path_separators_separate(graph, data):
    n = len(graph.schema)
    u, v = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    tree = DSeparationTree.of(graph)
    between = tree.path_separators(u, v)
    together = any(u in scope and v in scope for scope in tree.cluster_scopes)
    assert (between == ()) == together
    assert tree.path_separators(v, u) == between[::-1]
    adj = slow.adjacency(tree.graph())
    for separator in between:
        assert not slow.connected(adj, u, v, set(adj) - set(graph.schema.scope(separator)))
    smallest = tree.path_separator(u, v)
    assert smallest is None if together else len(smallest) == min(map(len, between))


def test_parts_of_a_forest_are_separated_by_nothing():
    tree = JunctionTree.of(UndirectedGraph(numbered(3), [(0, 1)]))
    assert tree.path_separators("01", "03") == ((),)
    assert tree.path_separator("01", "03") == ()


# --- d-separation trees: examples of Xie, Geng & Zhao (2006)

EXAMPLE = {2: (1,), 3: (1,), 5: (1,), 4: (2, 3), 7: (4, 6), 6: (5,)}


@pytest.mark.parametrize(
    ("method", "fill", "nodes"),
    [
        ("min_fill", [(1, 4), (1, 6)], [(1, 2, 3, 4), (1, 4, 6), (1, 5, 6), (4, 6, 7)]),
        ("mcs", [(1, 4), (4, 5)], [(1, 2, 3, 4), (1, 4, 5), (4, 5, 6), (4, 6, 7)]),
        ("lex_bfs", [(2, 5), (3, 5), (4, 5)], [(1, 2, 3, 5), (2, 3, 4, 5), (4, 5, 6), (4, 6, 7)]),
    ],
)
def test_example_1_trees_of_the_moral_graph(method, fill, nodes):
    graph = moral(7, EXAMPLE)
    assert graph.n_edges == 10
    assert numbers(triangulate(graph, method).fill) == fill
    assert numbers(DSeparationTree.of(graph, method=method).cluster_scopes) == nodes


def test_example_1_separators():
    tree = DSeparationTree.of(moral(7, EXAMPLE))
    assert sorted(numbers(tree.separator_scopes)) == [(1, 4), (1, 6), (4, 6)]
    assert tree.path_separator("02", "07") == ("01", "04")


def test_example_1_hypergraph():
    hyperedges = [indices(h) for h in ((1, 2, 3, 4), (1, 3, 5, 6), (4, 6, 7))]
    tree = separation_tree_from_hypergraph(numbered(7), hyperedges)
    assert numbers(tree.cluster_scopes) == [(1, 2, 3, 4), (1, 3, 4, 6), (1, 3, 5, 6), (4, 6, 7)]
    assert sorted(numbers(tree.separator_scopes)) == [(1, 3, 4), (1, 3, 6), (4, 6)]
    assert tree.reduced == ()


def test_example_1_refined():
    edges = [(1, 2), (1, 3), (1, 5), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 6), (4, 7), (5, 6), (6, 7)]
    tree = DSeparationTree.of(UndirectedGraph(numbered(7), [indices(pair) for pair in edges]))
    assert numbers(tree.cluster_scopes) == [(1, 2, 3, 5), (2, 3, 4, 5), (4, 5, 6), (4, 6, 7)]
    assert sorted(numbers(tree.separator_scopes)) == [(2, 3, 5), (4, 5), (4, 6)]


def test_example_2():
    tree = separation_tree_from_hypergraph(numbered(3), [(0, 1), (0, 2), (1, 2)])
    assert numbers(tree.cluster_scopes) == [(1, 2, 3)]
    assert tree.separators == ()


@pytest.mark.parametrize("method", METHODS)
def test_example_3(method):
    hyperedges = [indices(h) for h in ((1, 2, 3), (1, 2, 4), (1, 3, 5), (4, 5, 6))]
    tree = separation_tree_from_hypergraph(numbered(6), hyperedges, triangulation=method)
    assert numbers(tree.cluster_scopes) == [(1, 2, 3, 4), (1, 3, 4, 5), (4, 5, 6)]
    assert numbers(tree.separator_scopes) == [(1, 3, 4), (4, 5)]


# the ALARM network in the numbering of the authors: child -> parents
ALARM = {
    1: (2,), 2: (4, 5), 3: (2,), 6: (4, 5), 7: (6, 8), 8: (9,), 9: (10, 12, 13, 14), 10: (33,), 11: (7, 10),
    13: (15, 17), 14: (18,), 15: (18, 19), 17: (16, 21), 18: (16, 20), 20: (16, 24, 25), 22: (14, 20),
    23: (16, 20), 25: (35, 36), 26: (16, 24, 25), 27: (5,), 29: (8, 28), 30: (8, 31), 32: (8, 31), 34: (21,),
    35: (37,),
}  # fmt: skip


def test_alarm_hypergraph():
    hyperedges = [(8, 28, 29, 30, 31, 32), (*range(1, 15), 27, 33), (*range(13, 27), *range(34, 38))]
    tree = separation_tree_from_hypergraph(numbered(37), map(indices, hyperedges))
    assert len(tree.clusters) == 3
    assert sorted(numbers(tree.separator_scopes)) == [(8,), (13, 14)]


@pytest.mark.parametrize("method", ["min_fill", "min_degree", "mcs", "lex_bfs", "mcs_m"])
def test_alarm_moral_graph(method):
    graph = moral(37, ALARM)
    assert graph.n_edges == 65
    result = triangulate(graph, method)
    assert len(result.fill) == 5
    tree = DSeparationTree.of(result)
    assert (len(tree.clusters), tree.width + 1) == (27, 5)


def test_alarm_with_one_arc_turned_as_the_authors_have_it():
    turned = {**ALARM, 26: (16, 24), 25: (35, 36, 26)}
    graph = moral(37, turned)
    assert graph.n_edges == 67
    assert DSeparationTree.of(graph).width + 1 == 5


# --- hypergraphs


def test_nested_hyperedges_are_left_out_and_recorded():
    schema = Schema([Variable(name) for name in "abcd"])
    tree = separation_tree_from_hypergraph(schema, ["ab", "abc", "cb", "cd", "dc", "d"])
    assert tree.clusters == (("a", "b", "c"), ("c", "d"))
    assert tree.reduced == (("a", "b"), ("c", "b"), ("d", "c"), ("d",))
    assert tree == separation_tree_from_hypergraph(schema, ["abc", "cd"])


def test_independent_parts_are_joined_with_empty_separators():
    tree = separation_tree_from_hypergraph(numbered(5), [(0, 1), (2, 3), (4,)])
    assert tree.edges == ((0, 1), (0, 2))
    assert tree.separators == ((), ())
    assert tree.path_separators("01", "04") == ((),)


@pytest.mark.parametrize(
    ("hyperedges", "error", "message"),
    [
        (["ab"], GraphError, "every variable lies in a hyperedge; in none: 'c', 'd'"),
        ([], GraphError, "every variable lies in a hyperedge; in none: 'a', 'b', 'c', 'd'"),
        (["ab", ""], GraphError, "a hyperedge holds at least one variable; number 2 is empty"),
        (
            ["abcd", "ae"],
            UnknownNameError,
            "hyperedge 2: there is no variable 'e'; there are 'a', 'b', 'c', 'd'",
        ),
        (["abcda"], SchemaError, "hyperedge 1: a scope names each variable once; found twice: 'a'"),
    ],
)
def test_what_is_no_hypergraph_is_refused(hyperedges, error, message):
    with pytest.raises(error) as caught:
        separation_tree_from_hypergraph(Schema([Variable(name) for name in "abcd"]), hyperedges)
    assert str(caught.value) == message


def test_an_empty_schema_has_an_empty_tree():
    assert separation_tree_from_hypergraph(Schema([]), []).clusters == ()


def test_shapes_that_are_no_d_separation_tree_are_refused():
    with pytest.raises(GraphError, match=r"no node .* lies inside another; \{01\} lies inside \{01, 02\}"):
        DSeparationTree(numbered(2), [(0, 1), (0,)], [(0, 1)])
    with pytest.raises(GraphError, match="joins its 2 nodes with 1 edges; found 0"):
        DSeparationTree(numbered(2), [(0,), (1,)], [])


@pytest.mark.slow
@slow.unhurried
@given(
    st.lists(st.sets(st.integers(0, 6), min_size=1), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_order_of_hyperedges_and_columns_does_not_matter(sets, random):
    names = sorted({f"v{v}" for one in sets for v in one})
    hyperedges = [tuple(f"v{v}" for v in one) for one in sets]
    tree = separation_tree_from_hypergraph(Schema([Variable(name) for name in names]), hyperedges)
    random.shuffle(names)
    random.shuffle(hyperedges)
    again = separation_tree_from_hypergraph(Schema([Variable(name) for name in names]), hyperedges)
    assert (tree.clusters, tree.edges, tree.separators) == (again.clusters, again.edges, again.separators)
    assert len(tree.reduced) == len(again.reduced)
    assert all(any(set(one) <= set(node) for node in tree.clusters) for one in hyperedges)


# --- networks that are not part of the package; nodes and largest node by method

NETWORKS = {
    "asia": ((6, 3), (6, 3), (6, 3)),
    "sachs": ((6, 4), (6, 4), (6, 4)),
    "child": ((17, 4), (17, 4), (17, 4)),
    "insurance": ((18, 8), (18, 8), (17, 9)),
    "alarm": ((27, 5), (26, 5), (27, 5)),
    "hailfinder": ((43, 5), (39, 8), (39, 8)),
    "hepar2": ((58, 7), (57, 7), (57, 7)),
    "win95pts": ((50, 9), (47, 9), (42, 18)),
    "pathfinder": ((91, 7), (90, 8), (90, 8)),
    "pigs": ((368, 11), (328, 21), (317, 41)),
}


def families(name):
    folder = os.environ.get("TREEWRIGHT_DATA")
    path = Path(folder or ".") / "networks" / f"{name}.bif.gz"
    if not folder or not path.exists():
        pytest.skip(f"set TREEWRIGHT_DATA to a folder that has networks/{name}.bif.gz")
    text = gzip.decompress(path.read_bytes()).decode()
    variables = re.findall(r"^variable\s+(\S+)", text, re.MULTILINE)
    place = {variable: i for i, variable in enumerate(variables)}
    heads = re.findall(r"^probability\s*\(\s*([^\s|)]+)\s*(?:\|([^)]*))?\)", text, re.MULTILINE)
    parents = [[one.strip() for one in given.split(",") if one.strip()] for _, given in heads]
    sets = [[place[v] for v in (child, *above)] for (child, _), above in zip(heads, parents, strict=True)]
    return slow.plain_schema(len(variables)), sets


@pytest.mark.parametrize("name", NETWORKS)
def test_nodes_of_published_networks(name):
    schema, sets = families(name)
    for method, expected in zip(("min_fill", "mcs", "lex_bfs"), NETWORKS[name], strict=True):
        tree = separation_tree_from_hypergraph(schema, sets, triangulation=method)
        assert (len(tree.clusters), tree.width + 1) == expected
