"""The estimator of efficient Markov networks."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from treewright.estimators.estimator import Estimator, warn_of_identifiers
from treewright.learners import LearnedFeatureGraph, learn_efficient_markov
from treewright.learners.efficient_markov.lem import FeatureSearch, MarkovLeaf, MarkovSettings, PartitionScore
from treewright.models import Dirichlet, FeatureNetwork
from treewright.statistics import RowSource, count
from treewright.tables import Schema, Table
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy


class EfficientMarkov(Estimator):
    """A Markov network that answers in time linear in its size, whatever its treewidth.

    Parameters
    ----------
    delta
        More information than this, in nats, keeps variables in one block; ``"auto"`` chooses on validation
        rows, ``"gtest"`` by a test.
    q, k, search, min_vars, leaf, score, balance_tol, max_depth
        See :func:`treewright.learn_efficient_markov`.
    min_rows, alpha
        Rows that a context needs to be split, and rows of even spread that smooth every distribution; None
        chooses on validation rows.
    prior
        Not used: `alpha` smooths.
    missing, bins, schema, seed
        As for every estimator; the seed draws the rows that are held out when there are no validation rows.

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
    >>> markov = tw.EfficientMarkov(min_rows=100, alpha=1.0).fit(rows)
    >>> markov.graph_.is_deterministic, markov.query("lung", given={"smoke": "yes"})["yes"] < 0.15
    (True, True)
    """

    def __init__(
        self,
        *,
        delta: float | Literal["auto", "gtest"] = "auto",
        q: int = 3,
        k: int = 1,
        search: FeatureSearch = "greedy",
        min_rows: float | None = None,
        min_vars: int = 5,
        alpha: float | None = None,
        leaf: MarkovLeaf = "tree",
        score: PartitionScore = "inverse-square",
        balance_tol: float = 0.05,
        max_depth: int | None = None,
        prior: Dirichlet | None = None,
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.delta = delta
        self.q = q
        self.k = k
        self.search = search
        self.min_rows = min_rows
        self.min_vars = min_vars
        self.alpha = alpha
        self.leaf = leaf
        self.criterion = score
        self.balance_tol = balance_tol
        self.max_depth = max_depth
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def fit(self, X: Any, y: object = None, *, valid: Any = None) -> Self:
        """Learn a feature graph with its parameters; `valid` rows choose what is left open."""
        table = self._read(X, self.schema)
        warn_of_identifiers(table)
        learned = self._learn(count(table), None if valid is None else self._read(valid, table.schema))
        self._keep(FeatureNetwork(learned.structure), learned, table.report)
        self.graph_ = learned.structure
        self.settings_ = learned.settings
        return self

    def _learn(self, counter: RowSource, valid: Table | None = None) -> LearnedFeatureGraph[MarkovSettings]:
        settings = MarkovSettings(
            delta=None if self.delta == "auto" else self.delta,
            min_rows=self.min_rows,
            smoothing=self.alpha,
            largest_set=self.q,
            feature_length=self.k,
            search=self.search,
            min_variables=self.min_vars,
            leaf=self.leaf,
            score=self.criterion,
            balance_tolerance=self.balance_tol,
            max_depth=self.max_depth,
        )
        rng = np.random.default_rng(self.seed)
        return learn_efficient_markov(counter, settings=settings, valid=valid, rng=rng)
