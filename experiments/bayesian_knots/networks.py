"""The pipeline of the paper, its rivals and one search over the whole, on networks that are known.

Fewer rows are the first of more, and every learner sees the same rows. Large networks have fewer numbers
of rows. Tests and tables include those of all pairs.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

import treewright as tw
from experiments.bayesian_knots.learners import LEARNERS, judged
from experiments.bayesian_knots.network_tables import FIGURES, all_tables, error_lines
from experiments.common import Cell, Experiment, Panel, Row, network, run

# rows: data sets
TEN = dict.fromkeys((200, 500, 1_000, 2_000, 5_000, 10_000), 10)
PLAN = {
    "alarm": TEN,
    "hailfinder": TEN,
    "hepar2": TEN,
    "win95pts": TEN,
    "andes": TEN,
    "link": {500: 10, 2_000: 10},
    "pigs": {200: 10, 500: 10},
    "pathfinder": TEN,
}
SMALL = {"alarm": {200: 2}, "hepar2": {200: 1}}
# With a fixed threshold and so many pairs, chance joins thousands: no end after minutes.
NOT_RUN = {("link", "TPDA .01 nats"), ("pigs", "TPDA .01 nats")}


def measure(full: bool) -> Iterator[Cell]:
    for name, sizes in (PLAN if full else SMALL).items():
        for n_rows, n_sets in sizes.items():
            for learner in LEARNERS:
                if (name, learner) not in NOT_RUN:
                    yield _cell(name, n_rows, n_sets, learner)


def _cell(name: str, n_rows: int, n_sets: int, learner: str) -> Cell:
    def figures() -> Row:
        truth, shown = network(name)
        found = [judged(learner, rows_of(name, draw).head(n_rows), truth.dag) for draw in range(n_sets)]
        lists = {figure: [one[figure] for one in found] for figure in FIGURES}
        return {"shown": shown, "variables": len(truth.schema), "edges": truth.dag.n_edges, **lists}

    return Cell({"network": name, "rows": n_rows, "sets": n_sets, "learner": learner}, figures)


@lru_cache(maxsize=10)
def rows_of(name: str, draw: int) -> tw.Table:
    """One data set: all rows that any figure asks for."""
    seed = zlib.crc32(repr((name, draw, "knots")).encode())
    return network(name)[0].sample(max(PLAN[name]), rng=np.random.default_rng(seed))


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = []
    for name, shown in dict.fromkeys((row["network"], row["shown"]) for row in rows):
        lines = error_lines([row for row in rows if row["network"] == name])
        panels.append(Panel(shown, "rows", "errors (SHD)", lines, log_x=True))
    return {"bayesian_knots_networks.svg": panels}


EXPERIMENT = Experiment(
    "bayesian_knots.networks", measure, all_tables, "docs/measured/bayesian_knots.md", pictures
)

if __name__ == "__main__":
    run(EXPERIMENT)
