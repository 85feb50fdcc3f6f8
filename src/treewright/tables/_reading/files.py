"""Columns from CSV and Parquet files, through DuckDB.

Texts never reach Python one by one: DuckDB collects the distinct texts of a column, makes an enumeration of
them and hands over codes. A CSV file holds nothing but texts, so what they are is decided here, from every
row and not from a sample: whole numbers written the plain way (no leading zeros), real numbers, Python's True
and False, or texts as they stand. An empty field, quoted or not, is missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
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
from treewright.tables._reading.paths import DataFile, find_one, look_at
from treewright.tables._reading.scans import (
    MANY_LABELS,
    count_numbers,
    csv_scan,
    expression,
    kind_of_type,
    listed,
    parquet_scan,
    quoted,
)
from treewright.tables.report import listed as listed_names
from treewright.tables.schema import repeated
from treewright.tables.sql import SqlTable
from treewright.types import Mask

FIRST_ROWS = 100


@dataclass(frozen=True)
class Part:
    """Files with the same layout: column names, kinds of columns, and the scan that yields c0, c1, ..."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    scan: str


class FileSource:
    """CSV or Parquet files with the same columns, one below the other; options as for `read_table`."""

    def __init__(
        self,
        paths: Sequence[str],
        names: Sequence[str] | None,
        delimiter: str | None,
        header: bool,
        missing_values: Sequence[Any],
    ) -> None:
        files = [look_at(path, delimiter) for path in paths]
        n_parquet = sum(file.is_parquet for file in files)
        if 0 < n_parquet < len(files):
            raise FormatError(
                f"{n_parquet} of {len(files)} files are Parquet and the others CSV; read each kind by itself "
                "and join them with ShardedTable.aligned"
            )
        self.is_csv = n_parquet == 0
        self._paths = list(paths)
        self._connection = connect()
        self._names = None if names is None else tuple(names)
        self._parts = self._csv_parts(files, header, missing_values) if self.is_csv else self._parquet_parts()
        self._check_names()
        self.names = list(dict.fromkeys(name for part in self._parts for name in part.names))
        self.notes: tuple[str, ...] = ()
        if self.is_csv and header and names is None and all(map(is_number, self.names)):
            self.notes = ("all column names are numbers; if the first line holds values, use header=False",)

    def _csv_parts(self, files: Sequence[DataFile], header: bool, missing: Sequence[Any]) -> list[Part]:
        layouts = [
            (self._renamed(f.first_record if header else numbered(len(f.first_record))), f.layout)
            for f in files
        ]
        return [
            Part(names, ("field",) * len(names), csv_scan(paths, len(names), layout, header, missing))
            for (names, layout), paths in runs(layouts, self._paths)
        ]

    def _parquet_parts(self) -> list[Part]:
        layouts = [self._parquet_layout(path) for path in self._paths]
        return [
            Part(names, kinds, f"{parquet_scan(paths)} AS t({', '.join(numbered(len(names), 'c'))})")
            for (names, kinds), paths in runs(layouts, self._paths)
        ]

    def _parquet_layout(self, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        described = self._fetch(f"DESCRIBE SELECT * FROM {parquet_scan([path])}")
        # DuckDB renames columns that differ in case only, so names come from the file itself
        nodes = self._fetch(f"SELECT name, num_children FROM parquet_schema({listed([path])})")
        return self._renamed(top_level_names(nodes)), tuple(kind_of_type(str(row[1])) for row in described)

    def _renamed(self, found: tuple[str, ...]) -> tuple[str, ...]:
        if self._names is None:
            return found
        if len(self._names) != len(found):
            raise SchemaError(f"{len(self._names)} names were given for {len(found)} columns")
        return self._names

    def _check_names(self) -> None:
        for part in self._parts:
            twice = repeated(name for name in part.names if name)
            if twice:
                hint = "; if the first line holds values, use header=False" if self.is_csv else ""
                raise SchemaError(f"column names must differ; found more than once: {twice}{hint}")

    def _check_common(self, positions: Sequence[int]) -> None:
        wanted = [self.names[i] for i in positions]
        absent = [name for name in wanted if not all(name in part.names for part in self._parts)]
        if absent:
            raise SchemaError(
                f"files read together need the same columns; not in all: {', '.join(map(repr, absent))}. "
                "Choose others with columns=[...], or read each file by itself"
            )

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        self._check_common(positions)
        kinds = {i: self._kind(i) for i in positions}
        source = self._union(positions)
        texts = [i for i in positions if kinds[i] == "text" or (kinds[i] == "field" and i in as_text)]
        fields = [i for i in positions if kinds[i] == "field" and i not in as_text]
        kinds |= dict.fromkeys(texts, "text")
        kinds |= self._kinds_of_fields(source, fields)
        enumerated = [i for i in positions if kinds[i] == "text"]
        labels = self._enumerate(source, enumerated)
        columns = ", ".join(
            f"{expression(f'c{i}', kinds[i], len(labels.get(i, ())), self.is_csv)} AS c{i}" for i in positions
        )
        arrays = self._arrays(f"SELECT {columns} FROM {source}")
        self._connection.close()
        made: list[SourceColumn] = []
        for i in positions:
            found = arrays[f"c{i}"]
            is_masked = isinstance(found, np.ma.MaskedArray)
            values, missing = np.asarray(found), np.ma.getmaskarray(found) if is_masked else None
            if kinds[i] == "text":
                column = column_of_texts(self.names[i], values, missing, labels[i])
                made.append(column if i in as_text or not self.is_csv else truth_or_texts(column))
            else:
                made.append(number_column(self.names[i], values, missing))
        return made

    def _kind(self, position: int) -> str:
        name = self.names[position]
        kinds = {part.kinds[part.names.index(name)] for part in self._parts}
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
        for part in self._parts:
            columns = ", ".join(f"c{part.names.index(self.names[i])} AS c{i}" for i in positions)
            selects.append(f"SELECT {columns} FROM {part.scan}")
        return f"({' UNION ALL '.join(selects)})"

    def _kinds_of_fields(self, source: str, fields: Sequence[int]) -> dict[int, str]:
        """Whether the fields of CSV columns are whole numbers, real numbers or texts.

        A text among the first rows settles it; columns that have none there are looked at in every row.
        """
        kinds = dict.fromkeys(fields, "text")
        first_rows = f"(SELECT * FROM {source} LIMIT {FIRST_ROWS})"
        maybe = [
            i for i, (n, whole, real) in self._count_numbers(first_rows, fields).items() if whole + real == n
        ]
        for i, (n, whole, real) in self._count_numbers(source, maybe).items():
            if n and whole + real == n:
                kinds[i] = "real" if real else "whole"
        return kinds

    def _count_numbers(self, source: str, fields: Sequence[int]) -> dict[int, tuple[int, int, int]]:
        """How many fields of each column are there, are whole numbers, are real numbers."""
        if not fields:
            return {}
        questions = ", ".join(count_numbers(f"c{i}") for i in fields)
        (answers,) = self._fetch(f"SELECT {questions} FROM {source}")
        return {i: tuple(answers[3 * k : 3 * k + 3]) for k, i in enumerate(fields)}

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


class SqlSource(FileSource):
    """The rows of a :class:`SqlTable`, copied once into memory.

    The database file is attached read-only, so that nothing is ever written to it.
    """

    def __init__(self, source: SqlTable, names: Sequence[str] | None) -> None:
        (path,) = find_one(os.fspath(source.path))
        self.is_csv = False
        self._paths = [path]
        self._names = None if names is None else tuple(names)
        self._connection = connect()
        with explained(self._paths):
            self._connection.execute(f"ATTACH {quoted(path)} AS attached (READ_ONLY)")
            self._connection.execute("USE attached")
            self._connection.execute(f"CREATE TEMP TABLE rows_asked_for AS {source.statement}")
            self._connection.execute("USE memory")
        described = self._fetch("DESCRIBE rows_asked_for")
        found = self._renamed(tuple(str(row[0]) for row in described))
        kinds = tuple(kind_of_type(str(row[1])) for row in described)
        self._parts = [Part(found, kinds, f"rows_asked_for AS t({', '.join(numbered(len(found), 'c'))})")]
        self._check_names()
        self.names = list(found)
        self.notes: tuple[str, ...] = ()


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


def runs(layouts: Sequence[Any], paths: Sequence[str]) -> list[tuple[Any, list[str]]]:
    """Neighbouring files of the same layout together, so that a thousand alike are one scan."""
    pairs = groupby(zip(layouts, paths, strict=True), key=lambda pair: pair[0])
    return [(layout, [path for _, path in members]) for layout, members in pairs]


def is_number(name: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", name) is not None


def numbered(n: int, letter: str = "x") -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(n))


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


def truth_or_texts(column: LabelColumn) -> SourceColumn:
    """Python writes its truth values as True and False; any other spelling stays a text."""
    if not 0 < len(column.labels) <= 2 or not set(column.labels) <= {"False", "True"}:
        return column
    truth = np.array([label == "True" for label in column.labels])
    return number_column(column.name, truth[column.codes], column.missing)
