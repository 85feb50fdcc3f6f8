"""Columns from CSV files, cut into fields and codes by the core.

A CSV file holds nothing but texts, so what they are is decided from every row and not from a sample: whole
numbers written the plain way (no leading zeros), real numbers, Python's True and False, or texts as they
stand. An empty field, quoted or not, is missing. The core looks at each distinct text once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence, Set
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import FormatError, TableTooLarge
from treewright.limits import format_bytes, memory_limit
from treewright.tables._reading.columns import LabelColumn, SourceColumn, empty_column, number_column, tidy
from treewright.tables._reading.named import NamedParts
from treewright.tables._reading.paths import WATCHER, DataFile, ReadOptions, not_in, real_path, rows_below
from treewright.tables._reading.room import kept_column, room_for_columns
from treewright.tables.exports import counted
from treewright.tables.report import listed
from treewright.types import Step


class CsvSource(NamedParts):
    """CSV files with the same columns, one below the other."""

    def __init__(self, files: Sequence[DataFile], options: ReadOptions) -> None:
        found = [f.first_record if options.header else numbered(len(f.first_record)) for f in files]
        are_numbers = all(is_number(name) for names in found for name in names)
        hint = HEADER_OF_VALUES if are_numbers else NAMED_AGAIN + HEADER_OF_VALUES
        super().__init__(found, options.names, hint, mends=options.mends)
        self._files = files
        self._options = options
        self.notes += tuple(dict.fromkeys(note for file in files for note in file.notes))
        if options.header and options.names is None and all(map(is_number, self.names)):
            self.notes += ("all column names are numbers; if the first line holds values, use header=False",)

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        self.check_common(positions)
        asked = as_text
        if self._options.decimal == ",":  # 1.234 is no fraction there
            as_text = set(positions)
        together = self._columns_at_once(len(positions))
        runs = (positions[at : at + together] for at in range(0, len(positions), together))
        found = [column for some in runs for column in self._read_some(some, as_text)]
        if asked != as_text:
            wanted = (position in asked for position in positions)
            found = [one if keep else of_comma_file(one) for one, keep in zip(found, wanted, strict=True)]
        return [kept_column(column) for column in found]

    def _columns_at_once(self, n_columns: int) -> int:
        """All of them or, where columns are kept in files, so many as memory holds.

        A cell takes two bytes or more of a file, and one or more of memory.
        """
        if room_for_columns() is None:
            return max(1, n_columns)
        size = sum(
            os.path.getsize(real_path(file.path)) * (8 if file.is_compressed else 1) for file in self._files
        )
        runs = -(-size // max(1, memory_limit()))
        return max(1, -(-n_columns // max(1, runs)))

    def _read_some(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        reader = self._pass(positions, as_text)
        spoilt = [positions[i] for i in reader.spoilt]  # a text after very many numbers: once more, as texts
        again = self._pass(spoilt, set(spoilt)) if spoilt else reader
        places = {position: (again, at) for at, position in enumerate(spoilt)}
        made = []
        for i, position in enumerate(positions):
            core, at = places.get(position, (reader, i))
            try:
                found = core.finish(at)
            except UnicodeDecodeError as error:
                shown = f"{error.object[:20]!r} in column {self.names[position]!r}"
                raise not_in(self._files[0].path, self._options.encoding, shown) from error
            made.append(column_of_fields(self.names[position], found, position in as_text))
        return made

    def _pass(self, positions: Sequence[int], as_text: Set[int]) -> Any:
        """Read all files once."""
        missing = list(dict.fromkeys(map(str, self._options.missing_values)))
        reader = _core.CsvReader([position in as_text for position in positions], missing)
        watcher = WATCHER.get()
        sizes = [os.path.getsize(real_path(file.path)) for file in self._files]
        for i, (names, file) in enumerate(zip(self.parts, self._files, strict=True)):
            places = {self.names[position]: at for at, position in enumerate(positions)}
            where = [places.get(name, -1) for name in names]
            first_line, header = 1 + file.n_lines_before, self._options.header
            reader.open(where, file.delimiter, header, first_line, self._options.mends)
            first = (0, 0)
            try:
                for n, (block, done) in enumerate(rows_below(file), start=1):
                    reader.feed(block)
                    refuse_too_large(file.path, reader.nbytes)
                    first = (done, reader.nbytes) if n == 1 else first
                    if n == _SAMPLE:
                        refuse_hopeless(file.path, first, (done, reader.nbytes), sizes[i])
                    if watcher is not None:
                        watcher(Step("read", sum(sizes[:i]) + done, sum(sizes)))
                reader.close()
            except ValueError as error:
                if isinstance(error, FormatError):
                    raise
                told = f"{error}{way_out(file, str(error))}"
                raise FormatError(f"{file.path!r} cannot be read: {told}") from None
        self._tell_filled(*reader.filled)
        return reader

    def _tell_filled(self, n: int, lines: Sequence[int]) -> None:
        if n and not self.filled:
            rows = f"line{'s' if n > 1 else ''} {listed(list(map(str, lines)))}{' and more' if n > 3 else ''}"
            self.filled, miss = n, "misses" if n == 1 else "miss"
            self.notes += (f"{counted(n, 'row')} with too few fields {miss} the last ones ({rows})",)


HEADER_OF_VALUES = "; if the first line holds values, use header=False"
NAMED_AGAIN = "; mend=True, --mend, puts numbers to those that come again"


def way_out(file: DataFile, error: str) -> str:
    """What to do about a line with too many or too few fields."""
    found = re.fullmatch(r"line ([0-9]+) has ([0-9]+) fields? where ([0-9]+) (?:was|were) expected", error)
    if found is None:
        return ""
    line, n, wanted = map(int, found.groups())
    if file.begins is not None and line <= file.n_lines_before + file.begins + 1:
        at = file.n_lines_before + file.begins
        return f"; if the names are in line {at + 1}, header={at}, --skip-lines {at}, reads them there"
    if n < wanted:
        return "; if its last cells are missing, mend=True, --mend, reads it so; else complete the line"
    shown = "tab" if file.delimiter == "\t" else file.delimiter
    return f"; put a field that holds a {shown!r} into quotes, or take out what is too much in that line"


WAY_OUT = (
    "pack the rows into a file that is learned from like any (tw.pack, treewright pack), read fewer columns, "
    "or raise the limit with set_memory_limit, --memory or TREEWRIGHT_MEMORY"
)
# By so many blocks what a file takes is foreseen; texts that recur take less and less, and room is taken in
# advance, so only what would be twice too large is refused beforehand.
_SAMPLE, _SURELY = 4, 2


def refuse_hopeless(path: str, first: tuple[int, int], now: tuple[int, int], size: int) -> None:
    """Refuse a file once its first blocks tell that the rest cannot fit: what was read, what that takes.

    Room is taken in advance, and doubled: neither what a byte took so far nor what blocks after the first one
    added is what the rest will take, but what both say is.
    """
    (before, held), (done, taken) = first, now
    expected = taken + (taken - held) * (size - done) // max(done - before, 1)
    if taken * size // max(done, 1) > _SURELY * memory_limit() and expected > memory_limit():
        raise TableTooLarge(
            f"the rows of {path!r} would take about {format_bytes(expected)}, by its first "
            f"{format_bytes(done)} of {format_bytes(size)}; the limit is {format_bytes(memory_limit())}: "
            f"{WAY_OUT}"
        )


def refuse_too_large(path: str, size: int) -> None:
    if size > memory_limit():
        raise TableTooLarge(
            f"the rows of {path!r} take more than the limit of {format_bytes(memory_limit())}; {WAY_OUT}"
        )


def of_comma_file(column: SourceColumn) -> SourceColumn:
    """A column of a file that has decimal commas: numbers whose points may set thousands apart stay texts."""
    from treewright.tables.inspection.forms import number_test, numbers_of, texts_of

    if not isinstance(column, LabelColumn):
        return column
    labels = texts_of(column)
    if any("." in label for label in labels) and all(map(number_test(","), labels)):
        return column
    if set(labels) <= {"False", "True"}:
        truth = np.array([label == "True" for label in labels], dtype=np.bool_)
        return number_column(column.name, truth[column.codes], column.missing)
    return numbers_of(column, ".")[0]


def column_of_fields(name: str, found: tuple[str, Any, Any, Any], keeps_texts: bool) -> SourceColumn:
    """A column as the core hands it over."""
    kind, values, codes, missing = found
    mask, n_missing = tidy(None if missing is None else missing.view(np.bool_))
    if kind == "nothing":
        return empty_column(name, len(codes))
    if kind != "text":
        made = number_column(name, values, mask, codes)
        made.complete, made.known = True, values if codes is not None else None
        return made
    if not keeps_texts and len(values) <= 2 and {"False", "True"}.issuperset(values):  # as Python writes them
        return number_column(name, np.array([label == "True" for label in values])[codes], mask)
    return LabelColumn(name, codes, values, mask, n_missing=n_missing, complete=True)


def is_number(name: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", name) is not None


def numbered(n: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(n))
