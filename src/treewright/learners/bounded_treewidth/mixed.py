"""Networks of states and numbers whose strong treewidth is bounded, with the proof.

Exact answers about numbers among states eliminate numbers first (Lauritzen 1992), so what has to stay
narrow is the graph in which the states around numbers that hang together are joined. The states come first,
by the search under a bound for tables. Then the numbers choose their parents, and at last all arcs may
change: climbs that make no move for which no elimination order within the bound is found, and hand on the
order of where they were best.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.arguments import SCORE, require
from treewright.criteria.scores.mixed_scores import MixedBIC
from treewright.criteria.scores.score import LocalScore
from treewright.errors import TreewidthError
from treewright.graphs import BoundKnowledge, Dag, JunctionTree, Knowledge, bind_knowledge, fits
from treewright.graphs.undirected.strong import build_strong_graph, triangulate_strongly, which_numbers
from treewright.learners.bounded_treewidth.certified import Certified
from treewright.learners.bounded_treewidth.default_search import learn_bounded_treewidth
from treewright.learners.bounded_treewidth.growth import check_bounds
from treewright.learners.classes.dag_climbing import ClimbedWithin, climb
from treewright.learners.classes.mixed_climbing import (
    climb_settings,
    only_among,
    with_rule,
    with_states_fixed,
)
from treewright.learners.learned import LearnedNetwork, Phase, Trace, keeping
from treewright.ranges import in_range
from treewright.types import Progress


@in_range
def learn_bounded_mixed(
    score: LocalScore,
    *,
    treewidth: int,
    knowledge: Knowledge | BoundKnowledge | None = None,
    max_parents: int | None = None,
    perturbations: int = 4,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> Certified:
    """Learn a network of discrete and continuous variables whose strong treewidth is bounded.

    Parameters
    ----------
    score
        Of a mixed table: :class:`~treewright.criteria.MixedBIC`, or any that judges such families.
    treewidth
        The bound: eliminating numbers first and then states joins no more than `treewidth` + 1 variables.
    knowledge
        Arcs that are required or forbidden, beside the rule that no number is above a state.
    max_parents
        No child gets more; the bound is one anyway.
    perturbations
        Times in a row that the climb begins again from a changed network without a new best.
    rng
        Draws these changes; by default a generator seeded with 0.
    progress
        Called now and then with the steps made and the score.

    Returns
    -------
    Certified
        The best network met, and the junction tree of a strong elimination order within the bound.

    References
    ----------
    .. [1] Lauritzen (1992). Propagation of probabilities, means, and variances in mixed graphical association
       models. Journal of the American Statistical Association 87, 1098-1108.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> sky = rng.integers(2, size=400)
    >>> sun = 4 + 3 * sky + rng.normal(size=400)
    >>> heat = 6 + sun + 6 * sky + rng.normal(size=400)
    >>> rows = {"sky": np.where(sky, "clear", "grey"), "sun": sun, "heat": heat}
    >>> score = tw.criteria.MixedBIC(tw.statistics.mixed_moments(tw.read_table(rows)))
    >>> tw.learners.learn_mixed(score).structure.n_edges
    3
    >>> learned = tw.learners.learn_bounded_mixed(score, treewidth=1)
    >>> learned.structure.edges(), learned.certificate.clusters
    ([('heat', 'sun'), ('sky', 'heat')], (('heat', 'sky'), ('heat', 'sun')))
    """
    require("learn_bounded_mixed", SCORE, score)
    check_bounds(score.schema, treewidth, max_parents)
    known = with_rule(bind_knowledge(knowledge, score.schema))
    settings = climb_settings(perturbations, rng)
    in_order = list(score.schema.name_order)
    settings.bound_width(treewidth, which_numbers(score.schema)[in_order])
    options: dict[str, Any] = {"max_parents": max_parents, "progress": progress}
    first, fixed, phases = begin(score, treewidth, known, options)
    with keeping(lambda found: None if found is None else certified(found, known, phases)):
        found = climb(score, settings, fixed, first, **options)
    phases = (*phases, *found.trace.phases)
    settings.perturbations = 0
    with keeping(lambda later: certified(later or found, known, phases)):
        best = climb(score, settings, known, found.structure, **options)
    return certified(best, known, phases)


def begin(
    score: LocalScore, treewidth: int, known: BoundKnowledge, options: dict[str, Any]
) -> tuple[Dag, BoundKnowledge, tuple[Phase, ...]]:
    """Where the numbers begin to choose, what they may, and what led there: the arcs among states stay."""
    required = known.required_dag()
    if fits(build_strong_graph(required.moral_graph()), treewidth) is None:
        raise TreewidthError(
            f"treewidth={treewidth} is too narrow for the arcs that the knowledge requires; allow a wider "
            "network or require fewer arcs"
        )
    states = score.states if isinstance(score, MixedBIC) else None
    if states is None:
        return required, known, ()
    among = learn_bounded_treewidth(
        states, treewidth=treewidth, knowledge=only_among(known, states.schema), **options
    )
    arcs = among.structure.edges()
    first = Dag(score.schema, [*arcs, *((u, v) for u, v in required.edges() if v not in states.schema)])
    if fits(build_strong_graph(first.moral_graph()), treewidth) is None:  # with what is required of numbers
        return required, known, among.trace.phases
    return first, with_states_fixed(known, arcs), among.trace.phases


def certified(found: LearnedNetwork[Dag], known: BoundKnowledge, before: tuple[Phase, ...]) -> Certified:
    """The network with its proof: what its elimination order joins, numbers first."""
    assert isinstance(found, ClimbedWithin)
    cover = triangulate_strongly(found.structure.moral_graph(), found.order)
    return Certified(
        known.settled(Dag(found.structure.schema, found.structure.edges())),
        Trace((*before, *found.trace.phases), found.trace.stopped_by),
        certificate=JunctionTree.of(cover),
        score=found.score,
        notes=found.notes,
        iterations=(),
    )
