"""Larger networks: what trees find beside PC with the same tests, and how fast.

Once with nothing known, by trees of estimated blankets, and once with sets of variables that belong together:
as few as hold every family, none of more than a fifth of the variables. The class search, which is the
default of the package for counts, stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import treewright as tw
from experiments.common import Experiment, Row, markdown_table, run
from experiments.common.clock import timed
from experiments.common.data import network
from experiments.separation_trees.setting import PAGE, Tally, cells, n_tests, seeded, shown
from treewright.graphs import Pdag

NETWORKS = ("alarm", "hailfinder", "hepar2", "win95pts", "andes")
SIZES = (500, 2_000, 10_000)
LEVEL = 0.01
Sets = Sequence[Sequence[str]]
Found = tuple[Pdag, int]
Learner = Callable[[tw.Table, Sets], Found]


def by_pc(table: tw.Table, sets: Sets) -> Found:
    found = tw.learn_pc(tw.GTest(tw.count(table), LEVEL))
    return found.structure, int(found.trace.total("tests"))


def by_tree(table: tw.Table, sets: Sets | None) -> Found:
    test = tw.GTest(tw.count(table), LEVEL)
    tree = tw.learners.find_separation_tree(test, sets, legitimacy="skip")
    found = tw.learn_by_separation_tree(tree, test)
    return found.structure, n_tests(found)


def by_score(table: tw.Table, sets: Sets | None) -> Found:
    return tw.learners.learn_in_hypergraph(tw.SparseQNML(tw.count(table)), sets).cpdag, 0


LEARNERS: dict[str, Learner] = {
    "PC": by_pc,
    "tree": lambda table, sets: by_tree(table, None),
    "tree, sets known": by_tree,
    "class search": lambda table, sets: by_score(table, None),
    "class search, sets known": by_score,
}


TREES = ("tree", "tree, sets known")


def known_sets(dag: tw.Dag) -> Sets:
    return tw.graphs.design_databases(dag, max(8, len(dag.schema) // 5)).tables


def measure(full: bool) -> Iterator[Row]:
    runs = 10 if full else 1
    for name in NETWORKS if full else NETWORKS[:2]:
        model, called = network(name)
        sets = known_sets(model.dag)
        for n in SIZES if full else SIZES[:1]:
            tallies = {method: Tally() for method in LEARNERS}
            for number in range(runs):
                table = model.sample(n, rng=seeded("networks", name, n, number))
                for method, learn in LEARNERS.items():
                    (found, asked), seconds = timed(partial(learn, table, sets))
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
                *(f"{of['PC']['seconds'] / of[method]['seconds']:.1f}" for method in TREES),
                *(f"{of[method]['tests']:,.0f}" for method in ("PC", *TREES)),
            ]
        )
    header = ["network", "rows", *(f"{method}, s" for method in LEARNERS)]
    header += [f"PC / {method}" for method in TREES]
    header += [f"tests, {method}" for method in ("PC", *TREES)]
    return {
        "networks": markdown_table(["network", "rows", *LEARNERS], quality),
        "networks-seconds": markdown_table(header, speed),
    }


EXPERIMENT = Experiment("separation_trees.networks", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
