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

_LUCK = 30.0  # nats by which the better of two members is e times as likely to be the better one
_CENTRE = 300.0  # rows that speak for weights in the proportion of these odds
_ONE = 1.0  # rows that speak for weights that sum to one


def pooled(opinions: Sequence[Floats], weights: Floats) -> Floats:
    """The weighted product of opinions, normalised."""
    return normalised(np.tensordot(weights, np.stack(opinions), axes=1))


def pool_weights(opinions: Sequence[Floats], truth: np.ndarray, row_weights: Floats) -> Floats:
    """The weights that make the true classes most probable; none is negative.

    Weights that follow few rows freely follow chance. So they are drawn to what each member is worth alone: e
    times as much for `_LUCK` nats more.

    Examples
    --------
    >>> sure = np.log([[0.99, 0.01], [0.99, 0.01], [0.01, 0.99], [0.99, 0.01]])
    >>> pool_weights([sure], np.array([0, 1, 1, 0]), np.ones(4)).round(1).tolist()
    [0.3]
    """
    stacked = np.stack(opinions)  # members, rows, classes
    rows = np.arange(len(truth))
    total = float(row_weights.sum())
    worth = stacked[:, rows, truth] @ row_weights / _LUCK
    centre = np.exp(worth - worth.max())
    centre /= centre.sum()

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs = normalised(np.tensordot(weights, stacked, axes=1))
        expected = np.einsum("rc,mrc->mr", np.exp(logs), stacked)
        slope = (stacked[:, rows, truth] - expected) @ row_weights
        off, more = weights - weights.sum() * centre, weights.sum() - 1.0
        value = -float(logs[rows, truth] @ row_weights) + _CENTRE * float(off @ off) + _ONE * more**2
        pull = 2 * _CENTRE * (off - off @ centre) + 2 * _ONE * more
        return value / total, (pull - slope) / total

    found = minimize(loss, centre, jac=True, bounds=[(0.0, 4.0)] * len(stacked), method="L-BFGS-B")
    return np.asarray(found.x)
