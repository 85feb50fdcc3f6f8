"""Whether tables are distributions, asked of thousands of small ones at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from treewright.types import Cells, Flags

_SMALL = 2**12  # cells of a table that is put beside others


def are_normal(tables: Sequence[Cells], tolerance: float) -> list[bool]:
    """For each table whether no cell is negative and every row, along the last axis, sums to one.

    Examples
    --------
    >>> are_normal([np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.5, 0.25]])], 1e-9)
    [True, False]
    """

    def judge(rows: Cells) -> Flags:
        with np.errstate(over="ignore"):  # absurd numbers add up to infinity
            return np.asarray((rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= tolerance))

    return judge_together(tables, judge)


def judge_together(tables: Sequence[Cells], judge: Callable[[Cells], Flags]) -> list[bool]:
    """For each table whether all its rows pass; `judge` sees rows of one length, of many tables at once."""
    passed = [False] * len(tables)
    groups = defaultdict[int, list[int]](list)
    for i, table in enumerate(tables):
        n_states = table.shape[-1] if table.ndim else 1
        if table.size > _SMALL or not table.size:
            passed[i] = bool(table.size) and bool(judge(table.reshape(-1, n_states)).all())
        else:
            groups[n_states].append(i)
    for n_states, members in groups.items():
        cells = np.concatenate([tables[i].ravel() for i in members]).reshape(-1, n_states)
        starts = np.cumsum([0] + [tables[i].size // n_states for i in members[:-1]])
        for i, fits in zip(members, np.logical_and.reduceat(judge(cells), starts).tolist(), strict=True):
            passed[i] = fits
    return passed
