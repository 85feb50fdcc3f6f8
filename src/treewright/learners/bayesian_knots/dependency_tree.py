"""The pair pass: how much every two variables tell about each other, and the tree of the strongest ties.

One pass over the rows counts all n(n - 1)/2 pairs. It yields the mutual information of every pair (the
complete *dependency graph*), its G2 statistic, and the maximum spanning tree of the graph, which joins all
variables by the n - 1 strongest ties that close no cycle (Chow & Liu 1968).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import STATISTICS, require
from treewright.criteria.scores.discrete_score import LogLikelihood
from treewright.criteria.tests.independence import as_level, one_of
from treewright.errors import SettingError
from treewright.graphs import UndirectedGraph, find_maximum_spanning_forest
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.memory import memory_of
from treewright.statistics.moments import Moments
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
Correction = Literal["none", "miller-madow"]


@dataclass(frozen=True)
class Dependencies:
    """The dependence of all pairs of variables, as symmetric matrices in the order of the schema.

    Attributes
    ----------
    schema
        The variables.
    statistic
        G2 of every pair, twice the rows times its mutual information.
    free
        For each variable its degrees of freedom, states that do not occur left out; those of a pair are the
        product.
    n_rows
        Rows (the sum of their weights) behind the numbers.
    correction
        Of the weights, see :func:`measure_dependencies`.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}
    >>> found = measure_dependencies(tw.count(tw.read_table(rows)))
    >>> found.weights.round(4).tolist()
    [[0.0, 0.6931, 0.0], [0.6931, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> found.tree.edges(), found.weak_ties()
    ([('a', 'b'), ('a', 'c')], [('a', 'c')])
    """

    schema: Schema
    statistic: Matrix
    free: Vector
    n_rows: float
    correction: Correction = "none"

    @cached_property
    def weights(self) -> Matrix:
        """Mutual information in nats, the paper's w; 0 on the diagonal, never negative."""
        some = np.arange(len(self.schema))
        weights = self.ties(some[:, None], some)
        weights.flags.writeable = False
        return weights

    def ties(self, u: npt.ArrayLike, v: npt.ArrayLike) -> Matrix:
        """The weights of some pairs, as indices that broadcast: of many variables all are large."""
        u, v = np.asarray(u), np.asarray(v)
        if not self.n_rows:
            return np.zeros(np.broadcast_shapes(u.shape, v.shape))
        weights = np.asarray(self.statistic[u, v] / (2 * self.n_rows))
        if self.correction == "none":
            return weights
        corrected = np.maximum(weights - self.free[u] * self.free[v] / (2 * self.n_rows), 0.0)
        return np.where(u == v, 0.0, corrected)

    @cached_property
    def tree(self) -> UndirectedGraph:
        """The maximum spanning tree of the weights, always of n - 1 edges; ties go to the first names."""
        ranked_alike = self.statistic if self.correction == "none" else self.weights
        return find_maximum_spanning_forest(self.schema, ranked_alike)

    @in_range
    def weak_ties(self, alpha: float = 0.05) -> list[tuple[str, str]]:
        """Edges of the tree whose ends may be independent: they only hold the tree together."""
        return [(u, v) for u, v in self.tree.edges() if not self.is_significant(u, v, alpha)]

    @in_range
    def is_significant(self, u: NameOrIndex, v: NameOrIndex, alpha: float = 0.05) -> bool:
        """Whether two variables are dependent at a level."""
        return self.p_value(u, v) <= as_level(alpha)

    def p_value(self, u: NameOrIndex, v: NameOrIndex) -> float:
        """The p-value of the G test of one pair; 1 where a variable is constant."""
        return float(self.p_values([(self.schema.index(u), self.schema.index(v))])[0])

    def p_values(self, pairs: Iterable[Arc]) -> Vector:
        """The p-values of many pairs of indices, in one call."""
        u, v = np.array(list(pairs), dtype=np.intp).reshape(-1, 2).T
        degrees = np.where(u == v, 0.0, self.free[u] * self.free[v])
        found, tested = np.ones(len(u)), degrees > 0
        found[tested] = _core.chi_square_sf(self.statistic[u, v][tested], degrees[tested])
        return found

    @in_range
    def significant(self, alpha: float) -> npt.NDArray[np.bool_]:
        """Which pairs are dependent at a level: a symmetric matrix, false on the diagonal."""
        kinds, kind = np.unique(self.free, return_inverse=True)
        degrees = np.outer(kinds, kinds)
        critical = np.full(degrees.shape, np.inf)
        critical[degrees > 0] = _core.critical_values(as_level(alpha), degrees[degrees > 0])
        found = np.empty(self.statistic.shape, dtype=np.bool_)
        for row, of_row in enumerate(kind):  # one at a time: a matrix of critical values is as large as all
            np.greater_equal(self.statistic[row], critical[of_row, kind], out=found[row])
        np.fill_diagonal(found, False)
        return found


def measure_dependencies(source: Counter | Moments, *, correction: Correction = "none") -> Dependencies:
    """Count all pairs once and measure their dependence.

    Parameters
    ----------
    source
        Counts of discrete variables, or moments of continuous ones (whose mutual information is that of
        normal variables, -ln(1 - r^2) / 2).
    correction
        ``"miller-madow"`` takes the expected mutual information of independent variables off every weight, so
        that variables of many states do not look dependent for that reason alone; weights below 0 become 0.
        The statistic stays as it is.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}))
    >>> float(measure_dependencies(counter).weights[0, 1].round(4))
    0.2158
    >>> float(measure_dependencies(counter, correction="miller-madow").weights[0, 1].round(4))
    0.0908
    """
    require("measure_dependencies", STATISTICS, source)
    one_of("correction", correction, ("none", "miller-madow"))
    n_rows, statistic, free = _of_moments(source) if isinstance(source, Moments) else _of_counts(source)
    for array in (statistic, free):
        array.flags.writeable = False
    return Dependencies(source.schema, statistic, free, n_rows, correction)


def _of_counts(counter: Counter) -> tuple[float, Matrix, Vector]:
    continuous = [variable.name for variable in counter.schema if not variable.is_discrete]
    if continuous:
        raise SettingError(
            f"pairs are counted by states; {', '.join(map(repr, continuous))} is continuous: read it with "
            "bins=, or give moments() of continuous columns"
        )
    n = len(counter.schema)
    # on the grid of the score sums are exact: the pair (u, v) has the number of (v, u), whoever comes first
    statistic = LogLikelihood(counter).pair_gains() if n else np.zeros((0, 0))
    statistic *= 2
    np.maximum(statistic, 0.0, out=statistic)
    memory, ones = memory_of(counter), [(v,) for v in range(n)]
    alone = counter.counts_many(ones) if memory is None else memory.counts(ones)  # added up from pairs
    found: list[npt.NDArray[np.generic]] = [np.asarray(cells) for cells in alone]
    if any(cells.dtype.kind == "f" for cells in found):  # weighted rows: sums that differ in the last digit
        statistic = np.maximum(statistic, statistic.T)
    occurring = [np.count_nonzero(cells) for cells in found]
    return float(counter.n_rows), statistic, np.maximum(np.array(occurring, dtype=np.float64) - 1, 0.0)


def _of_moments(moments: Moments) -> tuple[float, Matrix, Vector]:
    scatter = moments.scatter
    scale = np.sqrt(np.diag(scatter))
    size = np.outer(scale, scale)
    r = np.divide(scatter, size, out=np.zeros_like(scatter), where=size > 0)
    # two columns that are multiples of each other: as much as doubles can tell apart
    unexplained = np.maximum(1 - r * r, np.finfo(np.float64).eps)
    statistic = -float(moments.n) * np.log(unexplained)
    np.fill_diagonal(statistic, 0.0)
    return float(moments.n), np.maximum(statistic, statistic.T), (scale > 0).astype(np.float64)
