"""Where to draw the nodes of an acyclic graph: layer by layer, with few crossings.

The method of Sugiyama, Tagawa & Toda (1981) in four steps: (1) a node's *layer* is the length of the
longest path that leads to it; (2) an arc that spans several layers is cut into unit pieces by invisible
nodes; (3) the order inside each layer follows the mean position (*barycentre*) of the neighbours in the
layer before, swept down and up, and the order with the fewest crossings is kept; (4) positions follow the
neighbours as closely as the order and the widths allow, a least-squares problem that pooling neighbours
solves exactly for one layer at a time.

Connected parts are laid out on their own and placed on shelves. Nothing is random: equal graphs give
equal pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treewright.reports.layout import LayeredGraph, assign_layers
from treewright.types import Arc

Point = tuple[float, float]

_LAYER_GAP = 54.0
_SHELF_GAP = 40.0


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, and the way of each arc: points to pass, first to last."""

    centres: tuple[Point, ...]
    routes: dict[Arc, tuple[Point, ...]]
    width: float
    height: float


def lay_out(sizes: Sequence[tuple[float, float]], arcs: Sequence[Arc]) -> Layout:
    """Lay out an acyclic graph: width and height of each node, and arcs between their numbers.

    Examples
    --------
    >>> layout = lay_out([(40, 20), (40, 20)], [(0, 1)])
    >>> layout.centres
    ((20.0, 10.0), (20.0, 84.0))
    """
    parts = [_lay_out_part(nodes, sizes, arcs) for nodes in _components(len(sizes), arcs)]
    return _on_shelves(parts, len(sizes))


@dataclass
class _Part:
    """One connected part, its corner at the origin."""

    nodes: dict[int, Point]
    routes: dict[Arc, tuple[Point, ...]]
    width: float
    height: float


def _components(n: int, arcs: Sequence[Arc]) -> list[list[int]]:
    """Connected parts, largest first, then by smallest node."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for u, v in arcs:
        neighbours[u].append(v)
        neighbours[v].append(u)
    seen = [False] * n
    parts = []
    for start in range(n):
        if seen[start]:
            continue
        seen[start] = True
        part = [start]
        for u in part:  # grows while it is walked
            for v in neighbours[u]:
                if not seen[v]:
                    seen[v] = True
                    part.append(v)
        parts.append(sorted(part))
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _lay_out_part(nodes: Sequence[int], sizes: Sequence[tuple[float, float]], arcs: Sequence[Arc]) -> _Part:
    members = set(nodes)
    inside = sorted(arc for arc in set(arcs) if arc[0] in members)
    layer_of = assign_layers(nodes, inside)
    layered = LayeredGraph(layer_of, inside, sizes)
    layered.reduce_crossings()
    x = layered.place()

    heights = [max(sizes[v][1] if v in layer_of else 0.0 for v in layer) for layer in layered.layers]
    middle, top = [], 0.0
    for height in heights:
        middle.append(top + height / 2)
        top += height + _LAYER_GAP
    left = min(x[v] - layered.width(v) / 2 for v in x)
    width = max(x[v] + layered.width(v) / 2 for v in x) - left
    centres = {v: (x[v] - left, middle[layer_of[v]]) for v in nodes}
    routes = {}
    for arc, chain in layered.chains.items():
        points = []
        for v in chain[1:-1]:
            level = layered.level[v]
            half = heights[level] / 2  # straight through the layer, past the boxes beside it
            points += [(x[v] - left, middle[level] - half), (x[v] - left, middle[level] + half)]
        routes[arc] = tuple(points)
    _attach_ends(routes, centres, sizes)
    return _Part(centres, routes, width, top - _LAYER_GAP)


def _attach_ends(
    routes: dict[Arc, tuple[Point, ...]], centres: dict[int, Point], sizes: Sequence[tuple[float, float]]
) -> None:
    """Let arcs leave at the bottom and arrive at the top, side by side in the order of where they go."""
    towards: dict[tuple[int, bool], list[tuple[float, Arc]]] = {}
    for arc, points in routes.items():
        u, v = arc
        towards.setdefault((u, True), []).append(((points[0] if points else centres[v])[0], arc))
        towards.setdefault((v, False), []).append(((points[-1] if points else centres[u])[0], arc))
    ends: dict[tuple[Arc, bool], Point] = {}
    for (v, leaving), goals in towards.items():
        x, y = centres[v]
        width, height = sizes[v]
        step = min(16.0, 0.7 * width / len(goals))
        for i, (_, arc) in enumerate(sorted(goals)):
            shift = step * (i - (len(goals) - 1) / 2)
            ends[arc, leaving] = (x + shift, y + height / 2 if leaving else y - height / 2)
    for arc, points in routes.items():
        routes[arc] = (ends[arc, True], *points, ends[arc, False])


def _on_shelves(parts: Iterable[_Part], n: int) -> Layout:
    """Fill shelves from left to right, as wide as the widest part or as a page would be."""
    parts = list(parts)
    area = sum((part.width + _SHELF_GAP) * (part.height + _SHELF_GAP) for part in parts)
    limit = max([1.6 * area**0.5, *(part.width for part in parts)])
    centres: list[Point] = [(0.0, 0.0)] * n
    routes: dict[Arc, tuple[Point, ...]] = {}
    x = y = shelf = width = 0.0
    for part in parts:
        if x > 0 and x + part.width > limit:
            x, y, shelf = 0.0, y + shelf + _SHELF_GAP, 0.0
        for v, (a, b) in part.nodes.items():
            centres[v] = (x + a, y + b)
        for arc, points in part.routes.items():
            routes[arc] = tuple((x + a, y + b) for a, b in points)
        width, shelf = max(width, x + part.width), max(shelf, part.height)
        x += part.width + _SHELF_GAP
    return Layout(tuple(centres), routes, width, y + shelf)
