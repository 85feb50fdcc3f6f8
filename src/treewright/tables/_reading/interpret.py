"""Deciding what a column is.

Texts, truth values and declared categories are discrete. Whole numbers are discrete when they have few
distinct values: at most 20, or at most 64 if there are 50 rows for each of them. Real numbers are continuous,
with one exception: whole numbers that a source stores as reals only because cells are missing are whole
numbers again. A schema or bins overrule all of this, and every decision is reported with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError
from treewright.tables._reading.bins import BinSpec, bin_edges, cut, interval_labels
from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn
from treewright.tables._reading.ready_columns import (
    FEW_STATES,
    ReadyColumn,
    as_labels,
    make_continuous,
    make_discrete,
    observed_labels,
    refuse_if_empty,
)
from treewright.tables.schema import Label, Variable

MANY_STATES = 64
ROWS_PER_STATE = 50
MISSING_STATE = "missing"


def interpret(column: SourceColumn, missing_state: bool) -> ReadyColumn:
    """Decide from its values what a column is; `missing_state` makes missing cells a state of their own."""
    if isinstance(column, LabelColumn):
        return discrete(column, "declared categories" if column.declared else "texts", missing_state)
    if column.values.dtype.kind == "b":
        codes = column.values.astype(np.uint8)
        truth = replace(as_labels(column, codes, (False, True)), declared=True)
        return discrete(truth, "truth values", missing_state)
    if not column.present.size:
        return nothing(column, missing_state)
    return number(column, missing_state)


def nothing(column: NumberColumn, missing_state: bool) -> ReadyColumn:
    """A column of numbers without a number in it; without rows, its type still tells what it is."""
    if len(column) == 0 and column.values.dtype.kind == "f":
        return make_continuous(column, "real numbers", missing_state)
    empty = as_labels(column, np.zeros(len(column), dtype=np.uint8), ())
    return discrete(empty, "no values", missing_state)


def number(column: NumberColumn, missing_state: bool) -> ReadyColumn:
    values = column.present
    is_whole = values.dtype.kind in "iu"
    looks_whole = is_whole or bool((values == np.rint(values)).all())
    if is_whole or (looks_whole and column.n_missing):
        distinct = np.unique(values)
        told = f"{len(distinct):,} distinct whole numbers"
        told += "" if is_whole else ", stored as reals because cells are missing"
        if is_few(len(distinct), len(values)):
            codes = np.searchsorted(distinct, column.values)
            labels = [int(value) for value in distinct]
            return discrete(as_labels(column, codes, labels), told, missing_state)
        return make_continuous(
            column, f"{told}: too many for states", missing_state, n_distinct=len(distinct)
        )
    reason = "real numbers"
    if looks_whole:
        reason += ", all of them whole; for states, convert to whole numbers or pass schema= or bins="
    return make_continuous(column, reason, missing_state)


def is_few(n_distinct: int, n_rows: int) -> bool:
    """Whether so many distinct whole numbers are states."""
    return n_distinct <= FEW_STATES or (n_distinct <= MANY_STATES and n_distinct * ROWS_PER_STATE <= n_rows)


def discrete(column: LabelColumn, reason: str, missing_state: bool) -> ReadyColumn:
    """States in their order (declared, or sorted), codes to match."""
    observed = observed_labels(column)
    labels = column.labels
    order = list(range(len(labels))) if column.declared else sorted_positions(labels, observed)
    states = [labels[i] for i in order]
    missing_code = None
    if column.missing is not None and missing_state:
        missing_code = len(states)
        states.append(new_label(states))
        column = replace(column, notes=(*column.notes, f"missing cells are the state {states[-1]!r}"))
    refuse_if_empty(column, states)
    lookup = np.zeros(max(1, len(labels)), dtype=np.uint32)
    lookup[order] = np.arange(len(order), dtype=np.uint32)
    return make_discrete(
        column,
        lookup,
        Variable(column.name, tuple(states), ordered=column.ordered),
        reason,
        n_observed=int(np.count_nonzero(observed)),
        missing_code=missing_code,
    )


def sorted_positions(labels: Sequence[Label], observed: npt.NDArray[np.bool_]) -> list[int]:
    """Where the observed labels are: numbers by size, texts by code point."""
    positions: list[int] = np.flatnonzero(observed).tolist()
    return sorted(positions, key=labels.__getitem__)


def new_label(states: Sequence[Label]) -> str:
    """A label for missing cells that no state has: missing, missing 2, missing 3, ..."""
    label, number = MISSING_STATE, 1
    while label in states:
        number += 1
        label = f"{MISSING_STATE} {number}"
    return label


def is_missing_label(state: Label) -> bool:
    """Whether a state may be the one that reading adds for missing cells."""
    return isinstance(state, str) and re.fullmatch(rf"{MISSING_STATE}( \d+)?", state) is not None


def binned(column: SourceColumn, spec: BinSpec, missing_state: bool) -> ReadyColumn:
    """Cut a column of numbers into intervals."""
    if isinstance(column, LabelColumn) or column.values.dtype.kind == "b":
        raise SchemaError(f"bins= names {column.name!r}, which is not a column of numbers")
    edges, notes = bin_edges(column.name, column.present.astype(np.float64), spec)
    made = as_labels(column, cut(filled_reals(column), edges), interval_labels(edges))
    made = replace(made, declared=True, ordered=True, notes=(*made.notes, *notes))
    result = discrete(made, "numbers cut into bins", missing_state)
    return replace(result, report=replace(result.report, is_binned=True))


def filled_reals(column: NumberColumn) -> npt.NDArray[np.float64]:
    values = column.values.astype(np.float64)
    if column.missing is not None:
        values[column.missing] = 0.0
    return values
