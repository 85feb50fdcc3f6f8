"""Estimators whose parameters are counts: further rows can be added to them."""

from __future__ import annotations

from typing import Any, Self

from treewright.estimators.estimator import Estimator
from treewright.models import BayesianNetwork


class CountingEstimator(Estimator):
    """An estimator of networks that are fitted by counting alone."""

    _keeps_counts = True

    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn from the first rows, and add the counts of further ones: the structure stays what it was."""
        if not hasattr(self, "model_"):
            return self.fit(X, y, sample_weight=sample_weight)
        model = self.model_
        assert isinstance(model, BayesianNetwork)
        table = self._known(X, y, sample_weight)
        self.model_ = model.partial_fit(table, unseen=self.unseen)
        return self
