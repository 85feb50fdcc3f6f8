"""Counts as they are expected to be where cells are missing: what a search may ask of rows with gaps.

A row with gaps stands for all rows that it may have been, each with its probability under a model. Their sum
over rows is a table of expected counts: exact, for any scope, also for one that the model does not join. So a
learner that asks a :class:`~treewright.statistics.Counter` learns from rows with gaps as it does from others
(the expectation of structural EM, Friedman 1997).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn, cast

import numpy as np

from treewright import _core
from treewright.arguments import MODEL, TABLE, require
from treewright.errors import SchemaError
from treewright.inference.refusals import refuse_large
from treewright.limits import check_table, memory_limit
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.family_counts import list_families
from treewright.models.model import align_evidence
from treewright.statistics.counter import Counts, PluralCounter, SparseCounts
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Cells, Scope

_SHARE = 8  # of the memory limit, for tables that were asked for


class ExpectedCounter(PluralCounter):
    """Expected counts of any scope, given rows with missing cells and a model.

    Rows with the same gaps and the same states around them are worked out once. Given what a row shows, its
    gaps fall into parts that know nothing of each other, so a table needs only the parts that it touches: of
    a part with few joint states (4096, fewer where memory is short) all of them are kept, of a larger one the
    distributions that were asked for, by a junction forest of the part. A narrow model keeps these cheap.
    The bits do not depend on the order of rows or columns, nor on the number of threads.

    Parameters
    ----------
    model
        A Bayesian network without impossible rows, as :func:`~treewright.fit` with a prior makes them.
    table
        Rows, read with `missing="em"`. Columns that it lacks are missing in every row.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = tw.read_table({"a": ["x", "x", "y", None], "b": ["p", "p", "q", "q"]}, missing="em")
    >>> model = tw.fit(tw.Dag(rows.schema, [("a", "b")]), tw.count(rows.take([True, True, True, False])))
    >>> ExpectedCounter(model, rows).counts(("a", "b")).round(3).tolist()
    [[2.0, 0.167], [0.0, 1.833]]
    """

    def __init__(self, model: BayesianNetwork, table: Table) -> None:
        require("ExpectedCounter", MODEL, model)
        require("ExpectedCounter", TABLE, table)
        require("ExpectedCounter", TABLE, table)
        self.model = model
        order, rank = self.schema.name_order, self.schema.name_ranks
        families = list_families(model.dag)
        by_name = [sorted(family, key=rank.__getitem__) for family in (families[v] for v in order)]
        tables = [
            np.transpose(model.tables[v], [families[v].index(u) for u in scope]).reshape(-1)
            for v, scope in zip(order, by_name, strict=True)
        ]
        columns, weights = align_evidence(self.schema, table), table.weights
        codes, masks = columns.native()
        try:
            self._native = _core.ExpectedTables(
                [self.schema.cardinalities[v] for v in order],
                [[rank[u] for u in scope] for scope in by_name],
                np.concatenate(tables) if tables else np.zeros(0),
                [codes[v] for v in order],
                [masks[v] for v in order],
                columns.n_rows,
                np.zeros(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
                memory_limit(),
            )
        except _core.TooLarge as refused:
            self._refuse(refused)
        self.n_rows = float(table.n_rows if weights is None else np.sum(weights, dtype=np.float64))
        self._known: dict[Scope, Cells] = {}
        self._bytes = 0

    @property
    def schema(self) -> Schema:
        return self.model.schema

    @property
    def n_parts(self) -> tuple[int, int]:
        """Different parts of rows with what is around them; those that are not kept whole."""
        return self._native.n_runs, self._native.n_large

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        """The tables of many scopes, worked out in threads; what was asked before is remembered."""
        rank = self.schema.name_ranks
        asked = [self.schema.scope(scope) for scope in scopes]
        keys = [tuple(sorted(rank[v] for v in scope)) for scope in asked]
        known = self._look_up(keys)
        return [
            np.transpose(known[key], [key.index(rank[v]) for v in scope])
            for key, scope in zip(keys, asked, strict=True)
        ]

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        """Occupied cells only."""
        return SparseCounts.of(cast("Counts", np.ascontiguousarray(self.counts(scope))))

    def _look_up(self, keys: Sequence[Scope]) -> dict[Scope, Cells]:
        found = {key: self._known[key] for key in keys if key in self._known}
        new = [key for key in dict.fromkeys(keys) if key not in found]
        order = self.schema.name_order
        for key in new:
            check_table(self.schema, tuple(order[u] for u in key))
        try:
            tables = self._native.counts(new)
        except _core.TooLarge as refused:
            self._refuse(refused)
        except ValueError as refused:
            raise SchemaError(
                f"{refused}, so nothing is expected of it; fit the model with a prior (tw.Dirichlet(1.0))"
            ) from refused
        for key, cells in zip(new, tables, strict=True):
            found[key] = cells.reshape([self.schema.cardinalities[order[u]] for u in key])
            self._bytes += cells.nbytes
        if self._bytes > memory_limit() // _SHARE:
            self._known, self._bytes = {}, sum(found[key].nbytes for key in new)
        self._known.update((key, found[key]) for key in new)
        return found

    def _refuse(self, refused: _core.TooLarge) -> NoReturn:
        refuse_large(self.schema.select(self.schema.name_order), refused)
