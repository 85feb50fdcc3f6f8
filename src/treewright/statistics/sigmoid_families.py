"""Families whose child follows a sigmoid of its parents, fitted to the rows of a table.

The child is Normal around th0 + th1 sigma(b + w . x), sigma(z) = 1 / (1 + exp(-z)): it switches between two
levels as its parents push it. A score reads the likelihoods of these fits, a network their parameters; both
come from here, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.statistics.moments import ContinuousTable, Moments, moments
from treewright.tables.schema import Schema
from treewright.types import Floats, Scope


@dataclass(frozen=True)
class SigmoidFamily:
    """The family `child = th0 + th1 sigma(b + w . parents) + noise`, in the units of the data.

    Examples
    --------
    >>> family = SigmoidFamily("y", ("x",), th0=1.0, th1=2.0, b=0.0, w=(3.0,), s2=0.25)
    >>> family.mean([[0.0]]).tolist(), family.n_parameters
    ([2.0], 5)
    """

    child: str
    parents: tuple[str, ...]
    th0: float  # level at minus infinity
    th1: float  # height of the step
    b: float  # offset
    w: tuple[float, ...]  # one weight per parent
    s2: float  # variance of the noise

    @property
    def n_parameters(self) -> int:
        """Free parameters: |P| + 4, or mean and variance without parents."""
        return len(self.parents) + 4 if self.parents else 2

    def mean(self, parents: npt.ArrayLike) -> Floats:
        """Expected value of the child for rows of parent values, shape (n, number of parents)."""
        rows = np.asarray(parents, dtype=np.float64)
        if rows.ndim != 2:
            rows = rows.reshape(-1, len(self.parents))
        z = self.b + rows @ np.array(self.w, dtype=np.float64)
        # both branches of the sigmoid are free of overflow
        decay = np.exp(-np.abs(z))
        values: Floats = self.th0 + self.th1 * np.where(z >= 0, 1.0, decay) / (1.0 + decay)
        return values


@dataclass(frozen=True)
class SigmoidFit(SigmoidFamily):
    """A :class:`SigmoidFamily` that was fitted, the parents in the order asked for."""

    log_likelihood: float  # of the data under this fit, in nats


class SigmoidFamilies:
    """Fits of families over one table; each is a function of its family alone, whatever was asked before.

    Parameters
    ----------
    table
        Continuous and finite columns; weights, if any, weigh the rows.

    Examples
    --------
    >>> import treewright as tw
    >>> x = np.linspace(-3, 3, 60)
    >>> table = tw.read_table({"x": x, "y": 2 + 5 / (1 + np.exp(1 - 2 * x)) + 0.01 * np.sin(40 * x)})
    >>> (fit,) = SigmoidFamilies(table).fit_many([(1, (0,))])
    >>> round(fit.b, 1), round(fit.w[0], 1)
    (-1.0, 2.0)
    """

    def __init__(self, table: ContinuousTable) -> None:
        self.table = table
        self.moments: Moments = moments(table)
        order = list(table.schema.name_order)
        columns = [np.ascontiguousarray(table.columns[v], dtype=np.float64) for v in order]
        weights = np.empty(0) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
        found = self.moments
        sums = (
            float(found.n),
            np.ascontiguousarray(found.mean[order]),
            np.ascontiguousarray(found.mean_tail[order]),
            np.ascontiguousarray(found.scatter[np.ix_(order, order)]),
        )
        ranks = table.schema.name_ranks
        self.native = _core.SigmoidFamilies(columns, table.n_rows, np.ascontiguousarray(weights), sums, ranks)

    @property
    def schema(self) -> Schema:
        return self.table.schema

    def fit_many(self, families: Sequence[tuple[int, Scope]]) -> list[SigmoidFit]:
        """The best fits found, each for a child and its parents in the order given."""
        fits, names = zip(families, self.native.fit_many(families), strict=True), self.schema.names
        parts = self.schema.names_of
        return [
            SigmoidFit(names[child], parts(parents), th0, th1, b, tuple(w.tolist()), s2, likelihood)
            for (child, parents), (th0, th1, b, w, s2, likelihood) in fits
        ]
