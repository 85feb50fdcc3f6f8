"""Deciding what a column is, and making it ready for a table: codes, a variable, an entry in the report.

Texts, truth values and declared categories are discrete. Whole numbers are discrete when they have few
distinct values: at most 20, or at most 64 if there are 50 rows for each of them; so are reals that are all
whole (0.0, 1.0, 2.0). Other numbers are continuous. A schema or bins overrule all of this, and every decision
is reported with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.errors import MissingValuesError, SchemaError
from treewright.tables._reading.bins import BinSpec, Cut, bin_edges, cut, edges_of, interval_labels
from treewright.tables._reading.columns import (
    WITHOUT_ROWS,
    WITHOUT_VALUE,
    LabelColumn,
    NumberColumn,
    SourceColumn,
    UnusableColumns,
    label_column,
)
from treewright.tables.arrays import Column, code_type, freeze, is_constant
from treewright.tables.report import ColumnReport
from treewright.tables.schema import Label, Variable
from treewright.types import Mask

if TYPE_CHECKING:
    from treewright.tables.table import Table

FEW_STATES = 20
MANY_STATES = 64
ROWS_PER_STATE = 50
DECLARED = "declared categories"
MISSING_STATE, UNSEEN_STATE = "missing", "unseen"
KEY = re.compile(
    r"(?i:(.*[ _.\-])?(id|ids|uuid|guid|key|nr|no|index|idx|record|unnamed: ?[0-9]+))|.*[a-z](ID|Id)"
)
LONG_KEY = 10_000_000  # shorter numbers that differ in most rows may be amounts
_SEEN_FIRST, _FEW_UNSEEN = 4096, 16


@dataclass
class ReadyColumn:
    """A column that is ready for a table; nobody changes it (see columns.py)."""

    variable: Variable
    values: Column
    missing: Mask | None
    report: ColumnReport


def interpret(column: SourceColumn, missing_state: bool) -> ReadyColumn:
    """Decide from its values what a column is; `missing_state` makes missing cells a state of their own."""
    if isinstance(column, LabelColumn):
        return discrete(column, DECLARED if column.declared else "texts", missing_state)
    if column.kind == "b":
        codes = column.values.astype(np.uint8)
        truth = LabelColumn(column.name, codes, (False, True), column.missing, True)
        truth.n_missing, truth.notes = column.n_missing, column.notes
        present = column.present
        return discrete(truth, "truth values", missing_state, int(present.any()) + (not present.all()))
    if column.n_present:
        return number(column, missing_state)
    if len(column) == 0 and column.kind == "f":  # no rows, but the type tells what it is
        return make_continuous(column, "real numbers", missing_state)
    empty = as_labels(column, np.zeros(len(column), dtype=np.uint8), ())
    return discrete(empty, "no values", missing_state)


def number(column: NumberColumn, missing_state: bool) -> ReadyColumn:
    is_real = column.kind == "f"
    if is_real and not are_whole(column.present if column.codes is None else column.distinct):
        return make_continuous(column, "real numbers", missing_state)
    n_distinct = len(column.distinct)
    told = f"{n_distinct:,} distinct whole numbers{', stored as reals' if is_real else ''}"
    if n_distinct <= FEW_STATES or is_few(n_distinct, column.n_present):
        labels = column.distinct.astype(np.int64).tolist() if is_real else column.distinct.tolist()
        return discrete(column.as_labels(labels), told, missing_state, n_distinct)
    return make_continuous(column, f"{told}: too many for states", missing_state, n_distinct=n_distinct)


def are_whole(values: npt.NDArray[np.float64]) -> bool:
    """Whether reals are whole numbers, as encoders write them, and as gaps among whole numbers make them."""
    if values.size and not float(values[0]).is_integer():  # mostly so
        return False
    return bool((values == np.rint(values)).all() and (np.abs(values) < 1 << 53).all())


def is_few(n_distinct: int, n_rows: int) -> bool:
    """Whether so many distinct whole numbers are states."""
    return n_distinct <= FEW_STATES or (n_distinct <= MANY_STATES and n_distinct * ROWS_PER_STATE <= n_rows)


def discrete(
    column: LabelColumn, reason: str, missing_state: bool, n_observed: int | None = None
) -> ReadyColumn:
    """States in their order (declared, or sorted), codes to match; `n_observed` says that labels are."""
    labels, lookup = column.labels, None
    states = list(labels)
    if n_observed is None:
        observed = observed_labels(column)
        n_observed = (
            len(labels) if column.complete and column.missing is None else int(np.count_nonzero(observed))
        )
        is_ready = column.declared or (n_observed == len(labels) and states == sorted(states))
    else:
        is_ready = True
    if not is_ready:
        order = sorted(np.flatnonzero(observed).tolist(), key=labels.__getitem__)
        states = [labels[i] for i in order]  # numbers by size, texts by code point
        lookup = np.zeros(max(1, len(labels)), dtype=np.uint32)
        lookup[order] = np.arange(len(order), dtype=np.uint32)
    missing_code, notes = None, column.notes
    if column.missing is not None and missing_state:
        missing_code = len(states)
        states.append(new_label(states))
        notes = (*notes, f"missing cells are the state {states[-1]!r}")
    if not states:
        raise UnusableColumns({column.name: ""}, WITHOUT_VALUE if len(column) else WITHOUT_ROWS)
    variable = Variable(column.name, tuple(states), ordered=column.ordered)
    return make_discrete(
        column, lookup, variable, reason, n_observed=n_observed, missing_code=missing_code, notes=notes
    )


def new_label(states: Sequence[Label], word: str = MISSING_STATE) -> str:
    """A label that no state has, for missing cells say: missing, missing 2, missing 3, ..."""
    if word not in states:
        return word
    labels = (word if i == 1 else f"{word} {i}" for i in count(1))
    return next(label for label in labels if label not in states)


def is_missing_label(state: Label, word: str = MISSING_STATE) -> bool:
    """Whether a state may be the one that reading adds for missing cells."""
    return isinstance(state, str) and re.fullmatch(rf"{word}( \d+)?", state) is not None


def is_unseen_label(state: Label) -> bool:
    """Whether a state may be the one that reading reserves for labels that come later."""
    return is_missing_label(state, UNSEEN_STATE)


def with_reserve(ready: ReadyColumn) -> ReadyColumn:
    """A column with a state for labels that come later; before that of missing cells, which is the last."""
    states = ready.variable.states
    if states is None or any(map(is_unseen_label, states)):
        return ready
    if edges_of([state for state in states if not is_missing_label(state)]) is not None:
        return ready  # what is beyond the edges is in the outer intervals
    place = len(states) - is_missing_label(states[-1])
    label = new_label(states, UNSEEN_STATE)
    variable = replace(ready.variable, states=(*states[:place], label, *states[place:]))
    codes = ready.values.astype(code_type(variable.cardinality))
    codes[codes >= place] += 1
    notes = (*ready.report.notes, f"{label!r} is reserved for labels that come later")
    report = replace(ready.report, n_states=variable.cardinality, notes=notes)
    return replace(ready, variable=variable, values=freeze(codes), report=report)


def binned(column: SourceColumn, spec: BinSpec | Cut, missing_state: bool) -> ReadyColumn:
    """Cut a column of numbers into intervals."""
    if isinstance(column, LabelColumn) or column.kind == "b":
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


def make_discrete(
    column: LabelColumn,
    lookup: npt.NDArray[np.uint32] | None,
    variable: Variable,
    reason: str,
    *,
    n_observed: int,
    missing_code: int | None = None,
    notes: tuple[str, ...] | None = None,
) -> ReadyColumn:
    """Apply a map from source codes to states, if any; `missing_code` is the state of missing cells."""
    n_states, mask = variable.cardinality, column.missing
    smallest = code_type(n_states)
    if lookup is not None and np.array_equal(lookup, np.arange(len(lookup))):
        lookup = None
    is_ready = lookup is None and mask is None and is_constant(column.codes)
    if lookup is not None:
        codes = lookup.astype(smallest)[column.codes]
    else:
        codes = column.codes.astype(smallest, copy=not is_ready)
    if mask is not None:
        codes[mask] = missing_code or 0
        n_observed += missing_code is not None
    report = ColumnReport(
        column.name,
        "discrete",
        reason,
        n_states=n_states,
        n_missing=column.n_missing,
        notes=column.notes if notes is None else notes,
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
    present = values if column.missing is None and column.kind == "f" else column.present
    notes = column.notes
    if present.dtype.kind in "iu" and present.size and max(int(present.max()), -int(present.min())) > 1 << 53:
        notes = (*notes, "some values are beyond 2**53 and were rounded")
    report = ColumnReport(
        column.name,
        "continuous",
        reason,
        n_missing=column.n_missing,
        notes=notes,
        is_constant=bool(present.size == 0 or (present[0] == present[-1] and (present == present[0]).all())),
        is_identifier=n_distinct is not None and is_key(column),
    )
    return ReadyColumn(Variable(column.name), freeze(values), column.missing, report)


def as_labels(column: NumberColumn, codes: npt.NDArray[Any], labels: Sequence[Label]) -> LabelColumn:
    """The codes of a number column, kept inside the labels where cells are missing."""
    codes = np.minimum(codes, max(0, len(labels) - 1))
    made = label_column(column.name, codes.astype(np.uint32), labels, column.missing)
    return replace(made, n_missing=column.n_missing, notes=column.notes)


def observed_labels(column: LabelColumn) -> npt.NDArray[np.bool_]:
    """Which labels occur."""
    if column.complete and column.missing is None:
        return np.ones(len(column.labels), dtype=np.bool_)
    codes = column.codes if column.missing is None else column.codes[~column.missing]
    observed = np.zeros(len(column.labels), dtype=np.bool_)
    observed[codes[:_SEEN_FIRST]] = True
    rest, unseen = codes[_SEEN_FIRST:], np.flatnonzero(~observed)
    if len(unseen) > _FEW_UNSEEN:
        observed[rest] = True
    else:  # a column is searched for a number faster than its numbers are looked up
        observed[unseen] = [bool((rest == code).any()) for code in unseen]
    return observed


def is_identifier(n_distinct: int, n_rows: int) -> bool:
    return n_distinct > FEW_STATES and n_distinct > 0.9 * n_rows


def is_key(column: NumberColumn) -> bool:
    """Whether nearly every row has a whole number of its own, as keys are: an income is none.

    Keys lie close together (row numbers), or are long and of one length (those of insurances), or their
    names say what they are.

    >>> from treewright.tables._reading.columns import number_column
    >>> rng = np.random.default_rng(0)
    >>> [is_key(number_column("n", n)) for n in (np.arange(300) + 7, rng.integers(90_000, size=300))]
    [True, False]
    """
    distinct = column.distinct
    if not is_identifier(len(distinct), len(column)):
        return False
    low, high = int(distinct[0]), int(distinct[-1])
    is_long = low >= LONG_KEY and len(str(low)) == len(str(high))
    return bool(high - low < 1.5 * len(column) or is_long or KEY.fullmatch(column.name))


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
