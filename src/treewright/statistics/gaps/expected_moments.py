"""Moments as they are expected to be where numbers are missing: what a search may ask of rows with gaps.

Under a Normal distribution a row with gaps has a mean for what is missing, and a covariance around it that is
the same for all rows with the same gaps. Moments of the rows with the means filled in, and these covariances
added to the scatter, are the expectation of EM (Dempster, Laird & Rubin 1977): exact, and additive as others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.arguments import TABLE, require
from treewright.errors import MissingValuesError
from treewright.once import cached_property
from treewright.statistics.moments import Moments, check_continuous, moments
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Flags, Floats

_SINGULAR = 1e-12  # of a variance: what is added where a covariance has no Cholesky factor
_LEAST_EIGENVALUE = 1e-3  # of correlations from different rows that contradict each other


@dataclass(frozen=True)
class _Pattern:
    """Rows that show the same columns."""

    shown: Flags
    rows: Floats  # one line for each row, of the columns that it shows, standardised
    where: np.ndarray[tuple[int], np.dtype[np.intp]]
    weights: Floats


class NumbersWithGaps:
    """Rows of numbers, some of them missing: their available moments, and those that a model expects.

    Columns are standardised by what they show. One that never moves where it is shown is taken not to move
    elsewhere.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"x": [1.5, 2.5, None], "y": [0.5, 1.5, 2.5]}, missing="em")
    >>> rows = NumbersWithGaps(table)
    >>> begin = rows.available
    >>> begin.mean.tolist(), begin.correlation().round(9).tolist()
    ([2.0, 1.5], [[1.0, 1.0], [1.0, 1.0]])
    >>> found, log_likelihood = rows.expect(begin, [[1.0, 0.0], [0.0, 1.0]])
    >>> found.mean.tolist(), found.scatter.tolist()
    ([2.0, 1.5], [[1.5, 0.5], [0.5, 2.0]])
    """

    def __init__(self, table: Table) -> None:
        require("NumbersWithGaps", TABLE, table)
        check_continuous(table.schema)
        refuse_empty_columns(table)
        self.table = table
        columns = [_shown(table, v) for v in range(len(table.schema))]
        self._center = np.array([float(one.mean[0]) for one in columns])
        self._tail = np.array([float(one.mean_tail[0]) for one in columns])
        spread = np.sqrt([float(one.scatter[0, 0]) / one.n if one.n else 0.0 for one in columns])
        self._moves = spread > 0
        self._scale = np.where(self._moves, spread, 1.0)
        self._weights = _weights_of(table)
        self._standard = (np.column_stack(table.columns) - self._center - self._tail) / self._scale
        self._shown = ~np.isnan(self._standard)

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @cached_property
    def available(self) -> Moments:
        """Means from what is shown, correlations from the rows that show both columns.

        Correlations of different rows may contradict each other; then all of them are drawn to zero until
        they do not.
        """
        filled = np.where(self._shown, self._standard, 0.0)
        shown = self._shown.astype(np.float64)
        weighted = filled * self._weights[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            n = (shown * self._weights[:, None]).T @ shown
            mean = weighted.T @ shown / n  # of the first column where the second is shown
            variance = (weighted * filled).T @ shown / n - mean**2
            covariance = weighted.T @ filled / n - mean * mean.T
            correlation = covariance / np.sqrt(variance * variance.T)
        known = (variance > _SINGULAR) & (variance.T > _SINGULAR) & (n > 0)
        correlation = np.clip(np.where(known, correlation, 0.0), -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        spread = np.where(self._moves, self._scale, 0.0)
        whole = self._with_filled(filled, np.zeros_like(correlation))
        scatter = float(whole.n) * np.outer(spread, spread) * _consistent(correlation)
        return Moments(self.schema, whole.n, self._center, scatter, self._tail)

    def expect(self, present: Moments, covariance: Floats) -> tuple[Moments, float]:
        """Expected moments under a Normal distribution, and the log-likelihood of what the rows show.

        The mean is that of `present`, in as many digits as it has.
        """
        mean = ((present.mean - self._center) + (present.mean_tail - self._tail)) / self._scale
        standard = np.asarray(covariance) / np.outer(self._scale, self._scale)
        filled, around, logs = self._standard.copy(), np.zeros_like(standard), []
        for pattern in self._patterns:
            shown, gone = np.flatnonzero(pattern.shown), np.flatnonzero(~pattern.shown)
            root = _cholesky(standard[np.ix_(shown, shown)])
            inverse = np.linalg.solve(root, np.eye(len(shown)))
            white = (pattern.rows - mean[shown]) @ inverse.T
            gain = inverse @ standard[np.ix_(shown, gone)]
            filled[np.ix_(pattern.where, gone)] = mean[gone] + white @ gain
            total = float(pattern.weights.sum())
            around[np.ix_(gone, gone)] += total * (standard[np.ix_(gone, gone)] - gain.T @ gain)
            each = 0.5 * len(shown) * math.log(2 * math.pi) + float(
                np.log(np.diag(root)).sum() + np.log(self._scale[shown]).sum()
            )
            logs.append(-0.5 * float(pattern.weights @ (white**2).sum(axis=1)) - total * each)
        return self._with_filled(filled, around), math.fsum(logs)

    def _with_filled(self, standard: Floats, around: Floats) -> Moments:
        """The moments of the rows with their gaps filled, and what is added to their scatter."""
        columns = []
        for v, column in enumerate(self.table.columns):
            guess = self._center[v] + (self._tail[v] + self._scale[v] * standard[:, v])
            columns.append(np.where(self._shown[:, v], column, guess if self._moves[v] else self._center[v]))
        found = moments(Table(self.schema, columns, weights=self.table.weights))
        moving = np.where(self._moves, self._scale, 0.0)
        added = (around + around.T) / 2 * np.outer(moving, moving)
        return Moments(self.schema, found.n, found.mean, found.scatter + added, found.mean_tail)

    @cached_property
    def _patterns(self) -> list[_Pattern]:
        """The rows, those with the same gaps together."""
        return list(self._by_gaps())

    def _by_gaps(self) -> Iterator[_Pattern]:
        if not self.table.n_rows:
            return
        packed = np.packbits(self._shown, axis=1)
        _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(which.ravel(), minlength=len(first)))
        for at, where in zip(first, np.split(order, ends[:-1]), strict=True):
            shown = self._shown[at]
            rows = self._standard[np.ix_(where, np.flatnonzero(shown))]
            yield _Pattern(shown, rows, where, self._weights[where])


def empty_columns(table: Table) -> tuple[str, ...]:
    """Columns without a single cell in the rows that count."""
    counted = np.ones(table.n_rows, dtype=np.bool_) if table.weights is None else table.weights > 0
    return tuple(table.schema.names[v] for v, mask in table.missing.items() if bool(mask[counted].all()))


def refuse_empty_columns(table: Table) -> None:
    """Refuse a column without a single cell: nothing could be expected of it."""
    if empty := empty_columns(table):
        raise MissingValuesError(
            f"{empty[0]!r} misses every cell, so no row says anything about it; leave it out"
        )


def _weights_of(table: Table) -> Floats:
    return np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=np.float64)


def _shown(table: Table, v: int) -> Moments:
    """The moments of what one column shows."""
    column = table.columns[v]
    kept = ~np.isnan(column)
    weights = None if table.weights is None else table.weights[kept]
    return moments(Table(table.schema.select([v]), [column[kept]], weights=weights))


def _consistent(correlation: Floats) -> Floats:
    """Correlations drawn to zero where no distribution has them."""
    least = float(np.linalg.eigvalsh(correlation)[0]) if correlation.size else 0.0
    if least >= -_SINGULAR * len(correlation):
        return correlation
    share = (_LEAST_EIGENVALUE - least) / (1 - least)
    drawn = (1 - share) * correlation
    np.fill_diagonal(drawn, 1.0)
    return drawn


def _cholesky(covariance: Floats) -> Floats:
    """The factor of a covariance, or of one that is a little larger where it has none."""
    ridge = 0.0
    while True:
        try:
            return np.asarray(np.linalg.cholesky(covariance + np.diag(ridge * np.diag(covariance))))
        except np.linalg.LinAlgError:
            ridge = max(10 * ridge, _SINGULAR)
