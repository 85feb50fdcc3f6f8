"""Graphs from which a search over blankets sets out.

The marginal pseudo-likelihood finds each blanket alone and settles conflicts by climbing; the best tree is
quicker. A search that only looks for a better score forgets where it came from slowly: a good start acts like
a prior.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from treewright import _core
from treewright.criteria import LogLikelihood, MarginalPseudoLikelihood, PosteriorTest, StructureScore
from treewright.criteria.graph_scores.blanket_posterior import BlanketPosterior
from treewright.criteria.scores.native_scores import native_scores
from treewright.graphs import UndirectedGraph, maximum_spanning_forest
from treewright.graphs._bits import pack, unpack
from treewright.learners.blanket_scores.flip_rules import FlipRules
from treewright.learners.blanket_scores.searches import Found, WorstPairClimb

Conflicts = Literal["conflict", "or"]


def learn_apart(score: MarginalPseudoLikelihood, rules: FlipRules, mode: Conflicts) -> Found:
    """The three phases of Pensar et al. (2017): blankets alone, what they agree on, and a climb.

    With mode ``"conflict"`` the climb starts from the pairs that found each other and flips those found from
    one side only; with ``"or"`` it starts from nothing and flips all that were found.
    """
    schema = score.schema
    allowed = rules.movable | rules.required.rows
    order = list(schema.name_order)
    found = unpack(_core.blankets_apart(native_scores(score.locals), allowed, rules.max_blanket, order))
    both, either = found & found.T, found | found.T
    movable = unpack(rules.movable)
    start = UndirectedGraph.of_rows(schema, pack(both if mode == "conflict" else np.zeros_like(both)))
    start = rules.obeyed(start, strongest_pairs(score, start))
    kept = unpack(start.rows)
    toggles = pack(movable & either & ~(both & kept) if mode == "conflict" else movable & either)
    climbing = FlipRules(toggles, rules.required, rules.max_blanket, rules.treewidth)
    return WorstPairClimb().run(score.judge(toggles), start, climbing)


def pseudo_start(score: StructureScore, rules: FlipRules) -> Found:
    """The graph of the marginal pseudo-likelihood with a price for every edge."""
    return learn_apart(MarginalPseudoLikelihood(score.counter, edge_prior="sparse"), rules, "conflict")


def tree_start(score: StructureScore, rules: FlipRules) -> UndirectedGraph:
    """The best tree, less the edges that are more probably independent than not."""
    weights = np.where(unpack(rules.movable), pair_weights(score), -np.inf)
    tree = maximum_spanning_forest(score.schema, weights, threshold=0.0)
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
