"""Weights of features from counts: maximum likelihood, with or without a Gaussian prior.

The mean log-likelihood of a row is the sum of weights times frequencies, less the log of the partition
function. It is concave, and its gradient is how often each feature holds in the data less how often the model
expects it to: both are exact here, so a quasi-Newton search from zero finds the one maximum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.errors import SettingError
from treewright.models.discrete.family_counts import FamilyCounter
from treewright.models.undirected.log_linear import Design, LogLinearModel
from treewright.models.undirected.markov_network import Fitting
from treewright.tables.features import Feature
from treewright.tables.schema import Schema
from treewright.types import Cells


@dataclass(frozen=True)
class WeightPrior:
    """Weights are drawn around zero with this variance: an L2 penalty of `weight**2 / (2 variance)`.

    Examples
    --------
    >>> WeightPrior(4.0).variance
    4.0
    """

    variance: float = 10.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.variance) and self.variance > 0):
            raise SettingError(
                f"the variance of a Gaussian prior is a positive number; found {self.variance!r} "
                "(prior=None fits by maximum likelihood)"
            )


WEAK = WeightPrior()


def fit_weights(
    schema: Schema,
    features: Iterable[Feature],
    counter: FamilyCounter,
    *,
    prior: WeightPrior | None = WEAK,
    tolerance: float = 1e-7,
    iterations: int = 2_000,
) -> LogLinearModel:
    """Find the weights under which features are as frequent as in the data, or nearly so for a prior.

    Maximises the (penalised) likelihood by L-BFGS, with expectations that are exact.

    Parameters
    ----------
    schema, features
        The variables of the model, and what it knows of a row.
    counter
        Counts of the same variables, met by name.
    prior
        A Gaussian prior on every weight, or None for maximum likelihood; a feature that holds in all rows or
        in none, whose best weight is infinite, is then refused.
    tolerance, iterations
        Largest entry of the gradient of the mean log-likelihood at which the search stops, and its steps at
        most; the model's `fitting` says whether it converged.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1, 1], "b": [0, 1, 1, 1, 0]})
    >>> features = [Feature({"a": 1}), Feature({"b": 1}), Feature({"a": 1, "b": 1})]
    >>> model = fit_weights(table.schema, features, tw.count(table), prior=None)
    >>> model.expectations().round(6).tolist()
    [0.6, 0.6, 0.4]
    """
    bound = tuple(feature.bind(schema) for feature in features)
    design = Design(schema, bound)
    frequencies, n_rows = design.frequencies(counter)
    if prior is None and n_rows > 0:
        _refuse_infinite(design, bound, frequencies)
    penalty = 1 / (prior.variance * n_rows) if prior is not None and n_rows > 0 else 0.0

    def loss(weights: Cells) -> tuple[float, Cells]:
        expected, log_partition = design.expectations(weights)
        value = log_partition - float(weights @ frequencies) + penalty / 2 * float(weights @ weights)
        return value, expected - frequencies + penalty * weights

    start = np.zeros(len(bound))
    if n_rows == 0 or not bound:  # nothing speaks against a uniform distribution
        return LogLinearModel(schema, bound, start, fitting=Fitting("maximum likelihood"))
    weights, fitting = minimise(loss, start, tolerance, iterations)
    method = "maximum likelihood" if prior is None else "penalised likelihood"
    return LogLinearModel(schema, bound, weights, fitting=replace(fitting, method=method))


def minimise(
    loss: Callable[[Cells], tuple[float, Cells]], start: Cells, tolerance: float, iterations: int
) -> tuple[Cells, Fitting]:
    """The weights where a convex loss is least, by L-BFGS, and how the search went."""
    from scipy.optimize import minimize

    found = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        options={
            "maxiter": iterations,
            "maxfun": 4 * iterations,
            "gtol": tolerance,
            "ftol": 0.0,  # only the gradient says when to stop
            "maxcor": 20,
        },
    )
    residual = float(np.abs(loss(found.x)[1]).max())
    return found.x, Fitting("L-BFGS", int(found.nit), residual, residual <= tolerance)


def _refuse_infinite(design: Design, features: Sequence[Feature], frequencies: Cells) -> None:
    uniform = design.expectations(np.zeros(len(features)))[0]
    varies = (uniform > 1e-12) & (uniform < 1 - 1e-12)
    stuck = np.flatnonzero(varies & ((frequencies <= 0) | (frequencies >= 1)))
    if stuck.size:
        feature, share = features[int(stuck[0])], frequencies[stuck[0]]
        raise SettingError(
            f"the feature {feature} holds in {'no row' if share <= 0 else 'every row'}, so its "
            "maximum-likelihood weight is infinite; leave it out, or pass prior=WeightPrior()"
        )
