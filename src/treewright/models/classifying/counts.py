"""Members that are counts and nothing else, to which the counts of further rows can be added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import numpy as np

from treewright.graphs import Dag
from treewright.models.classifying.experts import network_member
from treewright.models.classifying.members import Member, OneDependence
from treewright.statistics import Counter
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

COUNTED = ("naive", "averaged")


@dataclass(frozen=True)
class PairCounts:
    """The counts that a member is made of: the class, each finding with it, and each pair of them.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = tw.read_table({"a": [0, 1, 1], "y": [0, 1, 1]})
    >>> half = PairCounts.of(tw.count(rows), 1, "naive")
    >>> (half + half).counts((1, 0)).tolist()
    [[2, 0], [0, 4]]
    """

    schema: Schema
    target: int
    tables: Mapping[Scope, Any]

    @classmethod
    def of(cls, counter: Counter, target: int, structure: str) -> PairCounts:
        """What a structure needs, counted."""
        others = [u for u in range(len(counter.schema)) if u != target]
        scopes: list[Scope] = [(target,), *((target, u) for u in others)]
        if structure == "averaged":
            scopes += [(target, u, w) for u, w in combinations(others, 2)]
        return cls(counter.schema, target, dict(zip(scopes, counter.counts_many(scopes), strict=True)))

    def counts(self, scope: Iterable[NameOrIndex]) -> Any:
        """One of the tables."""
        return self.tables[self.schema.scope(scope)]

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Any]:
        """Several of them."""
        return [self.counts(scope) for scope in scopes]

    def __add__(self, more: PairCounts) -> PairCounts:
        added = {scope: np.asarray(table) + more.tables[scope] for scope, table in self.tables.items()}
        return PairCounts(self.schema, self.target, added)


def counted_member(structure: str, counts: PairCounts, smoothing: float) -> Member:
    """Naive Bayes, or the average of one-dependence networks."""
    counter = cast("Counter", counts)
    if structure == "averaged":
        return OneDependence.of(counter, counts.target, smoothing)
    names = counts.schema.names
    told = names[counts.target]
    dag = Dag(counts.schema, [(told, name) for name in names if name != told])
    return network_member(dag, counter, counts.target, smoothing)
