"""Larger networks: what trees of estimated blankets find beside PC with the same tests, and how fast.

Nothing is known about the networks; the class search, which is the default of the package, stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import treewright as tw
from experiments.common import Experiment, Row, markdown_table, run
from experiments.common.clock import timed
from experiments.common.data import network
from experiments.separation_trees.setting import PAGE, Tally, cells, n_tests, seeded, shown
from treewright.graphs import Pdag

NETWORKS = ("alarm", "hailfinder", "hepar2", "win95pts", "andes")
SIZES = (500, 2_000, 10_000)
LEVEL = 0.01
Learner = Callable[[tw.Table], tuple[Pdag, int]]


def by_pc(table: tw.Table) -> tuple[Pdag, int]:
    found = tw.learn_pc(tw.GTest(tw.count(table), LEVEL))
    return found.structure, int(found.trace.total("tests"))


def by_tree(table: tw.Table) -> tuple[Pdag, int]:
    found = tw.learn_separation_tree(tw.GTest(tw.count(table), LEVEL))
    return found.structure, n_tests(found)


def by_score(table: tw.Table) -> tuple[Pdag, int]:
    return tw.learn_hill_climbing(tw.SparseQNML(tw.count(table))).cpdag, 0


LEARNERS: dict[str, Learner] = {"PC": by_pc, "tree": by_tree, "class search": by_score}


def measure(full: bool) -> Iterator[Row]:
    runs = 10 if full else 1
    for name in NETWORKS if full else NETWORKS[:2]:
        model, called = network(name)
        for n in SIZES if full else SIZES[:1]:
            tallies = {method: Tally() for method in LEARNERS}
            for number in range(runs):
                table = model.sample(n, rng=seeded("networks", name, n, number))
                for method, learn in LEARNERS.items():
                    (found, asked), seconds = timed(lambda learn=learn, table=table: learn(table))  # type: ignore[misc]
                    measures = {"seconds": seconds, **({"tests": asked} if asked else {})}
                    tallies[method].judge(model.dag, found, **measures)
            for method, tally in tallies.items():
                yield tally.row(network=called, rows=n, method=method)


def tables(rows: list[Row]) -> Mapping[str, str]:
    """F1, SHD and false edges of each; then seconds, tests, and what the tree saves."""
    keys = list(dict.fromkeys((row["network"], row["rows"]) for row in rows))
    quality, speed = [], []
    for name, n in keys:
        of = {row["method"]: row for row in rows if (row["network"], row["rows"]) == (name, n)}
        found = [
            cells(rows, {"network": name, "rows": n, "method": method}, (("f1", 3), ("shd", 1)))
            for method in LEARNERS
        ]
        quality.append([name, f"{n:,}", *found])
        speed.append(
            [
                name,
                f"{n:,}",
                *(shown(of[method], "seconds", 3) for method in LEARNERS),
                f"{of['PC']['seconds'] / of['tree']['seconds']:.1f}",
                f"{of['PC']['tests']:,.0f}",
                f"{of['tree']['tests']:,.0f}",
            ]
        )
    header = ["network", "rows", "PC", "tree", "class search, s", "PC / tree", "tests, PC", "tests, tree"]
    header[2:4] = ["PC, s", "tree, s"]
    return {
        "networks": markdown_table(["network", "rows", *LEARNERS], quality),
        "networks-seconds": markdown_table(header, speed),
    }


EXPERIMENT = Experiment("separation_trees.networks", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
