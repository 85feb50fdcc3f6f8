"""Which of two searches to trust, from the shape of what they found.

The walk of the blankets joint posterior from a sparse start is the better one where some variables have many
neighbours and most have few, or where the graph is nearly a tree. Where neighbours are spread evenly, or are
neighbours of each other, it misses edges that the marginal pseudo-likelihood finds, and the walk of the
independence-based score from there is better. The learned graphs show which case it is.

The bounds were chosen on draws from seventeen graphs of ten families, and checked on other draws and other
graphs.
"""

from __future__ import annotations

import numpy as np

from treewright.graphs import UndirectedGraph
from treewright.graphs._bits import unpack

# Degrees that spread like those of a random graph have a variance equal to their mean.
UNEVEN = 1.5
EVEN = 0.9
# A tree has a mean degree just below two, of which few rows show a part.
FEW_NEIGHBOURS = 1.5
CLUSTERED = 0.2
# Fewer variables have no shape to speak of.
ENOUGH_VARIABLES = 12
MORE_CLUSTERED = 0.02


def degree_spread(graph: UndirectedGraph) -> float:
    """Variance of the degrees over their mean; 1 for random graphs, 0 for regular ones."""
    degrees = graph.degrees()
    mean = float(degrees.mean()) if len(degrees) else 0.0
    return float(degrees.var()) / mean if mean else 0.0


def mean_degree(graph: UndirectedGraph) -> float:
    return 2 * graph.n_edges / max(1, len(graph.schema))


def clustering(graph: UndirectedGraph) -> float:
    """Mean over variables of the share of its pairs of neighbours that are joined (Watts & Strogatz 1998).

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> clustering(UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]))
    0.5833333333333334
    """
    joined = unpack(graph.rows).astype(np.float64)
    if not len(joined):
        return 0.0
    degrees = joined.sum(axis=1)
    pairs = degrees * (degrees - 1)
    closed = ((joined @ joined) * joined).sum(axis=1)
    shares = np.divide(closed, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return float(shares.mean())


def may_be_even(walked: UndirectedGraph) -> bool:
    """Whether a second search is worth its time: with hubs the walk is right."""
    return len(walked.schema) >= ENOUGH_VARIABLES and degree_spread(walked) < UNEVEN


def is_even(walked: UndirectedGraph, pseudo: UndirectedGraph) -> bool:
    """Whether to leave the walk's graph for a walk from that of the marginal pseudo-likelihood."""
    if not may_be_even(walked):
        return False
    spread_evenly = degree_spread(walked) < EVEN and mean_degree(walked) >= FEW_NEIGHBOURS
    closed = clustering(pseudo)
    return spread_evenly or (closed > CLUSTERED and closed > clustering(walked) + MORE_CLUSTERED)
