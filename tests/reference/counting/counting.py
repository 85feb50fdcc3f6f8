"""A counter in plain NumPy: the slow, obvious twin of every native one."""

from __future__ import annotations

import numpy as np

from treewright.statistics.counter import SparseCounts
from treewright.tables.schema import Schema, Variable


class SlowCounter:
    """Counts the rows of code columns, with optional weights (whole or real)."""

    def __init__(self, schema, columns, weights=None):
        self.schema = schema
        self.columns = [np.asarray(column, dtype=np.int64) for column in columns]
        self._rows = len(self.columns[0]) if self.columns else 0
        self.weights = None if weights is None else np.asarray(weights)
        self.missing = {}
        self.asked = []  # scopes, for tests that count questions

    @property
    def n_rows(self):
        return self._rows if self.weights is None else self.weights.sum().item()

    def counts(self, scope):
        self.asked.append(tuple(scope))
        shape = tuple(self.schema.cardinalities[v] for v in scope)
        real = self.weights is not None and self.weights.dtype.kind == "f"
        table = np.zeros(shape, dtype=np.float64 if real else np.int64)
        weights = 1 if self.weights is None else self.weights
        np.add.at(table, tuple(self.columns[v] for v in scope), weights if scope else np.sum(self._weights()))
        return table

    def counts_many(self, scopes):
        return [self.counts(scope) for scope in scopes]

    def sparse_counts(self, scope):
        self.asked.append(tuple(scope))
        shape = tuple(self.schema.cardinalities[v] for v in scope)
        codes = np.zeros(self._rows, dtype=np.int64)
        for v, r in zip(scope, shape, strict=True):
            codes = codes * r + self.columns[v]
        occupied, where = np.unique(codes, return_inverse=True)
        counts = np.zeros(len(occupied), dtype=self._weights().dtype)
        np.add.at(counts, where, self._weights())
        return SparseCounts(shape, occupied, counts)

    def given(self, feature):
        holds = feature.mask(_Rows(self))
        weights = None if self.weights is None else self.weights[holds]
        return SlowCounter(self.schema, [column[holds] for column in self.columns], weights)

    def _weights(self):
        if self.weights is None:
            return np.ones(self._rows, dtype=np.int64)
        return self.weights if self.weights.dtype.kind == "f" else self.weights.astype(np.int64)


class _Rows:
    def __init__(self, counter):
        self.schema, self.columns, self.missing = counter.schema, counter.columns, {}
        self.n_rows = counter._rows


def plain_schema(cardinalities, names=None):
    """Variables x0, x1, ... with states 0, 1, ..."""
    names = names or [f"x{i}" for i in range(len(cardinalities))]
    return Schema(Variable(name, tuple(range(r))) for name, r in zip(names, cardinalities, strict=True))


def random_counter(seed, cardinalities, n_rows, *, skew=1.0, weights=None):
    """Independent columns with random state probabilities."""
    rng = np.random.default_rng(seed)
    columns = [rng.choice(r, n_rows, p=rng.dirichlet(np.full(r, skew))) for r in cardinalities]
    return SlowCounter(plain_schema(cardinalities), columns, weights)


def counter_of_rows(rows, cardinalities=None):
    """From texts of digits, one character for each variable."""
    codes = np.array([[int(digit) for digit in row] for row in rows], dtype=np.int64)
    cardinalities = cardinalities or [2] * codes.shape[1]
    return SlowCounter(plain_schema(cardinalities), list(codes.T))
