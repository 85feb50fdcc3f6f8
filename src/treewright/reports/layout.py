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

import math
from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

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


_GAP = 26.0  # between neighbours in a layer
_SWEEPS = 24
_SMALL = 400  # nodes up to which neighbours are exchanged after every sweep, not just at the end
_THIN = 10.0  # width of an invisible node


def assign_layers(nodes: Sequence[int], arcs: Sequence[Arc]) -> dict[int, int]:
    """Longest-path layers; a node with more children than parents then moves down towards its children."""
    children: dict[int, list[int]] = {v: [] for v in nodes}
    n_parents = dict.fromkeys(nodes, 0)
    for u, v in arcs:
        children[u].append(v)
        n_parents[v] += 1
    waiting = dict(n_parents)
    layer = dict.fromkeys(nodes, 0)
    order = [v for v in nodes if waiting[v] == 0]
    for u in order:  # grows while it is walked
        for v in children[u]:
            layer[v] = max(layer[v], layer[u] + 1)
            waiting[v] -= 1
            if waiting[v] == 0:
                order.append(v)
    assert len(order) == len(nodes), "only acyclic graphs have layers"
    for u in reversed(order):
        if len(children[u]) > n_parents[u]:
            layer[u] = min(layer[v] for v in children[u]) - 1
    first = min(layer.values())
    return {v: level - first for v, level in layer.items()}


