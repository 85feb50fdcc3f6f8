"""The estimator for large networks and few rows."""

from __future__ import annotations

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.graphs import Clusters, Cpdag, Dag, Knowledge
from treewright.learners import KnotsReport, Learned, learn_knots
from treewright.learners.bayesian_knots.expansion import Expansion
from treewright.learners.bayesian_knots.pair_filters import Filter
from treewright.models import Dirichlet
from treewright.statistics import Counter
from treewright.tables import Schema
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy


class Knots(Estimator):
    """A large network from few rows, with a map of its variables.

    Parameters
    ----------
    score
        What to maximise. "auto": what the rows choose, see :func:`~treewright.choose_score`; `account_.score`
        tells. "sparse-qnml", "grouped-qnml", "bic", "bdeu", "aic" and "qnml" are there too.
    fast
        Leave out the certificate that looks at all pairs.
    expansion
        How clusters come to overlap: a share of their size, or "adaptive".
    filter
        Which pairs may be joined at all: "pc1", "clusters", "partners", or None for all.
    effort
        How much is looked at again, 0 to 3; by default as much as the score and the size call for.
    max_parents
        No child gets more; by default the score alone decides.
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator.

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

    def __init__(
        self,
        *,
        score: str = "auto",
        fast: bool = False,
        expansion: Expansion = "adaptive",
        filter: Filter | None = None,
        effort: int | None = None,
        max_parents: int | None = None,
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.criterion = score
        self.fast = fast
        self.expansion = expansion
        self.filter = filter
        self.effort = effort
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_knots(
            counter,
            score=None if self.criterion == "auto" else score_named(self.criterion, counter, also=("auto",)),
            fast=self.fast,
            expansion=self.expansion,
            filter=self.filter,
            effort=self.effort,
            max_parents=self.max_parents,
            knowledge=self.knowledge,
        )
        self.clusters_: Clusters = learned.clusters
        self.cpdag_: Cpdag = learned.cpdag
        self.account_: KnotsReport = learned.report
        return learned
