"""Remembering tables: a wrapper for counters that are slow to ask (files, databases, clusters).

A table is kept under its sorted scope. A smaller one is added up from a kept larger one when that is cheaper
than counting again. The oldest tables leave first once the bytes are used up.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.families import FamilyStatistics, FromTables, family_statistics
from treewright.statistics.rows import RowBlock, row_blocks_of
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

# A table is added up from a larger one while that has fewer cells than this share of the rows.
_CELLS_PER_ROW = 0.5


class CachedCounter(PluralCounter):
    """A counter that remembers its tables.

    Parameters
    ----------
    max_bytes
        Memory for tables; 256 MiB by default.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.statistics.CachedCounter(tw.count(tw.read_table({"a": [0, 0, 1], "b": [0, 1, 1]})))
    >>> counter.counts(("a", "b")).sum(), counter.counts(("b", "a")).sum(), counter.n_counted
    (np.int64(3), np.int64(3), 1)
    """

    def __init__(self, counter: Counter, *, max_bytes: int = 256 << 20) -> None:
        self.counter = counter
        self.max_bytes = max_bytes
        self.n_counted = 0  # tables that the wrapped counter was asked for
        self.n_bytes = 0
        self._tables: OrderedDict[Scope, Counts] = OrderedDict()

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    @property
    def n_rows(self) -> int | float:
        return self.counter.n_rows

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        asked = [self.schema.scope(scope) for scope in scopes]
        found: dict[Scope, Counts] = {}
        unseen: list[Scope] = []
        for key in dict.fromkeys(tuple(sorted(scope)) for scope in asked):
            table = self._recall(key)
            if table is None:
                unseen.append(key)
            else:
                found[key] = table
        for key, table in zip(unseen, self.counter.counts_many(unseen) if unseen else [], strict=True):
            found[key] = self._keep(key, table)
        self.n_counted += len(unseen)
        return [_in_order(found[tuple(sorted(scope))], scope) for scope in asked]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        return self.counter.sparse_counts(self.schema.scope(scope))

    def native_statistics(self) -> FamilyStatistics | None:
        """Judgements of the wrapped counter: it counts faster than a table is looked up, if it is native."""
        inner = family_statistics(self.counter)
        return None if isinstance(inner, FromTables) else inner

    def row_blocks(self) -> Sequence[RowBlock]:
        return row_blocks_of(self.counter)

    def _recall(self, key: Scope) -> Counts | None:
        if key in self._tables:
            self._tables.move_to_end(key)
            return self._tables[key]
        wanted = set(key)
        limit = _CELLS_PER_ROW * self.n_rows
        larger = [s for s, t in self._tables.items() if t.size < limit and wanted.issubset(s)]
        if not larger:
            return None
        smallest = min(larger, key=lambda scope: (self._tables[scope].size, scope))
        axes = tuple(axis for axis, v in enumerate(smallest) if v not in wanted)
        return self._keep(key, np.asarray(self._tables[smallest].sum(axis=axes)))

    def _keep(self, key: Scope, table: Counts) -> Counts:
        table.flags.writeable = False  # handed out many times
        self._tables[key] = table
        self.n_bytes += table.nbytes
        while self.n_bytes > self.max_bytes and self._tables:
            self.n_bytes -= self._tables.popitem(last=False)[1].nbytes
        return table


def _in_order(table: Counts, scope: Scope) -> Counts:
    """Axes of a table kept by sorted scope, in the order asked."""
    rank = {v: axis for axis, v in enumerate(sorted(scope))}
    return cast("Counts", np.transpose(table, [rank[v] for v in scope]))
