"""Rows as a classifier reads them, and as each of its panels knows them: one step for whatever they come as.

A table, a frame, categories, an array: all are read once in the columns that were learned from, numbers not
yet cut and gaps marked. Each panel then cuts the numbers where it did before, and has its own say about gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import SchemaError, nearest
from treewright.inference.batch import EvidenceColumns
from treewright.models.model import Unseen
from treewright.tables._reading.bins import cut, edges_of
from treewright.tables._reading.interpret import is_missing_label
from treewright.tables._reading.sources import open_source
from treewright.tables.readers import read_table
from treewright.tables.schema import Schema, Variable
from treewright.tables.sharded import ShardedTable
from treewright.tables.table import Table
from treewright.types import Codes, Flags, Floats


def read_rows(schema: Schema, rows: Any, target: int, unseen: Unseen) -> EvidenceColumns:
    """The columns of a schema beside its target; what the rows lack is not observed.

    Examples
    --------
    >>> schema = Schema([Variable("a", (0, 1, 2)), Variable("b"), Variable("y", ("no", "yes"))])
    >>> read_rows(schema, {"b": [0.5, None], "c": [1, 2]}, 2, "ignore").missing
    [None, array([False,  True]), None]
    """
    rows = rows.joined() if isinstance(rows, ShardedTable) else rows
    names = rows.schema.names if isinstance(rows, Table) else open_source(rows).names
    seen = [name for name in schema.found_in(names) if name != schema[target].name]
    if not seen:
        told = schema[target].name
        raise SchemaError(
            f"to predict {told!r} the rows need a column of the model beside it; the model has "
            f"{nearest('', [name for name in schema.names if name != told])}, the rows have "
            f"{nearest('', names)}"
        )
    if not isinstance(rows, Table) or any(
        name not in names or rows.schema[name] != schema[name] for name in seen
    ):
        rows = read_table(rows, schema=schema.select(seen), missing="em", unseen=unseen)
    codes: list[Any] = [None] * len(schema)
    missing: list[Flags | None] = [None] * len(schema)
    for name in seen:
        v, here = schema.index(name), rows.schema.index(name)
        codes[v], missing[v] = rows.columns[here], rows.missing.get(here)
    return EvidenceColumns(codes, missing, rows.n_rows)


@dataclass(frozen=True)
class ColumnWords:
    """How a panel says a column: where numbers are cut, its code of each state, its state of a gap.

    None: not cut; the same codes; gaps stay gaps.
    """

    edges: Floats | None
    codes: Codes | None
    gap: int | None

    @classmethod
    def of(cls, read: Variable, ours: Variable, *, has_gaps: bool) -> ColumnWords:
        """From the states that are read to those of a panel, which may have a state for gaps (`has_gaps`)."""
        states = ours.states
        if states is None:
            return cls(None, None, None)
        gap = len(states) - 1 if has_gaps and is_missing_label(states[-1]) else None
        if read.states is None:
            return cls(edges_of([one for one in states if not is_missing_label(one)]), None, gap)
        if read.states == states[: len(read.states)]:
            return cls(None, None, gap)
        place = {state: code for code, state in enumerate(states)}
        return cls(None, np.array([place.get(one, len(states)) for one in read.states], dtype=np.uint32), gap)

    def said(self, column: Any, mask: Flags | None, n_states: int) -> tuple[Any, Flags | None]:
        """Codes and mask of the panel."""
        if self.edges is not None:
            column = cut(np.where(mask, 0.0, column) if mask is not None else column, self.edges)
            column = column.astype(np.uint32)
        elif self.codes is not None:
            column = self.codes[column]
            strange = column == n_states
            if strange.any():
                mask = strange if mask is None else mask | strange
                column = np.where(strange, 0, column)
        if mask is None:
            return column, None
        if self.gap is not None:
            return np.where(mask, np.uint32(self.gap), column), None
        return (None, None) if mask.all() else (column, mask)


def in_words(
    words: Sequence[ColumnWords], schema: Schema, rows: EvidenceColumns, hidden: Sequence[Flags | None] = ()
) -> EvidenceColumns:
    """Rows as a panel knows them; what is `hidden` is not observed, whatever it holds."""
    codes: list[Any] = [None] * len(schema)
    missing: list[Flags | None] = [None] * len(schema)
    for v, (column, mask) in enumerate(zip(rows.codes, rows.missing, strict=True)):
        if column is not None:
            codes[v], missing[v] = words[v].said(column, mask, schema.cardinalities[v] or 0)
    for v, gone in enumerate(hidden):
        if gone is not None and codes[v] is not None:
            missing[v] = gone if (mask := missing[v]) is None else mask | gone
            if missing[v].all():  # type: ignore[union-attr]
                codes[v] = missing[v] = None
    return EvidenceColumns(codes, missing, rows.n_rows)
