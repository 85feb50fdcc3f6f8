"""Efficient Markov and cutset networks beside LearnSPN: seconds of one run, and the test log-likelihood."""

from __future__ import annotations

import numpy as np
from common import Results, console, density_rows, installed, one_thread, seconds

import treewright as tw

# the settings that validation rows choose, see docs/papers/efficient_markov.md
MARKOV = {"nltcs": (0.005, 200), "msnbc": (0.0002, 500), "plants": (0.01, 300)}
LEARNSPN_BARS = {"markov": 8, "cutset": 40}  # on plants, of the times that one run may take


def markov(table: tw.Table, name: str) -> tw.FeatureGraph:
    delta, min_rows = MARKOV[name]
    counter = tw.count(table)
    return tw.learn_efficient_markov(counter, delta=delta, min_rows=min_rows, smoothing=3.0).structure


def cutset(table: tw.Table, name: str) -> tw.FeatureGraph:
    counter = tw.count(table)
    return tw.learn_cutset_network(counter, smoothing=3.0, shrinkage=5.0, min_rows=200).structure


def learn_spn(train: np.ndarray, test: np.ndarray) -> tuple[float, float]:
    """Seconds of deeprob-kit's LearnSPN, and its mean test log-likelihood."""
    from deeprob.spn.algorithms.inference import log_likelihood
    from deeprob.spn.learning.wrappers import learn_estimator
    from deeprob.spn.structure.leaf import Bernoulli

    n = train.shape[1]
    made: list[object] = []

    def learn() -> None:
        # Chow-Liu leaves and G-tests explain plants best; rows, slices and clusters as the package has them
        options = {"learn_leaf": "binary-clt", "split_cols": "gvs", "learn_leaf_kwargs": {"to_pc": False}}
        made.append(
            learn_estimator(train, [Bernoulli] * n, [[0, 1]] * n, random_state=0, verbose=False, **options)
        )

    return seconds(learn, 0), float(np.mean(log_likelihood(made[-1], test)))


def rows_of(table: tw.Table) -> np.ndarray:
    return np.stack(table.columns, axis=1).astype(np.float32)


def measure(results: Results, name: str) -> None:
    train, test = density_rows(name), density_rows(name, "test")
    if train is None or test is None:
        return
    mine = {}
    for job, learn in {"markov": markov, "cutset": cutset}.items():
        graph = learn(train, name)
        score = tw.FeatureNetwork(graph).score(test)
        mine[job] = seconds(lambda learn=learn: learn(train, name), 3)
        console.print(f"{name}, {job}: {mine[job] * 1e3:.0f} ms, test {score:.3f}, {graph.n_nodes:,} nodes")
    if name != "plants":  # the peer takes minutes on the others
        return
    if not installed("deeprob"):
        results.absent("density", "deeprob-kit")
        return
    theirs, score = learn_spn(rows_of(train), rows_of(test))
    console.print(f"{name}, LearnSPN: {theirs:.1f} s, test {score:.3f}")
    for job, ours in mine.items():
        results.add(job, name, ours, "deeprob-kit LearnSPN", theirs, LEARNSPN_BARS[job])


def main() -> None:
    one_thread()
    results = Results("one network of a density set, one thread")
    for name in MARKOV:
        measure(results, name)
    results.finish()


if __name__ == "__main__":
    main()
