"""Peak memory: what learning adds to a process that holds the rows, one process for each figure."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

import treewright as tw
from experiments.bayesian_knots.learners import LEARNERS
from experiments.common import Cell, Experiment, Row, markdown_table, network, run
from experiments.common.experiment import ROOT
from treewright import _core
from treewright.networks.generate import sparse_network

SHOWN = ("knots", "fast", "paper, `dag`", "BL (reconstructed)", "PC .01", "TPDA G²")
# network or number of generated variables, rows, learners
PLAN = (
    ("andes", 2_000, SHOWN),
    ("pathfinder", 1_000, SHOWN),
    ("link", 500, SHOWN),
    ("2000", 1_000, SHOWN[:3]),
)
NOTHING = "nothing"


def measure(full: bool) -> Iterator[Cell]:
    for name, n_rows, learners in PLAN if full else (("alarm", 200, ("knots",)),):
        for learner in learners:
            yield _cell(name, n_rows, learner)


def _cell(name: str, n_rows: int, learner: str) -> Cell:
    def figures() -> Row:
        return {"peak": peak_of(name, n_rows, learner), "idle": peak_of(name, n_rows, NOTHING)}

    return Cell({"network": name, "rows": n_rows, "learner": learner}, figures)


@cache
def peak_of(name: str, n_rows: int, learner: str) -> float:
    """Megabytes that a process of its own needs at most."""
    command = [sys.executable, "-m", f"experiments.{EXPERIMENT.name}", name, str(n_rows), learner]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(found.stdout)


def learn_once(name: str, n_rows: int, learner: str) -> float:
    """Learn in this process and say what it needed at most, in megabytes."""
    _core.set_threads(1)
    if name.isdigit():
        truth = sparse_network(int(name), np.random.default_rng(int(name)))
    else:
        truth = network(name)[0]
    table = truth.sample(n_rows, rng=np.random.default_rng(0))
    if learner != NOTHING:
        LEARNERS[learner](tw.count(table))
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def tables(rows: list[Row]) -> Mapping[str, str]:
    """Megabytes beyond those of a process that only holds the rows, which is named beside them."""
    lines = []
    for name, n_rows in dict.fromkeys((row["network"], row["rows"]) for row in rows):
        seen = {row["learner"]: row for row in rows if (row["network"], row["rows"]) == (name, n_rows)}
        idle = min(row["idle"] for row in seen.values())
        cells = [f"{max(seen[one]['peak'] - idle, 0):.0f}" if one in seen else "" for one in SHOWN]
        shown = f"generated, {name} variables" if name.isdigit() else name
        lines.append([shown, n_rows, f"{idle:.0f}", *cells])
    return {"memory": markdown_table(["network", "rows", "the process", *SHOWN], lines)}


EXPERIMENT = Experiment("bayesian_knots.memory", measure, tables, "docs/measured/bayesian_knots.md")

if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(learn_once(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
    else:
        run(EXPERIMENT)
