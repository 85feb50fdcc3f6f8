"""Three databases of ALARM that share few columns, while their rows grow.

Each database has a third of the rows and the columns of one set. What is learned from them is held against
what the same learner finds in one table of as many rows with all columns, and in one of as many rows as each
of the three has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import treewright as tw
from experiments.common import Experiment, Line, Panel, Row, markdown_table, run
from experiments.common.clock import timed
from experiments.separation_trees.alarm import dealt
from experiments.separation_trees.setting import ALARM_SETS, PAGE, Tally, cells, seeded
from treewright.graphs import Pdag

SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)


def from_databases(engine: str, **options: Any) -> Callable[[tw.Table], Pdag]:
    return lambda table: tw.learn_from_databases(dealt(table), engine=engine, **options).structure  # type: ignore[arg-type]


def tests_of(table: tw.Table) -> tw.GTest:
    return tw.GTest(tw.count(table), 0.05)


LEARNERS: dict[str, Callable[[tw.Table], Pdag]] = {
    "three databases, class search": from_databases("class"),
    "three databases, tests": from_databases("tests", alpha=0.05),
    "one table, class search": lambda table: tw.learn_hill_climbing(tw.SparseQNML(tw.count(table))).cpdag,
    "a third of the rows, class search": lambda table: (
        tw.learn_hill_climbing(tw.SparseQNML(tw.count(table.take(range(table.n_rows // 3))))).cpdag
    ),
    "one table, tree of the sets": lambda table: (
        tw.learn_by_separation_tree(
            tw.separation_tree_from_hypergraph(table.schema, ALARM_SETS), tests_of(table)
        ).structure
    ),
    "one table, PC": lambda table: tw.learn_pc(tests_of(table)).structure,
}


def measure(full: bool) -> Iterator[Row]:
    network = tw.load_network("alarm")
    runs = 20 if full else 1
    for n in SIZES if full else SIZES[:2]:
        tallies = {method: Tally() for method in LEARNERS}
        for number in range(runs):
            table = network.sample(n, rng=seeded("databases", n, number))
            for method, learn in LEARNERS.items():
                found, seconds = timed(partial(learn, table))
                tallies[method].judge(network.dag, found, seconds=seconds)
        for method, tally in tallies.items():
            yield tally.row(rows=n, method=method)


def tables(rows: list[Row]) -> Mapping[str, str]:
    sizes = list(dict.fromkeys(row["rows"] for row in rows))
    columns = (("f1", 3), ("shd", 1), ("seconds", 3))
    lines = [
        [method, *(cells(rows, {"rows": n, "method": method}, columns) for n in sizes)] for method in LEARNERS
    ]
    return {"databases": markdown_table(["", *(f"{n:,} rows" for n in sizes)], lines)}


def pictures(rows: list[Row]) -> Mapping[str, Sequence[Panel]]:
    panels = [
        Panel(title, "rows in all", label, [line(rows, method, name) for method in LEARNERS], log_x=True)
        for title, label, name in (
            ("Structural errors", "SHD", "shd"),
            ("Skeleton", "F1", "f1"),
        )
    ]
    return {"separation_trees_databases.svg": panels}


def line(rows: list[Row], method: str, name: str) -> Line:
    of = [row for row in rows if row["method"] == method]
    return Line(method, [r["rows"] for r in of], [r[name] for r in of], [r[f"{name}_error"] for r in of])


EXPERIMENT = Experiment("separation_trees.databases", measure, tables, PAGE, pictures)

if __name__ == "__main__":
    run(EXPERIMENT)
