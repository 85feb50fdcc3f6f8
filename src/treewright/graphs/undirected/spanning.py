"""Best trees over all pairs of variables: the maximum spanning forest and the maximum branching.

Weights are a dense matrix over the variables of a schema. Ties go by name, so that the tree does not depend
on the order of the columns; both run in O(n^2).
"""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import SCHEMA, as_numbers, require
from treewright.errors import GraphError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.edges import as_pairs
from treewright.graphs.ranked import ranks_by_name
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.ranges import in_range
from treewright.tables.schema import Schema

WeightMatrix = npt.NDArray[Any]  # of float64 or int64


@in_range
def find_maximum_spanning_forest(
    schema: Schema, weights: npt.ArrayLike, *, threshold: float | None = None
) -> UndirectedGraph:
    """Join the variables at the largest total weight without a cycle (Prim 1957).

    Parameters
    ----------
    weights
        A symmetric matrix; the diagonal is not read. Integers are compared exactly.
    threshold
        Only pairs that weigh more are joined, so the result may fall into several trees. By default every
        pair may be, and the result is one tree.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> weights = [[0, 3, 2], [3, 0, 1], [2, 1, 0]]
    >>> find_maximum_spanning_forest(schema, weights).edges()
    [('a', 'b'), ('a', 'c')]
    >>> find_maximum_spanning_forest(schema, weights, threshold=2).edges()
    [('a', 'b')]
    """
    require("find_maximum_spanning_forest", SCHEMA, schema)
    matrix = _square(schema, weights)
    u, v = _core.first_asymmetry(matrix)
    if u < len(schema):
        raise GraphError(
            f"weights of pairs must be symmetric numbers; found {matrix[u, v]} for {schema.names[u]!r}, "
            f"{schema.names[v]!r} and {matrix[v, u]} for the pair turned round"
        )
    if np.issubdtype(matrix.dtype, np.integer) and threshold is not None:
        threshold = floor(threshold)  # above 2.5 means above 2
    bound = np.array([] if threshold is None else [threshold], dtype=matrix.dtype)
    edges = _core.maximum_spanning_forest(matrix, bound, ranks_by_name(schema))
    return UndirectedGraph(schema, as_pairs(edges))


def find_maximum_branching(
    schema: Schema, weights: npt.ArrayLike, *, root_weights: npt.ArrayLike | None = None
) -> Dag:
    """Give each variable at most one parent, without a cycle, at the largest total weight (Edmonds 1967).

    Parameters
    ----------
    weights
        `weights[u, v]` is what the arc u -> v gains; minus infinity forbids it. The diagonal is not read.
    root_weights
        What a variable gains by having no parent; zero by default, so only arcs that raise the total are
        drawn.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> find_maximum_branching(schema, [[0, 5, 1], [6, 0, 4], [0, 0, 0]]).edges()
    [('b', 'a'), ('b', 'c')]
    """
    require("find_maximum_branching", SCHEMA, schema)
    matrix = _square(schema, weights).astype(np.float64)
    np.fill_diagonal(matrix, -np.inf)
    roots = np.zeros(len(schema)) if root_weights is None else as_numbers("root weights", root_weights)
    if roots.shape != (len(schema),) or not np.isfinite(roots).all():
        raise GraphError(f"root weights are one finite number for each of the {len(schema)} variables")
    wrong = np.argwhere(np.isnan(matrix) | (matrix == np.inf))
    if len(wrong):
        u, v = wrong[0].tolist()
        raise GraphError(
            f"the weight of {schema.names[u]} -> {schema.names[v]} must be a number below infinity; "
            f"found {matrix[u, v]}"
        )
    parents = _core.maximum_branching(matrix, roots, ranks_by_name(schema))
    heads = np.flatnonzero(parents >= 0)
    return Dag(schema, zip(parents[heads].tolist(), heads.tolist(), strict=True))


def _square(schema: Schema, weights: npt.ArrayLike) -> WeightMatrix:
    given = np.asarray(weights)
    exact = np.issubdtype(given.dtype, np.signedinteger)
    matrix: WeightMatrix = np.ascontiguousarray(given) if exact else as_numbers("weights of pairs", weights)
    matrix = matrix.astype(np.int64, copy=False) if exact else matrix
    n = len(schema)
    if matrix.size == 0 and n == 0:
        return matrix.reshape(0, 0)
    if matrix.shape != (n, n):
        raise GraphError(f"weights of {n} variables are a {n} x {n} matrix; found shape {matrix.shape}")
    return matrix
