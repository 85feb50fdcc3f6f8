"""The estimator that searches equivalence classes by a score."""

from __future__ import annotations

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.estimators.settings import with_settings
from treewright.graphs import Cpdag, Dag
from treewright.learners import Learned, learn_hill_climbing
from treewright.statistics import Counter


@with_settings
class HillClimbing(Estimator):
    """A network of high score, by greedy search over equivalence classes.

    Attributes
    ----------
    cpdag_
        The equivalence class of `structure_`: directions that the data cannot tell are open in it.
    copies_
        Pairs of columns that are relabellings of each other.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> climbed = tw.HillClimbing().fit(rows)
    >>> climbed.cpdag_.directed_edges()
    [('bronc', 'dysp'), ('either', 'dysp'), ('either', 'xray'), ('lung', 'either'), ('tub', 'either')]
    """

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_hill_climbing(
            score_named(self.criterion, counter),
            **self._given("knowledge", "effort", "max_parents"),
        )
        self.cpdag_: Cpdag = learned.cpdag
        self.copies_ = learned.copies
        return learned
