"""Where a search under a width bound begins a second time: at a network that was learned without the bound.

A search over equivalence classes makes better choices than a climb from a tree, and takes a fraction of the
time of the kicks. Its network is too wide, but the bound lets most of its arcs in. From them another local
optimum is reached, which is the better one in three of five cases where the bound is wide. A bound of two
leaves so little of the network that the tree is the better start.
"""

from __future__ import annotations

from treewright.graphs import Dag
from treewright.learners.bounded_treewidth.search import BoundedSettings
from treewright.learners.classes.class_search import class_search
from treewright.learners.classes.dag_climbing import learn_dag_climbing

_WIDE = 3  # bounds from which on a second start is worth its time
_PAIRS = 400  # so many pairs cost about what a kick does


def kicks_before_second_start(settings: BoundedSettings, kicks: int) -> int:
    """How many of the kicks come first; all of them if there is no second start.

    A search without bound looks at all pairs, so that many variables have to be kicked for longer before it
    is worth its time; one kick for each variable is too little effort for it anyway.
    """
    n = len(settings.score.schema)
    pointless = settings.treewidth < _WIDE or n <= settings.treewidth + 1
    return kicks if pointless or kicks <= n else min(kicks, n * n // _PAIRS)


def wide_network(settings: BoundedSettings) -> Dag:
    """What is learned under the same knowledge without the bound, but for that of every family."""
    score, known, most = settings.score, settings.known, settings.most_parents
    if score.is_score_equivalent and known.is_symmetric:
        return class_search(score, effort=0, allow=known.allowed, max_parents=most).structure
    return learn_dag_climbing(score, knowledge=known, max_parents=most).structure
