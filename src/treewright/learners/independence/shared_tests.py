"""One test for many searches over parts of the variables.

Clusters overlap, so the same question comes up in several of them. A :class:`SharedTest` evaluates each once,
whoever asks and on whichever thread, and knows how many there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria import IndependenceTest, TestResults
from treewright.criteria.tests.queries import NamedQuery, as_queries
from treewright.learners.independence.answers import answers_of
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope


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
        self.test = test
        self.answers = answers_of(test)
        self.memory = _core.AnswerMemory(self.answers, len(test.schema))

    @property
    def schema(self) -> Schema:
        return self.test.schema

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
        self.shared = shared
        self.members = members
        self._schema = shared.schema.select(members)
        self._answers = _core.PartAnswers(shared.memory, members)

    @property
    def schema(self) -> Schema:
        return self._schema

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        return bool(self.independent_many([(x, y, given)])[0])

    def independent_many(self, queries: Sequence[NamedQuery]) -> npt.NDArray[np.bool_]:
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
            known = as_queries(self.schema, queries)
            place = self.members.__getitem__
            results: TestResults = graded([(place(x), place(y), tuple(map(place, s))) for x, y, s in known])
            return results

        return test_many
