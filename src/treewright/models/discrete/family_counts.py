"""Counts of every family of a DAG: all that its tables need to know about the rows, and they add up.

A model that carries them can learn from further rows without the earlier ones: the counts of the new rows are
added, and the tables are made anew from the sums. Whole counts add exactly, so parts of the data taken one
after another give the very model that all of it gives at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from treewright.arguments import DAG, require
from treewright.errors import (
    MissingValuesError,
    SchemaError,
    SettingError,
    TableTooLarge,
    WeightError,
    nearest,
)
from treewright.graphs.directed.dag import Dag
from treewright.limits import format_count, memory_limit, table_axes
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.model import Rows, Unseen, align_columns, as_rows, settle_unseen
from treewright.ranges import in_range
from treewright.statistics.counter import Counts
from treewright.statistics.whole import count
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Floats, Scope


@in_range
@dataclass(frozen=True)
class Dirichlet:
    """A Dirichlet prior: `ess` imagined rows, spread evenly over the cells of every family.

    Examples
    --------
    >>> Dirichlet(2.0).ess
    2.0
    """

    ess: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ess) and self.ess > 0):
            raise SchemaError(
                f"the equivalent sample size of a Dirichlet prior is a positive number; found {self.ess!r} "
                "(prior=None fits by maximum likelihood)"
            )


ONE_ROW = Dirichlet(1.0)


def estimate(counts: Floats, prior: Dirichlet | None) -> Floats:
    """The distribution of the last axis given the others; uniform where nothing was counted or imagined."""
    cells = counts + (prior.ess / counts.size if prior else 0.0)
    totals = cells.sum(axis=-1, keepdims=True)
    uniform = np.full_like(cells, 1 / cells.shape[-1])
    return np.asarray(np.divide(cells, totals, out=uniform, where=totals > 0))


class FamilyCounter(Protocol):
    """What fitting needs of a counter."""

    @property
    def schema(self) -> Schema: ...

    def counts_many(self, scopes: Sequence[Scope]) -> Sequence[npt.NDArray[Any]]: ...


class FamilyCounts:
    """The counts of each variable with its parents, met by name in a counter; whole or real-weighted.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": ["x", "x", "y", "y"], "b": [0, 1, 1, 1]})
    >>> dag = tw.Dag(table.schema, [("a", "b")])
    >>> first, second = (FamilyCounts(dag, tw.count(shard)) for shard in table.shards(2))
    >>> (first + second).table("b").tolist()
    [[1, 1], [0, 2]]
    >>> (first + second).fit() == tw.fit(dag, tw.count(table))
    True
    """

    def __init__(self, dag: Dag, counter: FamilyCounter) -> None:
        require("FamilyCounts", DAG, dag)
        families = list_families(dag)
        refuse_large_tables(dag.schema, families)
        positions = counted_positions(dag.schema, counter.schema)
        counted = counter.counts_many([tuple(positions[v] for v in family) for family in families])
        self._dag, self._tables = dag, tuple(_own(np.asarray(counts)) for counts in counted)

    @classmethod
    def from_tables(cls, dag: Dag, tables: Sequence[npt.ArrayLike]) -> FamilyCounts:
        """Counts that are there already: one array per variable, an axis per parent, then the variable's own.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> coin = Dag(Schema([Variable("side", ("heads", "tails"))]))
        >>> FamilyCounts.from_tables(coin, [[3, 1]]).fit(prior=None).table("side").tolist()
        [0.75, 0.25]
        """
        if len(tables) != len(dag.schema):
            raise SchemaError(
                f"every variable needs its counts; found {len(tables)} for {len(dag.schema)} variables"
            )
        made = cls.__new__(cls)
        made._dag, made._tables = dag, tuple(_own(np.array(table)) for table in tables)
        for family, table in zip(list_families(dag), made._tables, strict=True):
            shape = tuple(dag.schema.cardinalities[v] for v in family)
            name = dag.schema.names[family[-1]]
            if table.shape != shape:
                raise SchemaError(
                    f"the counts of {name!r} have the shape {table.shape}; its states ask for {shape}"
                )
            if not (np.isfinite(table).all() and (table >= 0).all()):
                raise WeightError(f"counts are finite numbers from 0 on; found others in those of {name!r}")
        return made

    @property
    def dag(self) -> Dag:
        return self._dag

    @property
    def schema(self) -> Schema:
        return self._dag.schema

    @property
    def tables(self) -> tuple[Counts, ...]:
        """The counts in schema order, read-only."""
        return self._tables

    @property
    def n_rows(self) -> int | float:
        """Rows counted: the sum of their weights."""
        # where cells were left out, the family that most rows show
        return max((table.sum().item() for table in self._tables), default=0)

    def table(self, name: NameOrIndex) -> Counts:
        """The counts of one variable: an axis per parent (in schema order), then the variable's states."""
        return self._tables[self.schema.index(name)]

    def __add__(self, other: FamilyCounts) -> FamilyCounts:
        """The counts of the rows of both."""
        if not isinstance(other, FamilyCounts):
            return NotImplemented
        if self._dag != other._dag or self.schema.variables != other.schema.variables:
            raise SchemaError("counts add up over one structure and one schema; these are of different ones")
        sums = [np.add(a, b) for a, b in zip(self._tables, other._tables, strict=True)]
        return FamilyCounts.from_tables(self._dag, sums)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FamilyCounts):
            return NotImplemented
        return (
            self._dag == other._dag
            and self.schema == other.schema
            and all(np.array_equal(a, b) for a, b in zip(self._tables, other._tables, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        cells = sum(table.size for table in self._tables)
        return f"<FamilyCounts: {len(self.schema)} families, {cells:,} cells, {self.n_rows:,} rows>"

    def fit(self, *, prior: Dirichlet | None = ONE_ROW, keep_counts: bool = False) -> BayesianNetwork:
        """The network that these counts give; as :func:`treewright.fit`, without counting."""
        cells = [np.asarray(counts, dtype=np.float64) for counts in self._tables]
        empty = [int(np.count_nonzero(counts.sum(axis=-1) == 0)) for counts in cells]
        unseen = {name: n for name, n in zip(self.schema.names, empty, strict=True) if n}
        model = BayesianNetwork(self._dag, [estimate(counts, prior) for counts in cells], unseen=unseen)
        return model.with_counts(self, prior) if keep_counts else model


def partial_fit(
    model: BayesianNetwork, data: Rows | FamilyCounter, unseen: Unseen = "error"
) -> BayesianNetwork:
    """A new model from the rows behind `model` and those of `data`; see `BayesianNetwork.partial_fit`."""
    if model.counts is None:
        raise SettingError(
            "partial_fit adds rows to the counts that a model carries, and this one carries none; "
            "fit it with keep_counts=True"
        )
    counter = data if hasattr(data, "counts_many") else _count_in_states(model, data, unseen)
    counts = model.counts + FamilyCounts(model.dag, counter)
    fitted = counts.fit(prior=model.prior, keep_counts=True)
    return fitted.with_provenance(model.provenance) if model.provenance else fitted


@dataclass(frozen=True)
class SeenCells:
    """Counts of rows some of whose cells are left out: a scope is counted in the rows that show all of it."""

    table: Table

    @property
    def schema(self) -> Schema:
        return self.table.schema

    def counts_many(self, scopes: Iterable[Scope]) -> list[Counts]:
        groups: dict[Scope, list[Scope]] = {}  # scopes by what some rows do not show of them
        asked = list(scopes)
        for scope in asked:
            groups.setdefault(tuple(v for v in scope if v in self.table.missing), []).append(scope)
        found: dict[Scope, Counts] = {}
        for hidden, some in groups.items():
            gaps = [self.table.missing[v] for v in hidden]
            rows = self.table.take(~np.logical_or.reduce(gaps)) if gaps else self.table
            whole = Table(rows.schema, rows.columns, weights=rows.weights)
            found |= zip(some, count(whole).counts_many(some), strict=True)
        return [found[scope] for scope in asked]


def _count_in_states(model: BayesianNetwork, data: Rows, unseen: Unseen) -> FamilyCounter:
    """The rows counted in the model's own states, whatever the columns look like."""
    table = as_rows(model.schema, data, "error" if isinstance(data, Table) else unseen)
    gaps = [table.schema.names[v] for v in table.missing]
    if not isinstance(data, Table) and table.report is not None:  # masks are of labels left out, too
        gaps = [column.name for column in table.report.columns if column.n_missing]
    holes = [name for name in gaps if name in model.schema]
    if holes:
        raise MissingValuesError(
            f"partial_fit counts complete rows; column {holes[0]!r} has missing values: drop those rows, or "
            "fit all rows together with fit_em"
        )
    rows = settle_unseen(model.schema, table, unseen) if isinstance(data, Table) else table
    if rows.has_missing:
        return SeenCells(rows)
    columns = align_columns(model.schema, rows)
    weights = None if table.weights is None else np.asarray(table.weights)
    return count(Table(model.schema, columns, weights=weights))


def list_families(dag: Dag) -> list[Scope]:
    """The axes of every variable's table: parents, then the variable (see :func:`table_axes`)."""
    return [table_axes(dag.schema, (*dag.parents(v), v)) for v in range(len(dag.schema))]


def refuse_large_tables(schema: Schema, families: Sequence[Scope]) -> None:
    cells = [math.prod(schema.cardinalities[v] for v in family) for family in families]
    needed, limit = 8 * sum(cells), memory_limit()
    if needed > limit:
        *parents, child = schema.names_of(families[cells.index(max(cells))])
        raise TableTooLarge(
            f"the tables take {format_count(needed)} bytes, above the memory limit of {limit:,}; the "
            f"largest is that of {child!r} given {', '.join(map(repr, parents))}: use fewer parents, or "
            "raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
        )


def _own(counts: npt.NDArray[Any]) -> Counts:
    """A read-only copy: whole numbers as int64, others as float64."""
    kind: type[Any] = np.int64 if counts.dtype.kind in "biu" else np.float64
    cells: Counts = np.array(counts, dtype=kind, order="C")
    cells.setflags(write=False)
    return cells


def counted_positions(schema: Schema, counted: Schema) -> list[int]:
    """Where the counter keeps each variable; states must be the same, in the same order."""
    for variable in schema:
        if variable.name not in counted:
            raise SchemaError(
                f"the structure has a variable {variable.name!r} that was not counted; "
                f"counted were {nearest(variable.name, counted.names)}"
            )
        if counted[variable.name].states != variable.states:
            raise SchemaError(
                f"{variable.name!r} has the states {variable.states} in the structure and "
                f"{counted[variable.name].states} in the counts; build both from one schema"
            )
    return [counted.index(name) for name in schema.names]
