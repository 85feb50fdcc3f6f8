"""Rows dealt into parts to be held out: the same parts whatever the order of the rows and of the columns.

Rows are sorted by class, then by their cells, equal ones made one that weighs as much, and dealt in turn like
cards. So each part has every class, as far as there are rows, and a row that weighs two is dealt as two rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.tables.table import Table
from treewright.types import Floats


def sorted_rows(table: Table, target: int) -> Table:
    """The rows by class and by cells, equal ones made one where weights are whole numbers.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = sorted_rows(tw.read_table({"a": [1, 0, 1], "y": [0, 1, 0]}), 1)
    >>> rows.to_dict(), rows.weights.tolist()
    ({'a': [1, 0], 'y': [0, 1]}, [2, 1])
    """
    names = table.schema.name_order
    keys: list[npt.NDArray[Any]] = []
    for v in (*(v for v in names if v != target), target):
        gaps, column = table.missing.get(v), np.asarray(table.columns[v])
        keys += [column] if gaps is None else [np.where(gaps, column.dtype.type(0), column), gaps]
    order = np.lexsort(keys)
    weights = np.ones(table.n_rows, dtype=np.int64) if table.weights is None else np.asarray(table.weights)
    if (weights != np.rint(weights)).any():
        return table.take(order)
    starts = np.flatnonzero(_differs([key[order] for key in keys]))
    heavy = np.add.reduceat(weights[order], starts) if len(starts) else weights
    return table.take(order[starts]).with_weights(heavy)


def _differs(keys: list[npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
    """Which rows differ from the one before them."""
    made = np.zeros(len(keys[0]), dtype=np.bool_)
    made[:1] = True
    for key in keys:
        made[1:] |= key[1:] != key[:-1]
    return made


def even_edges(values: Floats, weights: Floats, intervals: int) -> Floats:
    """Edges between which rows weigh about the same; a row of weight two cuts as two rows.

    Examples
    --------
    >>> even_edges(np.array([3.0, 1.0, 2.0]), np.array([2.0, 1.0, 1.0]), 2).tolist()
    [-inf, 3.0, inf]
    """
    order = np.argsort(values, kind="stable")
    heavy = np.cumsum(weights[order])
    shares = np.arange(1, intervals) * (heavy[-1] / intervals)
    inner = np.unique(values[order][np.searchsorted(heavy, shares, side="right").clip(0, len(values) - 1)])
    return np.concatenate([[-np.inf], inner[inner > values[order[0]]], [np.inf]])


def dealt(weights: Floats, parts: int) -> Floats:
    """How much of each row every part has: whole weights are dealt one by one, others row by row.

    Examples
    --------
    >>> dealt(np.array([1.0, 3.0, 1.0]), 2).tolist()
    [[1.0, 1.0, 1.0], [0.0, 2.0, 0.0]]
    """
    part = np.arange(parts)[:, None]
    if (weights != np.rint(weights)).any():
        return np.asarray(np.where(np.arange(len(weights)) % parts == part, weights, 0.0))
    after = np.concatenate([[0.0], np.cumsum(weights)])
    turns = np.floor(after / parts)
    had = turns + np.clip(after - turns * parts - part, 0.0, 1.0)
    return np.asarray(np.diff(had, axis=1))
