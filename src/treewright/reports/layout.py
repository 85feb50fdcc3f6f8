"""Where to draw the nodes of an acyclic graph: layer by layer, with few crossings.

The method of Sugiyama, Tagawa & Toda (1981) in four steps: (1) *layers* make the arcs as short as can be
(:mod:`treewright.reports.layers`); (2) an arc that spans several layers is cut into unit pieces by invisible
nodes; (3) the order inside each layer follows the mean position (*barycentre*) of the neighbours in the
layer before, swept down and up, and the order with the fewest crossings is kept; (4) positions follow the
neighbours as closely as the order and the widths allow, a least-squares problem that pooling neighbours
solves exactly for one layer at a time.

Connected parts are laid out on their own and placed on shelves. A picture much wider than high gets more room
between its layers. Nothing is random: equal graphs give equal pictures, whatever the order of their nodes
when `names` are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treewright.reports.layered import LayeredGraph, Spacing
from treewright.reports.layers import least_span_layers
from treewright.types import Arc

Point = tuple[float, float]

_SHELF_GAP = 40.0
_WIDEST = 2.2  # times its height that a picture may be wide without more room between its layers


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, and the way of each arc: points to pass, first to last."""

    centres: tuple[Point, ...]
    routes: dict[Arc, tuple[Point, ...]]
    width: float
    height: float


def lay_out(
    sizes: Sequence[tuple[float, float]],
    arcs: Sequence[Arc],
    names: Sequence[str] | None = None,
    spacing: Spacing | None = None,
) -> Layout:
    """Lay out an acyclic graph: width and height of each node, and arcs between their numbers.

    Examples
    --------
    >>> layout = lay_out([(40, 20), (40, 20)], [(0, 1)])
    >>> layout.centres
    ((20.0, 10.0), (20.0, 84.0))
    """
    n, room = len(sizes), spacing or Spacing()
    order = sorted(range(n), key=lambda v: (names[v], v)) if names else list(range(n))
    place = {v: i for i, v in enumerate(order)}
    layout = _lay_out_in_order([sizes[v] for v in order], [(place[u], place[v]) for u, v in arcs], room)
    routes = {(u, v): layout.routes[place[u], place[v]] for u, v in arcs}
    return Layout(tuple(layout.centres[place[v]] for v in range(n)), routes, layout.width, layout.height)


def _lay_out_in_order(sizes: Sequence[tuple[float, float]], arcs: Sequence[Arc], room: Spacing) -> Layout:
    graphs = [_LayeredPart(nodes, sizes, arcs, room) for nodes in _components(len(sizes), arcs)]
    layout = _on_shelves([graph.drawn(room.layers) for graph in graphs], len(sizes))
    gaps = max((len(graph.layered.layers) - 1 for graph in graphs), default=0)
    if gaps and layout.width > _WIDEST * layout.height:
        wanted = room.layers + (layout.width / _WIDEST - layout.height) / gaps
        taller = min(wanted, room.stretch * room.layers)
        layout = _on_shelves([graph.drawn(taller) for graph in graphs], len(sizes))
    return layout


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


class _LayeredPart:
    """A connected part with its nodes in order in their layers; how far layers stand apart is open."""

    def __init__(
        self, nodes: Sequence[int], sizes: Sequence[tuple[float, float]], arcs: Sequence[Arc], room: Spacing
    ) -> None:
        members = set(nodes)
        inside = sorted(arc for arc in set(arcs) if arc[0] in members)
        self.nodes, self.sizes = nodes, sizes
        self.layered = LayeredGraph(least_span_layers(nodes, inside), inside, sizes, room)
        self.layered.reduce_crossings()
        x = self.layered.place()
        left = min(x[v] - self.layered.width(v) / 2 for v in x)
        self.x = {v: place - left for v, place in x.items()}
        self.width = max(self.x[v] + self.layered.width(v) / 2 for v in x)
        boxes = [[v for v in layer if v >= 0] for layer in self.layered.layers]
        self.heights = [max(sizes[v][1] for v in layer) for layer in boxes]

    def drawn(self, gap: float) -> _Part:
        """With so much room between layers."""
        middle, top = [], 0.0
        for height in self.heights:
            middle.append(top + height / 2)
            top += height + gap
        level = self.layered.level
        centres = {v: (self.x[v], middle[level[v]]) for v in self.nodes}
        ends = [(at - height / 2, at + height / 2) for at, height in zip(middle, self.heights, strict=True)]
        bands = {v: ends[i] for v, i in level.items()}
        routes = {
            # straight through the layer, past the boxes beside it
            arc: tuple((self.x[v], y) for v in chain[1:-1] for y in bands[v])
            for arc, chain in self.layered.chains.items()
        }
        _attach_ends(routes, centres, self.sizes, bands)
        return _Part(centres, routes, self.width, top - gap)


def _attach_ends(
    routes: dict[Arc, tuple[Point, ...]],
    centres: dict[int, Point],
    sizes: Sequence[tuple[float, float]],
    bands: dict[int, tuple[float, float]],
) -> None:
    """Let arcs leave at the bottom and arrive at the top, side by side in the order of where they go.

    Beside a higher box they stay upright to the end of its layer, so that none crosses it.
    """
    towards: dict[tuple[int, bool], list[tuple[float, Arc]]] = {}
    for arc, points in routes.items():
        u, v = arc
        towards.setdefault((u, True), []).append(((points[0] if points else centres[v])[0], arc))
        towards.setdefault((v, False), []).append(((points[-1] if points else centres[u])[0], arc))
    ends: dict[tuple[Arc, bool], tuple[Point, ...]] = {}
    for (v, leaving), goals in towards.items():
        x, y = centres[v]
        width, height = sizes[v]
        step = min(16.0, 0.7 * width / len(goals))
        for i, (_, arc) in enumerate(sorted(goals)):
            shift = step * (i - (len(goals) - 1) / 2)
            edge, end = (y + height / 2, bands[v][1]) if leaving else (y - height / 2, bands[v][0])
            way = ((x + shift, edge),) if abs(edge - end) < 1 else ((x + shift, edge), (x + shift, end))
            ends[arc, leaving] = way if leaving else way[::-1]
    for arc, points in routes.items():
        routes[arc] = (*ends[arc, True], *points, *ends[arc, False])


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
