"""The learners that are compared, by the names of the tables, and how they are judged."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import treewright as tw
from experiments.common import Row

DEPTH = 3  # of PC and of PC inside clusters and blocks
SETTINGS = tw.learners.KnotSettings(depth=DEPTH, threads=1)
THRESHOLD = 0.01  # nats: the original of TPDA


@dataclass(frozen=True)
class Found:
    """What a learner found, the tests or tables that it took (all pairs included), and its clusters."""

    graph: tw.graphs.Pdag
    tests: int
    clusters: tw.graphs.Clusters | None = None


Learn = Callable[[tw.Counter], Found]


def paper(counter: tw.Counter, **options: object) -> Found:
    """The pipeline of the paper: clusters of epsilon 0.5, PC knots at 0.05."""
    learned = tw.learners.learn_paper_knots(counter, settings=SETTINGS, **options)  # type: ignore[arg-type]
    return Found(learned.cpdag, learned.n_tests, learned.clusters)


def blocks(counter: tw.Counter) -> Found:
    learned = tw.learn_blocks(counter, settings=SETTINGS)
    return Found(learned.cpdag, learned.n_tests, learned.clusters)


def pc(counter: tw.Counter, alpha: float) -> Found:
    learned = tw.learn_pc(tw.GTest(counter, alpha), depth=DEPTH)
    return Found(learned.structure, int(learned.trace.total("tests")))


def tpda(counter: tw.Counter, threshold: float | None) -> Found:
    learned = tw.learn_tpda(tw.GTest(counter, 0.05), threshold=threshold)
    return Found(learned.structure, learned.n_tests)


def ours(counter: tw.Counter, *, fast: bool = False, sparse: bool = False) -> Found:
    """The default of the package; `fast`: without the certificate; `sparse`: one score for all rows."""
    score = tw.SparseQNML(counter) if sparse else None
    learned = tw.learn_knots(counter, fast=fast, score=score)
    n = len(counter.schema)
    return Found(learned.cpdag, learned.report.tables + n * (n - 1) // 2, learned.clusters)


LEARNERS: dict[str, Learn] = {
    "knots": ours,
    "fast": lambda counter: ours(counter, fast=True),
    "`SparseQNML`": lambda counter: ours(counter, sparse=True),
    "paper, `dag`": lambda counter: paper(counter, combine="dag"),
    "paper, `cpdag`": paper,
    "BL (reconstructed)": blocks,
    "PC .01": lambda counter: pc(counter, 0.01),
    "PC .05": lambda counter: pc(counter, 0.05),
    "TPDA .01 nats": lambda counter: tpda(counter, THRESHOLD),
    "TPDA G²": lambda counter: tpda(counter, None),
}


def judged(name: str, table: tw.Table, truth: tw.Dag) -> Row:
    """Learn from rows and compare with the network they come from. Counting starts from nothing."""
    start = time.process_time()
    found = LEARNERS[name](tw.count(table))
    seconds = time.process_time() - start
    compared = tw.compare(truth, found.graph)
    return {
        "shd": compared.shd,
        "dist": round(compared.skeleton.dist, 4),
        "f1": round(compared.skeleton.f1, 4),
        "false": compared.skeleton.fp,
        "tests": found.tests,
        "seconds": round(seconds, 4),
        "inside": None if found.clusters is None else round(found.clusters.covered(truth.edges()), 4),
    }
