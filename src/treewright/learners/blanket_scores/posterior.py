"""How probable is an edge? A random walk over graphs that visits each by its score.

Flip a pair at random and keep the flip with the probability that makes every graph appear as often as the
exponential of its score says (Metropolis et al. 1953). The share of the steps in which two variables were
joined is the posterior probability of their edge, as far as the score is a log-posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treewright.arguments import GRAPH_SCORE, require
from treewright.criteria import StructureScore
from treewright.criteria.graph_scores.blanket_posterior import BlanketPosterior
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, Knowledge, UndirectedGraph
from treewright.learners.blanket_scores.learn import Start, start_graph
from treewright.learners.blanket_scores.searches import FlipRules
from treewright.learners.classes.bootstrap import EdgeConfidence
from treewright.ranges import in_range

# Uniform over graphs means half of all pairs joined; a prior this strong against edges undoes that.
SPARSE_PRIOR = 0.99


@dataclass(frozen=True, eq=False, repr=False)
class EdgePosterior(EdgeConfidence):
    """Edge confidence from a random walk over graphs.

    Attributes
    ----------
    acceptance
        Share of the proposed flips that were kept; near 0 the walk hardly moved.
    best
        The graph of highest score that was met.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20}))
    >>> found = tw.learners.sample_edges(tw.IndependenceBasedScore(counter), rng=np.random.default_rng(0))
    >>> found.best.edges(), 0 <= found.acceptance <= 1
    ([('a', 'b')], True)
    """

    acceptance: float
    best: UndirectedGraph


@in_range
def sample_edges(
    score: StructureScore,
    *,
    rng: np.random.Generator,
    steps: int | None = None,
    burn_in: int | None = None,
    temperature: float = 1.0,
    knowledge: Knowledge | BoundKnowledge | None = None,
    treewidth: int | None = None,
    max_blanket: int | None = None,
    start: Start | UndirectedGraph = "mpl",
) -> EdgePosterior:
    """Posterior probabilities of edges by a random walk over graphs.

    Parameters
    ----------
    score
        A score of blankets. A prior of independence that was left open becomes 0.99: with a weaker one the
        many dense graphs outweigh the few sparse ones.
    rng
        Gives one seed.
    steps
        Flips proposed after the burn-in; by default 200 for each pair.
    burn_in
        Flips proposed before that and not counted; by default a tenth of the steps.
    temperature
        The score is divided by this: above 1 the walk is less sure of itself.
    knowledge, treewidth, max_blanket
        As for :func:`~treewright.learn_blankets`.
    start
        Where the walk sets out.

    Notes
    -----
    The scores treat the claims of a graph as independent, which they are not, and misses count for more than
    the posterior says: of the pairs below 0.01 one in twenty-five was an edge in a test on drawn networks.
    Resampling (:func:`~treewright.edge_confidence` with the search ``"fast"``) was better calibrated at half
    the time; the page on blankets of the documentation has both tables.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 0, 1, 1] * 10})
    >>> score = tw.BlanketsJointPosterior(tw.count(table))
    >>> found = tw.learners.sample_edges(score, rng=np.random.default_rng(0))
    >>> found.strength("a", "b") > 0.99, found.strength("a", "c") < 0.1
    (True, True)
    """
    require("sample_edges", GRAPH_SCORE, score)
    n = len(score.schema)
    n_steps = max(1, 100 * n * (n - 1)) if steps is None else steps
    unused = n_steps // 10 if burn_in is None else burn_in
    for name, value, least in (("steps", n_steps, 1), ("burn_in", unused, 0)):
        if value < least:
            raise SettingError(f"{name} must be {least} or more; found {value!r}")
    if not (math.isfinite(temperature) and temperature > 0):
        raise SettingError(f"temperature must be a finite number above 0; found {temperature!r}")
    judged = sparse(score)
    rules = FlipRules.of(score.schema, knowledge, max_blanket, treewidth)
    from_here, _ = start_graph(judged, start, rules)
    shares, accepted, best, _ = judged.judge().sample(
        from_here.rows, rules.movable, max_blanket, treewidth,
        unused, n_steps, temperature, int(rng.integers(2**63)),
    )  # fmt: skip
    return EdgePosterior(
        score.schema,
        n_steps,
        shares * n_steps / 2,
        accepted / (n_steps + unused),
        UndirectedGraph.of_rows(score.schema, best),
    )


def sparse(score: StructureScore) -> StructureScore:
    """The score with what was left open chosen, and a prior against edges."""
    if isinstance(score, BlanketPosterior):
        prior = SPARSE_PRIOR if score.given["prior"] is None else score.given["prior"]
        return score.tuned().with_settings(prior=prior)
    return score.tuned()
