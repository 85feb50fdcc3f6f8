"""The estimator of Markov networks by scores of blankets."""

from __future__ import annotations

from typing import Any

from treewright.criteria.registry import structure_score_named
from treewright.estimators.estimator import Estimator
from treewright.estimators.settings import with_settings
from treewright.learners import Learned, LearnedGraph, learn_blankets
from treewright.models import BestFitting, MarkovNetwork, fit
from treewright.statistics import Counter


@with_settings
class BlanketMarkov(Estimator):
    """A Markov network by a score of its blankets; `model_` is a Markov network, `structure_` undirected.

    Attributes
    ----------
    learned_
        What the search said: score, start, accepted flips.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}
    >>> found = tw.BlanketMarkov().fit(rows)
    >>> found.structure_.edges(), found.width_
    ([('a', 'b')], 1)
    """

    def _learn(self, counter: Counter) -> LearnedGraph:
        self.learned_ = learn_blankets(
            structure_score_named(self.criterion, counter),
            **self._given("search", "knowledge", "treewidth", "max_blanket"),
        )
        return self.learned_

    def _parameters(self, learned: Learned[Any], counter: Counter) -> MarkovNetwork:
        how = BestFitting(seed=self.seed)
        return fit(learned.structure, counter, prior=self.prior, estimator=how)
