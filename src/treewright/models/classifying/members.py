"""Whoever gives every row a probability of each class: networks, and averages of one-dependence networks."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from treewright import _core
from treewright.graphs import Dag
from treewright.inference.batch import EvidenceColumns
from treewright.models.classifying.backoff import backed_off
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.statistics import Counter
from treewright.tables.table import Table
from treewright.types import Floats, Scope

_SMALLEST = 1e-300


class Member(Protocol):
    """One opinion about the class."""

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        """Log-probability of each class in each row; what a row does not show is summed out."""
        ...


@dataclass(frozen=True)
class NetworkMember:
    """A Bayesian network that is asked for one of its variables.

    Attributes
    ----------
    terms
        For each family with the class: its other variables, and log-probabilities, their cells by classes.
    """

    model: BayesianNetwork
    target: int
    terms: tuple[tuple[Scope, Floats], ...]

    @classmethod
    def of(cls, model: BayesianNetwork, target: int) -> NetworkMember:
        terms = []
        for u in (target, *model.structure.children(target)):
            scope = (*model.structure.parents(u), u)
            others = tuple(w for w in scope if w != target)
            table = np.moveaxis(np.asarray(model.tables[u]), scope.index(target), -1)
            terms.append((others, np.log(np.maximum(table, _SMALLEST)).reshape(-1, table.shape[-1])))
        return cls(model, target, tuple(terms))

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        whole = np.ones(columns.n_rows, dtype=np.bool_)
        for u in {u for others, _ in self.terms for u in others}:
            gaps = columns.missing[u]
            whole &= columns.codes[u] is not None if gaps is None else ~gaps
        if whole.all():
            return self._looked_up(columns)
        if not whole.any():
            return self._summed_out(columns)
        made = np.empty((columns.n_rows, self.terms[0][1].shape[-1]))
        made[whole] = self._looked_up(columns.take(whole))
        made[~whole] = self._summed_out(columns.take(~whole))
        return made

    def _looked_up(self, columns: EvidenceColumns) -> Floats:
        """The product of the families of the class, where a row shows all of its blanket."""
        cards = self.model.schema.cardinalities
        logs = np.zeros((columns.n_rows, cards[self.target]))
        for others, table in self.terms:
            place: Any = None
            for u in others:
                place = columns.places[u] if place is None else place * cards[u] + columns.places[u]
            logs += table if place is None else table.take(place, axis=0)
        return normalised(logs)

    def _summed_out(self, columns: EvidenceColumns) -> Floats:
        cells, _ = self.model._engine.marginals_many(columns.without(self.target), (self.target,))
        return normalised(np.log(np.maximum(cells, _SMALLEST)))


@dataclass(frozen=True)
class Committee:
    """The average of several networks over the same rows: what hangs on few rows is not in all of them.

    Attributes
    ----------
    networks, shares
        Those that differ, and how many of those that were found each one is.
    """

    networks: tuple[NetworkMember, ...]
    shares: Floats

    @classmethod
    def of(cls, dags: Sequence[Dag], fitted: Callable[[Dag], NetworkMember]) -> Committee:
        """Networks of some shapes, equal ones fitted once."""
        times = Counted(dags)
        shares = np.array([*times.values()], dtype=np.float64)
        return cls(tuple(map(fitted, times)), shares / shares.sum())

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        said = [
            share * np.exp(one.log_posterior(columns))
            for one, share in zip(self.networks, self.shares, strict=True)
        ]
        return np.asarray(np.log(np.maximum(sum(said), _SMALLEST)))


@dataclass(frozen=True)
class NormalNaive:
    """Naive Bayes over columns as they were read: numbers are normal in each class, states have tables.

    Attributes
    ----------
    means, scales
        Classes by columns; of columns of states they are not used.
    tables
        Log-probabilities of states, classes by states; None for columns of numbers and for the class.
    """

    target: int
    prior: Floats
    means: Floats
    scales: Floats
    tables: tuple[Floats | None, ...]

    @classmethod
    def of(cls, table: Table, target: int, smoothing: float) -> NormalNaive:
        """Means and spreads of each class; spreads are drawn to that of all classes."""
        truth = np.asarray(table.columns[target], dtype=np.intp)
        weights = (
            np.ones(len(truth)) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
        )
        classes = table.schema[target].cardinality
        prior = backed_off(_sums(truth, weights, classes), smoothing)
        means, scales = np.zeros((classes, len(table.schema))), np.ones((classes, len(table.schema)))
        tables: list[Floats | None] = [None] * len(table.schema)
        for v, variable in enumerate(table.schema):
            seen = np.ones(len(truth), dtype=np.bool_)
            if v in table.missing:
                seen = ~np.asarray(table.missing[v])
            y, w = truth[seen], weights[seen]
            column: Any = np.asarray(table.columns[v])[seen]
            if v == target or not w.sum() > 0:
                continue
            if variable.is_discrete:
                size = variable.cardinality
                place = y * size + np.asarray(column, dtype=np.intp)
                cells = _sums(place, w, classes * size).reshape(classes, size)
                tables[v] = np.log(backed_off(cells, smoothing))
            else:
                means[:, v], scales[:, v] = _normal_by_class(column, y, w, classes, smoothing)
        return cls(target, np.log(prior), means, scales, tuple(tables))

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        logs = np.tile(self.prior, (columns.n_rows, 1))
        for v, table in enumerate(self.tables):
            codes, gaps = columns.codes[v], columns.missing[v]
            if v == self.target or codes is None:
                continue
            if table is None:
                off = (np.asarray(codes, dtype=np.float64)[:, None] - self.means[:, v]) / self.scales[:, v]
                said = -0.5 * off**2 - np.log(self.scales[:, v])
            else:
                said = table.T[np.asarray(codes, dtype=np.intp)]
            logs += said if gaps is None else np.where(gaps[:, None], 0.0, said)
        return normalised(logs)


def _sums(place: Any, weights: Floats, size: int) -> Floats:
    return np.asarray(np.bincount(place, weights, minlength=size), dtype=np.float64)


def _normal_by_class(x: Floats, y: Any, w: Floats, classes: int, smoothing: float) -> tuple[Floats, Floats]:
    """Mean and spread in each class: `smoothing` rows of all classes beside its own."""
    centre = float(w @ x / w.sum())
    off = x - centre
    counts, sums, squares = (_sums(y, w * part, classes) for part in (1.0, off, off * off))
    within = max(float((squares - sums**2 / np.maximum(counts, 1e-12)).sum() / w.sum()), 0.0)
    means = sums / np.maximum(counts + 0.1 * smoothing, 1e-12)
    spread = np.maximum(squares - 2 * means * sums + counts * means**2, 0.0) + smoothing * within
    all_of_it = max(float(squares.sum() / w.sum()), 0.0)
    floor = max(1e-6 * all_of_it, 1e-12 * centre**2, 1e-300)
    return means + centre, np.sqrt(np.maximum(spread / (counts + smoothing), floor))


@dataclass(frozen=True)
class OneDependence:
    """The average of all networks in which the class and one finding are the parents of all other findings.

    Nothing is searched, so there is nothing to be unlucky with.

    Attributes
    ----------
    starts
        Where the states of each variable begin among those of all findings; -1 for the class.
    joint
        Log-probability of each state together with each class: states by classes.
    given
        Log-probability of a state given another one and the class: others by states by classes.

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
        joint, given = np.zeros((n, cards[target])), np.zeros((n, n, cards[target]))
        pairs = list(combinations(others, 2))
        for u, table in zip(others, singles, strict=True):
            block = slice(starts[u], starts[u] + cards[u])
            likely = backed_off(np.asarray(table, dtype=np.float64), smoothing)
            joint[block] = np.log(prior[:, None] * likely).T
        for (u, w), table in zip(pairs, counter.counts_many([(target, u, w) for u, w in pairs]), strict=True):
            here, there = slice(starts[u], starts[u] + cards[u]), slice(starts[w], starts[w] + cards[w])
            cells = np.asarray(table, dtype=np.float64)
            given[here, there] = np.moveaxis(_given_pair(cells, smoothing), 0, -1)
            given[there, here] = np.moveaxis(_given_pair(cells.swapaxes(1, 2), smoothing), 0, -1)
        return cls(target, tuple(starts), tuple(cards), joint, given, np.log(prior))

    def log_posterior(self, columns: EvidenceColumns) -> Floats:
        others = [u for u, start in enumerate(self.starts) if start >= 0]
        if not others:
            return normalised(np.tile(self.prior, (columns.n_rows, 1)))
        cells = np.full((columns.n_rows, len(others)), -1, dtype=np.int32)
        for i, u in enumerate(others):
            codes, missing = columns.codes[u], columns.missing[u]
            if codes is not None:
                np.add(codes, np.int32(self.starts[u]), out=cells[:, i], casting="unsafe")
                if missing is not None:
                    cells[missing, i] = -1
        begins = [*(self.starts[u] for u in others), self.joint.shape[0]]
        return normalised(_core.one_dependence_logs(begins, self.joint, self.given, cells))


def _given_pair(cells: Floats, smoothing: float) -> Floats:
    """Log-probability of the last axis given the class and the other; falls back on the class alone."""
    below = backed_off(cells.sum(axis=1), smoothing)[:, None]
    total = cells.sum(axis=2, keepdims=True)
    return np.asarray(np.log((cells + smoothing * below) / (total + smoothing)))


def _log_sum(logs: Floats) -> Floats:
    top = logs.max(axis=1, keepdims=True)
    shifted = logs - top
    return np.asarray(top[:, 0] + np.log(np.exp(shifted, out=shifted).sum(axis=1)))


def normalised(logs: Floats) -> Floats:
    """Log-probabilities that sum to one in each row."""
    return np.asarray(logs - _log_sum(logs)[:, None])
