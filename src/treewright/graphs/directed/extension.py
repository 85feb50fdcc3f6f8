"""From a partially directed graph to a DAG.

A consistent extension directs the undirected edges so that no cycle and no new v-structure appears. Dor &
Tarsi (1992) build one backwards: find a vertex that can be last, point everything at it, take it out, go on.
Here it is always the one with the largest name, so that a graph has one canonical extension whatever the
column order.
"""

from __future__ import annotations

from treewright import _core
from treewright.errors import CycleError
from treewright.graphs.directed.arcs import as_array, as_pairs, path_text
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.ranked import ranks_by_name


def consistent_extension(graph: Pdag) -> Dag | None:
    """Extend to a DAG with the same skeleton, arrows and v-structures; None when there is none.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> consistent_extension(Pdag(schema, [], [("a", "b"), ("b", "c")])).edges()
    [('a', 'b'), ('b', 'c')]
    >>> square = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
    >>> consistent_extension(Pdag(schema, [], square)) is None
    True
    """
    arcs = _core.consistent_extension(len(graph.schema), *graph.marks, ranks_by_name(graph.schema))
    return None if arcs is None else Dag(graph.schema, as_pairs(arcs))


def nearest_extension(graph: Pdag) -> Dag:
    """Extend to a DAG with the same skeleton and arrows, adding v-structures only where nothing else is left.

    It is the consistent extension when there is one. Where no vertex can be last without a new v-structure,
    the one that makes fewest is.

    Raises
    ------
    CycleError
        When the arrows themselves close a cycle.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = Pdag(schema, [], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    >>> nearest_extension(square).edges()
    [('a', 'b'), ('a', 'd'), ('b', 'c'), ('c', 'd')]
    """
    cycle = directed_cycle(graph)
    if cycle:
        raise CycleError(f"the arrows close a directed cycle: {cycle}")
    arcs = _core.nearest_extension(len(graph.schema), *graph.marks, ranks_by_name(graph.schema))
    return Dag(graph.schema, as_pairs(arcs))


def directed_cycle(graph: Pdag) -> str:
    """One directed cycle in words; empty when there is none."""
    arrows = as_array(graph.index_directed_edges())
    cycle = _core.find_cycle(len(graph.schema), arrows, ranks_by_name(graph.schema))
    return path_text(graph.schema, (*cycle, cycle[0])) if cycle else ""
