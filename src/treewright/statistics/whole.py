"""Counting a table that is in memory, in the native core.

Columns are borrowed, bit-packed on first use and counted by whichever of four kernels is cheapest. Scores and
tests of batches are made in the same pass that counts (the methods of
:class:`~treewright.statistics.families.FamilyStatistics`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import TABLE, require
from treewright.errors import MissingValuesError, SchemaError, SettingError, TableTooLarge, WeightError
from treewright.limits import MOST_AXES, check_table, memory_limit, table_axes, table_cells
from treewright.once import cached_property
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.families import (
    NOT_INDICES,
    Family,
    Judged,
    Query,
    ScoreSettings,
    TestKind,
    TestSettings,
)
from treewright.statistics.information import information_from_tests
from treewright.tables._reading.sources import named_table
from treewright.tables.mapped_table import MappedTable
from treewright.tables.packing import Reading, open_rows
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.sql import SqlTable
from treewright.types import Floats, Scope

if TYPE_CHECKING:
    from treewright.tables.table import Table


# Sums of weights stay exact, and products of two of them finite, below this.
_LARGEST_TOTAL = 2**53
_SCOPES = (tuple, list, Sequence)  # the quick ones first


def count(table: Table) -> WholeCounter:
    """Count the rows of a table: the first of the four verbs. Scores and tests are built on the counter.

    Parameters
    ----------
    table
        A table without missing values (`read_table(..., missing="drop")` or `"state"` remove them).
        Continuous columns may be there; they just cannot be counted.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": ["x", "x", "y"], "b": [0, 1, 1]}))
    >>> counter.counts(("a", "b"))
    array([[1, 1],
           [0, 1]])
    """
    require("count", TABLE, table)
    return WholeCounter(table)


def open_source(
    source: Any,
    *,
    client: Any = None,
    mode: Literal["rows", "counts"] | None = None,
    cache: str | os.PathLike[str] | None = None,
    rows: int | None = None,
    **reading: Unpack[Reading],
) -> Counter:
    """Count any source of rows, however many: in memory where they fit, else from a packed file.

    Parameters
    ----------
    source
        Whatever :func:`~treewright.read_table` reads; with a `client` files that the workers see.
    client
        Have workers count: a ``distributed.Client``, the address of a Dask scheduler, or a pool of
        :mod:`treewright.statistics.cluster`.
    mode
        For tables of databases: "rows" reads them once; "counts" leaves them there and has the database
        count (:class:`~treewright.statistics.DatabaseCounter`), for rows that may not leave it.
    cache
        The folder of packed files, which are made where a table would take more than half of the memory
        limit; one of the same files and options is used again. By default a folder of the user's own.
    rows
        Count about so many rows only, evenly taken.
    reading
        The options of :func:`~treewright.read_table`.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.open_source({"a": ["x", "x", "y"]}).counts(("a",))
    array([2, 1])
    """
    if mode == "counts":
        others = {"client": client, "cache": cache, "rows": rows}
        return _left_in_place(named_table(source), others, reading)
    if mode not in (None, "rows"):
        raise SettingError(f"mode= is 'rows' or 'counts'; found {mode!r}")
    if client is None:
        return count(open_rows(source, cache, rows, **reading))
    from treewright.statistics.cluster.counter import open_cluster  # which is built on this

    found = open_cluster(source, client, cache=cache, **reading)
    return found if rows is None else found.sampled(rows)


def _left_in_place(source: Any, settings: Mapping[str, object], reading: Reading) -> Counter:
    from treewright.statistics.in_database.counter import DatabaseCounter

    if not isinstance(source, SqlTable):
        raise SettingError(
            f"mode='counts' is for tables of databases (SqlTable); found {type(source).__name__}"
        )
    others = [name for name, value in settings.items() if value is not None]
    others += sorted(reading.keys() - {"schema", "columns", "missing", "unseen"})
    if others:
        raise SettingError(f"{others[0]}= means nothing to mode='counts', which reads no rows")
    return DatabaseCounter(source, **reading)  # type: ignore[misc]


class WholeCounter(PluralCounter):
    """A counter over one table; see :func:`count`."""

    def __init__(self, table: Table) -> None:
        require("WholeCounter", TABLE, table)
        if table.has_missing:
            names = ", ".join(repr(table.schema.names[v]) for v in table.missing)
            raise MissingValuesError(
                f"counting needs complete rows; there are missing values in {names}: read the table with "
                'missing="drop" or missing="state" (fit_em fits a structure to incomplete rows)'
            )
        self.table = table
        if isinstance(table, MappedTable):
            check_total(table.total)
            self._packed = table.packed()
            return
        weights = table.weights
        check_total(0.0 if weights is None else float(np.sum(weights, dtype=np.float64)))
        is_real = weights is not None and weights.dtype.kind == "f"
        columns = zip(table.schema, table.columns, strict=True)
        self._packed = _core.pack(
            [column if variable.is_discrete else None for variable, column in columns],
            table.schema.cardinalities,
            table.n_rows,
            cast("npt.NDArray[np.int64] | None", None if is_real else weights),
            cast("npt.NDArray[np.float64] | None", weights if is_real else None),
        )

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @property
    def n_rows(self) -> int | float:
        return self._packed.real_total if self._packed.is_real else self._packed.total

    def __reduce__(self) -> tuple[Any, ...]:
        return count, (self.table,)  # of a packed file the path

    def row_blocks(self) -> tuple[WholeCounter]:
        """The rows themselves: see :class:`~treewright.statistics.RowSource`."""
        return (self,)

    @property
    def packed(self) -> _core.PackedTable:
        """The rows as the core holds them."""
        return self._packed

    @cached_property
    def copies(self) -> list[list[int]]:
        """Groups of columns that are one-to-one relabellings of each other; the rows are read once for it."""
        return _core.find_copies(self._packed)

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        """The tables of many scopes, counted in threads; axes are those of `limits.table_axes`."""
        if len(self.schema) > MOST_AXES:
            scopes = [table_axes(self.schema, self.schema.scope(s)) if _is_wide(s) else s for s in scopes]
        try:  # the core checks indices and sizes faster than a loop here would
            found = _core.counts(self._packed, cast("Sequence[Scope]", scopes), memory_limit())
        except NOT_INDICES:
            checked = [self._discrete(scope) for scope in scopes]
            for scope in checked:
                check_table(self.schema, scope)
            found = _core.counts(self._packed, checked, memory_limit())
        return [_own(cells) for cells in found]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        """Occupied cells only: memory grows with the rows, not with the cells."""
        checked = self._discrete(scope)
        if table_cells(self.schema, checked) >= 2**63:
            raise TableTooLarge(
                f"a table over {', '.join(self.schema.names_of(checked))} has more cells than 64-bit "
                "positions can number; use fewer variables"
            )
        codes, counts = _core.sparse_counts(self._packed, checked)
        shape = tuple(self.schema.cardinalities[v] for v in checked)
        return SparseCounts(shape, codes.view(np.int64), _own(counts))

    def sparse_counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[SparseCounts]:
        return [self.sparse_counts(scope) for scope in scopes]

    def partners(
        self, context: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> tuple[npt.NDArray[np.uint32], list[Counts]]:
        """One context against many partners, in one pass over the rows.

        First the states of the context, one row per configuration that occurs, in lexicographic order; then
        for each partner a matrix: configurations x states.
        """
        if self._packed.is_real:
            raise WeightError("counting against all partners at once takes integer weights; found real ones")
        scope, others = self._discrete(context), self._discrete(partners)
        configurations, cells = _core.count_partners(self._packed, scope, others)
        ends = np.cumsum([self.schema.cardinalities[v] for v in others])[:-1]
        return configurations, np.split(cells, ends, axis=1) if others else []

    def pairwise_information(self, variables: Iterable[NameOrIndex] | None = None) -> Floats:
        """Mutual information of all pairs in nats, as a symmetric matrix with a zero diagonal."""
        every = tuple(v for v, variable in enumerate(self.schema) if variable.is_discrete)
        scope = every if variables is None else self._discrete(variables)
        if self._packed.is_real:
            return information_from_tests(self, scope)
        return _core.pairwise_information(self._packed, scope)

    # ------------------------------------------------------------------ judged while counted
    def score_pairs(self, settings: ScoreSettings) -> Floats:
        return _core.score_pairs(self._packed, settings.kind, settings.ess, range(len(self.schema)))

    def score_families(self, settings: ScoreSettings, families: Sequence[Family]) -> Floats:
        return _core.score_families(self._packed, settings.kind, settings.ess, families)

    def score_additions(
        self, settings: ScoreSettings, child: int, parents: Scope, candidates: Sequence[int]
    ) -> Floats:
        return _core.score_child(self._packed, settings.kind, settings.ess, child, parents, candidates)[1]

    def score_deletions(self, settings: ScoreSettings, child: int, parents: Scope) -> Floats:
        return _core.score_child(self._packed, settings.kind, settings.ess, child, parents, [])[2]

    def test_queries(self, settings: TestKind, queries: Sequence[Query]) -> Judged:
        if isinstance(settings, TestSettings):
            return _core.test_queries(self._packed, settings.statistic, settings.degrees, queries)
        return _core.posterior_queries(self._packed, *settings.native, queries)

    def test_partners(self, settings: TestKind, x: int, given: Scope, partners: Sequence[int]) -> Judged:
        if isinstance(settings, TestSettings):
            return _core.test_partners(self._packed, settings.statistic, settings.degrees, x, given, partners)
        return _core.posterior_partners(self._packed, *settings.native, x, given, partners)

    def _discrete(self, scope: Iterable[NameOrIndex]) -> Scope:
        checked = self.schema.scope(scope)
        for v in checked:
            if not self.schema.variables[v].is_discrete:
                raise SchemaError(
                    f"{self.schema.names[v]!r} is continuous and cannot be counted; read it with bins=, "
                    "or use moments()"
                )
        return checked


def check_total(total: float) -> None:
    if total >= _LARGEST_TOTAL:
        raise WeightError(f"row weights add up to {total:.3g}; the most is 2^53")


def _is_wide(scope: object) -> bool:
    """Whether a table over so many variables may have more axes than an array can."""
    return isinstance(scope, _SCOPES) and len(scope) > MOST_AXES


def _own(cells: Any) -> Counts:
    """Counts under NumPy's own name of their type: the core's 64-bit integers are `longlong` to it."""
    counts: Counts = cells if cells.dtype.kind == "f" else cells.view(np.int64)
    return counts
