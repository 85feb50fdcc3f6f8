"""Columns from Parquet files and from tables and queries of DuckDB files, through DuckDB.

Texts never reach Python one by one: DuckDB collects the distinct texts of a column, makes an enumeration of
them and hands over codes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError, SchemaError
from treewright.tables._reading.columns import (
    LabelColumn,
    SourceColumn,
    empty_column,
    encode_texts,
    label_column,
    number_column,
    unsupported,
)
from treewright.tables._reading.named import NamedParts
from treewright.tables._reading.paths import ReadOptions, find_one, real_path
from treewright.tables._reading.scans import (
    MANY_LABELS,
    expression,
    kind_of_type,
    listed,
    parquet_scan,
    quoted,
)
from treewright.tables.report import listed as listed_names
from treewright.tables.sql import SqlTable
from treewright.types import Mask


class DuckSource(NamedParts):
    """Rows that DuckDB reads: of each part, kinds of columns and a scan that yields c0, c1, ..."""

    _paths: Sequence[str]
    _connection: Any
    _kinds: Sequence[tuple[str, ...]]
    _scans: Sequence[str]

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        self.check_common(positions)
        kinds = {i: self._kind(i) for i in positions}
        source = self._union(positions)
        labels = self._enumerate(source, [i for i in positions if kinds[i] == "text"])
        columns = ", ".join(
            f"{expression(f'c{i}', kinds[i], len(labels.get(i, ())))} AS c{i}" for i in positions
        )
        arrays = self._arrays(f"SELECT {columns} FROM {source}")
        self._connection.close()
        made: list[SourceColumn] = []
        for i in positions:
            found = arrays[f"c{i}"]
            is_masked = isinstance(found, np.ma.MaskedArray)
            values, missing = np.asarray(found), np.ma.getmaskarray(found) if is_masked else None
            if kinds[i] == "text":
                made.append(column_of_texts(self.names[i], values, missing, labels[i]))
            else:
                made.append(number_column(self.names[i], values, missing))
        return made

    def _kind(self, position: int) -> str:
        name = self.names[position]
        kinds = {kinds[names.index(name)] for names, kinds in zip(self.parts, self._kinds, strict=True)}
        for kind in kinds:
            if kind.startswith("unsupported"):
                raise SchemaError(unsupported(name, f"values of type {kind.split()[1]}"))
        if kinds <= {"whole", "real"}:
            return "real" if "real" in kinds else "whole"
        if len(kinds) > 1:
            raise SchemaError(
                f"column {name!r} is of different types in different files: {', '.join(sorted(kinds))}"
            )
        return kinds.pop()

    def _union(self, positions: Sequence[int]) -> str:
        selects = []
        for names, scan in zip(self.parts, self._scans, strict=True):
            columns = ", ".join(f"c{names.index(self.names[i])} AS c{i}" for i in positions)
            selects.append(f"SELECT {columns} FROM {scan}")
        return f"({' UNION ALL '.join(selects)})"

    def _enumerate(self, source: str, positions: Sequence[int]) -> dict[int, list[str]]:
        """Make a type e0, e1, ... of the distinct texts of each column, sorted by code point."""
        if not positions:
            return {}
        lists = ", ".join(
            f"list(DISTINCT c{i}::VARCHAR) FILTER (c{i} IS NOT NULL) AS c{i}" for i in positions
        )
        self._fetch(f"CREATE TEMP TABLE distinct_texts AS SELECT {lists} FROM {source}")
        labels: dict[int, list[str]] = {}
        for i in positions:
            query = f"SELECT text FROM (SELECT unnest(c{i}) AS text FROM distinct_texts) ORDER BY text"
            labels[i] = self._arrays(query)["text"].tolist()
            if 0 < len(labels[i]) <= MANY_LABELS:
                self._fetch(f"CREATE TYPE e{i} AS ENUM ({query})")
        return labels

    def _fetch(self, query: str) -> list[tuple[Any, ...]]:
        with explained(self._paths):
            rows: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
            return rows

    def _arrays(self, query: str) -> dict[str, npt.NDArray[Any]]:
        with explained(self._paths):
            arrays: dict[str, npt.NDArray[Any]] = self._connection.execute(query).fetchnumpy()
            return arrays


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
        self._kinds = [kinds for (_, kinds), _ in alike]
        self._scans = [
            f"{parquet_scan(members)} AS t({aliases(len(kinds))})" for (_, kinds), members in alike
        ]

    def _layout(self, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        described = self._fetch(f"DESCRIBE SELECT * FROM {parquet_scan([path])}")
        # DuckDB renames columns that differ in case only, so names come from the file itself
        nodes = self._fetch(f"SELECT name, num_children FROM parquet_schema({listed([path])})")
        return top_level_names(nodes), tuple(kind_of_type(str(row[1])) for row in described)


class SqlSource(DuckSource):
    """The rows of a :class:`SqlTable`, copied once into memory.

    The database file is attached read-only, so that nothing is ever written to it.
    """

    def __init__(self, source: SqlTable, options: ReadOptions) -> None:
        (path,) = find_one(os.fspath(source.path))
        self._paths = [path]
        self._connection = connect()
        with explained(self._paths):
            self._connection.execute(f"ATTACH {quoted(path)} AS attached (READ_ONLY)")
            self._connection.execute("USE attached")
            self._connection.execute(f"CREATE TEMP TABLE rows_asked_for AS {source.statement}")
            self._connection.execute("USE memory")
        described = self._fetch("DESCRIBE rows_asked_for")
        super().__init__([tuple(str(row[0]) for row in described)], options.names)
        self._kinds = [tuple(kind_of_type(str(row[1])) for row in described)]
        self._scans = [f"rows_asked_for AS t({aliases(len(described))})"]


class explained:  # noqa: N801
    """Turn DuckDB's complaint about a file into ours."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        import duckdb

        if isinstance(error, duckdb.Error):
            shown = listed_names([repr(path) for path in self._paths], 1)
            if "utf-8" in str(error):
                raise FormatError(f"{shown} is not text in UTF-8; save it in that encoding") from error
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


def column_of_texts(
    name: str, values: npt.NDArray[Any], missing: Mask | None, labels: list[str]
) -> LabelColumn:
    if not labels:
        return empty_column(name, len(values))
    if len(labels) > MANY_LABELS:
        return encode_texts(name, values.tolist(), missing, known=labels)
    return label_column(name, values, labels, missing)
