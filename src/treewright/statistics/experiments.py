"""Rows of which some were made: a column names the variables that were set in each row, not observed.

What a row says about a variable that was set is who set it, not what it depends on. So the counts of a family
leave out the rows in which its child was set (Cooper & Yoo 1999), and only those: as a parent it serves there
like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright.arguments import TABLE, require
from treewright.errors import SchemaError, nearest
from treewright.once import cached_property
from treewright.statistics.counter import Counter, Counts
from treewright.statistics.whole import count
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Scope

NOTHING = ("", "-", "none", "observed", "observational")  # labels of rows in which nothing was set
BETWEEN = "+"  # "dose+diet": both were set


class Experiments:
    """Rows with a column that names what was set in each of them.

    Parameters
    ----------
    table
        Rows of discrete columns, complete but for `column`.
    column
        Names the variables that were set, joined by "+" where there are several; "none", "observed", "-" or
        no cell at all where nothing was. It is no variable of what is learned.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 1, 0, 1], "b": [0, 1, 1, 1], "set": ["none", "none", "b", "a"]}
    >>> experiments = Experiments(tw.read_table(rows), "set")
    >>> experiments.schema.names, experiments.targets
    (('a', 'b'), (frozenset(), frozenset({'a'}), frozenset({'b'})))
    >>> experiments.rows_of("b")
    3
    >>> tw.fit(tw.Dag(experiments.schema, [("a", "b")]), experiments, prior=None).table("b").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, table: Table, column: NameOrIndex) -> None:
        require("Experiments", TABLE, table)
        where = table.schema.index(column)
        self.column = table.schema.names[where]
        others = [name for name in table.schema.names if name != self.column]
        states = table.schema.variables[where].states
        if states is None:
            raise SchemaError(
                f"{self.column!r} holds numbers; a column of what was set holds names of columns"
            )
        sets = [read_target(str(state), others, self.column) for state in states]
        codes = np.asarray(table.column(where))
        here = np.bincount(codes, minlength=len(sets)) > 0
        gap = table.missing.get(where, np.zeros(table.n_rows, dtype=bool))
        self._set = {
            name: np.array([name in one for one in sets], dtype=bool)[codes] & ~gap for name in others
        }
        found = {one for one, is_here in zip(sets, here, strict=True) if is_here}
        if gap.any():
            found.add(frozenset())
        self.targets = tuple(sorted(found, key=lambda one: (len(one), sorted(one))))
        self._table = table.select(others)

    def __repr__(self) -> str:
        return (
            f"Experiments({len(self.schema)} variables, {self._table.n_rows} rows, {len(self.targets)} kinds)"
        )

    @property
    def schema(self) -> Schema:
        return self._table.schema

    @property
    def table(self) -> Table:
        """The rows, without the column of what was set."""
        return self._table

    def rows_of(self, variable: NameOrIndex) -> int:
        """Rows in which the variable was not set."""
        return int((~self._set[self.schema.names[self.schema.index(variable)]]).sum())

    @cached_property
    def _counters(self) -> dict[bytes, Counter]:
        return {}

    def counter_of(self, variable: NameOrIndex) -> Counter:
        """Counts in the rows in which the variable was not set."""
        left_out = self._set[self.schema.names[self.schema.index(variable)]]
        key = np.packbits(left_out).tobytes()  # those set in the same rows share one
        if key not in self._counters:
            rows = self._table.take(~left_out) if left_out.any() else self._table
            self._counters[key] = count(rows)
        return self._counters[key]

    def counts_many(self, scopes: Sequence[Scope]) -> Sequence[Counts]:
        """Counts of families, the child last: all that :func:`treewright.fit` asks for."""
        children = [scope[-1] for scope in scopes]
        made: list[npt.NDArray[np.int64] | Counts] = [np.zeros(0, dtype=np.int64)] * len(scopes)
        for child in dict.fromkeys(children):
            asked = [i for i, one in enumerate(children) if one == child]
            counted = self.counter_of(child).counts_many([scopes[i] for i in asked])
            for i, counts in zip(asked, counted, strict=True):
                made[i] = counts
        return made


def read_target(label: str, names: Sequence[str], column: str) -> frozenset[str]:
    """The variables that a label names."""
    if label in names:
        return frozenset([label])
    if label.strip().lower() in NOTHING:
        return frozenset()
    parts = [part.strip() for part in label.split(BETWEEN)]
    unknown = [part for part in parts if part not in names]
    if unknown:
        raise SchemaError(
            f"{column!r} should name the columns that were set, joined by '+', or 'none'; found {label!r}, "
            f"and no column is called {unknown[0]!r}; columns are {nearest(unknown[0], list(names))}"
        )
    return frozenset(parts)
