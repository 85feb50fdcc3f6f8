"""Graphs from which a search over blankets sets out.

The marginal pseudo-likelihood finds each blanket alone and settles conflicts by climbing; the best tree is
quicker. A search that only looks for a better score forgets where it came from slowly: a good start acts like
a prior.

Which of two searches to trust shows in the shape of what they found. The walk of the blankets joint posterior
from a sparse start is the better one where some variables have many neighbours and most have few, or where
the graph is nearly a tree. Where neighbours are spread evenly, or are neighbours of each other, it misses
edges that the marginal pseudo-likelihood finds, and the walk of the independence-based score from there is
better. The bounds were chosen on draws from seventeen graphs of ten families, and checked on other draws and
other graphs.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from treewright import _core
from treewright.criteria import LogLikelihood, MarginalPseudoLikelihood, PosteriorTest, StructureScore
from treewright.criteria.graph_scores.blanket_posterior import BlanketPosterior
from treewright.criteria.scores.native_scores import native_scores
from treewright.graphs import UndirectedGraph, find_maximum_spanning_forest
from treewright.graphs._bits import pack, unpack
from treewright.learners.blanket_scores.searches import FlipRules, Found, WorstPairClimb
from treewright.types import Progress, Step

Conflicts = Literal["conflict", "or"]


def learn_apart(
    score: MarginalPseudoLikelihood,
    rules: FlipRules,
    mode: Conflicts,
    tell: Progress | None = None,
    met: list[Found] | None = None,
) -> Found:
    """The three phases of Pensar et al. (2017): blankets alone, what they agree on, and a climb.

    With mode ``"conflict"`` the climb starts from the pairs that found each other and flips those found from
    one side only; with ``"or"`` it starts from nothing and flips all that were found. `tell` hears of both,
    and `met` gets the best graph if the climb is interrupted.
    """
    schema = score.schema
    allowed = rules.movable | rules.required.rows
    order = list(schema.name_order)
    alone = None if tell is None else lambda done: tell(Step("blankets", done, len(schema)))
    climbs = None if tell is None else lambda flips, total: tell(Step("climb", flips, score=total))
    scores = native_scores(score.locals)
    found = unpack(_core.blankets_apart(scores, allowed, rules.max_blanket, order, alone))
    both, either = found & found.T, found | found.T
    movable = unpack(rules.movable)
    start = UndirectedGraph.of_rows(schema, pack(both if mode == "conflict" else np.zeros_like(both)))
    start = rules.obeyed(start, strongest_pairs(score, start))
    kept = unpack(start.rows)
    toggles = pack(movable & either & ~(both & kept) if mode == "conflict" else movable & either)
    climbing = FlipRules(toggles, rules.required, rules.max_blanket, rules.treewidth)
    return WorstPairClimb().run(score.judge(toggles), start, climbing, tell=climbs, met=met)


def pseudo_start(score: StructureScore, rules: FlipRules, tell: Progress | None = None) -> Found:
    """The graph of the marginal pseudo-likelihood with a price for every edge."""
    return learn_apart(MarginalPseudoLikelihood(score.counter, edge_prior="sparse"), rules, "conflict", tell)


def tree_start(score: StructureScore, rules: FlipRules) -> UndirectedGraph:
    """The best tree, less the edges that are more probably independent than not."""
    weights = np.where(unpack(rules.movable), pair_weights(score), -np.inf)
    tree = find_maximum_spanning_forest(score.schema, weights, threshold=0.0)
    pairs = tree.index_edges()
    if not pairs:
        return rules.obeyed(tree, [])
    if isinstance(score, BlanketPosterior):
        cards = score.schema.cardinalities
        settings = [score.settings.between(cards[u], cards[v]) for u, v in pairs]
        tests = [PosteriorTest(score.counter, **vars(one)) for one in settings]
        kept = [p for p, test in zip(pairs, tests, strict=True) if not test.independent(*p)]
    else:
        judge = score.judge()
        judge.total(UndirectedGraph(score.schema).rows)
        standings = judge.standings()
        kept = [(u, v) for u, v in pairs if standings[u, v] < 0]
    graph = UndirectedGraph(score.schema, kept)
    return rules.obeyed(graph, strongest_pairs(score, graph))


def pair_weights(score: StructureScore) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """How much any two variables tell about each other, in nats over all rows."""
    gains = LogLikelihood(score.counter).pair_gains()
    return np.minimum(gains, gains.T)


def strongest_pairs(score: StructureScore, graph: UndirectedGraph) -> list[tuple[int, int]]:
    """The edges of a graph, those that tell most first, ties by name."""
    weights, names = pair_weights(score), score.schema.names
    return sorted(
        graph.index_edges(), key=lambda p: (-weights[p[0], p[1]], *sorted((names[p[0]], names[p[1]])))
    )


# Degrees that spread like those of a random graph have a variance equal to their mean.
UNEVEN = 1.5
EVEN = 0.9
# A tree has a mean degree just below two, of which few rows show a part.
FEW_NEIGHBOURS = 1.5
CLUSTERED = 0.2
# Fewer variables have no shape to speak of.
ENOUGH_VARIABLES = 12
MORE_CLUSTERED = 0.02


def degree_spread(graph: UndirectedGraph) -> float:
    """Variance of the degrees over their mean; 1 for random graphs, 0 for regular ones."""
    degrees = graph.degrees()
    mean = float(degrees.mean()) if len(degrees) else 0.0
    return float(degrees.var()) / mean if mean else 0.0


def mean_degree(graph: UndirectedGraph) -> float:
    return 2 * graph.n_edges / max(1, len(graph.schema))


def clustering(graph: UndirectedGraph) -> float:
    """Mean over variables of the share of its pairs of neighbours that are joined (Watts & Strogatz 1998).

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> clustering(UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]))
    0.5833333333333334
    """
    joined = unpack(graph.rows).astype(np.float64)
    if not len(joined):
        return 0.0
    degrees = joined.sum(axis=1)
    pairs = degrees * (degrees - 1)
    closed = ((joined @ joined) * joined).sum(axis=1)
    shares = np.divide(closed, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return float(shares.mean())


def may_be_even(walked: UndirectedGraph) -> bool:
    """Whether a second search is worth its time: with hubs the walk is right."""
    return len(walked.schema) >= ENOUGH_VARIABLES and degree_spread(walked) < UNEVEN


def is_even(walked: UndirectedGraph, pseudo: UndirectedGraph) -> bool:
    """Whether to leave the walk's graph for a walk from that of the marginal pseudo-likelihood."""
    if not may_be_even(walked):
        return False
    spread_evenly = degree_spread(walked) < EVEN and mean_degree(walked) >= FEW_NEIGHBOURS
    closed = clustering(pseudo)
    return spread_evenly or (closed > CLUSTERED and closed > clustering(walked) + MORE_CLUSTERED)
