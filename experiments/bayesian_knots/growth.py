"""How the work grows with the number of variables: generated networks, 1,000 rows.

Variables of two to four states with up to three parents anywhere before them, one network of each size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from experiments.bayesian_knots.learners import judged
from experiments.common import Cell, Experiment, Line, Panel, Row, markdown_table, run
from treewright.networks.generate import sparse_network

SIZES = (250, 500, 1_000, 2_000)
ROWS = 1_000
SHOWN = ("knots", "fast", "paper, `dag`", "paper, `cpdag`", "BL (reconstructed)", "PC .01", "TPDA G²")


def measure(full: bool) -> Iterator[Cell]:
    for n in SIZES if full else (40,):
        for learner in SHOWN:
            yield _cell(n, learner)


def _cell(n: int, learner: str) -> Cell:
    def figures() -> Row:
        truth = sparse_network(n, np.random.default_rng(n))
        table = truth.sample(ROWS, rng=np.random.default_rng(n + 1))
        return {"edges": truth.dag.n_edges, **judged(learner, table, truth.dag)}

    return Cell({"variables": n, "learner": learner}, figures)


def tables(rows: list[Row]) -> Mapping[str, str]:
    """Errors, false edges, tests or tables and seconds, by learner and number of variables."""
    sizes = list(dict.fromkeys((row["variables"], row["edges"]) for row in rows))
    lines = []
    for learner in SHOWN:
        cells = [_shown(rows, learner, n) for n, _ in sizes]
        lines.append([learner, *cells])
    return {"growth": markdown_table(["learner", *(f"{n} ({edges} edges)" for n, edges in sizes)], lines)}


def _shown(rows: list[Row], learner: str, n: int) -> str:
    for row in rows:
        if (row["learner"], row["variables"]) == (learner, n):
            return f"{row['shd']} ({row['false']}) / {row['tests']:,} / {row['seconds']:.2f} s"
    return ""


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = [
        Panel("errors", "variables", "SHD", _lines(rows, "shd"), log_x=True, log_y=True),
        Panel("work", "variables", "tests or tables", _lines(rows, "tests"), log_x=True, log_y=True),
        Panel("time", "variables", "processor seconds", _lines(rows, "seconds"), log_x=True, log_y=True),
    ]
    return {"bayesian_knots_growth.svg": panels}


def _lines(rows: list[Row], figure: str) -> list[Line]:
    lines = []
    for learner in SHOWN:
        seen = [row for row in rows if row["learner"] == learner]
        if seen:
            x, y = [row["variables"] for row in seen], [row[figure] for row in seen]
            lines.append(Line(learner.replace("`", ""), x, y))
    return lines


EXPERIMENT = Experiment("bayesian_knots.growth", measure, tables, "docs/measured/bayesian_knots.md", pictures)

if __name__ == "__main__":
    run(EXPERIMENT)
