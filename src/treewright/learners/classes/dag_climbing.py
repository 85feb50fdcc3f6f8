"""Climbing among directed acyclic graphs: add, remove or turn the arc that gains most.

The oldest search for networks, and the one that takes every kind of knowledge: whatever a move may not do is
left out. Its weak point are ties. A score-equivalent score cannot tell a -> b from b -> a while nothing else
is known of a and b, and a choice made early is hard to undo: climbers that let the column order decide are
good on benchmarks whose columns happen to be sorted, and poor on others. Here the tie goes to the end where a
further parent would gain by it, the beginning of a v-structure, and then to names; the columns may come in
any order. Where knowledge has no directions, :func:`~treewright.learn_hill_climbing` searches equivalence
classes instead, which has no such ties at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge, bind_knowledge
from treewright.graphs.edges import as_array, as_pairs, resolve_pairs
from treewright.graphs.ranked import rank_matrix, rank_pairs, unrank_pairs, variables_by_rank
from treewright.learners.learned import LearnedNetwork, TraceBuilder, keeping, notes_on
from treewright.ranges import in_range
from treewright.types import Progress, Scope, Step

Ties = Literal["look-ahead", "names"]
_BARREN_ROUNDS = 5  # batches of covered reversals that may bring nothing


@in_range
def learn_dag_climbing(
    score: LocalScore,
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    start: Dag | None = None,
    ties: Ties = "look-ahead",
    covered_reversals: bool = False,
    max_parents: int | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> LearnedNetwork[Dag]:
    """Climb to a graph that no single arc added, removed or turned improves.

    Parameters
    ----------
    score
        Any decomposable score.
    knowledge
        Arcs that are required or forbidden: moves against it are left out.
    start
        Where to begin, in accordance with the knowledge; by default the graph of the required arcs.
    ties
        Among moves of equal gain: "look-ahead" draws the arc towards the end where a further parent would
        gain most by it, "names" takes the first child and parent by name.
    covered_reversals
        Between moves, turn randomly drawn arcs that are covered [1]_. That leaves the score as it is, and
        leads out of dead ends. The score must be score-equivalent.
    max_parents
        No child gets more; by default the score alone decides.
    rng
        Draws the arcs of `covered_reversals`; by default a generator seeded with 0.
    progress
        Called now and then with the steps made and the score.

    Returns
    -------
    LearnedNetwork[Dag]
        A local optimum. The trace tells the steps, the ties among them and the families scored.

    References
    ----------
    .. [1] Castelo & Kocka (2003). On inclusion-driven learning of Bayesian networks. Journal of Machine
       Learning Research 4, 527-574.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9})
    >>> score = tw.BIC(tw.count(table))
    >>> tw.learners.learn_dag_climbing(score).structure.edges()
    [('b', 'a')]
    >>> known = tw.Knowledge(tiers=[["a"], ["b", "c"]])
    >>> tw.learners.learn_dag_climbing(score, knowledge=known).structure.edges()
    [('a', 'b')]
    """
    require("learn_dag_climbing", SCORE, score)
    settings = _core.ClimbSettings()
    if covered_reversals:
        if not score.is_score_equivalent:
            raise SettingError(
                f"covered reversals keep a score that is score-equivalent; {type(score).__name__} is not"
            )
        settings.covered_tries = (len(score.schema) + 1) // 2
        settings.covered_rounds = _BARREN_ROUNDS
        settings.seed = draw_seed(rng)
    return climb(score, settings, knowledge, start, ties=ties, max_parents=max_parents, progress=progress)


@in_range
def learn_tabu(
    score: LocalScore,
    *,
    structures: int = 10,
    patience: int = 10,
    knowledge: Knowledge | BoundKnowledge | None = None,
    start: Dag | None = None,
    ties: Ties = "look-ahead",
    max_parents: int | None = None,
    progress: Progress | None = None,
) -> LearnedNetwork[Dag]:
    """Climb, then walk on by the best move that leads to none of the last structures (Glover 1989).

    Parameters
    ----------
    structures
        How many structures are remembered.
    patience
        Steps without a new best before the search ends.
    score, knowledge, start, ties, max_parents, progress
        As for :func:`learn_dag_climbing`.

    Returns
    -------
    LearnedNetwork[Dag]
        The best graph met.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9})
    >>> learned = tw.learners.learn_tabu(tw.BIC(tw.count(table)), patience=3)
    >>> learned.structure.n_edges, learned.trace.total("steps")
    (1, 4)
    """
    require("learn_tabu", SCORE, score)
    require_some(structures=structures, patience=patience)
    settings = _core.ClimbSettings()
    settings.tabu, settings.patience = structures, patience
    return climb(score, settings, knowledge, start, ties=ties, max_parents=max_parents, progress=progress)


@in_range
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

    What bounded methods are compared with. When walking on brings nothing for a while, some moves are made at
    random and the climb begins again. Nothing keeps the treewidth small, so exact queries on the result may
    be out of reach; its score says what a search that ignores them can get.

    Parameters
    ----------
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
    score, knowledge, start, max_parents, progress
        As for :func:`learn_dag_climbing`.

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
    require_some(tabu=tabu, patience=patience, perturbations=perturbations)
    if not 0 < perturbed_share <= 1:
        raise SettingError(f"perturbed_share must be above 0 and at most 1; found {perturbed_share!r}")
    settings = _core.ClimbSettings()
    settings.tabu, settings.patience, settings.perturbations = tabu, patience, perturbations
    settings.perturbed_share, settings.seed = perturbed_share, draw_seed(rng)
    return climb(score, settings, knowledge, start, max_parents=max_parents, progress=progress)


def require_some(**values: int) -> None:
    for name, value in values.items():
        if value < 1:
            raise SettingError(f"{name} must be 1 or more; found {value!r}")


def climb(
    score: LocalScore,
    settings: _core.ClimbSettings,
    knowledge: Knowledge | BoundKnowledge | None = None,
    start: Dag | None = None,
    *,
    ties: Ties = "look-ahead",
    max_parents: int | None = None,
    progress: Progress | None = None,
) -> LearnedNetwork[Dag]:
    """Climb natively from a start that obeys; the result is asserted to obey as well."""
    if ties not in ("look-ahead", "names"):
        raise SettingError(f"ties are broken by 'look-ahead' or by 'names'; found {ties!r}")
    settings.look_ahead = ties == "look-ahead"
    known = bind_knowledge(knowledge, score.schema)
    start = known.required_dag() if start is None else start
    known.check(start)
    check_parents(start, max_parents)
    trace = TraceBuilder()
    with trace.phase("climb") as tallies:
        native = native_scores(score)
        told = None
        if progress is not None:  # the core tells steps, and nats gained since the start
            before = score.score(start)
            told = lambda steps, gained: progress(Step("climb", steps, score=before + gained))  # noqa: E731
        kept = _core.Climb()
        with keeping(lambda _: as_learned(score, known, kept, trace) if kept.moves else None):
            if told is not None:
                told(0, 0.0)
            found = climb_natively(native, settings, known, start, kept, max_parents=max_parents, told=told)
        tallies["steps"], tallies["ties"], tallies["covered"], tallies["perturbations"] = found.tallies
        tallies["scores"] = native.tally[0]
        tallies["gain"] = found.gain
    return as_learned(score, known, found, trace)


@dataclass(frozen=True)
class ClimbedWithin(LearnedNetwork[Dag]):
    """What a climb under a bound found, and an elimination order that proves it narrow enough."""

    score: float = field(kw_only=True)
    order: Scope = field(kw_only=True)


def as_learned(
    score: LocalScore, known: BoundKnowledge, found: _core.Climb, trace: TraceBuilder
) -> LearnedNetwork[Dag]:
    dag = Dag(score.schema, unrank_pairs(score.schema, found.arcs).tolist())
    dag = known.settled(dag, equivalent=score.is_score_equivalent)
    worth, notes = score.score(dag), notes_on(score)
    if not len(found.order):
        return LearnedNetwork(dag, trace.build(), score=worth, notes=notes)
    order = tuple(variables_by_rank(score.schema)[found.order].tolist())
    return ClimbedWithin(dag, trace.build(), score=worth, notes=notes, order=order)


def climb_natively(
    native: _core.LocalScores,
    settings: _core.ClimbSettings,
    known: BoundKnowledge,
    start: Dag,
    kept: _core.Climb | None = None,
    *,
    max_parents: int | None = None,
    told: Callable[[int, float], object] | None = None,
) -> _core.Climb:
    """In the core variables are numbered by the rank of their names."""
    schema = known.schema
    arcs = as_pairs(rank_pairs(schema, resolve_pairs(schema, start.edges())))
    return _core.climb_dags(
        native,
        as_array(arcs),
        rank_matrix(schema, known.allowed),
        rank_matrix(schema, known.required),
        len(native) if max_parents is None else max_parents,
        settings,
        told,
        kept,
    )


def check_parents(start: Dag, max_parents: int | None) -> None:
    if max_parents is None:
        return
    if max_parents < 0:
        raise SettingError(f"max_parents must be 0 or more; found {max_parents!r}")
    for name in sorted(start.schema.names):
        n_parents = len(start.parents(name))
        if n_parents > max_parents:
            raise SettingError(
                f"{name!r} begins with {n_parents} parents, as its start or the knowledge has it; "
                f"max_parents is {max_parents}"
            )


def draw_seed(rng: np.random.Generator | None) -> int:
    generator = np.random.default_rng(0) if rng is None else rng
    return int(generator.integers(2**63))
