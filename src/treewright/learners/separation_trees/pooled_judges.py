"""Tests and scores of several tables: pooled where tables cover a question, completed where they may be."""

from __future__ import annotations

from typing import Literal, cast

from treewright.criteria import (
    ChiSquareTest,
    GaussianBIC,
    GTest,
    PooledFisherZTest,
    PooledScore,
)
from treewright.criteria.registry import TESTS, TESTS_WITH_LEVEL, score_named
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.queries import one_of
from treewright.inference.completion import CompletedJoint
from treewright.statistics.moments import moments
from treewright.statistics.pooled import PooledCounter
from treewright.statistics.pooled_moments import PooledMoments
from treewright.statistics.whole import count
from treewright.tables.databases import Databases

PooledTest = GTest | ChiSquareTest | PooledFisherZTest


def pooled_test(
    databases: Databases,
    *,
    completion: Literal["fit", "none"] = "fit",
    test: Literal["g", "chi-square"] = "g",
    alpha: float = 0.05,
) -> PooledTest:
    """The independence test of several tables: pooled where tables cover a question, completed where not.

    Examples
    --------
    >>> import treewright as tw
    >>> first, second = {"a": [0, 1] * 20, "b": [0, 1] * 20}, {"b": [0, 1] * 20, "c": [0, 0] * 20}
    >>> judge = pooled_test(tw.read_databases([first, second]))
    >>> judge.independent("a", "b"), judge.independent("a", "c"), judge.covers(("a", "c"))
    (False, True, False)
    """
    one_of("test", test, TESTS_WITH_LEVEL)
    if databases.is_continuous:
        return PooledFisherZTest(PooledMoments(databases, completed=completion == "fit"), alpha)
    counter = complete_counter(databases) if completion == "fit" else PooledCounter(databases)
    return cast("PooledTest", TESTS[test].kind(counter, alpha))


def complete_counter(databases: Databases) -> PooledCounter:
    """Pooled counts, with a completion where no table has the columns."""
    counted = PooledCounter(databases)
    joint = CompletedJoint(databases.schema, databases.hyperedge_scopes, counted.counts_many)
    return PooledCounter(databases, joint)


def pooled_score(databases: Databases, score: str | None) -> LocalScore:
    """The score of several tables; of tables with the same columns, that of all their rows."""
    everything = tuple(range(len(databases)))
    if databases.covering(databases.schema.names) != everything:
        return PooledScore(databases, score)
    PooledScore(databases, score)  # refuses a score that does not fit
    table = databases.pool(everything)
    if databases.is_continuous:
        return GaussianBIC(moments(table))
    return score_named(score or "sparse-qnml", count(table))
