"""Pieces of the rows: named by paths that workers see, packed by whoever first needs them.

A piece is a packed file, or rows of files that a worker packs into its own cache. The name of a file in the
cache says what is in it (the files with their sizes and times, the rows of them, how they are read), so that
packing twice is packing once, and a piece that moves to another worker is the same there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from treewright.errors import MissingValuesError, SchemaError, SettingError, SourceChanged, WeightError
from treewright.statistics.whole import WholeCounter, count
from treewright.tables._reading.duck_files import parquet_rows
from treewright.tables._reading.duck_types import runs_of_files
from treewright.tables._reading.interpret import is_few, new_label
from treewright.tables._reading.paths import RowRange, find_files, is_parquet
from treewright.tables.align import align_schemas
from treewright.tables.mapped_table import MappedTable, open_table
from treewright.tables.packed_file import is_packed
from treewright.tables.packing import cached_as, evenly, identity, pack, write_packed
from treewright.tables.schema import Schema, Variable
from treewright.tables.sharded import recoded

PIECE_ROWS = 1 << 22  # of a piece of Parquet files
MOST_OPEN = 256  # packed files that a worker keeps open
_OF_ALL_ROWS = ("mend", "dates")  # options of reading whose outcome depends on all rows


@dataclass(frozen=True)
class Piece:
    """Some of the rows, as workers find them.

    Attributes
    ----------
    files
        One packed file, or files of rows that are read together; workers see them under these names.
    begin, end
        The rows that are meant, of one Parquet file; all where `end` is None.
    reading
        The options of :func:`~treewright.read_table` for files that are not packed.
    cache
        The folder of packed files; by default that of the user who runs the worker.
    rows
        Keep about so many rows only, evenly taken.
    schema
        What all pieces have in common, where it is more than this one has by itself.
    n_rows, digest
        How many rows there are and which: known once workers have looked.
    """

    files: tuple[str, ...]
    begin: int = 0
    end: int | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    cache: str | None = None
    schema: Schema | None = None
    rows: int | None = None
    n_rows: int = 0
    digest: str = ""

    @property
    def source(self) -> list[str] | RowRange:
        """What is read."""
        return list(self.files) if self.end is None else RowRange(self.files[0], self.begin, self.end)


def cut_into_pieces(source: Any, *, cache: str | None = None, **reading: Any) -> list[Piece]:
    """The pieces that files are counted in: a packed file is one, Parquet files are cut and joined.

    Examples
    --------
    >>> import tempfile, treewright as tw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a", "b"):
    ...         _ = tw.pack({"smoker": ["no", "yes"]}, os.path.join(folder, f"{name}.twp"))
    ...     len(cut_into_pieces(os.path.join(folder, "*.twp")))
    2
    """
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(paths, list | tuple) or not all(isinstance(one, str | os.PathLike) for one in paths):
        raise SettingError(
            f"workers are told where rows are, not sent any: files, or a pattern; found a "
            f"{type(source).__name__}. tw.pack(rows, path) makes a file of it"
        )
    files = [os.path.abspath(file) for file in find_files(paths)]
    packed = [file for file in files if is_packed(file)]
    others = [file for file in files if file not in packed]
    if packed and reading:
        raise SettingError(
            f"{packed[0]!r} is packed already; options of reading ({', '.join(reading)}) go with other files"
        )
    if others and reading.get("schema") is None:
        _refuse_options_of_all_rows(reading)
    pieces = [Piece((file,), cache=cache) for file in packed]
    shared: dict[str, Any] = {"cache": cache, "reading": reading}
    parquet = [file for file in others if is_parquet(file)]
    pieces += [Piece((file,), **shared) for file in others if file not in parquet]
    for some, n_rows in runs_of_files(parquet, parquet_rows(parquet) if parquet else [], PIECE_ROWS):
        if len(some) > 1 or n_rows <= PIECE_ROWS:
            pieces.append(Piece(tuple(some), **shared))
            continue
        starts = range(0, n_rows, PIECE_ROWS)
        pieces += [Piece((some[0],), at, min(at + PIECE_ROWS, n_rows), **shared) for at in starts]
    return pieces


def _refuse_options_of_all_rows(reading: Mapping[str, Any]) -> None:
    bins = reading.get("bins")
    is_fixed = isinstance(bins, Mapping) and not any(isinstance(one, int | tuple) for one in bins.values())
    asked = [name for name in _OF_ALL_ROWS if reading.get(name)]
    asked += ["bins"] if bins is not None and not is_fixed else []
    asked += ["weights"] if not isinstance(reading.get("weights", ""), str | None) else []
    if asked:
        raise SettingError(
            f"{', '.join(f'{name}=' for name in asked)} looks at all rows, and workers see some each: pack "
            "the files first (tw.pack), or say what the columns are with schema="
        )


# ---------------------------------------------------------------------- on workers
@dataclass(frozen=True)
class Seen:
    """What a worker saw of a piece: its columns, which of them have a state for missing cells, its rows."""

    schema: Schema
    missing: frozenset[str]
    n_rows: int
    digest: str


def look(pieces: Sequence[Piece]) -> list[Seen]:
    """What pieces are; those that are not packed are packed."""
    found = []
    for piece in pieces:
        table = open_table(located(piece))
        assert isinstance(table, MappedTable)
        if table.file.header["weights"] == "reals":
            raise WeightError("a cluster adds up whole counts, and real weights give real ones")
        columns = table.report.columns if table.report is not None else ()
        is_state = piece.reading.get("missing") == "state"
        missing = frozenset(one.name for one in columns if one.n_missing and is_state)
        found.append(Seen(table.schema, missing, int(table.total), table.digest))
    return found


def located(piece: Piece) -> str:
    """The packed file of a piece, made if it is not there."""
    if len(piece.files) == 1 and piece.end is None and (not piece.reading and is_packed(piece.files[0])):
        own = piece.files[0]
    else:
        own = cached_as(piece.cache, [identity(piece.source), dict(piece.reading)])
        if not is_packed(own):
            _explained_pack(piece, own)
    if piece.schema is None and piece.rows is None:
        return own
    table = open_table(own)
    assert isinstance(table, MappedTable)
    schema = piece.schema or table.schema
    if piece.rows is None and table.schema == schema:
        return own
    made = cached_as(piece.cache, [table.digest, schema, piece.rows])
    if not is_packed(made):
        kept = table if piece.rows is None else evenly(table, piece.rows)
        write_packed(recoded(kept, schema), made)
    return made


def _explained_pack(piece: Piece, path: str) -> None:
    try:
        pack(piece.source, path, **piece.reading)
    except (SchemaError, MissingValuesError) as error:
        raise type(error)(f"{piece.files[0]}: {error}") from error


def opened(piece: Piece) -> WholeCounter:
    """The counter of a piece; a worker keeps those of late."""
    return _opened(located(piece), piece.digest)


@lru_cache(maxsize=MOST_OPEN)
def _opened(path: str, digest: str) -> WholeCounter:
    table = open_table(path)
    assert isinstance(table, MappedTable)
    if digest and table.digest != digest:
        raise SourceChanged(f"{path!r} does not hold the rows that it held before; learn again")
    return count(table)


# ---------------------------------------------------------------------- at the client
def united(found: Sequence[Seen], is_declared: bool) -> Schema:
    """One schema for all pieces, as reading all rows at once would find it; refused where that is unsure."""
    n_rows, names = sum(one.n_rows for one in found), found[0].schema.names
    for one in found:
        if set(one.schema.names) != set(names):
            apart = ", ".join(map(repr, sorted(set(one.schema.names) ^ set(names))))
            raise SchemaError(f"pieces need the same columns; not in all of them: {apart}")
    if all(one.schema == found[0].schema for one in found):
        return found[0].schema if len(found) == 1 or is_declared else _sure(found[0].schema, n_rows)
    missing = frozenset[str]().union(*(one.missing for one in found))
    plain = align_schemas(_without_missing(one) for one in found).select(names)
    for variable in plain:
        if variable.name in missing and "missing" in (variable.states or ()):
            raise SchemaError(
                f"in {variable.name!r} 'missing' is a label in some pieces and a missing cell in others; say "
                "what the columns are with schema="
            )
    whole = Schema(_with_missing(v) if v.name in missing else v for v in plain)
    return whole if is_declared else _sure(whole, n_rows)


def _without_missing(seen: Seen) -> Schema:
    """The columns without their states for missing cells; one that misses all cells says nothing."""
    stripped = [
        replace(v, states=(v.states or ())[:-1]) if v.name in seen.missing and len(v.states or ()) > 1 else v
        for v in seen.schema
    ]
    return Schema(v for v in stripped if v.name not in seen.missing or seen.schema[v.name] is not v)


def _with_missing(variable: Variable) -> Variable:
    states = variable.states or ()
    return replace(variable, states=(*states, new_label(states)))


def _sure(schema: Schema, n_rows: int) -> Schema:
    """Refuse whole numbers that are few in every piece and many in all."""
    for variable in schema:
        states = [state for state in variable.states or () if not isinstance(state, str)]
        is_number = bool(states) and not any(isinstance(state, bool) for state in states)
        if is_number and not variable.ordered and not is_few(len(states), n_rows):
            raise SchemaError(
                f"{variable.name!r} has {len(states)} distinct whole numbers in all pieces, too many for "
                "states; say what the columns are with schema=, or pack the files first"
            )
    return schema
