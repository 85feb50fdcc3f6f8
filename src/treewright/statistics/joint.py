"""Counts that somebody else made: a published contingency table is all the data that some questions need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright.arguments import SCHEMA, require
from treewright.errors import SchemaError, WeightError
from treewright.once import cached_property
from treewright.statistics.counter import Counts, SparseCounts
from treewright.tables.schema import Schema
from treewright.types import Scope


class JointCounts:
    """A counter over one joint table of all variables.

    Parameters
    ----------
    schema
        The variables, all discrete.
    table
        Counts, one axis for each variable, in the order of the schema: whole numbers, or real weights.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> counter.n_rows
    60
    >>> counter.counts((1,)).tolist()
    [25, 35]
    """

    def __init__(self, schema: Schema, table: npt.ArrayLike) -> None:
        require("JointCounts", SCHEMA, schema)
        cells = np.asarray(table)
        shape = tuple(variable.cardinality for variable in schema)
        if cells.shape != shape:
            raise SchemaError(f"a table over {schema.names} has the shape {shape}; found {cells.shape}")
        if cells.dtype.kind not in "biuf" or not np.isfinite(cells).all() or (cells < 0).any():
            raise WeightError("counts are finite numbers from 0 on; found others in the table")
        self.schema = schema
        self._cells: Counts = cells.astype(np.float64) if cells.dtype.kind == "f" else cells.astype(np.int64)

    @cached_property
    def n_rows(self) -> int | float:
        """Sum of the counts."""
        total: int | float = self._cells.sum().item()
        return total

    def counts(self, scope: Scope) -> Counts:
        """One axis for each variable of the scope, in its order."""
        away = tuple(v for v in range(len(self.schema)) if v not in scope)
        kept = sorted(scope)
        return np.asarray(self._cells.sum(axis=away)).transpose([kept.index(v) for v in scope])

    def counts_many(self, scopes: Sequence[Scope]) -> list[Counts]:
        """The tables of many scopes."""
        return [self.counts(scope) for scope in scopes]

    def sparse_counts(self, scope: Scope) -> SparseCounts:
        """The occupied cells of a table."""
        return SparseCounts.of(self.counts(scope))
