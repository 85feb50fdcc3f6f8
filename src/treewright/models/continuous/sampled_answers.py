"""Estimates from weighted rows, with what is needed to distrust them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.errors import ImpossibleEvidence
from treewright.types import Floats


@dataclass(frozen=True)
class SampledAnswer:
    """Means and variances that were estimated from weighted rows, by name.

    Attributes
    ----------
    means, variances
        The estimates.
    standard_errors
        Of the means.
    n_rows
        Rows drawn.
    effective_rows
        How many rows of equal weight the estimate is worth.
    log_density_of_evidence
        Estimated as well: the logarithm of the mean weight.

    Examples
    --------
    >>> answer = estimate(["x"], [np.array([1.0, 3.0])], np.zeros(2))
    >>> answer.means, answer.variances, answer.effective_rows
    ({'x': 2.0}, {'x': 1.0}, 2.0)
    """

    means: Mapping[str, float]
    variances: Mapping[str, float]
    standard_errors: Mapping[str, float]
    n_rows: int
    effective_rows: float
    log_density_of_evidence: float


def estimate(names: Sequence[str], columns: Sequence[Floats], log_weights: Floats) -> SampledAnswer:
    """Weighted means and variances of columns."""
    highest = float(log_weights.max())
    if highest == -math.inf or math.isnan(highest):
        raise ImpossibleEvidence(
            f"what is given has no weight in any of {len(log_weights):,} rows drawn; draw more, or check it"
        )
    weights = np.exp(log_weights - highest)
    total = float(weights.sum())
    shares = weights / total
    means = [float(shares @ column) for column in columns]
    squares = [(column - mean) ** 2 for column, mean in zip(columns, means, strict=True)]
    return SampledAnswer(
        dict(zip(names, means, strict=True)),
        {name: float(shares @ square) for name, square in zip(names, squares, strict=True)},
        {name: math.sqrt(float(shares**2 @ square)) for name, square in zip(names, squares, strict=True)},
        len(log_weights),
        1 / float(shares @ shares),
        highest + math.log(total / len(log_weights)),
    )
