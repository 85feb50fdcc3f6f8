"""Any independence test as somebody whom a search in the core can ask.

A test over rows in memory answers inside the core, without a word of Python. Every other test (an oracle, a
database, a user's own) is called, one batch of questions for each round of the search. The search is the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from treewright import _core
from treewright.criteria import IndependenceTest, TestResults
from treewright.statistics.families import Query
from treewright.types import Flags, Floats


@runtime_checkable
class GradedTest(Protocol):
    """A test that also says how strongly: a statistic and a p-value for each question."""

    def test_many(self, queries: Sequence[Query]) -> TestResults: ...


@runtime_checkable
class MeasuringTest(Protocol):
    """A test that also measures: conditional mutual information in nats."""

    def information_many(self, queries: Sequence[Query]) -> Floats: ...


def answers_of(test: IndependenceTest) -> _core.TestAnswers:
    """Who answers in a search: the core where it can, else the test itself, called in batches."""
    native = getattr(test, "native_answers", None)
    found: _core.TestAnswers | None = native() if native is not None else None
    return found or called_answers(test)


def called_answers(test: IndependenceTest) -> _core.TestAnswers:
    """Answers of a test that is called; one that only decides makes all separators equally good."""

    def independent(queries: list[Query]) -> Flags:
        return np.ascontiguousarray(test.independent_many(queries), dtype=np.bool_)

    def separation(queries: list[Query]) -> Floats:
        apart = independent(queries)
        p_value = np.where(apart, 1.0, -1.0)
        if isinstance(test, GradedTest) and apart.any():
            p_value[apart] = test.test_many([queries[i] for i in np.flatnonzero(apart)]).p_value
        return p_value

    def strength(queries: list[Query]) -> Floats:
        if not isinstance(test, GradedTest) or not queries:
            return np.zeros(len(queries))
        return strength_of(test.test_many(queries))

    def p_value(queries: list[Query]) -> Floats:
        if not isinstance(test, GradedTest) or not queries:
            return np.zeros(len(queries))
        return np.ascontiguousarray(test.test_many(queries).p_value, dtype=np.float64)

    def information(queries: list[Query]) -> Floats:
        if isinstance(test, MeasuringTest):
            return np.ascontiguousarray(test.information_many(queries), dtype=np.float64)
        if isinstance(test, GradedTest):
            return strength(queries)
        return np.where(independent(queries), 0.0, 1.0)

    return _core.CalledAnswers(independent, separation, strength, p_value, information)


def strength_of(results: TestResults) -> Floats:
    """The statistic for each degree of freedom; a statistic without degrees (log odds) as it is."""
    degrees = np.maximum(results.df, 1.0)
    found = np.where(results.df > 0, np.abs(results.statistic) / degrees, results.statistic)
    return np.where(np.isfinite(found), found, 0.0)
