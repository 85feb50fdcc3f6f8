"""Temperatures of a laboratory: log-loss of two later days against the number of rows learned from, K = 2.

The paper: chains and greedy about equal and far better than LPACJT, the aggressive search not clearly better,
Chow-Liu already good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import treewright as tw
from experiments.bounded_treewidth.data import temperature
from experiments.bounded_treewidth.learners import AGGRESSIVE, BDEU, BIC, BOUNDED, Kind
from experiments.common import (
    Experiment,
    Line,
    Panel,
    Row,
    markdown_table,
    mean_interval,
    paired_interval,
    run,
)

PAGE = "docs/measured/bounded_treewidth.md"
TREEWIDTH = 2
SIZES = (10, 20, 40, 80, 144)
N_DRAWS = 10
CHOW_LIU = "Chow-Liu"
LPACJT = "LPACJT"
NAMES = (CHOW_LIU, *BOUNDED, AGGRESSIVE, LPACJT)


def measure(full: bool) -> Iterator[Row]:
    shown, train, test = temperature()
    for kind in (BIC, BDEU):
        for size in SIZES if full else (30, train.n_rows):
            n_draws = 1 if size == train.n_rows else N_DRAWS if full else 2
            draws = [train.take(np.sort(chosen)) for chosen in drawn(train.n_rows, size, n_draws)]
            for name, learn in learners(kind).items():
                losses = [kind.log_loss(learn(kind.score(rows)), rows, test) for rows in draws]
                yield {"data": shown, "score": kind.shown, "rows": size, "learner": name, "log_loss": losses}


def drawn(n: int, size: int, n_draws: int) -> Iterator[Any]:
    """Rows to learn from; the same for every method."""
    for seed in range(n_draws):
        yield np.random.default_rng(seed).permutation(n)[:size]


def learners(kind: Kind) -> dict[str, Callable[[Any], tw.Dag]]:
    def bounded(name: str) -> Callable[[Any], tw.Dag]:
        return lambda score: BOUNDED[name](score, treewidth=TREEWIDTH).structure

    known: dict[str, Callable[[Any], tw.Dag]] = {CHOW_LIU: lambda score: tw.learn_chow_liu(score).structure}
    known |= {name: bounded(name) for name in BOUNDED}
    return known | {AGGRESSIVE: kind.learn_unbounded, LPACJT: pac_junction_tree}


def pac_junction_tree(score: Any) -> tw.Dag:
    """The junction tree of Chechetka & Guestrin (2007), which asks no score; parents are eliminated later."""
    learned = tw.learners.learn_pac_junction_tree(score.counter, treewidth=TREEWIDTH)
    graph, names = learned.structure, learned.structure.schema.names
    order = tw.graphs.find_perfect_elimination_order(graph)
    later = {names[v]: k for k, v in enumerate(order or ())}
    return tw.Dag(graph.schema, [(a, b) if later[a] > later[b] else (b, a) for a, b in graph.edges()])


def found(rows: list[Row], kind: str) -> dict[tuple[int, str], list[float]]:
    return {(row["rows"], row["learner"]): row["log_loss"] for row in rows if row["score"] == kind}


def tables(rows: list[Row]) -> Mapping[str, str]:
    header = ["score", "rows", *NAMES, "chains less thin", "chains less aggressive"]
    lines = []
    for kind in dict.fromkeys(row["score"] for row in rows):
        losses = found(rows, kind)
        for size in sorted({size for size, _ in losses}):
            chains = losses[size, "chains"]
            others = (losses[size, "thin junction tree"], losses[size, AGGRESSIVE])
            means = [f"{mean_interval(losses[size, name]).mean:.2f}" for name in NAMES]
            lines.append([kind, size, *means, *(paired_interval(chains, o).shown(sign=True) for o in others)])
    return {"temperature": markdown_table(header, lines)}


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = []
    for kind in dict.fromkeys(row["score"] for row in rows):
        losses = found(rows, kind)
        sizes = sorted({size for size, _ in losses})
        lines = []
        for name in NAMES:
            intervals = [mean_interval(losses[size, name]) for size in sizes]
            error = [0.0 if i.n == 1 else i.half_width for i in intervals]
            lines.append(Line(name, sizes, [i.mean for i in intervals], error))
        panels.append(
            Panel(f"temperature, {kind}, K = {TREEWIDTH}", "rows", "test log-loss", lines, log_x=True)
        )
    return {"bounded_treewidth_temperature.svg": panels}


EXPERIMENT = Experiment("bounded_treewidth.temperature", measure, tables, PAGE, pictures)

if __name__ == "__main__":
    run(EXPERIMENT)
