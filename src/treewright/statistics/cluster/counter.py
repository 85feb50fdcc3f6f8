"""A counter whose rows are counted by workers, each its own pieces; the client adds up what they send.

One round is one task a worker, answered by one flat vector of whole numbers. A worker that is lost costs a
round: its pieces go to others, and the sums are the same.
"""

from __future__ import annotations

import os
from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from treewright.arguments import absolute
from treewright.errors import SchemaError, SettingError
from treewright.limits import check_table, table_axes
from treewright.ranges import in_range
from treewright.statistics.cluster.pieces import Piece, cut_into_pieces, look, opened, united
from treewright.statistics.cluster.pools import Pool, as_pool
from treewright.statistics.cluster.rounds import Patience, Rounds
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.rows import RowBlock, joined_digest, taken_off
from treewright.statistics.sharded import ShardedCounter, joined_cells
from treewright.tables.packed_file import is_packed
from treewright.tables.packing import Reading
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

Flat = npt.NDArray[np.int64]


class ClusterCounter(PluralCounter):
    """A counter over pieces that the workers of a pool have.

    Parameters
    ----------
    pieces
        Where the rows are; :func:`~treewright.statistics.cluster.cut_into_pieces` cuts files into pieces.
    pool
        The workers: a :class:`LocalPool` or a :class:`DaskPool`.
    timeout
        Seconds after which a worker that has not answered is taken for lost.
    retries
        How often everything that is left is asked again without any answer before
        :class:`~treewright.errors.ConnectionLost` is raised.

    Examples
    --------
    >>> import tempfile, treewright as tw
    >>> from treewright.statistics.cluster import LocalPool
    >>> with tempfile.TemporaryDirectory() as folder, LocalPool(1) as pool:
    ...     path = os.path.join(folder, "rows.twp")
    ...     _ = tw.pack({"a": ["x", "x", "y"]}, path)
    ...     ClusterCounter([Piece((path,))], pool).counts(("a",))
    array([2, 1])
    """

    @in_range
    def __init__(
        self, pieces: Sequence[Piece], pool: Pool, *, timeout: float = 600.0, retries: int = 3
    ) -> None:
        if not pieces:
            raise SchemaError("a cluster counts at least one piece; found none")
        if timeout <= 0 or retries < 0:
            raise SettingError(f"timeout= is positive and retries= at least 0; found {timeout} and {retries}")
        self.pool, self._how = pool, Patience(timeout=timeout, retries=retries)
        self.schema, self.pieces = self._looked_at(list(pieces))
        self._count_with(self.pieces)

    def _count_with(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.n_rows = sum(piece.n_rows for piece in pieces)
        self.digest = joined_digest(self.parts())
        self._rounds = Rounds(self.pool, [piece.n_rows for piece in pieces], **self._how)

    def parts(self) -> list[str]:
        return [piece.digest for piece in self.pieces]

    def beside(self, known: Tally[str]) -> list[Counter]:
        others = [piece for piece in self.pieces if not taken_off(known, piece.digest)]
        if not others:
            return []
        some = object.__new__(ClusterCounter)
        some.__dict__.update(self.__dict__)
        some._count_with(others)
        return [some]

    def _looked_at(self, pieces: list[Piece]) -> tuple[Schema, list[Piece]]:
        """The pieces with one schema; workers look at the labels, and pack what is not packed."""
        rounds = Rounds(self.pool, [_bytes_of(piece) for piece in pieces], **self._how)
        seen = dict(found for part in rounds.ask(_numbered, list(enumerate(pieces)), look) for found in part)
        is_declared = all(piece.reading.get("schema") or piece.schema for piece in pieces)
        schema = united([seen[i] for i in range(len(pieces))], is_declared)
        known = [  # a piece that has the schema itself need not be told it in every round
            piece if seen[i].schema == schema else replace(piece, schema=schema)
            for i, piece in enumerate(pieces)
        ]
        if any(one.schema != schema for one in seen.values()):
            again = rounds.ask(_numbered, list(enumerate(known)), look)
            seen = dict(found for part in again for found in part)
        found = (replace(one, n_rows=seen[i].n_rows, digest=seen[i].digest) for i, one in enumerate(known))
        return schema, list(found)

    @in_range
    def sampled(self, rows: int) -> ClusterCounter:
        """About so many rows, evenly taken from every piece, counted by the same workers."""
        if rows < 1:
            raise SettingError(f"rows= keeps at least one row; found {rows}")
        if rows >= self.n_rows:
            return self
        ends = [round(rows * end / self.n_rows) for end in accumulate(piece.n_rows for piece in self.pieces)]
        shares = [end - begin for begin, end in pairwise([0, *ends])]
        some = [
            replace(piece, rows=share, digest="")
            for piece, share in zip(self.pieces, shares, strict=True)
            if share
        ]
        return ClusterCounter(some, self.pool, **self._how)

    @property
    def n_rounds(self) -> int:
        """Questions that went to the workers."""
        return self._rounds.n_rounds

    def __repr__(self) -> str:
        return f"ClusterCounter({len(self.schema)} variables, {len(self.pieces)} pieces)"

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        asked = [self._discrete(scope) for scope in scopes]
        if not asked:
            return []
        for scope in asked:
            check_table(self.schema, scope)
        parts = self._rounds.ask(count_pieces, self.pieces, asked)
        flat = np.sum(parts, axis=0, dtype=np.int64)
        cards = self.schema.cardinalities
        shapes = [tuple(cards[v] for v in table_axes(self.schema, scope)) for scope in asked]
        ends = np.cumsum([np.prod(shape, dtype=np.int64) for shape in shapes])
        cut = np.split(flat, ends[:-1])
        return [table.reshape(shape) for table, shape in zip(cut, shapes, strict=True)]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        return self.sparse_counts_many([scope])[0]

    def sparse_counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[SparseCounts]:
        """Occupied cells of many scopes, in one round."""
        asked = [self._discrete(scope) for scope in scopes]
        if not asked:
            return []
        shapes = [tuple(self.schema.cardinalities[v] for v in scope) for scope in asked]
        parts = [_cells_of(flat, shapes) for flat in self._rounds.ask(cells_of_pieces, self.pieces, asked)]
        return [joined_cells(cells) for cells in zip(*parts, strict=True)]

    def each(self, work: Any, *more: Any) -> list[Any]:
        """What ``work(counter, *more)`` makes of each piece, in the order of pieces."""
        parts = self._rounds.ask(_numbered, list(enumerate(self.pieces)), _each, work, *more)
        found = dict(one for part in parts for one in part)
        return [found[i] for i in range(len(self.pieces))]

    def row_blocks(self) -> Sequence[RowBlock]:
        """The rows, where their packed files are seen from here as well."""
        try:
            seen = all(is_packed(_seen_as(piece)) for piece in self.pieces)
        except OSError:
            return ()
        return [opened(piece) for piece in self.pieces] if seen else ()

    def __reduce__(self) -> tuple[Any, ...]:
        """On a worker it is a counter over the same pieces: tasks name pieces, and never take rows along."""
        return counted_here, (self.pieces,)

    def _discrete(self, scope: Iterable[NameOrIndex]) -> Scope:
        checked = self.schema.scope(scope)
        for v in checked:
            if not self.schema.variables[v].is_discrete:
                raise SchemaError(
                    f"{self.schema.names[v]!r} is continuous and cannot be counted; read it with bins= of "
                    "given edges"
                )
        return checked


def open_cluster(
    source: Any,
    client: Any,
    *,
    cache: str | os.PathLike[str] | None = None,
    **reading: Unpack[Reading],
) -> ClusterCounter:
    """Files as a :class:`ClusterCounter`; see :func:`~treewright.open_source`."""
    folder = None if cache is None else absolute("open_source(cache=)", cache)
    return ClusterCounter(cut_into_pieces(source, cache=folder, **reading), as_pool(client))


def counted_here(pieces: Sequence[Piece]) -> Counter:
    """The pieces counted by this process."""
    counters = [opened(piece) for piece in pieces]
    return counters[0] if len(counters) == 1 else ShardedCounter(counters)


# ---------------------------------------------------------------------- on workers
def count_pieces(pieces: Sequence[Piece], scopes: Sequence[Scope]) -> Flat:
    """The tables of scopes, one behind the other, added up over pieces."""
    total: Flat | None = None
    for piece in pieces:
        tables = opened(piece).counts_many(scopes)
        flat = np.concatenate([table.reshape(-1) for table in tables]).astype(np.int64, copy=False)
        total = flat if total is None else total + flat
    assert total is not None
    return total


def cells_of_pieces(pieces: Sequence[Piece], scopes: Sequence[Scope]) -> Flat:
    """The occupied cells of scopes: for each how many there are, where, and their counts, in one vector."""
    parts = [opened(piece).sparse_counts_many(scopes) for piece in pieces]
    cells = [joined_cells(found) for found in zip(*parts, strict=True)]
    return np.concatenate(
        [np.concatenate([[len(one.codes)], one.codes, one.counts]).astype(np.int64) for one in cells]
    )


def _numbered(pieces: Sequence[tuple[int, Piece]], question: Any, *more: Any) -> list[tuple[int, Any]]:
    answers = question([piece for _, piece in pieces], *more)
    return list(zip((i for i, _ in pieces), answers, strict=True))


def _each(pieces: Sequence[Piece], work: Any, *more: Any) -> list[Any]:
    return [work(opened(piece), *more) for piece in pieces]


# ---------------------------------------------------------------------- at the client
def _cells_of(flat: Flat, shapes: Sequence[tuple[int, ...]]) -> list[SparseCounts]:
    found, at = [], 0
    for shape in shapes:
        n = int(flat[at])
        found.append(SparseCounts(shape, flat[at + 1 : at + 1 + n], flat[at + 1 + n : at + 1 + 2 * n]))
        at += 1 + 2 * n
    return found


def _bytes_of(piece: Piece) -> int:
    """How much there is to read, as far as it can be seen from here."""
    if piece.end is not None:
        return piece.end - piece.begin
    return sum(os.path.getsize(file) if os.path.exists(file) else 1 for file in piece.files)


def _seen_as(piece: Piece) -> str:
    return piece.files[0] if len(piece.files) == 1 and not piece.reading else ""
