"""Thin junction trees: one arc at a time, as long as a narrow triangulation is found.

The plain rival of the chains: from the best tree on, take the arc of largest gain whose addition keeps the
width within the bound, and triangulate anew. How narrow a cover it finds decides how many arcs it can add, so
every arc may use the narrowest of three: the cover carried along, min-fill and maximum cardinality search.
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.learners.bounded_treewidth.certified import Certified
from treewright.learners.bounded_treewidth.growth import BoundedGrowth, bounded_starts, check_bounds
from treewright.learners.classes.chow_liu import bind_in_order
from treewright.learners.learned import TraceBuilder
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex
from treewright.types import Progress


@in_range
def learn_thin_junction_tree(
    score: LocalScore,
    *,
    treewidth: int,
    order: Sequence[NameOrIndex] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    start: Dag | None = None,
    max_parents: int | None = None,
    progress: Progress | None = None,
) -> Certified:
    """Learn a network whose treewidth is bounded, one arc at a time ([1]_, as improved by [2]_).

    Parameters
    ----------
    score, treewidth, order, knowledge, start, max_parents
        As for :func:`learn_treewidth_chains`.
    progress
        Called after each arc with a :class:`~treewright.types.Step`: its number, score and width so far.

    Returns
    -------
    Certified
        Structure, trace, the junction tree of the cover (``certificate``) and the iterations, one for each
        arc. Ties go by the names of the variables.

    References
    ----------
    .. [1] Bach & Jordan (2001). Thin junction trees. Advances in Neural Information Processing Systems 14.
    .. [2] Elidan & Gould (2008). Learning bounded treewidth Bayesian networks. Journal of Machine Learning
       Research 9, 2699-2731.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> score = tw.BIC(tw.count(table))
    >>> learned = tw.learn_thin_junction_tree(score, treewidth=2)
    >>> learned.width, learned.score > score.score(tw.learn_chow_liu(score).structure)
    (2, True)
    """
    require("learn_thin_junction_tree", SCORE, score)
    check_bounds(score.schema, treewidth, max_parents)
    known = bind_in_order(knowledge, score.schema, order)
    trace = TraceBuilder()
    with trace.phase("start"):
        (begin,) = bounded_starts(score, known, treewidth, start=start, max_parents=max_parents)
        growth = BoundedGrowth(score, known, begin, max_parents=max_parents, progress=progress)
    with growth.phase(trace, "arcs") as tallies:
        tallies.update(growth.add_arcs(treewidth, "narrowest"))
        tallies["scores"] = growth.n_scores
    return growth.certified(trace.build())
