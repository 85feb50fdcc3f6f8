"""The pipeline of Zeng & Hernandez (2008): learn overlapping clusters one by one and put the graphs together.

(1) Measure the dependence of all pairs, (2) cut their maximum spanning tree into stars, (3) let the stars
overlap, (4) learn a graph for each cluster, a *knot*, (5) combine the knots. Errors stay local, and the work
depends on the size of clusters, not on the number of variables.

There is no guarantee, even with perfect tests: two effects of a variable outside their cluster look adjacent,
and an edge whose ends share no cluster is lost. That makes it a fast way to a rough skeleton and to a map of
the domain. Where the answer matters more than the method, :func:`learn_knots` searches the whole network.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from treewright.arguments import SCORE, STATISTICS, TEST, require, require_option
from treewright.criteria import IndependenceTest
from treewright.criteria.scores.edge_prior import make_sparse_score
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.independence import one_of
from treewright.errors import SchemaError, SettingError
from treewright.graphs import (
    BoundKnowledge,
    ClusteredDag,
    Clusters,
    Edge,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    edge,
)
from treewright.graphs.edges import NamedArc
from treewright.learners.bayesian_knots.combination import Combined, Tie, Vote, combine_classes, combine_dags
from treewright.learners.bayesian_knots.dependency_tree import Dependencies, measure_dependencies
from treewright.learners.bayesian_knots.engines import Engine, Knot, KnotLearner, KnotSettings
from treewright.learners.bayesian_knots.expansion import Expansion, find_clusters
from treewright.learners.bayesian_knots.report import LearnedKnots, report_on
from treewright.learners.classes.pair_schedule import adjacency
from treewright.learners.independence.answers import default_test
from treewright.learners.independence.pc import obey
from treewright.learners.independence.skeleton import find_skeleton
from treewright.learners.learned import TraceBuilder, tell
from treewright.statistics.cluster import Pool
from treewright.statistics.counter import Counter
from treewright.statistics.moments import Moments
from treewright.tables.schema import Schema
from treewright.types import Arc, Progress

Combine = Literal["cpdag", "dag"]
Merge = Literal["union", "all", "verify"]


@dataclass(frozen=True)
class LearnedPaperKnots(LearnedKnots):
    """What the pipeline of knots found; the class and the map of variables are those of every `LearnedKnots`.

    Attributes
    ----------
    skeleton, knots
        The edges before directions, and the graph of each cluster.
    conflicts, turned
        Edges about whose direction knots disagreed, and arcs against which more knots had voted: another
        direction would have closed a cycle or made a v-structure.
    removed
        Edges of knots that the merge rule took out, by name.
    unobeyed
        Edges left out since the knowledge directs them, with stronger ones, round a cycle.
    n_tests
        Distinct tests, all pairs included.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = tw.learners.learn_paper_knots(tw.count(table), expansion=0.15)
    >>> [(knot.engine, knot.variables) for knot in learned.knots][1:]
    [('pc', ('bronc', 'dysp', 'smoke'))]
    >>> learned.clusters.overlaps, learned.conflicts
    (('bronc', 'smoke'), ())
    """

    skeleton: UndirectedGraph = field(kw_only=True)
    knots: tuple[Knot, ...] = field(kw_only=True)
    n_tests: int = field(kw_only=True)
    conflicts: tuple[NamedArc, ...] = ()
    turned: tuple[NamedArc, ...] = ()
    removed: tuple[NamedArc, ...] = ()
    unobeyed: tuple[NamedArc, ...] = ()


def learn_paper_knots(
    source: Counter | Moments,
    clusters: Clusters | None = None,
    *,
    engine: Engine = "pc",
    combine: Combine = "cpdag",
    merge: Merge = "union",
    expansion: Expansion = 0.5,
    settings: KnotSettings = KnotSettings(),  # noqa: B008 -- frozen
    test: IndependenceTest | None = None,
    score: LocalScore | None = None,
    rng: np.random.Generator | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> LearnedPaperKnots:
    """Learn by the decomposition of Zeng & Hernandez: clusters, a knot for each, one graph.

    Parameters
    ----------
    source, knowledge
        As in :func:`learn_knots`.
    clusters
        What to learn one by one; by default stars and their expansion (:func:`find_clusters` has more ways).
    engine
        Who learns a knot: ``"pc"``; ``"tpda"``; ``"class"``, a search over equivalence classes; ``"exact"``,
        the best network of all, for clusters of up to 14 variables (larger ones fall to the search over
        classes; `knot.engine` tells).
    combine
        ``"cpdag"``: arrows that a knot is sure of vote. ``"dag"``: the rule of the paper, without cycles. The
        better one differs between networks.
    merge
        Which edges of knots stay: ``"union"``, all (the paper); ``"all"``, those that every cluster with both
        ends has; ``"verify"``, those that no set of few neighbours in the union separates.
    expansion
        The paper's epsilon: by which share of its size a cluster grows.
    settings
        How knots are learned and put together.
    test
        Decides independence; by default the G test, for moments Fisher's z.
    score
        Of all variables, for ``"class"`` and ``"exact"``; by default :class:`~treewright.SparseQNML`, for
        moments BIC with the same price for each edge.
    rng
        For ``KnotSettings(tie="random")``.
    progress
        Called before each phase.

    Returns
    -------
    LearnedPaperKnots
        The same for any number of threads and any order of the columns.

    Notes
    -----
    Departures: clusters are disjoint before expansion, as the paper says and its procedure does not do; the
    cycle rule comes before the v-structure rule, since the order of the text closes cycles; votes replace
    chance. The paper does not print its epsilon.

    References
    ----------
    .. [1] Zeng & Hernandez (2008). A decomposition algorithm for learning Bayesian network structures from
       data. PAKDD, 441-453.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> network = tw.load_network("alarm")
    >>> table = network.sample(1_000, rng=np.random.default_rng(0))
    >>> learned = tw.learners.learn_paper_knots(tw.count(table), combine="dag")
    >>> len(learned.clusters), tw.shd(network.dag, learned.cpdag) < 30
    (5, True)
    """
    require("learn_paper_knots", STATISTICS, source)
    _check_rules(combine, merge, settings.tie)
    learner = make_learner(
        "learn_paper_knots", source, engine, settings, test=test, score=score, knowledge=knowledge
    )
    known, score, n, trace = learner.known, learner.score, len(source.schema), TraceBuilder()
    measured = measure_in_phase(source, trace)
    found = clusters_in_phase(clusters, measured, expansion, trace)
    tell(progress, f"{len(found)} knots")
    knots = learn_in_phase(learner, found, trace, getattr(source, "pool", None))
    tell(progress, "combination")
    with trace.phase("combination") as tallies:
        union = joined_by_knots(source.schema, knots, known)
        kept = merge_edges(union, knots, merge, learner)
        graph, arcs, unobeyed = obey(WeighedEdges(kept, measured), known)
        one = combine_knots(graph, knots, measured, combine, arcs=arcs, tie=settings.tie, rng=rng)
        tallies["conflicts"] = len(one.conflicts)
    dag = known.settled(ClusteredDag(source.schema, one.dag.index_edges(), found))
    by_score = repr(score) if engine in ("class", "exact") else ""
    report = report_on(dag, trace.build(), certified=False, score=by_score)
    return LearnedPaperKnots(
        structure=dag,
        trace=trace.build(),
        score=score.score(dag),
        notes=(str(report),),
        report=report,
        certified=False,
        skeleton=graph,
        knots=tuple(knots),
        n_tests=n * (n - 1) // 2 + learner.n_conditional,
        conflicts=one.conflicts,
        turned=one.turned,
        removed=tuple(sorted(set(union.edges()) - set(kept.edges()))),
        unobeyed=unobeyed,
    )


def _check_rules(combine: Combine, merge: Merge, tie: Tie) -> None:
    one_of("combine", combine, get_args(Combine))
    one_of("merge", merge, get_args(Merge))
    if tie == "random" and combine != "dag":
        raise SettingError("tie='random' is for combine='dag'; combine='cpdag' leaves equal votes open")


def make_learner(
    caller: str,
    source: Counter | Moments,
    engine: Engine,
    settings: KnotSettings,
    *,
    test: IndependenceTest | None,
    score: LocalScore | None,
    knowledge: Knowledge | BoundKnowledge | None,
) -> KnotLearner:
    """Who learns the knots, with the default test and score of the source."""
    require_option(caller, TEST, test=test)
    require_option(caller, SCORE, score=score)
    known = bind_knowledge(knowledge, source.schema)
    test = default_test(source, settings.alpha) if test is None else test
    return KnotLearner(engine, settings, test, make_sparse_score(source) if score is None else score, known)


def measure_in_phase(source: Counter | Moments, trace: TraceBuilder) -> Dependencies:
    """The pair pass, as the first phase."""
    n = len(source.schema)
    with trace.phase("dependencies") as tallies:
        tallies["tables"] = n * (n - 1) // 2
        return measure_dependencies(source)


def learn_in_phase(
    learner: KnotLearner, clusters: Clusters, trace: TraceBuilder, pool: Pool | None = None
) -> list[Knot]:
    """The knot of every cluster, as the phase that does most of the work; workers share it."""
    with trace.phase("knots") as tallies:
        knots = learner.learn_all(clusters.cluster_scopes, pool)
        tallies.update(work_of(learner, knots))
    return knots


def work_of(learner: KnotLearner, knots: Sequence[Knot]) -> dict[str, int]:
    """Distinct tests with something given, local scores, and the tables behind both."""
    n_tests, n_scores = learner.n_conditional, sum(knot.n_scores for knot in knots)
    return {"tests": n_tests, "scores": n_scores, "tables": n_tests + sum(knot.n_tables for knot in knots)}


def combine_knots(
    graph: UndirectedGraph,
    knots: Iterable[Knot],
    dependencies: Dependencies,
    combine: Combine,
    *,
    arcs: Sequence[Arc] = (),
    tie: Tie = "evidence",
    rng: np.random.Generator | None = None,
    extra: Sequence[Vote] = (),
) -> Combined:
    """Direct the edges that stay, by the votes of the knots about them."""
    schema, stays = graph.schema, set(graph.index_edges())
    votes = [
        vote
        for knot in knots
        for vote in knot.votes(schema, compelled_only=combine == "cpdag")
        if edge(vote.tail, vote.head) in stays
    ]
    votes += extra
    if combine == "cpdag":
        return combine_classes(schema, votes, stays, dependencies.weights, arcs=arcs)
    return combine_dags(schema, votes, dependencies.weights, tie=tie, rng=rng, arcs=arcs)


def clusters_in_phase(
    given: Clusters | None, measured: Dependencies, expansion: Expansion, trace: TraceBuilder
) -> Clusters:
    """The clusters that were given, if they are of these variables; else those that are found."""
    with trace.phase("clusters") as tallies:
        found = given or find_clusters(measured, expansion=expansion)
        if found.schema.names != measured.schema.names:
            raise SchemaError("the clusters and the data must be of the same variables, in the same order")
        tallies["clusters"] = len(found)
    return found


@dataclass(frozen=True)
class WeighedEdges:
    """Edges with the dependence of their ends as strength."""

    graph: UndirectedGraph
    dependencies: Dependencies

    def strength(self, u: int, v: int) -> float:
        return float(self.dependencies.weights[u, v])


def edges_of(knot: Knot, whole: Schema) -> list[Edge]:
    return [edge(whole.index(u), whole.index(v)) for u, v in knot.graph.edges()]


def joined_by_knots(schema: Schema, knots: Sequence[Knot], known: BoundKnowledge) -> UndirectedGraph:
    """The edges of all knots, and those that are required although their ends share no cluster."""
    required = [edge(u, v) for u, v in known.required_arcs()]
    return UndirectedGraph(schema, {e for knot in knots for e in edges_of(knot, schema)}.union(required))


def merge_edges(
    union: UndirectedGraph, knots: Sequence[Knot], merge: Merge, learner: KnotLearner
) -> UndirectedGraph:
    """The edges that stay: all, those that no knot with both ends disputes, or those that tests confirm."""
    if merge == "union":
        return union
    known = learner.known
    required = known.required | known.required.T
    if merge == "all":
        agreed = undisputed(union, knots)
        return UndirectedGraph(union.schema, [e for e in union.index_edges() if e in agreed or required[e]])
    within = BoundKnowledge(union.schema, adjacency(union), known.required.copy())
    return find_skeleton(learner.test.whole(), depth=learner.settings.depth, known=within).graph


def undisputed(union: UndirectedGraph, knots: Sequence[Knot]) -> set[Edge]:
    """Edges that every knot with both ends has."""
    schema = union.schema
    joined = Tally(e for knot in knots for e in edges_of(knot, schema))
    shared: Tally[Edge] = Tally()
    for knot in knots:
        scope = schema.scope(knot.variables)
        shared.update(e for e in (edge(u, v) for u, v in combinations(scope, 2)) if e in joined)
    return {e for e, n in joined.items() if n == shared[e]}
