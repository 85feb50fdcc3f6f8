"""Numbers before labels: the strong graph, orders as narrow as it, and what is proved by them."""

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.graphs import (
    UndirectedGraph,
    build_strong_graph,
    eliminate,
    fits,
    prove_treewidth,
    triangulate,
    triangulate_strongly,
    triangulate_strongly_and_narrowly,
)
from treewright.graphs.directed.dag import Dag
from treewright.tables.schema import Schema, Variable


@st.composite
def mixed_graphs(draw, max_size=9):
    n = draw(st.integers(1, max_size))
    names = draw(st.permutations([f"v{i}" for i in range(n)]))
    schema = Schema([Variable(name, ("u", "v") if draw(st.booleans()) else None) for name in names])
    edges = [pair for pair in combinations(range(n), 2) if draw(st.booleans())]
    return UndirectedGraph(schema, edges)


def kinds(graph):
    return [variable.is_discrete for variable in graph.schema]


def numbers_first(graph, order):
    discrete = kinds(graph)
    flags = [discrete[v] for v in order]
    return flags == sorted(flags)


def joined_slowly(graph):
    """Two labels are joined if a path leads from one to the other over numbers alone, or an edge."""
    discrete, n = kinds(graph), len(graph.schema)
    edges = set(graph.index_edges())
    near = [{u for u in range(n) if (min(u, v), max(u, v)) in edges and u != v} for v in range(n)]
    found = set(edges)
    for start in range(n):
        if discrete[start]:
            seen, stack = set(), [u for u in near[start] if not discrete[u]]
            while stack:
                v = stack.pop()
                if v not in seen:
                    seen.add(v)
                    stack += [u for u in near[v] if not discrete[u]]
            found |= {
                (min(start, u), max(start, u)) for v in seen for u in near[v] if discrete[u] and u != start
            }
    return sorted(found)


@given(mixed_graphs())
def test_labels_are_joined_over_numbers_alone(graph):
    assert build_strong_graph(graph).index_edges() == joined_slowly(graph)


@given(mixed_graphs(), st.randoms(use_true_random=False))
def test_an_order_is_as_narrow_with_numbers_first(graph, chance):
    order = list(range(len(graph.schema)))
    chance.shuffle(order)
    found = triangulate_strongly(graph, tuple(order))
    assert numbers_first(graph, found.order)
    assert found.width <= eliminate(build_strong_graph(graph), order).width
    assert build_strong_graph(graph).is_subgraph_of(found.graph)
    for one in (triangulate_strongly(graph), triangulate_strongly_and_narrowly(graph)):
        assert numbers_first(graph, one.order)
        assert one.width >= prove_treewidth(build_strong_graph(graph))


@settings(max_examples=40)
@given(mixed_graphs(max_size=6))
def test_no_order_of_numbers_first_is_narrower_than_the_strong_graph(graph):
    """All of them are tried: the strong treewidth is the treewidth of the strong graph."""
    orders = (o for o in permutations(range(len(graph.schema))) if numbers_first(graph, o))
    narrowest = min(eliminate(graph, order).width for order in orders)
    assert narrowest == prove_treewidth(build_strong_graph(graph))
    assert fits(build_strong_graph(graph), narrowest) is not None


@pytest.mark.parametrize("states", [None, ("u", "v")])
def test_where_there_is_one_kind_everything_is_as_ever(states):
    schema = Schema([Variable(name, states) for name in "abcd"])
    square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    assert build_strong_graph(square) == square
    assert triangulate_strongly(square) == triangulate(square)


def test_a_chain_of_numbers_joins_all_labels_beside_it():
    """Each family has three variables, yet an answer about one number hangs on four labels."""
    n = 4
    schema = Schema(
        [*(Variable(f"d{i}", ("u", "v")) for i in range(n)), *(Variable(f"x{i}") for i in range(n))]
    )
    arcs = [*((f"d{i}", f"x{i}") for i in range(n)), *((f"x{i}", f"x{i + 1}") for i in range(n - 1))]
    moral = Dag(schema, arcs).moral_graph()
    assert triangulate(moral).width == 2
    assert triangulate_strongly(moral).width == n
