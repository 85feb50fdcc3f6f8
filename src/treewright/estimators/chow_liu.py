"""The estimator of trees (Chow & Liu)."""

from __future__ import annotations

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.estimators.settings import with_settings
from treewright.graphs import Dag
from treewright.learners import Learned, learn_chow_liu
from treewright.statistics import Counter


@with_settings
class ChowLiuTree(Estimator):
    """The best network in which each variable has at most one parent.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}
    >>> tree = tw.ChowLiuTree().fit(rows)
    >>> tree.structure_.edges(), tree.width_
    ([('a', 'b')], 1)
    >>> tree.predict({"b": [1, 0]}, target="a").tolist()
    [1, 0]
    """

    def _learn(self, counter: Counter) -> Learned[Dag]:
        return learn_chow_liu(score_named(self.criterion, counter), **self._given("knowledge"))
