"""Remembering tables: a wrapper for counters that are slow to ask (files, databases, clusters).

A table is kept under its set of variables. A smaller one is added up from a larger one that is known or asked
for at the same time. The oldest tables leave first once the bytes are used up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from treewright.arguments import COUNTS, require
from treewright.errors import SettingError
from treewright.ranges import in_range
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.families import FamilyStatistics, FromTables, as_family_statistics
from treewright.statistics.memory import memory_of, new_memory, sparse_counts_many
from treewright.statistics.rows import RowBlock, row_blocks_of
from treewright.tables.schema import NameOrIndex, Schema


class CachedCounter(PluralCounter):
    """A counter that remembers its tables; those of real weights are counted anew.

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

    @in_range
    def __init__(self, counter: Counter, *, max_bytes: int = 256 << 20) -> None:
        require("CachedCounter", COUNTS, counter)
        if max_bytes < 0:
            raise SettingError(f"max_bytes= of CachedCounter is at least 0; found {max_bytes}")
        self.counter = counter
        self.max_bytes = max_bytes
        self._table_memory = None if memory_of(counter) is None else new_memory(counter, max_bytes)

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    @property
    def n_rows(self) -> int | float:
        return self.counter.n_rows

    @property
    def n_counted(self) -> int:
        """Tables that the wrapped counter was asked for."""
        return 0 if self._table_memory is None else self._table_memory.tally[1]

    @property
    def n_bytes(self) -> int:
        return 0 if self._table_memory is None else self._table_memory.n_bytes

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        asked = [self.schema.scope(scope) for scope in scopes]
        if self._table_memory is None:
            return self.counter.counts_many(asked)
        tables = cast("list[Counts]", self._table_memory.counts(asked))
        found: list[Counts] = [table.view(np.int64) for table in tables]
        for table in found:
            table.flags.writeable = False
        return found

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        return self.sparse_counts_many([scope])[0]

    def sparse_counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[SparseCounts]:
        asked = [self.schema.scope(scope) for scope in scopes]
        return sparse_counts_many(self.counter, asked)

    def native_statistics(self) -> FamilyStatistics | None:
        """Judgements of the wrapped counter: it counts faster than a table is looked up, if it is native."""
        inner = as_family_statistics(self.counter)
        return None if isinstance(inner, FromTables) else inner

    def row_blocks(self) -> Sequence[RowBlock]:
        return row_blocks_of(self.counter)
