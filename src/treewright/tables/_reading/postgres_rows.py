"""Columns of a PostgreSQL table: one letter for each cell where a column has few labels.

A look at the first rows shows which columns those are. A second pass asks for all of them as one text a row,
in which every cell is a letter; its blocks are tables of bytes. What has many labels, shows new ones further
down or holds real numbers comes as CSV, which the core takes apart. A view or a query may give its rows in
another order the next time, so it is asked once, as CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import SourceError
from treewright.limits import memory_limit
from treewright.tables._reading.columns import (
    LabelColumn,
    NumberColumn,
    SourceColumn,
    number_column,
    refuse_types,
)
from treewright.tables._reading.csv_files import column_of_fields, refuse_too_large
from treewright.tables._reading.duck_files import SEEN_FIRST
from treewright.tables._reading.duck_types import MOST_LABELS
from treewright.tables._reading.named import NamedParts
from treewright.tables._reading.parts import ColumnParts
from treewright.tables._reading.paths import WATCHER, ReadOptions
from treewright.tables._reading.room import kept_column, room_for_columns
from treewright.tables.postgres import IN_ORDER, Server
from treewright.tables.sql import SqlTable
from treewright.types import Step

# What COPY sends as it is; the first stands for a gap, the second for a label that nobody asked for.
LETTERS = [chr(code) for code in range(33, 127) if chr(code) != "\\"]
_GAP, _OTHER, _FIRST = 0, 1, 2
_PLACES = np.zeros(256, dtype=np.uint8)
_PLACES[[ord(letter) for letter in LETTERS]] = np.arange(len(LETTERS))
CELLS = {  # a cell as its field of CSV: an empty one is a gap, so that texts have a point in front
    "text": "'.' || {}::text",
    "truth": "{}::int4",
    "whole": "{}::int8",
    "real": "NULLIF({}::float8 + 0::float8, 'NaN'::float8)",  # no negative zero
}
EQUAL = {"text": '{}::text COLLATE "C"', "truth": "{}", "whole": "{}::int8"}  # compared with a label


class PostgresSource(NamedParts):
    """The rows of a table, a view or a query of a server."""

    def __init__(self, source: SqlTable, options: ReadOptions) -> None:
        self._shown = source.shown
        self._server = Server(source, **IN_ORDER)
        names, self._kinds = self._server.columns()
        self._is_stored = self._server.is_stored
        self._place = self._server.place(len(names))
        super().__init__([tuple(names)], options.names)

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        refuse_types({self.names[i]: self._kinds[i] for i in positions})
        if not self._is_stored:
            found = self._as_fields(positions)
        else:
            first = self._as_fields(positions, SEEN_FIRST)
            is_all = len(next(iter(first.values()))) < SEEN_FIRST
            found = first if is_all else self._as_letters(first)
            rest = [i for i in positions if i not in found]
            together = self._columns_at_once(len(rest))
            for at in range(0, len(rest), together):
                found |= self._as_fields(rest[at : at + together])
        self._server.close()
        return [found[i] for i in positions]

    def _columns_at_once(self, n_columns: int) -> int:
        """All of them or, where columns are kept in files, so many as memory holds."""
        if room_for_columns() is None or not n_columns:
            return max(1, n_columns)
        size = self._server.size()
        return max(1, n_columns // max(1, -(-size // memory_limit())))

    def _as_letters(self, first: dict[int, SourceColumn]) -> dict[int, SourceColumn]:
        """The columns of few labels, but for those that show others further down."""
        from psycopg import sql

        few = {i: labels for i, column in first.items() if (labels := few_labels(column)) is not None}
        if not few:
            return {}
        letters = [self._letter(i, labels) for i, labels in few.items()]
        said = reduce(lambda one, other: one + sql.SQL(" || ") + other, letters)
        parts = {i: LetteredColumn(self.names[i], labels) for i, labels in few.items()}
        n_bytes = 0
        watcher = WATCHER.get()
        for block in self._server.copy(
            sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(said, self._place)
        ):
            rows = np.frombuffer(block, dtype=np.uint8).reshape(-1, len(few) + 1)
            cells = np.ascontiguousarray(_PLACES[rows].T)
            n_bytes += cells.nbytes
            if room_for_columns() is None:
                refuse_too_large(self._shown, n_bytes)
            for part, places in zip(parts.values(), cells, strict=False):  # the last is the end of the line
                part.add_places(places)
            if watcher is not None:
                watcher(Step("read", n_bytes // (len(few) + 1)))
        return {i: part.column(self._kinds[i]) for i, part in parts.items() if not part.is_surprised}

    def _letter(self, position: int, labels: Sequence[Any]) -> Any:
        from psycopg import sql

        column = sql.Identifier(f"c{position}")
        cell = sql.SQL(EQUAL[self._kinds[position]]).format(column)
        known = sql.SQL(" ").join(
            sql.SQL("WHEN {} THEN {}").format(sql.Literal(label), sql.Literal(LETTERS[_FIRST + at]))
            for at, label in enumerate(labels)
        )
        return sql.SQL("CASE WHEN {} IS NULL THEN {} ELSE CASE {} {} ELSE {} END END").format(
            column, sql.Literal(LETTERS[_GAP]), cell, known, sql.Literal(LETTERS[_OTHER])
        )

    def _as_fields(self, positions: Sequence[int], most: int | None = None) -> dict[int, SourceColumn]:
        """Columns from CSV; of the first rows only, if asked for."""
        is_once = not self._is_stored  # a number that does not fit among others cannot be asked for again
        texts = {i for i in positions if self._kinds[i] == "text" or (is_once and self._kinds[i] == "whole")}
        reader = self._pass(positions, texts, most)
        spoilt = [positions[i] for i in reader.spoilt]
        again = self._pass(spoilt, set(spoilt), most) if spoilt else reader
        made = {}
        for at, i in enumerate(positions):
            core, place = (again, spoilt.index(i)) if i in spoilt else (reader, at)
            try:
                found = core.finish(place)
            except UnicodeDecodeError:
                raise SourceError(
                    f"{self._shown} cannot be read: column {self.names[i]!r} is not text in UTF-8"
                ) from None
            column = column_of_fields(self.names[i], found, i in texts or i in spoilt)
            made[i] = kept_column(typed(column, self._kinds[i]))
        return made

    def _pass(self, positions: Sequence[int], texts: Set[int], most: int | None) -> Any:
        from psycopg import sql

        cells = sql.SQL(", ").join(
            sql.SQL(CELLS[self._kinds[i]]).format(sql.Identifier(f"c{i}")) for i in positions
        )
        limit = sql.SQL("" if most is None else " LIMIT {}").format(*([] if most is None else [most]))
        # a field in front, so that no line is empty
        query = sql.SQL("COPY (SELECT 1, {} FROM {}{}) TO STDOUT (FORMAT csv)")
        reader = _core.CsvReader([i in texts for i in positions], [])
        reader.open([-1, *range(len(positions))], ",", False)
        watcher, n_bytes = WATCHER.get(), 0
        for block in self._server.copy(query.format(cells, self._place, limit)):
            reader.feed(block)
            if most is None or room_for_columns() is None:
                refuse_too_large(self._shown, reader.nbytes)
            n_bytes += len(block)
            if watcher is not None:
                watcher(Step("read", n_bytes))
        reader.close()
        return reader


class LetteredColumn(ColumnParts):
    """A column whose labels are known; `is_surprised` once it shows another."""

    def __init__(self, name: str, labels: Sequence[Any]) -> None:
        super().__init__(name)
        self.book = {label: i for i, label in enumerate(labels)}
        self._kind = "text"
        self.is_surprised = False

    def add_places(self, places: npt.NDArray[np.uint8]) -> None:
        if self.is_surprised or (places == _OTHER).any():
            self.is_surprised = True
            return
        gaps = places == _GAP
        codes = places - np.uint8(_FIRST)
        if gaps.any():
            codes[gaps] = 0
        self.add_codes(codes, gaps if gaps.any() else None)

    def column(self, kind: str) -> SourceColumn:
        found = self.finish()
        if kind == "text" or not isinstance(found, LabelColumn):
            return found
        values = np.array(found.labels, dtype=np.bool_ if kind == "truth" else np.int64)
        if kind == "truth":
            return number_column(self.name, values[found.codes], found.missing)
        return number_column(self.name, values, found.missing, found.codes)


def few_labels(column: SourceColumn) -> list[Any] | None:
    """The labels or numbers of a column, if they are few."""
    if isinstance(column, LabelColumn):
        return list(column.labels) if 0 < len(column.labels) <= MOST_LABELS else None
    if column.kind == "f" or not column.n_present:
        return None
    return column.distinct.tolist() if len(column.distinct) <= MOST_LABELS else None


def typed(column: SourceColumn, kind: str) -> SourceColumn:
    """A column from the fields of a file, as the server has it."""
    if kind == "text":
        if isinstance(column, LabelColumn):
            labels = [str(label)[1:] for label in column.labels]
            return LabelColumn(column.name, column.codes, labels, column.missing, n_missing=column.n_missing)
        return column
    make: Callable[[Any], Any] = float if kind == "real" else int
    dtype = {"real": np.float64, "truth": np.bool_, "whole": np.int64}[kind]
    if isinstance(column, LabelColumn):  # gaps only, or written in a way that the core takes for texts
        if not len(column.labels):
            return column
        values: npt.NDArray[Any] = np.array([make(label) for label in column.labels], dtype=dtype)
        return number_column(column.name, values[column.codes], column.missing)
    stored: npt.NDArray[Any] = column.stored.astype(dtype)
    if kind == "truth" or column.codes is None:
        stored = stored if column.codes is None else stored[column.codes]
        return number_column(column.name, stored, column.missing)
    return NumberColumn(column.name, stored, column.missing, column.n_missing, codes=column.codes)
