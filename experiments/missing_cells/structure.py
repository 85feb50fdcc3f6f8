"""Distance and held-out likelihood of networks learned from rows with gaps, beside those of all rows whole.

Gaps are made at random, or depend on the column before: a cell is missing twice as often where that column
shows the first of its states, which then is always there in every other column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import treewright as tw
from experiments.common import Cell, Experiment, Row, markdown_table, run, timed
from treewright.models import fit_em

NETWORKS, ROWS, SHARES, SEEDS = ("alarm", "child", "insurance"), (2_000, 10_000), (0.1, 0.3), 5
HELD_OUT = 5_000
PAGE = "docs/measured/missing_cells.md"


def measure(full: bool) -> Iterator[Cell]:
    networks, rows, seeds = (NETWORKS, ROWS, SEEDS) if full else (("asia",), (300,), 1)
    for n in rows:  # the small ones first: what was measured is kept if the rest has to wait
        for name in networks:
            for share in SHARES:
                for kind in ("at random", "dependent"):
                    about: Row = {"network": name, "rows": n, "share": share, "gaps": kind}
                    yield Cell(about, partial(figures, name, n, share, kind, seeds))


def figures(name: str, n: int, share: float, kind: str, seeds: int) -> Row:
    """By way, distances and held-out likelihoods, one for each seed; and processor seconds of EM."""
    network = tw.load_network(name)
    found: dict[str, list[list[float]]] = {}
    spent = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        full, held_out = network.sample(n, rng=rng), network.sample(HELD_OUT, rng=rng)
        table = with_gaps(full, share, kind, rng)
        for way, learn in WAYS.items():
            (dag, model), seconds = timed(partial(learn, full, table))
            distance = float(tw.shd(network.dag, tw.Cpdag.of(dag)))
            found.setdefault(way, []).append([distance, model.score(held_out)])
            spent += [seconds] if way == "em" else []
    return {"found": found, "seconds": float(np.mean(spent))}


def with_gaps(full: tw.Table, share: float, kind: str, rng: np.random.Generator) -> tw.Table:
    """The rows with cells taken out."""
    n, n_columns = full.n_rows, len(full.schema)
    rates = np.full((n_columns, n), share)
    if kind == "dependent":  # even columns are taken out by what the next one shows, which stays
        rates[1::2] = 0.0
        for v in range(0, n_columns - 1, 2):
            first = full.columns[v + 1] == 0
            rates[v] = np.where(first, 2 * share, share / 2)
    masks = rng.random(rates.shape) < rates
    return tw.Table(full.schema, full.columns, missing=dict(enumerate(masks)))


def learn_whole(full: tw.Table, table: tw.Table) -> tuple[tw.Dag, Any]:
    result = tw.learn(full)
    return result.dag, result.model


def learn_complete(full: tw.Table, table: tw.Table) -> tuple[tw.Dag, Any]:
    """From the rows that miss nothing; where there are none, no arcs."""
    kept = ~np.logical_or.reduce(list(table.missing.values()))
    dag = tw.learn(full.take(kept)).dag if kept.sum() > 1 else tw.Dag(full.schema)
    return dag, fit_em(tw.Dag(full.schema, dag.edges()), table).model


def learn_available(full: tw.Table, table: tw.Table) -> tuple[tw.Dag, Any]:
    dag = tw.learn(table, missing="available").dag
    return dag, fit_em(dag, table).model


def learn_em(full: tw.Table, table: tw.Table) -> tuple[tw.Dag, Any]:
    result = tw.learn(table, missing="em")
    return result.dag, result.model


WAYS: dict[str, Callable[[tw.Table, tw.Table], tuple[tw.Dag, Any]]] = {
    "no gaps": learn_whole,
    "complete rows": learn_complete,
    "available": learn_available,
    "em": learn_em,
}


def tables(rows: list[Row]) -> Mapping[str, str]:
    """Mean distances, then mean held-out likelihoods."""
    about = ("network", "rows", "share", "gaps")
    lines = [
        [
            *(str(row[name]) for name in about),
            *(f"{np.mean([one[0] for one in row['found'][way]]):.1f}" for way in WAYS),
            *(f"{np.mean([one[1] for one in row['found'][way]]):.3f}" for way in WAYS),
            f"{row['seconds']:.1f}",
        ]
        for row in rows
    ]
    heads = [*(f"distance, {way}" for way in WAYS), *(f"held out, {way}" for way in WAYS)]
    return {"structure": markdown_table([*about, *heads, "seconds"], lines)}


EXPERIMENT = Experiment("missing_cells.structure", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
