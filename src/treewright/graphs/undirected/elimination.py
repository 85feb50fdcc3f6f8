"""Elimination orders, and the graphs that have perfect ones.

Eliminating a variable joins its remaining neighbours and takes it away. A graph in which some order never has
to add an edge is chordal: every cycle of four or more has a chord. Finding the best order of any other graph
is hard; the rules here are the well-known good guesses. Ties are broken by the names of the variables, so
results do not depend on the order of the columns.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import GraphError, nearest
from treewright.graphs._bits import to_sets
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.types import Scope

Method = Literal["min_fill", "min_degree", "mcs", "mcs_m", "lex_bfs", "lex_m"]
METHODS: tuple[str, ...] = get_args(Method)


def elimination_order(graph: UndirectedGraph, method: Method = "min_fill") -> Scope:
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
    >>> elimination_order(path), elimination_order(path, "mcs")
    ((0, 1, 2), (2, 1, 0))
    """
    if method not in METHODS:
        raise GraphError(f"there is no elimination rule {method!r}; there are {nearest(method, METHODS)}")
    return _scope(_core.elimination_order(graph.rows, graph.ties, method))


def perfect_elimination_order(graph: UndirectedGraph) -> Scope | None:
    """An order whose elimination adds no edge; None if the graph is not chordal.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> perfect_elimination_order(square) is None
    True
    >>> perfect_elimination_order(square.with_edges([("a", "c")]))
    (3, 2, 1, 0)
    """
    order = _core.perfect_order(graph.rows, graph.ties)
    return None if order is None else _scope(order)


def is_chordal(graph: UndirectedGraph) -> bool:
    """Whether every cycle of four or more variables has a chord."""
    return perfect_elimination_order(graph) is not None


def chordless_cycle(graph: UndirectedGraph) -> Scope | None:
    """The variables, in turn, of a cycle of at least four that has no chord; None if the graph is chordal."""
    return _scope(_core.chordless_cycle(graph.rows, graph.ties)) or None


def require_perfect_order(graph: UndirectedGraph, what: str) -> Scope:
    """A perfect elimination order, or a `GraphError` that shows a chordless cycle."""
    order = perfect_elimination_order(graph)
    if order is not None:
        return order
    cycle = chordless_cycle(graph)
    assert cycle is not None
    shown = " - ".join(graph.schema.names_of((*cycle, cycle[0])))
    raise GraphError(
        f"{what} needs a chordal graph; this one has the chordless cycle {shown}; triangulate it first"
    )


def maximal_cliques(graph: UndirectedGraph, *, limit: int = 1_000_000) -> tuple[Scope, ...]:
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
    >>> maximal_cliques(UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "a")]))
    ((0, 1, 2), (3,))
    """
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
