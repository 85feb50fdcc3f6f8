"""Hill climbing: the general-purpose search for a network of high score.

The name is the one people look for; what climbs is the search over equivalence classes of
:mod:`~treewright.learners.classes.class_search`, which needs about as many scores as the classic climber
through single networks, ends higher and gives one answer for every order of the columns.

Classes have no place for directions that somebody knows beforehand. With such knowledge the search among
classes, restricted to the pairs that may be joined, gives the start: a member that obeys, if there is one.
From there single networks are climbed under the knowledge. A score that prefers some members of a class to
others leads among single networks as well.
"""

from __future__ import annotations

from dataclasses import replace

from treewright import _core
from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.errors import GraphError
from treewright.graphs import (
    BoundKnowledge,
    Cpdag,
    Dag,
    DagBuilder,
    Knowledge,
    Pdag,
    UndirectedGraph,
    bind_knowledge,
    find_consistent_extension,
)
from treewright.graphs.directed.cpdag import undirected_rest
from treewright.learners.classes.class_search import LearnedClass, class_search
from treewright.learners.classes.dag_climbing import check_parents, climb, learn_dag_climbing
from treewright.learners.classes.pair_schedule import adjacency
from treewright.learners.learned import LearnedNetwork, Trace, keeping
from treewright.ranges import in_range
from treewright.types import Progress


@in_range
def learn_hill_climbing(
    score: LocalScore,
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    effort: int = 2,
    max_parents: int | None = None,
    start: Cpdag | Dag | None = None,
    progress: Progress | None = None,
) -> LearnedClass:
    """Learn a network of high score by greedy search over equivalence classes.

    Parameters
    ----------
    score
        Any decomposable score. Equivalence classes are searched when it is score-equivalent, single networks
        when it is not (K2).
    knowledge
        Arcs that are required or forbidden. Forbidden pairs restrict the search over classes; directions are
        obeyed by climbing among single networks from a member of the class that was found.
    effort
        How much is looked at again: 0 nothing, 1 the surroundings of each variable among the most useful
        pairs, 2 among all pairs and once more from a second start, 3 in more ways and each edge as well.
        Each look keeps the better of two classes, so none ends below the state it begins from.
    max_parents
        No child gets more; by default the score alone decides.
    start
        Where to begin; by default the graph without edges, which is rarely beaten as a start.
    progress
        Called after each phase: its name, the steps taken since the start, and the score.

    Returns
    -------
    LearnedClass
        `structure` is the canonical member of the class (the network itself where single networks were
        climbed; it is then not certified), `cpdag` the class, `copies` the columns that the data cannot tell
        apart.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> score = tw.BIC(tw.count(table))
    >>> learned = tw.learn_hill_climbing(score)
    >>> learned.structure.n_edges, learned.cpdag.undirected_edges()
    (7, [('bronc', 'smoke'), ('lung', 'smoke')])
    >>> known = tw.Knowledge(tiers=[["smoke"], ["bronc", "lung"]])
    >>> sorted(tw.learn_hill_climbing(score, knowledge=known).structure.edges())[-3:-1]
    [('smoke', 'bronc'), ('smoke', 'lung')]
    """
    require("learn_hill_climbing", SCORE, score)
    known = bind_knowledge(knowledge, score.schema)
    check_parents(known.required_dag(), max_parents)
    if start is not None and known.is_symmetric:
        known.check(start)
    if not score.is_score_equivalent:
        begin = start.to_dag() if isinstance(start, Cpdag) else start
        return climbed(score, known, begin, max_parents=max_parents, progress=progress)
    with keeping(lambda best: obedient(score, best, known, max_parents)):
        found = class_search(
            score,
            effort=effort,
            allow=known.allowed_pairs,
            max_parents=max_parents,
            start=start,
            mentions=known.mentions,
            progress=progress,
        )
    return obey_directions(score, found, known, max_parents=max_parents, progress=progress)


