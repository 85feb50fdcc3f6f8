"""Elimination orders, the chordal graphs that they make, and the width of these.

Eliminating a variable joins its remaining neighbours and takes it away. A graph in which some order never has
to add an edge is chordal: every cycle of four or more has a chord. Inference costs what a chordal cover
costs, exponential in its width: the size of the largest clique less one. Every elimination order gives a
cover, and every minimal cover comes from one; the least width is the *treewidth*. Finding it is hard; the
rules here are the well-known good guesses, bounds from both sides are cheap and often meet, and small graphs
can be settled by search. Ties are broken by the names of the variables, so results do not depend on the order
of the columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import UNDIRECTED, require
from treewright.errors import GraphError, SettingError, TreewidthError, nearest
from treewright.graphs._bits import to_sets
from treewright.graphs.edges import Edge, listed
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

Method = Literal["min_fill", "min_degree", "mcs", "mcs_m", "lex_bfs", "lex_m"]
METHODS: tuple[str, ...] = get_args(Method)


def find_elimination_order(graph: UndirectedGraph, method: Method = "min_fill") -> Scope:
    """An elimination order by a rule.

    Parameters
    ----------
    method
        ``min_fill``: next the variable whose elimination adds the fewest edges, of several the one with the
        fewest neighbours; ``min_degree``: the one with the fewest neighbours; ``mcs``: maximum cardinality
        search from the first name, turned round; ``lex_bfs``: lexicographic breadth-first search, turned
        round; ``mcs_m`` and ``lex_m``: their relatives whose fill is minimal. All but ``min_degree`` add
        nothing to a chordal graph.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> path = UndirectedGraph(Schema([Variable(name) for name in "abc"]), [("a", "b"), ("b", "c")])
    >>> find_elimination_order(path), find_elimination_order(path, "mcs")
    ((0, 1, 2), (2, 1, 0))
    """
    require("find_elimination_order", UNDIRECTED, graph)
    if method not in METHODS:
        raise GraphError(f"there is no elimination rule {method!r}; there are {nearest(method, METHODS)}")
    return _scope(_core.elimination_order(graph.rows, graph.ties, method))


def find_perfect_elimination_order(graph: UndirectedGraph) -> Scope | None:
    """An order whose elimination adds no edge; None if the graph is not chordal.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> find_perfect_elimination_order(square) is None
    True
    >>> find_perfect_elimination_order(square.with_edges([("a", "c")]))
    (3, 2, 1, 0)
    """
    require("find_perfect_elimination_order", UNDIRECTED, graph)
    order = _core.perfect_order(graph.rows, graph.ties)
    return None if order is None else _scope(order)


def is_chordal(graph: UndirectedGraph) -> bool:
    """Whether every cycle of four or more variables has a chord."""
    require("is_chordal", UNDIRECTED, graph)
    return find_perfect_elimination_order(graph) is not None


def find_chordless_cycle(graph: UndirectedGraph) -> Scope | None:
    """The variables, in turn, of a cycle of at least four that has no chord; None if the graph is chordal."""
    require("find_chordless_cycle", UNDIRECTED, graph)
    return _scope(_core.chordless_cycle(graph.rows, graph.ties)) or None


def require_perfect_order(graph: UndirectedGraph, what: str) -> Scope:
    """A perfect elimination order, or a `GraphError` that shows a chordless cycle."""
    order = find_perfect_elimination_order(graph)
    if order is not None:
        return order
    cycle = find_chordless_cycle(graph)
    assert cycle is not None
    shown = " - ".join(graph.schema.names_of((*cycle, cycle[0])))
    raise GraphError(
        f"{what} needs a chordal graph; this one has the chordless cycle {shown}; triangulate it first"
    )


@in_range
def find_maximal_cliques(graph: UndirectedGraph, *, limit: int = 1_000_000) -> tuple[Scope, ...]:
    """All maximal cliques, each and all in the order of the names.

    Takes linear time for a chordal graph. Any other graph can have exponentially many cliques.

    Parameters
    ----------
    limit
        Refuse, with a `GraphError`, to list more cliques than this.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> find_maximal_cliques(UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "a")]))
    ((0, 1, 2), (3,))
    """
    require("find_maximal_cliques", UNDIRECTED, graph)
    if limit < 0:
        raise SettingError(f"limit= of find_maximal_cliques is at least 0; found {limit}")
    found = _core.maximal_cliques(graph.rows, graph.ties, limit)
    if found is None:
        raise GraphError(
            f"the graph of {len(graph.schema)} variables and {graph.n_edges} edges has more than {limit} "
            "maximal cliques; raise limit= or triangulate it first (a chordal graph has at most one clique "
            "per variable)"
        )
    return to_sets(*found)


def _scope(order: npt.NDArray[np.uint32]) -> Scope:
    return tuple(order.tolist())


@dataclass(frozen=True)
class Triangulation:
    """What eliminating all variables of a graph, in a given order, leaves behind.

    Made by :func:`eliminate` and :func:`triangulate`, which prove that `graph` is chordal and contains the
    original.

    Attributes
    ----------
    graph, added
        The chordal graph, and that of the added edges alone.
    order
        The elimination order that made it, perfect for `graph`.
    cliques, width
        The maximal cliques of `graph`, each and all in the order of the names; size of the largest less one.
    """

    graph: UndirectedGraph
    added: UndirectedGraph
    order: Scope
    cliques: tuple[Scope, ...]
    width: int

    @property
    def schema(self) -> Schema:
        return self.graph.schema

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
    require("eliminate", UNDIRECTED, graph)
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
    """A chordal graph that contains the given one, by a rule of :func:`find_elimination_order`.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> triangulate(square).fill_edges()
    [('b', 'd')]
    """
    require("triangulate", UNDIRECTED, graph)
    return eliminate(graph, find_elimination_order(graph, method))


def triangulate_minimally(graph: UndirectedGraph) -> Triangulation:
    """A triangulation of which no added edge can be spared, by MCS-M [1]_.

    Minimal is not minimum: another triangulation may add fewer edges, as min-fill often does.

    References
    ----------
    .. [1] Berry, Blair, Heggernes & Peyton (2004). Maximum cardinality search for computing minimal
       triangulations of graphs. Algorithmica 39, 287-298.
    """
    require("triangulate_minimally", UNDIRECTED, graph)
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
    require("make_minimal", UNDIRECTED, graph)
    if not graph.is_subgraph_of(chordal):
        lost = UndirectedGraph.of_rows(graph.schema, graph.rows & ~chordal.rows).edges()[0]
        raise GraphError(
            f"the chordal graph must contain the other one; it lacks the edge {lost[0]} - {lost[1]}"
        )
    require_perfect_order(chordal, "dropping redundant fill")
    rows = _core.make_minimal(graph.rows, chordal.rows, graph.ties)
    cover = UndirectedGraph.of_rows(graph.schema, rows)
    return eliminate(graph, require_perfect_order(cover, "a triangulation"))


LARGEST_CORE = 64


def degeneracy(graph: UndirectedGraph) -> int:
    """The largest minimum degree over all subgraphs; a lower bound of the treewidth."""
    require("degeneracy", UNDIRECTED, graph)
    return _core.degeneracy(graph.rows)


def bound_treewidth_below(graph: UndirectedGraph) -> int:
    """A width that no triangulation can go below.

    The better of the degeneracy and its counterpart over minors, found by contracting a variable of least
    degree into the neighbour with which it shares least ("least-c" contraction degeneracy [1]_).

    References
    ----------
    .. [1] Bodlaender & Koster (2011). Treewidth computations II. Lower bounds. Information and Computation
       209, 1103-1119.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> bound_treewidth_below(square), bound_treewidth_above(square), prove_treewidth(square)
    (2, 2, 2)
    """
    require("bound_treewidth_below", UNDIRECTED, graph)
    return max(degeneracy(graph), _core.contraction_bound(graph.rows, graph.ties))


def bound_treewidth_above(graph: UndirectedGraph) -> int:
    """The width of :func:`triangulate_narrowly`, without building it."""
    require("bound_treewidth_above", UNDIRECTED, graph)
    return _core.bound_treewidth(graph.rows, graph.ties, 0)[1]


def triangulate_narrowly(graph: UndirectedGraph) -> Triangulation:
    """The narrowest triangulation that the rules of thumb find.

    Reduces the graph by safe rules, which cost no width, splits it into blocks, and takes for each block the
    best of min-fill, min-degree, MCS-M and LEX M.
    """
    require("triangulate_narrowly", UNDIRECTED, graph)
    return eliminate(graph, _core.bound_treewidth(graph.rows, graph.ties, 0)[2].tolist())


@in_range
def prove_treewidth(graph: UndirectedGraph, *, limit: int = 30) -> int:
    """The treewidth, proved; -1 without variables.

    Simplicial and almost simplicial variables are eliminated and the rest is split into blocks, which leaves
    the answer as it is [1]_; what the bounds leave open is searched, elimination order by elimination order.

    Parameters
    ----------
    limit
        The largest core, in variables, that may be searched (at most 64) in time that can be exponential in
        it. A larger one raises `TreewidthError`, naming the bounds; `graph` itself may be of any size.

    References
    ----------
    .. [1] Bodlaender, Koster & van den Eijkhof (2005). Preprocessing rules for triangulation of probabilistic
       networks. Computational Intelligence 21, 286-305.
    """
    require("prove_treewidth", UNDIRECTED, graph)
    return _settled(graph, limit)[0]


@in_range
def triangulate_optimally(graph: UndirectedGraph, *, limit: int = 30) -> Triangulation:
    """A triangulation whose width is the treewidth; see :func:`prove_treewidth`."""
    require("triangulate_optimally", UNDIRECTED, graph)
    return eliminate(graph, _settled(graph, limit)[1])


@in_range
def fits(graph: UndirectedGraph, width: int) -> Scope | None:
    """An elimination order of at most the given width, or None if none was found.

    Never accepts wrongly. Eliminates simplicial and almost simplicial variables while there are any, which is
    safe, and by min-fill only when there are none; so it can reject wrongly, but not for a width up to two.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> triangle = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("a", "c")])
    >>> fits(triangle, 1) is None, fits(triangle, 2)
    (True, (0, 1, 2))
    """
    if width < 0:
        raise TreewidthError(f"a width bound is at least 0; found {width}")
    order = _core.fits(graph.rows, graph.ties, width)
    return None if order is None else tuple(order.tolist())


def _settled(graph: UndirectedGraph, limit: int) -> tuple[int, Scope]:
    if not 0 <= limit <= LARGEST_CORE:
        raise TreewidthError(f"limit= is a number of variables from 0 to {LARGEST_CORE}; found {limit}")
    lower, upper, order, unresolved = _core.bound_treewidth(graph.rows, graph.ties, limit)
    if unresolved:
        raise TreewidthError(
            f"the treewidth lies between {lower} and {upper}; a core of {unresolved} variables is left to "
            f"search, more than limit={limit}; raise limit= (at most {LARGEST_CORE}) or settle for the bounds"
        )
    return upper, tuple(order.tolist())