class LayeredGraph:
    """A graph whose arcs join neighbouring layers; negative numbers are the invisible nodes."""

    def __init__(
        self, layer_of: dict[int, int], arcs: Sequence[Arc], sizes: Sequence[tuple[float, float]]
    ) -> None:
        self.sizes = sizes
        self.level = dict(layer_of)
        self.chains: dict[Arc, list[int]] = {}
        for u, v in arcs:
            chain = [u]
            for level in range(layer_of[u] + 1, layer_of[v]):
                chain.append(-1 - (len(self.level) - len(layer_of)))
                self.level[chain[-1]] = level
            self.chains[u, v] = [*chain, v]
        self.above: dict[int, list[int]] = {v: [] for v in self.level}
        self.below: dict[int, list[int]] = {v: [] for v in self.level}
        for chain in self.chains.values():
            for u, v in pairwise(chain):
                self.below[u].append(v)
                self.above[v].append(u)
        self.layers = self._first_order()

    def width(self, v: int) -> float:
        return self.sizes[v][0] if v >= 0 else _THIN

    def _first_order(self) -> list[list[int]]:
        """Depth-first from the top, so that subtrees start out side by side."""
        layers: list[list[int]] = [[] for _ in range(max(self.level.values()) + 1)]
        seen = set()
        roots = sorted((v for v in self.level if v >= 0), key=lambda v: (self.level[v], v))
        for root in roots:
            stack = [root]
            while stack:
                v = stack.pop()
                if v not in seen:
                    seen.add(v)
                    layers[self.level[v]].append(v)
                    stack.extend(reversed(self.below[v]))
                    stack.extend(u for u in self.above[v] if u not in seen)
        return layers

    def crossings(self) -> int:
        return sum(self._crossings_below(i) for i in range(len(self.layers) - 1))

    def _crossings_below(self, level: int) -> int:
        position = {v: i for i, v in enumerate(self.layers[level + 1])}
        ends: list[int] = []
        total = 0
        for u in self.layers[level]:
            targets = sorted(position[v] for v in self.below[u])
            total += sum(len(ends) - bisect_right(ends, target) for target in targets)
            for target in targets:
                insort(ends, target)
        return total

    def reduce_crossings(self) -> None:
        best, fewest = [list(layer) for layer in self.layers], self.crossings()
        for sweep in range(_SWEEPS):
            if fewest == 0:
                break
            down = sweep % 2 == 0
            levels = range(1, len(self.layers)) if down else range(len(self.layers) - 2, -1, -1)
            for level in levels:
                # every other pair of sweeps turns ties around, to leave plateaus
                self._sort_by_barycentre(level, self.above if down else self.below, ties=sweep % 4 > 1)
            if len(self.level) <= _SMALL:
                self._switch_neighbours()
            count = self.crossings()
            if count < fewest:
                best, fewest = [list(layer) for layer in self.layers], count
        self.layers = best
        self._switch_neighbours()

    def _sort_by_barycentre(self, level: int, neighbours: dict[int, list[int]], *, ties: bool) -> None:
        beside = level - 1 if neighbours is self.above else level + 1
        position = {v: i for i, v in enumerate(self.layers[beside])}
        layer = self.layers[level][::-1] if ties else self.layers[level]
        mean = {
            v: sum(position[u] for u in neighbours[v]) / len(neighbours[v]) for v in layer if neighbours[v]
        }
        # nodes without neighbours there keep their places, the others fill the rest in order
        movable = iter(sorted((v for v in layer if v in mean), key=mean.__getitem__))
        self.layers[level] = [next(movable) if v in mean else v for v in self.layers[level]]

    def _switch_neighbours(self) -> None:
        """Exchange neighbours while that removes crossings."""
        for level, layer in enumerate(self.layers):
            beside = [
                {v: i for i, v in enumerate(self.layers[other])} if 0 <= other < len(self.layers) else {}
                for other in (level - 1, level + 1)
            ]
            places = {
                v: [sorted(beside[0][u] for u in self.above[v]), sorted(beside[1][u] for u in self.below[v])]
                for v in layer
            }
            improved = True
            while improved:
                improved = False
                for i in range(len(layer) - 1):
                    u, v = places[layer[i]], places[layer[i + 1]]
                    now = sum(_inversions(a, b) for a, b in zip(u, v, strict=True))
                    switched = sum(_inversions(b, a) for a, b in zip(u, v, strict=True))
                    if switched < now:
                        layer[i], layer[i + 1] = layer[i + 1], layer[i]
                        improved = True

    def place(self) -> dict[int, float]:
        """Horizontal centres."""
        x: dict[int, float] = {}
        self.place_in_layer = {v: i for layer in self.layers for i, v in enumerate(layer)}
        for layer in self.layers:
            edge = 0.0
            for v in layer:
                x[v] = edge + self.width(v) / 2
                edge += self.width(v) + _GAP
        down, up = range(len(self.layers)), range(len(self.layers) - 1, -1, -1)
        for step in range(_SWEEPS):
            neighbours = (self.above, self.below)[step % 2]
            for level in (down, up)[step % 2]:
                self._follow(self.layers[level], [neighbours], x)
        for _ in range(4):
            for level in down:
                self._follow(self.layers[level], [self.above, self.below], x)
        for chain in sorted(self.chains.values(), key=lambda chain: (-len(chain), chain[0], chain[-1])):
            self._straighten(chain[1:-1], x)
        return x

    def _straighten(self, bends: list[int], x: dict[int, float]) -> None:
        """Draw a long arc upright as far as its neighbours leave room: one bend instead of a staircase."""
        run: list[int] = []
        low, high = -math.inf, math.inf
        for v in bends:
            left, right = self._room(v, x)
            if max(low, left) > min(high, right):
                _align(run, low, high, x)
                run, low, high = [], -math.inf, math.inf
            run.append(v)
            low, high = max(low, left), min(high, right)
        _align(run, low, high, x)

    def _room(self, v: int, x: dict[int, float]) -> tuple[float, float]:
        """How far an invisible node may move without disturbing its neighbours."""
        layer = self.layers[self.level[v]]
        i = self.place_in_layer[v]
        left, right = -math.inf, math.inf
        if i > 0:
            left = min(x[v], x[layer[i - 1]] + (self.width(layer[i - 1]) + _THIN) / 2 + _GAP)
        if i + 1 < len(layer):
            right = max(x[v], x[layer[i + 1]] - (self.width(layer[i + 1]) + _THIN) / 2 - _GAP)
        return left, right

    def _follow(self, layer: list[int], sides: list[dict[int, list[int]]], x: dict[int, float]) -> None:
        wanted, weights = [], []
        for v in layer:
            around = [u for side in sides for u in side[v]]
            pull = [4.0 if v < 0 and u < 0 else 2.0 if v < 0 or u < 0 else 1.0 for u in around]
            if around:
                wanted.append(sum(w * x[u] for w, u in zip(pull, around, strict=True)) / sum(pull))
                weights.append(sum(pull))
            else:
                wanted.append(x[v])
                weights.append(0.05)
        x.update(zip(layer, _spaced(wanted, weights, [self.width(v) for v in layer]), strict=True))


def _align(run: list[int], low: float, high: float, x: dict[int, float]) -> None:
    if run:
        mean = sum(x[v] for v in run) / len(run)
        x.update(dict.fromkeys(run, min(max(mean, low), high)))


def _inversions(left: Sequence[int], right: Sequence[int]) -> int:
    """Crossings of the arcs of two neighbours, the first one on the left."""
    return sum(bisect_right(right, end - 1) for end in left) if right else 0


def _spaced(wanted: Sequence[float], weights: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Positions nearest to the wanted ones (weighted least squares) that keep order and distance."""
    offsets = [0.0]
    for a, b in pairwise(widths):
        offsets.append(offsets[-1] + (a + b) / 2 + _GAP)
    pools: list[tuple[float, float, int]] = []  # mean, weight, members: pool adjacent violators
    for want, weight, offset in zip(wanted, weights, offsets, strict=True):
        pool = (want - offset, weight, 1)
        while pools and pools[-1][0] >= pool[0]:
            mean, heavy, members = pools.pop()
            total = heavy + pool[1]
            pool = ((mean * heavy + pool[0] * pool[1]) / total, total, members + pool[2])
        pools.append(pool)
    level = [mean for mean, _, members in pools for _ in range(members)]
    return [a + b for a, b in zip(level, offsets, strict=True)]
