"""Weights of features by pseudo-likelihood: no partition function, so no junction tree.

The pseudo-likelihood (Besag 1975) replaces the probability of a row by the product, over variables, of the
probability of each one's state given all the others. That needs nothing but the features which mention the
variable, and it has its maximum near that of the likelihood when there are many rows. All that a variable
asks of the data is how often each joint state of it and its neighbours occurs: the occupied cells of a
counter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from treewright.models.discrete.family_counts import counted_positions
from treewright.models.undirected.log_linear import LogLinearModel
from treewright.models.undirected.markov_network import Fitting
from treewright.models.undirected.weight_fitting import WEAK, WeightPrior, minimise
from treewright.tables.features import Feature
from treewright.tables.schema import Schema
from treewright.types import Cells, Flags, Scope

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from treewright.statistics.counter import SparseCounts


class OccupiedCounter(Protocol):
    """What pseudo-likelihood needs of a counter."""

    @property
    def schema(self) -> Schema: ...

    def sparse_counts(self, scope: Scope) -> SparseCounts: ...


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
    bound = tuple(feature.bind(schema) for feature in features)
    conditionals = [
        conditional
        for conditional in _conditionals(schema, bound, counter)
        if conditional.counts.size and conditional.design.nnz
    ]
    n_rows = float(max((c.counts.sum() for c in conditionals), default=0.0))
    penalty = 1 / (prior.variance * n_rows) if prior is not None and n_rows > 0 else 0.0

    def loss(weights: Cells) -> tuple[float, Cells]:
        value, gradient = penalty / 2 * float(weights @ weights), penalty * weights
        for conditional in conditionals:
            one, slope = conditional.loss(weights)
            value += one / n_rows
            gradient = gradient + slope / n_rows
        return value, gradient

    weights, fitting = np.zeros(len(bound)), Fitting("pseudo-likelihood")
    if conditionals:
        weights, fitting = minimise(loss, weights, tolerance, iterations)
    return LogLinearModel(schema, bound, weights, fitting=replace(fitting, method="pseudo-likelihood"))


@dataclass(frozen=True)
class Conditional:
    """One variable given the others: which features hold for each of its states, in each joint state seen.

    Lines of `design` are joint states of the neighbours times states of the variable, columns are features.
    """

    design: csr_array
    observed: npt.NDArray[np.int64]  # the variable's state in each joint state seen
    counts: Cells  # and how often that was

    def loss(self, weights: Cells) -> tuple[float, Cells]:
        """Minus the log of the conditional probabilities, summed over rows; and its gradient."""
        energies = np.asarray(self.design @ weights).reshape(len(self.counts), -1)
        energies -= energies.max(axis=1, keepdims=True)
        shares = np.exp(energies)
        totals = shares.sum(axis=1)
        lines = np.arange(len(self.counts))
        value = float(self.counts @ (np.log(totals) - energies[lines, self.observed]))
        shares /= totals[:, None]
        shares[lines, self.observed] -= 1
        return value, np.asarray(self.design.T @ (shares * self.counts[:, None]).ravel())


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
