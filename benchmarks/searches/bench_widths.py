"""Many variables under a bound: BIC and CPU seconds of one kick a variable, the default and class search.

The rows are generated: by default 413 variables of 2 to 21 states, 5,000 rows; `--network` names a file
instead. `effort=1`, `effort=5` and the default search all narrower bounds as well; `alone` does not: that is
what they once were. A wider bound below a narrower one is marked, and the program then ends with status 1.

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
from treewright.learners.bounded_treewidth.default_search import draw_seeds, search_from
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
    parser.add_argument("--network", help="a file with a network to draw rows from")
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--widths", type=int, nargs="*", default=[3, 4, 5, 6])
    options = parser.parse_args()
    one_thread()
    drawn = {"states": (2, options.states), "max_parents": 2, "concentration": 0.05}
    network = (
        tw.read_model(options.network)
        if options.network
        else tw.random_network(options.variables, 8, **drawn, rng=np.random.default_rng(SEED))
    )
    table = network.sample(options.rows, rng=np.random.default_rng(SEED + 1))
    grid = RichTable("search", "width", "BIC", "CPU seconds", "times alone", title=f"seed {SEED}")

    def score() -> tw.BIC:
        return tw.BIC(tw.count(table))  # nothing counted before

    seeds, reached, held = draw_seeds(None, 1), dict[str, float](), True
    for width in sorted(options.widths):
        first = score()
        alone = BoundedSettings(first, bind_knowledge(None, first.schema), width, None)
        for effort in (1, 5, None):
            shown = "default" if effort is None else f"effort={effort}"
            bic, before = measured(lambda e=effort, alone=alone: search_from(None, alone, seeds, effort=e))
            grid.add_row(f"alone, {shown}", str(width), f"{bic:,.0f}", f"{before:.1f}", "")
            options = {"treewidth": width, "effort": effort}
            bic, cpu = measured(lambda of=options: tw.learn_bounded_treewidth(score(), **of))
            fell = bic < reached.get(shown, bic)
            reached[shown] = bic
            held = held and not fell
            mark = " BELOW" if fell else ""
            grid.add_row(shown, str(width), f"{bic:,.0f}{mark}", f"{cpu:.1f}", f"{cpu / before:.2f}")
    bic, cpu = measured(lambda: tw.learn_hill_climbing(score()))
    grid.add_row("class search", "", f"{bic:,.0f}", f"{cpu:.1f}", "")
    console.print(grid)
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
