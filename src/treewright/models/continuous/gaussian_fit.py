"""Put regressions on a structure: from the moments of continuous columns to a linear-Gaussian network.

Maximum likelihood regresses every variable on its parents, from the scatter alone, on standardised columns. A
prior is told as rows that were imagined before any were seen; their moments are merged with those of the data
and the regression is that of all of them. For the coefficients that is the posterior mean under a Normal
prior with inverse-gamma variance, centred on zero slopes (a ridge whose strength is the number of rows).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from treewright import _core
from treewright.arguments import DAG, require
from treewright.errors import SchemaError, SettingError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.ranked import rank_matrix
from treewright.models.continuous.gaussian_network import GaussianNetwork, order_numbers
from treewright.models.model import check_continuous, require_variables
from treewright.ranges import in_range
from treewright.statistics.moments import Moments

VARIANCE_FLOOR = 1e-12
"""The least share of a variable's variance that its parents leave; a constant column has this variance."""


@in_range
@dataclass(frozen=True)
class GaussianPrior:
    """A conjugate prior: `rows` imagined rows in which the columns vary independently.

    How many there are, or what they weigh, is the strength of the prior. Their `mean` and `deviation`, by
    name, are those of the data when left out, so that slopes and variances are drawn to the prior and levels
    are not.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"x": [-1.25, 0.5, 0.75], "y": [-2.5, 1.0, 1.5]})
    >>> line = tw.Dag(table.schema, [("x", "y")])
    >>> tw.fit(line, tw.moments(table)).coefficients("y")
    {'x': 2.0}
    >>> tw.fit(line, tw.moments(table), prior=GaussianPrior(9.0)).coefficients("y")["x"] < 0.6
    True
    """

    rows: float = 1.0
    mean: Mapping[str, float] | None = field(default=None, kw_only=True)
    deviation: Mapping[str, float] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rows) and self.rows > 0):
            raise SettingError(
                f"the imagined rows of a Gaussian prior are a positive number; found {self.rows!r} "
                "(prior=None fits by maximum likelihood)"
            )

    def moments(self, data: Moments) -> Moments:
        """The moments of the imagined rows."""
        if not data.n > 0 and (self.mean is None or self.deviation is None):
            raise SchemaError(
                "there are no rows to take a prior's mean and deviation from; give both, or some rows"
            )
        schema = data.schema
        if self.deviation is None:
            spread = np.diag(data.scatter) / data.n
        else:
            deviation = order_numbers(schema, self.deviation, "deviation of the prior")
            if (deviation < 0).any():
                name = schema.names[int(np.argmax(deviation < 0))]
                raise SettingError(f"a deviation is not negative; that of {name!r} is")
            spread = deviation**2
        if self.mean is None:
            return Moments(schema, self.rows, data.mean, np.diag(self.rows * spread), data.mean_tail)
        mean = order_numbers(schema, self.mean, "mean of the prior")
        return Moments(schema, self.rows, mean, np.diag(self.rows * spread))


def fit_gaussian(structure: Dag, moments: Moments, *, prior: GaussianPrior | None = None) -> GaussianNetwork:
    """Fit the regressions of a linear-Gaussian network; :func:`treewright.fit` calls this for moments.

    A parent that is constant, or a linear function of the parents before it by name, gets the coefficient
    zero and is listed in `redundant`. A variable that its parents determine gets 1e-12 of its variance (a
    constant one the variance 1e-12) and is listed in `floored`: the same floor as in :class:`GaussianBIC`,
    so that the score of the structure is the log-likelihood of this model less the penalty.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"x": [0.5, 1.5, 2.5, 3.5], "y": [1.1, 2.9, 5.1, 6.9]})
    >>> model = fit_gaussian(tw.Dag(table.schema, [("x", "y")]), tw.moments(table))
    >>> round(model.coefficients("y")["x"], 6), round(model.intercept("y"), 6), round(model.variance("y"), 6)
    (1.96, 0.08, 0.008)
    """
    require("fit_gaussian", DAG, structure)
    check_continuous(structure.schema, "a Gaussian network")
    require_variables(structure.schema, moments.schema.names, "the moments lack")
    data = moments.select(structure.schema.names)
    if prior is not None:
        data = Moments.merged([prior.moments(data), data]) if data.n > 0 else prior.moments(data)
    if not data.n > 0:
        raise SchemaError("a Gaussian network is fitted to one row at least; the moments have none")
    return _regressed(structure, data)


def _regressed(structure: Dag, data: Moments) -> GaussianNetwork:
    schema, names = structure.schema, structure.schema.names
    families = [(v, structure.parents(v)) for v in range(len(schema))]
    found = _core.regressions(rank_matrix(schema, data.scatter), families, schema.name_ranks)
    deviation = np.sqrt(np.diag(data.scatter) / data.n)
    coefficients: dict[str, dict[str, float]] = {}
    redundant: dict[str, list[str]] = {}
    intercepts, variances, floored = [], [], []
    for (v, parents), (slopes, idle, unexplained, at_floor) in zip(families, found, strict=True):
        scale = np.array([deviation[p] if not alone else 1.0 for p, alone in zip(parents, idle, strict=True)])
        weights = slopes * deviation[v] / scale if parents else slopes
        coefficients[names[v]] = dict(zip(schema.names_of(parents), weights.tolist(), strict=True))
        terms = [-w * m for w, m in zip(weights.tolist(), data.mean[list(parents)].tolist(), strict=True)]
        # an exact sum: the intercept does not depend on the order of the parents
        intercepts.append(math.fsum([float(data.mean[v]), float(data.mean_tail[v]), *terms]))
        variances.append(unexplained * float(deviation[v]) ** 2 if deviation[v] > 0 else VARIANCE_FLOOR)
        if at_floor:
            floored.append(names[v])
        if idle.any():
            redundant[names[v]] = [names[p] for p, alone in zip(parents, idle, strict=True) if alone]
    return GaussianNetwork(
        structure, intercepts, coefficients, variances, floored=floored, redundant=redundant
    )
