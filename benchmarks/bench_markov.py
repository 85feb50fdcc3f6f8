"""Fitting, asking and sampling Markov networks on the moral graphs of known networks.

    TREEWRIGHT_DATA=... python benchmarks/bench_markov.py win95pts andes

Without names it takes ALARM, which is part of the package.
"""

from __future__ import annotations

import sys

import numpy as np
from common import SEED, console, duration, folder, one_thread, seconds
from rich.table import Table as RichTable

import treewright as tw

N_ROWS = 5_000


def network(name: str) -> tw.BayesianNetwork | None:
    if name in tw.networks.list_networks():
        return tw.load_network(name)
    where = folder()
    if where is None:
        console.print(f"[yellow]{name}: set TREEWRIGHT_DATA to measure it[/]")
        return None
    found = tw.read_model(where / "networks" / f"{name}.bif.gz")
    assert isinstance(found, tw.BayesianNetwork)
    return found


def jobs(truth: tw.BayesianNetwork) -> dict[str, float]:
    """Seconds of each job."""
    rows = truth.sample(N_ROWS, rng=np.random.default_rng(SEED))
    graph, counter = truth.dag.moral_graph(), tw.count(rows)
    model = tw.fit(graph, counter)
    chains = {"chains": 1, "burn_in": 0, "rng": np.random.default_rng(SEED)}
    return {
        f"iterative fitting, {model.fitting.sweeps} sweeps": seconds(lambda: tw.fit(graph, counter), 3),
        "decomposable cover": seconds(
            lambda: tw.fit(graph, counter, estimator=tw.models.DecomposableCover()), 3
        ),
        "all marginals": seconds(model.marginals, 3),
        f"log-probability of {N_ROWS:,} rows": seconds(lambda: model.log_probability(rows), 3),
        f"{N_ROWS:,} exact rows": seconds(lambda: model.sample(N_ROWS, rng=np.random.default_rng(1)), 3),
        f"{N_ROWS:,} sweeps of a Gibbs chain": seconds(
            lambda: tw.models.sample_gibbs(model, N_ROWS, **chains), 3
        ),
    }


def main() -> None:
    one_thread()
    shown = RichTable("network", "job", "takes", title="Markov networks, one thread")
    for name in [argument for argument in sys.argv[1:] if not argument.startswith("-")] or ["alarm"]:
        truth = network(name)
        if truth is None:
            continue
        for job, taken in jobs(truth).items():
            shown.add_row(name, job, duration(taken))
    console.print(shown)


if __name__ == "__main__":
    main()
