"""Climbing among networks that mix states and numbers.

Discrete variables have discrete parents: with that, a conditional Gaussian network answers exactly. The rule
has directions, so equivalence classes are of no use to the search; it climbs among networks instead, moves
against the rule left out, walks on past the first summit with a memory of where it was, and begins again a
few times from a network that chance has changed a little.
"""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.errors import KnowledgeError, SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge, bind_knowledge
from treewright.learners.classes.dag_climbing import climb, draw_seed
from treewright.learners.learned import LearnedNetwork
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
    if perturbations < 0:
        raise SettingError(f"perturbations must be 0 or more; found {perturbations!r}")
    known = with_rule(bind_knowledge(knowledge, score.schema))
    settings = _core.ClimbSettings()
    settings.tabu, settings.patience, settings.perturbations = _TABU, _PATIENCE, perturbations
    settings.perturbed_share, settings.seed = _SHARE, draw_seed(rng)
    return climb(score, settings, known, start, max_parents=max_parents, progress=progress)


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
