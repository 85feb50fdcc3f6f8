"""Gibbs chains over a product of tables: redraw one variable at a time given all the others.

A chain looks at the tables around one variable and never at a junction tree, so it also works where exact
inference would not fit. Its rows are those of the distribution only in the long run, and a zero in a table is
a wall: states on both sides of one may never meet in a chain. Variables are visited in the order of their
names, and every random number follows from the seed, the chain, the sweep and the variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from treewright import _core
from treewright.inference.engine import Factor
from treewright.inference.evidence import Evidence
from treewright.tables.schema import Schema
from treewright.types import Cells, Codes, Scope


class GibbsSampler:
    """Chains over a product of tables, given evidence.

    Observed variables keep their state; likelihoods become tables of their own.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("a", (0, 1)), Variable("b", (0, 1))])
    >>> sampler = GibbsSampler(schema, [Factor((0, 1), np.array([[3.0, 1.0], [1.0, 5.0]]))], Evidence())
    >>> start = sampler.find_start(seed=1, chain=0)
    >>> columns, estimates = sampler.run([start], n=20_000, burn_in=100, thinning=1, seed=1)
    >>> estimates.round(2).tolist()
    [[0.4, 0.6, 0.4, 0.6]]
    """

    def __init__(self, schema: Schema, factors: Sequence[Factor], evidence: Evidence) -> None:
        self.schema = schema
        soft = zip(evidence.weighted, evidence.likelihoods, strict=True)
        self.factors = (*factors, *(Factor((v,), np.array(likelihood)) for v, likelihood in soft))
        self._fixed = dict(zip(evidence.observed, evidence.states, strict=True))
        self.order = [v for v in schema.name_order if v not in self._fixed and schema.cardinalities[v] > 1]
        self._native = _core.GibbsSampler(
            list(schema.cardinalities),
            [list(f.scope) for f in self.factors],
            [np.ascontiguousarray(f.table, dtype=np.float64).ravel() for f in self.factors],
            self.order,
        )

    def find_start(self, *, seed: int, chain: int) -> list[int] | None:
        """A joint state in which no table is zero, or None if a long walk found none."""
        states = [self._fixed.get(v, 0) for v in range(len(self.schema))]
        return self._native.find_start(seed, chain, states)

    def violated(self, states: Sequence[int]) -> Scope | None:
        """The scope of a table that is zero at a joint state; None if the state is possible."""
        found = self._native.violated(list(states))
        return None if found is None else self.factors[found].scope

    def run(
        self, starts: Sequence[Sequence[int]], *, n: int, burn_in: int, thinning: int, seed: int
    ) -> tuple[list[Codes], Cells]:
        """Rows of all chains, one chain after the other; and estimates, one line per chain.

        An estimate is the mean, over all sweeps after burn-in, of the distribution that a variable was drawn
        from (Gelfand & Smith 1990): the states of all variables side by side.
        """
        flat = [code for states in starts for code in states]
        columns, estimates = self._native.run(flat, len(starts), n, burn_in, thinning, seed)
        begin = np.cumsum((0, *self.schema.cardinalities))
        for v in set(range(len(self.schema))) - set(self.order):
            estimates[:, begin[v] + self._fixed.get(v, 0)] = 1.0
        return cast("list[Codes]", columns), estimates
