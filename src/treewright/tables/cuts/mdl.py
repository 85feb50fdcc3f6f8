"""Cuts of a column of numbers that tell the states of a target apart.

The cut that leaves the target least uncertain is made if it pays for being written down (the minimum
description length principle), and each side is then cut in the same way. Nothing has to be chosen: a column
that says nothing about the target is not cut at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treewright.tables.arrays import Weights
from treewright.types import Floats

Counts = npt.NDArray[np.int64] | Floats


def cut_by_mdl(
    values: Floats, classes: npt.NDArray[Any], n_classes: int, weights: Weights | None = None
) -> Floats:
    """The points at which to cut, rising; none when no cut pays.

    Parameters
    ----------
    values
        Numbers, none of them missing.
    classes
        The code of the target's state in each row.
    weights
        How often each row counts; a row of weight zero is not seen.

    References
    ----------
    .. [1] Fayyad & Irani (1993). Multi-interval discretization of continuous-valued attributes for
       classification learning. Proceedings of the 13th IJCAI, 1022-1027.

    Examples
    --------
    >>> ages = np.array([20.0, 30, 35, 40, 60, 70, 75, 80])
    >>> cut_by_mdl(ages, np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2)
    array([50.])
    """
    if weights is not None:
        seen = weights > 0
        values, classes, weights = values[seen], classes[seen], weights[seen]
    distinct, place = np.unique(values, return_inverse=True)
    codes, n = place * n_classes + classes.astype(np.int64), len(distinct) * n_classes
    cells: Counts = np.bincount(codes, weights, minlength=n)
    if weights is None or weights.dtype.kind != "f":
        cells = cells.astype(np.int64)
    before = cast("Counts", np.zeros((len(distinct) + 1, n_classes), dtype=cells.dtype))
    np.cumsum(cells.reshape(-1, n_classes), axis=0, out=before[1:])
    at = np.array(sorted(accepted(before, 0, len(distinct))), dtype=np.intp)
    return midpoints(distinct[at - 1], distinct[at])


def accepted(before: Counts, first: int, last: int) -> Iterator[int]:
    """The cuts of a run of distinct values; `before[i]` counts the classes of the values below the i-th."""
    open_runs = [(first, last)]
    while open_runs:
        first, last = open_runs.pop()
        if last - first < 2:
            continue
        left = before[first + 1 : last] - before[first]
        right = before[last] - before[first + 1 : last]
        spread = uncertainty(left) + uncertainty(right)
        best = int(np.argmin(spread))
        if pays(left[best], right[best]):
            cut = first + 1 + best
            yield cut
            open_runs += [(first, cut), (cut, last)]


def pays(left: Counts, right: Counts) -> bool:
    """Whether the gain of a cut exceeds what it takes to write it down (their criterion, in bits)."""
    whole = left + right
    n, states = float(whole.sum()), [int(np.count_nonzero(part)) for part in (whole, left, right)]
    bits = [float(uncertainty(part[None])[0]) for part in (whole, left, right)]  # rows times entropy
    mean = [total / float(part.sum()) for total, part in zip(bits, (whole, left, right), strict=True)]
    gain = (bits[0] - bits[1] - bits[2]) / n
    known = states[0] * mean[0] - states[1] * mean[1] - states[2] * mean[2]
    places = max(n - 1, 1.0)  # less than one row in all has no place for a cut
    return gain > (math.log2(places) + math.log2(3.0 ** min(states[0], 600) - 2) - known) / n


def uncertainty(counts: Counts) -> Floats:
    """Rows times the entropy of the classes in bits, for each row of counts."""
    total = counts.sum(axis=1)
    return np.asarray(n_log_n(total) - n_log_n(counts).sum(axis=1))


def n_log_n(counts: Counts) -> Floats:
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1)))


def midpoints(below: Floats, above: Floats) -> Floats:
    """Between neighbouring values; the upper one where no number lies between them."""
    middle = below + (above - below) / 2
    return np.where(middle > below, middle, above)
