"""Several tables with overlapping columns, seen as parts of one table that nobody has.

Each table has rows of its own and only some of the columns; no row can be found again in another table.
Columns are met by name. The variables come in the order of their names and the states of a column in an order
that does not depend on which table was given first, so that whatever is learned does not either.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import combinations

import numpy as np

from treewright.arguments import described, is_source, require_several
from treewright.errors import MissingValuesError, SchemaError
from treewright.once import cached_property
from treewright.ranges import require_whole
from treewright.tables.align import label_kinds, unite
from treewright.tables.exports import counted
from treewright.tables.overlaps import reduced_sets
from treewright.tables.report import Report, join_reports
from treewright.tables.schema import NameOrIndex, Schema, Variable
from treewright.tables.sharded import ShardedTable, recoded
from treewright.tables.table import Table
from treewright.types import Scope

Cover = tuple[int, ...]  # positions of tables, rising
_KEPT_BYTES = 256 << 20  # of tables that were joined on what they share


class Databases:
    """Tables with overlapping columns, aligned by name.

    Parameters
    ----------
    tables
        At least one; all columns discrete or all continuous, without missing values. Rows of different tables
        are different individuals of one population. Tables with the same columns simply add.
    names
        What to call the tables in messages; "table 1", "table 2", ... when left out.

    Examples
    --------
    >>> from treewright.tables import read_table
    >>> first = read_table({"age": ["old", "young"], "smoker": ["no", "yes"]})
    >>> second = read_table({"smoker": ["yes", "ex"], "cough": [0, 1]})
    >>> databases = Databases([first, second])
    >>> databases
    Databases of 2 tables, 3 columns and 4 rows
    >>> databases.schema.names, databases.schema["smoker"].states
    (('age', 'cough', 'smoker'), ('ex', 'no', 'yes'))
    >>> databases.hyperedges
    (('age', 'smoker'), ('cough', 'smoker'))
    >>> databases.covering(("smoker",)), databases.covers(("age", "cough"))
    ((0, 1), False)
    """

    def __init__(self, tables: Iterable[Table], *, names: Sequence[str] | None = None) -> None:
        require_several("Databases are made of a list of tables", tables)
        given = tuple(tables)
        if not given:
            raise SchemaError("there are no tables to learn from; give at least one")
        for table in given:
            if not isinstance(table, Table):
                raise SchemaError(
                    f"Databases are made of tables; found a {type(table).__name__}: read_databases reads "
                    "files, frames and dictionaries"
                )
        if names is not None and len(names) != len(given):
            raise SchemaError(f"{len(given)} tables need {len(given)} names; found {len(names)}")
        self.names = tuple(names) if names else tuple(f"table {i}" for i in range(1, len(given) + 1))
        self._refuse_missing(given)
        self._schema = Schema(self._united(given))
        self._refuse_mixed()
        self._tables = tuple(
            recoded(table, self._schema.select(sorted(table.schema.names))) for table in given
        )
        self.column_scopes = tuple(self._schema.scope(table.schema.names) for table in self._tables)
        self.masks = [
            sum(1 << i for i, columns in enumerate(self.column_scopes) if v in columns)
            for v in range(len(self._schema))
        ]
        self._pools: OrderedDict[Cover, Table] = OrderedDict()

    @property
    def schema(self) -> Schema:
        """Every column of any table, in the order of the names."""
        return self._schema

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables in the order given, their columns in the order of the names, states united."""
        return self._tables

    @property
    def n_rows(self) -> int:
        """Rows of all tables together, whatever their weights."""
        return sum(table.n_rows for table in self._tables)

    @property
    def is_continuous(self) -> bool:
        return not self._schema.variables[0].is_discrete

    @cached_property
    def weights(self) -> tuple[int | float, ...]:
        """What the rows of each table count: their number, or the sum of their weights."""
        return tuple(t.n_rows if t.weights is None else t.weights.sum().item() for t in self._tables)

    @cached_property
    def hyperedge_scopes(self) -> tuple[Scope, ...]:
        """The column sets that lie in no other, as indices, each once, sorted."""
        return tuple(reduced_sets(self.column_scopes))

    @property
    def hyperedges(self) -> tuple[tuple[str, ...], ...]:
        """The column sets that lie in no other, as names."""
        return tuple(map(self._schema.names_of, self.hyperedge_scopes))

    def covering(self, scope: Iterable[NameOrIndex]) -> Cover:
        """Positions of the tables that have all of these columns."""
        found = (1 << len(self._tables)) - 1
        for which in scope:
            found &= self.masks[self._schema.index(which)]
        return self.cover_of(found)

    def cover_of(self, mask: int) -> Cover:
        """Positions of tables that are given as bits."""
        require_whole("cover_of", "mask", mask)
        return tuple(i for i in range(len(self._tables)) if mask >> i & 1)

    def covers(self, scope: Iterable[NameOrIndex]) -> bool:
        """Whether some table has all of these columns."""
        return bool(self.covering(scope))

    def rows(self, scope: Iterable[NameOrIndex]) -> int | float:
        """What the rows count that have all of these columns."""
        return sum(self.weights[i] for i in self.covering(scope))

    def effective_rows(self, scope: Iterable[NameOrIndex]) -> int | float:
        """What the rows count on which an answer about these columns rests.

        Where no table has them all: those of the pair in the scope that was seen least often together, of all
        pairs that were seen together at all.
        """
        known = self._schema.scope(scope)
        if self.covers(known):
            return self.rows(known)
        pairs = (pair for pair in combinations(known, 2) if self.covers(pair))
        alone = min(self.rows((v,)) for v in known)
        return min(map(self.rows, pairs), default=alone)

    def pool(self, cover: Cover) -> Table:
        """The rows of some tables below each other, with the columns that all of them have."""
        if len(cover) == 1:
            return self._tables[cover[0]]
        if cover in self._pools:
            self._pools.move_to_end(cover)
            return self._pools[cover]
        common = set.intersection(*(set(self._tables[i].schema.names) for i in cover))
        parts = [self._tables[i].select(sorted(common)) for i in sorted(cover, key=self._rank.__getitem__)]
        self._pools[cover] = joined = ShardedTable(parts).joined()
        while len(self._pools) > 1 and sum(t.nbytes for t in self._pools.values()) > _KEPT_BYTES:
            self._pools.popitem(last=False)
        return joined

    @property
    def report(self) -> Report | None:
        """What was done to read the tables, as if they were one; None if it is not known of all."""
        known = [table.report for table in self._tables if table.report is not None]
        if len(known) < len(self._tables):
            return None
        n_states = {v.name: None if v.states is None else len(v.states) for v in self._schema}
        return join_reports(self.names, known, n_states)

    def never_together(self) -> list[tuple[str, str]]:
        """Pairs of columns that no table has, by name."""
        seen = zip(self._schema.names, self.masks, strict=True)
        return [(u, v) for (u, in_u), (v, in_v) in combinations(seen, 2) if not in_u & in_v]

    @cached_property
    def _rank(self) -> list[int]:
        """An order of the tables that follows from what is in them alone: sums of reals depend on it."""
        keys = [(table.schema.names, table.n_rows, _digest(table)) for table in self._tables]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return [order.index(i) for i in range(len(keys))]

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return (
            f"Databases of {counted(len(self), 'table')}, {counted(len(self._schema), 'column')} and "
            f"{counted(self.n_rows, 'row')}"
        )

    def _refuse_missing(self, tables: Sequence[Table]) -> None:
        for name, table in zip(self.names, tables, strict=True):
            if table.has_missing:
                columns = ", ".join(repr(table.schema.names[v]) for v in table.missing)
                raise MissingValuesError(
                    f"{name} misses values in {columns}: read the tables with missing='drop' or 'state'"
                )

    def _refuse_mixed(self) -> None:
        continuous = [variable.name for variable in self._schema if not variable.is_discrete]
        if 0 < len(continuous) < len(self._schema):
            raise SchemaError(
                "several tables are learned from when all columns are discrete or all continuous; continuous "
                f"are {', '.join(map(repr, continuous[:20]))}: read the tables with bins="
            )

    def _united(self, tables: Sequence[Table]) -> list[Variable]:
        found: dict[str, list[tuple[str, Variable]]] = {}
        for name, table in zip(self.names, tables, strict=True):
            for variable in table.schema:
                found.setdefault(variable.name, []).append((name, variable))
        return [_unite_named(column, found[column]) for column in sorted(found)]


