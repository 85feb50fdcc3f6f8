"""Normals in joint states that have few rows, or none.

The likeliest covariance of three rows of five columns has no determinant, and that of one row nothing at all:
a score that believed it would pay any price for states of one row. So each joint state gets one imagined row
around its own mean, with the scatter that the rows have within their states on the whole (and of that one row
again comes from the scatter of all rows). Where there are no discrete parents nothing is imagined, and where
a state has many rows it hardly shows. A state without rows is what the rows are on the whole.

All of it is about sets of columns: the covariance of some is a part of that of all, whichever is the child.
So equivalent networks have equal scores, and a score is the log-likelihood of the model that is fitted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treewright.statistics.mixed.state_moments import MixedMoments, StateMoments
from treewright.types import Brief, Floats, Names

IMAGINED = 1.0  # rows in each joint state
FLOOR = 1e-12  # of a column's variance that nothing takes away; a constant column has this variance
_LOG_2PI = math.log(2 * math.pi)


@dataclass(frozen=True)
class StateNormals(Brief):
    """A Normal for each joint state that occurs, and one for all that do not.

    `covariance` is that of columns divided by `scale`, their deviations among all rows.
    """

    moments: StateMoments
    covariance: Floats
    scale: Floats
    mean_elsewhere: Floats
    covariance_elsewhere: Floats

    def log_likelihood(self) -> float:
        """Of the rows, in nats."""
        if not self.moments.continuous:
            return 0.0
        n, width = self.moments.n, len(self.moments.continuous)
        scatter = self.moments.scatter / np.multiply.outer(self.scale, self.scale)
        roots = np.linalg.cholesky(self.covariance)
        log_det = 2 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
        log_det += 2 * float(np.log(self.scale).sum())
        fit = np.trace(np.linalg.solve(self.covariance, scatter), axis1=1, axis2=2)
        return -0.5 * math.fsum((n * (width * _LOG_2PI + log_det) + fit).tolist())


def state_normals(source: MixedMoments, discrete: Names, continuous: Names) -> StateNormals:
    """The Normals of some columns in each joint state of others."""
    found = source.in_states(discrete, continuous)
    whole = source.in_states((), continuous)
    width = len(found.continuous)
    n = float(whole.n[0])
    variance = np.diagonal(whole.scatter[0]) / n
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    units = np.multiply.outer(scale, scale)
    floor = FLOOR * np.eye(width)
    everywhere = whole.scatter[0] / n / units
    if not discrete:
        return StateNormals(found, (everywhere + floor)[None], scale, whole.mean[0], everywhere + floor)
    # what the rows vary within their states: a state of k rows tells k - 1 times
    told = max(0.0, n - len(found.n))
    within = (found.scatter.sum(axis=0) / units + IMAGINED * everywhere) / (told + IMAGINED)
    rows = found.n[:, None, None]
    covariance = (found.scatter / units + IMAGINED * within) / (rows + IMAGINED)
    return StateNormals(found, covariance + floor, scale, whole.mean[0], within + floor)
