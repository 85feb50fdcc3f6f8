"""The estimator that searches equivalence classes by a score."""

from __future__ import annotations

from treewright.criteria.registry import score_named
from treewright.estimators.estimator import Estimator
from treewright.graphs import Cpdag, Dag, Knowledge
from treewright.learners import Learned, learn_hill_climbing
from treewright.models import Dirichlet
from treewright.statistics import Counter
from treewright.tables import Schema
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import MissingPolicy


class HillClimbing(Estimator):
    """A network of high score, by greedy search over equivalence classes.

    Parameters
    ----------
    score
        What to maximise. "sparse-qnml" finds structure best, "grouped-qnml" where variables have dozens of
        states; "bic", "bdeu", "aic", "qnml", "k2" and "loglik" are there too.
    effort
        How much is looked at again, 0 to 3.
    max_parents
        No child gets more; by default the score alone decides.
    knowledge
        Arcs that are required or forbidden.
    prior, missing, bins, schema, seed
        As for every estimator.

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

    def __init__(
        self,
        *,
        score: str = "sparse-qnml",
        effort: int = 2,
        max_parents: int | None = None,
        knowledge: Knowledge | None = None,
        prior: Dirichlet | None = Dirichlet(1.0),  # noqa: B008 -- frozen
        missing: MissingPolicy = "error",
        bins: Bins | None = None,
        schema: Schema | None = None,
        seed: int = 0,
    ) -> None:
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
        learned = learn_hill_climbing(
            score_named(self.criterion, counter),
            knowledge=self.knowledge,
            effort=self.effort,
            max_parents=self.max_parents,
        )
        self.cpdag_: Cpdag = learned.cpdag
        self.copies_ = learned.copies
        return learned
