"""Hidden trees and mixtures of trees: from a loaded table to the model, beside EM in NumPy."""

from __future__ import annotations

import numpy as np
from common import Results, density_rows, network_rows, one_thread, seconds

import treewright as tw


def bernoulli_mixture(rows: np.ndarray, components: int, steps: int) -> np.ndarray:
    """The simplest relative, in matrix products: EM for a mixture of independent bits."""
    rng = np.random.default_rng(0)
    x = rows.astype(np.float32)
    p = 0.75 * x.mean(axis=0) + 0.25 * x[rng.integers(len(x), size=components)]
    weights = np.full(components, 1 / components)
    for _ in range(steps):
        p = np.clip(p, 1e-4, 1 - 1e-4)
        logs = x @ np.log(p / (1 - p)).T + np.log(1 - p).sum(axis=1) + np.log(weights)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        weights = shares.mean(axis=0)
        p = shares.T @ x / shares.sum(axis=0)[:, None]
    return p


def main() -> None:
    one_thread()
    results = Results("mixtures, one thread: 20 trees, 16 hidden states")
    table, valid, shown = density_rows("jester"), density_rows("jester", "valid"), "jester"
    if table is None or valid is None:
        table, shown = network_rows("andes", 5_000)
        table, valid = table.split([0.9, 0.1], np.random.default_rng(0))
    rows = np.stack(table.columns, axis=1)
    counter = tw.count(table)
    peer = seconds(lambda: bernoulli_mixture(rows, 20, 25), 1)
    trees = seconds(lambda: tw.learn_mixture(counter, components=20, valid=valid), 3)
    hidden = seconds(lambda: tw.learn_hidden_tree(counter, states=16, valid=valid), 1)
    results.add("20 trees", shown, trees, "NumPy: 20 products, 25 steps", peer)
    results.add("hidden tree, 16 states", shown, hidden, "NumPy: 20 products, 25 steps", peer)
    results.finish()


if __name__ == "__main__":
    main()
