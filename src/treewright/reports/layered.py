"""Nodes in layers: in which order they stand, and where, so that arcs cross seldom and run upright.

Arcs join neighbouring layers; one that passes a layer has an invisible node there, which stands closer to its
neighbours than boxes do to each other.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from treewright.types import Arc

_SWEEPS = 24
_SMALL = 400  # nodes up to which neighbours are exchanged after every sweep, not just at the end


@dataclass(frozen=True)
class Spacing:
    """Room between layers, between neighbours in a layer, and beside an invisible node.

    The layers of a wide picture stand up to `stretch` times as far apart.
    """

    layers: float = 54.0
    nodes: float = 26.0
    threads: float = 14.0
    stretch: float = 4.0


class LayeredGraph:
    """A graph whose arcs join neighbouring layers; negative numbers are the invisible nodes."""

    def __init__(
        self,
        layer_of: dict[int, int],
        arcs: Sequence[Arc],
        sizes: Sequence[tuple[float, float]],
        room: Spacing | None = None,
    ) -> None:
        self.sizes, self.room = sizes, room or Spacing()
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
        return self.sizes[v][0] if v >= 0 else 0.0

    def apart(self, u: int, v: int) -> float:
        """How far the centres of two neighbours stand apart at least."""
        gap = self.room.nodes if u >= 0 and v >= 0 else self.room.threads
        return (self.width(u) + self.width(v)) / 2 + gap

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
            x.update(zip(layer, self._distances(layer), strict=True))
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

    def _distances(self, layer: Sequence[int]) -> list[float]:
        return list(accumulate((self.apart(u, v) for u, v in pairwise(layer)), initial=0.0))[: len(layer)]

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
            left = min(x[v], x[layer[i - 1]] + self.apart(layer[i - 1], v))
        if i + 1 < len(layer):
            right = max(x[v], x[layer[i + 1]] - self.apart(v, layer[i + 1]))
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
        x.update(zip(layer, _spaced(wanted, weights, self._distances(layer)), strict=True))


def _align(run: list[int], low: float, high: float, x: dict[int, float]) -> None:
    if run:
        mean = sum(x[v] for v in run) / len(run)
        x.update(dict.fromkeys(run, min(max(mean, low), high)))


def _inversions(left: Sequence[int], right: Sequence[int]) -> int:
    """Crossings of the arcs of two neighbours, the first one on the left."""
    return sum(bisect_right(right, end - 1) for end in left) if right else 0


def _spaced(wanted: Sequence[float], weights: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Positions nearest to the wanted ones (weighted least squares) that keep order and distance.

    Offsets are positions that stand as close as they may.
    """
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
