"""Questions "x, y, given" as people write them, turned into indices and checked once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from treewright.arguments import COUNTS, require
from treewright.errors import SchemaError, SettingError
from treewright.statistics.counter import Counter
from treewright.statistics.families import Query
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

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
