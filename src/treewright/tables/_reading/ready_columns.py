"""Columns that are ready for a table: codes in their final type, a variable, an entry in the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.errors import MissingValuesError, SchemaError
from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn, label_column
from treewright.tables.arrays import Column, code_type, freeze
from treewright.tables.report import ColumnReport
from treewright.tables.schema import Label, Variable
from treewright.types import Mask

if TYPE_CHECKING:
    from treewright.tables.table import Table

FEW_STATES = 20


@dataclass(frozen=True)
class ReadyColumn:
    """A column that is ready for a table."""

    variable: Variable
    values: Column
    missing: Mask | None
    report: ColumnReport


def make_discrete(
    column: LabelColumn,
    lookup: npt.NDArray[np.uint32],
    variable: Variable,
    reason: str,
    *,
    n_observed: int,
    missing_code: int | None = None,
) -> ReadyColumn:
    """Apply a map from source codes to states; `missing_code` is the state of missing cells, if any."""
    codes = lookup.astype(code_type(variable.cardinality))[column.codes]
    mask = column.missing
    if mask is not None:
        codes[mask] = missing_code or 0
        n_observed += missing_code is not None
    report = ColumnReport(
        column.name,
        "discrete",
        reason,
        n_states=variable.cardinality,
        n_missing=column.n_missing,
        notes=column.notes,
        is_constant=n_observed <= 1,
        is_identifier=is_identifier(n_observed, len(column)),
    )
    return ReadyColumn(variable, freeze(codes), mask if missing_code is None else None, report)


def make_continuous(
    column: NumberColumn, reason: str, missing_state: bool, *, n_distinct: int | None = None
) -> ReadyColumn:
    """Real numbers, NaN where a cell is missing."""
    if column.missing is not None and missing_state:
        raise MissingValuesError(
            f"column {column.name!r} is continuous and misses {int(column.missing.sum())} cells, which "
            f"missing='state' cannot give a state; cut it with bins={{{column.name!r}: 4}}, "
            "or use missing='drop' or 'em'"
        )
    values = column.values.astype(np.float64)  # a copy of our own
    if column.missing is not None:
        values[column.missing] = np.nan
    present = column.present
    notes = column.notes
    if present.dtype.kind in "iu" and not exact_as_reals(present):
        notes = (*notes, "some values are beyond 2**53 and were rounded")
    report = ColumnReport(
        column.name,
        "continuous",
        reason,
        n_missing=column.n_missing,
        notes=notes,
        is_constant=bool(present.size == 0 or (present == present[0]).all()),
        is_identifier=n_distinct is not None and is_identifier(n_distinct, len(column)),
    )
    return ReadyColumn(Variable(column.name), freeze(values), column.missing, report)


def exact_as_reals(values: npt.NDArray[Any]) -> bool:
    limit = 1 << 53
    return values.size == 0 or (int(values.max()) <= limit and int(values.min()) >= -limit)


def as_labels(column: NumberColumn, codes: npt.NDArray[Any], labels: Sequence[Label]) -> LabelColumn:
    """The codes of a number column, kept inside the labels where cells are missing."""
    codes = np.minimum(codes, max(0, len(labels) - 1))
    made = label_column(column.name, codes.astype(np.uint32), labels, column.missing)
    return replace(made, n_missing=column.n_missing, notes=column.notes)


def observed_labels(column: LabelColumn) -> npt.NDArray[np.bool_]:
    """Which labels occur."""
    codes = column.codes if column.missing is None else column.codes[~column.missing]
    observed = np.zeros(len(column.labels), dtype=np.bool_)
    observed[codes] = True
    return observed


def is_identifier(n_distinct: int, n_rows: int) -> bool:
    return n_distinct > FEW_STATES and n_distinct > 0.9 * n_rows


def identifiers(table: Table) -> tuple[str, ...]:
    """The columns of a table in which nearly every row has its own value."""
    if table.report is not None:  # of the table as it was read: columns may have been left out since
        return tuple(name for name in table.report.identifiers if name in table.schema)
    columns = zip(table.schema, table.columns, strict=True)
    return tuple(
        variable.name
        for variable, codes in columns
        if variable.is_discrete
        and is_identifier(variable.cardinality, table.n_rows)  # states that no row has may be among them
        and is_identifier(len(np.unique(codes)), table.n_rows)
    )


def refuse_if_empty(column: SourceColumn, states: Sequence[Label]) -> None:
    if states:
        return
    found = "has no rows" if len(column) == 0 else "holds no value"
    raise SchemaError(
        f"column {column.name!r} {found}, so what it can hold is unknown; declare it with schema=, "
        "or leave it out with columns=[...]"
    )
