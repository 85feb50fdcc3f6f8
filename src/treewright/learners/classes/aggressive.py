"""The aggressive search without a bound: what bounded methods are compared with.

Climbing among DAGs that does not stop at a summit. It remembers the last structures and walks on by the best
move that leads to none of them; when that brings nothing for a while it makes some moves at random and climbs
again, until that has brought nothing for long. Nothing keeps the treewidth of the result small, so exact
queries on it may be out of reach; its score says what a search that ignores them can get.
"""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.learners.classes.dag_climbing import climb, draw_seed
from treewright.learners.learned import LearnedNetwork
from treewright.types import Progress


def learn_aggressive(
    score: LocalScore,
    *,
    rng: np.random.Generator,
    tabu: int = 100,
    patience: int = 15,
    perturbations: int = 20,
    perturbed_share: float = 0.1,
    knowledge: Knowledge | BoundKnowledge | None = None,
    start: Dag | None = None,
    max_parents: int | None = None,
    progress: Progress | None = None,
) -> LearnedNetwork[Dag]:
    """Search long and without a bound on the treewidth; the best graph met is returned.

    Parameters
    ----------
    score
        Any decomposable score.
    rng
        Draws the random moves; the same state gives the same graph, whatever the order of the columns.
    tabu
        Structures remembered; none of them is visited again while it is.
    patience
        Steps that do not improve before a perturbation. An improvement is a score above all others since the
        last perturbation.
    perturbations
        Perturbations in a row without a new best of all before the search ends.
    perturbed_share
        Share of the arcs, rounded up, that says how many random moves a perturbation makes. Each is drawn
        uniformly from all legal moves: arcs to add, to remove and to turn round.
    knowledge, start, max_parents, progress
        As for :func:`~treewright.learners.learn_dag_climbing`.

    Returns
    -------
    LearnedNetwork[Dag]
        The trace tells the steps and the perturbations.

    Notes
    -----
    Elidan & Gould [1]_ name this baseline (greedy search with a tabu list and random restarts of this kind)
    without its settings; those above are ours.

    References
    ----------
    .. [1] Elidan & Gould (2008). Learning bounded treewidth Bayesian networks. Journal of Machine Learning
       Research 9, 2699-2731.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
    >>> score = tw.BIC(tw.count(table))
    >>> learned = tw.learn_aggressive(score, rng=np.random.default_rng(1))
    >>> score.score(learned.structure) >= score.score(tw.learners.learn_dag_climbing(score).structure)
    True
    """
    require("learn_aggressive", SCORE, score)
    for name, value in (("tabu", tabu), ("patience", patience), ("perturbations", perturbations)):
        if value < 1:
            raise SettingError(f"{name} must be 1 or more; found {value!r}")
    if not 0 < perturbed_share <= 1:
        raise SettingError(f"perturbed_share must be above 0 and at most 1; found {perturbed_share!r}")
    settings = _core.ClimbSettings()
    settings.tabu, settings.patience, settings.perturbations = tabu, patience, perturbations
    settings.perturbed_share, settings.seed = perturbed_share, draw_seed(rng)
    return climb(score, settings, knowledge, start, max_parents=max_parents, progress=progress)
