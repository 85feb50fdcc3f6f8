"""All partial correlations of a set from one inverse.

With more rows than columns the inverse of the correlations has them, and Fisher's z judges each. With too few
rows the correlations are pulled towards zero first; then z has no known variance, so the spread of the many
pairs that have nothing to do with each other is taken for it (as Schäfer & Strimmer 2005 do for genes).
"""

from __future__ import annotations

import numpy as np

from treewright.statistics.moments import Moments
from treewright.types import Floats, Scope

# The own share of a column's variance below which it is a linear function of the others.
_SINGULAR = 1e-12


def has_rows_enough(moments: Moments, width: int) -> bool:
    """Whether the plain inverse has power: below four rows for each column it loses more than it finds."""
    return bool(moments.n > 4 * width + 3)


def partial_p_values(moments: Moments, scope: Scope) -> Floats:
    """The p-value of every pair given all others of the scope: a symmetric matrix, 1 in the diagonal.

    Columns that never move are independent of everything.

    Examples
    --------
    >>> from treewright import Schema, Variable
    >>> r = [[1, 0.5, 0.4], [0.5, 1, 0.5], [0.4, 0.5, 1]]
    >>> moments = Moments(Schema([Variable(name) for name in "xyz"]), 100, [0, 0, 0], r)
    >>> partial_p_values(moments, (0, 1, 2)).round(6)[0].tolist()
    [1.0, 9.8e-05, 0.046993]
    """
    p_values = np.ones((len(scope), len(scope)))
    moving = [i for i, v in enumerate(scope) if moments.scatter[v, v] > 0]
    if len(moving) < 2:
        return p_values
    # columns in the order of names: the last digits of an inverse follow the order of its rows
    moving.sort(key=lambda i: moments.schema.names[scope[i]])
    chosen = moments.select([scope[i] for i in moving])
    p_values[np.ix_(moving, moving)] = _p_values(chosen)
    return p_values


def _p_values(moments: Moments) -> Floats:
    from scipy.special import erfc  # here, since importing scipy takes longer than all of treewright

    width = len(moments.schema)
    partial = None
    if has_rows_enough(moments, width):
        partial = partial_correlations(moments.correlation())
    if partial is not None:
        deviation = 1 / np.sqrt(moments.n - width - 1)
    else:
        partial = partial_correlations(moments.shrunk_correlation())
        assert partial is not None, "shrinking makes any matrix of correlations regular"
        deviation = null_deviation(np.arctanh(partial[np.triu_indices(width, 1)]))
    p_values: Floats = erfc(np.abs(np.arctanh(partial)) / (deviation * np.sqrt(2.0)))
    np.fill_diagonal(p_values, 1.0)
    return p_values


def partial_correlations(correlation: Floats) -> Floats | None:
    """Of every pair given all others, 0 in the diagonal; None where a column is a function of the others."""
    try:
        inverse = np.linalg.inv(correlation)
    except np.linalg.LinAlgError:
        return None
    own = np.diag(inverse)
    if not np.isfinite(inverse).all() or (own < 1 - 1e-6).any() or (own > 1 / _SINGULAR).any():
        return None
    scale = np.sqrt(own)
    partial: Floats = np.clip(-inverse / np.outer(scale, scale), -1 + 1e-12, 1 - 1e-12)
    np.fill_diagonal(partial, 0.0)
    return (partial + partial.T) / 2


def null_deviation(z: Floats) -> float:
    """The standard deviation of the pairs that are independent, if they are the majority: from the median."""
    return max(float(np.median(np.abs(z))) / 0.6744897501960817, 1e-12)
