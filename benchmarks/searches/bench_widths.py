"""Many variables under a bound: BIC and CPU seconds of one kick a variable, the default and class search.

The rows are generated: by default 413 variables of 2 to 21 states, 5,000 rows. `effort=1` and the
default both start at a narrower network too; `tree alone` does not:
that is what the default once was.

    python benchmarks/searches/bench_widths.py
    python benchmarks/searches/bench_widths.py --variables 200 --states 4 --widths 4 8
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
from common import SEED, console, one_thread  # before NumPy is loaded: it sets its threads

# isort: split

import numpy as np
from rich.table import Table as RichTable

import treewright as tw
from treewright.graphs import bind_knowledge
from treewright.learners.bounded_treewidth.default_search import search_from
from treewright.learners.bounded_treewidth.search import BoundedSettings


def measured(learn: Callable[[], Any]) -> tuple[float, float]:
    """The score, and CPU seconds of one call."""
    began = time.process_time()
    learned = learn()
    return learned.score, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, default=413)
    parser.add_argument("--states", type=int, default=21, help="the most states of a variable")
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--widths", type=int, nargs="*", default=[3, 4, 5, 6])
    options = parser.parse_args()
    one_thread()
    drawn = {"states": (2, options.states), "max_parents": 2, "concentration": 0.05}
    network = tw.random_network(options.variables, 8, **drawn, rng=np.random.default_rng(SEED))
    table = network.sample(options.rows, rng=np.random.default_rng(SEED + 1))
    grid = RichTable("search", "width", "BIC", "CPU seconds", "times tree alone", title=f"seed {SEED}")

    def score() -> tw.BIC:
        return tw.BIC(tw.count(table))  # nothing counted before

    for width in options.widths:
        first = score()
        alone = BoundedSettings(first, bind_knowledge(None, first.schema), width, None)
        jobs: dict[str, Callable[[], Any]] = {
            "tree alone, effort=1": lambda alone=alone: search_from(None, alone, [0], effort=1),
            "effort=1": lambda k=width: tw.learn_bounded_treewidth(score(), treewidth=k, effort=1),
            "default": lambda k=width: tw.learn_bounded_treewidth(score(), treewidth=k),
        }
        found = {name: measured(learn) for name, learn in jobs.items()}
        least = found["tree alone, effort=1"][1]
        for name, (bic, cpu) in found.items():
            grid.add_row(name, str(width), f"{bic:,.0f}", f"{cpu:.1f}", f"{cpu / least:.2f}")
    bic, cpu = measured(lambda: tw.learn_hill_climbing(score()))
    grid.add_row("class search", "", f"{bic:,.0f}", f"{cpu:.1f}", "")
    console.print(grid)


if __name__ == "__main__":
    main()
