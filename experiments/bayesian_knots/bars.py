"""Errors of the default beside the bars that were set for it, and who is to blame for them.

Where the structure that was learned scores higher than the truth, no better search would have helped: the
score prefers an edge that chance suggests, or does without one that leaves too little trace.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

import treewright as tw
from experiments.bayesian_knots.networks import rows_of
from experiments.common import Cell, Experiment, Row, markdown_table, network, run
from treewright.learners.classes.score_choice import suited_score

# network, rows: most errors in the mean, or None; data sets (more where the mean is close to the bar)
BARS: dict[tuple[str, int], tuple[int | None, int]] = {
    ("hepar2", 500): (100, 100),
    ("win95pts", 500): (72, 10),
    ("andes", 500): (126, 10),
    ("hepar2", 2_000): (76, 10),
    ("win95pts", 2_000): (49, 10),
    ("andes", 2_000): (75, 10),
    ("pigs", 500): (0, 10),
    ("link", 2_000): (None, 2),
    ("pathfinder", 500): (None, 5),
}


def measure(full: bool) -> Iterator[Cell]:
    for (name, n_rows), (_, n_sets) in BARS.items() if full else [(("alarm", 200), (None, 2))]:
        yield _cell(name, n_rows, n_sets)


def _cell(name: str, n_rows: int, n_sets: int) -> Cell:
    def figures() -> Row:
        truth = network(name)[0].dag
        errors, lead = [], []
        for draw in range(n_sets):
            counter = tw.count(rows_of(name, draw).head(n_rows))
            learned = tw.learn_knots(counter)
            errors.append(tw.shd(truth, learned.cpdag))
            lead.append(round(learned.score - suited_score(counter).score.score(truth), 4))
        return {"shd": errors, "lead": lead}

    return Cell({"network": name, "rows": n_rows, "sets": n_sets}, figures)


def tables(rows: list[Row]) -> Mapping[str, str]:
    lines = []
    for row in rows:
        bar, _ = BARS.get((row["network"], row["rows"]), (None, 0))
        mean, error = np.mean(row["shd"]), np.std(row["shd"], ddof=1) / math.sqrt(row["sets"])
        held = "" if bar is None else "yes" if mean <= bar else "no"
        below = sum(lead < 0 for lead in row["lead"])
        lines.append(
            [
                row["network"], row["rows"], row["sets"], f"{mean:.1f} ± {error:.1f}",
                "" if bar is None else bar, held, row["shd"].count(0), below,
            ]
        )  # fmt: skip
    header = ("network", "rows", "sets", "errors", "bar", "held", "sets without error", "below the truth")
    return {"bars": markdown_table(header, lines)}


EXPERIMENT = Experiment("bayesian_knots.bars", measure, tables, "docs/measured/bayesian_knots.md")

if __name__ == "__main__":
    run(EXPERIMENT)
