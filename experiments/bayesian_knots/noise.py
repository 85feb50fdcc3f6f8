"""Edges to noise: columns that have nothing to do with each other, one of them with many states.

Beside them the errors on known networks with and without the price that keeps such edges out, and children
with several parents of many states, among columns that have nothing to do with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import treewright as tw
from experiments.common import Cell, Experiment, Row, markdown_table, network, run
from treewright.criteria import GroupedQNML, LocalScore
from treewright.criteria.scores.edge_prior import EdgePrior
from treewright.learners import choose_score

# rows, states of the one column, data sets; twenty binary columns beside it
CELLS = [
    (300, 60, 40), (300, 80, 40), (300, 100, 40), (300, 150, 40), (300, 300, 20),
    (1_000, 400, 20), (5_000, 2_000, 20),
]  # fmt: skip
# network: rows
SIZES = (200, 500, 1_000, 5_000)
NETWORKS = {
    **dict.fromkeys(("alarm", "insurance", "child", "hailfinder", "win95pts", "hepar2", "pathfinder"), SIZES),
    "andes": (200,),
    "pigs": (200,),
}
# rows, states of each parent, parents
PARENTS = [(300, 8, 2), (300, 8, 3), (300, 4, 3), (1_000, 8, 3), (1_000, 16, 2)]


def without_chance(counter: tw.Counter) -> EdgePrior:
    """SparseQNML as it was: qNML less ln n for each edge."""
    return EdgePrior(tw.QNML(counter), math.log(len(counter.schema)))


SCORES: dict[str, Callable[[Any], LocalScore]] = {
    "qnml + ln n": without_chance,
    "sparse-qnml": tw.SparseQNML,
    "grouped-qnml": GroupedQNML,
    "bic": tw.BIC,
}


# What has to leave noise alone: every door to it.
LEARNERS: dict[str, Callable[[Any], tw.Dag]] = {
    "knots": lambda counter: tw.learn_knots(counter).structure,
    "tw.learn": lambda counter: tw.learn(counter).structure,
    "chosen": lambda counter: tw.learn_hill_climbing(choose_score(counter).score).structure,
}


def measure(full: bool) -> Iterator[Cell]:
    for n_rows, states, sets in CELLS if full else [(100, 40, 2)]:
        yield Cell(
            {"kind": "noise", "rows": n_rows, "states": states, "sets": sets}, _noise(n_rows, states, sets)
        )
    for n_rows, states, parents in PARENTS if full else PARENTS[:1]:
        about = {"kind": "parents", "rows": n_rows, "states": states, "parents": parents}
        yield Cell(about, _parents(n_rows, states, parents, 10 if full else 2))
    for name, sizes in NETWORKS.items() if full else [("alarm", (200,))]:
        for n_rows in sizes:
            yield Cell(
                {"kind": "network", "network": name, "rows": n_rows}, _errors(name, n_rows, 2 if full else 1)
            )


def _noise(n_rows: int, states: int, sets: int) -> Callable[[], Row]:
    def figures() -> Row:
        found: Row = {f"{what} {name}": [] for name in [*SCORES, *LEARNERS] for what in ("all", "code")}
        for seed in range(sets):
            rng = np.random.default_rng(seed)
            columns = {f"x{i:02d}": rng.integers(2, size=n_rows) for i in range(20)}
            codes = rng.integers(states, size=n_rows).astype(str)
            counter = tw.count(tw.read_table({**columns, "code": codes}))
            climbed = {name: tw.learn_hill_climbing(make(counter)).structure for name, make in SCORES.items()}
            for name, dag in {**climbed, **{n: learn(counter) for n, learn in LEARNERS.items()}}.items():
                found[f"all {name}"].append(dag.n_edges)
                found[f"code {name}"].append(len(dag.parents("code")) + len(dag.children("code")))
        return found

    return figures


def _parents(n_rows: int, states: int, parents: int, sets: int) -> Callable[[], Row]:
    def figures() -> Row:
        found: Row = {f"{what} {name}": [] for name in SCORES for what in ("false", "true")}
        for seed in range(sets):
            counter, truth = _child(n_rows, states, parents, np.random.default_rng(seed))
            for name, make in SCORES.items():
                edges = {frozenset(edge) for edge in tw.learn_hill_climbing(make(counter)).structure.edges()}
                found[f"false {name}"].append(len(edges - truth))
                found[f"true {name}"].append(len(edges & truth))
        return found

    return figures


def _child(
    n_rows: int, states: int, parents: int, rng: np.random.Generator
) -> tuple[tw.Counter, set[frozenset[str]]]:
    """A binary child of several parents, beside 22 columns that have nothing to do with it."""
    columns = {f"p{i}": rng.integers(states, size=n_rows) for i in range(parents)}
    votes = sum(values >= states / 2 for values in columns.values())
    columns["y"] = np.where(rng.random(n_rows) < 0.1, rng.integers(2, size=n_rows), votes * 2 >= parents + 1)
    for i, r in enumerate([*[2] * 10, *[4] * 6, *[8] * 6]):
        columns[f"n{i:02d}"] = rng.integers(r, size=n_rows)
    table = tw.read_table({name: values.astype(int).astype(str) for name, values in columns.items()})
    return tw.count(table), {frozenset((f"p{i}", "y")) for i in range(parents)}


def _errors(name: str, n_rows: int, sets: int) -> Callable[[], Row]:
    def figures() -> Row:
        truth = network(name)[0]
        found: Row = {"before": [], "after": [], "priced": []}
        for seed in range(sets):
            counter = tw.count(truth.sample(n_rows, rng=np.random.default_rng(seed)))
            score = tw.SparseQNML(counter)
            priced = 0 if score.pairs is None else int(np.count_nonzero(score.pairs)) // 2
            found["after"].append(tw.shd(truth.dag, tw.learn_hill_climbing(score).cpdag))
            old = tw.learn_hill_climbing(without_chance(counter))
            found["before"].append(tw.shd(truth.dag, old.cpdag))
            found["priced"].append(priced)
        return found

    return figures


def tables(rows: list[Row]) -> Mapping[str, str]:
    def lines(kind: str, about: list[str], figures: list[str]) -> list[list[object]]:
        chosen = [row for row in rows if row["kind"] == kind]
        return [[*(row[a] for a in about), *(f"{np.mean(row[f]):.2f}" for f in figures)] for row in chosen]

    names = [*SCORES, *LEARNERS]

    def of_two() -> list[list[object]]:
        about = ["rows", "states", "sets"]
        every, at_code = ([f"{what} {name}" for name in names] for what in ("all", "code"))
        return [
            [*one[:3], *(f"{a} ({b})" for a, b in zip(one[3:], other[3:], strict=True))]
            for one, other in zip(lines("noise", about, every), lines("noise", about, at_code), strict=True)
        ]

    both = [f"{what} {name}" for name in SCORES for what in ("false", "true")]
    return {
        "noise": markdown_table(("rows", "states", "data sets", *names), of_two()),
        "noise parents": markdown_table(
            ("rows", "states", "parents", *both), lines("parents", ["rows", "states", "parents"], both)
        ),
        "noise networks": markdown_table(
            ("network", "rows", "errors before", "errors after", "pairs that cost more"),
            lines("network", ["network", "rows"], ["before", "after", "priced"]),
        ),
    }  # fmt: skip


EXPERIMENT = Experiment("bayesian_knots.noise", measure, tables, "docs/measured/bayesian_knots.md")

if __name__ == "__main__":
    run(EXPERIMENT)
