"""Tables kept in a file, so that a run that was killed goes on: it is repeated, and counts nothing twice.

Learners are deterministic: asked the same question, they ask the same tables. A file of the tables that were
counted is therefore all that has to be kept of a run; starting it again replays it to where it was, and on.
"""

from __future__ import annotations

import math
import os
import sqlite3
import time
import zlib
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treewright.arguments import COUNTS, require
from treewright.errors import CheckpointError, WeightError
from treewright.limits import memory_limit
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.memory import sparse_counts_many
from treewright.statistics.rows import (
    RowBlock,
    digest_of_schema,
    digests_of_parts,
    joined_digest,
    parts_beside,
    row_blocks_of,
)
from treewright.statistics.sharded import ShardedCounter
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

_FORMAT, _VERSION = "treewright checkpoint", "1"
_SECONDS, _BYTES = 5.0, 64 << 20  # between two times that tables are made safe
_SMALL = 200  # bytes that are not worth compressing
# what to do about a file of which SQLite says this
_DAMAGED = "remove the file and run again, or choose another one"
_WAYS_OUT = {
    sqlite3.SQLITE_FULL: "make room and run again, which goes on from what is kept",
    sqlite3.SQLITE_CANTOPEN: "choose a file that can be written",
    sqlite3.SQLITE_READONLY: "choose a file that can be written",
    sqlite3.SQLITE_PERM: "choose a file that can be written",
    sqlite3.SQLITE_IOERR: "see to its disk and run again, or choose another file",
    sqlite3.SQLITE_BUSY: "another run has it open: let that one end, or choose another file",
    sqlite3.SQLITE_LOCKED: "another run has it open: let that one end, or choose another file",
}
_DENSE, _SPARSE = "dense", "sparse"


