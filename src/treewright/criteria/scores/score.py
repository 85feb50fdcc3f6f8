"""How good is a family? The protocol of decomposable scores.

A score of a directed graph is a sum of local scores, one for each child with its parents. A search asks for
the locals in batches and adds up differences; wrappers such as a cache or an edge prior satisfy the same
protocol.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError, SettingError
from treewright.statistics.families import Family
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats, Scope

NamedFamily = tuple[NameOrIndex, Iterable[NameOrIndex]]


class DagLike(Protocol):
    """Whatever knows the parents of a vertex."""

    @property
    def schema(self) -> Schema: ...

    def parents(self, v: Any, /) -> Iterable[NameOrIndex]: ...


@runtime_checkable
class LocalScore(Protocol):
    """A decomposable score: larger is better, in nats. Variables are names or indices."""

    @property
    def schema(self) -> Schema: ...

    @property
    def is_score_equivalent(self) -> bool:
        """Whether graphs that imply the same independences always score the same."""
        ...

    def local(self, child: NameOrIndex, parents: Iterable[NameOrIndex] = ()) -> float:
        """Score of one child given its parents, in any order."""
        ...

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        """Scores of many families, in the order asked."""
        ...

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        """Scores of the child with each candidate added to its parents."""
        ...

    def local_deletions(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> Floats:
        """Scores of the child with each parent taken away, in the order of `parents`."""
        ...

    def pair_gains(self) -> Floats:
        """What each variable, as only parent, adds to the score of each other: a matrix [parent, child]."""
        ...

    def score(self, graph: DagLike) -> float:
        """Sum of the local scores of a directed acyclic graph."""
        ...


class PluralScore(ABC):
    """What every score derives from its plural: give `schema` and `local_many`, and the rest is here."""

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @abstractmethod
    def local_many(self, families: Sequence[NamedFamily]) -> Floats: ...

    def local(self, child: NameOrIndex, parents: Iterable[NameOrIndex] = ()) -> float:
        return float(self.local_many([(child, parents)])[0])

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        target, known = as_family(self.schema, child, parents)
        added = as_candidates(self.schema, target, known, candidates)
        return self.local_many([(target, (*known, candidate)) for candidate in added])

    def local_deletions(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> Floats:
        return self.local_many([(child, [*parents[:i], *parents[i + 1 :]]) for i in range(len(parents))])

    def pair_gains(self) -> Floats:
        everybody = range(len(self.schema))
        own = self.local_many([(child, ()) for child in everybody])
        gains = np.zeros((len(everybody), len(everybody)))
        for child in everybody:
            others = [parent for parent in everybody if parent != child]
            gains[others, child] = self.local_additions(child, (), others) - own[child]
        return gains

    def score(self, graph: DagLike) -> float:
        return score_graph(self, graph)


class WrappedScore(PluralScore):
    """A score inside another, whose variables and equivalence it shares."""

    inner: LocalScore

    @property
    def schema(self) -> Schema:
        return self.inner.schema

    @property
    def is_score_equivalent(self) -> bool:
        return self.inner.is_score_equivalent

    @property
    def resolution(self) -> float:
        """The step of which every local score is a multiple; 0 when the wrapped score has none."""
        return float(getattr(self.inner, "resolution", 0.0))


def score_graph(score: PluralScore | LocalScore, graph: DagLike) -> float:
    """Sum of the local scores of a graph whose variables are those of the score, in any order."""
    ours, theirs = score.schema, graph.schema
    if ours.names != theirs.names and sorted(ours.names) != sorted(theirs.names):
        odd = sorted(set(ours.names) ^ set(theirs.names))
        raise SchemaError(
            "the graph and the score must have the same variables; only one of them has "
            + ", ".join(map(repr, odd[:20]))
        )
    families = [
        (theirs.names[v], [p if isinstance(p, str) else theirs.names[p] for p in graph.parents(v)])
        for v in range(len(theirs))
    ]
    return math.fsum(score.local_many(families))


def as_family(schema: Schema, child: NameOrIndex, parents: Iterable[NameOrIndex]) -> Family:
    """Indices of a family, parents sorted; a child is never its own parent."""
    target = schema.index(child)
    scope = tuple(sorted(schema.scope(parents)))
    if target in scope:
        raise SchemaError(
            f"{schema.names[target]!r} cannot be its own parent; found it among "
            f"{', '.join(map(repr, schema.names_of(scope)))}"
        )
    return target, scope


def as_families(schema: Schema, families: Sequence[NamedFamily]) -> list[Family]:
    return [as_family(schema, child, parents) for child, parents in families]


def as_candidates(schema: Schema, child: int, parents: Scope, candidates: Iterable[NameOrIndex]) -> list[int]:
    """Indices of new parents: neither the child nor a parent already."""
    found = [schema.index(candidate) for candidate in candidates]
    for candidate in found:
        if candidate == child or candidate in parents:
            role = "the child itself" if candidate == child else "a parent already"
            raise SchemaError(
                f"{schema.names[candidate]!r} cannot be added to the parents of {schema.names[child]!r}: "
                f"it is {role}"
            )
    return found


def positive(name: str, value: float) -> float:
    """A setting that must be a finite number above 0."""
    if not (isinstance(value, int | float | np.number) and math.isfinite(value) and value > 0):
        raise SettingError(f"{name} must be a finite number above 0; found {value!r}")
    return float(value)


def floats(values: Iterable[float]) -> npt.NDArray[np.float64]:
    return np.fromiter(values, dtype=np.float64)
