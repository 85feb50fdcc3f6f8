"""Columns from Parquet files and from tables and queries of DuckDB files, through DuckDB.

Texts never reach Python one by one: DuckDB hands over batches of some columns at a time, in the layout of
Arrow, and the core makes codes of them. Names and paths never become identifiers of SQL: scans yield columns
c0, c1, ..., and every text that enters a query is quoted here.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence, Set
from itertools import groupby
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import FormatError, SchemaError
from treewright.tables._reading.columns import SourceColumn, unsupported
from treewright.tables._reading.csv_files import column_of_fields
from treewright.tables._reading.named import NamedParts
from treewright.tables._reading.paths import WATCHER, ReadOptions, find_one, real_path
from treewright.tables.report import listed as listed_names
from treewright.tables.sql import SqlTable
from treewright.types import Step

CELLS_AT_ONCE = 4_000_000  # so that memory stays low, and Ctrl-C is obeyed
KINDS = {  # what a column is, the type in which it is handed over, and the types that it may have
    "text": (
        "VARCHAR",
        ("VARCHAR", "ENUM", "DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    ),
    "truth": ("UTINYINT", ("BOOLEAN",)),
    "whole": ("BIGINT", ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")),
    "large": ("UBIGINT", ("UBIGINT",)),
    "real": ("DOUBLE", ("FLOAT", "DOUBLE", "DECIMAL", "HUGEINT", "UHUGEINT")),
}


class DuckSource(NamedParts):
    """Rows that DuckDB reads: of each part, types of columns and a scan that yields c0, c1, ..."""

    _paths: Sequence[str]
    _connection: Any
    _types: Sequence[tuple[str, ...]]
    _scans: Sequence[str]

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        self.check_common(positions)
        kinds = {i: self._kind(i) for i in positions}
        watcher, size = WATCHER.get(), sum(os.path.getsize(real_path(path)) for path in self._paths)
        counts = " UNION ALL ".join(f"SELECT count(*) FROM {scan}" for scan in self._scans)
        n_rows = sum(n for (n,) in self._fetch(counts))
        together = max(1, CELLS_AT_ONCE // max(1, n_rows))
        made: list[SourceColumn] = []
        for at in range(0, len(positions), together):
            some = positions[at : at + together]
            wanted = {self.names[i]: KINDS[kinds[i]][0] for i in some}
            with explained(self._paths):
                relation = self._connection.sql(self._query(wanted))
                columns = _core.read_arrow(relation.__arrow_c_stream__())
            for i, (kind, values, codes, missing) in zip(some, columns, strict=True):
                numbers = values.astype(np.bool_) if kinds[i] == "truth" else values
                made.append(column_of_fields(self.names[i], (kind, numbers, codes, missing), True))
            if watcher is not None:
                watcher(Step("read", size * len(made) // len(positions), size))
        self._connection.close()
        return made

    def _kind(self, position: int) -> str:
        name = self.names[position]
        parts = zip(self.parts, self._types, strict=True)
        kinds = {kind_of_type(types[names.index(name)]) for names, types in parts}
        for kind in kinds:
            if kind.startswith("unsupported"):
                raise SchemaError(unsupported(name, f"values of type {kind.split()[1]}"))
        if kinds <= {"whole", "large", "real"}:
            return kinds.pop() if len(kinds) == 1 else "real"
        if len(kinds) > 1:
            raise SchemaError(
                f"column {name!r} is of different types in different files: {', '.join(sorted(kinds))}"
            )
        return kinds.pop()

    def _query(self, wanted: Mapping[str, str]) -> str:
        """Some columns of all parts, in the types that are wanted."""
        selects = []
        for names, types, scan in zip(self.parts, self._types, self._scans, strict=True):
            at = {name: place for place, name in enumerate(names)}
            cast = (f"c{at[n]}" + ("" if types[at[n]] == to else f"::{to}") for n, to in wanted.items())
            selects.append(f"SELECT {', '.join(cast)} FROM {scan}")
        return " UNION ALL ".join(selects)

    def _fetch(self, query: str) -> list[tuple[Any, ...]]:
        with explained(self._paths):
            rows: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
            return rows


class ParquetSource(DuckSource):
    """Parquet files."""

    def __init__(self, paths: Sequence[str], options: ReadOptions) -> None:
        self._paths = paths
        self._connection = connect()
        layouts = [self._layout(real_path(path)) for path in paths]
        alike = [
            (layout, [real_path(path) for _, path in members])  # so that a thousand alike are one scan
            for layout, members in groupby(zip(layouts, paths, strict=True), key=lambda pair: pair[0])
        ]
        super().__init__([names for (names, _), _ in alike], options.names)
        self._types = [types for (_, types), _ in alike]
        self._scans = [f"{parquet_scan(files)} AS t({aliases(len(types))})" for (_, types), files in alike]

    def _layout(self, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        described = self._fetch(f"DESCRIBE SELECT * FROM {parquet_scan([path])}")
        # DuckDB renames columns that differ in case only, so names come from the file itself
        nodes = self._fetch(f"SELECT name, num_children FROM parquet_schema({listed([path])})")
        return top_level_names(nodes), tuple(str(row[1]) for row in described)


class SqlSource(DuckSource):
    """The rows of a :class:`SqlTable`; those of a query or a view are copied once into memory.

    The database file is attached read-only, so that nothing is ever written to it.
    """

    def __init__(self, source: SqlTable, options: ReadOptions) -> None:
        (path,) = find_one(os.fspath(source.path))
        self._paths = [path]
        self._connection = connect()
        with explained(self._paths):
            self._connection.execute(f"ATTACH {quoted(path)} AS attached (READ_ONLY)")
            self._connection.execute("USE attached")
        place = source.statement.removeprefix("SELECT * FROM ")
        if not self._is_stored(source):
            place = "memory.rows_asked_for"
            with explained(self._paths):
                self._connection.execute(f"CREATE TABLE {place} AS {source.statement}")
        described = self._fetch(f"DESCRIBE {place}")
        super().__init__([tuple(str(row[0]) for row in described)], options.names)
        self._types = [tuple(str(row[1]) for row in described)]
        self._scans = [f"{place} AS t({aliases(len(described))})"]

    def _is_stored(self, source: SqlTable) -> bool:
        """Whether it is a table, whose rows are the same and in the same order however often it is read."""
        names = (
            "database_name = 'attached' AND lower(schema_name) = lower(?) AND lower(table_name) = lower(?)"
        )
        query = f"SELECT count(*) FROM duckdb_tables() WHERE {names}"
        found = self._connection.execute(query, [source.schema or "main", source.table or ""]).fetchone()
        return bool(found[0])


class explained:  # noqa: N801
    """Turn DuckDB's complaint about a file into ours."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        import duckdb

        if isinstance(error, duckdb.Error | RuntimeError) and "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None  # DuckDB says so when it is stopped
        if isinstance(error, duckdb.Error | RuntimeError):
            shown = listed_names([repr(path) for path in self._paths], 1)
            facts = str(error).split("Possible")[0]
            lines = [line.strip() for line in facts.splitlines() if line.strip()]
            raise FormatError(f"{shown} cannot be read: {'; '.join(lines[:4])}") from error


def connect() -> Any:
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute("SET enable_progress_bar = false")
    return connection


def aliases(n: int) -> str:
    return ", ".join(f"c{i}" for i in range(n))


def parquet_scan(paths: Sequence[str]) -> str:
    return f"read_parquet([{listed(paths)}], hive_partitioning=false)"


def listed(paths: Sequence[str]) -> str:
    """Paths as SQL literals; patterns have been expanded before, so nothing in them is one."""
    return ", ".join(quoted(glob.escape(path)) for path in paths)


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def kind_of_type(sql_type: str) -> str:
    bare = sql_type.split("(", maxsplit=1)[0]
    if sql_type.endswith("]"):
        return f"unsupported {bare}[]"
    return next((kind for kind, (_, types) in KINDS.items() if bare in types), f"unsupported {bare}")


def top_level_names(schema: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    """Names of the columns of a Parquet file; its schema lists a tree depth first, the root in front."""
    names: list[str] = []
    at = 1
    while at < len(schema):
        names.append(schema[at][0])
        open_nodes = 1
        while open_nodes:  # step over the children of a nested column
            open_nodes += (schema[at][1] or 0) - 1
            at += 1
    return tuple(names)
