"""Completing a covariance from the covariances of overlapping sets of columns.

Iterative proportional scaling gives one set after the other its covariance by changing the concentration
(the inverse) of that set alone. What comes out has the given covariances, and zero concentration between
columns that share no set: given all others they are independent. Written for the covariance itself a step
costs the square of the number of columns, and nothing is inverted but the block of the set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.types import Floats, Scope


def scale_covariance(
    start: Floats,
    sets: Sequence[Scope],
    targets: Sequence[Floats],
    *,
    tolerance: float = 1e-10,
    sweeps: int = 2_000,
) -> tuple[Floats, float]:
    """Give each set its covariance in turn, until a sweep changes nothing.

    It begins with `start`, the diagonal of the variances when nothing is known. What comes back is the scaled
    covariance and the largest difference to a target in the last sweep, in units of the standard deviations.

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
