"""Colliders: the directions that separators reveal.

Where u - w - v with u and v apart, w is a collider (u -> w <- v) exactly when the set that separates u from v
leaves w out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from treewright.errors import GraphError
from treewright.graphs.directed.dag import Collider
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc

GivenCollider = tuple[NameOrIndex, NameOrIndex, NameOrIndex]


def find_colliders(skeleton: UndirectedGraph, separators: Mapping[Arc, Iterable[int]]) -> list[Collider]:
    """Index triples (u, w, v) whose middle is not in the separator of u and v.

    Parameters
    ----------
    separators
        For pairs of indices, in either order, a set that separates them. A pair without an entry makes no
        claim.

    Returns
    -------
    list of triples
        By the names of u, v and w; u before v by name.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> graph = UndirectedGraph(Schema([Variable(name) for name in "abc"]), [("a", "c"), ("b", "c")])
    >>> find_colliders(graph, {(0, 1): ()}), find_colliders(graph, {(0, 1): (2,)})
    ([(0, 2, 1)], [])
    """
    names = skeleton.schema.names
    around: dict[int, set[int]] = {}
    for u, v in skeleton.index_edges():
        around.setdefault(u, set()).add(v)
        around.setdefault(v, set()).add(u)
    colliders: list[Collider] = []
    for w, neighbours in around.items():
        for u, v in combinations(skeleton.schema.by_name(neighbours), 2):
            if v in around[u]:
                continue
            separator = separators.get((u, v), separators.get((v, u)))
            if separator is not None and w not in separator:
                colliders.append((u, w, v))
    return sorted(colliders, key=lambda c: (names[c[0]], names[c[2]], names[c[1]]))


def point_colliders(skeleton: UndirectedGraph, colliders: Iterable[GivenCollider]) -> Pdag:
    """The skeleton with the edges of the colliders directed into their middles.

    Raises
    ------
    GraphError
        When a collider lacks an edge, is shielded, or two of them direct one edge both ways.
    """
    schema = skeleton.schema
    heads: dict[Arc, Collider] = {}
    for collider in colliders:
        u, w, v = resolve_collider(skeleton, collider)
        for end in (u, v):
            if (w, end) in heads:
                raise GraphError(
                    f"colliders direct the edge of {schema.names[end]!r} and {schema.names[w]!r} both ways: "
                    f"{_text(schema, heads[w, end])} and {_text(schema, (u, w, v))}"
                )
            heads[end, w] = (u, w, v)
    return Pdag(schema, heads, undirected_rest(skeleton, heads))


def resolve_collider(skeleton: UndirectedGraph, collider: GivenCollider) -> Collider:
    """Indices of a collider, checked against the skeleton."""
    schema = skeleton.schema
    u, w, v = schema.scope(collider)
    for end in (u, v):
        if not skeleton.adjacent(end, w):
            missing = f"{schema.names[end]} - {schema.names[w]}"
            raise GraphError(f"collider {_text(schema, (u, w, v))} needs the edge {missing}; there is none")
    if skeleton.adjacent(u, v):
        ends = f"{schema.names[u]!r} and {schema.names[v]!r}"
        raise GraphError(f"{_text(schema, (u, w, v))} is no v-structure: {ends} are adjacent")
    return u, w, v


def undirected_rest(skeleton: UndirectedGraph, arcs: Iterable[Arc]) -> list[Arc]:
    """The edges of a skeleton that no arc has taken."""
    taken = {(min(arc), max(arc)) for arc in arcs}
    return [edge for edge in skeleton.index_edges() if (min(edge), max(edge)) not in taken]


def _text(schema: Schema, collider: Collider) -> str:
    u, w, v = schema.names_of(collider)
    return f"{u} -> {w} <- {v}"
