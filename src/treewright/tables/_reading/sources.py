"""Every kind of source behind one face: it can name its columns and read some of them.

Here are those that Python and NumPy hold in memory: dictionaries of lists, arrays, and tables themselves.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError, SchemaError, SettingError
from treewright.tables._reading.columns import (
    SourceColumn,
    UnusableColumns,
    column_of_objects,
    date_column,
    each,
    encode_texts,
    label_column,
    number_column,
    unsupported,
)
from treewright.tables._reading.csv_files import CsvSource
from treewright.tables._reading.missing import mark_missing
from treewright.tables._reading.parts import ArrowSource
from treewright.tables._reading.paths import ReadOptions, RowRange, find_files, is_path, look_at
from treewright.tables._reading.room import kept_column
from treewright.tables.arrays import common_length
from treewright.tables.mapped_table import open_table
from treewright.tables.packed_file import is_packed
from treewright.tables.schema import Label
from treewright.tables.sql import SqlTable, as_sql_table
from treewright.tables.table import Table
from treewright.text import is_address

READ_AS_IT_IS = ReadOptions()


class Source(Protocol):
    """Whatever can name its columns and read some of them."""

    names: list[str]
    notes: tuple[str, ...]

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        """Read columns; those in `as_text` are wanted as the texts that a file holds."""
        ...


def read_usable(
    opened: Source, positions: Sequence[int], as_text: Set[int], marks: Sequence[Label], *, leaves_out: bool
) -> tuple[list[SourceColumn], list[tuple[str, str]]]:
    """Some columns of a source, without those that hold what no column can, if these are to be left out."""
    reasons: list[tuple[str, str]] = []
    try:
        read = opened.read(positions, as_text)
    except UnusableColumns as error:
        kept = [i for i in positions if opened.names[i] not in error.columns]
        if not leaves_out or not kept:
            raise
        reasons = [(name, f"it holds {what}") for name, what in error.columns.items()]
        read = opened.read(kept, as_text)
    return [kept_column(mark_missing(column, marks)) for column in read], reasons


def open_source(source: Any, options: ReadOptions = READ_AS_IT_IS) -> Source:  # noqa: PLR0911
    """The reader for a kind of source."""
    if (packed := packed_path(source)) is not None:
        return TableSource(open_table(packed))
    source = named_table(source)
    if is_path(source) or (isinstance(source, list | tuple) and source and all(map(is_path, source))):
        return open_files(find_files(source), options)
    if isinstance(source, SqlTable):
        return open_database(source, options)
    if isinstance(source, RowRange):
        from treewright.tables._reading.duck_files import ParquetRange

        return ParquetRange(source, options)
    names = options.names
    if isinstance(source, np.ndarray):
        return ArraySource(source, names)
    if names is not None:
        raise SchemaError(
            f"names= goes with arrays and files; a {type(source).__name__} has names of its own"
        )
    if isinstance(source, Table):
        return TableSource(source)
    if isinstance(source, list | tuple) and source and all(isinstance(row, Mapping) for row in source):
        return MappingSource(columns_of_rows(source))
    if isinstance(source, Mapping):
        return MappingSource(source)
    from treewright.tables._reading.frames import FrameSource, is_frame

    if is_frame(source):
        return FrameSource(source)
    if hasattr(source, "to_frame") and hasattr(source, "name"):  # a series of pandas or polars
        raise SchemaError(
            f"a {type(source).__name__} is one column, and a table has several; pass the frame that it is "
            "of, or make it one with .to_frame()"
        )
    if hasattr(source, "__arrow_c_stream__"):
        return ArrowSource(source)
    is_list = isinstance(source, list | tuple | set)
    hint = (
        "; for rows in a list, use a dictionary for each, one of columns or a NumPy array" if is_list else ""
    )
    raise SchemaError(
        f"a {type(source).__name__} cannot be read as a table; sources are paths of CSV and Parquet files, "
        "tables of DuckDB files and PostgreSQL servers (SqlTable), pandas, polars and Arrow frames, "
        f"dictionaries of lists, and NumPy arrays of two dimensions{hint}"
    )


def named_table(source: Any) -> Any:
    """The table of a server, where its address stands for it; anything else as it is."""
    named = source if isinstance(source, list | tuple) else [source]
    if len(named) == 1 and is_address(named[0]):
        return as_sql_table(named[0])
    if any(map(is_address, named)):
        raise SettingError("a table of a server is read by itself; ShardedTable.aligned joins several tables")
    return source


def open_database(source: SqlTable, options: ReadOptions) -> Source:
    """The reader for a table of a file or of a server."""
    if source.is_remote:
        from treewright.tables._reading.postgres_rows import PostgresSource

        return PostgresSource(source, options)
    from treewright.tables._reading.duck_files import SqlSource

    return SqlSource(source, options)


def packed_path(source: Any) -> str | None:
    """The packed file that a source is, if it is one."""
    found = packed_paths(source)
    return found[0] if len(found) == 1 else None


def packed_paths(source: Any) -> list[str]:
    """The packed files that a source is: paths, patterns, or a folder of them; none for other sources."""
    paths = source if isinstance(source, list | tuple) else [source]
    if not paths or not all(map(is_path, paths)):
        return []
    known = [os.fspath(path) for path in paths]
    if any(map(is_address, known)):  # which may look like patterns
        return []
    if all(os.path.isdir(path) or glob.has_magic(path) or is_packed(path) for path in known):
        found = find_files(known)
        return found if all(map(is_packed, found)) else []
    return []


def open_files(paths: Sequence[str], options: ReadOptions) -> Source:
    """CSV or Parquet files with the same columns, one below the other."""
    files = [look_at(path, options) for path in paths]
    n_parquet = sum(file.is_parquet for file in files)
    if 0 < n_parquet < len(files):
        raise FormatError(
            f"{n_parquet} of {len(files)} files are Parquet and the others CSV; read each kind by itself "
            "and join them with ShardedTable.aligned"
        )
    if not n_parquet:
        return CsvSource(files, options)
    from treewright.tables._reading.duck_files import ParquetSource

    return ParquetSource(paths, options)


def columns_of_rows(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Rows that are dictionaries as columns; what a row does not name is missing there."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


class MappingSource:
    """A dictionary from names to sequences of equal length."""

    def __init__(self, mapping: Mapping[Any, Any]) -> None:
        self.names = [str(name) for name in mapping]
        self.notes: tuple[str, ...] = ()
        self._values = list(map(as_sequence, self.names, mapping.values()))
        common_length(self.names, self._values)

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        return each(lambda i: column_of_values(self.names[i], self._values[i]), positions)


def as_sequence(name: str, values: Any) -> Any:
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise SchemaError(f"column {name!r} needs one dimension; found {values.ndim}")
        return values
    if isinstance(values, Table) or hasattr(values, "columns"):
        raise SchemaError(
            f"column {name!r} needs a list of values; found a whole table: several tables go as a list "
            "of them, to SeparationTree, read_databases or learn_from_databases"
        )
    if isinstance(values, str | bytes | Set | Mapping) or not hasattr(values, "__iter__"):
        raise SchemaError(
            f"column {name!r} needs a list of values; found {type(values).__name__} {values!r:.40}"
        )
    if isinstance(values, list | tuple) or hasattr(values, "to_numpy"):  # the latter is a column of a frame
        return values
    return list(values)


class ArraySource:
    """An array of rows by columns, or a structured array with named fields."""

    def __init__(self, array: npt.NDArray[Any], names: Sequence[str] | None) -> None:
        self.notes: tuple[str, ...] = ()
        fields = array.dtype.names
        if fields is not None and array.ndim == 1:
            found = list(fields)
            self._columns = [array[field] for field in fields]
        elif array.ndim == 2:
            found = [f"x{i}" for i in range(array.shape[1])]
            self._columns = [array[:, i] for i in range(array.shape[1])]
        else:
            raise SchemaError(
                f"an array needs two dimensions, rows by columns; found {array.ndim}. "
                "For one column, use array.reshape(-1, 1)"
            )
        self.names = found if names is None else list(names)
        if len(self.names) != len(self._columns):
            raise SchemaError(f"{len(self.names)} names were given for {len(self._columns)} columns")

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        return each(lambda i: column_of_values(self.names[i], self._columns[i]), positions)


class TableSource:
    """A table that is read again, with other options."""

    def __init__(self, table: Table) -> None:
        self.names = list(table.schema.names)
        self.notes: tuple[str, ...] = ()
        self._table = table

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        return [self._column(i) for i in positions]

    def _column(self, position: int) -> SourceColumn:
        known = self._table.schema.variables[position]
        values, missing = self._table.columns[position], self._table.missing.get(position)
        if known.states is None:
            return number_column(known.name, values, missing)
        return label_column(known.name, values, known.states, missing, declared=True, ordered=known.ordered)


def column_of_values(name: str, values: Any) -> SourceColumn:
    """A column from a list or an array of one dimension."""
    if hasattr(values, "to_numpy"):
        return column_of_foreign(name, values)
    if not isinstance(values, np.ndarray):
        return column_of_objects(name, values)
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    array = np.asarray(values)
    kind = array.dtype.kind
    if kind in "biuf":
        if array.dtype.itemsize > 8:
            array = array.astype(np.float64)
        return number_column(name, np.array(array), masked)
    if kind == "M":
        return date_column(
            name, np.where(masked, np.datetime64("NaT"), array) if masked is not None else array
        )
    if kind in "UTO":
        listed = array.tolist()
        if kind == "U" and masked is None:
            return encode_texts(name, listed)
        if masked is not None:
            listed = [None if gone else value for value, gone in zip(listed, masked.tolist(), strict=True)]
        return column_of_objects(name, listed)
    raise unsupported(name, f"values of type {array.dtype}")


def column_of_foreign(name: str, values: Any) -> SourceColumn:
    """A column that left its frame, with the categories it declares."""
    import narwhals as nw

    from treewright.tables._reading.frames import column_of_series

    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return column_of_series(name, series)
    return column_of_objects(name, list(values.tolist() if hasattr(values, "tolist") else values))
