"""Moments of continuous columns in each joint state of discrete ones: the additive statistic of mixed models.

A family of a mixed network asks for one thing: in each joint state of its discrete parents, how many rows
there are, the mean of its numbers and their scatter around it. :class:`StateMoments` is that, for the joint
states that occur, and adds: two shards merge state by state as two :class:`~treewright.Moments` do.
:class:`MixedMoments` is whoever answers such questions: about one table or about many shards, in whatever
order they come.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arguments import TABLE, all_of, require
from treewright.errors import MissingValuesError, SchemaError
from treewright.once import cached_property
from treewright.statistics.counter import Counter
from treewright.statistics.sharded import ShardedCounter
from treewright.statistics.whole import count
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.sharded import ShardedTable
from treewright.tables.table import Table
from treewright.types import Brief, Floats, Names

Positions = npt.NDArray[np.intp]

_MOST_POSITIONS = 1 << 62
_REMEMBERED = 1 << 28  # bytes of moments that are kept for the next question
_WHOLE = 1 << 24  # bytes up to which the moments of all columns are worked out at once
_FEW_ROWS = 32  # of a joint state, from which on its scatter is a product of matrices


@dataclass(frozen=True, eq=False)
class StateMoments(Brief):
    """Rows, means and scatters in each joint state that occurs, sorted by state.

    Attributes
    ----------
    discrete, continuous
        Names, each in sorted order.
    states
        The joint states that occur, a row of codes each.
    n
        Rows (or their weights) of each.
    mean, scatter
        Of each: a number per continuous column, and sums of (x - mean)(x - mean)'.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"sex": ["f", "f", "m"], "height": [160.5, 170.5, 180.5]}
    >>> found = mixed_moments(tw.read_table(rows)).in_states(["sex"], ["height"])
    >>> found.n.tolist(), found.mean.tolist(), found.scatter.tolist()
    ([2.0, 1.0], [[165.5], [180.5]], [[[50.0]], [[0.0]]])
    """

    discrete: Names
    continuous: Names
    states: Positions
    n: Floats
    mean: Floats
    scatter: Floats

    def __add__(self, other: StateMoments) -> StateMoments:
        if not isinstance(other, StateMoments):
            return NotImplemented
        if (self.discrete, self.continuous) != (other.discrete, other.continuous):
            raise SchemaError(
                f"moments of different columns do not add: {self.discrete + self.continuous} and "
                f"{other.discrete + other.continuous}"
            )
        states, where = np.unique(np.concatenate([self.states, other.states]), axis=0, return_inverse=True)
        parts = np.split(where.ravel(), [len(self.states)])
        n, means, scatters = [], [], []
        for part, at in zip((self, other), parts, strict=True):
            weight, mean = np.zeros(len(states)), np.zeros((len(states), len(self.continuous)))
            scatter = np.zeros((*mean.shape, len(self.continuous)))
            weight[at], mean[at], scatter[at] = part.n, part.mean, part.scatter
            n.append(weight)
            means.append(mean)
            scatters.append(scatter)
        total = n[0] + n[1]
        share = np.divide(n[1], total, out=np.zeros_like(total), where=total > 0)
        apart = means[1] - means[0]
        between = (n[0] * share)[:, None, None] * apart[:, :, None] * apart[:, None, :]
        mean = means[0] + share[:, None] * apart
        return StateMoments(
            self.discrete, self.continuous, states, total, mean, scatters[0] + scatters[1] + between
        )

    def select(self, continuous: Sequence[str]) -> StateMoments:
        """The moments of some of the continuous columns, by name."""
        at = [self.continuous.index(name) for name in continuous]
        if len(at) == len(self.continuous):
            return self
        return StateMoments(
            self.discrete,
            tuple(continuous),
            self.states,
            self.n,
            self.mean[:, at],
            self.scatter[:, at][:, :, at],
        )

    @property
    def nbytes(self) -> int:
        return self.states.nbytes + self.n.nbytes + self.mean.nbytes + self.scatter.nbytes


class MixedMoments:
    """Answers how many rows, what means and what scatters there are in joint states of some columns.

    Parameters
    ----------
    tables
        Shards of one schema, which has discrete and continuous columns and misses nothing. Rows may have
        weights.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": ["x", "y"] * 3, "z": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]})
    >>> whole, parts = MixedMoments([table]), MixedMoments(table.shards(2))
    >>> whole.in_states(["a"], ["z"]).mean.tolist() == parts.in_states(["a"], ["z"]).mean.tolist()
    True
    >>> whole
    MixedMoments(1 discrete and 1 continuous columns, 6 rows)
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        self.tables: tuple[Table, ...] = all_of("MixedMoments", TABLE, tables)
        if not self.tables:
            raise SchemaError("there is nothing to take moments of; give one table at least")
        for table in self.tables:
            _check_cells(table)
        self._prepare(ShardedTable(self.tables).schema)

    def _prepare(self, schema: Schema) -> None:
        self.schema = schema
        self.discrete: Names = tuple(sorted(v.name for v in schema if v.is_discrete))
        self.continuous: Names = tuple(sorted(v.name for v in schema if not v.is_discrete))
        self._known: OrderedDict[tuple[Names, Names], StateMoments] = OrderedDict()
        self._bytes = 0

    def __repr__(self) -> str:
        kinds = f"{len(self.discrete)} discrete and {len(self.continuous)} continuous columns"
        return f"MixedMoments({kinds}, {self.n_rows:,} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return MixedMoments, (self.tables,)

    @property
    def n_rows(self) -> int:
        return sum(table.n_rows for table in self.tables)

    @cached_property
    def n(self) -> float:
        """The rows, each counted by its weight."""
        return float(self.in_states((), ()).n.sum())

    @cached_property
    def counter(self) -> Counter:
        """Counts of the discrete columns."""
        counters = [count(table.select(self.discrete)) for table in self.tables]
        return counters[0] if len(counters) == 1 else ShardedCounter(counters)

    def in_states(self, discrete: Iterable[NameOrIndex], continuous: Iterable[NameOrIndex]) -> StateMoments:
        """The moments of continuous columns in each joint state of discrete ones that occurs."""
        scope = self._named(discrete, is_discrete=True)
        wanted = self._named(continuous, is_discrete=False)
        key = scope, self.continuous
        if key not in self._known:
            most = min(self.n_rows, self._n_states(scope))
            if 8 * most * len(self.continuous) ** 2 > _WHOLE:
                key = scope, wanted
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key].select(wanted)
        found = self._known[key] = self._worked_out(*key)
        self._bytes += found.nbytes
        while self._bytes > _REMEMBERED and len(self._known) > 1:
            self._bytes -= self._known.popitem(last=False)[1].nbytes
        return found.select(wanted)

    def _worked_out(self, discrete: Names, continuous: Names) -> StateMoments:
        return reduce(lambda a, b: a + b, (_moments_of(table, discrete, continuous) for table in self.tables))

    def _n_states(self, scope: Names) -> int:
        states = 1
        for name in scope:
            states *= self.schema[name].cardinality
        return states

    def _named(self, which: Iterable[NameOrIndex], *, is_discrete: bool) -> Names:
        names = tuple(sorted(self.schema.names_of(self.schema.scope(which))))
        for name in names:
            if self.schema[name].is_discrete != is_discrete:
                kind = "continuous" if is_discrete else "discrete"
                raise SchemaError(f"moments in states: {name!r} is {kind}, on the wrong side of in_states")
        return names


