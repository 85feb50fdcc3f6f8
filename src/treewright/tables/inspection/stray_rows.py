"""Rows of a file that are none: without a value, the names once more, questions or units below them, sums.

Exports put them there for people. A table of labels takes them for rows like any other, and a column of
numbers with a unit in it becomes one of texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import numpy.typing as npt

from treewright.tables._reading.columns import LabelColumn, SourceColumn, tidy
from treewright.tables._reading.interpret import observed_labels
from treewright.tables._reading.room import kept_column
from treewright.tables.exports import counted
from treewright.tables.inspection.forms import numbers_of, texts_of
from treewright.tables.inspection.words import word
from treewright.tables.report import Finding, Mending
from treewright.types import Mask

Rows = npt.NDArray[np.intp]
Knows = Callable[[str, str], bool]  # the name of a column and a text in it
SUMS = re.compile(
    r"(?i)(grand |sub)?-?(total|sum|summe|gesamt|insgesamt|somme|suma|average|mean|mittelwert)s?\b.*"
)
IMPORT = '{"ImportId"'  # of Qualtrics, below the names and the questions
_ABOVE, _BELOW, _LEAST_ROWS = 3, 3, 20
_MANY_LABELS = 1 << 16
_SHOWN = 3


@dataclass(frozen=True)
class Stray:
    """Some rows that are none, and what they are."""

    rows: Rows
    what: str
    done: str = "left out"

    @property
    def who(self) -> str:
        shown = ", ".join(str(row + 1) for row in self.rows[:_SHOWN].tolist())
        if len(self.rows) > _SHOWN:
            return f"{counted(len(self.rows), 'row')} (first: {shown})"
        return f"row {shown}" if len(self.rows) == 1 else f"rows {shown}"

    def finding(self) -> Finding:
        rows = tuple((self.rows[:_SHOWN] + 1).tolist())
        return Finding("rows that are none", (), f"{self.who}: {self.what}", "--mend", "mend=True", rows=rows)

    def mending(self) -> Mending:
        return Mending("rows", (), f"{self.who} {self.done}: {self.what}")


def find_stray_rows(columns: Sequence[SourceColumn]) -> list[Stray]:
    """Rows that hold no value of any column; nothing is looked for in tables of one column."""
    if len(columns) < 2 or not len(columns[0]):
        return []
    empty, again = rows_without_value(columns), rows_of_names(columns)
    above, below = rows_above(columns), rows_below(columns)
    found = [
        Stray(empty, "no column has a value there"),
        Stray(again, "the names of the columns once more, each a label like any other"),
        Stray(
            above, f"what no other row holds, as in {cell_shown(columns, above)}: it tells what columns are"
        ),
        Stray(below, f"{cell_shown(columns, below)} and little else: a sum or a remark"),
    ]
    return [one for one in found if len(one.rows)]


def left_out(columns: Sequence[SourceColumn], stray: Sequence[Stray]) -> tuple[list[SourceColumn], Mask]:
    """The columns without these rows, as numbers where texts in them had hidden some, and the rows left."""
    kept = np.ones(len(columns[0]), dtype=np.bool_)
    for one in stray:
        kept[one.rows] = False
    return [kept_column(retyped(column, column.take(kept))) for column in columns], kept


def of_unknown(columns: Sequence[SourceColumn], stray: Sequence[Stray], knows: Knows) -> list[Stray]:
    """Those of the rows that hold something which is neither a state nor a number, as later rows may."""
    found = []
    for one in stray:
        strange = [
            row
            for row in one.rows.tolist()
            if not all(text is None or knows(column.name, text) for column, text in cells(columns, row))
        ]
        found.append(Stray(np.array(strange, dtype=np.intp), one.what, "taken as missing"))
    return [one for one in found if len(one.rows)]


def without_cells(columns: Sequence[SourceColumn], stray: Sequence[Stray]) -> list[SourceColumn]:
    """The columns with nothing in these rows, which stay: each of them wants an answer."""
    hit = np.zeros(len(columns[0]), dtype=np.bool_)
    for one in stray:
        hit[one.rows] = True
    made = []
    for column in columns:
        blank = replace(column, missing=hit if column.missing is None else hit | column.missing)
        if not isinstance(blank, LabelColumn):
            blank = replace(blank, complete=False)
        made.append(retyped(column, blank))
    return made


def retyped(before: SourceColumn, column: SourceColumn) -> SourceColumn:
    """Without gaps and labels that no row has any more; numbers if all others are."""
    missing, n_missing = tidy(column.missing)
    column = replace(column, missing=missing, n_missing=n_missing)
    if not isinstance(before, LabelColumn) or not isinstance(column, LabelColumn) or before.declared:
        return column
    observed = observed_labels(column)
    if observed.all():
        return column
    lookup = np.maximum(np.cumsum(observed) - 1, 0).astype(column.codes.dtype)
    labels = [label for label, seen in zip(column.labels, observed.tolist(), strict=True) if seen]
    column = replace(column, labels=labels, codes=lookup[column.codes])
    return numbers_of(column, ".")[0] if labels else column


def rows_without_value(columns: Sequence[SourceColumn]) -> Rows:
    """Rows in which every column misses its cell, if they are more than gaps make by chance."""
    masks = [column.missing for column in columns if column.missing is not None]
    if len(masks) < len(columns) or all(mask.all() for mask in masks):
        return np.empty(0, dtype=np.intp)
    found = np.flatnonzero(reduce(np.logical_and, masks))
    by_chance = float(np.prod([mask.mean() for mask in masks])) * len(masks[0])
    return found if len(found) > by_chance + 4 * by_chance**0.5 else found[:0]


def rows_of_names(columns: Sequence[SourceColumn]) -> Rows:
    """Rows in which most columns hold their own name."""
    n_hits = np.zeros(len(columns[0]), dtype=np.intp)
    named = 0
    for i, column in enumerate(columns):
        if named + len(columns) - i <= len(columns) / 2:
            break
        if isinstance(column, LabelColumn) and column.name in column.labels[:_MANY_LABELS]:
            n_hits += holds(column, column.labels.index(column.name))
            named += 1
    return np.flatnonzero(n_hits > max(len(columns) / 2, 1))


def holds(column: LabelColumn, code: int) -> Mask:
    hit: Mask = column.codes == code
    return hit if column.missing is None else hit & ~column.missing


def cells(columns: Sequence[SourceColumn], row: int) -> Iterator[tuple[SourceColumn, str | None]]:
    """The columns that have a value in a row, each with its text; None for numbers."""
    for column in columns:
        if column.missing is None or not column.missing[row]:
            label = column.labels[column.codes[row]] if isinstance(column, LabelColumn) else None
            yield column, label if isinstance(label, str) else None


def is_alone(column: SourceColumn, text: str, beside: int = 1) -> bool:
    """Whether a text stands so often at most in a column of which others repeat or are numbers."""
    if not isinstance(column, LabelColumn) or column.declared:
        return False
    n = int(np.count_nonzero(holds(column, column.labels.index(text))))
    return n <= beside and (2 * len(column.labels) <= len(column) or is_among_numbers(column, text))


def is_among_numbers(column: SourceColumn, text: str) -> bool:
    """Whether a text is no number, and nearly all others of its column are."""
    if not isinstance(column, LabelColumn) or is_number(text):
        return False
    n_numbers = sum(map(is_number, texts_of(column)))
    return n_numbers >= 2 and n_numbers >= 0.9 * (len(column.labels) - _ABOVE)


def is_number(text: str) -> bool:
    return word(text) in ("whole", "real", "comma", "grouped")


def rows_above(columns: Sequence[SourceColumn]) -> Rows:
    """First rows that say what columns are: questions, units."""
    n = len(columns[0])
    if n < _LEAST_ROWS:
        return np.empty(0, dtype=np.intp)
    found = 0
    for row in range(_ABOVE):
        held = list(cells(columns, row))
        if sum(text is not None and text.startswith(IMPORT) for _, text in held) > len(columns) / 2:
            found = row + 1
        elif found < row or not held:
            continue
        elif all(text is not None and is_alone(column, text, _ABOVE) for column, text in held) and any(
            is_among_numbers(column, text or "") for column, text in held
        ):
            found = row + 1
    return np.arange(found)


def rows_below(columns: Sequence[SourceColumn]) -> Rows:
    """Last rows that hold hardly anything, and that in no other row."""
    n, found = len(columns[0]), list[int]()
    for row in range(n - 1, max(n - 1 - _BELOW, _LEAST_ROWS - 1), -1):
        held = list(cells(columns, row))
        if not held:
            continue
        column, text = held[0]
        says = text is not None and is_alone(column, text)
        if not says or 2 * len(held) > len(columns) or (len(held) > 1 and not SUMS.fullmatch(text or "")):
            break
        found.append(row)
    return np.array(found[::-1], dtype=np.intp)


def cell_shown(columns: Sequence[SourceColumn], rows: Rows) -> str:
    return repr(next(cells(columns, int(rows[0])))[1]) if len(rows) else ""
