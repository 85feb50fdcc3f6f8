"""PC: the equivalence class of a DAG from independence tests.

Spirtes & Glymour (1991), in the order-independent form of Colombo & Maathuis (2014): (1) find the skeleton,
with a separator of every pair not joined, (2) point the edges of unshielded triples whose middle is in no
separator of its ends, (3) direct what follows by Meek's rules. With exact answers the result is the class of
the true DAG. With data answers contradict each other here and there; the stronger claim wins, the rest is on
record, and the result is an equivalence class all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from treewright.arguments import SCORE, TEST, require, require_option
from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.independence import one_of
from treewright.errors import SettingError
from treewright.graphs import (
    BoundKnowledge,
    Collider,
    Dag,
    DagBuilder,
    Knowledge,
    Pdag,
    UndirectedGraph,
    bind_knowledge,
    orient_consistently,
)
from treewright.graphs.directed.orientation import NamedCollider, Orientation
from treewright.graphs.edges import NamedArc
from treewright.learners.classes.class_search import class_search
from treewright.learners.classes.hill_climbing import climb_obediently
from treewright.learners.classes.mixed_climbing import with_rule
from treewright.learners.independence.collider_rules import ColliderRule, claim_colliders
from treewright.learners.independence.functional import Functional, functional_columns, remarks_on_functional
from treewright.learners.independence.skeleton import NamedSeparators, Skeleton, Weighed, find_skeleton
from treewright.learners.learned import LearnedPattern, TraceBuilder, keeping, keeping_nothing, tell
from treewright.ranges import in_range
from treewright.tables.schema import Schema
from treewright.types import Arc, Progress

RULES = ("contest", "score", "majority", "conservative", "first")


@dataclass(frozen=True)
class LearnedByTests(LearnedPattern):
    """What tests found, and what had to be decided on the way; everything by name.

    Attributes
    ----------
    structure
        A :class:`~treewright.graphs.Cpdag`; with directed knowledge the :class:`~treewright.graphs.Pdag` that
        has the known directions and what follows from them.
    skeleton
        The edges that no set separated.
    separators
        For every pair that was separated, in either order, a set that did it.
    dropped
        Claims that contradict stronger ones, as triples u -> w <- v.
    added
        v-structures that nobody claimed but no DAG with this skeleton can do without.
    skipped
        Directions that Meek's rules asked for and that would have closed a cycle.
    unobeyed
        Edges left out since the knowledge directs them, with stronger ones, round a cycle.
    """

    skeleton: UndirectedGraph
    separators: Mapping[tuple[str, str], tuple[str, ...]]
    dropped: tuple[NamedCollider, ...] = ()
    added: tuple[NamedCollider, ...] = ()
    skipped: tuple[NamedArc, ...] = ()
    unobeyed: tuple[NamedArc, ...] = ()


@dataclass(frozen=True)
class LearnedPc(LearnedByTests):
    """What PC found; with ``"score"`` the structure may have fewer edges than the skeleton.

    Attributes
    ----------
    ambiguous
        Triples that the rule left open (`"majority"`, `"conservative"`).
    functional
        Columns that a separator determines, with that set: their edges may be lost, whatever the level.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9, "c": [0, 0, 0, 1] * 9}
    >>> learned = tw.learn_pc(tw.GTest(tw.count(tw.read_table(rows))))
    >>> learned.skeleton.edges(), learned.separators["a", "b"]
    ([('a', 'c'), ('b', 'c')], ())
    >>> learned.dag.edges(), learned.conflicts
    ([('a', 'c'), ('b', 'c')], ())
    """

    ambiguous: tuple[NamedCollider, ...] = ()
    functional: tuple[Functional, ...] = ()

    @property
    def conflicts(self) -> tuple[NamedCollider, ...]:
        """Triples in which the answers contradicted each other: those dropped, added or left open."""
        return (*self.dropped, *self.added, *self.ambiguous)


@in_range
def learn_pc(
    test: IndependenceTest,
    *,
    depth: int | None = 3,
    collider_rule: ColliderRule | Literal["score"] = "contest",
    score: LocalScore | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> LearnedPc:
    """Learn the equivalence class of a DAG by independence tests.

    The result does not depend on the order of the columns.

    Parameters
    ----------
    test
        Decides independence: a statistic at level alpha (0.01 is a good start), or an oracle.
    depth
        Largest separator looked for. Deeper tests of data rarely remove an edge that is wrong; an oracle
        needs None, no limit.
    collider_rule
        How separators that disagree about the middle of a triple are judged. ``"contest"``: all sets around
        the ends are tried, and the largest p-value with the middle competes with the largest one without it;
        ``"majority"`` and ``"conservative"`` count the separators; ``"first"`` looks at the first one only
        and asks no further test. ``"score"`` asks no separator: it searches the class of best score among the
        edges of the skeleton, which may leave some of them out.
    score
        For ``"score"``: a score-equivalent one, such as BIC.
    knowledge
        Arcs that are required or forbidden. A pair that is forbidden both ways is never tested; a required
        arc is never removed. Of a mixed table (:class:`~treewright.criteria.MixedTest`) it is known that no
        number is above a state.
    progress
        Called before each level of the tests, and before directions are found.

    Returns
    -------
    LearnedPc
        The class, the separators, conflicts and how they were settled; the trace counts tests by level.

    References
    ----------
    .. [1] Spirtes & Glymour (1991). An algorithm for fast recovery of sparse causal graphs. Social Science
       Computer Review 9, 62-72.
    .. [2] Colombo & Maathuis (2014). Order-independent constraint-based causal structure learning. JMLR 15,
       3741-3782.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> truth = tw.Dag(schema, [("a", "c"), ("b", "c"), ("c", "d")])
    >>> learned = tw.learn_pc(tw.DSeparationOracle(truth), depth=None)
    >>> learned.structure == tw.Cpdag.of(truth), learned.separators["a", "d"]
    (True, ('c',))
    >>> learned.structure.directed_edges()
    [('a', 'c'), ('b', 'c'), ('c', 'd')]
    """
    require("learn_pc", TEST, test)
    require_option("learn_pc", SCORE, score=score)
    one_of("collider_rule", collider_rule, RULES)
    known = bind_knowledge(knowledge, test.schema)
    if len({variable.is_discrete for variable in test.schema}) == 2:
        known = with_rule(known)
    refuse_odd_score(collider_rule, score)
    trace, settled = TraceBuilder(), list[Callable[[], Skeleton]]()
    with keeping(lambda _: by_first_separators(settled, known, trace), NOT_BEFORE):
        skeleton = find_skeleton(  # step 1
            test, depth=depth, known=known, trace=trace, progress=progress, settled=settled
        )
        settled.append(lambda: skeleton)
        functional = functional_parts(skeleton, test, trace)
        tell(progress, "directions")
        found = {
            "separators": NamedSeparators(skeleton.separators),
            "functional": functional,
            "notes": remarks_on_functional(functional),
        }
        if collider_rule == "score":
            assert score is not None
            learned = by_score(skeleton, known, score, trace, **found)
        else:
            learned = by_separators(skeleton, known, collider_rule, depth, trace, **found)
    known.check(learned.structure)
    known.check(learned.dag)
    return learned


NOT_BEFORE = "pairs that no other variable separates are known only after the tests with one given"


def by_first_separators(
    settled: list[Callable[[], Skeleton]], known: BoundKnowledge, trace: TraceBuilder
) -> LearnedPc | None:
    """What PC has when it is interrupted: the skeleton of the last level, directed without further tests."""
    if not settled:
        return None
    skeleton = settled[-1]()
    separators = NamedSeparators(skeleton.separators)
    return by_separators(skeleton, known, "first", None, trace.copy(), separators=separators)


def functional_parts(
    skeleton: Skeleton, test: IndependenceTest, trace: TraceBuilder
) -> tuple[Functional, ...]:
    """Columns that a separator determines."""
    with trace.phase("functional columns"):
        asked = [(u, v, given) for (u, v), given in skeleton.separators.members.items()]
        return functional_columns(test, asked)


def by_separators(
    skeleton: Skeleton,
    known: BoundKnowledge,
    rule: ColliderRule,
    depth: int | None,
    trace: TraceBuilder,
    **found: Any,
) -> LearnedPc:
    """Steps 2 and 3: claim colliders, and direct what follows."""
    with trace.phase("colliders") as tallies:  # step 2
        claims = claim_colliders(skeleton, rule, depth)
        tallies.update(tests=claims.n_tests, claims=len(claims.colliders))
    with trace.phase("orientation"):  # step 3
        graph, arcs, unobeyed = obey(skeleton, known)
        oriented = orient_consistently(graph, [c for c in claims.colliders if stands(graph, c)], arcs=arcs)
    found["ambiguous"] = tuple(named_triple(graph.schema, triple) for triple in claims.ambiguous)
    found |= oriented_fields(oriented)
    return LearnedPc(trace=trace.build(), skeleton=graph, unobeyed=unobeyed, **found)


def by_score(
    skeleton: Skeleton, known: BoundKnowledge, score: LocalScore, trace: TraceBuilder, **found: Any
) -> LearnedPc:
    """Steps 2 and 3 by a score: the best class inside the skeleton."""
    structure, dag = best_inside(skeleton.graph, known, score, trace)
    return LearnedPc(structure=structure, trace=trace.build(), dag=dag, skeleton=skeleton.graph, **found)


def best_inside(
    graph: UndirectedGraph, known: BoundKnowledge, score: LocalScore, trace: TraceBuilder
) -> tuple[Pdag, Dag]:
    """The class of best score among the edges of a graph, and a member that obeys."""
    with trace.phase("class search") as tallies, keeping_nothing():
        best = class_search(score, allow=graph, mentions=known.mentions)
        tallies["scores"] = best.trace.total("scores")
    with trace.phase("orientation"):
        if known.is_symmetric:
            return best.cpdag, best.structure
        with keeping_nothing():
            dag = climb_obediently(score, best.cpdag, known, inside=graph)
        return known.pattern_of(dag), dag


def refuse_odd_score(rule: str, score: LocalScore | None) -> None:
    if rule == "score" and score is None:
        raise SettingError("collider_rule='score' needs a score: pass score=, such as BIC(counter)")
    if rule != "score" and score is not None:
        raise SettingError(f"a score is for collider_rule='score'; found collider_rule={rule!r}")


def obey(skeleton: Weighed, known: BoundKnowledge) -> tuple[UndirectedGraph, list[Arc], tuple[NamedArc, ...]]:
    """The directions that the knowledge gives to edges of the skeleton.

    Required arcs come first; then edges with one direction allowed, strongest first. One that would close a
    cycle has no direction left: the edge goes, and is reported.
    """
    graph, schema = skeleton.graph, skeleton.graph.schema
    if known.is_symmetric:
        return graph, [], ()
    directed, lost = DagBuilder(schema), []
    for tail, head in forced_arcs(skeleton, known):
        if directed.can_add(tail, head):
            directed.add(tail, head)
        else:
            lost.append((tail, head))
    kept = [e for e in graph.index_edges() if e not in lost and e[::-1] not in lost]
    named = tuple((schema.names[u], schema.names[v]) for u, v in lost)
    return UndirectedGraph(schema, kept), directed.freeze().index_edges(), named


def forced_arcs(skeleton: Weighed, known: BoundKnowledge) -> list[Arc]:
    """Edges of the skeleton that may point one way only: required ones first, then by strength and name."""
    names = skeleton.graph.schema.names

    def importance(arc: Arc) -> tuple[bool, float, str, str]:
        return not known.required[arc], -skeleton.strength(*arc), names[arc[0]], names[arc[1]]

    return sorted(known.one_way(skeleton.graph.index_edges()), key=importance)


def stands(graph: UndirectedGraph, collider: Collider) -> bool:
    """Whether the edges of a claim are still there."""
    u, w, v = collider
    return graph.adjacent(u, w) and graph.adjacent(v, w)


def oriented_fields(oriented: Orientation) -> dict[str, Any]:
    """What an orientation says, under the names of :class:`LearnedByTests`."""
    names = ("dag", "dropped", "added", "skipped")
    return {"structure": oriented.graph, **{name: getattr(oriented, name) for name in names}}


def named_triple(schema: Schema, triple: Collider) -> NamedCollider:
    u, w, v = schema.names_of(triple)
    return u, w, v
