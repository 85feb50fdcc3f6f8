"""Variants of the chains on the rows learned from: BIC, processor time, and how much names decide.

A tree that the score cannot direct may be rooted anywhere, and the order of the nodes leaves much open; both
go by name. Shuffling the names shows how far luck goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import treewright as tw
from experiments.bounded_treewidth.learners import BIC
from experiments.common import Experiment, Row, density, markdown_table, run, timed

PAGE = "docs/measured/bounded_treewidth.md"
CASES = (("nltcs", 2), ("nltcs", 4), ("nltcs", 6), ("plants", 2), ("plants", 5), ("plants", 8), ("kdd", 4))
VARIANTS: dict[str, dict[str, Any]] = {
    "chains": {},
    "single-source updates": {"update": "single-source"},
    "plain arcs at the bound": {"at_bound": "plain-arcs"},
    "chains at the bound": {"at_bound": "chains"},
    "rooted at a hub": {"root": "hub"},
    "4 orders": {"orders": 4},
    "triangulated anew": {"retriangulate": True},
    "free arcs first": {"free_arcs": True},
    "4 roots": {"roots": 4},
    "16 roots, 4 orders": {"roots": 16, "orders": 4},
}
N_SHUFFLES = 40


def measure(full: bool) -> Iterator[Row]:
    for name, treewidth in CASES if full else CASES[:1]:
        rows = density(name)
        row: Row = {"data": f"{rows.shown}, test rows", "K": treewidth}
        for variant, settings in VARIANTS.items():
            learned, seconds = timed(partial(chains_of, rows.test, treewidth, **settings))
            row[variant] = [learned.score, seconds]
        row["thin junction tree"] = [
            tw.learn_thin_junction_tree(BIC.score(rows.test), treewidth=treewidth).score
        ]
        row["shuffled names"] = shuffled(rows.test, treewidth, N_SHUFFLES if full else 2)
        yield row


def chains_of(rows: tw.Table, treewidth: int, **settings: Any) -> tw.learners.Certified:
    variants = tw.learners.ChainVariants(**settings)
    return tw.learn_treewidth_chains(BIC.score(rows), treewidth=treewidth, variants=variants)


def shuffled(table: tw.Table, treewidth: int, n: int) -> list[float]:
    """Scores of the chains when the same columns have other names: lowest, median, highest."""
    found = []
    for seed in range(n):
        ranks = np.random.default_rng(seed).permutation(len(table.schema))
        names = [f"v{i:04d}" for i in ranks]
        renamed = tw.Table.from_codes(list(table.columns), table.schema.cardinalities, names)
        found.append(chains_of(renamed, treewidth).score)
    return [min(found), float(np.median(found)), max(found)]


def tables(rows: list[Row]) -> Mapping[str, str]:
    cases = [f"{row['data'].split(',')[0]}, {row['K']}" for row in rows]
    lines: list[list[str]] = []
    for variant in [*VARIANTS, "thin junction tree"]:
        lines.append([variant, *(f"{row[variant][0]:,.1f}" for row in rows)])
    for place, which in enumerate(("lowest", "median", "highest")):
        cells = [f"{row['shuffled names'][place]:,.1f}" for row in rows]
        lines.append([f"chains, shuffled names: {which}", *cells])
    return {"variants": markdown_table(["variant", *cases], lines)}


EXPERIMENT = Experiment("bounded_treewidth.variants", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
