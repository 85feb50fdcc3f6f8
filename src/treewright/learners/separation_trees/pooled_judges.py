"""Tests and scores of several tables: pooled where tables cover a question, completed where they may be."""

from __future__ import annotations

from typing import Literal, cast

from treewright.arguments import DATABASES, require
from treewright.criteria import ChiSquareTest, FisherZTest, GaussianBIC, GTest, PooledFisherZTest, PooledScore
from treewright.criteria.registry import TESTS, TESTS_WITH_LEVEL, score_named
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.independence import one_of
from treewright.inference.completion import CompletedJoint
from treewright.ranges import in_range
from treewright.statistics.moments import moments
from treewright.statistics.several.pooled import PooledCounter
from treewright.statistics.several.pooled_moments import PooledMoments
from treewright.statistics.whole import count
from treewright.tables.databases import Databases
from treewright.tables.table import Table

PooledTest = GTest | ChiSquareTest | FisherZTest | PooledFisherZTest


def is_one_table(databases: Databases) -> bool:
    """Whether every table has every column, so that their rows simply add."""
    return len(databases.covering(databases.schema.names)) == len(databases)


def all_rows(databases: Databases) -> Table | None:
    """The rows of all tables below each other, where every table has every column."""
    return databases.pool(tuple(range(len(databases)))) if is_one_table(databases) else None


@in_range
def make_pooled_test(
    databases: Databases,
    *,
    completion: Literal["fit", "none"] = "fit",
    test: Literal["g", "chi-square"] = "g",
    alpha: float = 0.05,
) -> PooledTest:
    """The independence test of several tables: pooled where tables cover a question, completed where not.

    Of tables with the same columns it is the test of all their rows.

    Examples
    --------
    >>> import treewright as tw
    >>> first, second = {"a": [0, 1] * 20, "b": [0, 1] * 20}, {"b": [0, 1] * 20, "c": [0, 0] * 20}
    >>> judge = make_pooled_test(tw.read_databases([first, second]))
    >>> judge.independent("a", "b"), judge.independent("a", "c"), judge.covers(("a", "c"))
    (False, True, False)
    """
    require("make_pooled_test", DATABASES, databases)
    one_of("test", test, TESTS_WITH_LEVEL)
    rows = all_rows(databases)
    if databases.is_continuous:
        if rows is not None:
            return FisherZTest(moments(rows), alpha)
        return PooledFisherZTest(PooledMoments(databases, completed=completion == "fit"), alpha)
    pooled = complete_counter if completion == "fit" else PooledCounter
    counter = pooled(databases) if rows is None else count(rows)
    return cast("PooledTest", TESTS[test].kind(counter, alpha))


def complete_counter(databases: Databases) -> PooledCounter:
    """Pooled counts, with a completion where no table has the columns."""
    counted = PooledCounter(databases)
    joint = CompletedJoint(databases.schema, databases.hyperedge_scopes, counted.counts_many)
    return PooledCounter(databases, joint)


def pooled_score(databases: Databases, score: str | None) -> LocalScore:
    """The score of several tables; of tables with the same columns, that of all their rows."""
    rows = all_rows(databases)
    if rows is None:
        return PooledScore(databases, score)
    PooledScore(databases, score)  # refuses a score that does not fit
    if databases.is_continuous:
        return GaussianBIC(moments(rows))
    return score_named(score or "sparse-qnml", count(rows))
