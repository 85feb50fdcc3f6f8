"""Whole rows, for what cannot be said in tables of a few variables.

Learners that judge from tables take a :class:`~treewright.statistics.Counter`. Those that walk rows
(densities over all variables, regressions, expectation maximisation) take a :class:`RowSource`, which hands
rows out in blocks. What :func:`~treewright.count` makes of a table is both.
"""

from __future__ import annotations

import json
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import SchemaError, SettingError, TableTooLarge
from treewright.limits import format_bytes, memory_limit, table_cells
from treewright.statistics.counter import Counter
from treewright.statistics.whole import count
from treewright.tables.mapped_table import MappedTable
from treewright.tables.packed_file import BLOCK_ROWS, variables_as_json
from treewright.tables.schema import Schema
from treewright.tables.table import Table

MOST_STATES = 65_536  # of a column of a native row set, whose codes are two bytes
_SHARE_OF_A_PIECE = 16  # of the memory limit, which rows take that are read before repeated ones are one
_FEW_ROWS = 4096


class RowBlock(Protocol):
    """Some of the rows, each with its weight."""

    @property
    def table(self) -> Table: ...

    @property
    def packed(self) -> _core.PackedTable:
        """The rows as the core holds them."""
        ...


@runtime_checkable
class RowSource(Protocol):
    """Rows in blocks, for learners that look at all variables of a row together.

    Examples
    --------
    >>> import treewright as tw
    >>> source = tw.statistics.CachedCounter(tw.count(tw.read_table({"a": ["x", "y"]})))
    >>> isinstance(source, RowSource), [block.table.n_rows for block in source.row_blocks()]
    (True, [2])
    """

    @property
    def schema(self) -> Schema: ...

    def row_blocks(self) -> Sequence[RowBlock]:
        """All rows; no block at all where a wrapper finds only counts inside."""
        ...


def row_blocks_of(source: object) -> Sequence[RowBlock]:
    """The rows behind a source; no block where it only counts."""
    return source.row_blocks() if isinstance(source, RowSource) else ()


def tables_behind(source: object, purpose: str) -> list[Table]:
    """The tables that a source is made of: one, or one per shard; a source that only counts is refused."""
    blocks = row_blocks_of(source)
    if not blocks:
        raise SettingError(
            f"{purpose} needs rows, and a {type(source).__name__} only counts; read them with read_table "
            "and pass count(table)"
        )
    return [block.table for block in blocks]


def native_rows(blocks: Sequence[RowBlock]) -> _core.RowSet:
    """The distinct rows of some blocks in the core: columns by name, rows in the order of their codes.

    Rows are taken some at a time and repeated ones are put together at once, so that memory holds different
    rows only. Real weights add up in an order of all rows, which then have to fit.
    """
    schema, total = blocks[0].table.schema, sum(block.table.n_rows for block in blocks)
    found: list[_core.RowSet] = []
    joined = seen = 0
    for packed, n_rows in _packed_pieces(blocks):
        found.append(_core.row_set(packed, schema.name_order))
        seen += n_rows
        held = sum(one.n_rows for one in found)
        if held > max(2 * joined, BLOCK_ROWS) or _row_bytes(schema, held) > memory_limit():
            found = [_core.join_rows(found)] if len(found) > 1 else found
            joined = found[0].n_rows
            _refuse_rows(schema, joined, f"different rows (among the first {seen:,} of {total:,})")
    return found[0] if len(found) == 1 else _core.join_rows(found)


