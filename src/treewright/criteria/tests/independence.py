"""Independence tests: the question that constraint-based learners ask.

Anything that answers "are x and y independent given these?" is an :class:`IndependenceTest`: a statistic over
counts, a posterior, or a graph as oracle. A learner collects the questions of a round and asks them in one
call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright.criteria.tests.queries import NamedQuery, as_query
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Flags, Floats, Scope


@runtime_checkable
class IndependenceTest(Protocol):
    """Decides conditional independence; variables are given by name or by index."""

    @property
    def schema(self) -> Schema: ...

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        """Whether x and y are independent given the rest."""
        ...

    def independent_many(self, queries: Sequence[NamedQuery]) -> npt.NDArray[np.bool_]:
        """One answer for each question (x, y, given), in one call."""
        ...


class PluralTest(ABC):
    """What a test derives from its plural: give `schema`, `independent_many` and `test_many`."""

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @abstractmethod
    def independent_many(self, queries: Sequence[NamedQuery]) -> Flags:
        """Decisions about many (x, y, given), in the order asked."""

    @abstractmethod
    def test_many(self, queries: Sequence[NamedQuery]) -> TestResults:
        """Results for many (x, y, given), in the order asked."""

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        """Whether x may be taken as independent of y given the others."""
        return bool(self.independent_many([(x, y, given)])[0])

    def test(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> TestResult:
        """What the test computed before it decided."""
        return self.test_many([(x, y, given)])[0]


@dataclass(frozen=True, slots=True)
class TestResult:
    """What a statistical test computed before it decided.

    Attributes
    ----------
    statistic
        The test statistic.
    df
        Its degrees of freedom under independence.
    p_value
        Probability of a statistic at least as large under independence.
    reliable
        Whether there were enough rows for the number of cells.
    """

    __test__: ClassVar[bool] = False  # not a test case, whatever its name

    statistic: float
    df: float
    p_value: float
    reliable: bool = True


@dataclass(frozen=True)
class TestResults:
    """Many results as arrays, in the order asked; `results[i]` is one of them."""

    __test__: ClassVar[bool] = False
    statistic: Floats
    df: Floats
    p_value: Floats
    reliable: Flags

    def __len__(self) -> int:
        return len(self.statistic)

    def __getitem__(self, i: int) -> TestResult:
        return TestResult(
            float(self.statistic[i]), float(self.df[i]), float(self.p_value[i]), bool(self.reliable[i])
        )

    def __iter__(self) -> Iterator[TestResult]:
        return (self[i] for i in range(len(self)))


def canonical_query(
    schema: Schema, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()
) -> tuple[int, int, Scope]:
    """The question as indices, x < y and the given rising: one form for what is one question.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> canonical_query(Schema([Variable(name) for name in "abcd"]), "d", "a", ("c", "b"))
    (0, 3, (1, 2))
    """
    u, v, known = as_query(schema, x, y, given)
    return min(u, v), max(u, v), known
