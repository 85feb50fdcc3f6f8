"""The estimators of Markov networks: by scores of blankets, and those that answer in linear time."""

from __future__ import annotations

from typing import Any, Self

from treewright import learners
from treewright.criteria.registry import structure_score_named
from treewright.estimators.estimator import Estimator, warn_of_identifiers
from treewright.estimators.settings import with_settings
from treewright.learners import Learned
from treewright.models import BestFitting, FeatureNetwork, MarkovNetwork, fit
from treewright.statistics import Counter, RowSource, count
from treewright.tables import Table, read_table
from treewright.tables._reading.missing import reading_policy
from treewright.tables.sharded import recoded


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

    def _learn(self, counter: Counter) -> learners.LearnedGraph:
        self.learned_ = learners.learn_blankets(
            structure_score_named(self.criterion, counter),
            **self._given("search", "knowledge", "treewidth", "max_blanket"),
        )
        return self.learned_

    def _parameters(self, learned: Learned[Any], counter: Counter) -> MarkovNetwork:
        how = BestFitting(seed=self.seed)
        return fit(learned.structure, counter, prior=self._dirichlet(), estimator=how)


@with_settings
class EfficientMarkov(Estimator):
    """A Markov network that answers in time linear in its size, whatever its treewidth.

    Attributes
    ----------
    graph_
        The feature graph behind `model_`; `structure_` joins the variables that meet on one of its paths.
    settings_
        What was given, and what validation rows chose.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(0))
    >>> markov = tw.EfficientMarkov(min_rows=100, smoothing=1.0).fit(rows)
    >>> markov.graph_.is_deterministic, markov.query("lung", given={"smoke": "yes"})["yes"] < 0.15
    (True, True)
    """

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, valid: Any = None) -> Self:
        """Learn a feature graph with its parameters; `valid` rows choose what is left open."""
        table, held_out = self._joined(X, y, sample_weight), None
        warn_of_identifiers(table)
        if valid is not None:
            policy = "add" if self.schema is None and self.unseen == "error" else self.unseen
            held_out = read_table(
                valid, schema=table.schema, missing=reading_policy(self.missing), unseen=policy
            )
            table = recoded(table, held_out.schema)  # states of either are states
        learned = self._learn(count(table), held_out)
        self._keep(FeatureNetwork(learned.structure), learned, table)
        self.graph_ = learned.structure
        self.settings_ = learned.settings
        return self

    def _learn(
        self, counter: RowSource, valid: Table | None = None
    ) -> learners.LearnedFeatureGraph[learners.MarkovSettings]:
        settings = learners.MarkovSettings(
            **self._given("largest_set", "feature_length", "search", "min_variables", "leaf", "score"),
            **self._given("balance_tolerance", "max_depth"),
        )
        given, rng = self._given("delta", "min_rows", "smoothing"), self._chance()
        return learners.learn_efficient_markov(counter, settings=settings, valid=valid, rng=rng, **given)
