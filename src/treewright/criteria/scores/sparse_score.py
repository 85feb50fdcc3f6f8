"""The score for many variables and few rows."""

from __future__ import annotations

import math

from treewright.criteria.scores.edge_prior import EdgePrior, SparseQNML
from treewright.criteria.scores.gaussian_scores import GaussianBIC
from treewright.criteria.scores.score import LocalScore
from treewright.statistics.counter import Counter
from treewright.statistics.moments import Moments


def sparse_score(source: Counter | Moments) -> LocalScore:
    """A score that pays ln n nats for each edge among n variables.

    Examples
    --------
    >>> import treewright as tw
    >>> sparse_score(tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]})))
    SparseQNML(2 variables)
    """
    if isinstance(source, Moments):
        return EdgePrior(GaussianBIC(source), math.log(max(len(source.schema), 1)))
    return SparseQNML(source)
