"""Treewidth: the least width of all triangulations of a graph.

It decides what exact inference costs. Computing it is hard in general; bounds from both sides are cheap,
often meet, and small graphs can be settled by search. :func:`fits` is the test that bounded-treewidth
learners ask thousands of times: it answers with an elimination order, so a "yes" carries its own proof.
"""

from __future__ import annotations

from treewright import _core
from treewright.errors import TreewidthError
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import Triangulation, eliminate
from treewright.types import Scope

LARGEST_CORE = 64


def degeneracy(graph: UndirectedGraph) -> int:
    """The largest minimum degree over all subgraphs; a lower bound of the treewidth."""
    return _core.degeneracy(graph.rows)


def treewidth_lower_bound(graph: UndirectedGraph) -> int:
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
    >>> treewidth_lower_bound(square), treewidth_upper_bound(square), exact_treewidth(square)
    (2, 2, 2)
    """
    return max(degeneracy(graph), _core.contraction_bound(graph.rows, graph.ties))


def treewidth_upper_bound(graph: UndirectedGraph) -> int:
    """The width of :func:`narrow_triangulation`, without building it."""
    return _core.bound_treewidth(graph.rows, graph.ties, 0)[1]


def narrow_triangulation(graph: UndirectedGraph) -> Triangulation:
    """The narrowest triangulation that the rules of thumb find.

    Reduces the graph by safe rules, which cost no width, splits it into blocks, and takes for each block the
    best of min-fill, min-degree, MCS-M and LEX M.
    """
    return eliminate(graph, _core.bound_treewidth(graph.rows, graph.ties, 0)[2].tolist())


def exact_treewidth(graph: UndirectedGraph, *, limit: int = 30) -> int:
    """The treewidth, proved; -1 without variables.

    Simplicial and almost simplicial variables are eliminated and the rest is split into blocks, which leaves
    the answer as it is [1]_; what the bounds leave open is searched, elimination order by elimination order.

    Parameters
    ----------
    graph
        Any undirected graph, however large, if its reduced core is small.
    limit
        The largest core, in variables, that may be searched (at most 64); the search can take time
        exponential in it. A larger one raises `TreewidthError`, naming the bounds.

    References
    ----------
    .. [1] Bodlaender, Koster & van den Eijkhof (2005). Preprocessing rules for triangulation of probabilistic
       networks. Computational Intelligence 21, 286-305.
    """
    return _settled(graph, limit)[0]


def optimal_triangulation(graph: UndirectedGraph, *, limit: int = 30) -> Triangulation:
    """A triangulation whose width is the treewidth; see :func:`exact_treewidth`."""
    return eliminate(graph, _settled(graph, limit)[1])


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
