"""The different rows behind a counter, each once, with how often it occurs.

Regressions look at whole rows, not at tables of a few variables. Rows come in the order of their codes with
the variables in name order, so that whatever is summed over them does not depend on the order of rows or
columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError, TableTooLarge
from treewright.limits import format_bytes, memory_limit, table_cells
from treewright.statistics.counter import Counter
from treewright.statistics.rows import parts_of
from treewright.tables.schema import Schema
from treewright.tables.table import Table


@dataclass(frozen=True)
class DistinctRows:
    """Different rows with their weights.

    Attributes
    ----------
    schema
        The variables in the order of their names.
    codes
        One line per variable, one column per row.
    weights
        How often each row occurs; none is zero.
    """

    schema: Schema
    codes: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]

    @property
    def n_rows(self) -> float:
        """Rows counted: the sum of the weights."""
        return float(self.weights.sum())


def distinct_rows(counter: Counter) -> DistinctRows:
    """The different rows behind a counter, in name order.

    A counter over tables in memory has its rows at hand; any other is asked for the occupied cells of the
    joint table of all variables.

    Raises
    ------
    SchemaError
        For continuous variables.
    TableTooLarge
        When the rows would not fit, or cells of all variables cannot be numbered.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = distinct_rows(tw.count(tw.read_table({"b": [0, 1, 0], "a": [1, 0, 1]})))
    >>> rows.schema.names, rows.codes.tolist(), rows.weights.tolist()
    (('a', 'b'), [[0, 1], [1, 0]], [1.0, 2.0])
    """
    schema = counter.schema
    for variable in schema:
        if not variable.is_discrete:
            raise SchemaError(
                f"rows of states are wanted; {variable.name!r} is continuous: read it with bins="
            )
    codes, weights = _rows(counter)
    kept = weights > 0
    ordered = schema.select(schema.name_order)
    return DistinctRows(ordered, np.ascontiguousarray(codes[:, kept]), weights[kept])


Rows = tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64]]


def _rows(counter: Counter) -> Rows:
    """By what the counter is made of: a table, shards, another counter; else by its joint table."""
    parts = parts_of(counter)
    if parts is None:
        return _of_cells(counter)
    rows = [_of_table(part.table) for part in parts]
    if len(rows) == 1:
        return rows[0]
    codes = np.concatenate([codes for codes, _ in rows], axis=1)
    return _merged(counter.schema, codes, np.concatenate([weights for _, weights in rows]))


def _of_table(table: Table) -> Rows:
    needed = 4 * len(table.schema) * table.n_rows
    if needed > memory_limit():
        raise TableTooLarge(
            f"{table.n_rows:,} rows of {len(table.schema)} variables take {format_bytes(needed)} as codes, "
            f"above the memory limit of {format_bytes(memory_limit())}; use fewer rows, or raise the limit "
            "with set_memory_limit or TREEWRIGHT_MEMORY"
        )
    columns = [np.asarray(table.columns[v], dtype=np.uint32) for v in table.schema.name_order]
    codes = np.array(columns, dtype=np.uint32).reshape(len(columns), table.n_rows)
    weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
    return _merged(table.schema, codes, weights)


def _merged(schema: Schema, codes: npt.NDArray[np.uint32], weights: npt.NDArray[np.float64]) -> Rows:
    """Equal rows become one, in rising order."""
    if not codes.size:
        return codes[:, :0], weights[:0]
    # bytes with the high one first sort like the numbers that they stand for
    narrow = max(schema.cardinalities) <= 256
    lines = np.ascontiguousarray(codes.T.astype(np.uint8 if narrow else ">u4"))
    keys = lines.view(np.dtype((np.void, lines.itemsize * lines.shape[1]))).ravel()
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    counts = np.bincount(where, weights=weights, minlength=len(first)).astype(np.float64)
    return codes[:, first], counts


def _of_cells(counter: Counter) -> Rows:
    order = counter.schema.name_order
    if table_cells(counter.schema, order) >= 2**63:
        raise TableTooLarge(
            f"the joint states of {len(order)} variables cannot be numbered in 64 bits, so this counter "
            "cannot hand out its rows; count a table in memory (tw.count(table))"
        )
    seen = counter.sparse_counts(tuple(order))
    codes = np.array(np.unravel_index(seen.codes, seen.shape), dtype=np.uint32)
    return codes.reshape(len(order), -1), np.asarray(seen.counts, dtype=np.float64)
