"""Counts from the rows where the columns in question are there: the quick way with missing cells.

A table of some columns needs only their cells, so every scope is counted in the rows that show all of it,
with their own number. Nothing is estimated, and nothing is iterated; but tables of different scopes come from
different rows. Where whether a cell is missing depends on other columns, the rows that are left are not like
those that are gone, and neither are their counts: that bias does not go away with more rows (structural EM
has none while gaps depend only on what rows show).

Likelihoods of different rows do not compare. So the score of a family is made of steps: parents come in by
the number of rows that show them, and each step compares the child with and without the new one in the rows
that show all of them. What a step adds counts by its own rows. Equivalent networks therefore score alike only
up to what chance makes of different rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from treewright import _core
from treewright.arguments import TABLE, require
from treewright.limits import check_table
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.families import Family, FromTables, Judged, Query, ScoreSettings, TestKind
from treewright.statistics.whole import count
from treewright.tables.schema import NameOrIndex, Schema, Variable
from treewright.tables.table import Table
from treewright.types import Floats, Scope

_ABSENT = "\0missing"  # no label of a table looks like this


def count_shown(table: Table) -> Counter:
    """Counts of the rows; where cells are missing, each scope in the rows that show it."""
    require("count_shown", TABLE, table)
    return AvailableCounter(table) if table.has_missing else count(table)


class AvailableCounter(PluralCounter):
    """Counts of every scope from the rows that show all of it.

    Scores and tests of any learner take it as they take other counters. What they say is biased where gaps
    depend on other columns, and families with many gaps are judged by few rows.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": ["x", "x", "y", None], "b": ["p", None, "q", "q"]}
    >>> counter = AvailableCounter(tw.read_table(rows, missing="em"))
    >>> counter.counts(("a",)).tolist(), counter.counts(("a", "b")).tolist()
    ([2, 1], [[1, 0], [0, 1]])
    """

    def __init__(self, table: Table) -> None:
        require("AvailableCounter", TABLE, table)
        self.table = table
        variables = [
            Variable(one.name, (*one.states, _ABSENT)) if v in table.missing and one.states else one
            for v, one in enumerate(table.schema)
        ]
        columns = [
            np.where(table.missing[v], len(one.states), column.astype(np.uint32))
            if v in table.missing and one.states
            else column
            for v, (one, column) in enumerate(zip(table.schema, table.columns, strict=True))
        ]
        self._marked = count(Table(Schema(variables), columns, weights=table.weights))
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        self._weights = np.asarray(weights, dtype=np.float64)
        self._rows_behind: dict[Scope, float] = {}
        self._tables = FromTables(self)
        self._steps: dict[tuple[ScoreSettings, int, Scope, int | None], float] = {}

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @property
    def n_rows(self) -> float:
        """All rows, whatever they miss."""
        return float(self._marked.n_rows)  # real: tables of different rows do not add up to each other

    def covers(self, scope: Iterable[NameOrIndex]) -> bool:
        """Whether some row shows all of these columns."""
        return bool(self.counts(scope).sum() > 0)

    def rows_behind(self, queries: Sequence[Query]) -> Floats:
        """How many rows show the columns of each test."""
        masks = self.table.missing
        hiding = [tuple(sorted(v for v in (x, y, *given) if v in masks)) for x, y, given in queries]
        for columns in dict.fromkeys(hiding):
            if columns not in self._rows_behind:
                shown = ~np.logical_or.reduce([masks[v] for v in columns]) if columns else slice(None)
                self._rows_behind[columns] = float(self._weights[shown].sum())
        return np.array([self._rows_behind[columns] for columns in hiding], dtype=np.float64)

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        """The tables of many scopes, each from the rows that show all of it."""
        asked = [self.schema.scope(scope) for scope in scopes]
        for scope in asked:
            check_table(self.schema, scope)
        found = self._marked.counts_many(asked)
        cards = self.schema.cardinalities
        return [
            cast("Counts", np.ascontiguousarray(table[tuple(slice(cards[v]) for v in scope)]))
            for table, scope in zip(found, asked, strict=True)
        ]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        """Occupied cells only."""
        asked = self.schema.scope(scope)
        seen = self._marked.sparse_counts(asked)
        shape = tuple(self.schema.cardinalities[v] for v in asked)
        places = np.unravel_index(seen.codes, seen.shape)
        kept = np.logical_and.reduce([at < size for at, size in zip(places, shape, strict=True)])
        codes = np.ravel_multi_index([at[kept] for at in places], shape).astype(np.int64)
        return SparseCounts(shape, codes, seen.counts[kept])

    # ------------------------------------------------------------------ judged by their own rows
    def score_families(self, settings: ScoreSettings, families: Sequence[Family]) -> Floats:
        """Local scores of (child, parents), in the order asked."""
        plans = [self._plan(settings, child, self.schema.scope(parents)) for child, parents in families]
        self._learn([step for plan in plans for step in plan])
        return np.array([sum(self._steps[step] for step in plan) for plan in plans], dtype=np.float64)

    def score_additions(
        self, settings: ScoreSettings, child: int, parents: Scope, candidates: Sequence[int]
    ) -> Floats:
        return self.score_families(settings, [(child, (*parents, one)) for one in candidates])

    def score_deletions(self, settings: ScoreSettings, child: int, parents: Scope) -> Floats:
        rest = [(child, (*parents[:i], *parents[i + 1 :])) for i in range(len(parents))]
        return self.score_families(settings, rest)

    def score_pairs(self, settings: ScoreSettings) -> Floats:
        """What each variable, as only parent, adds to the score of each other."""
        n = len(self.schema)
        pairs = [(p, c) for p in range(n) for c in range(n) if p != c]
        steps = [(settings, c, (p,), p) for p, c in pairs]
        self._learn(steps)
        gains = np.zeros((n, n))
        for (p, c), step in zip(pairs, steps, strict=True):
            gains[p, c] = self._steps[step]
        return gains

    def test_queries(self, settings: TestKind, queries: Sequence[Query]) -> Judged:
        return self._tables.test_queries(settings, queries)

    def test_partners(self, settings: TestKind, x: int, given: Scope, partners: Sequence[int]) -> Judged:
        return self._tables.test_partners(settings, x, given, partners)

    def _plan(
        self, settings: ScoreSettings, child: int, parents: Scope
    ) -> list[tuple[ScoreSettings, int, Scope, int | None]]:
        """The child alone, then each parent beside those that more rows show."""
        masks, rank = self.table.missing, self.schema.name_ranks
        order = sorted(parents, key=lambda v: (int(masks[v].sum()) if v in masks else 0, rank[v]))
        taken = [tuple(sorted(order[: i + 1])) for i in range(len(order))]
        return [
            (settings, child, (), None),
            *((settings, child, up_to, new) for up_to, new in zip(taken, order, strict=True)),
        ]

    def _learn(self, steps: Sequence[tuple[ScoreSettings, int, Scope, int | None]]) -> None:
        """Ask for the tables of all steps that are not known yet, and judge each by its own rows."""
        new = [step for step in dict.fromkeys(steps) if step not in self._steps]
        tables = self.counts_many([(*parents, child) for _, child, parents, _ in new])
        for step, table in zip(new, tables, strict=True):
            settings, child, parents, added = step
            r = self.schema.cardinalities[child]
            judged = [table] if added is None else [table, table.sum(axis=parents.index(added))]
            value = _core.score_tables(
                [(settings.kind, settings.ess)],
                max(float(table.sum()), 1.0),
                [],
                [np.ascontiguousarray(one) for one in judged],
                np.full(len(judged), r, dtype=np.int64),
                np.array([one.size / r for one in judged]),
            )[0]
            self._steps[step] = float(value[0] - (value[1] if added is not None else 0.0))
