"""All pairs, mutual information and the best tree, from a loaded table to the structure."""

from __future__ import annotations

import numpy as np
from common import (
    Results,
    density_rows,
    frame_of,
    installed,
    network_rows,
    one_thread,
    pyagrum_learner,
    seconds,
)

import treewright as tw


def ours(table: tw.Table) -> tw.Dag:
    return tw.learn_chow_liu(tw.LogLikelihood(tw.count(table))).structure


def numpy_tree(rows: np.ndarray, cards: np.ndarray) -> object:
    """One float32 one-hot product for all pairs, then SciPy's spanning tree."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    offsets = np.concatenate([[0], np.cumsum(cards)])
    gram = np.zeros((offsets[-1], offsets[-1]))
    for start in range(0, len(rows), 8192):
        block = rows[start : start + 8192]
        hot = np.zeros((len(block), offsets[-1]), np.float32)
        hot[np.arange(len(block))[:, None], block + offsets[:-1]] = 1
        gram += hot.T @ hot
    p = gram / len(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.diag(p)
        terms = np.where(p > 0, p * np.log(p / np.outer(own, own)), 0)
    information = np.add.reduceat(np.add.reduceat(terms, offsets[:-1], 0), offsets[:-1], 1)
    return minimum_spanning_tree(np.triu(1.0 + information.max() - information, 1))


def pyagrum_pairs(table: tw.Table, most: int) -> float:
    """Seconds of pyAgrum's pairwise mutual information, extrapolated from some of the pairs."""
    learner = pyagrum_learner(table)
    names = table.schema.names
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    some = pairs[:: max(1, len(pairs) // most)]
    return seconds(lambda: [learner.mutualInformation(a, b) for a, b in some], 1) * len(pairs) / len(some)


def pgmpy_tree(table: tw.Table) -> float:
    from pgmpy.estimators import TreeSearch

    search = TreeSearch(frame_of(table), root_node=table.schema.names[0], n_jobs=1)
    return seconds(lambda: search.estimate(show_progress=False), 1)


def deeprob_tree(table: tw.Table) -> float:
    from deeprob.spn.structure.cltree import BinaryCLT

    rows = np.stack(table.columns, axis=1).astype(np.float32)
    n = rows.shape[1]
    return seconds(lambda: BinaryCLT(list(range(n))).fit(rows, [[0, 1]] * n, alpha=0.01, random_state=0), 3)


def measure(results: Results, name: str, numpy_bar: float, pyagrum_bar: float | None) -> None:
    table, shown = network_rows(name, 10_000)
    rows = np.stack(table.columns, axis=1).astype(np.int64)
    cards = np.array(table.schema.cardinalities)
    mine = seconds(lambda: ours(table))
    product = seconds(lambda: numpy_tree(rows, cards), 3)
    results.add("tree", shown, mine, "NumPy one-hot product", product, numpy_bar)
    if installed("pyagrum"):
        results.add("tree", shown, mine, "pyAgrum, pairs only", pyagrum_pairs(table, 200), pyagrum_bar)
    else:
        results.absent("tree", "pyagrum")
    if name == "alarm" and installed("pgmpy"):
        results.add("tree", shown, mine, "pgmpy TreeSearch", pgmpy_tree(table))


def main() -> None:
    one_thread()
    results = Results("all pairs + information + tree, one thread")
    measure(results, "andes", 20, 1000)
    measure(results, "alarm", 10, None)
    plants = density_rows("plants")
    if plants is not None and installed("deeprob"):
        results.add("tree", "plants", seconds(lambda: ours(plants)), "deeprob-kit", deeprob_tree(plants), 2)
    elif plants is not None:
        results.absent("tree", "deeprob-kit")
    results.finish()


if __name__ == "__main__":
    main()
