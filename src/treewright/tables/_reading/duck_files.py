"""Columns from Parquet files and from tables and queries of DuckDB files, through DuckDB.

Texts never reach Python one by one: DuckDB hands over blocks of rows in the layout of Arrow, and the core
makes codes of them. Once a few labels have been seen, DuckDB is asked for their places in a list instead,
which it looks up once for each entry of a dictionary and not once for each row. Names and paths never become
identifiers of SQL: scans yield columns c0, c1, ..., and every text that enters a query is quoted here.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import AccessError, FormatError, TableTooLarge, nearest
from treewright.limits import format_bytes, memory_limit
from treewright.tables._reading.columns import SourceColumn, each
from treewright.tables._reading.csv_files import WAY_OUT
from treewright.tables._reading.duck_types import (
    IN_UTC,
    INSTANT,
    KINDS,
    aliases,
    is_looked_up,
    kind_of_column,
    listed,
    parquet_scan,
    place_of,
    quoted,
    ranges,
    runs_of_files,
    streams,
    top_level_names,
)
from treewright.tables._reading.named import NamedParts
from treewright.tables._reading.parts import BLOCK_ROWS, ColumnParts, Fill, Found, KnownRows
from treewright.tables._reading.paths import WATCHER, ReadOptions, RowRange, find_one, real_path
from treewright.tables._reading.room import room_for_columns
from treewright.tables.report import listed as listed_names
from treewright.tables.schema import Schema
from treewright.tables.sql import SqlTable, identifier
from treewright.types import Step

EVERYTHING = 2**62
CELLS_AT_ONCE = 1 << 26  # so that memory stays low, and Ctrl-C is obeyed
_SHARE = 8  # of the memory limit, for the cells of a block
_LEAST_MEMORY = 1 << 27  # bytes that DuckDB gets to copy a query
FEWEST_ROWS = 1 << 16
SEEN_FIRST = 1 << 14  # rows whose labels are looked at before any are looked up


@dataclass(frozen=True)
class Piece:
    """Some rows: which part of the source they are of, how SQL names them, how many there are."""

    part: int
    scan: str
    n_rows: int


class DuckColumn(ColumnParts):
    """A column as DuckDB is asked for it: a few labels that are known come as their places in a list."""

    def __init__(self, name: str, kind: str, *, is_cast: bool, n_rows: int, is_instant: bool = False) -> None:
        super().__init__(name, n_rows)
        self._is_text = kind == "text"
        self._is_truth = kind == "truth"
        self._n_asked = 0
        self.as_it_is = "{}::" + KINDS[kind][0] if is_cast else "{}"
        if is_instant:  # whatever the zone of this session is
            self.as_it_is, self.notes = "make_timestamp(epoch_us({}))::VARCHAR", IN_UTC

    def wanted(self) -> str:
        """What to select, with a place for the column; dictionaries are looked up once for each label."""
        is_few = self._is_text and is_looked_up(list(self.book))
        self._n_asked = len(self.book) if is_few else 0
        if not is_few:
            return self.as_it_is
        labels = [label.replace("{", "{{").replace("}", "}}") for label in self.book]
        return place_of(labels, self.as_it_is, ", NULL")

    def add(self, found: Found) -> bool:  # type: ignore[override]
        """Take a block; False where it has labels that were not asked for, and is to be fetched as it is."""
        n_asked, self._n_asked = self._n_asked, 0
        _, values, codes, missing = found
        if not n_asked:
            super().add(("truth", values.astype(np.bool_), codes, missing) if self._is_truth else found)
            return True
        if missing is not None:
            return False
        places = values.view(np.uint8)
        places -= np.uint8(1)
        mask = None
        if places.max(initial=0) == n_asked:  # what stands behind the labels
            mask = places == n_asked
            places[mask] = 0
        self.add_codes(places, mask)
        return True


class DuckSource(NamedParts, ABC):
    """Rows that DuckDB reads: of each part, types of columns and a scan that yields c0, c1, ..."""

    _paths: Sequence[str]
    _connection: Any
    _types: Sequence[tuple[str, ...]]

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        self.check_common(positions)
        known = self._types_by_name([self.names[i] for i in positions])
        kinds = each(lambda pair: kind_of_column(*pair), known)
        watcher, size = WATCHER.get(), sum(os.path.getsize(real_path(path)) for path in self._paths)
        pieces = self._pieces(rows_at_once(len(positions)))
        n_rows, n_read = sum(piece.n_rows for piece in pieces), 0
        room = room_for_columns()
        if room is None:
            refuse_too_many(self._paths, n_rows, kinds)
        else:
            room.refuse_full_disk(n_rows, kinds)
        columns = [
            DuckColumn(
                name, kind, is_cast=types != {KINDS[kind][0]}, n_rows=n_rows, is_instant=types == {INSTANT}
            )
            for (name, types), kind in zip(known, kinds, strict=True)
        ]
        for piece in pieces:
            codes = self._fetch_columns(piece, [column.wanted() for column in columns], columns)
            again = [c for c, found in zip(columns, codes, strict=True) if not c.add(found)]
            for column in again:  # labels that were not seen before
                column.add(self._fetch_columns(piece, [column.as_it_is], [column])[0])
            n_read += piece.n_rows
            if watcher is not None:
                watcher(Step("read", size * n_read // max(1, n_rows), size))
        self._connection.close()
        if room is not None:
            room.remove_folders()
        return [column.finish() for column in columns]

    def known(self, schema: Schema) -> KnownRows | None:
        """The rows as codes of states that are known, if DuckDB can look all of them up."""
        types = dict(self._types_by_name(schema.names))
        if not all(is_looked_up(v.states or ()) and types[v.name] == {"VARCHAR"} for v in schema):
            return None
        most = rows_at_once(len(schema))
        most = EVERYTHING if most == BLOCK_ROWS and streams() else most
        pieces = self._pieces(most, first=most)

        def fillers() -> Iterator[Fill]:
            for piece in pieces:
                at = {name: f"c{i}" for i, name in enumerate(self.parts[piece.part])}
                said = ", ".join(place_of(v.states or (), at[v.name]) for v in schema)
                with explained(self._paths):
                    relation = self._connection.sql(f"SELECT {said} FROM {piece.scan}")
                    reader = _core.ArrowReader(relation.__arrow_c_stream__())

                def fill(block: npt.NDArray[np.uint8], begin: int, reader: Any = reader) -> int | None:
                    with explained(self._paths):
                        found: int | None = reader.read_codes(block, begin, schema.cardinalities)
                        return found

                yield fill

        return KnownRows(schema, sum(piece.n_rows for piece in pieces), fillers)

    @abstractmethod
    def _pieces(self, most_rows: int, first: int = SEEN_FIRST) -> list[Piece]:
        """Runs of rows of at most about so many, in order; the first is a small one, to see labels."""

    def _fetch_columns(
        self, piece: Piece, wanted: Sequence[str], columns: Sequence[DuckColumn]
    ) -> list[Found]:
        at = {name: f"c{i}" for i, name in enumerate(self.parts[piece.part])}
        said = ", ".join(text.format(at[column.name]) for text, column in zip(wanted, columns, strict=True))
        if said == aliases(len(at)) and piece.scan.endswith(f"AS t({said})"):
            said = "*"  # found five times as soon as a thousand names
        with explained(self._paths):
            relation = self._connection.sql(f"SELECT {said} FROM {piece.scan}")
            return _core.ArrowReader(relation.__arrow_c_stream__()).read(EVERYTHING, piece.n_rows)

    def _types_by_name(self, names: Sequence[str]) -> list[tuple[str, set[str]]]:
        """The types that each of some columns has, in all parts."""
        known = [dict(zip(*part, strict=True)) for part in zip(self.parts, self._types, strict=True)]
        return [(name, {types[name] for types in known}) for name in names]

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
        self._files = [files for _, files in alike]

    def _pieces(self, most_rows: int, first: int = SEEN_FIRST) -> list[Piece]:
        pieces: list[Piece] = []
        for part, (files, types) in enumerate(zip(self._files, self._types, strict=True)):
            sizes = self._fetch(f"SELECT num_rows FROM parquet_file_metadata([{listed(files)}])")
            for some, n_rows in runs_of_files(files, [n for (n,) in sizes], most_rows):
                is_whole = n_rows <= (most_rows if pieces else first)
                if len(some) > 1 or is_whole:
                    scan = f"{parquet_scan(some)} AS t({aliases(len(types))})"
                    pieces.append(Piece(part, scan, n_rows))
                    continue
                runs = ranges(n_rows, most_rows, most_rows if pieces else first)
                pieces += numbered_pieces(part, some, len(types), runs)
        return pieces

    def _layout(self, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        described = self._fetch(f"DESCRIBE SELECT * FROM {parquet_scan([path])}")
        # DuckDB renames columns that differ in case only, so names come from the file itself
        nodes = self._fetch(f"SELECT name, num_children FROM parquet_schema({listed([path])})")
        return top_level_names(nodes), tuple(str(row[1]) for row in described)


class ParquetRange(ParquetSource):
    """Some rows of one Parquet file; groups of rows that have none of them are not read."""

    def __init__(self, source: RowRange, options: ReadOptions) -> None:
        super().__init__(find_one(source.path), options)
        self._range = source

    def _pieces(self, most_rows: int, first: int = SEEN_FIRST) -> list[Piece]:
        begin = self._range.begin
        runs = ranges(self._range.end - begin, most_rows, first)
        moved = [(begin + start, begin + end) for start, end in runs]
        return numbered_pieces(0, self._files[0], len(self._types[0]), moved)


def numbered_pieces(
    part: int, files: Sequence[str], n_columns: int, runs: Sequence[tuple[int, int]]
) -> list[Piece]:
    """Runs of rows of a Parquet file."""
    scan = f"{parquet_scan(files, ', file_row_number=true')} AS t({aliases(n_columns)}, at_row)"
    return [
        Piece(part, f"{scan} WHERE at_row >= {begin} AND at_row < {end}", end - begin) for begin, end in runs
    ]


def parquet_rows(paths: Sequence[str]) -> list[int]:
    """How many rows each of some Parquet files has."""
    connection = connect()
    with explained(paths):
        query = f"SELECT num_rows FROM parquet_file_metadata([{listed(paths)}])"
        return [n for (n,) in connection.execute(query).fetchall()]


class SqlSource(DuckSource):
    """The rows of a :class:`SqlTable`; those of a query or a view have no numbers, and are copied once.

    The database file is attached read-only, so that nothing is ever written to it.
    """

    def __init__(self, source: SqlTable, options: ReadOptions) -> None:
        (path,) = find_one(os.fspath(source.path))
        self._paths = [path]
        self._connection = connect()
        with explained(self._paths):
            self._connection.execute(f"ATTACH {quoted(path)} AS attached (READ_ONLY)")
        place = f"attached.{identifier(source.schema or 'main')}.{identifier(source.table or '')}"
        if source.table is None or self._is_view(source):
            place = f"{self._copies()}.rows_asked_for"
            with explained(self._paths):
                self._connection.execute("USE attached")
                self._connection.execute(f"CREATE TABLE {place} AS {source.statement}")
        try:
            described = self._fetch(f"DESCRIBE {place}")
        except FormatError:
            self._refuse_missing(source)
            raise
        super().__init__([tuple(str(row[0]) for row in described)], options.names)
        self._types = [tuple(str(row[1]) for row in described)]
        self._place = place

    def _copies(self) -> str:
        """The database that a query is copied to: memory or, where columns are kept in a folder, a file."""
        room = room_for_columns()
        if room is None:
            return "memory"
        folder = room.make_folder()
        with explained(self._paths):
            self._connection.execute(f"SET memory_limit = '{max(_LEAST_MEMORY, memory_limit() // 2)}B'")
            self._connection.execute(f"SET temp_directory = {quoted(folder)}")
            self._connection.execute(f"ATTACH {quoted(os.path.join(folder, 'copy.duckdb'))} AS copies")
        return "copies"

    @property
    def types(self) -> tuple[str, ...]:
        return self._types[0]

    @property
    def scan(self) -> str:
        """What stands behind FROM, with columns c0, c1, ..."""
        return f"{self._place} AS t({aliases(len(self.types))})"

    def ask(self, query: str, values: Sequence[Any]) -> Any:
        """What a statement finds."""
        with explained(self._paths):
            return self._connection.execute(query, list(values))

    def _pieces(self, most_rows: int, first: int = SEEN_FIRST) -> list[Piece]:
        ((n_rows, last),) = self._fetch(f"SELECT count(*), max(rowid) FROM {self._place}")
        described = aliases(len(self._types[0]))
        numbered = f"(SELECT *, rowid FROM {self._place}) AS t({described}, at_row)"
        if n_rows <= first:
            return [Piece(0, self.scan, n_rows)]
        return [
            Piece(0, f"{numbered} WHERE at_row >= {begin} AND at_row < {end}", end - begin)
            for begin, end in ranges(last + 1, most_rows, first)
        ]

    def _refuse_missing(self, source: SqlTable) -> None:
        """Refuse a name that neither a table nor a view has, with the nearest one."""
        of_file = "database_name = 'attached' AND NOT internal"
        views = f"SELECT schema_name, view_name FROM duckdb_views() WHERE {of_file}"
        found = self._fetch(
            f"SELECT schema_name, table_name FROM duckdb_tables() WHERE {of_file} UNION {views}"
        )
        wanted = (source.schema or "main").lower(), (source.table or "").lower()
        if wanted in {(schema.lower(), name.lower()) for schema, name in found}:
            return
        names = sorted(name if schema == "main" else f"{schema}.{name}" for schema, name in found)
        others = f"; tables are {nearest(source.table, names)}" if names else ""
        raise AccessError(f"{source.shown} cannot be read: there is no such table{others}")

    def _is_view(self, source: SqlTable) -> bool:
        """Whether its rows may be others, or in another order, when they are read again."""
        names = "database_name = 'attached' AND lower(schema_name) = lower(?) AND lower(view_name) = lower(?)"
        found = self.ask(
            f"SELECT 1 FROM duckdb_views() WHERE {names}", [source.schema or "main", source.table]
        )
        return found.fetchone() is not None


def refuse_too_many(paths: Sequence[str], n_rows: int, kinds: Sequence[str]) -> None:
    """Refuse rows that cannot fit, however few states there are: a byte for each cell, eight for a real."""
    least = n_rows * sum(8 if kind == "real" else 1 for kind in kinds)
    if least > memory_limit():
        shown = listed_names([repr(path) for path in paths], 1)
        raise TableTooLarge(
            f"{n_rows:,} rows of {len(kinds)} columns in {shown} take at least {format_bytes(least)}; the "
            f"limit is {format_bytes(memory_limit())}: {WAY_OUT}"
        )


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
            facts = str(error).split("Possible")[0].split("\nLINE ")[0]  # what it was asked is none of theirs
            lines = [line.strip() for line in facts.splitlines() if line.strip()]
            raise FormatError(f"{shown} cannot be read: {'; '.join(lines[:4])}") from error


def connect() -> Any:
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute("SET enable_progress_bar = false")
    return connection


def rows_at_once(n_columns: int) -> int:
    """How many rows a block has, so that memory stays low and Ctrl-C is obeyed."""
    cells = min(CELLS_AT_ONCE, memory_limit() // _SHARE)
    return max(FEWEST_ROWS, min(BLOCK_ROWS, cells // max(1, n_columns)))
