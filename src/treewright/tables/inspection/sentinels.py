"""Numbers that stand for something else: -999 for a value that nobody measured."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.tables._reading.columns import NumberColumn

NEGATIVE = frozenset((-9, -99, -999, -9999, -99999, -999999))
POSITIVE = frozenset((99, 999, 9999, 99999, 999999))


@dataclass(frozen=True)
class Sentinel:
    """A number far from all others; unmistakable if it is negative and no other is."""

    number: int
    unmistakable: bool


def sentinel(column: NumberColumn) -> Sentinel | None:
    """A number of nines that lies further from the others than they do from each other, or below zero alone.

    >>> import numpy as np
    >>> sentinel(NumberColumn("weight", np.array([70, 81, -999, 64])))
    Sentinel(number=-999, unmistakable=True)
    """
    if column.kind == "b" or len(column) < 3 or column.n_present < 3:
        return None
    values = column.present if column.codes is None else column.distinct
    low, high = values.min(), values.max()
    for number, far in ((low, low in NEGATIVE), (high, high in POSITIVE)):
        if not far or low == high:
            continue
        others = values[values != number]
        nearest, farthest = (others.min(), others.max()) if number == low else (others.max(), others.min())
        unmistakable = bool(number < -9 and others.min() >= 0)
        if unmistakable or abs(float(nearest) - float(number)) > abs(float(farthest) - float(nearest)):
            return Sentinel(int(number), unmistakable)
    return None