def _packed_pieces(blocks: Sequence[RowBlock]) -> Iterator[tuple[_core.PackedTable, int]]:
    """Blocks as the core holds them, large ones in runs of rows whose codes take little memory."""
    for block in blocks:
        table = block.table
        fitting = memory_limit() // _SHARE_OF_A_PIECE // _row_bytes(table.schema, 1)
        most = min(BLOCK_ROWS, max(_FEW_ROWS, fitting // _FEW_ROWS * _FEW_ROWS))
        is_real = table.weights is not None and table.weights.dtype.kind == "f"
        if is_real:
            _refuse_rows(table.schema, table.n_rows, "rows with real weights")
        if is_real or table.n_rows <= most:
            yield block.packed, table.n_rows
            continue
        for begin in range(0, table.n_rows, most):
            piece = table.take(slice(begin, begin + most))
            yield count(piece).packed, piece.n_rows


def _row_bytes(schema: Schema, n_rows: int) -> int:
    """Bytes of so many different rows: two a code, and the weight."""
    return (2 * len(schema) + 8) * n_rows


def _refuse_rows(schema: Schema, n_rows: int, what: str) -> None:
    if (needed := _row_bytes(schema, n_rows)) > memory_limit():
        raise TableTooLarge(
            f"{n_rows:,} {what} of {len(schema)} variables take {format_bytes(needed)}, above the memory "
            f"limit of {format_bytes(memory_limit())}, and this learner walks them; learn from some of them "
            "(rows= of open_source and pack), or raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
        )


@dataclass(frozen=True)
class DistinctRows:
    """Different rows with their weights.

    Rows come in the order of their codes with the variables in name order, so that whatever is summed over
    them does not depend on the order of rows or columns.

    Attributes
    ----------
    schema
        The variables in the order of their names.
    codes
        One line per variable, one column per row.
    weights
        How often each row occurs; none is zero.
    """

    schema: Schema
    codes: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]

    @property
    def n_rows(self) -> float:
        """Rows counted: the sum of the weights."""
        return float(self.weights.sum())


def distinct_rows(source: Counter) -> DistinctRows:
    """The different rows behind a counter, in name order.

    A source of rows has them at hand; any other counter is asked for the occupied cells of the joint table of
    all variables.

    Raises
    ------
    SchemaError
        For continuous variables.
    TableTooLarge
        When the rows would not fit, or cells of all variables cannot be numbered.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = distinct_rows(tw.count(tw.read_table({"b": [0, 1, 0], "a": [1, 0, 1]})))
    >>> rows.schema.names, rows.codes.tolist(), rows.weights.tolist()
    (('a', 'b'), [[0, 1], [1, 0]], [1.0, 2.0])
    """
    schema = source.schema
    for variable in schema:
        if not variable.is_discrete:
            raise SchemaError(
                f"rows of states are wanted; {variable.name!r} is continuous: read it with bins="
            )
    ordered, blocks = schema.select(schema.name_order), row_blocks_of(source)
    if not blocks or not len(schema) or max(schema.cardinalities) > MOST_STATES:
        return _occupied_cells(source, ordered)
    rows = native_rows(blocks)
    needed = 4 * len(schema) * rows.n_rows
    if needed > memory_limit():
        raise TableTooLarge(
            f"{rows.n_rows:,} rows of {len(schema)} variables take {format_bytes(needed)} as codes, "
            f"above the memory limit of {format_bytes(memory_limit())}; use fewer rows, or raise the limit "
            "with set_memory_limit or TREEWRIGHT_MEMORY"
        )
    return DistinctRows(ordered, np.ascontiguousarray(rows.codes.T, dtype=np.uint32), rows.weights)


def _occupied_cells(counter: Counter, ordered: Schema) -> DistinctRows:
    order = counter.schema.name_order
    if table_cells(counter.schema, order) >= 2**63:
        raise TableTooLarge(
            f"the joint states of {len(order)} variables cannot be numbered in 64 bits, so this counter "
            "cannot hand out its rows; count a table in memory (tw.count(table))"
        )
    seen = counter.sparse_counts(order)
    weights = np.asarray(seen.counts, dtype=np.float64)
    codes = np.array(np.unravel_index(seen.codes, seen.shape), dtype=np.uint32).reshape(len(order), -1)
    kept = weights > 0
    return DistinctRows(ordered, np.ascontiguousarray(codes[:, kept]), weights[kept])


@runtime_checkable
class Digested(Protocol):
    """Counters that know what they count."""

    @property
    def digest(self) -> str: ...


@runtime_checkable
class Parted(Protocol):
    """Counters that are sums of parts, and can leave some of them out."""

    def parts(self) -> Sequence[str]:
        """The digests of the parts."""
        ...

    def beside(self, known: Tally[str]) -> Sequence[Counter]:
        """What is left when the known parts are left out; each is taken off what is known."""
        ...


def taken_off(known: Tally[str], digest: str) -> bool:
    """Whether a part was known, and is so once less."""
    known[digest] -= (there := known[digest] > 0)
    return there


def parts_beside(counter: Counter, known: Tally[str]) -> Sequence[Counter]:
    """The counters that a counter has beside known parts, which are taken off what is known."""
    own = Tally(digests_of_parts(counter))
    if own <= known:
        known -= own
        return ()
    return counter.beside(known) if isinstance(counter, Parted) else (counter,)


def digest_of_counter(counter: Counter) -> str:
    """What a counter counts, in 64 letters: its own digest, that of its rows, or of tables of one variable.

    The same rows give the same digest, other rows another one. The last is for counters that neither show
    rows nor know a digest: it tells data apart that differ in the states of some variable.

    Examples
    --------
    >>> import treewright as tw
    >>> one, other = (tw.count(tw.read_table({"a": cells})) for cells in (["x", "y"], ["y", "x"]))
    >>> digest_of_counter(one) == digest_of_counter(other)
    False
    """
    return joined_digest(digests_of_parts(counter))


def digests_of_parts(counter: Counter) -> list[str]:
    """What a counter is the sum of: a digest for each of its parts."""
    if isinstance(counter, Parted):
        return list(counter.parts())
    if isinstance(counter, Digested):
        return [counter.digest]
    if blocks := row_blocks_of(counter):
        return [digest_of_table(block.table) for block in blocks]
    discrete = [v for v, variable in enumerate(counter.schema) if variable.is_discrete]
    tables = counter.counts_many([(v,) for v in discrete])
    told = [digest_of_schema(counter.schema), str(counter.n_rows), *(str(one.tolist()) for one in tables)]
    return [sha256("\n".join(told).encode()).hexdigest()]


def joined_digest(digests: Iterable[str]) -> str:
    """The digest of several pieces, in whatever order they come."""
    listed = sorted(digests)
    return listed[0] if len(listed) == 1 else sha256("\n".join(listed).encode()).hexdigest()


def digest_of_schema(schema: Schema) -> str:
    return sha256(json.dumps(variables_as_json(schema)).encode()).hexdigest()


def digest_of_table(table: Table) -> str:
    if isinstance(table, MappedTable):
        return table.digest
    hashed = sha256(f"{digest_of_schema(table.schema)} {table.n_rows}".encode())
    for column in table.columns:
        hashed.update(np.ascontiguousarray(column).data)
    if table.weights is not None:
        hashed.update(np.ascontiguousarray(table.weights).data)
    return hashed.hexdigest()
