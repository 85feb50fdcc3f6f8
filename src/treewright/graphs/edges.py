"""Edges on their way between people, Python and the native core.

People write pairs of names; Python keeps sorted pairs of indices, the smaller one first where there is no
direction; the core takes one array with two columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import described, require_several
from treewright.errors import ArgumentError, GraphError
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc, Scope

Edge = tuple[int, int]
EdgeLike = tuple[NameOrIndex, NameOrIndex]
NamedArc = tuple[str, str]
Pairs = npt.NDArray[np.uint32]
GivenPairs = Iterable[EdgeLike]


def edge(u: int, v: int) -> Edge:
    """The undirected edge between two variables, given by index: the smaller one first.

    Examples
    --------
    >>> edge(3, 1)
    (1, 3)
    """
    return (u, v) if u < v else (v, u)


def require_schema(schema: object) -> None:
    """Refuse what came in the place of a graph's schema, such as its edges."""
    if not isinstance(schema, Schema):
        raise ArgumentError(
            f"a graph is made over a schema, then its edges; found {described(schema)} in the place of the "
            "schema: write tw.Dag(table.schema, edges), or make one by "
            "tw.Schema([tw.Variable('a', ('no', 'yes')), ...])"
        )


def read_edges(schema: Schema, edges: Iterable[EdgeLike] | npt.NDArray[np.integer]) -> Pairs:
    """Many edges by names or indices, or an integer array with two columns, as an array of indices."""
    require_schema(schema)
    pairs: npt.NDArray[np.integer]
    if isinstance(edges, np.ndarray):
        pairs = edges
    else:
        require_several("edges are a sequence of pairs", edges)
        pairs = np.sort(as_array(_resolve(schema, pair) for pair in edges), axis=1)
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


def resolve_pairs(schema: Schema, pairs: GivenPairs) -> list[Arc]:
    """Index pairs of edges given by names or indices; a variable joined with itself is refused."""
    require_schema(schema)
    require_several("edges are a sequence of pairs", pairs)
    given = list(pairs)
    resolved = _resolve_all(schema, given)
    if len(resolved) < len(given):
        resolved = [_resolve(schema, pair) for pair in given]
    for u, v in resolved:
        if u == v:
            raise GraphError(f"an edge joins two variables; found {schema.names[u]!r} joined with itself")
    return resolved


def _resolve_all(schema: Schema, pairs: list[Any]) -> list[Arc]:
    """Tuples of numbers or of names, as they mostly come, and not one by one; fewer where one is odd."""
    if set(map(type, pairs)) != {tuple} or set(map(len, pairs)) != {2}:
        return []
    kinds = set(map(type, chain.from_iterable(pairs)))
    if kinds == {int} and min(map(min, pairs)) >= 0 and max(map(max, pairs)) < len(schema):
        return pairs
    if kinds != {str}:
        return []
    at = {name: schema.index(name) for name in set(chain.from_iterable(pairs)) if name in schema}
    return [(at[u], at[v]) for u, v in pairs if u in at and v in at]


def _resolve(schema: Schema, pair: EdgeLike) -> Arc:
    if type(pair) is tuple and len(pair) == 2:  # mostly so, and asked for every edge
        return schema.index(pair[0]), schema.index(pair[1])
    if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise GraphError(f"an edge is a pair of variables; found {pair!r}")
    u, v = pair
    return schema.index(u), schema.index(v)


def as_array(pairs: Iterable[Arc]) -> Pairs:
    """The two-column array that the core takes; empty lists keep their two columns."""
    return np.array(list(pairs), dtype=np.uint32).reshape(-1, 2)


def as_pairs(array: Pairs) -> tuple[Arc, ...]:
    """Index pairs of a two-column array, sorted."""
    return tuple(sorted((u, v) for u, v in array.tolist()))


def named_pairs(schema: Schema, pairs: Iterable[Arc], *, ordered: bool) -> list[NamedArc]:
    """Name pairs, sorted; where the two ends have no order, the smaller name comes first."""
    named = ((schema.names[u], schema.names[v]) for u, v in pairs)
    return sorted(named if ordered else ((min(pair), max(pair)) for pair in named))


def listed(names: Iterable[str], *, limit: int = 8) -> str:
    """Names for a message, cut where a reader would stop."""
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more


def cycle_text(schema: Schema, arcs: Iterable[Arc]) -> str:
    """One directed cycle as people draw it; empty when there is none."""
    cycle = _core.find_cycle(len(schema), as_array(arcs), np.array(schema.name_ranks, dtype=np.uint32))
    return path_text(schema, (*cycle, cycle[0])) if cycle else ""


def path_text(schema: Schema, path: Scope) -> str:
    """A directed path as people draw it: a -> b -> c."""
    return " -> ".join(schema.names_of(path))
