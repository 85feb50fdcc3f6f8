"""Whoever gives every row a probability of each class: networks, and averages of one-dependence networks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from treewright.inference.batch import EvidenceColumns
from treewright.models.classifying.backoff import backed_off
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.statistics import Counter
from treewright.types import Floats

_SMALLEST = 1e-300
_ROWS_AT_ONCE = 4096


class Member(Protocol):
    """One opinion about the class."""

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        """Log-probability of each class in each row; what a row does not show is summed out."""
        ...


@dataclass(frozen=True)
class NetworkMember:
    """A Bayesian network that is asked for one of its variables."""

    model: BayesianNetwork
    target: int

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        cells, _ = self.model._engine.marginals_many(columns.without(self.target), (self.target,))
        return normalised(np.log(np.maximum(cells, _SMALLEST)))


@dataclass(frozen=True)
class OneDependence:
    """The average of all networks in which the class and one finding are the parents of all other findings.

    Nothing is searched, so there is nothing to be unlucky with. All of them are asked at once: a row is a
    vector of the states that it shows, and the sum over its findings is a product of matrices.

    Attributes
    ----------
    starts
        Where the states of each variable begin among those of all findings; -1 for the class.
    joint
        Log-probability of each state together with each class: classes by states.
    given
        For each class, log-probability of a state (columns) given the class and another state (rows).

    References
    ----------
    .. [1] Webb, Boughton & Wang (2005). Not so naive Bayes: aggregating one-dependence estimators. Machine
       Learning 58, 5-24. Departure: findings that a row lacks are summed out, also where they are the parent.
    """

    target: int
    starts: tuple[int, ...]
    cards: tuple[int, ...]
    joint: Floats
    given: Floats
    prior: Floats

    @classmethod
    def of(cls, counter: Counter, target: int, smoothing: float) -> OneDependence:
        """Count pairs given the class, and smooth them."""
        cards = counter.schema.cardinalities
        others = [u for u in range(len(cards)) if u != target]
        starts, n = [-1] * len(cards), 0
        for u in others:
            starts[u], n = n, n + cards[u]
        singles = counter.counts_many([(target, u) for u in others])
        classes = np.asarray(counter.counts((target,)), dtype=np.float64)
        prior = backed_off(classes, smoothing)
        joint, given = np.zeros((cards[target], n)), np.zeros((cards[target], n, n))
        pairs = list(combinations(others, 2))
        for u, table in zip(others, singles, strict=True):
            block = slice(starts[u], starts[u] + cards[u])
            likely = backed_off(np.asarray(table, dtype=np.float64), smoothing)
            joint[:, block] = np.log(prior[:, None] * likely)
        for (u, w), table in zip(pairs, counter.counts_many([(target, u, w) for u, w in pairs]), strict=True):
            here, there = slice(starts[u], starts[u] + cards[u]), slice(starts[w], starts[w] + cards[w])
            cells = np.asarray(table, dtype=np.float64)
            given[:, here, there] = _given_pair(cells, smoothing)
            given[:, there, here] = _given_pair(cells.swapaxes(1, 2), smoothing)
        return cls(target, tuple(starts), tuple(cards), joint, given, np.log(prior))

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        made = np.empty((columns.n_rows, len(self.prior)))
        for first in range(0, columns.n_rows, _ROWS_AT_ONCE):
            some = slice(first, min(columns.n_rows, first + _ROWS_AT_ONCE))
            made[some] = self._some(columns, some)
        return normalised(made)

    def _some(self, columns: EvidenceColumns, rows: slice) -> Floats:
        n, size = rows.stop - rows.start, self.joint.shape[1]
        shown = np.zeros((n, size))
        others = [u for u, start in enumerate(self.starts) if start >= 0]
        for u in others:
            codes, missing = columns.codes[u], columns.missing[u]
            if codes is not None:
                seen = np.arange(n) if missing is None else np.flatnonzero(~missing[rows])
                shown[seen, self.starts[u] + codes[rows][seen].astype(np.intp)] = 1.0
        if not others:
            return np.broadcast_to(self.prior, (n, len(self.prior)))
        begins = [self.starts[u] for u in others]
        # a state counts if the row shows it, or if nothing is known of its variable
        unknown = np.add.reduceat(shown, begins, axis=1) == 0
        open_states = (shown > 0) | np.repeat(unknown, [self.cards[u] for u in others], axis=1)
        made = np.empty((n, len(self.prior)))
        for c in range(len(self.prior)):
            logs = shown @ self.given[c].T + self.joint[c]
            made[:, c] = _log_sum(np.where(open_states, logs, -np.inf))
        return made


def _given_pair(cells: Floats, smoothing: float) -> Floats:
    """Log-probability of the last axis given the class and the other; falls back on the class alone."""
    below = backed_off(cells.sum(axis=1), smoothing)[:, None]
    total = cells.sum(axis=2, keepdims=True)
    return np.asarray(np.log((cells + smoothing * below) / (total + smoothing)))


def _log_sum(logs: Floats) -> Floats:
    top = logs.max(axis=1, keepdims=True)
    return np.asarray(top[:, 0] + np.log(np.exp(logs - top).sum(axis=1)))


def normalised(logs: Floats) -> Floats:
    """Log-probabilities that sum to one in each row."""
    return np.asarray(logs - _log_sum(logs)[:, None])
