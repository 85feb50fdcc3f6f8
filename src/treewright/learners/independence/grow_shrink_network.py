"""Grow-shrink Markov networks: every variable joined to its blanket, as independence tests find it.

In a Markov network the blanket of a variable is its set of neighbours. Growing and shrinking a candidate set
finds each blanket from tests; errors of the tests make the blankets disagree, so a rule joins their verdicts
(GSMN, Bromberg, Margaritis & Honavar 2009).
"""

from __future__ import annotations

from typing import Literal

from treewright.arguments import TEST, require
from treewright.criteria import IndependenceTest
from treewright.criteria.tests.queries import one_of
from treewright.learners.independence.markov_blankets import LearnedBlankets, markov_blankets
from treewright.types import Progress


def learn_grow_shrink_network(
    test: IndependenceTest,
    *,
    rule: Literal["and", "or"] = "and",
    largest: int | None = None,
    progress: Progress | None = None,
) -> LearnedBlankets:
    """Join the variables that are in each other's grow-shrink blanket.

    Parameters
    ----------
    test
        Decides independence: from data, or an oracle. The published experiments use a Bayesian test
        (:class:`~treewright.criteria.PosteriorTest`) or one of significance.
    rule
        Whether both blankets have to agree (``"and"``) or one is enough (``"or"``).
    largest
        Growing stops at this many members.
    progress
        Called before each variable.

    References
    ----------
    .. [1] Bromberg, Margaritis & Honavar (2009). Efficient Markov network structure discovery using
       independence tests. Journal of Artificial Intelligence Research 35, 449-484.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> oracle = tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("b", "c")]))
    >>> tw.learners.learn_grow_shrink_network(oracle).structure.edges()
    [('a', 'b'), ('b', 'c')]
    """
    require("learn_grow_shrink_network", TEST, test)
    one_of("rule", rule, ("and", "or"))
    return markov_blankets(test, algorithm="grow-shrink", symmetry=rule, largest=largest, progress=progress)
