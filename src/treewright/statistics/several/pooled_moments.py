"""Moments of several tables with overlapping columns.

The moments of a scope are those of all rows of the tables that have it. What no table has together is
completed: the covariance that has the given blocks and zero concentration for pairs that share no table.
Blocks of samples contradict each other where tables overlap; what is shared is settled first, from all rows
that have it, smaller sets before larger ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from treewright.arguments import DATABASES, require
from treewright.errors import SchemaError, SingularError
from treewright.once import cached_property
from treewright.statistics.moments import Moments, moments, scaled_by_deviation
from treewright.statistics.several.pooled import Pooled
from treewright.tables.databases import Cover, Databases
from treewright.tables.overlaps import intersections
from treewright.tables.schema import NameOrIndex
from treewright.types import Floats, Scope


class PooledMoments(Pooled):
    """Moments of several tables with overlapping continuous columns.

    Parameters
    ----------
    databases
        The tables, all continuous.
    completed
        Whether what no table has together is completed; else it is refused.

    Examples
    --------
    >>> from treewright.tables import read_databases
    >>> tables = [{"x": [0.5, 1.5, 4.0], "y": [0.0, 2.5, 3.0]}, {"y": [1.5, 2.0, 2.5], "z": [0.5, 3.5, 3.0]}]
    >>> pooled = PooledMoments(read_databases(tables))
    >>> pooled.moments(("x", "y")).n, pooled.moments(("y",)).n
    (3, 6)
    >>> bool(pooled.moments(("x", "z")).scatter[0, 1] > 0)  # both rise with y
    True
    """

    def __init__(self, databases: Databases, *, completed: bool = True) -> None:
        require("PooledMoments", DATABASES, databases)
        if not databases.is_continuous:
            raise SchemaError("discrete columns have no moments; PooledCounter counts them")
        self.databases = databases
        self.completed = completed
        self.residual = 0.0
        self._pools: dict[Cover, Moments] = {}

    @property
    def n(self) -> int | float:
        """Rows of all tables together."""
        return sum(self.databases.weights)

    def pool(self, cover: Cover) -> Moments:
        """The moments of some tables, over the columns that all of them have."""
        if cover not in self._pools:
            self._pools[cover] = moments(self.databases.pool(cover))
        return self._pools[cover]

    def moments(self, scope: Iterable[NameOrIndex]) -> Moments:
        """The moments of some columns, pooled over the tables that have them, or completed."""
        names = self.schema.names_of(self.schema.scope(scope))
        cover = self.databases.covering(names)
        if cover:
            return self.pool(cover).select(names)
        if not self.completed:
            raise SchemaError(
                f"no table has the columns {', '.join(map(repr, names))} together; learn and fit with "
                "completion='fit', or add a table that has them"
            )
        rows = self.rows(names)
        at = list(self.schema.scope(names))
        block = self.covariance[np.ix_(at, at)]
        return Moments(self.schema.select(names), rows, self.mean[at], block * rows)

    @cached_property
    def mean(self) -> Floats:
        """Of each column, over all rows that have it."""
        return np.array([self.moments((v,)).mean[0] for v in range(len(self.schema))])

    @cached_property
    def covariance(self) -> Floats:
        """The completed covariance of all columns; divided by the rows, not by one less."""
        sets = self.databases.hyperedge_scopes
        settled: dict[Scope, Floats] = {}
        for scope in intersections(sets):
            settled[scope] = self._settled(scope, settled)
        targets = [self._settled(scope, settled) for scope in sets]
        spread = np.array([self._block((v,))[0, 0] for v in range(len(self.schema))])
        self._refuse_singular(spread > 0)
        covariance, self.residual = scale_covariance(np.diag(spread), sets, targets)
        return covariance

    def _block(self, scope: Scope) -> Floats:
        found = self.pool(self.databases.covering(scope)).select(self.schema.names_of(scope))
        return found.covariance(ddof=0)

    def _settled(self, scope: Scope, settled: dict[Scope, Floats]) -> Floats:
        inside = [other for other in settled if set(other) < set(scope)]
        block = self._block(scope)
        self._refuse_singular(np.linalg.eigvalsh(scaled_by_deviation(block)), scope)
        if not inside:
            return block
        places = [tuple(scope.index(v) for v in other) for other in inside]
        return scale_covariance(block, places, [settled[other] for other in inside], sweeps=200)[0]

    def _refuse_singular(self, sizes: npt.NDArray[np.generic], scope: Scope | None = None) -> None:
        if sizes.size and float(sizes.min()) > 1e-12:
            return
        which = self.schema.names if scope is None else self.schema.names_of(scope)
        raise SingularError(
            f"the covariance of {', '.join(map(repr, which[:10]))}{' ...' if len(which) > 10 else ''} cannot "
            "be completed: a column is constant or a linear function of others, or there are too few rows; "
            "leave it out, or learn with completion='none'"
        )


def scale_covariance(
    start: Floats,
    sets: Sequence[Scope],
    targets: Sequence[Floats],
    *,
    tolerance: float = 1e-10,
    sweeps: int = 2_000,
) -> tuple[Floats, float]:
    """Give each set its covariance in turn, until a sweep changes nothing: iterative proportional scaling.

    Each step changes the concentration (the inverse) of one set alone, so columns that share no set keep zero
    concentration: given all others they are independent. Written for the covariance itself a step costs the
    square of the number of columns, and nothing is inverted but the block of the set. It begins with `start`,
    the diagonal of the variances when nothing is known. What comes back is the scaled covariance and the
    largest difference to a target in the last sweep, in units of the standard deviations.

    Examples
    --------
    >>> pair = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> covariance, residual = scale_covariance(np.eye(3), [(0, 1), (1, 2)], [pair, pair])
    >>> covariance.round(9).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]]
    >>> residual < 1e-10
    True
    """
    covariance = start.copy()
    scale = np.sqrt(np.clip(np.diag(covariance), 1e-300, None))
    residual = 0.0
    for _ in range(sweeps):
        residual = 0.0
        for scope, target in zip(sets, targets, strict=True):
            at = list(scope)
            now = covariance[np.ix_(at, at)]
            off = np.abs(now - target) / np.outer(scale[at], scale[at])
            residual = max(residual, float(off.max(initial=0.0)))
            gain = np.linalg.solve(now, covariance[at, :])  # now^-1 times the rows of the set
            covariance = covariance - gain.T @ (now - target) @ gain
            covariance = (covariance + covariance.T) / 2
        if residual <= tolerance:
            break
    return covariance, residual
