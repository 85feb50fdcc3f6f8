"""Columns that come in blocks of rows: from a stream of batches, or from ranges of a file.

Texts of the first block are numbered as they are sorted, others in the order in which blocks show them;
whoever decides what a column is sorts them later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import FormatError, SchemaError
from treewright.tables._reading.columns import (
    LabelColumn,
    SourceColumn,
    empty_column,
    number_column,
    tidy,
)
from treewright.tables._reading.room import Space, kept, room_for_columns
from treewright.tables.arrays import code_type, freeze
from treewright.tables.report import Report
from treewright.tables.schema import Schema
from treewright.types import Mask

BLOCK_ROWS = 1 << 20
Fill = Callable[[npt.NDArray[np.uint8], int], int | None]  # columns of codes from a row on: how many rows
Found = tuple[str, Any, Any, Any]  # kind, values or labels, codes or None, flags of missing rows or None


class ColumnParts:
    """One column on its way; `book` numbers the labels that have been seen.

    Where it is known how many rows there are, blocks go to their place at once.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, name: str, n_rows: int | None = None) -> None:
        self.name = name
        self._expected, self._space, self._lengths = n_rows, cast("Space | None", None), list[int]()
        self.book: dict[str, int] = {}
        self._kind = "nothing"
        self._declared: list[str] | None = None
        self._values: list[npt.NDArray[Any]] = []
        self._missing: list[Mask | None] = []

    def add(self, found: Found) -> None:
        """Take a block as the core hands it over."""
        kind, values, codes, missing = found
        mask, _ = tidy(None if missing is None else missing.view(np.bool_))
        if kind == "declared":
            values, declared = values
            if not self._lengths:
                self._declared = declared
                self.book = {label: i for i, label in enumerate(declared)}
            if self._declared != declared:
                self._declared = None
            kind = "text"
        elif kind == "text":
            self._declared = None
        if kind == "nothing":
            self._take(np.zeros(len(codes), dtype=np.uint8), np.ones(len(codes), dtype=np.bool_))
        elif kind == "text":
            self._kind = kind
            if not self.book:  # numbered as they are sorted, so that most often nobody has to number again
                self.book = {label: i for i, label in enumerate(sorted(values))}
            places = np.array([self.book.setdefault(label, len(self.book)) for label in values], np.uint32)
            smallest = code_type(max(1, len(self.book)))
            if np.array_equal(places, np.arange(len(values))):
                self._take(codes.astype(smallest, copy=False), mask)
            else:
                self._take(places.astype(smallest)[codes] if len(values) else codes.astype(smallest), mask)
        else:
            self._kind = kind
            self._take(values, mask)

    def add_codes(self, codes: npt.NDArray[Any], mask: Mask | None) -> None:
        """Take a block of places in the book."""
        self._take(codes, mask)

    def _take(self, values: npt.NDArray[Any], mask: Mask | None) -> None:
        if self._expected is not None and self._space is None:
            self._space = Space(self._expected, values.dtype)
        if self._space is None or not self._space.add(values):
            self._leave_space()
            self._values.append(kept(values))
        self._lengths.append(len(values))
        self._missing.append(kept(mask))

    def _leave_space(self) -> None:
        """Blocks are kept one by one from here on."""
        if self._space is not None:
            self._values.append(self._space.finish())
        self._space = self._expected = None

    def finish(self) -> SourceColumn:
        self._leave_space()
        n_rows = sum(self._lengths)
        if self._kind == "nothing":
            return empty_column(self.name, n_rows)
        values = joined(self._values, self._type())
        missing = None
        if any(mask is not None for mask in self._missing):
            masks = zip(self._missing, self._lengths, strict=True)
            flags = (np.zeros(n, dtype=np.bool_) if mask is None else mask for mask, n in masks)
            missing = joined(flags, np.dtype(np.bool_))
        self._values, self._missing = [], []
        if self._kind != "text":
            return number_column(
                self.name, values.view(np.bool_) if self._kind == "truth" else values, missing
            )
        is_declared = self._declared is not None
        n_missing = 0 if missing is None else int(np.count_nonzero(missing))
        return LabelColumn(
            self.name,
            values,
            list(self.book),
            missing,
            declared=is_declared,
            n_missing=n_missing,
            notes=self.notes,
        )

    def _type(self) -> np.dtype[Any]:
        if self._kind == "text":
            return code_type(max(1, len(self.book)))
        found = {part.dtype for part in self._values if len(part)} or {self._values[0].dtype}
        return np.dtype(np.result_type(*found)) if len(found) > 1 else found.pop()