class KeptCounter(PluralCounter):
    """A counter whose tables are kept in a file: a checkpoint.

    Parameters
    ----------
    counter
        What counts; one with real weights is refused.
    path
        The file, made if it is not there. One of some of the parts of a sum is extended: what is kept is
        counted in the other parts only, and added. One of other rows is refused.

    Attributes
    ----------
    n_added
        Rows that an older checkpoint was extended by.

    Examples
    --------
    >>> import tempfile
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 0, 1], "b": [0, 1, 1]}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "run.twc")
    ...     with KeptCounter(counter, path) as kept:
    ...         first = kept.counts(("a", "b"))
    ...     with KeptCounter(counter, path) as again:
    ...         (again.counts(("a", "b")) == first).all(), again.n_counted
    (np.True_, 0)
    """

    def __init__(self, counter: Counter, path: str | os.PathLike[str]) -> None:
        require("KeptCounter", COUNTS, counter)
        if not isinstance(counter.n_rows, int | np.integer):
            raise WeightError("a checkpoint keeps whole counts, and real weights give real ones")
        self.counter = counter
        self.path = os.fspath(path)
        self.n_counted = 0  # tables that the wrapped counter was asked for
        self.n_added: int | float = 0
        self._parts = sorted(digests_of_parts(counter))
        self.digest = joined_digest(self._parts)
        self._pending: dict[tuple[str, str], bytes] = {}
        self._pending_bytes, self._safe_at = 0, time.monotonic()
        self._file: sqlite3.Connection | None = self._open()

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    @property
    def n_rows(self) -> int | float:
        return self.counter.n_rows

    def __enter__(self) -> KeptCounter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def close(self) -> None:
        """Make everything safe; the file may be opened again."""
        if self._file is not None:
            self.commit()
            self._file.close()
            self._file = None

    def commit(self) -> None:
        """Make the tables that were counted so far safe."""
        if self._file is not None and self._pending:
            rows = [(*key, cells) for key, cells in self._pending.items()]
            with _explained(self.path), self._file:
                self._file.executemany("INSERT OR REPLACE INTO tables VALUES (?, ?, ?)", rows)
            self._pending.clear()
            self._pending_bytes = 0
        self._safe_at = time.monotonic()

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        asked = [self.schema.scope(scope) for scope in scopes]
        cards = self.schema.cardinalities
        found: dict[Scope, Counts] = {}
        unseen = self._recall(_DENSE, asked, found)
        tables = self.counter.counts_many(unseen) if unseen else []
        for key, table in zip(unseen, tables, strict=True):
            sparse = SparseCounts.of(table)
            self._keep(_DENSE, key, sparse.codes, sparse.counts)
            found[key] = table
        tidy = {key: table.reshape([cards[v] for v in key]) for key, table in found.items()}
        self._make_safe()
        return [_in_order(tidy[tuple(sorted(scope))], scope) for scope in asked]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        return self.sparse_counts_many([scope])[0]

    def sparse_counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[SparseCounts]:
        """Occupied cells of scopes in the order given; what is kept is under that order."""
        asked = [self.schema.scope(scope) for scope in scopes]
        found: dict[Scope, SparseCounts] = {}
        unseen = self._recall(_SPARSE, asked, found)
        tables = sparse_counts_many(self.counter, unseen) if unseen else []
        for key, table in zip(unseen, tables, strict=True):
            self._keep(_SPARSE, key, table.codes, table.counts)
            found[key] = table
        self._make_safe()
        return [found[scope] for scope in asked]

    def row_blocks(self) -> Sequence[RowBlock]:
        return row_blocks_of(self.counter)

    def extended(self, pieces: Iterable[Counter]) -> KeptCounter:
        """The same checkpoint with more rows: what is kept is counted in the new pieces only, and added.

        Parameters
        ----------
        pieces
            Counters of rows that are not among those of before, with the same columns and states.
        """
        more = ShardedCounter(pieces)
        whole = ShardedCounter((self.counter, *more.counters))  # refuses other columns
        self.commit()
        with _explained(self.path):
            self._extend(more, sorted([*self._parts, *more.parts()]), whole.n_rows)
        self.close()
        return KeptCounter(whole, self.path)

    def _extend(self, more: Counter, parts: list[str], n_rows: int | float) -> None:
        """Add what new parts say to all that is kept, or to nothing of it."""
        file = self._file
        assert file is not None
        keys = file.execute("SELECT scope, kind FROM tables ORDER BY kind, scope").fetchall()
        told = {"digest": joined_digest(parts), "parts": "\n".join(parts), "rows": str(n_rows)}
        with file:
            for kind, texts in self._rounds(keys, more):
                added = self._added(kind, texts, more)
                file.executemany("INSERT OR REPLACE INTO tables VALUES (?, ?, ?)", added)
            file.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", told.items())

    def _rounds(self, keys: Sequence[tuple[str, str]], more: Counter) -> Iterator[tuple[str, list[str]]]:
        """What is kept, so much at once as memory holds of the new tables."""
        most, taken = memory_limit() // 4, 0
        kind, texts = _DENSE, list[str]()
        for text, own in keys:
            cells = math.prod(self.schema.cardinalities[v] for v in self._scope_of(text))
            size = 8 * cells if own == _DENSE else 16 * min(cells, int(more.n_rows))
            if texts and (own != kind or taken + size > most):
                yield kind, texts
                texts, taken = [], 0
            kind, taken = own, taken + size
            texts.append(text)
        if texts:
            yield kind, texts

    def _added(self, kind: str, texts: Sequence[str], more: Counter) -> Iterator[tuple[str, str, bytes]]:
        scopes = list(map(self._scope_of, texts))
        if kind == _DENSE:
            found: Iterable[SparseCounts] = map(SparseCounts.of, more.counts_many(scopes))
        else:
            found = sparse_counts_many(more, scopes)
        for text, other in zip(texts, found, strict=True):
            cells = self._cells(kind, self._scope_of(text))
            assert cells is not None
            codes, counts = self._decoded(text, cells)
            both = np.concatenate([counts, other.counts.astype(np.int64)])
            summed = SparseCounts.summed((), np.concatenate([codes, other.codes]), both)
            yield text, kind, encoded(summed.codes, summed.counts)

    def _recall(self, kind: str, asked: Sequence[Scope], found: dict[Scope, Any]) -> list[Scope]:
        """Put what is kept into `found`; the scopes that are not."""
        cards, unseen = self.schema.cardinalities, []
        for scope in asked:
            key = tuple(sorted(scope)) if kind == _DENSE else scope
            if key in found:
                continue
            cells = self._cells(kind, key)
            if cells is None:
                unseen.append(key)
                continue
            codes, counts = self._decoded(_text(key), cells)
            shape = tuple(cards[v] for v in key)
            if kind == _SPARSE:
                found[key] = SparseCounts(shape, codes, counts)
            else:
                table = np.zeros(int(np.prod(shape, dtype=np.int64)), dtype=np.int64)
                table[codes] = counts
                found[key] = table
        unseen = list(dict.fromkeys(unseen))
        self.n_counted += len(unseen)
        return unseen

    def _cells(self, kind: str, key: Scope) -> bytes | None:
        pending = self._pending.get((_text(key), kind))
        if pending is not None:
            return pending
        assert self._file is not None, "a checkpoint that was closed is opened anew"
        query = "SELECT cells FROM tables WHERE scope = ? AND kind = ?"
        with _explained(self.path):
            row = self._file.execute(query, (_text(key), kind)).fetchone()
        return None if row is None else cast("bytes", row[0])

    def _keep(self, kind: str, key: Scope, codes: npt.NDArray[Any], counts: npt.NDArray[Any]) -> None:
        cells = encoded(codes, counts)
        self._pending[_text(key), kind] = cells
        self._pending_bytes += len(cells)

    def _make_safe(self) -> None:
        if self._pending_bytes >= _BYTES or time.monotonic() - self._safe_at >= _SECONDS:
            self.commit()

    def _scope_of(self, text: str) -> Scope:
        return tuple(int(part) for part in text.split(",") if part)

    def _decoded(self, scope: str, cells: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        most = math.prod(self.schema.cardinalities[v] for v in self._scope_of(scope))
        try:
            codes, counts = decoded(cells)
            if codes.size and not 0 <= codes[0] <= codes[-1] < most:
                raise ValueError("cells that the table does not have")
            return codes, counts
        except (ValueError, TypeError, zlib.error) as error:
            raise CheckpointError(
                f"{self.path!r} is damaged: a table of {scope.count(',') + 1} variables is not what was "
                "written; remove the file and run again"
            ) from error

    def _open(self) -> sqlite3.Connection:
        told = {
            "format": _FORMAT,
            "version": _VERSION,
            "schema": digest_of_schema(self.schema),
            "rows": str(self.n_rows),
            "digest": self.digest,
            "parts": "\n".join(self._parts),
        }
        with _explained(self.path):
            file = self._file = sqlite3.connect(self.path, check_same_thread=False)
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = NORMAL")
            with file:
                file.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT)")
                file.execute(
                    "CREATE TABLE IF NOT EXISTS tables "
                    "(scope TEXT, kind TEXT, cells BLOB, PRIMARY KEY (scope, kind)) WITHOUT ROWID"
                )
                if file.execute("SELECT count(*) FROM meta").fetchone() == (0,):
                    file.executemany("INSERT INTO meta VALUES (?, ?)", told.items())
            found = dict(file.execute("SELECT name, value FROM meta"))
            wrong = [name for name in told if name != "parts" and found.get(name) != told[name]]
            if not wrong:
                return file
            if not {*wrong} & {"format", "version", "schema"} and (others := self._beside(found)):
                more = ShardedCounter(others)
                self._extend(more, self._parts, self.n_rows)
                self.n_added = more.n_rows
                return file
        file.close()
        raise self._other_rows(wrong, found)

    def _beside(self, found: dict[str, str]) -> Sequence[Counter]:
        """The parts that a checkpoint does not have, where the counter has all that it does have."""
        known = Tally(found.get("parts", found.get("digest", "")).split("\n"))
        others = parts_beside(self.counter, known)
        return () if known.total() else others

    def _other_rows(self, wrong: list[str], found: dict[str, str]) -> CheckpointError:
        if wrong[0] in ("format", "version"):
            return CheckpointError(f"{self.path!r} is no checkpoint of this version; choose another file")
        what = "columns or states" if "schema" in wrong else "rows"
        counted = f": it was made from {found.get('rows')} rows, and there are {self.n_rows}"
        return CheckpointError(
            f"{self.path!r} is the checkpoint of other {what}{counted if 'rows' in wrong else ''}; choose "
            "another file, remove this one, or add new rows to it: packed files as they were with new ones "
            "beside them, or KeptCounter.extended"
        )