def obey_directions(
    score: LocalScore,
    found: LearnedClass,
    known: BoundKnowledge,
    *,
    max_parents: int | None,
    progress: Progress | None,
) -> LearnedClass:
    """The class as it is, or, where directions are known, a network that climbing finds from there."""
    if known.is_symmetric:
        known.check(found.structure)
        return found
    member = obedient_member(found.cpdag, known, max_parents)
    return climbed(score, known, member, before=found, max_parents=max_parents, progress=progress)


def obedient(
    score: LocalScore, best: LearnedClass | None, known: BoundKnowledge, max_parents: int | None
) -> LearnedClass | None:
    """What an interrupted search has found, if there is a member that obeys."""
    if best is None or known.obeyed_by(best.structure):
        return best
    member = obedient_member(best.cpdag, known, max_parents)
    if member is None:
        return None
    return replace(best, structure=known.settled(member, equivalent=True), score=score.score(member))


def climbed(
    score: LocalScore,
    known: BoundKnowledge,
    start: Dag | None,
    *,
    max_parents: int | None,
    progress: Progress | None,
    before: LearnedClass | None = None,
) -> LearnedClass:
    """Climb among single networks; the phases come after those of the search over classes."""

    def as_class(result: LearnedNetwork[Dag]) -> LearnedClass:
        assert result.score is not None
        return LearnedClass(
            result.structure,
            Trace((*(before.trace.phases if before else ()), *result.trace.phases), result.trace.stopped_by),
            before.copies if before else (),
            certified=False,
            score=result.score,
            notes=(*(before.notes if before else ()), *result.notes),
        )

    with keeping(lambda best: None if best is None else as_class(best)):
        settings = _core.ClimbSettings()
        return as_class(climb(score, settings, known, start, max_parents=max_parents, progress=progress))


def obedient_member(cpdag: Cpdag, known: BoundKnowledge, max_parents: int | None = None) -> Dag | None:
    """The member of a class that obeys, with required arcs added that it lacks; None when there is none.

    Examples
    --------
    >>> from treewright.graphs import Knowledge
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> known = Knowledge(required=[("b", "a")]).on(schema)
    >>> obedient_member(Cpdag.of(Dag(schema, [("a", "b")])), known).edges()
    [('b', 'a')]
    >>> obedient_member(Cpdag.empty(schema), known).edges()
    [('b', 'a')]
    >>> obedient_member(Cpdag.of(Dag(schema, [("a", "b"), ("c", "b")])), known) is None
    True
    """
    directed = {*cpdag.index_directed_edges(), *known.one_way(cpdag.index_edges())}
    try:
        marks = Pdag(cpdag.schema, directed, undirected_rest(cpdag.skeleton(), directed))
    except GraphError:  # the class points an edge the other way, or the directions run in a circle
        return None
    member = find_consistent_extension(marks)
    if member is None or Cpdag.of(member) != cpdag:  # the directions made a v-structure
        return None
    return with_required_arcs(member, known, max_parents)


def with_required_arcs(dag: Dag, known: BoundKnowledge, max_parents: int | None) -> Dag | None:
    """The DAG with the required arcs it lacks; None when they do not fit."""
    builder = DagBuilder.of(dag)
    for u, v in known.required_dag().edges():
        if builder.has_arc(u, v):
            continue
        if not builder.can_add(u, v) or len(builder.parents(v)) == max_parents:
            return None
        builder.add(u, v)
    grown = builder.freeze()
    return grown if known.obeyed_by(grown) else None


def climb_obediently(
    score: LocalScore,
    cpdag: Cpdag,
    known: BoundKnowledge,
    inside: UndirectedGraph | None = None,
    max_parents: int | None = None,
) -> Dag:
    """The best DAG that climbing finds from the class under the knowledge, among the edges of `inside`."""
    if inside is not None:
        allowed = known.allowed & adjacency(inside)
        known = BoundKnowledge(known.schema, allowed, known.required.copy())
    start = obedient_member(cpdag, known, max_parents)
    return learn_dag_climbing(score, knowledge=known, start=start, max_parents=max_parents).structure