def mixed_moments(table: Table | ShardedTable | Iterable[Table]) -> MixedMoments:
    """Moments of a table of discrete and continuous columns, or of its shards.

    Examples
    --------
    >>> import treewright as tw
    >>> mixed_moments(tw.read_table({"a": ["x", "y", "y"], "z": [0.5, 1.5, 2.5]})).n
    3.0
    """
    if isinstance(table, Table):
        return MixedMoments([table])
    if not isinstance(table, Iterable):
        require("mixed_moments", TABLE, table)
    tables = list(table)
    for one in tables:
        require("mixed_moments", TABLE, one)
    return MixedMoments(tables)


def _check_cells(table: Table) -> None:
    if table.has_missing:
        names = ", ".join(repr(table.schema.names[v]) for v in list(table.missing)[:8])
        raise MissingValuesError(
            f"moments need something in every cell; cells are missing in {names}: drop these rows or columns "
            'first, as with read_table(..., missing="drop")'
        )
    for variable, column in zip(table.schema, table.columns, strict=True):
        if not variable.is_discrete:
            with np.errstate(over="ignore"):
                square = float(np.square(column, dtype=np.float64).sum()) if len(column) else 0.0
            if not np.isfinite(square):
                raise SchemaError(
                    f"numbers too large to be squared in {variable.name!r}; rescale this column"
                )


