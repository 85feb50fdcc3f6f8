"""One variable against many, given one set: the question of blanket searches, whoever answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from treewright.criteria import IndependenceTest, TestResults
from treewright.graphs.ranked import ranks_by_name
from treewright.learners.independence.answers import GradedTest, strength_of
from treewright.types import Flags, Scope


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
