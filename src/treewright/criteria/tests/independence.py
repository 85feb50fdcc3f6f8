"""Independence tests: the question that constraint-based learners ask.

Anything that answers "are x and y independent given these?" is an :class:`IndependenceTest`: a statistic over
counts, a posterior, or a graph as oracle. A learner collects the questions of a round and asks them in one
call. Questions "x, y, given" as people write them are turned into indices and checked once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright.arguments import COUNTS, SCHEMA, require
from treewright.errors import SchemaError, SettingError
from treewright.statistics.counter import Counter
from treewright.statistics.families import Query
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Flags, Floats, Scope

NamedQuery = tuple[NameOrIndex, NameOrIndex, Iterable[NameOrIndex]]


def as_query(schema: Schema, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> Query:
    """Indices of a question about two different variables and a set without them."""
    return _checked(schema, schema.index(x), schema.index(y), tuple(sorted(schema.scope(given))))


def as_queries(schema: Schema, queries: Sequence[NamedQuery]) -> list[Query]:
    return [as_query(schema, x, y, given) for x, y, given in queries]


def as_partners(
    schema: Schema, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
) -> tuple[int, Scope, list[int]]:
    """Indices of one variable against many, given one set."""
    first, scope = schema.index(x), tuple(sorted(schema.scope(given)))
    others = [schema.index(partner) for partner in partners]
    if first in scope or not {first, *scope}.isdisjoint(others):
        for other in others:
            _checked(schema, first, other, scope)  # one of them says what is wrong
    return first, scope, others


def as_level(alpha: float) -> float:
    """A level of significance."""
    if not 0 < alpha < 1:
        raise SettingError(f"alpha must lie between 0 and 1, both excluded; found {alpha!r}")
    return float(alpha)


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """Refuse a setting that is not among the words it may be."""
    if value not in allowed:
        raise SettingError(f"{name} must be one of {', '.join(map(repr, allowed))}; found {value!r}")


def require_discrete(who: str, counter: Counter) -> None:
    """Refuse what is not counts of states."""
    require(who, COUNTS, counter)
    continuous = [variable.name for variable in counter.schema if not variable.is_discrete]
    if continuous:
        names = ", ".join(map(repr, continuous))
        verb, them = ("is", "it") if len(continuous) == 1 else ("are", "them")
        raise SchemaError(
            f"{who} judges states; {names} {verb} continuous: read {them} with bins=, or leave {them} out "
            "with table.select(...)"
        )


def _checked(schema: Schema, x: int, y: int, given: Scope) -> Query:
    if x == y:
        raise SchemaError(f"a test compares two variables; found {schema.names[x]!r} twice")
    for v in (x, y):
        if v in given:
            raise SchemaError(
                f"{schema.names[v]!r} cannot be tested and conditioned on at once; given was "
                f"{', '.join(map(repr, schema.names_of(given)))}"
            )
    return x, y, given


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


class AskingTest(PluralTest):
    """A test that asks, also one against many in one pass, and makes decisions or results of the answers."""

    _ask: Callable[..., tuple[Any, ...]]  # queries
    _ask_partners: Callable[..., tuple[Any, ...]]  # x, given, partners
    _decide: Callable[..., Flags]  # of what was asked
    _results: Callable[..., TestResults]

    def independent_many(self, queries: Sequence[NamedQuery]) -> Flags:
        return self._decide(*self._ask(queries))

    def independent_partners(
        self, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> Flags:
        """Decisions about x against each partner, given one set."""
        return self._decide(*self._ask_partners(x, given, partners))

    def test_many(self, queries: Sequence[NamedQuery]) -> TestResults:
        return self._results(*self._ask(queries))

    def test_partners(
        self, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> TestResults:
        """Results for x against each partner, given one set."""
        return self._results(*self._ask_partners(x, given, partners))


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


def sort_query(
    schema: Schema, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()
) -> tuple[int, int, Scope]:
    """The question as indices, x < y and the given rising: one form for what is one question.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> sort_query(Schema([Variable(name) for name in "abcd"]), "d", "a", ("c", "b"))
    (0, 3, (1, 2))
    """
    require("sort_query", SCHEMA, schema)
    u, v, known = as_query(schema, x, y, given)
    return min(u, v), max(u, v), known
