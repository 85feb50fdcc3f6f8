"""Distance to random networks of discrete and continuous variables: numbers as they are, and cut.

Cut rows are searched over equivalence classes by the score that finds structure best, and by BIC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

import treewright as tw
from experiments.common import Cell, Experiment, Row, markdown_table, run, timed
from experiments.mixed_tables.networks import random_mixed_network
from treewright.criteria import make_sparse_mixed_score
from treewright.statistics import mixed_moments

SIZES, ROWS, SEEDS = (20, 35, 50), (500, 2000, 10_000), 4
CUTS = (3, 5)
PAGE = "docs/measured/mixed_tables.md"


def measure(full: bool) -> Iterator[Cell]:
    sizes, rows, seeds = (SIZES, ROWS, SEEDS) if full else ((8,), (300,), 1)
    for n_variables in sizes:
        for n in rows:
            about: Row = {"variables": n_variables, "rows": n}
            yield Cell(about, partial(distances, n_variables, n, seeds))


def distances(n_variables: int, n: int, seeds: int) -> Row:
    """By learner, a distance for each network; and processor seconds of the uncut search."""
    found: dict[str, list[int]] = {}
    spent = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        model = random_mixed_network(n_variables, rng=rng)
        table = model.sample(n, rng=rng)
        learned, seconds = timed(partial(learned_from, table))
        spent.append(seconds)
        found.setdefault("as they are", []).append(tw.shd(model.dag, learned.structure))
        for bins in CUTS:
            cut = tw.count(tw.read_table(table, bins=dict.fromkeys(model.continuous, bins)))
            for name, score in (("sparse-qnml", tw.SparseQNML), ("bic", tw.BIC)):
                other = tw.learn_hill_climbing(score(cut)).structure
                found.setdefault(f"{bins} bins, {name}", []).append(tw.shd(model.dag, other))
    return {"distances": found, "seconds": float(np.mean(spent))}


def learned_from(table: tw.Table) -> tw.Learned[tw.Dag]:
    return tw.learn_mixed(make_sparse_mixed_score(mixed_moments(table)))


def tables(rows: list[Row]) -> Mapping[str, str]:
    learners = list(rows[0]["distances"])
    lines = [
        [
            str(row["variables"]),
            f"{row['rows']:,}",
            *(f"{float(np.mean(row['distances'][one])):.1f}" for one in learners),
            f"{row['seconds']:.1f}",
        ]
        for row in rows
    ]
    return {"structure": markdown_table(["variables", "rows", *learners, "seconds"], lines)}


EXPERIMENT = Experiment("mixed_tables.structure", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
