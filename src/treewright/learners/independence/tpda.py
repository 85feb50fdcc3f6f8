"""TPDA: three-phase dependency analysis.

Cheng et al. (2002) measure how much one variable tells about another, given a set, by conditional mutual
information, and go through three phases. *Drafting* joins the strongest pairs that close no cycle.
*Thickening* looks at the other dependent pairs, strongest first, and joins those that no set on the paths
between them separates. *Thinning* takes every edge off again that such a set makes superfluous, quickly
first and then thoroughly. A set shrinks by what tells least, so that few tests settle a pair: some thousands
where PC asks ten times as many.

What counts as no information is either a fixed threshold, as in the original, or what a test says. The
threshold is erratic: with few rows, or with variables of many states, chance alone exceeds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from treewright import _core
from treewright.arguments import TEST, require
from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import positive
from treewright.errors import SettingError
from treewright.graphs import (
    BoundKnowledge,
    Collider,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    find_colliders,
    orient_greedily,
)
from treewright.graphs.ranked import ranks_by_name
from treewright.learners.independence.answers import GradedTest, MeasuringTest, PartTest, SharedTest
from treewright.learners.independence.collider_rules import clearest_first
from treewright.learners.independence.pc import LearnedByTests, obey, oriented_fields, stands
from treewright.learners.independence.skeleton import NamedSeparators, Separators
from treewright.learners.learned import TraceBuilder, keeping, tell
from treewright.ranges import in_range
from treewright.types import Progress


@dataclass(frozen=True)
class LearnedTpda(LearnedByTests):
    """What TPDA found; separators are the sets that cut pairs.

    Attributes
    ----------
    n_tests
        Distinct questions that were evaluated, all pairs included.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9, "c": [0, 0, 0, 1] * 9}
    >>> learned = tw.learn_tpda(tw.GTest(tw.count(tw.read_table(rows))))
    >>> learned.skeleton.edges(), learned.separators["a", "b"], learned.n_tests
    ([('a', 'c'), ('b', 'c')], (), 3)
    """

    n_tests: int = field(kw_only=True)


@in_range
def learn_tpda(
    test: IndependenceTest,
    *,
    threshold: float | None = None,
    largest_given: int = 8,
    tolerance: float = 0.001,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> LearnedTpda:
    """Learn the equivalence class of a DAG by three-phase dependency analysis.

    The result does not depend on the order of the columns.

    Parameters
    ----------
    test
        Measures information, and decides what is none where `threshold` does not.
    threshold
        Information below this many nats is none (the original takes 0.01). By default the test decides.
    largest_given
        Of larger sets only the members that tell most about the two ends are given.
    tolerance
        The paper's e: nats that a set may gain by leaving a variable out that is not needed.
    knowledge
        Arcs that are required or forbidden. A pair that is forbidden both ways is never joined; a required
        arc is there from the start and never removed.
    progress
        Called before each phase.

    Returns
    -------
    LearnedTpda
        The class, the sets that cut pairs, and how many tests it took; the trace has them by phase.

    Notes
    -----
    Departures: sets are bounded by `largest_given`. Edges are thinned in the order in which they were found.
    Of claims about directions that contradict each other the clearer one wins, and the result is an
    equivalence class.

    References
    ----------
    .. [1] Cheng, Greiner, Kelly, Bell & Liu (2002). Learning Bayesian networks from data: an
       information-theory based approach. Artificial Intelligence 137, 43-90.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> truth = tw.Dag(schema, [("a", "c"), ("b", "c"), ("c", "d")])
    >>> learned = tw.learn_tpda(tw.DSeparationOracle(truth))
    >>> learned.structure == tw.Cpdag.of(truth), learned.separators["a", "d"]
    (True, ('c',))
    """
    require("learn_tpda", TEST, test)
    check_settings(test, threshold, largest_given, tolerance)
    known = bind_knowledge(knowledge, test.schema)
    part, trace = test if isinstance(test, PartTest) else SharedTest(test).whole(), TraceBuilder()
    before = part.shared.n_conditional
    search, cuts = start_tpda(known, threshold, largest_given, tolerance), list[CutGraph]()

    def learned(trace: TraceBuilder, n_tests: int) -> LearnedTpda:
        with trace.phase("orientation"):
            graph, arcs, unobeyed = obey(cuts[-1], known)
            claims = [c for c in claimed_colliders(cuts[-1], part, threshold) if stands(graph, c)]
            oriented = orient_greedily(graph, claims, arcs=arcs)
        known.check(oriented.graph)
        known.check(oriented.dag)
        separators = NamedSeparators(cuts[-1].separators)
        return LearnedTpda(
            **oriented_fields(oriented),
            trace=trace.build(),
            skeleton=graph,
            separators=separators,
            n_tests=n_tests,
            unobeyed=unobeyed,
        )

    def tests() -> int:
        return int(trace.build().phases[0].tallies["tests"]) + part.shared.n_conditional - before

    with keeping(lambda _: learned(trace.copy(), tests()) if cuts else None, "the draft was not drawn yet"):
        for phase in ("draft", "thicken", "thin", "thin_again"):
            # all pairs are asked once: where nobody else asks them there is nothing to remember
            answers = part.shared.answers if phase == "draft" and part is not test else part.native_answers()
            tell(progress, phase.replace("_", " "))
            with trace.phase(phase.replace("_", " ")) as tallies:
                pairs, n_tests, changed = getattr(search, phase)(answers)
                tallies.update(pairs=pairs, tests=n_tests, changed=changed)
            cuts.append(CutGraph(search, known))
        return learned(trace, tests())


class CutGraph:
    """The skeleton that the search left, with its cut sets and the information of its pairs."""

    def __init__(self, search: _core.TpdaSearch, known: BoundKnowledge) -> None:
        self.graph = UndirectedGraph(known.schema, search.edges())
        cuts = {(u, v): tuple(given) for u, v, given in search.cutsets() if given}
        self.separators = Separators(self.graph, cuts, known)
        self.search = search

    def strength(self, u: int, v: int) -> float:
        return self.search.information(u, v)


def start_tpda(
    known: BoundKnowledge, threshold: float | None, largest_given: int, tolerance: float
) -> _core.TpdaSearch:
    """Nothing joined but what is required."""
    required = known.required | known.required.T
    ranks = ranks_by_name(known.schema)
    return _core.TpdaSearch(
        ranks, known.allowed_pairs | required, required, threshold, largest_given, tolerance
    )


def claimed_colliders(found: CutGraph, part: PartTest, threshold: float | None) -> list[Collider]:
    """Triples whose middle is in no cut set of its ends; first those whose ends were cut most clearly."""
    colliders = find_colliders(found.graph, found.separators)  # by name
    answers = part.native_answers()
    clarity = answers.separation if threshold is None else lambda queries: -answers.dependence(queries)[1]
    return clearest_first(colliders, found.separators, clarity)[0]


def check_settings(
    test: IndependenceTest, threshold: float | None, largest_given: int, tolerance: float
) -> None:
    if largest_given < 1:
        raise SettingError(f"largest_given must be 1 or more; found {largest_given!r}")
    if not (np.isfinite(tolerance) and tolerance >= 0):
        raise SettingError(f"tolerance must be a number of nats from 0 on; found {tolerance!r}")
    if threshold is not None:
        positive("threshold", threshold)
        asked = test.shared.test if isinstance(test, PartTest) else test
        if isinstance(asked, GradedTest) and not isinstance(asked, MeasuringTest):
            raise SettingError(
                f"a threshold is compared with information in nats, which {type(asked).__name__} does not "
                "measure: use GTest or FisherZTest, or leave the threshold out"
            )