class _explained:  # noqa: N801
    """Turn what SQLite says of a file into a :class:`CheckpointError`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):  # the latter of a damaged name
            way = _WAYS_OUT.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _DAMAGED)
            raise CheckpointError(f"{self._path!r} cannot be used as a checkpoint: {error}; {way}") from error


def encoded(codes: npt.NDArray[Any], counts: npt.NDArray[Any]) -> bytes:
    """Gaps between the codes of occupied cells, and their counts, in the smallest types that hold them.

    >>> decoded(encoded(np.array([0, 7, 900]), np.array([5, 1, 70_000])))
    (array([  0,   7, 900]), array([    5,     1, 70000]))
    """
    gaps = np.diff(codes, prepend=0)
    parts = [part.astype(smallest(part)) for part in (gaps, counts)]
    body = b"".join(part.tobytes() for part in parts)
    packed = zlib.compress(body, 1) if len(body) > _SMALL else body
    head = bytes([parts[0].itemsize, parts[1].itemsize, len(body) > _SMALL])
    head += len(codes).to_bytes(8, "little")
    return head + zlib.crc32(head + packed).to_bytes(4, "little") + packed


def decoded(cells: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Codes and counts; what is not as it was written raises ValueError."""
    head, told, packed = cells[:11], cells[11:15], cells[15:]
    if zlib.crc32(head + packed).to_bytes(4, "little") != told:
        raise ValueError("the sum of the cells is another one")
    body = zlib.decompress(packed) if head[2] else packed
    n = int.from_bytes(head[3:], "little")
    gaps = np.frombuffer(body, dtype=f"<u{head[0]}", count=n)
    counts = np.frombuffer(body, dtype=f"<u{head[1]}", count=n, offset=n * head[0])
    return np.cumsum(gaps, dtype=np.int64), counts.astype(np.int64)


def smallest(values: npt.NDArray[Any]) -> str:
    most = int(values.max()) if values.size else 0
    return next(f"<u{size}" for size in (1, 2, 4, 8) if most < 1 << (8 * size))


def _text(scope: Scope) -> str:
    return ",".join(map(str, scope))


def _in_order(table: Counts, scope: Scope) -> Counts:
    """Axes of a table kept by sorted scope, in the order asked."""
    rank = {v: axis for axis, v in enumerate(sorted(scope))}
    return cast("Counts", np.transpose(table, [rank[v] for v in scope]))
