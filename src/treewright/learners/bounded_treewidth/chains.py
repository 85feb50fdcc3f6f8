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
from dataclasses import dataclass, replace
from itertools import count
from time import perf_counter
from typing import Literal, get_args

import numpy as np

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.independence import one_of
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.learners.bounded_treewidth.certified import Certified
from treewright.learners.bounded_treewidth.growth import (
    Arcs,
    BoundedGrowth,
    CoveredStart,
    Ranks,
    Root,
    Triangulation,
    bounded_starts,
    check_bounds,
)
from treewright.learners.classes.chow_liu import bind_in_order
from treewright.learners.learned import TraceBuilder
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex
from treewright.types import Progress

Update = Literal["block-wise", "single-source"]
AtBound = Literal["arcs", "plain-arcs", "chains"]


@in_range
@dataclass(frozen=True)
class ChainVariants:
    """What the paper leaves open, or names in passing; the defaults follow it where it speaks.

    Parameters
    ----------
    root
        Where a tree that the score cannot direct is rooted: at the ``"first"`` variable by name, or at the
        ``"hub"``, the one of most neighbours.
    roots
        Search from so many roots of the tree, `root` first, then variables of many neighbours, and return
        the network of best score. The root decides which arcs can follow, and matters more than ties.
    update
        How the cover takes up an arc. ``"block-wise"`` bridges every block on the way from its near end;
        ``"single-source"`` lets all new edges leave the tail of the arc, which is simpler and makes shallow,
        star-like covers.
    orders
        Node orders that are tried in each iteration; the best of all chains is taken. They differ where the
        cover leaves the order open: which source comes first, which block, which of equally near vertices.
    retriangulate
        After each chain, drop the edges that the cover can spare, or take min-fill where that is narrower or
        has fewer edges. The width may fall, which makes room for further chains.
    free_arcs
        Before each chain add the arcs that need no new edge of the cover, best first.
    at_bound
        What follows when no chain may widen the cover any more. ``"arcs"``: single arcs, best first; where
        the cover's own update is too wide a new triangulation may prove that an arc fits. ``"plain-arcs"``:
        the same by the cover's own update alone. ``"chains"``: first chains of arcs each of which keeps the
        width, then single arcs.

    Examples
    --------
    >>> ChainVariants(roots=4).update
    'block-wise'
    """

    root: Root = "first"
    roots: int = 1
    update: Update = "block-wise"
    orders: int = 1
    retriangulate: bool = False
    free_arcs: bool = False
    at_bound: AtBound = "arcs"

    def __post_init__(self) -> None:
        one_of("update", self.update, get_args(Update))
        one_of("root", self.root, get_args(Root))
        one_of("at_bound", self.at_bound, get_args(AtBound))
        for name, value in (("roots", self.roots), ("orders", self.orders)):
            if value < 1:
                raise SettingError(f"{name}= is a number of at least 1; found {value!r}")


