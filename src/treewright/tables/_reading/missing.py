"""Missing cells: what else stands for one, and what becomes of the rows that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

import numpy as np

from treewright.errors import MissingValuesError, SchemaError
from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn, tidy
from treewright.tables._reading.room import kept_column
from treewright.tables.schema import Label
from treewright.types import Mask

MissingPolicy = Literal["error", "drop", "state", "em"]
# What learners do about gaps beyond that: they read them as "em" does.
AvailablePolicy = Literal["error", "drop", "state", "em", "available"]
GapPolicy = Literal["error", "drop", "state", "em", "available", "indicator"]


def reading_policy(policy: GapPolicy) -> MissingPolicy:
    """How rows are read for what a learner does about gaps."""
    return "em" if policy in ("available", "indicator") else cast("MissingPolicy", policy)


def mark_missing(column: SourceColumn, marks: Sequence[Label]) -> SourceColumn:
    """Take some labels or numbers for missing cells."""
    if not marks:
        return column
    if isinstance(column, LabelColumn):
        known = {(isinstance(mark, str), mark) for mark in marks}  # "1" is not 1
        hit = np.array([(isinstance(label, str), label) in known for label in column.labels], dtype=np.bool_)
        if not hit.any():
            return column
        found = hit[column.codes]
        if column.declared:
            lookup = np.maximum(np.cumsum(~hit) - 1, 0)
            labels = [label for label, out in zip(column.labels, hit, strict=True) if not out]
            column = replace(column, codes=lookup[column.codes], labels=labels)
    elif column.kind == "b":
        return column
    else:
        numbers = [mark for mark in marks if not isinstance(mark, str | bool)]
        found = np.isin(column.stored, numbers)
        found = found if column.codes is None else found[column.codes]
    missing, n_missing = tidy(found if column.missing is None else found | column.missing)
    return replace(column, missing=missing, n_missing=n_missing)


def refuse_infinite(columns: Sequence[SourceColumn]) -> None:
    reals = (column for column in columns if isinstance(column, NumberColumn) and column.kind == "f")
    suspect = [column for column in reals if not np.isfinite(column.stored).all()]
    counts = {column.name: int(np.isinf(column.present).sum()) for column in suspect}
    if any(counts.values()):
        shown = ", ".join(f"{name!r} ({n})" for name, n in counts.items() if n)
        raise SchemaError(
            f"infinite values in {shown}; replace them, or take them for missing cells: "
            "missing_values=(inf, -inf), --missing-value inf --missing-value=-inf"
        )


def settle_missing(
    columns: list[SourceColumn], policy: MissingPolicy
) -> tuple[list[SourceColumn], Mask | None]:
    """Refuse or drop rows with missing cells; the rows kept, if some were dropped."""
    gaps = {column.name: column.missing for column in columns if column.missing is not None}
    if not gaps or policy in ("state", "em"):
        return columns, None
    if policy == "error":
        shown = ", ".join(f"{name!r} ({int(mask.sum())})" for name, mask in list(gaps.items())[:20])
        more = f" and {len(gaps) - 20} more columns" if len(gaps) > 20 else ""
        raise MissingValuesError(
            f"missing cells in {shown}{more}; pass missing='drop' to leave out the rows, 'state' to make "
            "missing a state of its own, or 'em' to keep them for a learner that can estimate them"
        )
    kept = ~np.logical_or.reduce(list(gaps.values()))
    if not kept.any():
        full = ", ".join(repr(name) for name, mask in gaps.items() if mask.all())
        why = f"; {full} misses every cell, leave it out with columns=[...]" if full else ""
        raise MissingValuesError(f"every row misses a cell, so missing='drop' leaves nothing{why}")
    # every gap lies in a row that goes
    return [kept_column(replace(column.take(kept), missing=None)) for column in columns], kept
