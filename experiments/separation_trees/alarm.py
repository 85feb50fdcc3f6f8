"""ALARM by tests over d-separation trees, beside PC and the search by score; discrete rows and linear ones.

The settings are those of the published prototype (level 0.05, for linear rows 0.01; separators of up to ten
variables; the smallest separator decides about colliders); the last lines are what this package does by
default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import treewright as tw
from experiments.common import Experiment, Row, markdown_table, run
from experiments.common.clock import timed
from experiments.separation_trees.setting import (
    ALARM_SETS,
    PAGE,
    Tally,
    cells,
    linear_rows,
    n_tests,
    seeded,
)
from treewright.criteria import LocalScore
from treewright.graphs import Pdag
from treewright.learners import DatabaseSettings, NodeSearch, TreeSettings

Found = tuple[Pdag, int]
Learner = Callable[[tw.Table], Found]
_FAITHFUL = NodeSearch(depth=10, collider_rule="first")
_OURS = NodeSearch()


def by_tree(level: float, sets: Any = None, search: NodeSearch = _FAITHFUL, **options: Any) -> Learner:
    def learn(table: tw.Table) -> Found:
        test, settings = test_of(table, level), TreeSettings(**options)
        tree = tw.learners.find_separation_tree(test, sets, settings=settings, legitimacy="skip")
        found = tw.learn_by_separation_tree(tree, test, search=search)
        return found.structure, n_tests(found)

    return learn


def by_pc(level: float) -> Learner:
    def learn(table: tw.Table) -> Found:
        found = tw.learn_pc(test_of(table, level), depth=10, collider_rule="first")
        return found.structure, int(found.trace.total("tests"))

    return learn


def by_score(sets: Any = None) -> Learner:
    def learn(table: tw.Table) -> Found:
        return tw.learners.learn_in_hypergraph(score_of(table), sets).cpdag, 0

    return learn


def by_databases(engine: str, **options: Any) -> Learner:
    """The rows dealt to three tables of the columns of one set each."""

    def learn(table: tw.Table) -> Found:
        found = tw.learn_from_databases(dealt(table), engine=engine, **options)  # type: ignore[arg-type]
        return found.structure, 0 if found.found is None else n_tests(found.found)

    return learn


def dealt(table: tw.Table) -> list[tw.Table]:
    """A third of the rows for each of the three sets of columns."""
    third = table.n_rows // 3
    return [
        table.take(range(i * third, (i + 1) * third)).select(list(columns))
        for i, columns in enumerate(ALARM_SETS)
    ]


def test_of(table: tw.Table, level: float) -> tw.GTest | tw.FisherZTest:
    if table.schema.variables[0].is_discrete:
        return tw.GTest(tw.count(table), level)
    return tw.FisherZTest(tw.moments(table), level)


def score_of(table: tw.Table) -> LocalScore:
    if table.schema.variables[0].is_discrete:
        return tw.SparseQNML(tw.count(table))
    return tw.GaussianBIC(tw.moments(table))


DISCRETE: dict[str, Learner] = {
    "PC on all variables": by_pc(0.05),
    "tree of 3 sets, not refined": by_tree(0.05, ALARM_SETS, refine_above=None),
    "3 sets, refined at 0.05": by_tree(0.05, ALARM_SETS, alpha_uig=0.05),
    "3 sets, refined at 0.2": by_tree(0.05, ALARM_SETS, alpha_uig=0.2),
    "nothing known, 0.05": by_tree(0.05, alpha_uig=0.05),
    "nothing known, 0.2": by_tree(0.05, alpha_uig=0.2),
    "three databases, tests": by_databases(
        "tests", alpha=0.05, settings=DatabaseSettings(search=NodeSearch(depth=10))
    ),
    "three databases, class search": by_databases("class"),
    'our tests (`engine="tests"`)': by_tree(0.01, search=_OURS),
    "our tests, 3 sets": by_tree(0.01, ALARM_SETS, _OURS),
    "class search (the default)": by_score(),
    "class search, 3 sets": by_score(ALARM_SETS),
}
LINEAR: dict[str, Learner] = {
    "PC on all variables": by_pc(0.01),
    "inverse covariance, 0.01": by_tree(0.01, alpha_uig=0.01),
    "inverse covariance, 0.05": by_tree(0.01, alpha_uig=0.05),
    "inverse covariance, 0.2": by_tree(0.01, alpha_uig=0.2),
    "tree of 3 sets, not refined": by_tree(0.01, ALARM_SETS, refine_above=None),
    "our tests (the default)": by_tree(0.01, search=_OURS),
    "our tests, 3 sets": by_tree(0.01, ALARM_SETS, _OURS),
    "class search": by_score(),
    "class search, 3 sets": by_score(ALARM_SETS),
    "three databases, tests": by_databases("tests", alpha=0.01),
    "three databases, class search": by_databases("class"),
}
SIZES = {"discrete": (500, 2_000, 10_000), "linear": (200, 1_000, 5_000)}


def measure(full: bool) -> Iterator[Row]:
    network = tw.load_network("alarm")
    runs = 20 if full else 1
    for kind, learners in (("discrete", DISCRETE), ("linear", LINEAR)):
        for n in SIZES[kind] if full else SIZES[kind][:1]:
            tallies = {name: Tally() for name in learners}
            for number in range(runs):
                rng = seeded("alarm", kind, n, number)
                table = network.sample(n, rng=rng) if kind == "discrete" else linear_rows(network.dag, n, rng)
                for name, learn in learners.items():
                    (found, asked), seconds = timed(partial(learn, table))
                    measures = {"seconds": seconds, **({"tests": asked} if asked else {})}
                    tallies[name].judge(network.dag, found, **measures)
            for name, tally in tallies.items():
                yield tally.row(kind=kind, rows=n, method=name)


def tables(rows: list[Row]) -> Mapping[str, str]:
    """dist, F1, SHD and tests, each with its standard error; then seconds."""
    quality = (("dist", 3), ("f1", 3), ("shd", 1), ("tests", 0))
    made = {}
    for kind, learners in (("discrete", DISCRETE), ("linear", LINEAR)):
        sizes = list(dict.fromkeys(row["rows"] for row in rows if row["kind"] == kind))
        for name, columns in ((kind, quality), (f"{kind}-seconds", (("seconds", 3),))):
            lines = [
                [
                    method,
                    *(cells(rows, {"kind": kind, "rows": n, "method": method}, columns) for n in sizes),
                ]
                for method in learners
            ]
            header = ["", *(f"n = {n:,}" for n in sizes)]
            made[f"alarm-{name}"] = markdown_table(header, lines)
    return made


EXPERIMENT = Experiment("separation_trees.alarm", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
