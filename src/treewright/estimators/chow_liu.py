"""The estimator of trees (Chow & Liu)."""

from __future__ import annotations

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.graphs import Dag, Knowledge
from treewright.learners import Learned, learn_chow_liu
from treewright.models import Dirichlet
from treewright.statistics import Counter
from treewright.tables import Schema
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy


class ChowLiuTree(Estimator):
    """The best network in which each variable has at most one parent.

    Parameters
    ----------
    score
        What to maximise: "bic" (leaves out edges that do not pay), "loglik", "aic", "bdeu", "k2", "qnml",
        "sparse-qnml" or "grouped-qnml".
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator.

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

    def __init__(
        self,
        *,
        score: str = "bic",
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.criterion = score
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        return learn_chow_liu(score_named(self.criterion, counter), knowledge=self.knowledge)
