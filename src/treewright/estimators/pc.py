"""The estimator that asks independence tests."""

from __future__ import annotations

from treewright.criteria.registry import independence_test_named
from treewright.estimators.estimator import Estimator
from treewright.graphs import Dag, Knowledge, Pdag
from treewright.learners import Learned, learn_pc
from treewright.learners.independence.collider_rules import ColliderRule
from treewright.models import Dirichlet
from treewright.statistics import Counter
from treewright.tables import Schema
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy


class PC(Estimator):
    """The equivalence class that independence tests find, and a model of one of its members.

    Parameters
    ----------
    test
        "g" (G test), "chi-square" or "posterior".
    alpha
        Level of the test.
    depth
        Largest separator looked for; None is no limit.
    collider_rule
        How separators that disagree are judged: "contest", "majority", "conservative" or "first".
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator.

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

    def __init__(
        self,
        *,
        test: str = "g",
        alpha: float = 0.01,
        depth: int | None = 3,
        collider_rule: ColliderRule = "contest",
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
        self.test = test
        self.alpha = alpha
        self.depth = depth
        self.collider_rule = collider_rule
        self.knowledge = knowledge
        self.prior = prior
        self.missing = missing
        self.bins = bins
        self.schema = schema
        self.seed = seed

    def _learn(self, counter: Counter) -> Learned[Dag]:
        learned = learn_pc(
            independence_test_named(self.test, counter, alpha=self.alpha),
            depth=self.depth,
            collider_rule=self.collider_rule,
            knowledge=self.knowledge,
        )
        self.cpdag_: Pdag = learned.structure
        self.separators_ = learned.separators
        return Learned(learned.dag, learned.trace)
