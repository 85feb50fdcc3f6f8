"""Expected counts of families, given rows with missing cells: the E-step of EM, exactly.

What a row leaves unobserved falls into connected parts, and a part sees the rest of the row only through the
observed variables in its own tables. Rows with different missing cells therefore share most of their work:
each distinct pair of a part and the states around it is propagated once per step, in the native core.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.inference.batch import EvidenceColumns
from treewright.inference.refusals import refuse_large
from treewright.limits import memory_limit
from treewright.tables.schema import Schema
from treewright.types import Cells, Scope


class FamilyExpectation:
    """Expected counts of some families under tables that change from step to step.

    Variables are laid out by name inside, so that nothing depends on the order of the columns; counts are
    added as fixed-point numbers, so that nothing depends on the order of the rows or the number of threads.
    The axes of a table are those of its family, in that order; `weights` say how often each row counts.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("a", ("no", "yes"))])
    >>> rows = EvidenceColumns([np.array([0, 1, 1, 0], np.uint8)], [np.array([False, False, False, True])], 4)
    >>> expectation = FamilyExpectation(schema, [(0,)], rows)
    >>> expectation.observed[0].tolist()
    [1.0, 2.0]
    >>> counts, log_likelihood = expectation.step([np.array([0.25, 0.75])])
    >>> counts[0].tolist(), round(np.exp(log_likelihood) / (0.25 * 0.75 * 0.75), 12).item()
    ([1.25, 2.75], 1.0)
    """

    def __init__(
        self,
        schema: Schema,
        families: Sequence[Scope],
        columns: EvidenceColumns,
        weights: Cells | npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.schema = schema
        order, rank = schema.name_order, schema.name_ranks
        # per family in name order: which of the given ones, its axes by name, its shape then
        self._families = sorted(range(len(families)), key=lambda f: [rank[v] for v in reversed(families[f])])
        self._axes = [np.argsort([rank[v] for v in families[f]]) for f in self._families]
        scopes = [sorted(rank[v] for v in families[f]) for f in self._families]
        cardinalities = [schema.cardinalities[v] for v in order]
        self._shapes = [tuple(cardinalities[u] for u in scope) for scope in scopes]
        codes, masks = columns.native()
        self._native = _core.Expectation(
            cardinalities,
            scopes,
            [codes[v] for v in order],
            [masks[v] for v in order],
            columns.n_rows,
            np.zeros(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        )

    @property
    def observed(self) -> list[Cells]:
        """Counts from the rows that show the whole family."""
        return self._split(self._native.observed())

    @property
    def n_propagations(self) -> int:
        """Distinct parts of rows with missing cells: what one step has to work out."""
        return self._native.n_runs

    def step(self, tables: Sequence[Cells]) -> tuple[list[Cells], float]:
        """Expected counts of each family under the product of `tables`, and the rows' log-likelihood."""
        by_name = zip(self._families, self._axes, strict=True)
        parts = [np.asarray(tables[f]).transpose(axes).reshape(-1) for f, axes in by_name]
        flat = np.concatenate(parts) if parts else np.zeros(0)
        try:
            counts, log_likelihood = self._native.step(flat, memory_limit())
        except _core.TooLarge as refused:
            refuse_large(self.schema, refused)
        return self._split(counts), log_likelihood

    def _split(self, flat: Cells) -> list[Cells]:
        """One array per family, axes as they were given."""
        found: dict[int, Cells] = {}
        begin = 0
        for f, axes, shape in zip(self._families, self._axes, self._shapes, strict=True):
            size = int(np.prod(shape, dtype=np.int64))
            cells = flat[begin : begin + size].reshape(shape).transpose(np.argsort(axes))
            found[f], begin = np.ascontiguousarray(cells), begin + size
        return [found[f] for f in range(len(found))]
