"""What gaps do: whether being missing depends on other columns, and the indicators as variables.

A column's indicator says in which rows it is missing. Where it depends on nothing, rows that miss nothing are
like all others. Where it depends on columns that are there, they are not, and neither are available pairs;
expected counts are right still. Whether it depends on the missing cell itself no row can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.automatic.rows import INTERVALS, columns_that_miss, is_complete, read_again
from treewright.criteria import GTest
from treewright.errors import SchemaError
from treewright.graphs import Knowledge
from treewright.ranges import in_range
from treewright.statistics import AvailableCounter
from treewright.tables import Schema, Table, Variable
from treewright.tables.exports import counted
from treewright.tables.report import listed
from treewright.types import Brief

_ENDING = " is missing"
_SHOWN = 4  # columns that a sentence names


@dataclass(frozen=True)
class ColumnGaps(Brief):
    """The gaps of one column, and what they depend on.

    Attributes
    ----------
    name
        Of the column.
    n_missing
        Rows that miss it.
    depends_on
        Columns whose states tell whether it is missing, with p-values, the least first.
    together_with
        Columns that are missing together with it, or instead of it, with p-values.
    """

    name: str
    n_missing: int
    depends_on: Mapping[str, float]
    together_with: Mapping[str, float]

    def __str__(self) -> str:
        said = f"{self.name} is missing in {counted(self.n_missing, 'row')}"
        if self.depends_on:
            said += f", which depends on {listed(list(self.depends_on), _SHOWN)}"
        if self.together_with:
            said += f"{' and' if self.depends_on else ','} goes with gaps in "
            said += listed(list(self.together_with), _SHOWN)
        if not self.depends_on and not self.together_with:
            said += ", whatever the other columns are"
        return said


@dataclass(frozen=True)
class GapsReport(Brief):
    """What the gaps of a table do, column by column; those that miss most come first."""

    n_rows: int
    n_complete: int
    columns: tuple[ColumnGaps, ...]

    @property
    def dependent(self) -> tuple[str, ...]:
        """Columns whose gaps depend on what other columns show."""
        return tuple(one.name for one in self.columns if one.depends_on)

    def __str__(self) -> str:
        first = f"{self.n_complete:,} of {self.n_rows:,} rows miss nothing"
        return "\n".join([first, *map(str, self.columns)])


@in_range
def describe_gaps(table: Table, *, alpha: float = 0.01) -> GapsReport:
    """Test, for each column with gaps, whether being missing depends on the other columns.

    Each G test of an indicator takes the rows that show the other column; against its indicator, all rows.
    The level is divided by the number of tests. Numbers are cut into four intervals.

    Parameters
    ----------
    table
        Rows, read with `missing="em"`.
    alpha
        Level of all tests together.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"sick": ["no", "yes"] * 40, "dose": [None, "low", "high", "high"] * 20}
    >>> print(describe_gaps(tw.read_table(rows, missing="em")))
    60 of 80 rows miss nothing
    dose is missing in 20 rows, which depends on sick
    """
    cut = in_states(table)
    names = columns_that_miss(cut)
    marked = with_indicators(cut)
    test = GTest(AvailableCounter(marked), alpha=alpha)
    mine = [(one, other) for one in names for other in cut.schema.names if other != one]
    both = [(one, other) for one in names for other in names if other != one]
    asked = [(indicator_of(one), other, ()) for one, other in mine]
    asked += [(indicator_of(one), indicator_of(other), ()) for one, other in both]
    p_values = test.test_many(asked).p_value if asked else np.zeros(0)
    level = alpha / max(len(mine) + len(both) // 2, 1)
    found: dict[tuple[str, bool], dict[str, float]] = {}
    for i in np.argsort(p_values, kind="stable"):
        (one, other), shown = ([*mine, *both])[i], i < len(mine)
        if p_values[i] <= level:
            found.setdefault((one, bool(shown)), {})[other] = float(p_values[i])
    gaps = {cut.schema.names[v]: int(mask.sum()) for v, mask in cut.missing.items()}
    columns = tuple(
        ColumnGaps(name, gaps[name], found.get((name, True), {}), found.get((name, False), {}))
        for name in names
    )
    return GapsReport(cut.n_rows, int(is_complete(cut).sum()), columns)


def remark_on_gaps(table: Table) -> list[str]:
    """One sentence, where gaps depend on what other columns show."""
    if not table.has_missing:
        return []
    depends = {one.name: list(one.depends_on) for one in describe_gaps(table).columns if one.depends_on}
    if not depends:
        return []
    first = next(iter(depends))
    return [
        f"whether {listed(list(depends), _SHOWN)} is missing depends on other columns ({first}: on "
        f"{listed(depends[first], _SHOWN)}), so complete rows are not like the others"
    ]


def indicator_of(name: str) -> str:
    """The name of the variable that says whether a column is missing."""
    return f"{name}{_ENDING}"


def with_indicators(table: Table, of: Iterable[str] | None = None) -> Table:
    """The table with a column for each that misses cells, or for each of these, which says in which rows.

    Examples
    --------
    >>> import treewright as tw
    >>> table = with_indicators(tw.read_table({"a": ["x", None, "y"], "b": [0, 1, 0]}, missing="em"))
    >>> table.schema.names, table.schema["a is missing"].states
    (('a', 'b', 'a is missing'), ('no', 'yes'))
    """
    names = table.schema.names
    nowhere = np.zeros(table.n_rows, dtype=bool)
    if of is None:
        masks = {v: mask for v, mask in table.missing.items() if bool(mask.any())}
    else:
        masks = {v: table.missing.get(v, nowhere) for v in table.schema.scope(of)}
    for v in masks:
        if indicator_of(names[v]) in names:
            raise SchemaError(
                f"the indicator of {names[v]!r} would be called {indicator_of(names[v])!r}, and there is a "
                "column of that name; name it otherwise"
            )
    added = [Variable(indicator_of(names[v]), ("no", "yes")) for v in masks]
    columns = [*table.columns, *(mask.astype(np.uint8) for mask in masks.values())]
    schema = Schema([*table.schema, *added])
    return Table(schema, columns, weights=table.weights, missing=table.missing, report=table.report)


def with_known_indicators(knowledge: Knowledge | None, table: Table) -> Knowledge:
    """No indicator leads to a column, and none is joined to its own, which no row can judge."""
    known = knowledge or Knowledge()
    pairs, columns = indicators_in(table)
    parts: dict[str, Any] = {
        "forbidden": [*known.forbidden, *((i, c) for i in pairs.values() for c in columns)],
        "forbidden_edges": [*known.forbidden_edges, *pairs.items()],
    }
    if known.order is not None:
        parts["order"] = [*known.order, *(name for name in pairs.values() if name not in known.order)]
    return replace(known, **parts)


def indicators_in(table: Table) -> tuple[dict[str, str], list[str]]:
    """The indicators of a table by their columns, and all columns that are none."""
    names = table.schema.names
    pairs = {name: indicator_of(name) for name in names if indicator_of(name) in names}
    return pairs, [name for name in names if name not in pairs.values()]


def in_states(table: Table) -> Table:
    """The table with its numbers cut, as tests of counts need them."""
    numbers = [variable.name for variable in table.schema if not variable.is_discrete]
    return read_again(table, missing="em", bins=dict.fromkeys(numbers, INTERVALS)) if numbers else table
