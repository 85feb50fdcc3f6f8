"""Layers of an acyclic graph that make its arcs as short as can be.

Layers are numbers with the head of every arc below its tail; the *span* of an arc is the distance of its two.
The sum of spans is least (Gansner, Koutsofios, North & Vo 1993), so few invisible nodes are needed where arcs
pass a layer. The dual of this linear programme is a flow: every node sends one unit for each child, receives
one for each parent, and goods move along arcs at a gain of one for each. Flow is sent along arcs of span one
only; where it cannot go on, the layers of what it has reached are moved, which opens the nearest arc.

Several layerings can be least. An arc that carries flow has span one in each of them and the others at least
one, so they form a lattice: its highest and its lowest member are the same whatever flow was found, and so
is the middle between the two, which is a member again and the one that is returned. Nothing depends on the
numbers of nodes.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from treewright.types import Arc


def least_span_layers(nodes: Sequence[int], arcs: Iterable[Arc]) -> dict[int, int]:
    """Layers of a connected acyclic graph, the first one 0, with the least sum of spans.

    Examples
    --------
    >>> least_span_layers(range(5), [(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)])
    {0: 0, 1: 1, 2: 2, 3: 1, 4: 3}
    """
    flow = _Flow(nodes, sorted(set(arcs)))
    while flow.advance():
        pass
    rigid = [arc for arc, goods in flow.carried.items() if goods]
    high = _as_high_as_can_be(flow.below, rigid)
    low = _as_high_as_can_be(flow.above, [(v, u) for u, v in rigid])
    deepest = max(high.values(), default=0)
    return {v: (high[v] + deepest - low[v]) // 2 for v in nodes}


class _Flow:
    """Goods on their way, and layers under which every arc that carries some has span one."""

    def __init__(self, nodes: Sequence[int], arcs: Sequence[Arc]) -> None:
        self.nodes = nodes
        self.carried = dict.fromkeys(arcs, 0)
        self.below: dict[int, list[int]] = {v: [] for v in nodes}
        self.above: dict[int, list[int]] = {v: [] for v in nodes}
        for u, v in arcs:
            self.below[u].append(v)
            self.above[v].append(u)
        self.surplus = {v: len(self.below[v]) - len(self.above[v]) for v in nodes}
        self.layer = _longest_paths(self.below)

    def _ways(self, v: int) -> Iterable[tuple[int, int]]:
        """Where goods can go from a node, back too, and what an arc lacks to a span of one."""
        for w in self.below[v]:
            yield w, self.layer[w] - self.layer[v] - 1
        for u in self.above[v]:
            if self.carried[u, v]:
                yield u, 0

    def advance(self) -> bool:
        """Move layers until goods can arrive, and send them; false where none are left."""
        far = {v: 0 for v in self.nodes if self.surplus[v] > 0}
        if not far:
            return False
        reached, arrived = self._nearest(far)
        for v in self.nodes:  # what lies farther keeps its distance from the farthest that was reached
            self.layer[v] -= min(reached.get(v, arrived), arrived)
        closed: set[int] = set()
        for v in far:
            while self.surplus[v] > 0 and self._send(v, closed):
                pass
        return True

    def _nearest(self, far: dict[int, int]) -> tuple[dict[int, int], int]:
        """Distances from what has goods, up to the nearest node that lacks some."""
        queue = [(0, v) for v in far]
        heapq.heapify(queue)
        done = set()
        while True:
            distance, v = heapq.heappop(queue)  # never empty: goods and needs of a part are equal
            if v in done:
                continue
            done.add(v)
            if self.surplus[v] < 0:
                return far, distance
            for w, slack in self._ways(v):
                if distance + slack < far.get(w, distance + slack + 1):
                    far[w] = distance + slack
                    heapq.heappush(queue, (distance + slack, w))

    def _send(self, start: int, closed: set[int]) -> bool:
        """Send one unit along arcs of span one to a node that lacks some; closed nodes lead nowhere."""
        way, seen = [start], {start}
        while self.surplus[way[-1]] >= 0:
            v = way[-1]
            open_ways = (w for w, slack in self._ways(v) if not slack and w not in seen and w not in closed)
            goal = next(open_ways, None)
            if goal is None:
                closed.add(way.pop())
                if not way:
                    return False
            else:
                seen.add(goal)
                way.append(goal)
        for u, v in pairwise(way):
            if (u, v) in self.carried:
                self.carried[u, v] += 1
            else:
                self.carried[v, u] -= 1
        self.surplus[start] -= 1
        self.surplus[way[-1]] += 1
        return True


def _longest_paths(below: Mapping[int, Sequence[int]]) -> dict[int, int]:
    waiting = dict.fromkeys(below, 0)
    for children in below.values():
        for v in children:
            waiting[v] += 1
    layer = dict.fromkeys(below, 0)
    order = [v for v, n in waiting.items() if n == 0]
    for u in order:  # grows while it is walked
        for v in below[u]:
            layer[v] = max(layer[v], layer[u] + 1)
            waiting[v] -= 1
            if waiting[v] == 0:
                order.append(v)
    assert len(order) == len(layer), "only acyclic graphs have layers"
    return layer


def _as_high_as_can_be(below: Mapping[int, Sequence[int]], rigid: Iterable[Arc]) -> dict[int, int]:
    """The least layers from 0 on under which arcs point down and rigid ones have a span of one."""
    tied: dict[int, list[int]] = {v: [] for v in below}
    for u, v in rigid:
        tied[v].append(u)
    layer = _longest_paths(below)
    queue = deque(below)
    while queue:
        u = queue.popleft()
        needs = [(v, layer[u] + 1) for v in below[u]] + [(v, layer[u] - 1) for v in tied[u]]
        for v, least in needs:
            if layer[v] < least:
                layer[v] = least
                queue.append(v)
    return layer
