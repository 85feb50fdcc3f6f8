"""Pairs of variables on their way between people, Python and the native core.

People write names, Python keeps sorted tuples of index pairs, the core takes arrays with two columns.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from treewright.errors import GraphError
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc, Scope

NamedArc = tuple[str, str]
Pairs = npt.NDArray[np.uint32]
GivenPairs = Iterable[tuple[NameOrIndex, NameOrIndex]]


def resolve_pairs(schema: Schema, pairs: GivenPairs) -> list[Arc]:
    """Index pairs of edges given by names or indices; a variable joined with itself is refused."""
    resolved = [_resolve(schema, pair) for pair in pairs]
    for u, v in resolved:
        if u == v:
            raise GraphError(f"an edge joins two variables; found {schema.names[u]!r} joined with itself")
    return resolved


def _resolve(schema: Schema, pair: tuple[NameOrIndex, NameOrIndex]) -> Arc:
    if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise GraphError(f"an edge is a pair of variables; found {pair!r}")
    return schema.index(pair[0]), schema.index(pair[1])


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


def path_text(schema: Schema, path: Scope) -> str:
    """A directed path as people draw it: a -> b -> c."""
    return " -> ".join(schema.names_of(path))
