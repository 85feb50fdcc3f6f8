"""Seeing a variable through groups of its states.

A variable of a hundred states makes tables of a hundred rows, and a few hundred cases cannot fill them. What
matters to the others is often which of a few groups its state belongs to. A merged counter adds up the cells
of states that share a group; everything built on counts then sees the groups in place of the states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from treewright.arguments import COUNTS, require
from treewright.errors import SchemaError
from treewright.once import cached_property
from treewright.statistics.counter import Counter, Counts, PluralCounter, SparseCounts
from treewright.statistics.families import FamilyStatistics, as_family_statistics
from treewright.statistics.whole import WholeCounter
from treewright.tables.schema import Label, NameOrIndex, Schema, Variable
from treewright.tables.table import Table

Groups = tuple[tuple[Label, ...], ...]
Codes = npt.NDArray[np.intp]


class MergedCounter(PluralCounter):
    """A counter over groups of states.

    Parameters
    ----------
    groups
        For some variables, by name: the groups, each a tuple of states; every state is in one of them. A
        group's number, from 0 on, is its state here.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"size": ["L", "M", "S", "S"], "fits": ["no", "yes", "yes", "no"]}))
    >>> merged = tw.statistics.MergedCounter(counter, {"size": (("L",), ("M", "S"))})
    >>> merged.counts(("size", "fits"))
    array([[1, 0],
           [1, 2]])
    """

    def __init__(self, counter: Counter, groups: Mapping[str, Groups]) -> None:
        require("MergedCounter", COUNTS, counter)
        self.counter = counter
        self.groups = dict(groups)
        self._codes = {
            counter.schema.index(name): group_codes(counter.schema[name], given)
            for name, given in self.groups.items()
        }

    @cached_property
    def schema(self) -> Schema:
        """The same names; a merged variable has the numbers of its groups as states."""
        return Schema(
            Variable(v.name, tuple(range(len(self.groups[v.name])))) if v.name in self.groups else v
            for v in self.counter.schema
        )

    @property
    def n_rows(self) -> int | float:
        return self.counter.n_rows

    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]:
        checked = [self.schema.scope(scope) for scope in scopes]
        tables = self.counter.counts_many(checked)
        for i, scope in enumerate(checked):
            for axis, v in enumerate(scope):
                if v in self._codes:
                    tables[i] = add_up(tables[i], axis, self._codes[v])
        return tables

    def sparse_counts(self, scope: Iterable[NameOrIndex]) -> SparseCounts:
        checked = self.schema.scope(scope)
        found = self.counter.sparse_counts(checked)
        shape = tuple(self.schema.cardinalities[v] for v in checked)
        states = np.unravel_index(found.codes, found.shape) if checked else ()
        merged = [self._codes[v][s] if v in self._codes else s for v, s in zip(checked, states, strict=True)]
        codes = np.ravel_multi_index(merged, shape) if checked else found.codes
        return SparseCounts.summed(shape, codes, found.counts)

    def native_statistics(self) -> FamilyStatistics | None:
        """Judgements by the core, of a table in memory whose columns are recoded once."""
        return self._recoded

    @cached_property
    def _recoded(self) -> WholeCounter | None:
        inner = as_family_statistics(self.counter)
        if not isinstance(inner, WholeCounter):
            return None
        codes, table = self._codes, inner.table
        columns = [codes[v][column] if v in codes else column for v, column in enumerate(table.columns)]
        return WholeCounter(Table(self.schema, columns, weights=table.weights))


def group_codes(variable: Variable, groups: Groups) -> Codes:
    """The number of the group of each state; every state must be in one group."""
    codes = np.full(variable.cardinality, -1, dtype=np.intp)
    for number, group in enumerate(groups):
        for state in group:
            if codes[variable.code(state)] >= 0:
                raise SchemaError(f"state {state!r} of {variable.name!r} is in two groups")
            codes[variable.code(state)] = number
    if (codes < 0).any():
        left = cast("tuple[Label, ...]", variable.states)[int(np.argmin(codes))]
        raise SchemaError(f"state {left!r} of {variable.name!r} is in no group; every state needs one")
    return codes


def add_up(table: Counts, axis: int, codes: Codes) -> Counts:
    """A table with the states along one axis added up by group."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sums: Counts = np.add.reduceat(np.take(table, order, axis=axis), starts, axis=axis)
    return sums
