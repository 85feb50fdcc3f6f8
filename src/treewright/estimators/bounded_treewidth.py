"""The estimator of bounded treewidth, the default of the product."""

from __future__ import annotations

import numpy as np

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.graphs import Dag, JunctionTree, Knowledge
from treewright.learners import Learned, learn_bounded_treewidth
from treewright.models import Dirichlet
from treewright.statistics import Counter
from treewright.tables import Schema
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy


class BoundedTreewidth(Estimator):
    """A network of high score and bounded treewidth: every question is answered exactly, at a known cost.

    Parameters
    ----------
    treewidth
        The bound.
    score
        What to maximise: "bic", "bdeu", "sparse-qnml", "grouped-qnml", "aic", "qnml", "k2" or "loglik".
    effort
        How long to search on, for each variable; 0 ends at the local optimum.
    max_parents
        No child gets more; the treewidth bounds it anyway.
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator; the seed starts the search.

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

    def __init__(
        self,
        *,
        treewidth: int = 4,
        score: str = "bic",
        effort: float = 1,
        max_parents: int | None = None,
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.treewidth = treewidth
        self.criterion = score
        self.effort = effort
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_bounded_treewidth(
            score_named(self.criterion, counter),
            treewidth=self.treewidth,
            effort=self.effort,
            rng=np.random.default_rng(self.seed),
            knowledge=self.knowledge,
            max_parents=self.max_parents,
        )
        self.certificate_: JunctionTree = learned.certificate
        return learned
