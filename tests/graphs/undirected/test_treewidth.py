import signal
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs import undirected as slow

from treewright.errors import TreewidthError
from treewright.graphs import (
    UndirectedGraph,
    bound_treewidth_above,
    bound_treewidth_below,
    degeneracy,
    eliminate,
    fits,
    is_chordal,
    prove_treewidth,
    triangulate,
    triangulate_narrowly,
    triangulate_optimally,
)


def random_graph(n, density, seed):
    rng = np.random.default_rng(seed)
    return UndirectedGraph(slow.plain_schema(n), np.argwhere(np.triu(rng.random((n, n)) < density, 1)))


def grid(rows, columns):
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    near = [(a, b) for a, b in combinations(cells, 2) if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    place = {cell: i for i, cell in enumerate(cells)}
    return UndirectedGraph(slow.plain_schema(len(cells)), [(place[a], place[b]) for a, b in near])


@given(slow.graphs(max_size=7))
@settings(max_examples=60, deadline=None)
def test_bounds_enclose_the_exact_treewidth(graph):
    exact = slow.treewidth(slow.adjacency(graph))
    assert prove_treewidth(graph) == exact
    assert degeneracy(graph) <= bound_treewidth_below(graph) <= exact <= bound_treewidth_above(graph)
    assert triangulate_optimally(graph).width == exact
    assert triangulate_narrowly(graph).width == bound_treewidth_above(graph)


@pytest.mark.parametrize("seed", range(12))
def test_search_equals_the_dynamic_programme(seed):
    graph = random_graph(10, 0.35 + 0.04 * (seed % 4), seed)
    assert prove_treewidth(graph) == slow.treewidth(slow.adjacency(graph))


@pytest.mark.parametrize(("rows", "columns"), [(1, 9), (2, 7), (3, 5), (4, 4), (4, 6), (5, 5)])
def test_grids(rows, columns):
    assert prove_treewidth(grid(rows, columns)) == min(rows, columns)


def test_known_graphs():
    schema = slow.plain_schema(10)
    outer = [(i, (i + 1) % 5) for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    petersen = UndirectedGraph(schema, [*outer, *inner, *((i, i + 5) for i in range(5))])
    assert prove_treewidth(petersen) == 4
    bipartite = UndirectedGraph(schema, [(u, v) for u in range(4) for v in range(4, 10)])
    assert prove_treewidth(bipartite) == 4
    assert prove_treewidth(UndirectedGraph.complete(schema)) == 9


def test_blocks_and_components_are_settled_one_by_one():
    # grids that hang together in one vertex, and one that does not: 48 vertices, none of them in a large core
    part = np.array(grid(4, 4).index_edges())
    graph = UndirectedGraph(slow.plain_schema(47), np.concatenate([part, part + 15, part + 31]))
    assert prove_treewidth(graph, limit=16) == 4
    result = triangulate_optimally(graph, limit=16)
    assert result.width == 4
    assert graph.is_subgraph_of(result.graph)


@pytest.mark.parametrize("seed", range(4))
def test_a_core_of_thirty_variables_is_settled(seed):
    graph = random_graph(30, 0.15, seed)
    width = prove_treewidth(graph)
    assert bound_treewidth_below(graph) <= width <= bound_treewidth_above(graph)
    assert triangulate_optimally(graph).width == width


def test_a_core_above_the_limit_is_refused_with_its_bounds():
    graph = random_graph(60, 0.2, 0)
    with pytest.raises(TreewidthError) as caught:
        prove_treewidth(graph)
    lower, upper = bound_treewidth_below(graph), bound_treewidth_above(graph)
    assert str(caught.value) == (
        f"the treewidth lies between {lower} and {upper}; a core of 60 variables is left to search, more "
        "than limit=30; raise limit= (at most 64) or settle for the bounds"
    )
    with pytest.raises(TreewidthError, match="limit= is a number of variables from 0 to 64; found 65"):
        prove_treewidth(graph, limit=65)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the platform has no interval timer")
def test_a_long_search_can_be_interrupted():
    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    start = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            prove_treewidth(random_graph(64, 0.2, 1), limit=64)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("n", [0, 1, 5, 70])
def test_empty_and_complete_graphs(n):
    schema = slow.plain_schema(n)
    for graph, width in ((UndirectedGraph(schema), 0), (UndirectedGraph.complete(schema), n - 1)):
        expected = min(width, n - 1)
        assert prove_treewidth(graph) == expected
        assert bound_treewidth_below(graph) == bound_treewidth_above(graph) == expected
        assert sorted(fits(graph, max(expected, 0))) == list(range(n))


def test_two_thousand_variables():
    rng = np.random.default_rng(0)
    tree = np.array([(rng.integers(v), v) for v in range(1, 2500)])
    graph = UndirectedGraph(slow.plain_schema(2500), tree)
    assert prove_treewidth(graph) == 1
    assert fits(graph, 1) is not None
    assert fits(graph, 0) is None
    star = UndirectedGraph(slow.plain_schema(2500), [(1000, v) for v in range(2500) if v != 1000])
    assert prove_treewidth(star) == 1
    assert prove_treewidth(UndirectedGraph.complete(slow.plain_schema(2100))) == 2099


@slow.unhurried
@given(slow.graphs(max_size=7), st.integers(0, 5))
def test_fits_never_accepts_wrongly_and_is_exact_up_to_two(graph, width):
    order = fits(graph, width)
    exact = prove_treewidth(graph)
    if order is not None:
        assert slow.eliminate(slow.adjacency(graph), order)[1] <= width
    if width <= 2:
        assert (order is not None) == (exact <= width)
    if is_chordal(graph):
        assert (order is not None) == (exact <= width)


def test_fits_rejects_hardly_ever_wrongly():
    wrong = 0
    for seed in range(60):
        graph = random_graph(12, 0.2 + 0.05 * (seed % 8), seed)
        exact = prove_treewidth(graph)
        assert exact == 0 or fits(graph, exact - 1) is None
        wrong += fits(graph, exact) is None
    assert wrong <= 2


@pytest.mark.parametrize("width", [3, 8])
def test_fits_finds_chordal_covers_again(width):
    graph = slow.moral_graph(150, np.random.default_rng(9), window=12)
    cover = triangulate(graph)
    order = fits(cover.graph, cover.width)
    assert eliminate(cover.graph, order).width == cover.width
    assert fits(cover.graph, cover.width - 1) is None
    accepted = fits(graph, width)
    assert accepted is None or eliminate(graph, accepted).width <= width


def test_a_negative_bound_is_refused():
    with pytest.raises(TreewidthError, match="a width bound is at least 0; found -1"):
        fits(UndirectedGraph(slow.plain_schema(2)), -1)


@slow.unhurried
@given(slow.graphs(max_size=8), st.integers(0, 5))
def test_columns_in_another_order_give_the_same_names(graph, width):
    turned = graph.subgraph(list(reversed(graph.schema.names)))
    order, again = fits(graph, width), fits(turned, width)
    assert (order is None) == (again is None)
    if order is not None:
        assert graph.schema.names_of(order) == turned.schema.names_of(again)
    assert triangulate_narrowly(graph).fill_edges() == triangulate_narrowly(turned).fill_edges()
    assert triangulate_optimally(graph).fill_edges() == triangulate_optimally(turned).fill_edges()
