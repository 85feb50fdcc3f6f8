"""Cuts of several columns of numbers that keep what the columns say about each other.

All columns begin with many intervals. In each round every column that has more than it may keep joins the two
neighbours whose union loses least of the mutual information that it has with all other columns together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.limits import memory_limit
from treewright.tables.arrays import Weights

Cells = npt.NDArray[np.int64]
# Intervals of all columns together at the start, unless the number for each is given.
MOST_INTERVALS = 3_000
_FINEST = 4_000_000  # units that all weights together are told in, at most


def cut_by_hartemink(
    columns: Sequence[npt.NDArray[Any]],
    levels: Sequence[int],
    keep: Sequence[int],
    weights: Weights | None = None,
) -> list[Cells]:
    """For each column the first of the old intervals that each new one is made of, beginning with 0.

    Parameters
    ----------
    columns
        Codes of intervals or states in rising order; the code that equals `levels` is a missing cell. Rows
        that miss a cell count for the other pairs of columns.
    levels
        Intervals of each column to begin with.
    keep
        How many may be left; the levels themselves for columns that stay as they are.
    weights
        How often each row counts.

    References
    ----------
    .. [1] Hartemink (2001). Principled computational methods for the validation and discovery of genetic
       regulatory networks. PhD thesis, Massachusetts Institute of Technology. Section 4.2.

    Departures
    ----------
    All columns choose at once in a round, on the tables of the round before, so that their order does not
    matter; states of discrete columns take part with all that they say.

    Examples
    --------
    >>> x = np.repeat(np.arange(4, dtype=np.uint8), 10)
    >>> [starts.tolist() for starts in cut_by_hartemink([x, x // 2], [4, 2], [2, 2])]
    [[0, 2], [0, 1]]
    """
    if weights is None:
        tables, total = pair_tables(columns, levels), len(columns[0])
    else:
        whole = whole_weights(weights)
        tables, total = weighted_tables(columns, levels, whole), int(whole.sum())
    joining = _Joining(tables, levels, logs_of_counts(2 * total))
    while joining.round(keep):
        pass
    return joining.starts()


class _Joining:
    """Intervals on their way to fewer; row and column of the pair tables = an interval of some column.

    `lost[i]` is what joining the i-th interval that is alive with the next loses, in units of 2^-20 nats:
    whole numbers, so that sums are exact and the order of the columns does not matter.
    """

    def __init__(self, tables: Cells, levels: Sequence[int], log_terms: Cells) -> None:
        self.tables, self.levels, self.log_terms = tables, levels, log_terms
        self.owner = np.repeat(np.arange(len(levels)), levels)  # the column of each interval
        self.alive = np.arange(len(tables))
        self.lost = self.losses(np.arange(max(0, len(tables) - 1)))

    def starts(self) -> list[Cells]:
        first = np.concatenate([[0], np.cumsum(self.levels)])
        return [self.alive[self.owner[self.alive] == v] - first[v] for v in range(len(self.levels))]

    def round(self, keep: Sequence[int]) -> bool:
        """Each column that has too many intervals joins two; whether there was one."""
        owners = self.owner[self.alive]
        bounds = np.searchsorted(owners, np.arange(len(self.levels) + 1))
        chosen = [
            int(bounds[v]) + int(np.argmin(self.lost[bounds[v] : bounds[v + 1] - 1]))
            for v in range(len(self.levels))
            if bounds[v + 1] - bounds[v] > keep[v]
        ]
        if not chosen:
            return False
        self.join(np.array(chosen))
        return True

    def join(self, chosen: Cells) -> None:
        """Join the intervals at these places, no two of one column, with their right neighbours."""
        alive, tables = self.alive, self.tables
        kept, gone = alive[chosen], alive[chosen + 1]
        one, other = tables[np.ix_(alive, kept)], tables[np.ix_(alive, gone)]
        change = self.gap(one + other) - self.gap(one) - self.gap(other)
        change[self.owner[alive][:-1, None] == self.owner[kept]] = 0  # its own intervals are no partner
        self.lost += change.sum(axis=1)
        tables[:, kept] += tables[:, gone]
        tables[kept] += tables[gone]
        self.alive, self.lost = np.delete(alive, chosen + 1), np.delete(self.lost, chosen)
        now = chosen - np.arange(len(chosen))
        near = np.union1d(now, now - 1)
        near = near[(near >= 0) & (near < len(self.lost))]
        self.lost[near] = self.losses(near)

    def gap(self, rows: Cells) -> Cells:
        """Of each row and the next: n ln n of the counts by themselves less that of their sums."""
        terms = self.log_terms[rows]
        return np.asarray(terms[:-1] + terms[1:] - self.log_terms[rows[:-1] + rows[1:]])

    def losses(self, places: Cells) -> Cells:
        """What joining the intervals at some places with the next loses of the information with others."""
        if not len(places):
            return np.empty(0, dtype=np.int64)
        alive, terms = self.alive, self.log_terms
        here, after = alive[places], alive[places + 1]
        one, other = self.tables[np.ix_(here, alive)], self.tables[np.ix_(after, alive)]
        gaps = terms[one] + terms[other] - terms[one + other]
        owners = self.owner[alive]
        gaps[self.owner[here][:, None] == owners] = 0
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))  # margins: missing cells differ
        own, next_own = np.add.reduceat(one, firsts, axis=1), np.add.reduceat(other, firsts, axis=1)
        alone = terms[own] + terms[next_own] - terms[own + next_own]
        alone[self.owner[here][:, None] == owners[firsts]] = 0
        return np.asarray(gaps.sum(axis=1) - alone.sum(axis=1))


def logs_of_counts(n: int) -> Cells:
    """For the counts from 0 to n: count times logarithm, in units of 2^-20."""
    counts = np.arange(n + 1, dtype=np.float64)
    return np.rint(counts * np.log(np.maximum(counts, 1.0)) * 2.0**20).astype(np.int64)


def whole_weights(weights: Weights) -> Cells:
    """Weights as whole numbers, in units so small that rounding does not matter."""
    total = float(weights.sum())
    if weights.dtype.kind != "f" and total <= _FINEST:
        return weights.astype(np.int64)
    return np.rint(weights * (_FINEST / max(total, 1e-300))).astype(np.int64)


def weighted_tables(columns: Sequence[npt.NDArray[Any]], levels: Sequence[int], weights: Cells) -> Cells:
    """The tables of all pairs, as `pair_tables` has them."""
    offsets = np.concatenate([[0], np.cumsum(levels)])
    tables = np.zeros((offsets[-1], offsets[-1]), dtype=np.int64)
    places = [slice(int(a), int(a) + n) for a, n in zip(offsets, levels, strict=False)]
    codes = [column.astype(np.int64) for column in columns]
    for v, n in enumerate(levels):
        own = np.bincount(codes[v], weights, minlength=n + 1)
        tables[places[v], places[v]] = np.diag(np.rint(own[:-1]).astype(np.int64))
        for u in range(v):
            cells = np.bincount(codes[u] * (n + 1) + codes[v], weights, minlength=(levels[u] + 1) * (n + 1))
            inside = np.rint(cells).astype(np.int64).reshape(-1, n + 1)[:-1, :-1]
            tables[places[u], places[v]], tables[places[v], places[u]] = inside, inside.T
    return tables


def pair_tables(columns: Sequence[npt.NDArray[Any]], levels: Sequence[int]) -> Cells:
    """The tables of all pairs, side by side in one symmetric matrix; a column with itself has its counts."""
    n_rows = len(columns[0])
    packed = _core.pack([np.ascontiguousarray(column) for column in columns], [n + 1 for n in levels], n_rows)
    offsets = np.concatenate([[0], np.cumsum(levels)])
    tables = np.zeros((offsets[-1], offsets[-1]), dtype=np.int64)
    places = [slice(int(a), int(a) + n) for a, n in zip(offsets, levels, strict=False)]
    alone = [(v,) for v in range(len(columns))]
    pairs = list(combinations(range(len(columns)), 2))
    for v, counts in enumerate(_core.counts(packed, alone, memory_limit())):
        tables[places[v], places[v]] = np.diag(np.asarray(counts)[:-1])
    for first in range(0, len(pairs), 1024):
        some = pairs[first : first + 1024]
        for (u, v), counts in zip(some, _core.counts(packed, some, memory_limit()), strict=True):
            inside = np.asarray(counts)[:-1, :-1]
            tables[places[u], places[v]], tables[places[v], places[u]] = inside, inside.T
    return tables
