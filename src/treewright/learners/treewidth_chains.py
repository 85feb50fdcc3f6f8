"""Networks of bounded treewidth, by treewidth-friendly chains.

Exact inference costs what the chordal cover of a network costs, exponential in its width. So the search
carries such a cover along. It starts at the best tree, of width one. Adding an arc s -> t then touches the
blocks of the cover between s and the family of t, and *contaminates* some of their vertices. Under a suitable
node order the contaminated vertices of an arc span a range, and arcs whose ranges follow one another can be
added together while the cover widens by one at most. The chain of such arcs of largest total gain is found by
a dynamic programme. Chains are added until the width reaches its bound; single arcs that keep it finish the
work.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Literal, get_args

from treewright.criteria.queries import one_of
from treewright.criteria.score import LocalScore
from treewright.learners.bounded_growth import BoundedGrowth, check_bounds
from treewright.learners.certified import Certified, Progress
from treewright.learners.chow_liu import learn_chow_liu
from treewright.learners.learned import TraceBuilder
from treewright.tables.schema import NameOrIndex

Update = Literal["block-wise", "single-source"]


def learn_treewidth_chains(
    score: LocalScore,
    *,
    treewidth: int,
    order: Sequence[NameOrIndex] | None = None,
    max_parents: int | None = None,
    update: Update = "block-wise",
    progress: Progress | None = None,
) -> Certified:
    """Learn a network whose treewidth is bounded, by adding whole chains of arcs (Elidan & Gould [1]_).

    The bound holds whatever the data: a chordal cover of that width comes with the network.

    Parameters
    ----------
    score
        Any decomposable score, of discrete or of continuous variables.
    treewidth
        The paper's K: no clique of the cover has more than K + 1 variables.
    order
        A total order of the variables, such as positions on a chromosome; parents then come before their
        children. By default the order follows the cover, and changes as it grows.
    max_parents
        Largest number of parents of a variable; the treewidth bounds it anyway.
    update
        How the cover takes up an arc. ``"block-wise"`` bridges every block on the way from its near end;
        ``"single-source"`` lets all new edges leave the tail of the arc, which is simpler and makes shallow,
        star-like covers.
    progress
        Called after each iteration with its number, the width and the score so far.

    Returns
    -------
    Certified
        Structure, trace, the junction tree of the cover (``certificate``) and the iterations. Ties go by the
        names of the variables, so the result does not depend on the order of columns or rows, nor on
        threads.

    Notes
    -----
    **Departures.** An arc contaminates its own two ends as well, and every chain is applied under guard: an
    arc that would widen the cover by two (which the paper's conditions do not exclude) is tried with another
    triangulation, and skipped if that fails. The page ``docs/papers/bounded_treewidth.md`` gives the reasons.

    References
    ----------
    .. [1] Elidan & Gould (2008). Learning bounded treewidth Bayesian networks. Journal of Machine Learning
       Research 9, 2699-2731.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_treewidth_chains(tw.BIC(tw.count(table)), treewidth=2)
    >>> learned.width, max(map(len, learned.certificate.clusters))
    (2, 3)
    """
    check_bounds(score.schema, treewidth, max_parents)
    one_of("update", update, get_args(Update))
    trace = TraceBuilder()
    with trace.phase("start"):
        tree = learn_chow_liu(score, order=order).structure
        growth = BoundedGrowth(
            score,
            tree,
            order=order,
            max_parents=max_parents,
            block_wise=update == "block-wise",
            progress=progress,
        )
    with trace.phase("chains") as tallies:
        tallies.update(add_chains(growth, treewidth))
    with trace.phase("completion") as tallies:
        tallies.update(growth.add_arcs(treewidth, narrowest=False))
        tallies["scores"] = growth.n_scores
    return growth.certified(trace.build())


def add_chains(growth: BoundedGrowth, treewidth: int) -> dict[str, int]:
    """While the width allows it, add the best chain; return how many there were, and of how many arcs."""
    tallies = {"chains": 0, "edges": 0, "skipped": 0}
    network = growth.network
    while network.width < treewidth:
        start = perf_counter()
        candidates = network.candidates(growth.node_order())
        chain = candidates.best_chain()
        if not len(chain):
            break
        added, skipped = network.apply(chain, network.width + 1)  # the first arc is never skipped
        growth.record(added.tolist(), skipped=len(skipped), since=start)
        tallies["chains"] += 1
        tallies["edges"] += len(added)
        tallies["skipped"] += len(skipped)
    return tallies
