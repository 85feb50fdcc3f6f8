"""The estimator that asks independence tests."""

from __future__ import annotations

from treewright.criteria.registry import independence_test_named
from treewright.estimators.estimator import Estimator
from treewright.estimators.settings import with_settings
from treewright.graphs import Pdag
from treewright.learners import LearnedPattern, learn_pc
from treewright.statistics import Counter


@with_settings
class PC(Estimator):
    """The equivalence class that independence tests find, and a model of one of its members.

    Attributes
    ----------
    cpdag_
        The equivalence class; with directed knowledge, what is left open by it.
    separators_
        For each pair that was separated, in either order, a set that did it.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(20_000, rng=np.random.default_rng(0))
    >>> found = tw.PC().fit(rows)
    >>> ("lung", "either") in found.cpdag_.directed_edges(), found.separators_["smoke", "xray"]
    (True, ('lung',))
    """

    test: str
    alpha: float

    def _learn(self, counter: Counter) -> LearnedPattern:
        learned = learn_pc(
            independence_test_named(self.test, counter, alpha=self.alpha),
            **self._given("depth", "collider_rule", "knowledge"),
        )
        self.cpdag_: Pdag = learned.cpdag
        self.separators_ = learned.separators
        return learned
