"""Writing packed files: any source of rows is read once and never again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from hashlib import sha256
from itertools import cycle, islice
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import absolute
from treewright.errors import SettingError
from treewright.files import placed_whole
from treewright.kinds import refuse_other_kind
from treewright.limits import memory_limit
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.duck_files import DuckSource
from treewright.tables._reading.duck_types import MOST_LABELS
from treewright.tables._reading.matching import UnseenPolicy
from treewright.tables._reading.missing import MissingPolicy
from treewright.tables._reading.parts import KnownRows, UnknownCells
from treewright.tables._reading.paths import RowRange, find_files, is_parquet, is_path, watch_reading
from treewright.tables._reading.room import disk_is_full, refuse_full_disk, room_in
from treewright.tables._reading.sources import named_table, open_source, packed_path
from treewright.tables.arrays import Column
from treewright.tables.inspection.wishes import Dates, MissingValues
from treewright.tables.mapped_table import open_table
from treewright.tables.packed_file import (
    BLOCK_ROWS,
    Run,
    Section,
    digest_of,
    header_bytes,
    is_packed,
    lay_out,
    no_sums,
    report_as_json,
    variables_as_json,
    write_all,
)
from treewright.tables.postgres import Server, where
from treewright.tables.readers import choose, has_texts_only, read_table
from treewright.tables.schema import Schema
from treewright.tables.sql import SqlTable
from treewright.tables.table import Table
from treewright.types import Progress, Step

RUNS_OF_A_SAMPLE = 64
_OF_STATES = {"schema", "columns", "missing", "unseen"}  # options that change no cell that is a state
_USUAL = {"header": True, "encoding": "utf-8", "decimal": "."}
_LEAST_ROWS = 2 * MOST_LABELS  # no column of labels that are looked up is an identifier then


class ReadingCells(TypedDict, total=False):
    """What :func:`treewright.read_table` takes beside a source and what it does about missing cells."""

    schema: Schema | None
    unseen: UnseenPolicy
    bins: Bins | None
    weights: str | npt.ArrayLike | None
    columns: Sequence[str] | None
    names: Sequence[str] | None
    missing_values: MissingValues
    dates: Dates | None
    mend: bool
    delimiter: str | None
    header: bool | int
    encoding: str
    decimal: str | None


class Reading(ReadingCells, total=False):
    """What :func:`treewright.read_table` takes beside a source."""

    missing: MissingPolicy


def pack(
    source: Any,
    path: str | os.PathLike[str],
    *,
    rows: int | None = None,
    replace: bool = False,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Table:
    """Read rows once into a packed file, and open it: more rows than memory holds are learned from like any.

    The table equals what :func:`read_table` makes of the source, its report as well. The file takes about 1.6
    bytes a cell (``schema.estimate_packed_bytes``), and while it is written 2 more in temporary files beside
    it; a disk with too little room is refused. It is there whole, or not at all.

    Parameters
    ----------
    source
        Whatever :func:`read_table` reads.
    path
        The file, usually ``.twp``. A packed one is replaced, one of another kind if `replace` says so.
    rows
        Keep so many rows only, in 64 runs of neighbours that lie evenly among all.
    progress
        Called with a :class:`~treewright.types.Step` now and then.
    reading
        The options of :func:`read_table`.

    Returns
    -------
    Table
        The rows, mapped from the file; :func:`open_table` opens it again.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pack({"smoker": ["no", "yes", "no"]}, os.path.join(folder, "rows.twp"))
    ...     table.column("smoker")
    array([0, 1, 0], dtype=uint8)
    """
    source, target = named_table(source), absolute("pack", path)
    folder = os.path.dirname(target)
    if (stands := os.path.exists(target) and not os.path.isfile(target)) or not os.path.isdir(folder):
        kind = "a folder" if os.path.isdir(target) else "a pipe or a device"
        why = f"it is {kind}" if stands else f"there is no folder {folder!r}"
        raise SettingError(f"cannot write {os.fspath(path)!r}: {why}")
    told = identity(source)
    if any(os.path.exists(target) and os.path.samefile(target, one["path"]) for one in told["files"]):
        raise SettingError(f"cannot write {os.fspath(path)!r}: it is what is read; choose another name")
    refuse_other_kind(target, "packed", replace=replace)
    with room_in(folder, rows), watch_reading(progress) if progress is not None else nullcontext():
        options = {name: value for name, value in reading.items() if name not in ("schema", "weights")}
        known = known_rows(source, told, reading) if rows is None else None
        with suppress(UnknownCells):
            if known is not None:
                write_packed(known, target, source=told, options=options, progress=progress)
                return open_table(target)
        table = source if isinstance(source, Table) and not reading else read_table(source, **reading)
        table = table if rows is None else evenly(table, rows)
        write_packed(table, target, source=told, options=options, progress=progress)
    return open_table(target)


def known_rows(source: Any, told: Mapping[str, Any], reading: Reading) -> KnownRows | None:
    """Rows of texts whose states a schema tells, written as they come; None where more is to be looked at.

    What :func:`read_table` would report is found from as many rows as have all states.
    """
    schema, columns = reading.get("schema"), reading.get("columns")
    more = {name: value for name, value in reading.items() if name not in _OF_STATES and value is not None}
    is_plain = "weights" not in more and all(not v or _USUAL.get(name) == v for name, v in more.items())
    if not is_plain or not isinstance(schema, Schema):
        return None
    if not all(has_texts_only(v) and v.raw is None and v.cardinality <= MOST_LABELS for v in schema):
        return None
    parquet = told["files"] and all(is_parquet(one["path"]) for one in told["files"])
    is_ours = isinstance(source, SqlTable) and not source.is_remote
    opened = open_source(source) if is_ours or parquet else None
    if not isinstance(opened, DuckSource):
        return None
    chosen, ignored = choose(opened.names, schema, columns, None)
    known = opened.known(schema.select([opened.names[i] for i in chosen]))
    if known is None or known.n_rows < _LEAST_ROWS:
        return None
    rows = {v.name: list(islice(cycle(v.states or ()), _LEAST_ROWS)) for v in known.schema}
    like: Reading = {**reading, "schema": known.schema, "columns": None}
    report = read_table(rows, **like).report
    assert report is not None
    known.report = replace(
        report, n_rows_read=known.n_rows, n_rows=known.n_rows, ignored=tuple(ignored), notes=opened.notes
    )
    return known


def open_rows(
    source: Any,
    cache: str | os.PathLike[str] | None = None,
    rows: int | None = None,
    **reading: Unpack[Reading],
) -> Table:
    """Rows in memory while they take less than half of the limit, else in a packed file of the cache.

    The file is named by what is read and how, so that it is written once; files that have changed are read
    again. What a server has may have changed unseen, so it is always read again.
    """
    source = named_table(source)
    if isinstance(source, Table) or packed_path(source) is not None or not is_large(source):
        table = read_table(source, **reading)
        return table if rows is None else evenly(table, rows)
    path = cached_as(cache, [identity(source), rows, reading])
    is_kept = is_packed(path) and not is_remote(source)
    return open_table(path) if is_kept else pack(source, path, rows=rows, **reading)


def is_remote(source: Any) -> bool:
    return isinstance(source, SqlTable) and source.is_remote


def is_large(source: Any) -> bool:
    """Whether the rows of a source would take more than half of the memory limit as a table.

    A cell takes a byte or more of memory; a file of texts has two bytes or more for each, compressed ones an
    eighth of that.
    """
    if is_remote(source):
        server = Server(source)
        n_cells = server.expected_cells(len(server.columns()[0]))
        server.close()
        return 2 * n_cells > memory_limit()
    files = identity(source)["files"]
    is_text = all(one["path"].endswith((".csv", ".tsv", ".txt")) for one in files)
    return bool(sum(one["size"] for one in files) * (1 if is_text else 8) > memory_limit())


def cached_as(cache: str | os.PathLike[str] | None, told: Any) -> str:
    """The packed file of the cache that is named by what is told of it; the folder is made."""
    folder = os.fspath(cache) if cache is not None else default_cache()
    os.makedirs(folder, exist_ok=True)
    text = json.dumps(told, sort_keys=True, default=_in_full)
    return os.path.join(folder, f"{sha256(text.encode()).hexdigest()[:32]}.twp")


def _in_full(option: Any) -> Any:
    """An option that JSON has no word for; those that print in brief are told whole."""
    if isinstance(option, Schema):
        return variables_as_json(option)
    return option.tolist() if isinstance(option, np.ndarray) else repr(option)


def default_cache() -> str:
    """Where packed files are kept for later: the user's folder for what can be made again."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "treewright")


