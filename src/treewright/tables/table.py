"""Rows in memory: one array of codes per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from treewright.tables.schema import Schema

Codes = npt.NDArray[np.unsignedinteger]


class Table:
    """Rows of a schema, as one array of codes per column."""

    def __init__(
        self, schema: Schema, columns: Sequence[Codes], *, weights: npt.NDArray[np.float64] | None = None
    ) -> None:
        self.schema = schema
        self.columns = tuple(columns)
        self.weights = weights
        self.missing: Mapping[int, npt.NDArray[np.bool_]] = {}

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0