@in_range
def learn_treewidth_chains(
    score: LocalScore,
    *,
    treewidth: int,
    order: Sequence[NameOrIndex] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    start: Dag | None = None,
    max_parents: int | None = None,
    variants: ChainVariants | None = None,
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
    knowledge
        Arcs that are required or forbidden. Required arcs are there from the beginning; they are refused if
        they alone are too wide.
    start
        Where to begin, in accordance with the knowledge; by default the best tree.
    max_parents
        Largest number of parents of a variable; the treewidth bounds it anyway.
    variants
        What the paper leaves open: roots, orders, updates, what follows at the bound.
    progress
        Called after each iteration with a :class:`~treewright.types.Step`: phase and number, score and width.

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
    require("learn_treewidth_chains", SCORE, score)
    check_bounds(score.schema, treewidth, max_parents)
    known = bind_in_order(knowledge, score.schema, order)
    chosen = variants or ChainVariants()
    given = knowledge.order if order is None and isinstance(knowledge, Knowledge) else order
    news = None if progress is None else numbered(progress)

    def grow(begin: CoveredStart, trace: TraceBuilder) -> Certified:
        block_wise = chosen.update == "block-wise"
        growth = BoundedGrowth(
            score, known, begin, max_parents=max_parents, block_wise=block_wise, progress=news
        )
        chains = Chains(growth, None if given is None else growth.ranks_of(given), chosen)
        with growth.phase(trace, "chains") as tallies:
            tallies.update(chains.widen(treewidth))
        if chosen.at_bound == "chains":
            with growth.phase(trace, "chains at the bound") as tallies:
                tallies.update(chains.fill(treewidth))
        with growth.phase(trace, "completion") as tallies:
            own: Triangulation = "own" if chosen.at_bound == "plain-arcs" else "own_first"
            tallies.update(growth.add_arcs(treewidth, own))
            tallies["scores"] = growth.n_scores
        return growth.certified(trace.build())

    trace = TraceBuilder()
    with trace.phase("start"):
        root, roots = chosen.root, chosen.roots
        starts = bounded_starts(
            score, known, treewidth, start=start, root=root, roots=roots, max_parents=max_parents
        )
    found = [grow(begin, trace.copy()) for begin in starts]
    return max(found, key=lambda one: one.score)  # of equals the first


def numbered(progress: Progress) -> Progress:
    """Iterations of several searches, counted through."""
    n = count(1)
    return lambda step: progress(replace(step, done=next(n)))


@dataclass(frozen=True)
class Chains:
    """Adds chains to a network that grows, each the best one for a node order."""

    growth: BoundedGrowth
    given_order: Ranks | None
    variants: ChainVariants

    def widen(self, treewidth: int) -> dict[str, int]:
        """While the width allows it, add the best chain; return how many there were, and of how many arcs."""
        tallies = {"chains": 0, "edges": 0, "skipped": 0}
        while self.growth.width < treewidth:
            if self.variants.free_arcs:
                free = self.growth.add_arcs(treewidth, "none")["edges"]
                tallies["free"] = tallies.get("free", 0) + free
            if not self._add(self.growth.width + 1, tallies):
                break
        return tallies

    def fill(self, treewidth: int) -> dict[str, int]:
        """Add chains of arcs that keep the width each, while there are any."""
        tallies = {"chains": 0, "edges": 0, "skipped": 0}
        while self._add(treewidth, tallies, each_within=treewidth):
            pass
        return tallies

    def _add(self, limit: int, tallies: dict[str, int], each_within: int | None = None) -> bool:
        start = perf_counter()
        chain = self._best_chain(each_within)
        if not len(chain):
            return False
        network = self.growth.network
        added, skipped = network.apply(chain, limit)  # the first arc is never skipped
        if self.variants.retriangulate:
            network.retriangulate()
        self.growth.record(added.tolist(), skipped=len(skipped), since=start)
        tallies["chains"] += 1
        tallies["edges"] += len(added)
        tallies["skipped"] += len(skipped)
        return len(added) > 0

    def _best_chain(self, each_within: int | None) -> Arcs:
        """Of the best chains for each order the one of largest gain; of equals the first."""
        network = self.growth.network
        if self.given_order is not None:
            return network.candidates(self.given_order, each_within).best_chain()
        best, most = np.zeros((0, 2), dtype=np.uint32), 0.0
        for ranks in self._ties():
            candidates: _core.ChainCandidates = network.candidates(network.node_order(ranks), each_within)
            chain = candidates.best_chain()
            gain = candidates.total_gain(chain)
            if gain > most:
                best, most = chain, gain
        return best

    def _ties(self) -> list[Ranks]:
        """What decides where the cover leaves the order open: names, then shuffled names."""
        n = len(self.growth.schema)
        shuffled = [np.random.default_rng(i).permutation(n) for i in range(1, self.variants.orders)]
        return [np.ascontiguousarray(ranks, dtype=np.uint32) for ranks in [np.arange(n), *shuffled]]
