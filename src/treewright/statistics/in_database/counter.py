"""A counter that leaves rows where they are: the database counts, and its tables are remembered."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TypeVar

import numpy as np

from treewright.arguments import described
from treewright.errors import ArgumentError, ConnectionLost, SettingError, SourceChanged, TableTooLarge
from treewright.limits import check_table, memory_limit, table_axes, table_cells
from treewright.ranges import in_range
from treewright.statistics.counter import Counts, PluralCounter, SparseCounts
from treewright.statistics.in_database.columns import Counted, counted_columns
from treewright.statistics.in_database.covers import Cover, merged
from treewright.statistics.in_database.engines import engine_of
from treewright.statistics.rows import RowBlock, digest_of_schema
from treewright.tables._reading.matching import UnseenPolicy
from treewright.tables._reading.missing import MissingPolicy
from treewright.tables.report import Report
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.sql import SqlTable
from treewright.types import Scope

Found = TypeVar("Found")
WAITS = (1.0, 2.0, 4.0)  # seconds before a lost connection is made anew
MANY_TABLES = 20  # from so many on reading all rows once is cheaper
_SHARE = 8  # of the memory limit, for what was counted


class DatabaseCounter(PluralCounter):
    """Counts of a table that stays in its database; for rows that may not leave it.

    Reading all rows once (:func:`~treewright.open_source`, ``mode="rows"``) costs as much as about twenty
    tables, and is the better way where it is allowed. Here the tables of a question are put together into a
    few wide ones, one statement each, whose occupied cells are kept; smaller tables are added up from them.

    Parameters
    ----------
    source
        A table or query of a DuckDB file or of a PostgreSQL server.
    most_columns
        Columns that one statement groups by, unless a question has more.
    schema, columns, unseen
        As for :func:`~treewright.read_table`.
    missing
        What to do about gaps, for all columns and in every statement alike: "error", "drop" or "state".

    Examples
    --------
    >>> import os, tempfile, duckdb
    >>> from treewright.tables import SqlTable
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "clinic.duckdb")
    ...     with duckdb.connect(path) as file:
    ...         values = "('no', 1), ('yes', 0), ('no', 0)"
    ...         _ = file.execute(f"CREATE TABLE visits AS FROM (VALUES {values}) AS t(a, b)")
    ...     counter = DatabaseCounter(SqlTable(path, "visits"))
    ...     counter.counts(("a", "b"))
    array([[1, 1],
           [1, 0]])
    """

    @in_range
    def __init__(
        self,
        source: SqlTable,
        *,
        most_columns: int = 16,
        schema: Schema | None = None,
        columns: Sequence[str] | None = None,
        missing: MissingPolicy = "error",
        unseen: UnseenPolicy = "error",
    ) -> None:
        if not isinstance(source, SqlTable):
            raise ArgumentError(
                f"DatabaseCounter takes a table of a database; found {described(source)}: write "
                "tw.tables.SqlTable(path_or_address, table)"
            )
        if most_columns < 1:
            raise SettingError(f"most_columns= of DatabaseCounter is at least 1; found {most_columns}")
        self.source = source
        self.most_columns = most_columns
        self.n_tables = 0  # that were asked for
        self._engine = engine_of(source)
        self._counted: Counted = self._asked(
            lambda: counted_columns(self._engine, schema, columns, missing, unseen)
        )
        self._covers: deque[Cover] = deque()

    @property
    def schema(self) -> Schema:
        return self._counted.schema

    @property
    def n_rows(self) -> int:
        return self._counted.report.n_rows

    def close(self) -> None:
        """End the connection; a question makes a new one."""
        self._engine.close()

    @property
    def digest(self) -> str:
        """What is counted, as far as tables of one column tell, in 64 letters."""
        told = [digest_of_schema(self.schema), str(self.n_rows), repr(self._counted.margins)]
        return sha256("\n".join(told).encode()).hexdigest()

    @property
    def reading(self) -> Report:
        """How the columns were read, and nothing of what changes from run to run."""
        return self._counted.report

    @property
    def report(self) -> Report:
        """How the columns were read, and what counting has cost so far."""
        statements, seconds = self._engine.n_statements, self._engine.seconds
        notes = [f"{self.n_tables:,} tables were asked for; {statements:,} statements took {seconds:.1f} s"]
        if self.n_tables >= MANY_TABLES:
            notes.append("reading all rows once costs about 20 tables: use mode='rows' where they may leave")
        return replace(self._counted.report, notes=(*self._counted.report.notes, *notes))

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        asked = [self.schema.scope(scope) for scope in scopes]
        for scope in asked:
            check_table(self.schema, table_axes(self.schema, scope))
        return [cover.table(self.schema, scope) for scope, cover in self._covered(asked)]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        return self.sparse_counts_many([scope])[0]

    def sparse_counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[SparseCounts]:
        asked = [self.schema.scope(scope) for scope in scopes]
        for scope in asked:
            if table_cells(self.schema, scope) >= 2**63:
                raise TableTooLarge(
                    f"a table over {len(scope)} columns has more cells than 64-bit positions can number; use "
                    "fewer variables"
                )
        return [cover.sparse(self.schema, scope) for scope, cover in self._covered(asked)]

    def row_blocks(self) -> Sequence[RowBlock]:
        """None: rows stay where they are."""
        return ()

    def _covered(self, asked: Sequence[Scope]) -> list[tuple[Scope, Cover]]:
        """Each scope with the smallest cover that has it, those that are missing counted in one round."""
        self.n_tables += len(asked)
        known = {scope: self._smallest(scope, self._covers) for scope in asked}
        missing = [frozenset(scope) for scope, cover in known.items() if cover is None]
        new = [self._count(tuple(sorted(one))) for one in merged(missing, self.most_columns)]
        found = [(scope, known[scope] or self._smallest(scope, new)) for scope in asked]
        self._keep(new)
        return [(scope, cover) for scope, cover in found if cover is not None]

    def _smallest(self, scope: Scope, covers: Iterable[Cover]) -> Cover | None:
        wanted = set(scope)
        having = (cover for cover in covers if wanted.issubset(cover.scope))
        return min(having, key=lambda cover: len(cover.counts), default=None)

    def _keep(self, new: Sequence[Cover]) -> None:
        """The oldest leave first once their share of memory is used up."""
        self._covers.extend(new)
        left = memory_limit() // _SHARE
        while self._covers and sum(cover.nbytes for cover in self._covers) > left:
            self._covers.popleft()

    def _count(self, scope: Scope) -> Cover:
        counted = self._counted
        if not scope:
            return Cover((), np.empty((0, 1), dtype=np.uint32), np.array([self.n_rows], dtype=np.int64))
        positions = [counted.positions[v] for v in scope]
        keys = [counted.keys[v] for v in scope]
        lines, counts = self._asked(lambda: self._engine.groups(positions, keys, counted.where))
        states = np.empty(lines.shape, dtype=np.uint32)
        for at, v in enumerate(scope):
            places = counted.states[v][lines[at]]  # the last two are those of a gap and of an unknown key
            if (places < 0).any():
                raise SourceChanged(
                    f"{self.source.shown} has values in {self.schema.names[v]!r} that it had not before; "
                    "begin again"
                )
            states[at] = places
        return Cover(scope, states, counts)

    def _asked(self, act: Callable[[], Found]) -> Found:
        """An answer, by a new connection if need be; the rows then have to be as many as before."""
        try:
            return act()
        except ConnectionLost as error:
            lost = error
        for wait in WAITS:
            time.sleep(wait)
            try:
                self._engine.connect()
                if hasattr(
                    self, "_counted"
                ):  # nothing is known of the rows while their columns are looked at
                    self._refuse_other_rows(self._engine.count(self._counted.where))
                return act()
            except ConnectionLost as error:
                lost = error
        raise ConnectionLost(f"{lost}; it was tried {len(WAITS)} times more") from None

    def _refuse_other_rows(self, found: int) -> None:
        if found != self.n_rows:
            raise SourceChanged(
                f"{self.source.shown} had {self.n_rows:,} rows before the connection was lost, and has "
                f"{found:,} now; begin again"
            )
