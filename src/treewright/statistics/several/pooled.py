"""Counting several tables with overlapping columns.

The counts of a scope come from *every* table that has all of its columns: such tables, cut to what they share
and put below each other, are one table, counted natively. When no table has them all, a *completion* may
know the distribution from what the tables have in parts; its counts are then as many rows as the weakest
pair of the scope was seen in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import and_
from typing import Any, Protocol

import numpy as np

from treewright.arguments import DATABASES, require
from treewright.errors import SchemaError, SettingError
from treewright.statistics.counter import Counts, PluralCounter, SparseCounts
from treewright.statistics.families import FromTables, Judged, Query, ScoreSettings, TestKind
from treewright.statistics.whole import WholeCounter, count
from treewright.tables.databases import Cover, Databases
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats, Scope


class Completion(Protocol):
    """Who knows the distribution of columns that no table has together."""

    def margins(self, scopes: Sequence[Scope]) -> list[Floats]:
        """The joint distribution of each scope, one axis per variable; each sums to one."""
        ...


class Pooled:
    """What is known of tables with overlapping columns before anything is counted."""

    databases: Databases

    @property
    def schema(self) -> Schema:
        return self.databases.schema

    def covers(self, scope: Iterable[NameOrIndex]) -> bool:
        """Whether some table has all of these columns."""
        return self.databases.covers(scope)

    def rows(self, scope: Iterable[NameOrIndex]) -> int | float:
        """Rows behind what is known of a scope; see :meth:`Databases.effective_rows`."""
        return self.databases.effective_rows(scope)


class PooledCounter(Pooled, PluralCounter):
    """Counts of several tables with overlapping columns, pooled over those that have what is asked.

    Parameters
    ----------
    databases
        The tables, all discrete.
    completion
        Asked where no table has all columns of a scope. Without one such counts are refused, and tests about
        them have no answer.

    Attributes
    ----------
    model_based
        Questions (x, y, given) so far that the completion answered, as indices.
    undecided
        Questions so far that nobody could answer.

    Examples
    --------
    >>> from treewright.tables import read_databases
    >>> counter = PooledCounter(read_databases([{"a": [0, 0, 1], "b": [0, 1, 1]}, {"b": [1], "c": ["x"]}]))
    >>> counter.counts(("b",)).tolist(), counter.counts(("a", "b")).tolist()
    ([1, 3], [[1, 1], [0, 1]])
    """

    def __init__(self, databases: Databases, completion: Completion | None = None) -> None:
        require("PooledCounter", DATABASES, databases)
        if databases.is_continuous:
            raise SchemaError("continuous columns are not counted; PooledMoments pools their moments")
        self.databases = databases
        self.completion = completion
        self.model_based: set[Query] = set()
        self.undecided: set[Query] = set()
        self._counters: dict[Cover, WholeCounter] = {}
        self._completed = FromTables(self)  # judges the counts that are completed

    @property
    def n_rows(self) -> int | float:
        """Rows of all tables together."""
        return sum(self.databases.weights)

    def rows_behind(self, queries: Sequence[Query]) -> Floats:
        """Rows behind each test, in the order asked."""
        return np.array([self.rows((x, y, *given)) for x, y, given in queries], dtype=np.float64)

    def counter(self, cover: Cover) -> WholeCounter:
        """A counter over the rows of some tables, with the columns that all of them have."""
        if cover not in self._counters:
            self._counters[cover] = count(self.databases.pool(cover))
        return self._counters[cover]

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        """The tables of many scopes: one native call for each set of tables that has some of them."""
        asked = [self.schema.scope(scope) for scope in scopes]
        found: list[Counts] = [np.empty(0, dtype=np.int64)] * len(asked)
        for cover, positions in self._by_cover(asked).items():
            here = [asked[i] for i in positions]
            if cover:
                counter = self.counter(cover)
                tables = counter.counts_many([counter.schema.scope(self._names(s)) for s in here])
            else:
                tables = self._complete(here)
            for position, table in zip(positions, tables, strict=True):
                found[position] = table
        return found

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        """Occupied cells only."""
        known = self.schema.scope(scope)
        cover = self.databases.covering(known)
        if cover:
            return self.counter(cover).sparse_counts(self._names(known))
        (table,) = self._complete([known])
        return SparseCounts.of(table)

    # ------------------------------------------------------------------ judged while counted
    def test_queries(self, settings: TestKind, queries: Sequence[Query]) -> Judged:
        """Judge (x, y, given): natively in the tables that have all of it, else on the completed counts."""
        asked = [(x, y, tuple(given)) for x, y, given in queries]
        first, second = np.empty(len(asked)), np.empty(len(asked))
        for cover, positions in self._by_cover([(x, y, *given) for x, y, given in asked]).items():
            here = [asked[i] for i in positions]
            first[positions], second[positions] = (
                self._judge_inside(cover, settings, here) if cover else self._judge_across(settings, here)
            )
        return first, second

    def test_partners(self, settings: TestKind, x: int, given: Scope, partners: Sequence[int]) -> Judged:
        """Judge x against each partner given one set."""
        return self.test_queries(settings, [(x, partner, given) for partner in partners])

    def _refuse_scores(self, settings: ScoreSettings, *_: Any) -> Floats:
        raise SettingError(
            f"{settings.kind} of families that are counted in different tables does not compare; use "
            "PooledScore(databases)"
        )

    score_families = score_additions = score_deletions = score_pairs = _refuse_scores

    def _judge_inside(self, cover: Cover, settings: TestKind, queries: Sequence[Query]) -> Judged:
        counter = self.counter(cover)
        place = {self.schema.index(name): i for i, name in enumerate(counter.schema.names)}
        inside = [(place[x], place[y], tuple(place[v] for v in given)) for x, y, given in queries]
        return counter.test_queries(settings, inside)

    def _judge_across(self, settings: TestKind, queries: Sequence[Query]) -> Judged:
        if self.completion is None:  # an infinite statistic: nobody may call these independent
            self.undecided.update(queries)
            return np.full(len(queries), np.inf), np.ones(len(queries))
        self.model_based.update(queries)
        return self._completed.test_queries(settings, queries)

    def _complete(self, scopes: Sequence[Scope]) -> list[Counts]:
        if self.completion is None:
            names = ", ".join(map(repr, self._names(scopes[0])))
            raise SchemaError(
                f"no table has the columns {names} together, and nothing completes them; learn and fit with "
                "completion='fit', or add a table that has them"
            )
        margins = self.completion.margins(scopes)
        return [margin * self.rows(scope) for margin, scope in zip(margins, scopes, strict=True)]

    def _by_cover(self, scopes: Sequence[Scope]) -> dict[Cover, list[int]]:
        """Positions of the scopes that the same tables have."""
        masks, every = self.databases.masks, (1 << len(self.databases)) - 1
        groups: dict[int, list[int]] = {}
        for position, scope in enumerate(scopes):
            found = reduce(and_, (masks[v] for v in scope), every)
            groups.setdefault(found, []).append(position)
        return {self.databases.cover_of(mask): positions for mask, positions in sorted(groups.items())}

    def _names(self, scope: Scope) -> tuple[str, ...]:
        return self.schema.names_of(scope)