def _moments_of(table: Table, discrete: Names, continuous: Names) -> StateMoments:
    states, order, starts = _grouped(table, discrete)
    ends = np.append(starts[1:], table.n_rows)
    weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
    weights = weights[order]
    n = np.add.reduceat(weights, starts) if table.n_rows else np.zeros(0)
    rows = np.empty((table.n_rows, len(continuous)))
    for k, name in enumerate(continuous):
        rows[:, k] = table.column(name)[order]
    mean = np.zeros((len(starts), len(continuous)))
    if table.n_rows and continuous:
        sums = np.add.reduceat(rows * weights[:, None], starts, axis=0)
        mean = np.divide(sums, n[:, None], out=np.zeros_like(sums), where=n[:, None] > 0)
        rows -= np.repeat(mean, ends - starts, axis=0)
    scatter = _scatters(rows, weights, starts, ends)
    return StateMoments(discrete, continuous, states, n, mean, scatter)


def _scatters(rows: Floats, weights: Floats, starts: Positions, ends: Positions) -> Floats:
    """Sums of products of what is left around the means: a matrix product for each state of many rows."""
    n_columns = rows.shape[1]
    scatter = np.zeros((len(starts), n_columns, n_columns))
    if not len(rows) or not n_columns:
        return scatter
    if len(rows) < _FEW_ROWS * len(starts):  # many states of few rows: one pass for each pair of columns
        for i in range(n_columns):
            some = rows[:, i, None] * weights[:, None] * rows[:, : i + 1]
            scatter[:, i, : i + 1] = np.add.reduceat(some, starts, axis=0)
            scatter[:, : i + 1, i] = scatter[:, i, : i + 1]
        return scatter
    for k, (begin, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        some = rows[begin:end]
        found = (some * weights[begin:end, None]).T @ some
        scatter[k] = (found + found.T) / 2
    return scatter


def _grouped(table: Table, discrete: Names) -> tuple[Positions, Positions, Positions]:
    """The joint states that occur, the rows sorted by them, and where each begins."""
    n = table.n_rows
    position, most = np.zeros(n, dtype=np.int64), 1
    columns = [np.asarray(table.column(name), dtype=np.int64) for name in discrete]
    for name, column in zip(discrete, columns, strict=True):
        states = table.schema[name].cardinality
        if most * states > _MOST_POSITIONS:  # more joint states than numbers: only those that occur count
            occurring, position = np.unique(position, return_inverse=True)
            most = len(occurring)
        position, most = position * states + column, most * states
    order = np.argsort(position, kind="stable")
    sorted_position = position[order]
    starts = np.flatnonzero(np.concatenate([[True], sorted_position[1:] != sorted_position[:-1]])[:n])
    first = order[starts]
    states_of = np.stack([column[first] for column in columns], axis=1) if columns else None
    found = np.zeros((len(starts), 0), dtype=np.intp) if states_of is None else states_of.astype(np.intp)
    return found, order.astype(np.intp), starts.astype(np.intp)
