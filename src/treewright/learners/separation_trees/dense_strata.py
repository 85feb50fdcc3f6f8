"""A test of conditional independence that looks only where there are many rows.

The limit distribution of G2 fails where strata hold a handful of rows: two rows that differ in both variables
give 2.8 at one degree of freedom whatever the truth. One test in a hundred does not mind; the smallest of ten
thousand p-values does. Here the rarest states of a stratum are left out until every cell expects five rows or
more. Only margins are looked at, which say nothing about dependence, so the choice is fair.
"""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.errors import TableTooLarge
from treewright.statistics.counter import Counter
from treewright.types import Flags, Floats, Scope

_EXPECTED = 5.0  # rows that a cell needs


def dense_p_value(counter: Counter, x: int, y: int, given: Scope) -> float:
    """The p-value of G2 over the dense part of the table; 1 where nothing of it is dense.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name, (0, 1)) for name in "zuv"])
    >>> counter = JointCounts(schema, [[[20, 10], [10, 20]], [[1, 0], [0, 1]]])
    >>> round(dense_p_value(counter, 1, 2, (0,)), 6)
    0.009136
    """
    cardinalities = counter.schema.cardinalities
    r_x, r_y = cardinalities[x], cardinalities[y]
    try:
        cells = counter.sparse_counts((*given, x, y))
    except TableTooLarge:
        return 1.0
    strata, where = np.unique(cells.codes // (r_x * r_y), return_inverse=True)
    sizes = np.bincount(where, weights=cells.counts, minlength=len(strata))
    number = np.cumsum(sizes >= 4 * _EXPECTED) - 1  # four cells, that is two states of each, need so many
    rich = (sizes >= 4 * _EXPECTED)[where]
    if not rich.any():
        return 1.0
    codes = cells.codes[rich]
    table = np.zeros((int(number[-1]) + 1, r_x, r_y))
    table[number[where[rich]], codes // r_y % r_x, codes % r_y] = cells.counts[rich]
    kept_x, kept_y = frequent_states(table.sum(axis=2), table.sum(axis=1))
    table *= kept_x[:, :, None] & kept_y[:, None, :]
    degrees = (np.maximum(kept_x.sum(axis=1) - 1, 0) * np.maximum(kept_y.sum(axis=1) - 1, 0)).sum()
    if degrees == 0:
        return 1.0
    rows, columns, totals = table.sum(axis=2), table.sum(axis=1), table.sum(axis=(1, 2))
    g2 = 2 * (_x_log_x(table) - _x_log_x(rows) - _x_log_x(columns) + _x_log_x(totals))
    return float(_core.chi_square_sf(np.array([max(g2, 0.0)]), np.array([float(degrees)]))[0])


def frequent_states(rows: Floats, columns: Floats) -> tuple[Flags, Flags]:
    """The states of x and of y, by stratum, that are left when no cell expects too little."""
    kept_x, kept_y = rows > 0, columns > 0
    needed = _EXPECTED * rows.sum(axis=1)
    for _ in range(rows.shape[1] + columns.shape[1]):
        rarest_x = np.where(kept_x, rows, np.inf).min(axis=1)
        rarest_y = np.where(kept_y, columns, np.inf).min(axis=1)
        thin = rarest_x * rarest_y < needed
        if not thin.any():
            break
        from_x = thin & (rarest_x <= rarest_y)
        kept_x &= ~(from_x[:, None] & (rows == rarest_x[:, None]))
        kept_y &= ~((thin & ~from_x)[:, None] & (columns == rarest_y[:, None]))
    return kept_x, kept_y


def _x_log_x(counts: Floats) -> float:
    return float(np.sum(counts * np.log(np.where(counts > 0, counts, 1.0))))
