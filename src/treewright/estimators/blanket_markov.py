"""The estimator of Markov networks by scores of blankets."""

from __future__ import annotations

from typing import Any

from treewright.criteria.registry import structure_score_named
from treewright.estimators.estimator import Estimator
from treewright.graphs import Knowledge
from treewright.learners import Learned, LearnedGraph, learn_blankets
from treewright.models import BestFitting, Dirichlet, MarkovNetwork, fit
from treewright.statistics import Counter
from treewright.tables import Schema
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy


class BlanketMarkov(Estimator):
    """A Markov network by a score of its blankets; `model_` is a Markov network, `structure_` undirected.

    Parameters
    ----------
    score
        "bjp" (blankets joint posterior), "ib" (independence-based score) or "mpl" (marginal
        pseudo-likelihood).
    search
        "auto", "fast", "ibmap", "walk", "tabu", "exhaustive" or, for "mpl", "three-phase"; see
        :func:`~treewright.learn_blankets`.
    max_width
        Treewidth that the graph must not exceed, so that answers are exact. With None and a wide graph the
        factors are fitted by pseudo-likelihood, and only :func:`~treewright.models.sample_gibbs` can ask the
        model.
    max_blanket
        Neighbours that no variable exceeds; None is no bound.
    knowledge
        Edges that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator; the seed chooses the rows that decide how factors are fitted.

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

    def __init__(
        self,
        *,
        score: str = "bjp",
        search: str = "auto",
        max_width: int | None = 12,
        max_blanket: int | None = None,
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.criterion = score
        self.search = search
        self.max_width = max_width
        self.max_blanket = max_blanket
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> LearnedGraph:
        self.learned_ = learn_blankets(
            structure_score_named(self.criterion, counter),
            self.search,
            knowledge=self.knowledge,
            treewidth=self.max_width,
            max_blanket=self.max_blanket,
        )
        return self.learned_

    def _parameters(self, learned: Learned[Any], counter: Counter) -> MarkovNetwork:
        how = BestFitting(seed=self.seed)
        return fit(learned.structure, counter, prior=self.prior, estimator=how)
