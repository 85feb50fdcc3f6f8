"""Learning over d-separation trees: seconds, tests beside PC, and what it finds.

python benchmarks/bench_separation_trees.py             # seconds and tests
python benchmarks/bench_separation_trees.py --quality   # structural errors beside PC and the class search
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from common import Results, console, duration, folder, network_rows, one_thread, seconds

import treewright as tw
from treewright.learners import NodeSearch

ALPHA = 0.01
Learner = Callable[[tw.Counter], "tw.Dag | tw.graphs.Pdag"]


def ours(table: tw.Table) -> tw.learners.LearnedSeparationTree:
    return over_tree(tw.GTest(tw.count(table), ALPHA))


def over_tree(test: tw.criteria.IndependenceTest, **options: Any) -> tw.learners.LearnedSeparationTree:
    return tw.learn_by_separation_tree(tw.learners.find_separation_tree(test), test, **options)


def pc(table: tw.Table) -> tw.learners.LearnedPc:
    return tw.learn_pc(tw.GTest(tw.count(table), ALPHA))


def measure(results: Results, name: str, n_rows: int, bar: float) -> None:
    table, shown = network_rows(name, n_rows)
    mine, theirs = seconds(lambda: ours(table), 7), seconds(lambda: pc(table), 7)
    learned = ours(table)
    console.print(
        f"{shown}, {n_rows:,} rows: {duration(mine)} (bar {duration(bar)}); PC {duration(theirs)}; "
        f"{learned.trace.total('tests'):,} tests, {learned.n_evaluated:,} inside nodes, largest node "
        f"{learned.tree.width + 1}"
    )
    results.add("separation tree", f"{shown}, {n_rows:,} rows", mine, "bar", bar, 1)


def gaussian_tests() -> None:
    """Tests of PC for each test inside nodes, linear relations along ALARM."""
    dag = tw.load_network("alarm").dag
    schema = tw.Schema([tw.Variable(name) for name in dag.schema.names])
    for n_rows in (200, 1_000, 5_000):
        ratios = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            rows = rng.standard_normal((n_rows, len(schema)))
            for v in dag.topological_order:
                for u in dag.parents(v):
                    rows[:, v] += rng.choice([-1, 1]) * rng.uniform(0.4, 1) * rows[:, u]
            test = tw.FisherZTest(tw.Moments.of_block(schema, rows), ALPHA)
            audited = tw.criteria.AuditedTest(test)
            tw.learn_pc(audited, depth=10, collider_rule="first")
            inside = over_tree(test, search=NodeSearch(depth=10))
            ratios.append(audited.n_evaluated / inside.n_evaluated)
        console.print(f"Gaussian ALARM, {n_rows:,} rows: PC asks {np.mean(ratios):.1f} times as many tests")


LEARNERS: dict[str, Learner] = {
    "PC": lambda counter: tw.learn_pc(tw.GTest(counter, ALPHA)).structure,
    "tree": lambda counter: over_tree(tw.GTest(counter, ALPHA)).structure,
    "tree, score": lambda counter: (
        over_tree(
            tw.GTest(counter, ALPHA), search=NodeSearch(collider_rule="score"), score=tw.SparseQNML(counter)
        ).structure
    ),
    "class search": lambda counter: tw.learn_hill_climbing(tw.SparseQNML(counter)).cpdag,
}


def quality(name: str) -> None:
    """Mean structural errors of four samples of each size."""
    where = folder()
    if where is None and name != "alarm":
        return
    network = tw.load_network(name) if where is None else tw.read_model(where / "networks" / f"{name}.bif.gz")
    for n_rows in (500, 2_000, 10_000):
        told = []
        samples = [network.sample(n_rows, rng=np.random.default_rng([11, s, n_rows])) for s in range(4)]
        for label, learn in LEARNERS.items():
            found = [tw.compare(network.dag, learn(tw.count(table))) for table in samples]
            shd, f1 = np.mean([one.shd for one in found]), np.mean([one.skeleton.f1 for one in found])
            told.append(f"{label} {shd:.1f} / {f1:.3f}")
        console.print(f"{name}, {n_rows:,} rows, SHD / F1: {'; '.join(told)}")


def main() -> None:
    one_thread()
    if "--quality" in sys.argv:
        for name in ("alarm", "hailfinder", "hepar2", "win95pts", "andes"):
            quality(name)
        return
    results = Results("d-separation trees without knowledge, from a loaded table, one thread")
    measure(results, "alarm", 10_000, 0.05)
    measure(results, "andes", 2_000, 0.5)
    gaussian_tests()
    results.finish()


if __name__ == "__main__":
    main()