def identity(source: Any) -> dict[str, Any]:
    """Which files a source is made of, with their sizes and times; of a database the table, too."""
    told: dict[str, Any] = {"kind": type(source).__name__, "files": []}
    paths = [source] if is_path(source) else source
    if isinstance(source, SqlTable):
        told |= {"table": source.table, "query": source.query, "schema": source.schema}
        if source.is_remote:
            return told | where(source)
        paths = [source.path]
    if isinstance(source, RowRange):
        told |= {"rows": [source.begin, source.end]}
        paths = [source.path]
    if isinstance(paths, list | tuple) and paths and all(map(is_path, paths)):
        for file in find_files(paths):
            if os.path.exists(file):
                path, stat = os.path.abspath(file), os.stat(file)
                told["files"].append({"path": path, "size": stat.st_size, "mtime": stat.st_mtime_ns})
    return told


def evenly(table: Table, n: int) -> Table:
    """So many rows of a table, in runs of neighbours of one size that lie evenly among all."""
    if n < 1:
        raise SettingError(f"rows= keeps at least one row; found {n}")
    if n >= table.n_rows:
        return table
    taken, runs = np.arange(n), min(RUNS_OF_A_SAMPLE, n)
    return table.take(taken + taken * runs // n * (table.n_rows - n) // runs)  # gaps of one size between runs


def write_packed(
    table: Table | KnownRows,
    target: str,
    *,
    source: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a table beside its target, then put it in its place; whatever fails leaves no part."""
    try:
        with placed_whole(target) as file:
            PackedWriter(table, file, target).write(source or {}, options or {}, progress)
    except OSError as error:
        raise disk_is_full(error, os.path.dirname(os.path.realpath(target))) from error


class PackedWriter:
    """One table, or the rows of one as they come, on its way into a file."""

    def __init__(self, table: Table | KnownRows, file: Any, path: str) -> None:
        self._table, self._file, self._path = table, file, path
        self._schema = table.schema
        weights = table.weights
        self._kind = None if weights is None else "reals" if weights.dtype.kind == "f" else "integers"
        self._layout = lay_out(self._schema, table.n_rows, tuple(table.missing), self._kind)

    def write(self, source: Mapping[str, Any], options: Mapping[str, Any], progress: Progress | None) -> None:
        header = self._header(source, options)
        start = len(header_bytes(header | {"sums": no_sums(self._layout.sections), "digest": "0" * 64}))
        refuse_full_disk(self._path, start + self._layout.length, self._table.n_rows)
        self._runs = [Run(self._file, start, one) for one in self._layout.sections]
        self._planes = self._plane_runs(start)
        n_rows, marginals = self._table.n_rows, np.zeros(0, dtype=np.int64)
        end = 0
        for columns in self._blocks():
            begin, end = end, end + len(columns[0])
            counts = self._write_block(columns, begin, end)
            marginals = counts if begin == 0 else marginals + counts
            if progress is not None:
                progress(Step("pack", end, n_rows))
        self._finish(marginals)
        if isinstance(self._table, KnownRows):
            header["report"] = report_as_json(self._table.report_of(marginals))
        sections = [run.finished() for run in self._runs]
        sections[self._layout.planes] = self._layout.sections[self._layout.planes].with_sums(
            [total for run in self._planes for total in run.finished().sums]
        )
        header["sums"] = [one.sums for one in sections]
        header["digest"] = digest_of(self._schema, n_rows, sections)
        self._file.seek(0)
        write_all(self._file, header_bytes(header, start))

    def _header(self, source: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        table, weights = self._table, self._table.weights
        total: int | float = table.n_rows
        if weights is not None:  # as the core adds them up: real ones in the order of rows
            empty: list[None] = [None] * len(self._schema)
            cards = [0] * len(self._schema)
            reals, integers = (weights, None) if self._kind == "reals" else (None, weights)
            packed = _core.pack(empty, cards, table.n_rows, integers, reals)  # type: ignore[arg-type]
            total = packed.real_total if self._kind == "reals" else packed.total
        return {
            "variables": variables_as_json(self._schema),
            "rows": table.n_rows,
            "weights": self._kind,
            "total": total,
            "masked": list(table.missing),
            "wide": list(self._layout.wide),
            "report": report_as_json(table.report),
            "source": source,
            "options": options,
        }

    def _plane_runs(self, start: int) -> list[Run]:
        """One run for each plane, since a block of rows has a piece of each of them."""
        whole = self._layout.sections[self._layout.planes]
        n_planes = self._layout.n_planes
        length = whole.length // max(1, n_planes)
        pieces = (
            Section("planes", whole.offset + p * length, length, whole.part, (0,)) for p in range(n_planes)
        )
        return [Run(self._file, start, piece) for piece in pieces]

    def _blocks(self) -> Iterator[Sequence[Column]]:
        if isinstance(self._table, KnownRows):
            yield from self._table.blocks()
            return
        for begin in range(0, max(1, self._table.n_rows), BLOCK_ROWS):
            yield [column[begin : begin + BLOCK_ROWS] for column in self._table.columns]

    def _write_block(self, columns: Sequence[Column], begin: int, end: int) -> npt.NDArray[np.int64]:
        """Some rows, in every section; how often they have each state."""
        table, kept = self._table, self._layout
        for section, column in zip(kept.columns, columns, strict=True):
            self._runs[section].add(column)
        for v, section in kept.masks.items():
            self._runs[section].add(table.missing[v][begin:end])
        weights = None if table.weights is None else table.weights[begin:end]
        if kept.weights is not None and weights is not None:
            self._runs[kept.weights].add(weights)
        packed = _core.pack(
            [c if v.is_discrete else None for v, c in zip(self._schema, columns, strict=True)],
            self._schema.cardinalities,
            end - begin,
            weights if self._kind == "integers" else None,  # type: ignore[arg-type]
            weights if self._kind == "reals" else None,  # type: ignore[arg-type]
        )
        _, words, planes, row_bits, marginals = _core.bits_of(packed)
        for run, plane in zip(self._planes, planes, strict=True):
            run.add(plane[:words])
        self._runs[kept.row_bits].add(row_bits)
        return np.asarray(marginals)

    def _finish(self, marginals: npt.NDArray[np.int64]) -> None:
        """What comes behind the last row."""
        if self._layout.marginals is not None:
            self._runs[self._layout.marginals].add(marginals)
        self._runs[self._layout.row_bits].fill()
        for run in self._planes:
            run.fill()
        self._file.truncate(self._runs[-1].end)
