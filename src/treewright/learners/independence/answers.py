"""Any independence test as somebody whom a search in the core can ask.

A test over rows in memory answers inside the core, without a word of Python. Every other test (an oracle, a
database, a user's own) is called, one batch of questions for each round of the search. The search is the
same.

Clusters overlap, so the same question comes up in several of them. A :class:`SharedTest` evaluates each once,
whoever asks and on whichever thread, and knows how many there were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Protocol, runtime_checkable

import numpy as np

from treewright import _core
from treewright.criteria import FisherZTest, GTest, IndependenceTest, TestResults
from treewright.criteria.tests.independence import NamedQuery, as_queries
from treewright.graphs.ranked import ranks_by_name
from treewright.statistics.counter import Counter
from treewright.statistics.families import Query
from treewright.statistics.moments import Moments
from treewright.tables.schema import NameOrIndex
from treewright.types import Flags, Floats, Scope


@runtime_checkable
class GradedTest(Protocol):
    """A test that also says how strongly: a statistic and a p-value for each question."""

    def test_many(self, queries: Sequence[Query]) -> TestResults: ...


@runtime_checkable
class MeasuringTest(Protocol):
    """A test that also measures: conditional mutual information in nats."""

    def information_many(self, queries: Sequence[Query]) -> Floats: ...


def default_test(source: Counter | Moments, alpha: float) -> IndependenceTest:
    """The G test of counts, Fisher's z test of moments; what is determined is independent of the rest."""
    if isinstance(source, Moments):
        return FisherZTest(source, alpha, singular="independent")
    return GTest(source, alpha)


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

    def graded(queries: list[Query], of: Callable[[TestResults], Floats]) -> Floats:
        if not isinstance(test, GradedTest) or not queries:
            return np.zeros(len(queries))
        return np.ascontiguousarray(of(test.test_many(queries)), dtype=np.float64)

    def information(queries: list[Query]) -> Floats:
        if isinstance(test, MeasuringTest):
            return np.ascontiguousarray(test.information_many(queries), dtype=np.float64)
        if isinstance(test, GradedTest):
            return graded(queries, strength_of)
        return np.where(independent(queries), 0.0, 1.0)

    strength, p_value = partial(graded, of=strength_of), partial(graded, of=attrgetter("p_value"))
    return _core.CalledAnswers(independent, separation, strength, p_value, information)


def strength_of(results: TestResults) -> Floats:
    """The statistic for each degree of freedom; a statistic without degrees (log odds) as it is."""
    degrees = np.maximum(results.df, 1.0)
    found = np.where(results.df > 0, np.abs(results.statistic) / degrees, results.statistic)
    return np.where(np.isfinite(found), found, 0.0)


@runtime_checkable
class PartnerTest(Protocol):
    """A test that takes many partners in one pass over its rows."""

    def independent_partners(self, x: int, given: Scope, partners: Sequence[int]) -> Flags: ...
    def test_partners(self, x: int, given: Scope, partners: Sequence[int]) -> TestResults: ...


