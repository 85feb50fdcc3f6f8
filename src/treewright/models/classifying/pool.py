"""One opinion out of several: a weighted product, whose weights rows that nobody had seen have chosen.

`log p(c) = sum of w[m] log p[m](c) + b(c)`, normalised. A weight below one also takes back what a member is
too sure of, as naive Bayes is of what it hears twice; so a pool of one member is its calibration.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from treewright.models.classifying.members import normalised
from treewright.types import Floats

_ALIKE = 30.0  # rows that speak for equal weights
_ONE = 1.0  # rows that speak for weights that sum to one


def pooled(opinions: Sequence[Floats], weights: Floats) -> Floats:
    """The weighted product of opinions, normalised."""
    return normalised(np.tensordot(weights, np.stack(opinions), axes=1))


def pool_weights(opinions: Sequence[Floats], truth: np.ndarray, row_weights: Floats) -> Floats:
    """The weights that make the true classes most probable; none is negative.

    Examples
    --------
    >>> sure = np.log([[0.99, 0.01], [0.99, 0.01], [0.01, 0.99], [0.99, 0.01]])
    >>> pool_weights([sure], np.array([0, 1, 1, 0]), np.ones(4)).round(1).tolist()
    [0.3]
    """
    stacked = np.stack(opinions)  # members, rows, classes
    rows = np.arange(len(truth))
    total = float(row_weights.sum())
    even = 1.0 / len(stacked)

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs = normalised(np.tensordot(weights, stacked, axes=1))
        expected = np.einsum("rc,mrc->mr", np.exp(logs), stacked)
        slope = (stacked[:, rows, truth] - expected) @ row_weights
        off, more = weights - weights.mean(), weights.sum() - 1.0
        value = -float(logs[rows, truth] @ row_weights) + _ALIKE * float(off @ off) + _ONE * more**2
        return value / total, (-slope + 2 * _ALIKE * off + 2 * _ONE * more) / total

    found = minimize(
        loss, np.full(len(stacked), even), jac=True, bounds=[(0.0, 4.0)] * len(stacked), method="L-BFGS-B"
    )
    return np.asarray(found.x)
