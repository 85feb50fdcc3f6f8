"""Edges as people write them and as the core reads them.

People write pairs of names; inside, an edge is a sorted pair of indices, and many edges are one array with
two columns.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from treewright.errors import GraphError
from treewright.tables.schema import NameOrIndex, Schema

Edge = tuple[int, int]
EdgeLike = tuple[NameOrIndex, NameOrIndex]
EdgeArray = npt.NDArray[np.uint32]


def edge(u: int, v: int) -> Edge:
    """The undirected edge between two variables, given by index: the smaller one first.

    Examples
    --------
    >>> edge(3, 1)
    (1, 3)
    """
    return (u, v) if u < v else (v, u)


def read_edge(schema: Schema, item: object) -> Edge:
    """One edge by names or indices; refuses anything that is not a pair of different variables."""
    try:
        u, v = item  # type: ignore[misc]
    except (TypeError, ValueError):
        u = v = None
    if u is None or isinstance(item, str):
        raise GraphError(f"an edge is a pair of variables; found {item!r}")
    first, second = schema.index(u), schema.index(v)
    if first == second:
        raise GraphError(f"an edge joins two different variables; found {schema.names[first]!r} twice")
    return edge(first, second)


def read_edges(schema: Schema, edges: Iterable[EdgeLike] | npt.NDArray[np.integer]) -> EdgeArray:
    """Many edges by names or indices, or an integer array with two columns, as an array of indices."""
    if isinstance(edges, np.ndarray):
        return _checked(schema, edges)
    pairs = [read_edge(schema, item) for item in edges]
    return np.array(pairs, dtype=np.uint32).reshape(-1, 2)


def _checked(schema: Schema, pairs: npt.NDArray[np.integer]) -> EdgeArray:
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise GraphError(
            f"an array of edges has two columns of integers; found shape {pairs.shape} of {pairs.dtype}"
        )
    outside = pairs[(pairs < 0) | (pairs >= len(schema))]
    if outside.size:
        schema.index(int(outside[0]))  # raises, naming the number
    loops = pairs[pairs[:, 0] == pairs[:, 1], 0]
    if loops.size:
        raise GraphError(f"an edge joins two different variables; found {schema.names[loops[0]]!r} twice")
    return np.ascontiguousarray(pairs, dtype=np.uint32)
