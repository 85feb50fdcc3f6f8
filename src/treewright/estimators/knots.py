"""The estimator for large networks and few rows."""

from __future__ import annotations

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.estimators.settings import with_settings
from treewright.graphs import Clusters, Cpdag, Dag
from treewright.learners import KnotsReport, Learned, learn_knots
from treewright.statistics import Counter


@with_settings
class Knots(Estimator):
    """A large network from few rows, with a map of its variables.

    Attributes
    ----------
    clusters_
        The map: also `structure_.clusters`, and in the picture of the model.
    cpdag_
        The equivalence class of `structure_`.
    account_
        The score, and pairs and tables by stage.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("alarm").sample(500, rng=np.random.default_rng(0))
    >>> found = tw.Knots().fit(rows)
    >>> len(found.clusters_.disjoint), found.account_.certificate
    (7, True)
    """

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_knots(
            counter,
            score=None if self.criterion == "auto" else score_named(self.criterion, counter, also=("auto",)),
            **self._given("fast", "expansion", "filter", "effort", "max_parents", "knowledge"),
        )
        self.clusters_: Clusters = learned.clusters
        self.cpdag_: Cpdag = learned.cpdag
        self.account_: KnotsReport = learned.report
        return learned
