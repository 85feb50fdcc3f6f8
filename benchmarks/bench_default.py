"""The default: errors of `tw.learn` beside those of the methods it chooses from, and what it costs.

`python benchmarks/bench_default.py` prints, for each network and number of rows, the mean errors (SHD of
classes) over fresh samples with shuffled columns, beside the best of bounded treewidth, hill climbing and
knots with their own defaults, and processor seconds beside those of knots, one thread; with `noise`, edges
found among independent columns. `--seeds 3 4 5` takes other samples. Networks come from the folder that
TREEWRIGHT_DATA names; without it alarm and asia are measured. It fails where a bar is missed. With `--write`
the table goes into docs/measured/README.md.

The best of three methods is chosen after their errors are known, and means of three samples move by a tenth:
so the default has to beat luck as well. `--seeds` with a dozen samples tells the two apart.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from common import console, folder, one_thread, write_table
from rich.table import Table as RichTable

import treewright as tw

NETWORKS = ("alarm", "insurance", "child", "hailfinder", "win95pts")
ROWS = (300, 1_000, 10_000)
MORE, SLOWER = 1.05, 3.0  # errors beside the best, seconds beside knots
FALSE = 0.1  # edges among independent columns
FEW = 3  # samples that are shown apart where there are more

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


Found = dict[str, tuple[list[float], float]]  # by method: errors of each sample, mean processor seconds


def measure(truth: tw.BayesianNetwork, n_rows: int, seeds: list[int]) -> Found:
    """Errors in each sample and processor seconds of each method."""
    errors: dict[str, list[float]] = {name: [] for name in METHODS}
    spent: dict[str, list[float]] = {name: [] for name in METHODS}
    for seed in seeds:
        table = shuffled(truth, n_rows, seed)
        for name, learn in METHODS.items():
            counter, start = tw.count(table), time.process_time()
            learned = learn(counter)
            spent[name].append(time.process_time() - start)
            errors[name].append(tw.shd(truth.dag, learned.cpdag))
    return {name: (errors[name], float(np.mean(spent[name]))) for name in METHODS}


def beside_the_best(found: Found, n_samples: int) -> float:
    """Mean errors of the default over the first samples, as a multiple of the best method's."""
    means = {name: float(np.mean(errors[:n_samples])) for name, (errors, _) in found.items()}
    mean = means.pop("default")
    best = min(means.values())
    return mean / best if best else 1.0 + mean


def compare(seeds: list[int], write: bool) -> bool:
    n, rows, good = len(seeds), [], True
    heads = ["network", "rows", *METHODS, f"beside the best of {n} samples"]
    heads += [f"of the first {FEW}"] * (n > FEW) + ["seconds", "beside knots"]
    for name, truth in networks().items():
        for n_rows in ROWS:
            found = measure(truth, n_rows, seeds)
            ratios = [beside_the_best(found, k) for k in ((n, FEW) if n > FEW else (n,))]
            seconds = found["default"][1]
            slower = seconds / found["knots"][1]
            good = good and ratios[0] <= MORE and slower <= SLOWER
            rows.append(
                [name, f"{n_rows:,}", *(f"{np.mean(errors):.1f}" for errors, _ in found.values())]
                + [marked(ratio, MORE) for ratio in ratios]
                + [f"{seconds:.3f}", marked(slower, SLOWER, 1)]
            )
            print(*rows[-1], flush=True)
    finish("default", heads, rows, write)
    return good


def noise(write: bool, repetitions: int = 100) -> bool:
    """Edges among independent columns, one of them of many states; each cell has samples of its own."""
    rows, good = [], True
    for n_rows, n_states in NOISE:
        found = []
        for seed in range(repetitions):
            rng = np.random.default_rng([n_rows, n_states, seed])
            columns = {f"x{i}": rng.integers(2 + i % 3, size=n_rows).tolist() for i in range(19)}
            columns["many"] = [f"s{k}" for k in rng.integers(n_states, size=n_rows)]
            found.append(tw.learn(columns).structure.n_edges)
        good = good and float(np.mean(found)) <= FALSE
        rows.append([f"{n_rows:,}", f"{n_states:,}", marked(float(np.mean(found)), FALSE)])
    finish("noise", ["rows", "states", f"edges for each of {repetitions} data sets"], rows, write)
    return good


def marked(value: float, bar: float, digits: int = 2) -> str:
    """A figure, with a sign where it misses its bar."""
    return f"{value:.{digits}f}" + ("" if value <= bar else " !")


def finish(name: str, heads: list[str], rows: list[list[str]], write: bool) -> None:
    shown = RichTable(*heads, title=name)
    for row in rows:
        shown.add_row(*row)
    console.print(shown)
    if write:
        write_table(name, heads, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=["errors", "noise"], default="errors")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--write", action="store_true", help="the table into docs/measured/README.md")
    given = parser.parse_args()
    one_thread()
    held = noise(given.write) if given.part == "noise" else compare(given.seeds, given.write)
    raise SystemExit(0 if held else 1)
