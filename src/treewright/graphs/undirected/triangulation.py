"""Triangulations: chordal graphs that contain a given graph.

Inference on a graph costs what its chordal cover costs, exponential in the width: the size of the largest
clique less one. Every elimination order gives a cover, and every minimal cover comes from one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright import _core
from treewright.errors import GraphError
from treewright.graphs._bits import to_sets
from treewright.graphs.directed.arcs import listed
from treewright.graphs.edges import Edge
from treewright.graphs.undirected.elimination import Method, elimination_order, require_perfect_order
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.tables.schema import NameOrIndex
from treewright.types import Scope


@dataclass(frozen=True)
class Triangulation:
    """What eliminating all variables of a graph, in a given order, leaves behind.

    Made by :func:`eliminate` and :func:`triangulate`, which prove that `graph` is chordal and contains the
    original.

    Attributes
    ----------
    graph
        The chordal graph.
    order
        The elimination order that made it, perfect for `graph`.
    added
        The graph of the added edges alone.
    cliques
        The maximal cliques of `graph`, each and all in the order of the names.
    width
        Size of the largest clique less one; -1 without variables.
    """

    graph: UndirectedGraph
    added: UndirectedGraph
    order: Scope
    cliques: tuple[Scope, ...]
    width: int

    @cached_property
    def fill(self) -> tuple[Edge, ...]:
        """The added edges as pairs of indices, sorted."""
        return tuple(self.added.index_edges())

    def fill_edges(self) -> list[tuple[str, str]]:
        """The added edges as pairs of names, sorted."""
        return self.added.edges()


def eliminate(graph: UndirectedGraph, order: Iterable[NameOrIndex]) -> Triangulation:
    """Eliminate all variables in a given order.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> result = eliminate(square, ["b", "a", "c", "d"])
    >>> result.fill_edges(), result.cliques, result.width
    ([('a', 'c')], ((0, 1, 2), (0, 2, 3)), 2)
    """
    schema = graph.schema
    scope = schema.scope(order)
    if len(scope) != len(schema):
        missing = [schema.names[v] for v in sorted(set(range(len(schema))) - set(scope))]
        raise GraphError(f"an elimination order names every variable; missing: {listed(missing, limit=10)}")
    rows, offsets, members, width = _core.eliminate(graph.rows, graph.ties, np.array(scope, dtype=np.uint32))
    filled = UndirectedGraph.of_rows(schema, rows)
    added = UndirectedGraph.of_rows(schema, rows & ~graph.rows)
    return Triangulation(filled, added, scope, to_sets(offsets, members), width)


def triangulate(graph: UndirectedGraph, method: Method = "min_fill") -> Triangulation:
    """A chordal graph that contains the given one, by a rule of :func:`elimination_order`.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> triangulate(square).fill_edges()
    [('b', 'd')]
    """
    return eliminate(graph, elimination_order(graph, method))


def minimal_triangulation(graph: UndirectedGraph) -> Triangulation:
    """A triangulation of which no added edge can be spared, by MCS-M [1]_.

    Minimal is not minimum: another triangulation may add fewer edges, as min-fill often does.

    References
    ----------
    .. [1] Berry, Blair, Heggernes & Peyton (2004). Maximum cardinality search for computing minimal
       triangulations of graphs. Algorithmica 39, 287-298.
    """
    return triangulate(graph, "mcs_m")


def make_minimal(graph: UndirectedGraph, chordal: UndirectedGraph) -> Triangulation:
    """Drop from a chordal supergraph the edges that it can spare.

    The result is a minimal triangulation of `graph` inside `chordal`, so never wider.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> make_minimal(square, UndirectedGraph.complete(schema)).fill_edges()
    [('b', 'd')]
    """
    if not graph.is_subgraph_of(chordal):
        lost = UndirectedGraph.of_rows(graph.schema, graph.rows & ~chordal.rows).edges()[0]
        raise GraphError(
            f"the chordal graph must contain the other one; it lacks the edge {lost[0]} - {lost[1]}"
        )
    require_perfect_order(chordal, "dropping redundant fill")
    rows = _core.make_minimal(graph.rows, chordal.rows, graph.ties)
    cover = UndirectedGraph.of_rows(graph.schema, rows)
    return eliminate(graph, require_perfect_order(cover, "a triangulation"))
