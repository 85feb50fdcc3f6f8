"""What does the work, one thing at a time: stages of the search, clusters as a filter, knots by that search.

The data sets are those of the networks. Tables are counted beyond those of all pairs, which everyone needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

import treewright as tw
from experiments.bayesian_knots.networks import rows_of
from experiments.common import Cell, Experiment, Row, markdown_table, network, run


def searched(counter: tw.Counter, **options: object) -> tuple[tw.graphs.Pdag, int]:
    learned = tw.learn_knots(counter, **options)  # type: ignore[arg-type]
    return learned.cpdag, learned.report.tables


def tied(counter: tw.Counter, **options: object) -> tuple[tw.graphs.Pdag, int]:
    """Knots by search over classes, so that only the decomposition differs."""
    settings = tw.learners.KnotSettings(threads=1)
    learned = tw.learners.learn_paper_knots(counter, engine="class", settings=settings, **options)  # type: ignore[arg-type]
    return learned.cpdag, int(learned.trace.total("scores"))


VARIANTS: dict[str, Callable[[tw.Counter], tuple[tw.graphs.Pdag, int]]] = {
    "default": searched,
    "effort 1": lambda counter: searched(counter, effort=1),
    "effort 0": lambda counter: searched(counter, effort=0),
    "fast": lambda counter: searched(counter, fast=True),
    "first pairs only": lambda counter: searched(counter, certificate="never", rescue=0.0, effort=1),
    "clusters as filter": lambda counter: searched(counter, filter="clusters", expansion=0.5, effort=1),
    "class knots, `dag`": lambda counter: tied(counter, combine="dag"),
    "class knots, `cpdag`": tied,
    "BIC instead": lambda counter: searched(counter, score=tw.BIC(counter), effort=1),
    "only pairs of PC, depth 1": lambda counter: searched(counter, filter="pc1"),
}
PLAN = {"hepar2": (500, 2_000), "win95pts": (500, 2_000), "andes": (500, 2_000), "pathfinder": (500, 2_000)}
SETS = 3


def measure(full: bool) -> Iterator[Cell]:
    for name, sizes in PLAN.items() if full else [("alarm", (200,))]:
        for n_rows in sizes:
            for variant in VARIANTS:
                yield _cell(name, n_rows, SETS if full else 1, variant)


def _cell(name: str, n_rows: int, n_sets: int, variant: str) -> Cell:
    def figures() -> Row:
        truth, shown = network(name)
        found = [VARIANTS[variant](tw.count(rows_of(name, draw).head(n_rows))) for draw in range(n_sets)]
        compared = [tw.compare(truth.dag, graph) for graph, _ in found]
        return {
            "shown": shown,
            "shd": [one.shd for one in compared],
            "f1": [round(one.skeleton.f1, 4) for one in compared],
            "tables": [tables for _, tables in found],
        }

    return Cell({"network": name, "rows": n_rows, "sets": n_sets, "variant": variant}, figures)


def tables(rows: list[Row]) -> Mapping[str, str]:
    """Mean errors, F1 and tables of each variant."""
    cells = list(dict.fromkeys((row["shown"], row["rows"]) for row in rows))
    found = {(row["variant"], row["shown"], row["rows"]): row for row in rows}
    lines = []
    for variant in VARIANTS:
        seen = [found.get((variant, *cell)) for cell in cells]
        lines.append([variant, *("" if row is None else _shown(row) for row in seen)])
    return {"variants": markdown_table(["variant", *(f"{name}, {n}" for name, n in cells)], lines)}


def _shown(row: Row) -> str:
    return f"{np.mean(row['shd']):.1f} / {np.mean(row['f1']):.2f} / {np.mean(row['tables']):,.0f}"


EXPERIMENT = Experiment("bayesian_knots.variants", measure, tables, "docs/measured/bayesian_knots.md")

if __name__ == "__main__":
    run(EXPERIMENT)