class PartnerQuestions:
    """Asks a test in the largest batches it takes, and counts the questions.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> questions = PartnerQuestions(tw.DSeparationOracle(tw.Dag(schema, [("a", "b")])))
    >>> questions.independent(0, (), [1, 2]).tolist(), questions.n_tests
    ([False, True], 2)
    """

    def __init__(self, test: IndependenceTest) -> None:
        self.test = test
        self.n_tests = 0
        self._rank = ranks_by_name(test.schema)

    def independent(self, x: int, given: Scope, partners: Sequence[int]) -> Flags:
        """Decisions about x against each partner."""
        self.n_tests += len(partners)
        if isinstance(self.test, PartnerTest):
            return self.test.independent_partners(x, given, partners)
        return self.test.independent_many([(x, y, given) for y in partners])

    def strongest_first(self, x: int, given: Scope, partners: Sequence[int]) -> list[int]:
        """Partners by smaller p-value, then larger statistic for each degree of freedom, then name.

        A test that only decides leaves the names.
        """
        if not isinstance(self.test, GradedTest) or not partners:
            return sorted(partners, key=self._rank.__getitem__)
        self.n_tests += len(partners)
        if isinstance(self.test, PartnerTest):
            results = self.test.test_partners(x, given, partners)
        else:
            results = self.test.test_many([(x, y, given) for y in partners])
        return self._ordered(partners, results)

    def weakest_member(self, x: int, members: Scope) -> int | None:
        """The member with the largest p-value given the other members, if x is independent of it then."""
        queries = [(x, y, tuple(w for w in members if w != y)) for y in members]
        if not queries:
            return None
        self.n_tests += len(queries)
        apart = np.flatnonzero(self.test.independent_many(queries)).tolist()
        if not apart or not isinstance(self.test, GradedTest):
            return max((members[i] for i in apart), key=self._rank.__getitem__, default=None)
        results = self.test.test_many([queries[i] for i in apart])
        return self._ordered([members[i] for i in apart], results)[-1]

    def _ordered(self, partners: Sequence[int], results: TestResults) -> list[int]:
        ranks = self._rank[list(partners)]
        order = np.lexsort((ranks, -strength_of(results), results.p_value))
        return [partners[i] for i in order.tolist()]


class SharedTest:
    """Wrap an independence test so that answers are kept for searches over parts of its variables.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> chain = tw.Dag(schema, [("a", "b"), ("b", "c"), ("c", "d")])
    >>> shared = SharedTest(tw.DSeparationOracle(chain))
    >>> first, second = shared.part(("a", "b", "c")), shared.part(("d", "c", "b", "a"))
    >>> first.independent("a", "c", given=("b",)), second.independent("c", "a", given=("b",))
    (True, True)
    >>> shared.n_asked, shared.n_tests
    (2, 1)
    """

    def __init__(self, test: IndependenceTest) -> None:
        self.test, self.schema = test, test.schema
        self.answers = answers_of(test)
        self.memory = _core.AnswerMemory(self.answers, len(test.schema))

    @property
    def n_asked(self) -> int:
        """Questions asked so far."""
        return self.memory.tally[0]

    @property
    def n_tests(self) -> int:
        """Distinct questions, each of which was evaluated."""
        return sum(self.memory.tally[1:])

    @property
    def n_conditional(self) -> int:
        """Distinct questions with something given."""
        return self.memory.tally[1]

    def part(self, variables: Iterable[NameOrIndex]) -> PartTest:
        """The same test about some of the variables, in the order given."""
        return PartTest(self, self.schema.scope(variables))

    def whole(self) -> PartTest:
        """The same test about all variables."""
        return PartTest(self, tuple(range(len(self.schema))))


class PartTest:
    """A shared test that knows some of the variables only; see :class:`SharedTest`."""

    def __init__(self, shared: SharedTest, members: Scope) -> None:
        self.shared, self.members = shared, members
        self.schema = shared.schema.select(members)
        self._answers = _core.PartAnswers(shared.memory, members)

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        return bool(self.independent_many([(x, y, given)])[0])

    def independent_many(self, queries: Sequence[NamedQuery]) -> Flags:
        """One answer for each question; those not seen before are evaluated in one batch."""
        return self._answers.separation(as_queries(self.schema, queries)) >= 0

    def native_answers(self) -> _core.PartAnswers:
        """The same answers for searches that run in the core."""
        return self._answers

    def __getattr__(self, name: str) -> Any:
        if name != "test_many":  # what a graded test has beyond the protocol
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        graded = self.shared.test.test_many  # type: ignore[attr-defined]

        def test_many(queries: Sequence[NamedQuery]) -> TestResults:
            known, place = as_queries(self.schema, queries), self.members.__getitem__
            results: TestResults = graded([(place(x), place(y), tuple(map(place, s))) for x, y, s in known])
            return results

        return test_many