def _unite_named(column: str, found: Sequence[tuple[str, Variable]]) -> Variable:
    """One variable for a column of several tables, in whatever order they come."""
    kinds: dict[str, str] = {}
    for table, variable in found:
        for kind in label_kinds(variable):
            kinds.setdefault(kind, table)
    if len(kinds) > 1:
        shown = ", ".join(f"{kind} in {kinds[kind]}" for kind in sorted(kinds))
        raise SchemaError(
            f"column {column!r} is of different types in different tables: {shown}; convert it, read the "
            "tables with schema=, or cut numbers into intervals with bins="
        )
    # the richest first: states that others add follow in an order that is the same for any order of tables
    variables = sorted(
        (variable for _, variable in found),
        key=lambda v: (-len(v.states or ()), tuple((str(type(s)), str(s)) for s in v.states or ())),
    )
    return unite(variables)


def _digest(table: Table) -> bytes:
    text = blake2b(digest_size=16)
    for array in (*table.columns, *(() if table.weights is None else (table.weights,))):
        text.update(np.ascontiguousarray(array).data)
    return text.digest()


def as_databases(tables: Databases | Iterable[Table]) -> Databases:
    """Databases as they are, or of a list of tables."""
    if isinstance(tables, Databases):
        return tables
    if is_source(tables) or isinstance(tables, str | Table) or not isinstance(tables, Iterable):
        raise SchemaError(
            f"several tables are given as a list of them; for one, write [...]; found {described(tables)}"
        )
    return Databases(tables)
