"""The independence-based score: every claim of a graph, from both sides, as if each stood alone.

A graph says of each variable what it is independent of, given its blanket, and what it is not. The score is
the sum of the log-posteriors of all these claims; the two about a pair, one for each blanket, both count.
"""

from __future__ import annotations

from typing import Any, ClassVar

from treewright.criteria.graph_scores.blanket_posterior import BlanketPosterior
from treewright.criteria.graph_scores.blanket_tests import Margin, Slices
from treewright.statistics.counter import Counter


class IndependenceBasedScore(BlanketPosterior):
    """Independence-based score (IB) of an undirected graph.

    Settings left open (None) are the published ones; :func:`~treewright.learn_blankets` with its own search
    ``"auto"`` takes those that learn best instead (gamma 0.5, matched margins).

    Parameters
    ----------
    prior
        Probability that two variables are independent given a blanket, before the data; published: 0.5.
    gamma, alpha, beta
        Dirichlet parameters of the joint table and of its two margins; published: 1. ``"matched"`` margins
        are those of the joint prior: gamma times the states of the other variable.
    slices
        ``"all"`` (published) or ``"observed"`` configurations of the blanket.
    edge_price
        Nats taken off for every edge.

    References
    ----------
    .. [1] Schlüter, Bromberg & Edera (2014). The IBMAP approach for Markov network structure learning. Annals
       of Mathematics and Artificial Intelligence 72, 197-223.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 0, 1, 1] * 10})
    >>> score = tw.IndependenceBasedScore(tw.count(table))
    >>> joined = tw.UndirectedGraph(table.schema, [("a", "b")])
    >>> score.score(joined) > score.score(tw.UndirectedGraph(table.schema))
    True
    """

    kind = "independent"
    learns_best: ClassVar[dict[str, Any]] = {"gamma": 0.5, "alpha": "matched", "beta": "matched"}

    def __init__(
        self,
        counter: Counter,
        prior: float | None = None,
        *,
        gamma: float | None = None,
        alpha: Margin | None = None,
        beta: Margin | None = None,
        slices: Slices | None = None,
        edge_price: float = 0.0,
    ) -> None:
        given = {"prior": prior, "alpha": alpha, "beta": beta, "gamma": gamma, "slices": slices}
        super().__init__(counter, given, edge_price)
