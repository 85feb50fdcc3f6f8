"""A test that remembers: each question is evaluated once, and both asking and evaluating are counted.

And the same test at another level: a search may want to err on one side first and on the other later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import TEST, require
from treewright.criteria.tests.independence import (
    IndependenceTest,
    NamedQuery,
    TestResults,
    as_level,
    sort_query,
)
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

CanonicalQuery = tuple[int, int, Scope]


class AuditedTest:
    """Wrap an independence test so that answers are kept and questions are counted.

    A question is the pair {x, y} and the set of the given, in whatever order they are named.

    Examples
    --------
    >>> from treewright.criteria import DSeparationOracle
    >>> from treewright.graphs import Dag
    >>> from treewright.tables import Variable
    >>> oracle = DSeparationOracle(Dag(Schema([Variable(n) for n in "abc"]), [("a", "b"), ("b", "c")]))
    >>> audited = AuditedTest(oracle)
    >>> audited.independent("a", "c", given=("b",)), audited.independent("c", "a", given=("b",))
    (True, True)
    >>> audited.tallies
    {'tests_asked': 2, 'tests_evaluated': 1}
    """

    def __init__(self, test: IndependenceTest) -> None:
        require("AuditedTest", TEST, test)
        self.test, self.n_asked = test, 0
        self._answers: dict[CanonicalQuery, bool] = {}

    @property
    def schema(self) -> Schema:
        return self.test.schema

    @property
    def n_evaluated(self) -> int:
        """Distinct questions, each of which the wrapped test answered once."""
        return len(self._answers)

    @property
    def tallies(self) -> dict[str, int]:
        """Questions asked and questions evaluated, for a trace."""
        return {"tests_asked": self.n_asked, "tests_evaluated": self.n_evaluated}

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        query = self._canonical((x, y, given))
        if query not in self._answers:
            self._answers[query] = bool(self.test.independent(*query))
        self.n_asked += 1
        return self._answers[query]

    def independent_many(self, queries: Sequence[NamedQuery]) -> npt.NDArray[np.bool_]:
        """One answer for each question; those not seen before go to the wrapped test in one batch."""
        asked = [self._canonical(query) for query in queries]
        new = [query for query in dict.fromkeys(asked) if query not in self._answers]
        if new:
            answers = self.test.independent_many(new)
            self._answers.update(zip(new, answers.tolist(), strict=True))
        self.n_asked += len(asked)
        return np.array([self._answers[query] for query in asked], dtype=np.bool_)

    def __getattr__(self, name: str) -> Any:
        if name != "test_many":  # what a graded test has beyond the protocol
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.test.test_many  # type: ignore[attr-defined]

    def _canonical(self, query: NamedQuery) -> CanonicalQuery:
        try:
            if query in self._answers:  # seen in this very form: the common case in a search
                return query
        except TypeError:  # the given came as a list
            pass
        return sort_query(self.schema, *query)


@in_range
def at_level(test: IndependenceTest, alpha: float) -> IndependenceTest:
    """A test that decides by the same p-values at the level `alpha`.

    A test without a level (an attribute `alpha`) decides by other means, as a posterior or an oracle does; it
    comes back as it is.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 0, 0, 1] * 5}
    >>> test = tw.GTest(tw.count(tw.read_table(rows)), alpha=0.05)
    >>> test.independent("a", "b"), at_level(test, 1e-6).independent("a", "b")
    (False, True)
    """
    if not hasattr(test, "alpha") or not hasattr(test, "test_many"):
        return test
    return LeveledTest(test, as_level(alpha))


class LeveledTest:
    """The p-values of one test, judged at another level."""

    def __init__(self, test: Any, alpha: float) -> None:
        self.test, self.alpha = test, alpha

    @property
    def schema(self) -> Schema:
        schema: Schema = self.test.schema
        return schema

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        return bool(self.independent_many([(x, y, given)])[0])

    def independent_many(self, queries: Sequence[NamedQuery]) -> npt.NDArray[np.bool_]:
        return np.asarray(self.test_many(queries).p_value > self.alpha)

    def test_many(self, queries: Sequence[NamedQuery]) -> TestResults:
        results: TestResults = self.test.test_many(queries)
        return results

    def native_answers(self) -> _core.TestAnswers | None:
        """The same decisions inside the core, where the test can answer there."""
        native = getattr(self.test, "native_answers", None)
        found: _core.TestAnswers | None = None if native is None else native(self.alpha)
        return found
