"""The estimator of bounded treewidth, the default of the product."""

from __future__ import annotations

import numpy as np

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.estimators.settings import with_settings
from treewright.graphs import Dag, JunctionTree
from treewright.learners import Learned, learn_bounded_treewidth
from treewright.statistics import Counter


@with_settings
class BoundedTreewidth(Estimator):
    """A network of high score and bounded treewidth: every question is answered exactly, at a known cost.

    Attributes
    ----------
    certificate_
        A junction tree that proves the bound; `width_` is its width.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> tw.BoundedTreewidth(treewidth=2).fit(rows).width_
    2
    """

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_bounded_treewidth(
            score_named(self.criterion, counter),
            rng=np.random.default_rng(self.seed),
            **self._given("treewidth", "effort", "knowledge", "max_parents"),
        )
        self.certificate_: JunctionTree = learned.certificate
        return learned
