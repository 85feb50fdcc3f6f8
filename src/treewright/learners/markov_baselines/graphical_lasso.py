"""A sparse inverse covariance of indicator columns: the graphical lasso on discrete data.

Every state but the first of a variable becomes a column of zeros and ones. Were the columns normal, a zero in
the inverse of their covariance would be an independence given all others; for discrete variables that holds
exactly for trees and approximately beyond (Loh & Wainwright 2013). The penalised likelihood of a normal
distribution with a price on every entry of the inverse is convex; two variables are joined when any entry
between their columns is not zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import COUNTS, require
from treewright.criteria.tests.independence import one_of
from treewright.errors import SchemaError, SettingError
from treewright.graphs import UndirectedGraph
from treewright.learners.learned import Learned, TraceBuilder
from treewright.learners.markov_baselines.l1_neighbourhoods import check_path
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.tables.schema import Schema
from treewright.types import Floats, Progress, Step

_SWEEPS = 500


@dataclass(frozen=True)
class LearnedPrecision(Learned[UndirectedGraph]):
    """A graph, and the sparse inverse correlations behind it.

    Attributes
    ----------
    penalty
        The penalty that was given or chosen.
    gap
        How far the penalised likelihood may be from its optimum.
    columns
        The columns, as pairs (variable, state).
    precision
        The sparse inverse of their correlations; a column that never varies is left out of it.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = tw.learners.learn_graphical_lasso(tw.count(rows), penalty=0.2)
    >>> learned.precision.shape, learned.columns[0]
    ((8, 8), ('asia', 'no'))
    """

    penalty: float
    gap: float
    columns: tuple[tuple[str, object], ...]
    precision: Floats = field(repr=False)


@in_range
def learn_graphical_lasso(
    counter: Counter,
    *,
    penalty: float | Literal["ebic"] = "ebic",
    gamma: float = 0.5,
    n_penalties: int = 30,
    smallest: float = 0.01,
    tolerance: float = 1e-5,
    progress: Progress | None = None,
) -> LearnedPrecision:
    """Join variables whose indicator columns have a partial correlation under a price on each of them.

    Parameters
    ----------
    counter
        Counts of discrete variables; pairs of them are all that is asked for.
    penalty
        The price of an entry of the inverse correlation matrix, between 0 and 1; entries within one variable
        are free. ``"ebic"``: of a path of penalties the one of best extended BIC.
    gamma
        Weight of the number of possible edges in the extended BIC; 0 is BIC.
    n_penalties, smallest
        Length of the path, and its last penalty as a share of the first (at which nothing is joined).
    tolerance
        Largest gap between the penalised log-likelihood of a row and its bound at which a search stops.
    progress
        Called after each penalty.

    References
    ----------
    .. [1] Friedman, Hastie & Tibshirani (2008). Sparse inverse covariance estimation with the graphical
       lasso. Biostatistics 9, 432-441.
    .. [2] Foygel & Drton (2010). Extended Bayesian information criteria for Gaussian graphical models. NIPS.
    .. [3] Loh & Wainwright (2013). Structure estimation for discrete graphical models: generalized covariance
       matrices and their inverses. Annals of Statistics 41, 3022-3049.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> tw.learners.learn_graphical_lasso(tw.count(rows), penalty=0.4).structure.edges()
    [('bronc', 'dysp'), ('either', 'lung'), ('either', 'xray'), ('lung', 'xray')]
    """
    require("learn_graphical_lasso", COUNTS, counter)
    _check_settings(penalty, gamma, n_penalties, smallest, tolerance)
    schema = counter.schema
    trace = TraceBuilder()
    with trace.phase("correlations") as tallies:
        owners, states, correlations = indicator_correlations(counter)
        tallies["columns"] = len(owners)
    free = owners[:, None] == owners[None, :]
    with trace.phase("lasso") as tallies:
        chosen = isinstance(penalty, str)
        penalties = _falling(correlations, free, n_penalties, smallest) if chosen else [float(penalty)]
        tallies.update(penalties=len(penalties), sweeps=0)
        lowest = math.inf
        for done, found in enumerate(_path(correlations, free, penalties, tolerance), 1):
            tallies["sweeps"] += found.sweeps
            value = found.criterion(correlations, owners, float(counter.n_rows), gamma)
            if value < lowest or found.penalty == penalties[0]:
                best, lowest = found, value
            if progress is not None:
                progress(Step("penalties", done, len(penalties)))
    joined = np.argwhere(np.triu((best.precision != 0) & ~free, 1))
    edges = {(int(owners[a]), int(owners[b])) for a, b in joined}
    columns = tuple((schema.names[v], _label(schema, v, s)) for v, s in zip(owners, states, strict=True))
    return LearnedPrecision(
        UndirectedGraph(schema, sorted(edges)), trace.build(), best.penalty, best.gap, columns, best.precision
    )


@dataclass(frozen=True)
class _Found:
    penalty: float
    precision: Floats
    gap: float
    log_determinant: float
    sweeps: int

    def criterion(
        self, correlations: Floats, owners: npt.NDArray[np.int64], n_rows: float, gamma: float
    ) -> float:
        """The extended BIC of Foygel & Drton, free entries of pairs counted."""
        fit = self.log_determinant - float(np.sum(correlations * self.precision))
        between = owners[:, None] != owners[None, :]
        n_entries = int(np.count_nonzero(np.triu((self.precision != 0) & between, 1)))
        price = math.log(max(n_rows, 1.0)) + 4 * gamma * math.log(max(len(owners), 1))
        return -n_rows * fit + n_entries * price


def indicator_correlations(
    counter: Counter,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """The variable and the state of each indicator of a state but the first, and their correlations.

    Columns come in name order; those that never vary are left out.
    """
    schema = counter.schema
    for variable in schema:
        if not variable.is_discrete:
            raise SchemaError(
                f"indicators are of states; {variable.name!r} is continuous: read it with bins="
            )
    order = schema.name_order
    owners = np.array([v for v in order for _ in range(1, schema.cardinalities[v])], dtype=np.int64)
    states = np.array([s for v in order for s in range(1, schema.cardinalities[v])], dtype=np.int64)
    n_rows = float(counter.n_rows) or 1.0
    starts = dict(zip(order, np.cumsum([0, *(schema.cardinalities[v] - 1 for v in order)]), strict=False))
    both = np.zeros((len(owners), len(owners)))
    pairs = [(u, v) for i, u in enumerate(order) for v in order[i + 1 :]]
    for (u, v), cells in zip(pairs, counter.counts_many(pairs), strict=True):
        a, b = starts[u], starts[v]
        block = np.asarray(cells, dtype=np.float64)[1:, 1:] / n_rows
        both[a : a + block.shape[0], b : b + block.shape[1]] = block
    both += both.T
    margins = counter.counts_many([(v,) for v in order])
    shares = np.concatenate([np.zeros(0), *(np.asarray(m, dtype=np.float64)[1:] / n_rows for m in margins)])
    both[np.arange(len(shares)), np.arange(len(shares))] = shares
    covariance = both - np.outer(shares, shares)
    varies = np.diag(covariance) > 1e-12
    deviations = np.sqrt(np.diag(covariance)[varies])
    kept = covariance[np.ix_(varies, varies)] / np.outer(deviations, deviations)
    return owners[varies], states[varies], kept


def _falling(
    correlations: Floats, free: npt.NDArray[np.bool_], n_penalties: int, smallest: float
) -> list[float]:
    largest = float(np.abs(np.where(free, 0.0, correlations)).max(initial=0.0))
    shares = np.linspace(0, 1, n_penalties)
    return [max(largest, 1e-12) * smallest**share for share in shares.tolist()]


def _path(
    correlations: Floats, free: npt.NDArray[np.bool_], penalties: list[float], tolerance: float
) -> Iterator[_Found]:
    """The solution for each penalty, each begun at that of the penalty before."""
    start = np.zeros((0, 0))
    for one in penalties:
        prices = np.where(free, 0.0, one)
        start, precision, gap, log_determinant, sweeps = _core.graphical_lasso(
            _regular(correlations, free), prices, start, tolerance, _SWEEPS
        )
        yield _Found(one, precision, gap, log_determinant, sweeps)


def _regular(correlations: Floats, free: npt.NDArray[np.bool_]) -> Floats:
    """Columns of one variable may determine each other: off its diagonal a block gives way a little."""
    return np.where(
        free & ~np.eye(len(correlations), dtype=np.bool_), correlations * (1 - 1e-6), correlations
    )


def _label(schema: Schema, v: int, state: int) -> object:
    return (schema[int(v)].states or ())[int(state)]


def _check_settings(
    penalty: object, gamma: float, n_penalties: int, smallest: float, tolerance: float
) -> None:
    if isinstance(penalty, str):
        one_of("penalty", penalty, ("ebic",))
    elif not (isinstance(penalty, int | float) and 0 < penalty < 1):
        raise SettingError(f'penalty is a number between 0 and 1, or "ebic"; found {penalty!r}')
    check_path(gamma, n_penalties, smallest)
    if not 0 < tolerance < 1:
        raise SettingError(f"tolerance lies between 0 and 1, both excluded; found {tolerance!r}")
