"""The same test at another level: a search may want to err on one side first and on the other later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria.tests.independence import IndependenceTest, TestResults
from treewright.criteria.tests.queries import NamedQuery, as_level
from treewright.tables.schema import NameOrIndex, Schema


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
        self.test = test
        self.alpha = alpha

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
