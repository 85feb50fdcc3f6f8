"""Scoring, asking and fitting feature graphs of named sizes, one thread, processor time.

    python benchmarks/bench_feature_graphs.py

The graphs are random cutset networks and hidden trees; the data folder is not needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from common import SEED, console, duration, one_thread
from rich.table import Table as RichTable

import treewright as tw


class Maker:
    """Random graphs over binary variables."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.rng = np.random.default_rng(SEED)
        self.builder = tw.graphs.FeatureGraphBuilder(
            tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(n)])
        )

    def shares(self, *shape: int) -> np.ndarray:
        draws = self.rng.standard_exponential(shape)
        return draws / draws.sum(axis=-1, keepdims=True)

    def tree(self, scope: list[int]) -> int:
        order = [int(v) for v in self.rng.permutation(scope)]
        families = {}
        for i, v in enumerate(order):
            parents = [order[int(self.rng.integers(i))]] if i else []
            families[v] = (parents, self.shares(*[2] * (len(parents) + 1)))
        return self.builder.tree(families)

    def cutset(self, scope: list[int], depth: int) -> int:
        """Splits to a depth, Chow-Liu trees below."""
        if depth == 0:
            return self.tree(scope)
        v = int(self.rng.choice(scope))
        rest = [u for u in scope if u != v]
        p = self.shares(2).tolist()
        return self.builder.split(v, {state: (p[state], self.cutset(rest, depth - 1)) for state in (0, 1)})

    def hidden(self, states: int) -> int:
        parents = {v: None if v == 0 else (v - 1) // 2 for v in range(self.n)}
        transitions = [self.shares(states) if v == 0 else self.shares(states, states) for v in parents]
        return self.builder.hidden(parents, transitions, [self.shares(states, 2) for _ in parents])

    def made(self, root: int) -> tw.FeatureNetwork:
        return tw.FeatureNetwork(self.builder.graph(root))


def networks() -> dict[str, tw.FeatureNetwork]:
    small, deep, wide, hidden = Maker(16), Maker(16), Maker(100), Maker(100)
    everything = list(range(100))
    trees = [wide.tree(everything) for _ in range(30)]
    return {
        "cutset, 16 variables": small.made(small.cutset(list(range(16)), 6)),
        "cutset, 16 variables, deep": deep.made(deep.cutset(list(range(16)), 9)),
        "30 trees, 100 variables": wide.made(wide.builder.mixture(trees, wide.shares(30))),
        "hidden tree, 100 variables, H = 16": hidden.made(hidden.hidden(16)),
    }


def cost(work: Callable[[], object], repeats: int = 3) -> float:
    """Processor seconds of one call, the best of a few."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def jobs(model: tw.FeatureNetwork) -> dict[str, str]:
    rng = np.random.default_rng(SEED)
    n_rows = 200_000 if model.is_exact else 10_000
    rows = model.sample(n_rows, rng=rng)
    some = model.sample(1_000, rng=rng)
    holes = {v: rng.random(1_000) < 0.5 for v in range(len(model.schema))}
    partly = tw.Table(some.schema, some.columns, missing=holes)
    found = {
        "complete rows scored per second": f"{n_rows / cost(lambda: model.log_probability(rows)):,.0f}",
        "all marginals, 1,000 rows half seen": duration(cost(lambda: model.marginals_many(partly))),
        "1,000 drawn rows": duration(cost(lambda: model.sample(1_000, rng=rng))),
        "one EM step, 1,000 rows half seen": duration(
            cost(lambda: tw.fit_em(model.graph, partly, iterations=1)) / 3
        ),
    }
    if model.is_exact:
        counter = tw.count(rows)
        found[f"refit to {n_rows:,} rows"] = duration(cost(lambda: model.refit(counter)))
    return found


def main() -> None:
    one_thread()
    shown = RichTable("graph", "nodes", "job", "figure", title="feature graphs, one thread")
    for name, model in networks().items():
        for job, figure in jobs(model).items():
            shown.add_row(name, f"{model.graph.n_nodes:,}", job, figure)
    console.print(shown)


if __name__ == "__main__":
    main()
