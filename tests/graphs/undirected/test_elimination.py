import time
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from tests.reference.graphs import undirected as slow

from treewright.errors import GraphError
from treewright.graphs import (
    UndirectedGraph,
    find_chordless_cycle,
    find_elimination_order,
    find_maximal_cliques,
    find_perfect_elimination_order,
    is_chordal,
    triangulate,
)
from treewright.graphs.undirected.triangulation import METHODS, require_perfect_order
from treewright.tables.schema import Schema, Variable

TWINS = {
    "min_fill": lambda adj, rank: slow.greedy_order(
        adj, rank, lambda a, v: (len(slow.fill_of(a, v)), len(a[v]))
    ),
    "min_degree": lambda adj, rank: slow.greedy_order(adj, rank, lambda a, v: len(a[v])),
    "mcs": lambda adj, rank: slow.search_order(adj, rank, lexicographic=False),
    "lex_bfs": lambda adj, rank: slow.search_order(adj, rank, lexicographic=True),
    "mcs_m": lambda adj, rank: slow.minimal_order(adj, rank, lexicographic=False),
    "lex_m": lambda adj, rank: slow.minimal_order(adj, rank, lexicographic=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@slow.unhurried
@given(graph=slow.graphs(max_size=10))
def test_orders_equal_their_twins(method, graph):
    assert find_elimination_order(graph, method) == TWINS[method](slow.adjacency(graph), slow.rank_of(graph))


@pytest.mark.parametrize("method", METHODS)
def test_orders_equal_their_twins_beyond_one_word(method):
    graph = slow.moral_graph(90, np.random.default_rng(3), max_parents=2)
    assert find_elimination_order(graph, method) == TWINS[method](slow.adjacency(graph), slow.rank_of(graph))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@slow.unhurried
@given(graph=slow.graphs(max_size=8))
def test_columns_in_another_order_give_the_same_names(method, graph):
    turned = graph.subgraph(list(reversed(graph.schema.names)))
    order = graph.schema.names_of(find_elimination_order(graph, method))
    assert turned.schema.names_of(find_elimination_order(turned, method)) == order


def test_an_unknown_rule_is_refused():
    with pytest.raises(GraphError) as caught:
        find_elimination_order(UndirectedGraph(slow.plain_schema(2)), "min_fil")
    assert str(caught.value) == (
        "there is no elimination rule 'min_fil'; there are 'min_fill', 'min_degree', 'mcs', 'mcs_m', "
        "'lex_bfs', 'lex_m'; did you mean 'min_fill'?"
    )


def test_min_fill_of_a_thousand_variables_is_quick():
    graph = slow.moral_graph(1000, np.random.default_rng(1))
    start = time.process_time()
    find_elimination_order(graph)
    assert time.process_time() - start < 1


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=9))
def test_chordality_and_its_witnesses(graph):
    adj = slow.adjacency(graph)
    order, cycle = find_perfect_elimination_order(graph), find_chordless_cycle(graph)
    assert is_chordal(graph) == slow.is_chordal(adj) == (order is not None) == (cycle is None)
    if order is not None:
        assert slow.eliminate(adj, order)[0] == set()
        return
    around = [frozenset(pair) for pair in pairwise((*cycle, cycle[0]))]
    assert len(cycle) == len(set(cycle)) >= 4
    for u, v in combinations(cycle, 2):
        assert (v in adj[u]) == (frozenset((u, v)) in around)


def test_the_refusal_shows_a_cycle():
    schema = Schema([Variable(name) for name in ("north", "east", "south", "west", "centre")])
    ring = UndirectedGraph(
        schema, [("north", "east"), ("east", "south"), ("south", "west"), ("west", "north")]
    )
    with pytest.raises(GraphError) as caught:
        require_perfect_order(ring, "a clique tree")
    assert str(caught.value) == (
        "a clique tree needs a chordal graph; this one has the chordless cycle "
        "west - south - east - north - west; triangulate it first"
    )


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=9))
def test_networkx_agrees_on_chordality(graph):
    networkx = pytest.importorskip("networkx")
    assert is_chordal(graph) == networkx.is_chordal(graph.to_networkx())


@pytest.mark.slow
@slow.unhurried
@given(slow.graphs(max_size=8))
def test_maximal_cliques_equal_their_definition(graph):
    cliques = find_maximal_cliques(graph)
    assert len(cliques) == len(set(map(frozenset, cliques)))
    assert set(map(frozenset, cliques)) == slow.find_maximal_cliques(slow.adjacency(graph))
    names = [graph.schema.names_of(clique) for clique in cliques]
    assert names == sorted(tuple(sorted(clique)) for clique in names)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 80, 150])
def test_networkx_agrees_on_maximal_cliques(n):
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(n)
    graph = UndirectedGraph(slow.plain_schema(n), np.argwhere(np.triu(rng.random((n, n)) < 0.2, 1)))
    names = {frozenset(graph.schema.names_of(clique)) for clique in find_maximal_cliques(graph)}
    assert names == set(map(frozenset, networkx.find_cliques(graph.to_networkx())))


def test_too_many_cliques_are_refused():
    # complement of disjoint triangles: 3 ** 20 cliques
    schema = slow.plain_schema(60)
    graph = UndirectedGraph(schema, [(u, v) for u, v in combinations(range(60), 2) if u // 3 != v // 3])
    with pytest.raises(GraphError) as caught:
        find_maximal_cliques(graph, limit=1000)
    assert str(caught.value) == (
        "the graph of 60 variables and 1710 edges has more than 1000 maximal cliques; raise limit= or "
        "triangulate it first (a chordal graph has at most one clique per variable)"
    )
    with pytest.raises(GraphError, match="more than 2 maximal cliques"):
        find_maximal_cliques(UndirectedGraph(slow.plain_schema(3)), limit=2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [0, 1, 2, 65])
def test_empty_and_complete_graphs(method, n):
    schema = slow.plain_schema(n)
    for graph in (UndirectedGraph(schema), UndirectedGraph.complete(schema)):
        assert sorted(find_elimination_order(graph, method)) == list(range(n))
        assert triangulate(graph, method).fill == ()
        assert is_chordal(graph)
    assert find_maximal_cliques(UndirectedGraph.complete(schema)) == ((tuple(range(n)),) if n else ())
    assert find_maximal_cliques(UndirectedGraph(schema)) == tuple((v,) for v in range(n))
