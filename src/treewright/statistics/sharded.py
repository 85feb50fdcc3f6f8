"""Counting shards: the counts of the parts add up to the counts of the whole, exactly."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

import numpy as np

from treewright.arguments import COUNTS, all_of
from treewright.errors import SchemaError
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.memory import sparse_counts_many
from treewright.statistics.rows import RowBlock, digests_of_parts, parts_beside, row_blocks_of
from treewright.tables.schema import NameOrIndex, Schema


class ShardedCounter(PluralCounter):
    """Several counters over the same columns, seen as one.

    Parameters
    ----------
    counters
        At least one; all with the same schema.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": ["x", "x", "y", "y"]})
    >>> tw.ShardedCounter([tw.count(shard) for shard in table.shards(2)]).counts(("a",))
    array([2, 2])
    """

    def __init__(self, counters: Iterable[Counter]) -> None:
        self.counters: tuple[Counter, ...] = all_of("ShardedCounter", COUNTS, counters)
        if not self.counters:
            raise SchemaError("a sharded counter needs at least one shard; found none")
        for shard in self.counters[1:]:
            if shard.schema != self.counters[0].schema:
                raise SchemaError(
                    "shards must have the same columns and states; align them with ShardedTable.aligned(...)"
                )

    @property
    def schema(self) -> Schema:
        return self.counters[0].schema

    @property
    def n_rows(self) -> int | float:
        return sum(counter.n_rows for counter in self.counters)

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        checked = [self.schema.scope(scope) for scope in scopes]
        parts = [counter.counts_many(checked) for counter in self.counters]
        return [reduce(add, tables) for tables in zip(*parts, strict=True)]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        return self.sparse_counts_many([scope])[0]

    def sparse_counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[SparseCounts]:
        """Occupied cells of many scopes: every shard is asked once."""
        checked = [self.schema.scope(scope) for scope in scopes]
        parts = [sparse_counts_many(counter, checked) for counter in self.counters]
        return [joined_cells(cells) for cells in zip(*parts, strict=True)]

    def parts(self) -> list[str]:
        return [digest for counter in self.counters for digest in digests_of_parts(counter)]

    def beside(self, known: Tally[str]) -> list[Counter]:
        return [one for counter in self.counters for one in parts_beside(counter, known)]

    def row_blocks(self) -> list[RowBlock]:
        blocks = [row_blocks_of(counter) for counter in self.counters]
        return [block for part in blocks for block in part] if all(blocks) else []


def joined_cells(parts: Sequence[SparseCounts]) -> SparseCounts:
    """The occupied cells of one scope in several shards, added up."""
    codes = np.concatenate([part.codes for part in parts])
    return SparseCounts.summed(parts[0].shape, codes, np.concatenate([part.counts for part in parts]))
