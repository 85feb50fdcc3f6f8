"""Exact answers over feature graphs: one pass up, one pass down, both linear in the graph.

Up, every node says how probable the evidence is under it. Down, every row flows from the root to the leaves,
shared among the children of a node in proportion to what they said; what arrives at a state is its marginal,
and what arrives at a parameter is its expected count. Complete rows take a shortcut: they are routed to the
leaves they belong to.

The passes are made by the native core, in blocks of rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn, cast

import numpy as np

from treewright import _core
from treewright.arguments import FEATURES, require
from treewright.errors import NoExactAnswer, TableTooLarge
from treewright.graphs.feature_graph import FeatureGraph
from treewright.inference.batch import EvidenceColumns
from treewright.inference.engine import Cost
from treewright.inference.evidence import Evidence
from treewright.inference.refusals import refuse_impossible
from treewright.limits import format_count, memory_limit, table_axes, table_cells
from treewright.once import cached_property
from treewright.tables.schema import Schema
from treewright.types import Cells, Codes, Scope

NOTHING = Evidence()
_NO_WEIGHTS = np.zeros(0)


class FeatureGraphEngine:
    """Answers questions about the distribution of a feature graph.

    Answers are those of :class:`Engine`; soft evidence weighs rows by its likelihoods.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> from treewright.tables.schema import Variable
    >>> builder = FeatureGraphBuilder(Schema([Variable("a", ("no", "yes")), Variable("b", ("no", "yes"))]))
    >>> often, rarely = builder.table("b", [0.2, 0.8]), builder.table("b", [0.9, 0.1])
    >>> graph = builder.graph(builder.split("a", {"no": (0.5, rarely), "yes": (0.5, often)}))
    >>> cells, log_mass = FeatureGraphEngine(graph).marginals(Evidence(observed=[1], states=[1]))
    >>> cells.round(4).tolist(), round(math.exp(log_mass), 9)
    ([0.1111, 0.8889, 0.0, 1.0], 0.45)
    """

    def __init__(self, graph: FeatureGraph) -> None:
        require("FeatureGraphEngine", FEATURES, graph)
        self.graph = graph
        self.schema: Schema = graph.schema
        self._program = _core.FeatureProgram(graph.native)
        self._first = np.concatenate([[0], np.cumsum(self.schema.cardinalities)]).astype(np.int64)

    def __reduce__(self) -> tuple[Any, ...]:  # the native half is rebuilt
        return FeatureGraphEngine, (self.graph,)

    # complete rows

    def log_probability(self, codes: Sequence[Codes], n_rows: int) -> Cells:
        """Log-probability of complete rows, one column of codes per variable."""
        return self._program.log_probability(list(codes), n_rows)

    def counts(self, codes: Sequence[Codes], n_rows: int, weights: Cells | None) -> tuple[Cells, float]:
        """How often rows use each parameter, and the weight of rows that have no place in the graph."""
        return self._program.counts(list(codes), n_rows, _NO_WEIGHTS if weights is None else weights)

    # evidence

    def marginals(self, evidence: Evidence = NOTHING) -> tuple[Cells, float]:
        common, scale = self._likelihoods(evidence)
        cells, logs = self._program.marginals(common, *self._unseen, 1, list(range(len(self.schema))))
        return cells[0], float(logs[0]) + scale

    def joint(self, targets: Scope, evidence: Evidence = NOTHING) -> tuple[Cells, float]:
        """The joint distribution of the targets, one axis each: the graph is evaluated once per cell."""
        targets = table_axes(self.schema, targets)
        shape = tuple(self.schema.cardinalities[v] for v in targets)
        if len(targets) == 1:
            flat, log_mass = self.marginals(evidence)
            begin, end = self._first[targets[0]], self._first[targets[0] + 1]
            return (np.zeros(shape) if log_mass == -math.inf else flat[begin:end].copy()), log_mass
        self._refuse_large(targets)
        common, scale = self._likelihoods(evidence)
        codes: list[Codes | None] = [None] * len(self.schema)
        n_cells = math.prod(shape)
        for v, axis in zip(targets, np.indices(shape).reshape(len(shape), n_cells), strict=True):
            codes[v] = axis.astype(np.uint32)
        logs = self._program.log_mass(common, codes, [None] * len(self.schema), n_cells)
        highest = float(logs.max())
        if highest == -math.inf:
            return np.zeros(shape), highest
        cells = np.exp(logs - highest)
        total = float(cells.sum())
        return (cells / total).reshape(shape), highest + math.log(total) + scale

    def log_mass(self, evidence: Evidence = NOTHING) -> float:
        common, scale = self._likelihoods(evidence)
        return float(self._program.log_mass(common, *self._unseen, 1)[0]) + scale

    def log_mass_many(self, columns: EvidenceColumns) -> Cells:
        """How probable each of many rows of evidence is, as logarithms."""
        return self._program.log_mass(self._nothing, *columns.native(), columns.n_rows)

    def most_probable(self, evidence: Evidence = NOTHING) -> tuple[list[int], float]:
        """Refused when the graph is not deterministic; :meth:`most_probable_bound` has a row and bounds."""
        if not self.graph.is_deterministic:
            raise NoExactAnswer(
                "the most probable explanation of a graph with mixtures or hidden states has no exact answer "
                "in reasonable time; mpe_bound gives a good row with a lower and an upper bound"
            )
        codes, log_mass, _ = self.most_probable_bound(evidence)
        return codes, log_mass

    def most_probable_bound(self, evidence: Evidence = NOTHING) -> tuple[list[int], float, float]:
        """A row with the log of its mass, and a bound on that of any row; both agree where it is exact."""
        common, scale = self._likelihoods(evidence)
        codes, log_mass, bound = self._program.most_probable(common)
        return list(codes), log_mass + scale, bound + scale

    def sample(
        self, n: int, evidence: Evidence = NOTHING, *, seed: int, first_row: int = 0
    ) -> tuple[list[Codes], float]:
        common, scale = self._likelihoods(evidence)
        columns, log_mass = self._program.sample(common, seed, first_row, n)
        return cast("list[Codes]", columns), log_mass + scale

    def marginals_many(self, columns: EvidenceColumns, wanted: Scope) -> tuple[Cells, Cells]:
        return self._program.marginals(self._nothing, *columns.native(), columns.n_rows, list(wanted))

    def expected_counts(
        self, columns: EvidenceColumns, weights: Cells | None = None, evidence: Evidence = NOTHING
    ) -> tuple[Cells, float]:
        """Expected counts of every parameter given rows of evidence, and the log-likelihood of the rows."""
        common, _ = self._likelihoods(evidence)
        given = _NO_WEIGHTS if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        return self._program.expected_counts(common, *columns.native(), columns.n_rows, given)

    def cost(self, evidence: Evidence = NOTHING, targets: Scope = ()) -> Cost:
        """What all marginals (or the joint of some targets) would cost; nothing is evaluated."""
        free = sorted(set(targets) - set(evidence.observed))
        runs = table_cells(self.schema, targets) if len(targets) > 1 else 3
        scope, cells = self._largest_leaf
        if len(free) > 1 and table_cells(self.schema, free) > cells:
            scope, cells = free, table_cells(self.schema, free)
        limit, size = memory_limit(), 8 * (self._workspace + (runs if len(targets) > 1 else 0))
        seconds = 1e-9 * runs * self._program.row_cost if runs < 10**300 else math.inf
        return Cost(
            width=len(scope) - 1,
            largest_table=self.schema.names_of(sorted(scope)),
            largest_cells=cells,
            bytes=size,
            operations=runs * self.graph.size,
            seconds=seconds,
            refused=size > max(limit, 1 << 26),
        )

    def refuse_impossible(self, evidence: Evidence) -> NoReturn:
        """Say which part of impossible evidence contradicts itself or the model; the part is minimal."""
        kept = list(range(len(evidence)))
        for item in range(len(evidence)):
            fewer = [i for i in kept if i != item]
            if self.log_mass(evidence.only(fewer)) == -math.inf:
                kept = fewer
        refuse_impossible(self.schema, evidence, evidence.only(kept))

    @property
    def _unseen(self) -> tuple[list[None], list[None]]:
        """Columns and masks of rows that show nothing."""
        return [None] * len(self.schema), [None] * len(self.schema)

    @cached_property
    def _nothing(self) -> Cells:
        return np.ones(int(self._first[-1]))

    @cached_property
    def _largest_leaf(self) -> tuple[list[int], int]:
        """Scope and cells of the largest table in a leaf."""
        kinds, begin = self.graph.arrays[0], self.graph.arrays[5].astype(np.int64)
        leaves = np.flatnonzero(np.isin(kinds, (1, 2, 7, 8)))
        if not leaves.size:
            return [0] if len(self.schema) else [], max(self.schema.cardinalities, default=1)
        node = int(leaves[np.argmax(begin[leaves + 1] - begin[leaves])])
        return list(self.graph.scope(node)), int(begin[node + 1] - begin[node])

    @cached_property
    def _workspace(self) -> int:
        """Numbers that one block of sixteen rows takes on its way."""
        return 16 * (2 * self.graph.n_nodes + 3 * int(self._first[-1]) + 2 * self._largest_leaf[1])

    def _likelihoods(self, evidence: Evidence) -> tuple[Cells, float]:
        """A likelihood of at most one for every state, and the log of what they were divided by."""
        common, scale = self._nothing.copy(), 0.0
        for v, code in zip(evidence.observed, evidence.states, strict=True):
            seen = common[self._first[v] + code]
            common[self._first[v] : self._first[v + 1]] = 0.0
            common[self._first[v] + code] = seen
        for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True):
            largest = max(likelihood)
            common[self._first[v] : self._first[v + 1]] *= np.array(likelihood) / largest
            scale += math.log(largest)
        return common, scale

    def _refuse_large(self, targets: Scope) -> None:
        cells = table_cells(self.schema, targets)
        needed = 8 * (len(targets) + 2) * cells
        if needed > max(memory_limit(), 1 << 26):
            names = [repr(name) for name in sorted(self.schema.names_of(targets))]
            shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
            raise TableTooLarge(
                f"this question needs a table over {shown}: {format_count(needed)} bytes, above the memory "
                f"limit of {memory_limit():,}; ask for fewer variables at once, or raise the limit with "
                "set_memory_limit or TREEWRIGHT_MEMORY"
            )
