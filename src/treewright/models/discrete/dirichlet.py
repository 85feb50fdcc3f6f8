"""From the counts of a family to its table: maximum likelihood, or with imagined rows beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treewright.errors import SchemaError
from treewright.types import Floats


@dataclass(frozen=True)
class Dirichlet:
    """A Dirichlet prior: `ess` imagined rows, spread evenly over the cells of every family.

    Examples
    --------
    >>> Dirichlet(2.0).ess
    2.0
    """

    ess: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ess) and self.ess > 0):
            raise SchemaError(
                f"the equivalent sample size of a Dirichlet prior is a positive number; found {self.ess!r} "
                "(prior=None fits by maximum likelihood)"
            )


ONE_ROW = Dirichlet(1.0)


def estimate(counts: Floats, prior: Dirichlet | None) -> Floats:
    """The distribution of the last axis given the others; uniform where nothing was counted or imagined."""
    cells = counts + (prior.ess / counts.size if prior else 0.0)
    totals = cells.sum(axis=-1, keepdims=True)
    uniform = np.full_like(cells, 1 / cells.shape[-1])
    return np.asarray(np.divide(cells, totals, out=uniform, where=totals > 0))
