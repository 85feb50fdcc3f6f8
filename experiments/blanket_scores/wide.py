"""Grids, scale-free graphs and small worlds of 60 to 400 variables: `auto` beside L1 and MPL.

Rows are drawn by Gibbs chains, one of them for every hundred rows, since no junction tree of such a grid fits
into memory. Two of them are near each other in a chain, twenty sweeps apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import treewright as tw
from experiments.blanket_scores.learners import judged
from experiments.blanket_scores.targets import seeded
from experiments.common import Experiment, markdown_table, run
from experiments.common.results import Row

LEARNERS = ("auto", "MPL", "L1")
GRAPHS = (
    "grid_64", "grid_196", "grid_400", "scale_free_60_1", "scale_free_200_2", "scale_free_400_1",
    "small_world_60_4", "small_world_200_4", "small_world_400_4",
)  # fmt: skip
SIZES = (250, 1000, 4000)
DRAWS = 3


def target(name: str) -> tw.UndirectedGraph:
    """A graph over binary variables, by its name."""
    kind, *numbers = name.rsplit("_", 1 if name.startswith("grid") else 2)
    n = int(numbers[0])
    if kind == "scale_free":
        return tw.networks.scale_free_graph(n, int(numbers[1]), rng=seeded(name))
    if kind == "small_world":
        return tw.networks.small_world_graph(n, int(numbers[1]), 0.1, rng=seeded(name))
    side = round(n**0.5)
    right = [(v, v + 1) for v in range(n) if (v + 1) % side]
    schema = tw.Schema([tw.Variable(f"x{v:03d}", (0, 1)) for v in range(n)])
    return tw.UndirectedGraph(schema, [*right, *((v, v + side) for v in range(n - side))])


def rows_of(name: str, draw: int, n: int) -> tw.Table:
    """Rows of a random model on the graph."""
    model = tw.networks.random_markov_network(target(name), rng=seeded(name, draw, "model"))
    chains = max(1, n // 100)
    found = tw.models.sample_gibbs(
        model, -(-n // chains), chains=chains, burn_in=200, thinning=20, rng=seeded(name, draw, "rows")
    )
    return found.table.head(n)


def measure(full: bool) -> Iterator[Row]:
    for name in GRAPHS if full else ("grid_16", "small_world_14_4"):
        truth = target(name)
        for n in SIZES if full else SIZES[:1]:
            yield measure_cell(name, truth, n, DRAWS if full else 1)


def measure_cell(name: str, truth: tw.UndirectedGraph, n: int, draws: int) -> Row:
    row: Row = {"graph": name, "edges": truth.n_edges, "rows": n}
    for learner in LEARNERS:
        found = [judged(learner, rows_of(name, draw, n), truth) for draw in range(draws)]
        row[f"{learner}_distances"] = [one.distance for one in found]
        row[f"{learner}_seconds"] = round(float(np.mean([one.seconds for one in found])), 2)
    return row


def tables(rows: list[Row]) -> dict[str, str]:
    header = ("graph (edges)", "rows", *LEARNERS, "auto less the better", *(f"{one}, s" for one in LEARNERS))
    return {"wide": markdown_table(header, [line(row) for row in rows])}


def line(row: Row) -> tuple[object, ...]:
    """Mean distances, the paired difference to the better of the other two with its error, and seconds."""
    distances = {one: np.array(row[f"{one}_distances"], dtype=float) for one in LEARNERS}
    rival = min(LEARNERS[1:], key=lambda one: float(distances[one].mean()))
    behind = distances["auto"] - distances[rival]
    error = float(behind.std(ddof=1) / np.sqrt(len(behind))) if len(behind) > 1 else float("nan")
    return (
        f"{row['graph']} ({row['edges']})",
        row["rows"],
        *(f"{distances[one].mean():.1f}" for one in LEARNERS),
        f"{behind.mean():+.1f} ± {error:.1f} ({rival})",
        *(f"{row[f'{one}_seconds']:.1f}" for one in LEARNERS),
    )


EXPERIMENT = Experiment("blanket_scores.wide", measure, tables, "experiments/blanket_scores/RECORD.md")

if __name__ == "__main__":
    run(EXPERIMENT)
