"""Several tables that are one: the same columns and states, rows in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from treewright.arguments import TABLE, all_of
from treewright.errors import SchemaError
from treewright.tables.align import align_schemas
from treewright.tables.arrays import Column, code_type, freeze
from treewright.tables.exports import counted
from treewright.tables.schema import Schema, Variable
from treewright.tables.table import Table


class ShardedTable:
    """Tables with one schema, to be counted one after the other.

    Parameters
    ----------
    tables
        At least one; names, states and their order have to agree. :meth:`aligned` makes them agree.

    Examples
    --------
    >>> whole = Table.from_codes(np.array([[0], [1], [1]]), [2], ["a"])
    >>> sharded = ShardedTable(whole.shards(2))
    >>> sharded
    ShardedTable of 2 shards, 3 rows and 1 column
    >>> sharded.joined() == whole
    True
    """

    __slots__ = ("_tables",)

    def __init__(self, tables: Iterable[Table]) -> None:
        self._tables: tuple[Table, ...] = all_of("ShardedTable", TABLE, tables)
        if not self._tables:
            raise SchemaError("a sharded table needs at least one table; found none")
        for position, table in enumerate(self._tables):
            if table.schema != self.schema:
                raise SchemaError(
                    f"shards need one schema; shard {position} differs from shard 0: "
                    f"{first_difference(self.schema, table.schema)}. "
                    "ShardedTable.aligned(tables) unites categories"
                )

    @classmethod
    def aligned(cls, tables: Iterable[Table]) -> ShardedTable:
        """Unite the categories of tables that have the same columns, in whatever order.

        >>> from treewright.tables import read_table
        >>> a, b = read_table({"x": ["low", "high"]}), read_table({"x": ["medium"]})
        >>> ShardedTable.aligned([a, b]).schema["x"].states
        ('high', 'low', 'medium')
        """
        listed = list(tables)
        united = align_schemas(table.schema for table in listed)
        for position, table in enumerate(listed):
            absent = [name for name in united.names if name not in table.schema]
            if absent:
                raise SchemaError(
                    f"shards need the same columns; table {position} has no {', '.join(map(repr, absent))}"
                )
        return cls(recoded(table, united) for table in listed)

    @property
    def schema(self) -> Schema:
        return self._tables[0].schema

    @property
    def tables(self) -> tuple[Table, ...]:
        return self._tables

    @property
    def n_rows(self) -> int:
        return sum(table.n_rows for table in self._tables)

    @property
    def has_missing(self) -> bool:
        return any(table.has_missing for table in self._tables)

    @property
    def nbytes(self) -> int:
        return sum(table.nbytes for table in self._tables)

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables)

    def __len__(self) -> int:
        """Number of shards."""
        return len(self._tables)

    def __eq__(self, other: object) -> bool:
        return self._tables == other._tables if isinstance(other, ShardedTable) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"ShardedTable of {counted(len(self), 'shard')}, {counted(self.n_rows, 'row')} and "
            f"{counted(len(self.schema), 'column')}"
        )

    def joined(self) -> Table:
        """All rows in one table. A shard without weights counts each row once."""
        missing = {v for table in self for v in table.missing}
        nowhere = [np.zeros(table.n_rows, dtype=np.bool_) for table in self]
        weights = [np.ones(t.n_rows, dtype=np.int64) if t.weights is None else t.weights for t in self]
        is_weighted = any(table.weights is not None for table in self)
        return Table(
            self.schema,
            [freeze(np.concatenate([t.columns[v] for t in self])) for v in range(len(self.schema))],
            weights=freeze(np.concatenate(weights)) if is_weighted else None,
            missing={
                v: np.concatenate([t.missing.get(v, n) for t, n in zip(self, nowhere, strict=True)])
                for v in missing
            },
        )


def recoded(table: Table, schema: Schema) -> Table:
    """The same rows under a schema that has all their columns and states."""
    before = table.select(schema.names)
    columns = map(recode_column, before.columns, before.schema, schema)
    return Table(schema, columns, weights=table.weights, missing=before.missing, report=table.report)


def recode_column(codes: Column, old: Variable, new: Variable) -> Column:
    if old.states is None or old.states == new.states:
        return codes
    lookup = np.array([new.code(state) for state in old.states], dtype=code_type(new.cardinality))
    moved: Column = freeze(lookup[codes])
    return moved


def first_difference(a: Schema, b: Schema) -> str:
    if a.names != b.names:
        differ = ", ".join(map(repr, sorted(set(a.names) ^ set(b.names))))
        return f"columns {differ} are not in both" if differ else "the order of the columns"
    name, one, other = next((v.name, v, w) for v, w in zip(a, b, strict=True) if v != w)
    if one.states == other.states:
        return f"whether the states of {name!r} are ordered"
    return f"{name!r} has {shown(one)} and {shown(other)}"


def shown(variable: Variable) -> str:
    if variable.states is None:
        return "no states (continuous)"
    tail = ", ..." if len(variable.states) > 8 else ""
    return f"states {', '.join(map(repr, variable.states[:8]))}{tail}"
