"""Climbing among DAGs by trying every move on a whole graph, one after the other.

Slow and obvious: a graph is a set of arcs by rank of name, its score is the sum of its locals, a move's gain
is the difference of two such sums, and legality is the absence of a cycle.
"""

from __future__ import annotations

ADD, REMOVE, REVERSE = range(3)


class SlowClimb:
    def __init__(self, native, allowed=None, required=(), max_parents=None):
        self.native, self.n = native, len(native)
        pairs = [(u, v) for u in range(self.n) for v in range(self.n) if u != v]
        self.allowed = set(pairs) if allowed is None else set(allowed)
        self.required = set(required)
        self.max_parents = self.n if max_parents is None else max_parents
        self._known = {}

    def local(self, child, parents):
        key = child, tuple(sorted(parents))
        if key not in self._known:
            self._known[key] = self.native.local(child, list(key[1]))
        return self._known[key]

    def total(self, arcs):
        return sum(self.local(v, [u for u, w in arcs if w == v]) for v in range(self.n))

    def is_acyclic(self, arcs):
        left, arcs = set(range(self.n)), set(arcs)
        while True:
            sources = {v for v in left if not any(w == v for _, w in arcs)}
            if not sources:
                return not left
            left -= sources
            arcs = {(u, v) for u, v in arcs if u in left}

    def after(self, arcs, kind, u, v):
        if kind == ADD:
            return arcs | {(u, v)}
        return (arcs - {(u, v)}) | ({(v, u)} if kind == REVERSE else set())

    def moves(self, arcs):
        """Every legal move with its gain, in the order child, parent, kind."""
        here = self.total(arcs)
        found = []
        for v in range(self.n):
            for u in range(self.n):
                kinds = [REMOVE, REVERSE] if (u, v) in arcs else [ADD] if u != v else []
                for kind in kinds:
                    graph = self.after(arcs, kind, u, v)
                    made = graph - arcs
                    if (u, v) in self.required and kind != ADD:
                        continue
                    if (v, u) in arcs or not made <= self.allowed or not self.is_acyclic(graph):
                        continue
                    if any(sum(w == head for _, w in graph) > self.max_parents for _, head in made):
                        continue
                    found.append((kind, u, v, self.total(graph) - here))
        return found

    def evidence(self, arcs, move):
        """How much better a further parent w of b becomes by the new arc a -> b."""
        kind, u, v, _ = move
        if kind == REMOVE:
            return 0.0
        a, b = (u, v) if kind == ADD else (v, u)
        parents = {x for x, y in arcs if y == b}
        most = 0.0
        if len(parents) + 1 >= self.max_parents:
            return most
        for w in range(self.n):
            if w in (a, b) or w in parents or (w, b) not in self.allowed:
                continue
            later = self.local(b, parents | {a, w}) - self.local(b, parents | {a})
            now = self.local(b, parents | {w}) - self.local(b, parents)
            if later > 0:
                most = max(most, later - max(0.0, now))
        return most

    def choose(self, arcs, visited, look_ahead):
        moves = [m for m in self.moves(arcs) if frozenset(self.after(arcs, *m[:3])) not in visited]
        if not moves:
            return None
        top = max(m[3] for m in moves)
        ties = [m for m in moves if m[3] == top]
        if look_ahead and len(ties) > 1:
            return max(ties, key=lambda m: self.evidence(arcs, m))  # the first of the largest
        return ties[0]

    def climb(self, arcs, *, look_ahead=True, tabu=0, patience=0):
        """The moves made, and the arcs of the best graph."""
        arcs, made = set(arcs), []
        visited = [frozenset(arcs)][:tabu]
        best, gained, most, idle = frozenset(arcs), 0.0, 0.0, 0
        while patience == 0 or idle < patience:
            move = self.choose(arcs, visited, look_ahead)
            if move is None or (patience == 0 and move[3] <= 0):
                break
            arcs = self.after(arcs, *move[:3])
            made.append(move)
            gained += move[3]
            if tabu:
                visited = [*visited, frozenset(arcs)][-tabu:]
            idle += 1
            if gained > most:
                best, most, idle = frozenset(arcs), gained, 0
        return made, sorted(best)
