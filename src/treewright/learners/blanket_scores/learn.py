"""Learn a Markov network structure by a score of its blankets.

The structure of a Markov network is the collection of its blankets: who has to be known for the rest to be
irrelevant. A score judges all blankets of a graph from data, and a search flips edges. The search ``"auto"``
takes the graph of the marginal pseudo-likelihood as start and walks from there by the worst pair.

Departures: ties are broken by names where the paper leaves them open, and ``"auto"`` is none of the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from treewright.arguments import GRAPH_SCORE, require
from treewright.criteria import (
    BlanketsJointPosterior,
    IndependenceBasedScore,
    MarginalPseudoLikelihood,
    StructureScore,
)
from treewright.criteria.graph_scores.marginal_pseudo_likelihood import aligned
from treewright.errors import SettingError, nearest
from treewright.graphs import BoundKnowledge, JunctionTree, Knowledge, UndirectedGraph
from treewright.graphs.undirected.triangulation import eliminate, fits, triangulate_narrowly
from treewright.learners.blanket_scores.searches import (
    ExhaustiveSearch,
    FlippedEdge,
    FlipRules,
    Found,
    LearnedGraph,
    Search,
    WorstPairClimb,
    WorstPairTabu,
    WorstPairWalk,
)
from treewright.learners.blanket_scores.starts import (
    Conflicts,
    is_even,
    learn_apart,
    may_be_even,
    pseudo_start,
    tree_start,
)
from treewright.learners.learned import TraceBuilder, keeping
from treewright.ranges import in_range
from treewright.types import Progress, Scope, Step

Start = Literal["empty", "chow-liu", "mpl"]
SEARCHES: dict[str, Search] = {
    "exhaustive": ExhaustiveSearch(),
    "ibmap": WorstPairClimb(),
    "walk": WorstPairWalk(stall=15),
    "tabu": WorstPairTabu(),
}
NAMED = ("auto", "fast", *SEARCHES, "three-phase")
STARTS = ("empty", "chow-liu", "mpl")
NOT_BEFORE = "the search has a graph only once its start is found"
EVENLY = "neighbours are spread evenly here, so the independence-based score took over"


@dataclass(frozen=True)
class ThreePhases:
    """The learner of the marginal pseudo-likelihood: blankets alone, then what they agree on, then a climb.

    Parameters
    ----------
    mode
        ``"conflict"``: start from the pairs that found each other and settle the others; ``"or"``: start from
        nothing and climb over all pairs that were found.

    Examples
    --------
    >>> ThreePhases()
    ThreePhases(mode='conflict')
    """

    mode: Conflicts = "conflict"

    def __post_init__(self) -> None:
        if self.mode not in ("conflict", "or"):
            raise SettingError(f"mode is 'conflict' or 'or'; found {self.mode!r}")


@in_range
def learn_blankets(
    score: StructureScore,
    search: str | Search | ThreePhases = "auto",
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    treewidth: int | None = None,
    max_blanket: int | None = None,
    start: Start | UndirectedGraph | None = None,
    progress: Progress | None = None,
) -> LearnedGraph:
    """Learn an undirected graph by a score of blankets.

    Parameters
    ----------
    score
        :class:`~treewright.BlanketsJointPosterior`, :class:`~treewright.IndependenceBasedScore` or
        :class:`~treewright.MarginalPseudoLikelihood`.
    search
        ``"auto"``: settings that the score leaves open are chosen, and the worst-pair walk sets out from the
        graph of the marginal pseudo-likelihood (for which its own learner is used). For the joint posterior,
        a graph whose neighbours turn out to be spread evenly, or to be neighbours of each other, is given up
        for that of the independence-based score; `criterion` of the result says so. ``"fast"``: one walk from
        the best tree. Or ``"ibmap"`` (the published hill climbing), ``"walk"``, ``"tabu"``,
        ``"exhaustive"`` (up to six variables), ``"three-phase"`` (marginal pseudo-likelihood only); or an
        object with settings of its own: :class:`WorstPairClimb`, :class:`WorstPairWalk`,
        :class:`WorstPairTabu`, :class:`ExhaustiveSearch` or :class:`ThreePhases`.
    knowledge
        Edges that are required (in either direction) and pairs that are forbidden in both directions.
    treewidth
        Treewidth that no graph of the search exceeds; the result carries a certificate.
    max_blanket
        Neighbours that no variable exceeds.
    start
        Where to set out: ``"empty"``, ``"chow-liu"``, ``"mpl"`` or a graph; by default what the search says,
        else ``"empty"``.
    progress
        Called with a :class:`~treewright.types.Step` when a phase begins, after each variable that looks for
        its blanket, and now and then with the flips of a search and its best score.

    References
    ----------
    .. [1] Schlüter, Strappa, Milone & Bromberg (2018). Blankets joint posterior score for learning Markov
       network structures. International Journal of Approximate Reasoning 92, 295-320.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(rows)))
    >>> ("bronc", "dysp") in learned.structure.edges()
    True
    """
    require("learn_blankets", GRAPH_SCORE, score)
    chosen = named_search(search)
    rules = FlipRules.of(score.schema, knowledge, max_blanket, treewidth)
    task = _Task(start, rules, TraceBuilder(), progress or (lambda _: None))
    if isinstance(chosen, str):
        return _automatic(score.tuned(), chosen, task)
    if not isinstance(chosen, ThreePhases):
        return _search(score, chosen, task)
    if not isinstance(score, MarginalPseudoLikelihood):
        raise SettingError(f"three phases belong to MarginalPseudoLikelihood; the score is {score!r}")
    return _three_phases(score, chosen, task)


def named_search(search: str | Search | ThreePhases) -> Search | ThreePhases | str:
    """The search of a name; "auto" and "fast", which choose for themselves, stay names."""
    if not isinstance(search, str):
        known = (WorstPairClimb, WorstPairWalk, WorstPairTabu, ExhaustiveSearch, ThreePhases)
        if not isinstance(search, known):
            types = ", ".join(one.__name__ for one in known)
            raise SettingError(f"search is a name or one of {types}; found {search!r}")
        return search
    if search not in NAMED:
        raise SettingError(f"search {search!r} is not known; searches are {nearest(search, NAMED)}")
    return ThreePhases() if search == "three-phase" else SEARCHES.get(search, search)


@dataclass(frozen=True)
class _Task:
    """What every search gets to work with."""

    start: Start | UndirectedGraph | None
    rules: FlipRules
    trace: TraceBuilder
    say: Progress
    proof: Scope = ()  # an elimination order of a start of ours, where the width is bounded


def _automatic(score: StructureScore, search: str, task: _Task) -> LearnedGraph:
    if isinstance(score, MarginalPseudoLikelihood) and search == "auto":
        return _three_phases(score, ThreePhases(), task)
    start = task.start or ("mpl" if search == "auto" else "chow-liu")
    walked = _search(score, WorstPairWalk(), replace(task, start=start))
    if search == "fast" or task.start is not None or not isinstance(score, BlanketsJointPosterior):
        return walked
    with keeping(lambda _: walked):
        return _chosen(walked, task)


def _chosen(walked: LearnedGraph, task: _Task) -> LearnedGraph:
    """The walk's graph, or, where neighbours are spread evenly, that of a walk from another start."""
    if not may_be_even(walked.structure):
        return walked
    counter, edges = walked.criterion.counter, walked.structure.n_edges
    with task.trace.phase("choice") as tallies:
        task.say(Step("choice"))
        pseudo = learn_apart(MarginalPseudoLikelihood(counter), task.rules, "conflict", task.say)
        even = is_even(walked.structure, pseudo.graph)
        tallies["edges"] = pseudo.graph.n_edges if even else edges
    if not even:
        return replace(walked, trace=task.trace.build())
    other = IndependenceBasedScore(counter).tuned()
    learned = _search(other, WorstPairWalk(), replace(task, start=pseudo.graph, proof=pseudo.order))
    return replace(learned, notes=(EVENLY,))


