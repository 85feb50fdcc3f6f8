"""How a model of continuous variables reads the rows of a table: columns meet by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError
from treewright.models.model import require_columns
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Floats, Mask


def real_columns(schema: Schema, table: Table) -> list[Floats]:
    """The table's columns in the order of `schema`, all continuous and without a missing cell."""
    require_columns(schema, table, "density", "drop those rows")
    return [real_column(table, name) for name in schema.names]


def real_column(table: Table, name: str) -> Floats:
    """One column of numbers; where cells are missing it holds NaN."""
    if table.schema[name].is_discrete:
        raise SchemaError(f"column {name!r} of the table is discrete; the model's variable is continuous")
    column = np.ascontiguousarray(table.column(name), dtype=np.float64)
    if np.isinf(column).any():
        row = int(np.flatnonzero(np.isinf(column))[0])
        raise SchemaError(f"column {name!r} of the table holds {column[row]} in row {row}, counted from 0")
    return column


def row_patterns(masks: Mask) -> list[tuple[Mask, npt.NDArray[np.intp]]]:
    """Which columns miss, and the rows where just these do: each pattern once.

    Examples
    --------
    >>> [(p.tolist(), rows.tolist()) for p, rows in row_patterns(np.array([[False], [True], [False]]))]
    [([False], [0, 2]), ([True], [1])]
    """
    if not masks.any():
        return [(np.zeros(masks.shape[1], dtype=np.bool_), np.arange(len(masks)))]
    patterns, where = np.unique(masks, axis=0, return_inverse=True)
    order = np.argsort(where.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(where.ravel(), minlength=len(patterns)))
    return list(zip(patterns, np.split(order, ends[:-1]), strict=True))


def check_continuous(schema: Schema, what: str) -> None:
    discrete = [variable.name for variable in schema if variable.is_discrete]
    if discrete:
        raise SchemaError(
            f"{what} has continuous variables; discrete: {', '.join(map(repr, discrete[:8]))}"
            + (f" and {len(discrete) - 8} more" if len(discrete) > 8 else "")
        )
