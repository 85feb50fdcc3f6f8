"""Weights of features from counts: maximum likelihood, with or without a Gaussian prior.

The mean log-likelihood of a row is the sum of weights times frequencies, less the log of the partition
function. It is concave, and its gradient is how often each feature holds in the data less how often the model
expects it to: both are exact here, so a quasi-Newton search from zero finds the one maximum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from treewright.arguments import FEATURE, SCHEMA, all_of, require
from treewright.errors import SettingError
from treewright.models.discrete.family_counts import FamilyCounter, counted_positions
from treewright.models.undirected.log_linear import Design, LogLinearModel
from treewright.models.undirected.markov_network import Fitting
from treewright.ranges import in_range
from treewright.tables.features import Feature
from treewright.tables.schema import Schema
from treewright.types import Cells, Flags, Scope

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from treewright.statistics.counter import SparseCounts


@in_range
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


@in_range
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
    require("fit_weights", SCHEMA, schema)
    bound = tuple(one.bind(schema) for one in all_of("fit_weights", FEATURE, features))
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

    options: Any = {"maxiter": iterations, "maxfun": 4 * iterations, "maxcor": 20}
    options |= {"gtol": tolerance, "ftol": 0.0}  # only the gradient says when to stop
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    residual = float(np.abs(loss(found.x)[1]).max())
    return found.x, Fitting("L-BFGS", int(found.nit), residual, residual <= tolerance)


def minimise_by_newton(
    loss: Callable[[Cells], tuple[float, Cells]],
    curved: Callable[[Cells, Cells], Cells],
    start: Cells,
    tolerance: float,
    iterations: int,
) -> tuple[Cells, Fitting]:
    """As :func:`minimise`, in fewer steps where the loss also tells how it bends."""
    from scipy.optimize import minimize

    # the length of a gradient is at least its largest entry
    options: Any = {"gtol": tolerance, "maxiter": iterations, "max_trust_radius": 1e3}
    found = minimize(loss, start, jac=True, hessp=curved, method="trust-ncg", options=options)
    residual = float(np.abs(found.jac).max())
    if residual <= tolerance or found.nit >= iterations:
        return found.x, Fitting("Newton", int(found.nit), residual, residual <= tolerance)
    weights, fitting = minimise(loss, found.x, tolerance, iterations - int(found.nit))
    return weights, replace(fitting, sweeps=fitting.sweeps + int(found.nit))


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


class OccupiedCounter(Protocol):
    """What pseudo-likelihood needs of a counter."""

    @property
    def schema(self) -> Schema: ...

    def sparse_counts(self, scope: Scope) -> SparseCounts: ...


@in_range
def fit_pseudolikelihood(
    schema: Schema,
    features: Iterable[Feature],
    counter: OccupiedCounter,
    *,
    prior: WeightPrior | None = WEAK,
    tolerance: float = 1e-7,
    iterations: int = 2_000,
) -> LogLinearModel:
    """Find weights by maximum (penalised) pseudo-likelihood; for graphs whose junction tree would not fit.

    Parameters
    ----------
    schema, features, counter, tolerance, iterations
        As for :func:`fit_weights`.
    prior
        A Gaussian prior on every weight, or None. Without one, weights of features that the data never
        contradict grow until the search stops; the model's `fitting` then says that it did not converge.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1, 1], "b": [0, 1, 1, 1, 0]})
    >>> features = [Feature({"a": 1}), Feature({"b": 1}), Feature({"a": 1, "b": 1})]
    >>> model = fit_pseudolikelihood(table.schema, features, tw.count(table), prior=None)
    >>> model.expectations().round(4).tolist()
    [0.6, 0.6, 0.4]
    """
    require("fit_pseudolikelihood", SCHEMA, schema)
    bound = tuple(one.bind(schema) for one in all_of("fit_pseudolikelihood", FEATURE, features))
    found = _conditionals(schema, bound, counter)
    useful = [one for one in found if one.counts.size and one.design.nnz]
    n_rows = float(max((one.counts.sum() for one in useful), default=0.0))
    conditionals = stacked(useful)
    penalty = 1 / (prior.variance * n_rows) if prior is not None and n_rows > 0 else 0.0

    def loss(weights: Cells) -> tuple[float, Cells]:
        value, gradient = penalty / 2 * float(weights @ weights), penalty * weights
        for conditional in conditionals:
            one, slope = conditional.loss(weights)
            value += one / n_rows
            gradient = gradient + slope / n_rows
        return value, gradient

    def curved(weights: Cells, along: Cells) -> Cells:
        """The second derivative times a direction."""
        return penalty * along + sum(one.curved(weights, along) for one in conditionals) / n_rows

    weights, fitting = np.zeros(len(bound)), Fitting("pseudo-likelihood")
    if conditionals:
        weights, fitting = minimise_by_newton(loss, curved, weights, tolerance, iterations)
    return LogLinearModel(schema, bound, weights, fitting=replace(fitting, method="pseudo-likelihood"))


@dataclass(frozen=True)
class Conditional:
    """Variables given the others: which features hold for each of their states, in each joint state seen.

    Lines of `design` are joint states of the neighbours times states of the variable, columns are features.
    Several variables with as many states stand below each other.
    """

    design: csr_array
    observed: npt.NDArray[np.int64]  # the variable's state in each joint state seen
    counts: Cells  # and how often that was

    def loss(self, weights: Cells) -> tuple[float, Cells]:
        """Minus the log of the conditional probabilities, summed over rows; and its gradient."""
        energies, shares, totals = self._shares(weights)
        lines = np.arange(len(self.counts))
        value = float((self.counts * (np.log(totals) - energies[lines, self.observed])).sum())
        shares[lines, self.observed] -= 1
        return value, np.asarray(self.design.T @ (shares * self.counts[:, None]).ravel())

    def curved(self, weights: Cells, along: Cells) -> Cells:
        """The second derivative of the loss, times a direction."""
        _, shares, _ = self._shares(weights)
        change = np.asarray(self.design @ along).reshape(shares.shape)
        change -= (shares * change).sum(axis=1, keepdims=True)
        return np.asarray(self.design.T @ (shares * change * self.counts[:, None]).ravel())

    def _shares(self, weights: Cells) -> tuple[Cells, Cells, Cells]:
        """Energies less the largest, probabilities of the states, and what they were divided by."""
        energies = np.asarray(self.design @ weights).reshape(len(self.counts), -1)
        energies -= energies.max(axis=1, keepdims=True)
        shares = np.exp(energies)
        totals = shares.sum(axis=1)
        return energies, shares / totals[:, None], totals


def stacked(parts: Sequence[Conditional]) -> list[Conditional]:
    """One for each number of states, so that a step of the search takes one product, not one per variable."""
    from scipy.sparse import csr_array, vstack

    by_states: dict[int, list[Conditional]] = {}
    for part in parts:
        by_states.setdefault(part.design.shape[0] // len(part.counts), []).append(part)
    return [
        Conditional(
            csr_array(vstack([one.design for one in group], format="csr")),
            np.concatenate([one.observed for one in group]),
            np.concatenate([one.counts for one in group]),
        )
        for _, group in sorted(by_states.items())
    ]


def _conditionals(
    schema: Schema, features: Sequence[Feature], counter: OccupiedCounter
) -> Iterable[Conditional]:
    positions = counted_positions(schema, counter.schema)
    scopes = [frozenset(schema.index(name) for name in feature.variables) for feature in features]
    mentioning: list[list[int]] = [[] for _ in schema]
    for f, scope in enumerate(scopes):
        for v in sorted(scope):
            mentioning[v].append(f)
    for v, around in enumerate(mentioning):
        if around:
            blanket = tuple(sorted(set().union(*(scopes[f] for f in around))))
            seen = counter.sparse_counts(tuple(positions[u] for u in blanket))
            yield _conditional(v, blanket, seen, features, around)


def _conditional(
    v: int, scope: Scope, seen: SparseCounts, features: Sequence[Feature], around: Sequence[int]
) -> Conditional:
    from scipy.sparse import csc_array

    states = dict(zip(scope, np.unravel_index(seen.codes, seen.shape), strict=True))
    n_states = seen.shape[scope.index(v)]
    columns = [np.flatnonzero(_holds(features[f], v, n_states, states, len(seen.codes))) for f in around]
    starts = np.zeros(len(features) + 1, dtype=np.int64)
    starts[[f + 1 for f in around]] = [len(column) for column in columns]
    lines = np.concatenate(columns)
    shape = (len(seen.codes) * n_states, len(features))
    design = csc_array((np.ones(len(lines)), lines, np.cumsum(starts)), shape=shape).tocsr()
    return Conditional(design, states[v].astype(np.int64), np.asarray(seen.counts, dtype=np.float64))


def _holds(feature: Feature, v: int, n_states: int, states: dict[int, npt.NDArray[np.intp]], n: int) -> Flags:
    """Whether a feature holds, for each joint state seen (lines) with the variable moved to each state."""
    own, others = np.ones(n_states, dtype=np.bool_), np.ones(n, dtype=np.bool_)
    for u, code in feature.literals:
        if u == v:
            own &= np.arange(n_states) == code
        else:
            others &= states[u] == code
    for u, code in feature.excluded:
        if u == v:
            own[code] = False
        else:
            others &= states[u] != code
    holds = np.logical_and.outer(others, own)
    return ~holds if feature.negated else holds
