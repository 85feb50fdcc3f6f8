"""Strong elimination: numbers before labels, as exact answers about both kinds need it (Lauritzen 1992).

Eliminating numbers that hang together joins all labels around them, in whatever order they go: the answer
about them has a Normal for each joint state of these labels. The *strong graph* has these edges, and
putting numbers first costs it no width: what hangs together lies apart from everything else but its labels,
these are a clique, and a clique may go last in a chordal graph. So the strong treewidth of a graph is the
treewidth of its strong graph. Where there is one kind of variable only, both are the plain ones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import UNDIRECTED, require
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import (
    Triangulation,
    eliminate,
    find_elimination_order,
    triangulate_narrowly,
)
from treewright.tables.schema import Schema
from treewright.types import Scope


def which_numbers(schema: Schema) -> npt.NDArray[np.bool_]:
    """Whether each variable is a number."""
    return np.array([not variable.is_discrete for variable in schema], dtype=np.bool_)


def build_strong_graph(graph: UndirectedGraph) -> UndirectedGraph:
    """The graph with the labels around each set of numbers that hang together joined.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("a", ("u", "v")), Variable("b", ("u", "v")), Variable("x"), Variable("y")])
    >>> graph = UndirectedGraph(schema, [("a", "x"), ("x", "y"), ("y", "b")])
    >>> build_strong_graph(graph).edges()
    [('a', 'b'), ('a', 'x'), ('b', 'y'), ('x', 'y')]
    """
    require("build_strong_graph", UNDIRECTED, graph)
    if len({variable.is_discrete for variable in graph.schema}) < 2:
        return graph
    rows = _core.strong_graph(graph.rows, graph.ties, which_numbers(graph.schema))
    return UndirectedGraph.of_rows(graph.schema, rows)


def triangulate_strongly(graph: UndirectedGraph, order: Scope | None = None) -> Triangulation:
    """Eliminate numbers first, then labels, as narrow as an elimination order is on the strong graph.

    Parameters
    ----------
    order
        Of all variables; by default min-fill on the strong graph.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("a", ("u", "v")), Variable("b", ("u", "v")), Variable("x"), Variable("y")])
    >>> found = triangulate_strongly(UndirectedGraph(schema, [("a", "x"), ("x", "y"), ("y", "b")]))
    >>> schema.names_of(found.order), found.width
    (('y', 'x', 'a', 'b'), 2)
    """
    require("triangulate_strongly", UNDIRECTED, graph)
    asked = find_elimination_order(build_strong_graph(graph)) if order is None else order
    if len({variable.is_discrete for variable in graph.schema}) < 2:
        return eliminate(graph, asked)
    given = np.array(asked, dtype=np.uint32)
    found = _core.strong_order(graph.rows, graph.ties, which_numbers(graph.schema), given)
    return eliminate(graph, found.tolist())


def triangulate_strongly_and_narrowly(graph: UndirectedGraph) -> Triangulation:
    """The narrowest that the rules of thumb find: see :func:`triangulate_narrowly`."""
    require("triangulate_strongly_and_narrowly", UNDIRECTED, graph)
    return triangulate_strongly(graph, triangulate_narrowly(build_strong_graph(graph)).order)
