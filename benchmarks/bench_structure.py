"""How well structures are found: errors of class search under each score, on fresh samples of known networks.

    python benchmarks/bench_structure.py
    python benchmarks/bench_structure.py --rows 500 1000 --networks alarm hepar2 --samples 5

The errors are the structural Hamming distance between the equivalence class learned and that of the network
that made the rows; their mean over the samples decides the score that finding structure uses by default.
Networks other than ALARM are read from the folder that TREEWRIGHT_DATA names.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from common import SEED, console, folder, one_thread
from rich.table import Table as RichTable

import treewright as tw

SCORES: dict[str, Callable[[tw.Counter], object]] = {
    "BIC": tw.BIC,
    "BDeu 1": tw.BDeu,
    "BDeu 10": lambda counter: tw.BDeu(counter, ess=10.0),
    "qNML": tw.QNML,
    "sparse qNML": tw.SparseQNML,
}


def truth(name: str) -> tw.BayesianNetwork | None:
    if name == "alarm":
        return tw.load_network("alarm")
    where = folder()
    if where is None:
        console.print(f"[yellow]{name}: set TREEWRIGHT_DATA to measure it[/]")
        return None
    return tw.read_model(where / "networks" / f"{name}.bif.gz")


def errors(network: tw.BayesianNetwork, n_rows: int, samples: int, effort: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {name: [] for name in SCORES}
    for sample in range(samples):
        table = network.sample(n_rows, rng=np.random.default_rng([SEED, sample]))
        for name, score in SCORES.items():
            learned = tw.learn_hill_climbing(score(tw.count(table)), effort=effort)
            found[name].append(tw.shd(network.dag, learned.structure))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--networks", nargs="+", default=["alarm", "hailfinder", "hepar2", "win95pts", "andes"]
    )
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000, 10_000])
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--effort", type=int, default=2)
    options = parser.parse_args()
    one_thread()
    shown = RichTable("network", "rows", *SCORES, title=f"mean SHD over {options.samples} fresh samples")
    for name in options.networks:
        network = truth(name)
        for n_rows in options.rows if network else ():
            found = errors(network, n_rows, options.samples, options.effort)
            means = [f"{np.mean(values):.1f}" for values in found.values()]
            shown.add_row(name, f"{n_rows:,}", *means)
    console.print(shown)


if __name__ == "__main__":
    main()