def _search(score: StructureScore, search: Search, task: _Task) -> LearnedGraph:
    met: list[Found] = []

    def tell(flips: int, total: float) -> None:
        task.say(Step("search", flips, score=total))

    with keeping(lambda _: _learned(score, met[0], task) if met else None, NOT_BEFORE):
        with task.trace.phase("start") as tallies:
            task.say(Step("start"))
            graph, proof = start_graph(score, task.start or "empty", task.rules, task.proof, task.say)
            tallies["edges"] = graph.n_edges
        with task.trace.phase("search") as tallies:
            task.say(Step("search"))
            before = getattr(score, "n_tests", 0)
            found = search.run(score.judge(), graph, task.rules, proof, tell=tell, met=met)
            tallies["proposals"], tallies["flips"] = found.proposals, len(found.flips)
            tallies["tests"] = getattr(score, "n_tests", 0) - before
    return _learned(score, found, task)


def _three_phases(score: MarginalPseudoLikelihood, search: ThreePhases, task: _Task) -> LearnedGraph:
    if task.start is not None:
        raise SettingError(
            "the three phases find their own start; leave out start=, or take another search such as 'walk'"
        )
    met: list[Found] = []
    with (
        keeping(lambda _: _learned(score, met[0], task) if met else None, NOT_BEFORE),
        task.trace.phase("blankets") as tallies,
    ):
        task.say(Step("blankets"))
        found = learn_apart(score, task.rules, search.mode, task.say, met)
        tallies["flips"] = len(found.flips)
    return _learned(score, found, task)


def start_graph(
    score: StructureScore,
    start: Start | UndirectedGraph,
    rules: FlipRules,
    proof: Scope = (),
    tell: Progress | None = None,
) -> tuple[UndirectedGraph, Scope]:
    """The graph to set out from, and an order that proves its width, where one is known.

    A graph that was given without such an order has to obey the rules.
    """
    if isinstance(start, UndirectedGraph):
        graph = aligned(score.schema, start)
        if not proof:
            rules.check(graph, "the search was given a start")
        return graph, proof
    if start not in STARTS:
        raise SettingError(f"start is a graph or one of {', '.join(STARTS)}; found {start!r}")
    if start == "empty":
        return rules.required, ()
    if start == "chow-liu":
        return tree_start(score, rules), ()
    found = pseudo_start(score, rules, tell)
    return found.graph, found.order


def _learned(score: StructureScore, found: Found, task: _Task) -> LearnedGraph:
    schema, names = score.schema, score.schema.names
    graph, joined = found.graph, set(found.start.index_edges())
    flips = []
    for (u, v), total in zip(found.flips.tolist(), found.totals.tolist(), strict=True):
        pair = (min(u, v), max(u, v))
        joined ^= {pair}
        a, b = sorted((names[u], names[v]))
        flips.append(FlippedEdge((a, b), pair in joined, total))
    width, proof = task.rules.treewidth, None
    if width is not None:
        order = found.order or fits(graph, width)
        assert order is not None or not len(schema)  # the search judged no wider graph
        proofs = (triangulate_narrowly(graph), eliminate(graph, order or ()))  # the order may be a wide one
        proof = JunctionTree.of(min(proofs, key=lambda one: one.width))
    others = tuple(UndirectedGraph.of_rows(schema, rows) for rows in found.maximisers)
    kept = (graph, task.trace.build(), score, found.start, tuple(flips), others)
    return LearnedGraph(*kept, score=found.total, certificate=proof)
