"""The edges of any structure, as a picture needs them: which end is on top, and where the arrow is.

A layered picture needs an acyclic graph. Directed edges give the order; undirected ones follow it, or,
where there is no direction at all, point away from the best connected nodes. Arcs of a learned network that
rows do not direct give the order too, but are drawn without an arrow. An edge whose direction runs
against the order (there are such only when directed edges form a cycle, as conflicting tests can make
them) is drawn with the arrow on top.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from treewright.tables.schema import Schema
from treewright.types import Arc


@dataclass(frozen=True)
class Link:
    """One edge, from the upper to the lower node."""

    arc: Arc
    arrow: Literal["none", "down", "up"]


def links_of(structure: Any) -> list[Link]:
    """Links of a directed, partly directed or undirected graph.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> links_of(load_network("asia").dag)[0]
    Link(arc=(0, 1), arrow='down')
    """
    directed, undirected = _edges(structure)
    rank = _ranks(structure.schema, directed, undirected)
    pattern = getattr(structure, "pattern", None)
    if pattern is not None:  # a network has an order of all its arcs, those that could be turned included
        directed, undirected = _edges(pattern, structure.schema)
    links = [Link((u, v), "down") if rank[u] < rank[v] else Link((v, u), "up") for u, v in directed]
    links += [Link((u, v) if rank[u] < rank[v] else (v, u), "none") for u, v in undirected]
    return links


def _edges(structure: Any, over: Schema | None = None) -> tuple[list[Arc], list[Arc]]:
    schema: Schema = over or structure.schema

    def indices(pairs: Sequence[tuple[str, str]]) -> list[Arc]:
        return [(schema.index(u), schema.index(v)) for u, v in pairs]

    if hasattr(structure, "undirected_edges"):
        return indices(structure.directed_edges()), indices(structure.undirected_edges())
    edges = indices(structure.edges())
    return (edges, []) if hasattr(structure, "parents") else ([], edges)


def _ranks(schema: Schema, directed: Sequence[Arc], undirected: Sequence[Arc]) -> list[int]:
    """What stands above what: by arcs, or by distance from the best connected; ties by name."""
    place = schema.name_ranks
    arcs = [(place[u], place[v]) for u, v in directed or undirected]
    rank = (_topological if directed else _breadth_first)(len(place), arcs)
    return [rank[i] for i in place]


def _topological(n: int, arcs: Sequence[Arc]) -> list[int]:
    """Parents before children, smaller numbers first; a cycle is entered at its smallest number."""
    children: list[list[int]] = [[] for _ in range(n)]
    waiting = [0] * n
    for u, v in arcs:
        children[u].append(v)
        waiting[v] += 1
    ready = [v for v in range(n) if waiting[v] == 0]
    left = dict.fromkeys(range(n))
    rank = [0] * n
    while left:
        u = heapq.heappop(ready) if ready else next(iter(left))
        if u not in left:  # it opened a cycle before it was ready
            continue
        rank[u] = n - len(left)
        del left[u]
        for v in children[u]:
            waiting[v] -= 1
            if waiting[v] == 0:
                heapq.heappush(ready, v)
    return rank


def _breadth_first(n: int, pairs: Sequence[Arc]) -> list[int]:
    """Numbers along a breadth-first walk from the best connected nodes."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for u, v in pairs:
        neighbours[u].append(v)
        neighbours[v].append(u)
    rank = [-1] * n
    count = 0
    for start in sorted(range(n), key=lambda v: (-len(neighbours[v]), v)):
        queue = [start] if rank[start] < 0 else []
        for u in queue:  # grows while it is walked
            if rank[u] < 0:
                rank[u] = count
                count += 1
                queue.extend(sorted(v for v in neighbours[u] if rank[v] < 0))
    return rank
