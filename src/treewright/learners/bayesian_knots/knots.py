"""Bayesian knots: large networks from few rows.

Many variables and few rows: a score that pays for parameters alone finds useful-looking edges by chance among
the n(n - 1)/2 pairs it looks at. Zeng & Hernandez (2008) cut the variables into overlapping clusters, learn
each by itself (a *knot*) and put the knots together; that is :func:`learn_paper_knots`. The same pair pass
and the same clusters are kept here, but what decides is one search over the equivalence classes of the whole
network with a score that knows how many pairs it looked at: it makes fewer errors and counts no more tables.
Clusters are a map of the domain that the answer carries with it, and the schedule of the search: what belongs
to different clusters is counted and looked at again side by side, on as many threads as there are.

The search first joins only pairs that are useful on their own and looks at its choices again, once with edges
at half their price, since some pay only together. Then either all pairs are let in, so that at the end no
step improves (the *certificate*: about n^2 tables, as many as the passes over all pairs before it), or those
whose dependence leaves at least a weak marginal trace (the *rescue*).

How much is looked at when nobody says: more search finds a better score. Where the rows call for BDeu
(near-certain tables) a better optimum has fewer errors; where they stay with qNML, or states are seen in
groups, it may have more false edges. With few rows for many variables a second look at single edges pays.
A *filter* keeps a search away from pairs that look useful by chance, at the price of the true edges it shuts
out: it is for scores that do not know how many pairs they looked at, and for variables of very many states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Never, get_args

import numpy as np

from treewright.arguments import SCORE, STATISTICS, require, require_option
from treewright.criteria.scores.dirichlet_scores import BDeu
from treewright.criteria.scores.discrete_score import QNML
from treewright.criteria.scores.edge_prior import GroupedScore
from treewright.criteria.scores.native_scores import without_price
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.independence import one_of
from treewright.errors import SchemaError, SettingError
from treewright.graphs import BoundKnowledge, ClusteredDag, Clusters, Knowledge, bind_knowledge
from treewright.graphs.ranked import variables_by_rank
from treewright.learners.bayesian_knots.dependency_tree import Dependencies
from treewright.learners.bayesian_knots.expansion import Expansion
from treewright.learners.bayesian_knots.pipeline import clusters_in_phase, measure_in_phase
from treewright.learners.bayesian_knots.report import LearnedKnots, report_on
from treewright.learners.classes.class_search import LearnedClass, class_search
from treewright.learners.classes.hill_climbing import obedient, obey_directions
from treewright.learners.classes.pair_schedule import PairSchedule, adjacency
from treewright.learners.classes.score_choice import CountedChoice, suited_score
from treewright.learners.independence.answers import default_test
from treewright.learners.independence.skeleton import find_skeleton
from treewright.learners.learned import Trace, TraceBuilder, keeping
from treewright.ranges import in_range
from treewright.statistics.counter import Counter
from treewright.statistics.moments import Moments
from treewright.types import Matrix, Progress

Filter = Literal["pc1", "clusters", "partners"]

_CLEAR = 0.001  # pairs this dependent take part when variables are reopened
# The level of the rescue, and the stricter one above so many variables.
_RESCUE, _STRICT_RESCUE, _MANY = 0.2, 0.05, 1_000
# Up to so many rows pairs at that level take part when edges are cheaper; with more a trace is clearer.
_FEW_ROWS = 500
# Up to so many variables single edges are reopened among all pairs, above among those of a clear trace.
_FEW_VARIABLES = 100
_PC_LEVEL, _N_PARTNERS = 0.05, 5  # of the filters


@in_range
def learn_knots(
    source: Counter | Moments,
    *,
    clusters: Clusters | None = None,
    score: LocalScore | None = None,
    fast: bool = False,
    certificate: Literal["auto", "always", "never"] = "auto",
    rescue: float | None = None,
    filter: Filter | None = None,
    effort: int | None = None,
    max_parents: int | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    expansion: Expansion = "adaptive",
    progress: Progress | None = None,
    **of_paper: Never,
) -> LearnedKnots:
    """Learn a large network from few rows, with a map of its variables.

    Parameters
    ----------
    source
        Counts of discrete variables, or moments of continuous ones.
    clusters
        The map, if it is known: :func:`~treewright.learners.find_clusters` has more ways to draw it.
    score
        A score-equivalent score of the same data. By default the one that the rows choose
        (:func:`~treewright.choose_score`), where variables of many states have groups of them
        :class:`~treewright.criteria.GroupedQNML`, and for moments :class:`~treewright.GaussianBIC`; all with
        ln n nats for each edge, n the number of variables.
    fast
        Leave the certificate out: pairs with a weak marginal trace only are looked at again.
    certificate
        Whether all pairs are let in at the end: ``"auto"`` unless `fast`. That counts about as many tables as
        the passes over all pairs before it, however many variables there are.
    rescue
        The level at which a marginal dependence is a weak trace: without the certificate it lets a pair in
        after all. By default 0.2, and 0.05 above 1,000 variables; 0 lets none in.
    filter
        Which pairs may be joined at all: ``"pc1"``, those that no test with at most one variable given
        separates at 0.05 (may help with variables of very many states, where scores add false edges);
        ``"clusters"``, those that share a cluster; ``"partners"``, the five strongest partners of each
        variable. By default all pairs.
    effort
        How much is looked at again. 0: nothing. 1: the surroundings of each variable, among the pairs that
        are useful on their own. 2: also among pairs with a clear marginal trace (0.001), in three ways and
        from a second start, and among those with a weak one with edges at half their price, unless there are
        fewer than half as many rows as variables. 3: single edges at the end as well. By default 2, for BDeu
        up to 100 variables 3, and 1 without the certificate or above 1,000 variables. From 101 to 1,000
        variables, with at most twice as many rows and BDeu or qNML of states, the default also looks again at
        single edges among pairs with a clear trace.
    max_parents
        No child gets more; by default the score alone decides.
    knowledge
        Arcs that are required or forbidden.
    expansion
        How clusters come to overlap: a share of their size, or ``"adaptive"``.
    progress
        Called after each phase of the search: its name, the steps taken, and the score.

    Returns
    -------
    LearnedKnots
        `structure.clusters` is the map, `cpdag` the class, `report` says which pairs were let in, how many
        tables that took and how many edges of the result lie inside clusters.

    Notes
    -----
    Departures: what decides is one search over the whole network; knots, each learned by itself with an
    engine and then combined, as in [1]_, are :func:`~treewright.learners.learn_paper_knots`. `engine`,
    `combine` and `merge` are settings of that one and refused here.

    References
    ----------
    .. [1] Zeng & Hernandez (2008). A decomposition algorithm for learning Bayesian network structures from
       data. PAKDD, 441-453.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> network = tw.load_network("alarm")
    >>> table = network.sample(500, rng=np.random.default_rng(0))
    >>> learned = tw.learn_knots(tw.count(table))
    >>> learned.certified, tw.shd(network.dag, learned.cpdag) < 25
    (True, True)
    >>> len(learned.structure.clusters.disjoint), learned.report.inside
    (7, 1.0)
    """
    require("learn_knots", STATISTICS, source)
    require_option("learn_knots", SCORE, score=score)
    _refuse_settings_of_paper(of_paper)
    _check_settings(fast, certificate, filter)
    n = len(source.schema)
    level, trace = rescue_level(rescue, n), TraceBuilder()
    dependencies = measure_in_phase(source, trace)
    clusters = clusters_in_phase(clusters, dependencies, expansion, trace)
    known = bind_knowledge(knowledge, source.schema)
    allowed = known.allowed_pairs
    if filter is not None:
        allowed = allowed & filtered_pairs(
            filter, source=source, dependencies=dependencies, clusters=clusters, known=known, trace=trace
        )
    everything = certificate == "always" or (certificate == "auto" and not fast)
    n_rows, schedule = dependencies.n_rows, _schedule(dependencies, level, everything)
    del dependencies  # eight bytes a pair, of which the search needs a few bits
    with trace.phase("score") as tallies:
        choice = _score_of(source, score, known)
        if choice.tables:
            tallies["tables"] = choice.tables

    def knots(found: LearnedClass | None) -> LearnedKnots | None:
        best = obedient(choice.score, found, known, max_parents)
        return None if best is None else as_knots(best, clusters, trace, choice)

    with keeping(knots):
        found = class_search(
            choice.score,
            effort=suited_effort(choice.score, everything) if effort is None else effort,
            allow=allowed | known.required | known.required.T,
            schedule=replace(schedule, singly=effort is None and reopens_edges(choice.score, n_rows)),
            max_parents=max_parents,
            mentions=known.mentions,
            clusters=clusters.disjoint,
            counted=choice.counted,
            progress=progress,
        )
        found = obey_directions(choice.score, found, known, max_parents=max_parents, progress=progress)
    return as_knots(found, clusters, trace, choice)


def as_knots(
    found: LearnedClass, clusters: Clusters, trace: TraceBuilder, choice: CountedChoice
) -> LearnedKnots:
    """A class with the map of its variables, and the report of the whole work."""
    dag = ClusteredDag(found.structure.schema, found.structure.index_edges(), clusters)
    dag = dag.as_one_of(found.pattern)
    whole = Trace((*trace.build().phases, *found.trace.phases), found.trace.stopped_by)
    report = report_on(dag, whole, found.certified, choice.name)
    notes = (*found.notes, str(report))
    return LearnedKnots(
        dag,
        whole,
        report,
        found.copies,
        found.certified,
        score=found.score,
        notes=notes,
        choice=replace(choice, counted=None),
    )


def _check_settings(fast: bool, certificate: str, filter: str | None) -> None:
    one_of("certificate", certificate, ("auto", "always", "never"))
    if fast and certificate == "always":
        raise SettingError("fast=True leaves the certificate out; certificate='always' asks for it")
    if filter is not None:
        one_of("filter", filter, get_args(Filter))


def _refuse_settings_of_paper(given: Mapping[str, object]) -> None:
    """Settings of knots that are learned one by one."""
    for name in given:
        if name in ("engine", "combine", "merge"):
            raise SettingError(
                f"{name} is about knots that are learned one by one: use learners.learn_paper_knots; "
                "learn_knots searches the whole network at once"
            )
        raise TypeError(f"learn_knots() got an unexpected keyword argument {name!r}")


def _score_of(source: Counter | Moments, score: LocalScore | None, known: BoundKnowledge) -> CountedChoice:
    if score is None:
        return suited_score(source, knowledge=known)
    if score.schema.names != source.schema.names:
        raise SchemaError("the score and the counts must be of the same variables, in the same order")
    return CountedChoice(repr(score), score, {})


def _schedule(dependencies: Dependencies, level: float, everything: bool) -> PairSchedule:
    """The pairs of each stage by their marginal traces, weak ones at a level."""
    return PairSchedule(
        again=dependencies.significant(_CLEAR),
        loosely=_weak_traces(dependencies, loose_level(level, dependencies.n_rows, len(dependencies.schema))),
        then=None if everything else _weak_traces(dependencies, level),
    )


def _weak_traces(dependencies: Dependencies, level: float) -> Matrix:
    """The pairs whose dependence leaves a marginal trace; the search adds those that are useful."""
    n = len(dependencies.schema)
    return dependencies.significant(level) if level else np.zeros((n, n), dtype=np.bool_)


def suited_effort(score: LocalScore, everything: bool) -> int:
    """The effort for a score, whether `everything` is let in at the end or not."""
    n = len(score.schema)
    if not everything or n > _MANY:
        return 1
    return 3 if n <= _FEW_VARIABLES and isinstance(_of_states(score), BDeu) else 2


def reopens_edges(score: LocalScore, n_rows: float) -> bool:
    """Whether single edges are reopened before all pairs are let in: few rows for many variables."""
    n = len(score.schema)
    return n > _FEW_VARIABLES and n_rows <= 2 * n and isinstance(_of_states(score), BDeu | QNML)


def _of_states(score: LocalScore) -> LocalScore | None:
    """The score inside its prices, unless it sees states in groups."""
    return None if isinstance(score, GroupedScore) and score.groups else without_price(score)[0]


def rescue_level(rescue: float | None, n: int) -> float:
    """The level at which a marginal dependence among `n` variables is a weak trace."""
    if rescue is None:
        return _STRICT_RESCUE if n > _MANY else _RESCUE
    if not 0 <= rescue < 1:
        raise SettingError(f"rescue is a level from 0 to 1, 1 excluded, 0 for no rescue; found {rescue!r}")
    return float(rescue)


def loose_level(level: float, n_rows: float, n: int) -> float:
    """The level for edges at half their price: rows for few variables only make chance look useful."""
    return 0.0 if 2 * n_rows < n else level * min(1.0, _FEW_ROWS / max(n_rows, 1.0))


def filtered_pairs(
    name: Filter,
    *,
    source: Counter | Moments,
    dependencies: Dependencies,
    clusters: Clusters,
    known: BoundKnowledge,
    trace: TraceBuilder,
) -> Matrix:
    """The pairs that a filter lets through: a symmetric matrix in the order of the schema."""
    if name == "clusters":
        return clusters.pairs
    if name == "partners":
        return strongest_partners(dependencies, _N_PARTNERS)
    return adjacency(find_skeleton(default_test(source, _PC_LEVEL), depth=1, known=known, trace=trace).graph)


def strongest_partners(dependencies: Dependencies, n_partners: int) -> Matrix:
    """The pairs in which one variable is among the strongest partners of the other, ties by name.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.learners.bayesian_knots.dependency_tree import measure_dependencies
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 1, 1] * 9}
    >>> strongest_partners(measure_dependencies(tw.count(tw.read_table(rows))), 1).tolist()
    [[False, True, True], [True, False, False], [True, False, False]]
    """
    n = len(dependencies.schema)
    order = variables_by_rank(dependencies.schema)
    weights = dependencies.weights[:, order].copy()
    weights[order, np.arange(n)] = -1.0  # nobody is a partner of itself
    strongest = order[np.argsort(-weights, axis=1, kind="stable")[:, : min(n_partners, max(n - 1, 0))]]
    pairs = np.zeros((n, n), dtype=np.bool_)
    pairs[np.arange(n)[:, None], strongest] = True
    return np.asarray(pairs | pairs.T)
