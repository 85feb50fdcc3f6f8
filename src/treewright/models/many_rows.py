"""The mean log-likelihood of any number of rows, in memory that does not grow with them.

Up to a block of 2^20 rows it is one mean. More rows are added up block by block, those of a Bayesian network
from the counts of its families, so that only the last bits depend on where blocks end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError
from treewright.limits import memory_limit
from treewright.statistics.counter import Counter, Counts
from treewright.statistics.whole import count
from treewright.tables.mapped_table import MappedTable
from treewright.tables.packed_file import BLOCK_ROWS
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Cells, Floats, Scope


def mean_log_probability(logs: Floats, table: Table) -> float:
    """The mean of the rows' log-probabilities, each row counted by its weight."""
    weights, counted = counted_rows(table)
    if not counted.any():
        raise no_rows()
    return float(np.average(logs[counted], weights=weights[counted]))


def counted_rows(table: Table) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The weights, and which rows count: one of weight zero says nothing, even where it is impossible."""
    weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
    return weights, weights > 0


def no_rows() -> SchemaError:
    return SchemaError("a score is a mean over rows; the table has none (or all have weight zero)")


def blocks_of(table: Table) -> Iterator[Table]:
    """The rows in runs of 2^20; a table of fewer as it is."""
    if table.n_rows <= BLOCK_ROWS:
        yield table
        return
    for begin in range(0, table.n_rows, BLOCK_ROWS):
        yield table.take(slice(begin, begin + BLOCK_ROWS))


def mean_by_blocks(table: Table, logs_of: Callable[[Table], Floats]) -> float:
    """The mean of what `logs_of` tells of each row of a block."""
    if table.n_rows <= BLOCK_ROWS:
        return mean_log_probability(logs_of(table), table)
    sums, totals = [], []
    for block in blocks_of(table):
        weights, counted = counted_rows(block)
        sums.append(float(np.dot(logs_of(block)[counted], weights[counted])) if counted.any() else 0.0)
        totals.append(float(weights.sum()))
    if not (total := math.fsum(totals)):
        raise no_rows()
    return math.fsum(sums) / total


def counts_tell(schema: Schema, tables: Sequence[Cells], table: Table) -> bool:
    """Whether counts of families stand for rows: many, with the model's states, without a missing cell."""
    if table.n_rows <= BLOCK_ROWS or any(name not in table.schema for name in schema.names):
        return False
    is_known = all(table.schema[variable.name].states == variable.states for variable in schema)
    is_whole = not any(table.schema.names[v] in schema for v in table.missing)
    return is_known and is_whole and sum(cells.nbytes for cells in tables) <= memory_limit() // 2


def mean_by_counts(schema: Schema, scopes: Sequence[Scope], tables: Sequence[Cells], table: Table) -> float:
    """Mean log-likelihood of a Bayesian network from the counts of its families in a table."""
    table = table.select(schema.names) if table.has_missing else table  # in columns of no concern
    families = [tuple(table.schema.index(schema.names[v]) for v in scope) for scope in scopes]
    pieces = (table,) if isinstance(table, MappedTable) else blocks_of(table)
    found: list[Counts] = []
    total: int | float = 0
    for piece in pieces:
        counter = count(piece)
        more = counter.counts_many(families)
        found = [a + b for a, b in zip(found, more, strict=True)] if found else more
        total += counter.n_rows
    if not total:
        raise no_rows()
    return log_likelihood_of_counts(found, tables) / total


def explained_by_counter(scopes: Sequence[Scope], tables: Sequence[Cells], counter: Counter) -> float | None:
    """The same from whatever counts over the model's schema; None where no row is counted."""
    if not counter.n_rows:
        return None
    return log_likelihood_of_counts(counter.counts_many(list(scopes)), tables) / counter.n_rows


def log_likelihood_of_counts(counts: Sequence[Counts], tables: Sequence[Cells]) -> float:
    """Each cell says its logarithm as often as it was counted; the same bits in any order of variables."""
    parts = []
    with np.errstate(divide="ignore"):
        for n, cells in zip(counts, tables, strict=True):
            seen = (n > 0).reshape(cells.shape)
            parts.append(math.fsum(n.reshape(cells.shape)[seen] * np.log(cells[seen])))
    return math.fsum(parts)
