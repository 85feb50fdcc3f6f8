"""Hill climbing: the general-purpose search for a network of high score.

The name is the one people look for; what climbs is the search over equivalence classes of
:mod:`~treewright.learners.class_search`, which needs about as many scores as the classic climber through
single networks, ends higher and gives one answer for every order of the columns.
"""

from __future__ import annotations

from treewright.criteria.score import LocalScore
from treewright.graphs import Cpdag, Dag
from treewright.learners.class_search import LearnedClass, Progress, class_search


def learn_hill_climbing(
    score: LocalScore,
    *,
    effort: int = 2,
    max_parents: int | None = None,
    start: Cpdag | Dag | None = None,
    progress: Progress | None = None,
) -> LearnedClass:
    """Learn a network of high score by greedy search over equivalence classes.

    Parameters
    ----------
    score
        A decomposable score that is score-equivalent.
    effort
        How much is looked at again: 0 nothing, 1 and 2 the surroundings of each variable (2 among all pairs),
        3 also each edge. More effort never scores lower than less from the same state.
    max_parents
        No child gets more; by default the score alone decides.
    start
        Where to begin; by default the graph without edges, which is rarely beaten as a start.
    progress
        Called after each phase with the steps taken and the nats gained since the start.

    Returns
    -------
    LearnedClass
        `structure` is the canonical member of the class, `cpdag` the class, `copies` the columns that the
        data cannot tell apart.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_hill_climbing(tw.BIC(tw.count(table)))
    >>> learned.structure.n_edges, learned.cpdag.undirected_edges()
    (7, [('bronc', 'smoke'), ('lung', 'smoke')])
    """
    return class_search(score, effort=effort, max_parents=max_parents, start=start, progress=progress)
