"""Held-out density of tables that scikit-learn ships: numbers as they are, and cut into 2 to 10 intervals.

Five folds. A cut network spreads the probability of an interval evenly over its width; a number beyond the
outer edges counts as one at the edge, which is in favour of the cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

import treewright as tw
from experiments.common import Cell, Experiment, Row, markdown_table, run
from experiments.mixed_tables.networks import random_mixed_network
from treewright.automatic.mixed import cut_log_density
from treewright.criteria import make_sparse_mixed_score
from treewright.statistics import mixed_moments

TABLES = ("iris", "wine", "breast_cancer")
CUTS = (2, 3, 4, 5, 7, 10)
FOLDS = 5
PAGE = "docs/measured/mixed_tables.md"


def measure(full: bool) -> Iterator[Cell]:
    for name in TABLES if full else ("generated",):
        yield Cell({"table": name}, partial(densities, name))


def rows_of(name: str) -> tw.Table:
    if name == "generated":
        rng = np.random.default_rng(0)
        return random_mixed_network(6, rng=rng).sample(200, rng=rng)
    from sklearn import datasets

    found = getattr(datasets, f"load_{name}")()
    columns = {str(title): found.data[:, k] for k, title in enumerate(found.feature_names)}
    return tw.read_table({**columns, "class": [f"class {k}" for k in found.target]})


def densities(name: str) -> Row:
    """Mean log-density of held-out rows, in nats, by how numbers are taken."""
    table = rows_of(name)
    numbers = [v.name for v in table.schema if not v.is_discrete]
    fold = np.random.default_rng(0).permutation(table.n_rows) % FOLDS
    found: dict[str, list[float]] = {}
    for k in range(FOLDS):
        rows, others = table.take(fold != k), table.take(fold == k)
        moments = mixed_moments(rows)
        learned = tw.learn_mixed(make_sparse_mixed_score(moments))
        found.setdefault("as they are", []).append(tw.fit(learned.structure, moments).score(others))
        for bins in CUTS:
            found.setdefault(f"{bins}", []).append(cut_log_density(rows, others, numbers, bins))
    chosen = type(tw.learn(table).model).__name__
    sizes = {"rows": table.n_rows, "numbers": len(numbers)}
    return {**sizes, "densities": {how: float(np.mean(x)) for how, x in found.items()}, "chosen": chosen}


def tables(rows: list[Row]) -> Mapping[str, str]:
    names = list(rows[0]["densities"])
    lines = [
        [
            row["table"],
            str(row["rows"]),
            str(row["numbers"]),
            *(f"{row['densities'][name]:.2f}" for name in names),
            "as they are" if row["chosen"] == "ConditionalGaussianNetwork" else "cut",
        ]
        for row in rows
    ]
    header = ["as they are", *(f"{name} intervals" for name in names[1:])]
    return {"density": markdown_table(["table", "rows", "numbers", *header, "`tw.learn` takes"], lines)}


EXPERIMENT = Experiment("mixed_tables.density", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
