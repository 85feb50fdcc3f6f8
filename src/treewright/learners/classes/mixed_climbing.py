"""Learning networks that mix states and numbers.

Discrete variables have discrete parents: with that, a conditional Gaussian network answers exactly, and the
search falls into two that do not disturb each other. No cycle leads through both kinds, and no family of
states knows a number. So the states come first, by a search of equivalence classes among them alone. Then the
numbers choose their parents, states and numbers: a climb among networks, since the rule has directions of
which classes know nothing. It walks on past the first summit with a memory of where it was, and begins again
a few times from a network that chance has changed a little.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.mixed_scores import MixedBIC
from treewright.criteria.scores.score import LocalScore
from treewright.errors import KnowledgeError, SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge, bind_knowledge
from treewright.learners.classes.dag_climbing import climb, draw_seed
from treewright.learners.classes.hill_climbing import learn_hill_climbing
from treewright.learners.learned import LearnedNetwork, keeping
from treewright.ranges import in_range
from treewright.tables.schema import Schema
from treewright.types import Matrix, Progress

_TABU, _PATIENCE, _SHARE = 50, 10, 0.1


@in_range
def learn_mixed(
    score: LocalScore,
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    start: Dag | None = None,
    max_parents: int | None = None,
    perturbations: int = 4,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> LearnedNetwork[Dag]:
    """Learn a network of discrete and continuous variables in which no number is above a state.

    Parameters
    ----------
    score
        Of a mixed table: :class:`~treewright.criteria.MixedBIC`, or any that judges such families.
    knowledge
        Arcs that are required or forbidden, beside the rule.
    start
        Where to begin, in accordance with both; by default the graph of the required arcs.
    max_parents
        No child gets more; by default the score alone decides.
    perturbations
        Times in a row that the search begins again from a changed network without a new best.
    rng
        Draws these changes; by default a generator seeded with 0.
    progress
        Called now and then with the steps made and the score.

    Returns
    -------
    LearnedNetwork[Dag]
        The best network met. Its pattern has arrows where the rule or the rows tell a direction.

    References
    ----------
    .. [1] Lauritzen & Wermuth (1989). Graphical models for associations between variables, some of which are
       qualitative and some quantitative. Annals of Statistics 17, 31-57.
    .. [2] Friedman (1998). The Bayesian structural EM algorithm. UAI 14, 129-138.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> sky = rng.integers(2, size=400)
    >>> sun = 4 + 3 * sky + rng.normal(size=400)
    >>> rows = {"sky": np.where(sky, "clear", "grey"), "sun": sun, "heat": 6 + sun + rng.normal(size=400)}
    >>> score = tw.criteria.MixedBIC(tw.statistics.mixed_moments(tw.read_table(rows)))
    >>> tw.learners.learn_mixed(score).structure.edges()
    [('sky', 'sun'), ('sun', 'heat')]
    """
    require("learn_mixed", SCORE, score)
    settings = climb_settings(perturbations, rng)
    known = with_rule(bind_knowledge(knowledge, score.schema))
    first = start if start is not None else known.required_dag()
    known.check(first)
    states = score.states if isinstance(score, MixedBIC) else None
    if states is None:  # one climb for all
        return climb(score, settings, known, first, max_parents=max_parents, progress=progress)
    among_states = learn_hill_climbing(
        states,
        knowledge=only_among(known, states.schema),
        start=_part_of(first, states.schema),
        max_parents=max_parents,
        progress=progress,
    )
    arcs = among_states.structure.edges()
    first = Dag(score.schema, [*arcs, *((u, v) for u, v in first.edges() if v not in states.schema)])
    fixed = with_states_fixed(known, arcs)
    with keeping(lambda found: None if found is None else settled(score, known, found, among_states)):
        found = climb(score, settings, fixed, first, max_parents=max_parents, progress=progress)
    return settled(score, known, found, among_states)


def climb_settings(perturbations: int, rng: np.random.Generator | None) -> _core.ClimbSettings:
    """A memory of networks, and changes by chance."""
    if perturbations < 0:
        raise SettingError(f"perturbations must be 0 or more; found {perturbations!r}")
    settings = _core.ClimbSettings()
    settings.tabu, settings.patience, settings.perturbations = _TABU, _PATIENCE, perturbations
    settings.perturbed_share, settings.seed = _SHARE, draw_seed(rng)
    return settings


def settled(
    score: LocalScore, known: BoundKnowledge, found: LearnedNetwork[Dag], before: LearnedNetwork[Dag]
) -> LearnedNetwork[Dag]:
    """The network with the pattern that rule, knowledge and rows leave, and the trace of both searches."""
    dag = known.settled(Dag(score.schema, found.structure.edges()), equivalent=score.is_score_equivalent)
    trace = replace(found.trace, phases=(*before.trace.phases, *found.trace.phases))
    return LearnedNetwork(dag, trace, score=score.score(dag), notes=found.notes)


def only_among(known: BoundKnowledge, schema: Schema) -> BoundKnowledge:
    """What is known about some of the variables."""
    at = np.ix_(*[known.schema.scope(schema.names)] * 2)
    return BoundKnowledge(schema, known.allowed[at].copy(), known.required[at].copy())


def with_states_fixed(known: BoundKnowledge, arcs: list[tuple[str, str]]) -> BoundKnowledge:
    """The arcs among discrete variables are these, and stay."""
    is_discrete = np.array([variable.is_discrete for variable in known.schema], dtype=np.bool_)
    allowed, required = known.allowed & ~np.outer(is_discrete, is_discrete), known.required.copy()
    for tail, head in arcs:
        at = known.schema.index(tail), known.schema.index(head)
        allowed[at] = required[at] = True
    return BoundKnowledge(known.schema, allowed, required)


def _part_of(dag: Dag, schema: Schema) -> Dag:
    return Dag(schema, [(u, v) for u, v in dag.edges() if v in schema])


def with_rule(known: BoundKnowledge) -> BoundKnowledge:
    """What is known, and that no continuous variable is a parent of a discrete one."""
    schema, banned = known.schema, numbers_above_states(known.schema)
    against = np.argwhere(known.required & banned)
    if len(against):
        tail, head = (schema.names[v] for v in against[0].tolist())
        raise KnowledgeError(
            f"the knowledge requires {tail} -> {head}, and in a mixed network no continuous variable is a "
            f"parent of a discrete one: cut {tail!r} with bins=, or require the arc the other way"
        )
    return BoundKnowledge(schema, known.allowed & ~banned, known.required.copy())


def numbers_above_states(schema: Schema) -> Matrix:
    """The arcs [from, to] that lead from a number to a state."""
    is_discrete = np.array([variable.is_discrete for variable in schema], dtype=np.bool_)
    return np.outer(~is_discrete, is_discrete)
