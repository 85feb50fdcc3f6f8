"""Random feature graphs of every kind, small enough to enumerate."""

from __future__ import annotations

import numpy as np

from treewright import Schema, Variable
from treewright.graphs import FeatureGraph, FeatureGraphBuilder

DETERMINISTIC = ("table", "tree", "split", "feature", "and", "rows")
EVERYTHING = (*DETERMINISTIC, "mix", "hidden")


class RandomFeatures:
    def __init__(self, seed: int, kinds: tuple[str, ...] = EVERYTHING, n: int | None = None) -> None:
        self.rng = np.random.default_rng(seed)
        n = int(self.rng.integers(1, 6)) if n is None else n
        cards = self.rng.choice([1, 2, 2, 2, 3], size=n)
        self.schema = Schema([Variable(f"x{v}", tuple(range(r))) for v, r in enumerate(cards)])
        self.kinds = kinds
        self.builder = FeatureGraphBuilder(self.schema)

    def graph(self) -> FeatureGraph:
        return self.builder.graph(self.node(list(range(len(self.schema))), 4))

    def shares(self, *shape: int) -> np.ndarray:
        """Distributions along the last axis; sometimes with zeros."""
        draws = self.rng.standard_exponential(shape)
        if self.rng.random() < 0.3:
            draws *= self.rng.random(shape) < 0.7
            draws[..., 0] += draws.sum(axis=-1) == 0
        return draws / draws.sum(axis=-1, keepdims=True)

    def node(self, scope: list[int], depth: int) -> int:
        if not scope:
            return self.builder.one()
        kind = str(self.rng.choice(self.kinds))
        if depth == 0 and kind in ("split", "feature", "and", "mix"):
            kind = "table"
        return getattr(self, f"_{kind}")(scope, depth)

    def _cards(self, scope: list[int]) -> list[int]:
        return [self.schema.cardinalities[v] for v in scope]

    def _table(self, scope: list[int], depth: int) -> int:
        shape = self._cards(scope)
        return self.builder.table(scope, self.shares(int(np.prod(shape))).reshape(shape))

    def _tree(self, scope: list[int], depth: int) -> int:
        order = [int(v) for v in self.rng.permutation(scope)]
        cliques: dict[int, list[int]] = {}
        families = {}
        for i, v in enumerate(order):
            parents: list[int] = []
            if i and self.rng.random() < 0.9:
                host = order[int(self.rng.integers(i))]
                others = [u for u in cliques[host] if self.rng.random() < 0.5][:2]
                parents = [int(u) for u in self.rng.permutation([host, *others])]
            cliques[v] = parents
            families[v] = (parents, self.shares(*self._cards([*parents, v])))
        return self.builder.tree(families)

    def _split(self, scope: list[int], depth: int) -> int:
        v = int(self.rng.choice(scope))
        states = list(range(self.schema.cardinalities[v]))
        if len(states) > 1 and self.rng.random() < 0.2:
            states.remove(int(self.rng.choice(states)))
        rest = [u for u in scope if u != v]
        p = self.shares(len(states))
        cases = {s: (float(q), self.node(rest, depth - 1)) for s, q in zip(states, p, strict=True)}
        return self.builder.split(v, cases)

    def _feature(self, scope: list[int], depth: int) -> int:
        wide = [v for v in scope if self.schema.cardinalities[v] > 1]
        if not wide:
            return self._table(scope, depth)
        chosen = [int(v) for v in self.rng.permutation(wide)[: int(self.rng.integers(1, 4))]]
        literals = [(v, int(self.rng.integers(self.schema.cardinalities[v]))) for v in chosen]
        holds = self.node([v for v in scope if v not in chosen], depth - 1)
        fails = self._without(scope, literals, depth - 1)
        named = {self.schema.names[v]: state for v, state in literals}
        return self.builder.feature(named, float(self.shares(2)[0]), holds, fails)

    def _without(self, scope: list[int], literals: list[tuple[int, int]], depth: int) -> int:
        """A node over the scope in which the conjunction never holds."""
        chosen = [v for v, _ in literals]
        rest = [u for u in scope if u not in chosen]
        if self.rng.random() < 0.5:  # a table with a hole, beside the rest
            shape = self._cards(chosen)
            cells = self.shares(int(np.prod(shape))).reshape(shape) + 0.1
            cells[tuple(state for _, state in literals)] = 0
            table = self.builder.table(chosen, cells / cells.sum())
            return self.builder.product([table, self.node(rest, depth)]) if rest else table
        v, state = literals[0]
        cases, others = {}, [u for u in scope if u != v]
        states = [s for s in range(self.schema.cardinalities[v]) if s != state or len(literals) > 1]
        for s, p in zip(states, self.shares(len(states)), strict=True):
            child = self._without(others, literals[1:], depth) if s == state else self.node(others, depth - 1)
            cases[s] = (float(p), child)
        return self.builder.split(v, cases)

    def _and(self, scope: list[int], depth: int) -> int:
        where = self.rng.integers(0, 2, size=len(scope))
        blocks = [[v for v, w in zip(scope, where, strict=True) if w == b] for b in (0, 1)]
        return self.builder.product([self.node(block, depth - 1) for block in blocks if block])

    def _mix(self, scope: list[int], depth: int) -> int:
        children = [self.node(scope, depth - 1) for _ in range(int(self.rng.integers(1, 4)))]
        return self.builder.mixture(children, self.shares(len(children)))

    def _hidden(self, scope: list[int], depth: int) -> int:
        order = [int(v) for v in self.rng.permutation(scope)]
        h, ar = int(self.rng.integers(1, 4)), bool(self.rng.random() < 0.5)
        parents, transitions, emissions = {}, [], []
        for i, v in enumerate(order):
            p = order[int(self.rng.integers(i))] if i and self.rng.random() < 0.85 else None
            parents[v] = p
            transitions.append(self.shares(h) if p is None else self.shares(h, h))
            contexts = self._cards([p]) if ar and p is not None else []
            emissions.append(self.shares(*contexts, h, self.schema.cardinalities[v]))
        return self.builder.hidden(parents, transitions, emissions, autoregressive=ar)

    def _rows(self, scope: list[int], depth: int) -> int:
        shape = self._cards(scope)
        n_cells = int(np.prod(shape))
        cells = self.rng.permutation(n_cells)[: int(self.rng.integers(1, n_cells + 1))]
        codes = np.stack(np.unravel_index(cells, shape), axis=1)
        return self.builder.rows(scope, codes, self.shares(len(cells)))


def random_features(seed: int, kinds: tuple[str, ...] = EVERYTHING, n: int | None = None) -> FeatureGraph:
    """A random graph; the same for the same seed."""
    return RandomFeatures(seed, kinds, n).graph()
