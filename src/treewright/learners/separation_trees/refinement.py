"""From data, with or without knowledge of who belongs together, to a tree of small nodes and a network.

The main algorithm of Xie, Geng & Zhao (2006): take the tree of a hypergraph, or of an estimated independence
graph; where nodes are large, estimate an independence graph inside each and take the tree of their union,
again while nodes shrink; then search inside the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal

from treewright.arguments import SCORE, TEST, require, require_option
from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.queries import as_level, one_of
from treewright.errors import SettingError
from treewright.graphs import (
    BoundKnowledge,
    DSeparationTree,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    narrow_triangulation,
    separation_tree_from_hypergraph,
    triangulate,
)
from treewright.graphs.undirected.elimination import Method
from treewright.learners.independence.skeleton import tell
from treewright.learners.learned import Trace, TraceBuilder
from treewright.learners.separation_trees.algorithm import (
    NodeColliderRule,
    check_settings,
    learn_by_separation_tree,
    refuse_torn_arcs,
)
from treewright.learners.separation_trees.audit import Legitimacy, SeparatorAudit, audited
from treewright.learners.separation_trees.independence_graph import GraphMethod, independence_graphs
from treewright.learners.separation_trees.learned_tree import LearnedSeparationTree
from treewright.learners.separation_trees.node_skeletons import Depth, LocalSearch
from treewright.tables.schema import NameOrIndex
from treewright.types import Progress, Scope

# Above this size of a node more rules for triangulating are tried.
_WIDE = 12


def learn_separation_tree(
    test: IndependenceTest,
    hyperedges: Iterable[Iterable[NameOrIndex]] | None = None,
    *,
    refine_above: int | None = 8,
    alpha_uig: float = 0.01,
    max_node: int = 20,
    graph_method: GraphMethod = "auto",
    largest_blanket: int | Literal["auto"] | None = "auto",
    triangulation: Method = "min_fill",
    local: LocalSearch = "pc",
    depth: Depth = "auto",
    collider_rule: NodeColliderRule = "contest",
    score: LocalScore | None = None,
    verify: bool = False,
    legitimacy: Legitimacy = "error",
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> LearnedSeparationTree:
    """Learn the equivalence class of a DAG by tests inside the nodes of a d-separation tree.

    Parameters
    ----------
    test
        Decides independence: a statistic at level alpha, or an oracle.
    hyperedges
        Sets of variables such that variables that influence each other directly, and parents of a common
        child, share a set. None when nothing is known: then an independence graph is estimated.
    refine_above
        Nodes larger than this are refined: an independence graph is estimated inside every node, and the tree
        of their union is taken, again while the largest node shrinks. None: never.
    alpha_uig
        Level at which independence graphs are estimated. An edge too many costs time, a missing one may cost
        true edges; with a generous one nodes are large, and tests inside them as weak as those of PC.
    max_node
        A tree of an estimated graph with a larger node is estimated again at a tenth of the level, and so on;
        `levels` of the result says so. That ends at the level divided by the number of pairs, where hardly a
        pair is joined by chance: nodes that are still larger are so for a reason, and stay.
    graph_method, largest_blanket
        How independence graphs are estimated, see :func:`estimate_independence_graph`.
    triangulation
        The elimination rule. Where it leaves a node of more than 12 variables, the narrowest of several rules
        is taken instead if it is better.
    local, depth, collider_rule, score, verify, knowledge, progress
        As for :func:`learn_by_separation_tree`. The ends of required arcs must share a hyperedge.
    legitimacy
        Whether the separators of the tree of `hyperedges` are held against the data, see
        :func:`audit_separators`: ``"error"`` raises :class:`IllegitimateHypergraph` when they contradict it,
        ``"report"`` leaves that to you (`learned.audit`), ``"skip"`` asks nothing.

    Returns
    -------
    LearnedSeparationTree
        The class, the tree, and the reason for every edge that is not there.

    References
    ----------
    .. [1] Xie, Geng & Zhao (2006). Decomposition of structural learning about directed acyclic graphs.
       Artificial Intelligence 170, 422-439. Section 4, main algorithm.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> network = tw.load_network("asia")
    >>> test = tw.GTest(tw.count(network.sample(10_000, rng=np.random.default_rng(0))), 0.01)
    >>> learned = tw.learners.learn_separation_tree(test)
    >>> sorted(learned.skeleton.edges())[:3]
    [('asia', 'tub'), ('bronc', 'dysp'), ('bronc', 'smoke')]
    >>> print(learned.why_not("lung", "xray"))
    lung and xray share no node; the tree separates them by {either}
    """
    require("learn_separation_tree", TEST, test)
    require_option("learn_separation_tree", SCORE, score=score)
    one_of("legitimacy", legitimacy, ("error", "report", "skip"))
    one_of("graph_method", graph_method, ("auto", "blankets", "inverse-covariance"))
    known = bind_knowledge(knowledge, test.schema)
    limit = None if refine_above is None else checked_size("refine_above", refine_above)
    check_settings(test, local, depth, collider_rule, score)
    planner = Planner(
        test,
        as_level(alpha_uig),
        least=alpha_uig / max(len(test.schema) * (len(test.schema) - 1) / 2, 1),
        max_node=checked_size("max_node", max_node),
        triangulation=triangulation,
        required=known.required_dag().moral_graph(),
        options={"method": graph_method, "largest": largest_blanket},
        progress=progress,
    )
    audit = None
    if hyperedges is None:
        tree = planner.estimate([tuple(range(len(test.schema)))])
    else:
        sets = [tuple(one) for one in hyperedges]
        tree = separation_tree_from_hypergraph(test.schema, sets, triangulation=triangulation)
        refuse_torn_arcs(tree, known)
        audit = planner.audit(tree, legitimacy)
    if limit is not None:
        tree = planner.refine(tree, limit)
    learned = learn_by_separation_tree(
        tree,
        test,
        local=local,
        depth=depth,
        collider_rule=collider_rule,
        score=score,
        verify=verify,
        knowledge=known,
        progress=progress,
    )
    trace = Trace((*planner.trace.build().phases, *learned.trace.phases))
    return replace(learned, trace=trace, audit=audit, levels=tuple(planner.levels))


@dataclass
class Planner:
    """Makes trees of estimated graphs, and keeps account of what that took."""

    test: IndependenceTest
    alpha: float  # falls when nodes are too large
    _: KW_ONLY
    least: float
    max_node: int
    triangulation: Method
    required: UndirectedGraph
    options: dict[str, Any]
    progress: Progress | None
    trace: TraceBuilder = field(default_factory=TraceBuilder)
    levels: list[float] = field(default_factory=list)

    def estimate(self, sets: Sequence[Scope]) -> DSeparationTree:
        """The tree of the joined graphs inside the sets, at a level that keeps its nodes small enough."""
        tell(self.progress, "independence graph")
        with self.trace.phase("independence graph") as tallies:
            graphs = independence_graphs(self.test, sets, self.alpha, **self.options)
            tree = self.tree_of(graphs.at(self.alpha))
            self.note_level()
            while tree.width + 1 > self.max_node and self.can_be_stricter():
                self.alpha /= 10
                tree = self.tree_of(graphs.at(self.alpha))
                self.note_level()
            tallies.update(tests=graphs.n_tests, nodes=len(tree.clusters), largest=tree.width + 1)
        return tree

    def can_be_stricter(self) -> bool:
        """Whether the test has a level, and chance may still have joined a pair."""
        return hasattr(self.test, "alpha") and self.alpha > self.least

    def note_level(self) -> None:
        if self.levels[-1:] != [self.alpha]:
            self.levels.append(self.alpha)

    def refine(self, tree: DSeparationTree, largest: int) -> DSeparationTree:
        """Step 3: split nodes by what is independent inside them, while the largest shrinks."""
        while tree.width + 1 > largest:
            finer = self.estimate(tree.cluster_scopes)
            if finer.width >= tree.width:
                break
            tree = finer
        return tree

    def tree_of(self, graph: UndirectedGraph) -> DSeparationTree:
        """The tree of a graph in which the ends of required arcs are joined."""
        whole = graph.with_edges(self.required.index_edges())
        cover = triangulate(whole, self.triangulation)
        if cover.width + 1 > _WIDE:
            narrow = narrow_triangulation(whole)
            cover = narrow if narrow.width < cover.width else cover
        return DSeparationTree.of(cover)

    def audit(self, tree: DSeparationTree, legitimacy: Legitimacy) -> SeparatorAudit | None:
        if legitimacy == "skip":
            return None
        tell(self.progress, "separators of the tree")
        with self.trace.phase("audit") as tallies:
            found = audited(tree, self.test, legitimacy)
            tallies["tests"] = 0 if found is None else found.n_tests
        return found


def checked_size(name: str, size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise SettingError(f"{name} must be a number of variables from 1 on; found {size!r}")
    return size
