"""The blankets joint posterior: the probability of all blankets at once, by the chain rule.

Order the variables by the size of their blankets. The blanket of the first is judged by a test with
everybody else; that of the next one only needs the tests that the first has not settled, and so on. Every
pair is tested once, from the side of the smaller blanket, where tables are smallest and the test is surest.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, cast

from treewright.criteria.graph_scores.blanket_posterior import BlanketPosterior
from treewright.criteria.graph_scores.blanket_tests import Margin, Slices
from treewright.criteria.tests.queries import one_of
from treewright.statistics.counter import Counter


class BlanketsJointPosterior(BlanketPosterior):
    """Blankets joint posterior (BJP) of an undirected graph.

    Settings left open (None) are the published ones; :func:`~treewright.learn_blankets` with its own search
    ``"auto"`` takes those that learn best instead (prior 0.8, gamma 0.5, matched margins, tie ``"mean"``).

    Parameters
    ----------
    prior
        Probability that two variables are independent given a blanket, before the data; published: 0.5. A
        larger one makes sparser graphs.
    tie
        Who is asked about a pair with blankets of equal size: the variable of smaller name (``"index"``,
        published) or both, by halves (``"mean"``), which makes the score blind to names.
    gamma, alpha, beta
        Dirichlet parameters of the joint table and of its two margins; published: 1. ``"matched"`` margins
        are those of the joint prior: gamma times the states of the other variable.
    slices
        ``"all"`` (published): the prior of a slice counts every declared configuration of the blanket;
        ``"observed"``: those that occur.
    owner
        What makes a blanket small: its members (``"degree"``, published) or the cells of its table
        (``"cells"``), which differ where variables have different numbers of states.
    edge_price
        Nats taken off for every edge.

    References
    ----------
    .. [1] Schlüter, Strappa, Milone & Bromberg (2018). Blankets joint posterior score for learning Markov
       network structures. International Journal of Approximate Reasoning 92, 295-320.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 0, 1, 1] * 10})
    >>> score = tw.BlanketsJointPosterior(tw.count(table))
    >>> joined = tw.UndirectedGraph(table.schema, [("a", "b")])
    >>> round(score.score(joined), 4), round(score.score(tw.UndirectedGraph(table.schema)), 4)
    (-0.8766, -24.5325)
    """

    kind = "joint"
    published: ClassVar[dict[str, Any]] = {**BlanketPosterior.published, "tie": "index", "owner": "degree"}
    learns_best: ClassVar[dict[str, Any]] = {
        "prior": 0.8, "gamma": 0.5, "alpha": "matched", "beta": "matched", "tie": "mean",
    }  # fmt: skip

    def __init__(
        self,
        counter: Counter,
        prior: float | None = None,
        *,
        tie: Literal["index", "mean"] | None = None,
        gamma: float | None = None,
        alpha: Margin | None = None,
        beta: Margin | None = None,
        slices: Slices | None = None,
        owner: Literal["degree", "cells"] | None = None,
        edge_price: float = 0.0,
    ) -> None:
        given = {"prior": prior, "alpha": alpha, "beta": beta, "gamma": gamma, "slices": slices}
        super().__init__(counter, {**given, "tie": tie, "owner": owner}, edge_price)
        one_of("tie", self.tie, ("index", "mean"))
        one_of("owner", self.owner, ("degree", "cells"))

    @property
    def tie(self) -> Literal["index", "mean"]:
        return cast("Literal['index', 'mean']", self._setting("tie"))

    @property
    def owner(self) -> Literal["degree", "cells"]:
        return cast("Literal['degree', 'cells']", self._setting("owner"))
