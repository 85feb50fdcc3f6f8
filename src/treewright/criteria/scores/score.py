"""How good is a family? The protocol of decomposable scores.

A score of a directed graph is a sum of local scores, one for each child with its parents. A search asks for
the locals in batches and adds up differences; wrappers such as a cache or an edge prior satisfy the same
protocol.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from treewright.arguments import FAMILIES, SCORE, require
from treewright.errors import SchemaError, SettingError
from treewright.ranges import in_range
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
        return float(getattr(self.inner, "resolution", 0.0) or getattr(self.inner, "unit", 0.0))


def score_graph(score: PluralScore | LocalScore, graph: DagLike) -> float:
    """Sum of the local scores of a graph whose variables are those of the score, in any order."""
    require("score", FAMILIES, graph)
    theirs = graph.schema
    refuse_other_variables("the graph and the score", score.schema, theirs)
    families = [
        (theirs.names[v], [p if isinstance(p, str) else theirs.names[p] for p in graph.parents(v)])
        for v in range(len(theirs))
    ]
    return math.fsum(score.local_many(families))


def refuse_other_variables(who: str, ours: Schema, theirs: Schema) -> None:
    """Refuse two that are not about the same variables, in whatever order."""
    if odd := sorted(set(ours.names) ^ set(theirs.names)):
        names = ", ".join(map(repr, odd[:20]))
        raise SchemaError(f"{who} must have the same variables; only one of them has {names}")


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


def floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


class CachedScore(WrappedScore):
    """Any score, with a bounded memory of the families it was asked for.

    Questions in the plural pass on only what is not known yet, each family once.

    Parameters
    ----------
    max_entries
        Families to remember; the one not used for longest is forgotten first.

    Examples
    --------
    >>> from treewright.criteria import BIC
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> score = CachedScore(BIC(JointCounts(schema, [[20, 10], [5, 25]])))
    >>> score.local("well", ["treated"]) == score.local("well", ["treated"])
    True
    >>> score.hits, score.misses
    (1, 1)
    """

    @in_range
    def __init__(self, score: LocalScore, *, max_entries: int = 1_000_000) -> None:
        require("CachedScore", SCORE, score)
        if max_entries < 1:
            raise SettingError(f"a cache must hold at least one family; found max_entries={max_entries!r}")
        self.inner, self.max_entries = score, max_entries
        self.hits = self.misses = 0
        self._known: OrderedDict[Family, float] = OrderedDict()

    def __repr__(self) -> str:
        found = f"{self.hits} hits, {self.misses} misses"
        return f"CachedScore({self.inner!r}, {len(self._known)} families, {found})"

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        return self._look_up(as_families(self.schema, families), self.inner.local_many)

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        target, known = as_family(self.schema, child, parents)
        added = as_candidates(self.schema, target, known, candidates)
        asked = [(target, tuple(sorted((*known, candidate)))) for candidate in added]
        owner = dict(zip(asked, added, strict=True))
        # the wrapped score counts the common part of these families once
        return self._look_up(
            asked, lambda unseen: self.inner.local_additions(target, known, [owner[one] for one in unseen])
        )

    def pair_gains(self) -> Floats:
        return self.inner.pair_gains()  # asked once in a search

    def _look_up(self, families: list[Family], ask: Callable[[list[Family]], Floats]) -> Floats:
        unseen = list(dict.fromkeys(family for family in families if family not in self._known))
        self.misses += len(unseen)
        self.hits += len(families) - len(unseen)
        fresh = dict(zip(unseen, ask(unseen).tolist(), strict=True)) if unseen else {}
        answer = floats(fresh[family] if family in fresh else self._touch(family) for family in families)
        self._known.update(fresh)
        while len(self._known) > self.max_entries:
            self._known.popitem(last=False)
        return answer

    def _touch(self, family: Family) -> float:
        self._known.move_to_end(family)
        return self._known[family]