def joined(parts: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Blocks as one array, where columns are kept."""
    listed = list(parts)
    if len(listed) == 1:
        return cast("npt.NDArray[Any]", listed[0].astype(dtype, copy=False))
    room = room_for_columns()
    if room is not None and room.is_full(sum(map(len, listed)) * dtype.itemsize):
        return room.place(iter(listed), dtype)
    made: npt.NDArray[Any] = freeze(np.concatenate([part.astype(dtype, copy=False) for part in listed]))
    return made


class ArrowSource:
    """Anything with `__arrow_c_stream__`: its rows are fetched once, block by block."""

    def __init__(self, source: Any, rows: int = BLOCK_ROWS) -> None:
        self._reader = _core.ArrowReader(source.__arrow_c_stream__())
        self._block = rows
        self.names: list[str] = list(self._reader.names)
        self.notes: tuple[str, ...] = ()

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        parts = {i: ColumnParts(self.names[i]) for i in positions}
        for block in blocks_of(lambda: self._reader.read(self._block)):
            for i, part in parts.items():
                part.add(block[i])
        return [part.finish() for part in parts.values()]


class UnknownCells(Exception):  # noqa: N818
    """Cells that are missing, or no states, where all were said to be states."""


class KnownRows:
    """Rows of texts that are all states: their codes come block by block, and no column is ever whole."""

    def __init__(self, schema: Schema, n_rows: int, fillers: Callable[[], Iterator[Fill]]) -> None:
        self.schema, self.n_rows, self._fillers = schema, n_rows, fillers
        self.missing: dict[int, Mask] = {}
        self.weights = None
        self.report: Report | None = None

    def blocks(self) -> Iterator[list[npt.NDArray[np.uint8]]]:
        """The columns of the next rows, in memory that the rows after them will have."""
        block = np.empty((len(self.schema), min(BLOCK_ROWS, self.n_rows)), dtype=np.uint8)
        filled = n_seen = 0
        for fill in self._fillers():
            while n := fill(block, filled):
                filled, n_seen = filled + n, n_seen + n
                if filled == block.shape[1] and n_seen <= self.n_rows:
                    yield list(block)
                    filled = 0
            if n is None:
                raise UnknownCells
        if filled:
            yield list(block[:, :filled])
        if n_seen != self.n_rows:
            raise UnknownCells

    def report_of(self, counts: npt.NDArray[np.int64]) -> Report:
        """The report on rows that were counted: which columns have one state only."""
        assert self.report is not None
        ends = np.cumsum(self.schema.cardinalities)[:-1]
        lone = [int(np.count_nonzero(states)) <= 1 for states in np.split(counts, ends)]
        columns = zip(self.report.columns, lone, strict=True)
        return replace(
            self.report, columns=tuple(replace(one, is_constant=is_lone) for one, is_lone in columns)
        )


def blocks_of(read: Callable[[], list[Found]]) -> Iterator[list[Found]]:
    """Blocks until there are no more."""
    while True:
        try:
            block = read()
        except RuntimeError as error:
            raise FormatError(f"the stream of rows broke off: {error}") from error
        except ValueError as error:
            raise SchemaError(f"the stream cannot be read as a table: {error}") from error
        if not block:
            return
        yield block
