"""The default: errors of `tw.learn` beside those of the methods it chooses from, and what it costs.

`python benchmarks/bench_default.py` prints, for each network and number of rows, the mean errors (SHD of
classes) over fresh samples with shuffled columns, beside the best of bounded treewidth, hill climbing and
knots with their own defaults, and processor seconds beside those of knots, one thread; with `noise`, edges
found among independent columns. `--seeds 3 4 5` takes other samples. Networks come from the folder that
TREEWRIGHT_DATA names; without it alarm and asia are measured.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from common import console, folder, one_thread
from rich.table import Table as RichTable

import treewright as tw

NETWORKS = ("alarm", "insurance", "child", "hailfinder", "win95pts")
ROWS = (300, 1_000, 10_000)
MORE, SLOWER = 1.05, 3.0  # errors beside the best, seconds beside knots

METHODS: dict[str, Callable[[tw.Counter], tw.Learned]] = {
    "bounded": lambda counter: tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=4),
    "hill climbing": lambda counter: tw.learn_hill_climbing(tw.SparseQNML(counter)),
    "knots": tw.learn_knots,
    "default": lambda counter: tw.learn(counter).learned,
}
# rows, and states of the one column of many states among 20 independent columns of 2 to 4
NOISE = ((300, 60), (300, 80), (300, 100), (300, 150), (1_000, 400), (5_000, 2_000), (300, 3), (1_000, 3))


def networks() -> dict[str, tw.BayesianNetwork]:
    where = folder()
    if where is None:
        console.print("[yellow]set TREEWRIGHT_DATA to measure all networks[/]")
        return {name: tw.load_network(name) for name in ("alarm", "asia")}
    return {name: tw.read_model(where / "networks" / f"{name}.bif.gz") for name in NETWORKS}  # type: ignore[misc]


def shuffled(truth: tw.BayesianNetwork, n_rows: int, seed: int) -> tw.Table:
    rng = np.random.default_rng(seed)
    table = truth.sample(n_rows, rng=rng)
    return table.select([table.schema.names[i] for i in rng.permutation(len(table.schema))])


def measure(truth: tw.BayesianNetwork, n_rows: int, seeds: list[int]) -> dict[str, tuple[float, float]]:
    """Mean errors and processor seconds of each method."""
    errors: dict[str, list[float]] = {name: [] for name in METHODS}
    spent: dict[str, list[float]] = {name: [] for name in METHODS}
    for seed in seeds:
        table = shuffled(truth, n_rows, seed)
        for name, learn in METHODS.items():
            counter, start = tw.count(table), time.process_time()
            learned = learn(counter)
            spent[name].append(time.process_time() - start)
            errors[name].append(tw.shd(truth.dag, learned.cpdag))
    return {name: (float(np.mean(errors[name])), float(np.mean(spent[name]))) for name in METHODS}


def compare(seeds: list[int]) -> bool:
    shown = RichTable(
        "network", "rows", *METHODS, "beside the best", "seconds", "beside knots", title="default"
    )
    good = True
    for name, truth in networks().items():
        for n_rows in ROWS:
            found = measure(truth, n_rows, seeds)
            mean, seconds = found["default"]
            best = min(errors for method, (errors, _) in found.items() if method != "default")
            ratio = mean / best if best else 1.0 + mean
            slower = seconds / found["knots"][1]
            held = ratio <= MORE and slower <= SLOWER
            good = good and held
            shown.add_row(
                name, f"{n_rows:,}", *(f"{errors:.1f}" for errors, _ in found.values()),
                f"{ratio:.2f}" + ("" if ratio <= MORE else " !"), f"{seconds:.3f}",
                f"{slower:.1f}" + ("" if slower <= SLOWER else " !"),
            )  # fmt: skip
    console.print(shown)
    return good


def noise(repetitions: int = 10) -> bool:
    """Edges among independent columns, one of them of many states."""
    shown = RichTable("rows", "states", "edges for each data set", title="independent columns")
    good = True
    for n_rows, n_states in NOISE:
        found = []
        for seed in range(repetitions):
            rng = np.random.default_rng(seed)
            columns = {f"x{i}": rng.integers(2 + i % 3, size=n_rows).tolist() for i in range(19)}
            columns["many"] = [f"s{k}" for k in rng.integers(n_states, size=n_rows)]
            found.append(tw.learn(columns).structure.n_edges)
        good = good and float(np.mean(found)) <= 0.1
        shown.add_row(f"{n_rows:,}", f"{n_states:,}", f"{np.mean(found):.2f}")
    console.print(shown)
    return good


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=["errors", "noise"], default="errors")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    given = parser.parse_args()
    one_thread()
    raise SystemExit(0 if (noise() if given.part == "noise" else compare(given.seeds)) else 1)
