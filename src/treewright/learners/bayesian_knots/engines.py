"""Learning the graph of one cluster, and those of many clusters with one memory.

A *knot* is the graph of the variables of a cluster, learned as if there were no others, by any engine: PC,
three-phase dependency analysis, the search over equivalence classes, or the exact search. Clusters are
independent work, so they are learned side by side; tests that occur in several clusters are evaluated once.
What is found does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from treewright.criteria import IndependenceTest
from treewright.criteria.scores.native_scores import restrict_score
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.independence import one_of
from treewright.errors import SchemaError, SettingError
from treewright.graphs import BoundKnowledge, Dag, Pdag
from treewright.graphs.edges import NamedArc
from treewright.learners.bayesian_knots.combination import Tie, Vote
from treewright.learners.classes.class_search import LearnedClass
from treewright.learners.classes.exact_search import LearnedExactly, learn_exact
from treewright.learners.classes.hill_climbing import learn_hill_climbing
from treewright.learners.classes.threads import each_of
from treewright.learners.independence.answers import PartTest, SharedTest
from treewright.learners.independence.pc import LearnedByTests, learn_pc
from treewright.learners.independence.tpda import learn_tpda
from treewright.learners.learned import keeping_nothing
from treewright.ranges import in_range
from treewright.statistics.cluster import Pool, each_on
from treewright.tables.schema import Schema
from treewright.types import Scope

Engine = Literal["pc", "tpda", "class", "exact"]
Part = TypeVar("Part")
Found = TypeVar("Found")

# Clusters with more variables are beyond the exact search and fall to the search over classes.
MOST_EXACT = 14


@dataclass(frozen=True)
class Knot:
    """What was learned about the variables of one cluster, as if there were no others.

    Attributes
    ----------
    graph, dag
        The equivalence class (with directed knowledge, what is known of it), and a member of it.
    engine
        Who learned it.
    evidence
        How well arrows of v-structures are supported: the p-value of the separation behind them.
    n_scores, n_tables
        Local scores asked and tables counted for them, where a score decided.
    """

    graph: Pdag
    dag: Dag
    engine: Engine
    evidence: Mapping[NamedArc, float] = field(default_factory=dict)
    n_scores: int = 0
    n_tables: int = 0

    @property
    def variables(self) -> tuple[str, ...]:
        """The cluster, by name."""
        return self.graph.schema.names

    def votes(self, whole: Schema, *, compelled_only: bool, first: bool = False) -> list[Vote]:
        """What the knot says about directions, in the variables of the whole."""
        arcs = self.graph.directed_edges() if compelled_only else self.dag.edges()
        return [Vote(whole.index(u), whole.index(v), self.evidence.get((u, v), 0.0), first) for u, v in arcs]


@in_range
@dataclass(frozen=True)
class KnotSettings:
    """How knots are learned and put together.

    Attributes
    ----------
    alpha, depth
        Level of the default test, and largest separator.
    threshold
        For engine ``"tpda"``: nats below which information is none, instead of the test.
    effort
        For engine ``"class"``, see :func:`~treewright.learners.class_search`.
    tie
        Equal votes about a direction are decided by evidence and name, or at random, which needs `rng`.
    threads
        Knots learned at the same time; by default as many as the machine has cores.
    """

    alpha: float = 0.05
    depth: int | None = 3
    threshold: float | None = None
    effort: int = 1
    tie: Tie = "evidence"
    threads: int | None = None

    def __post_init__(self) -> None:
        one_of("tie", self.tie, get_args(Tie))


class KnotLearner:
    """Learns knots of one data set; all of them ask the same test and the same score."""

    def __init__(
        self,
        engine: Engine,
        settings: KnotSettings,
        test: IndependenceTest,
        score: LocalScore,
        known: BoundKnowledge,
    ) -> None:
        one_of("engine", engine, get_args(Engine))
        if settings.threshold is not None and engine != "tpda":
            raise SettingError(f"a threshold is for engine='tpda'; found engine={engine!r}")
        for name, schema in (("test", test.schema), ("score", score.schema)):
            if schema.names != known.schema.names:
                raise SchemaError(f"the {name} and the data must be of the same variables, in the same order")
        self.engine, self.settings = engine, settings
        self.test, self.score, self.known = SharedTest(test), score, known
        self.n_elsewhere = 0  # tests with something given that workers made

    def __reduce__(self) -> tuple[Any, ...]:
        return KnotLearner, (self.engine, self.settings, self.test.test, self.score, self.known)

    @property
    def n_conditional(self) -> int:
        """Tests with something given: distinct ones here, and those of workers, who keep none for others."""
        return self.test.n_conditional + self.n_elsewhere

    def learn(self, scope: Scope) -> Knot:
        """One knot; its variables are in the order of their names."""
        known = restrict_knowledge(self.known, scope)
        engine, part = self.engine, self.test.part(scope)
        tested: LearnedByTests | None = None
        if engine == "exact" and len(scope) > MOST_EXACT:
            engine = "class"
        if engine == "pc":
            tested = learn_pc(part, depth=self.settings.depth, knowledge=known)
        elif engine == "tpda":
            tested = learn_tpda(part, threshold=self.settings.threshold, knowledge=known)
        if tested is not None:
            evidence = separation_evidence(part, tested.dag, tested.separators)
            return Knot(tested.structure, tested.dag, engine, evidence)
        score = restrict_score(self.score, scope)
        found: LearnedClass | LearnedExactly
        if engine == "exact":
            found = learn_exact(score, max_variables=MOST_EXACT, knowledge=known)
        else:
            with keeping_nothing():
                found = learn_hill_climbing(score, effort=self.settings.effort, knowledge=known)
        graph = known.pattern_of(found.structure)
        n_scores = int(found.trace.total("scores"))
        n_tables = n_scores if engine == "exact" else int(found.trace.total("tables"))
        return Knot(graph, found.structure, engine, n_scores=n_scores, n_tables=n_tables)

    def learn_all(self, scopes: Sequence[Scope], pool: Pool | None = None) -> list[Knot]:
        """Many knots, in the order asked, on several threads or by workers, one task a knot."""
        if pool is None or len(scopes) == 1:
            return side_by_side(self.learn, scopes, self.settings.threads, size=len)
        found = each_on(pool, learn_elsewhere, [(self, scope) for scope in scopes])
        self.n_elsewhere += sum(n_tests for _, n_tests in found)
        return [knot for knot, _ in found]


def learn_elsewhere(learner: KnotLearner, scope: Scope) -> tuple[Knot, int]:
    """A knot, and how many tests with something given it took."""
    return learner.learn(scope), learner.n_conditional


def restrict_knowledge(known: BoundKnowledge, scope: Scope) -> BoundKnowledge:
    """What is known about some of the variables."""
    inside = np.ix_(scope, scope)
    return BoundKnowledge(known.schema.select(scope), known.allowed[inside], known.required[inside])


def separation_evidence(
    part: PartTest, dag: Dag, separators: Mapping[tuple[str, str], tuple[str, ...]]
) -> dict[NamedArc, float]:
    """For the arrows of v-structures the largest p-value with which their outer ends are separated."""
    names, schema = dag.schema.names, part.schema
    triples = [(names[u], names[w], names[v]) for u, w, v in dag.v_structures()]
    triples = [(u, w, v) for u, w, v in triples if (u, v) in separators]
    queries = [(schema.index(u), schema.index(v), schema.scope(separators[u, v])) for u, _, v in triples]
    evidence: dict[NamedArc, float] = {}
    for (u, w, v), p in zip(triples, part.native_answers().separation(queries).tolist(), strict=True):
        for arc in ((u, w), (v, w)):
            evidence[arc] = max(evidence.get(arc, 0.0), p)
    return evidence


def side_by_side(
    learn: Callable[[Part], Found], parts: Sequence[Part], threads: int | None, *, size: Callable[[Part], int]
) -> list[Found]:
    """Apply to every part, on threads that each make native calls of their own; the largest first."""
    if threads is not None and threads < 1:
        raise SettingError(f"threads must be 1 or more; found {threads!r}")
    if len(parts) == 1:  # the threads are free for the native calls
        return [learn(parts[0])]
    order = sorted(range(len(parts)), key=lambda i: -size(parts[i]))
    found = dict(zip(order, each_of(learn, [parts[i] for i in order], threads), strict=True))
    return [found[i] for i in range(len(parts))]
