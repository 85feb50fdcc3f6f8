"""From data, with or without knowledge of who belongs together, to a tree of small nodes.

The main algorithm of Xie, Geng & Zhao (2006), up to its last step: take the tree of a hypergraph, or of an
estimated independence graph; where nodes are large, estimate an independence graph inside each and take the
tree of their union, again while nodes shrink. The search inside the nodes is `learn_by_separation_tree`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from treewright.arguments import TEST, require
from treewright.criteria import IndependenceTest
from treewright.criteria.tests.independence import as_level, one_of
from treewright.errors import KnowledgeError
from treewright.graphs import (
    BoundKnowledge,
    DSeparationTree,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    separation_tree_from_hypergraph,
    triangulate,
    triangulate_narrowly,
)
from treewright.learners.learned import Learned, TraceBuilder, tell
from treewright.learners.separation_trees.audit import Legitimacy, SeparatorAudit, audited
from treewright.learners.separation_trees.independence_graph import independence_graphs
from treewright.learners.separation_trees.settings import TreeSettings
from treewright.tables.schema import NameOrIndex
from treewright.types import Progress, Scope

# Above this size of a node more rules for triangulating are tried.
_WIDE = 12


@dataclass(frozen=True)
class FoundTree(Learned[DSeparationTree]):
    """A d-separation tree, and how it came about; :func:`learn_by_separation_tree` takes it as it is.

    Attributes
    ----------
    structure
        The tree.
    audit
        What the data say about the separators of the hypergraph, where they were asked.
    levels
        The levels at which independence graphs were estimated, the last one that of the tree; more than one
        when nodes were too large.
    """

    audit: SeparatorAudit | None = None
    levels: tuple[float, ...] = ()


def find_separation_tree(
    test: IndependenceTest,
    hyperedges: Iterable[Iterable[NameOrIndex]] | None = None,
    *,
    settings: TreeSettings = TreeSettings(),  # noqa: B008 -- frozen
    legitimacy: Legitimacy = "error",
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> FoundTree:
    """Find a d-separation tree of small nodes: of a hypergraph, or of an estimated independence graph.

    Parameters
    ----------
    test
        Decides independence: a statistic at level alpha, or an oracle.
    hyperedges
        Sets of variables such that variables that influence each other directly, and parents of a common
        child, share a set. None when nothing is known: then an independence graph is estimated.
    settings
        How graphs are estimated, and which nodes are refined.
    legitimacy
        Whether the separators of the tree of `hyperedges` are held against the data, see
        :func:`audit_separators`: ``"error"`` raises :class:`IllegitimateHypergraph` when they contradict it,
        ``"report"`` leaves that to you (`audit` of the result), ``"skip"`` asks nothing.
    knowledge
        The ends of required arcs share a node of an estimated tree; they must share a hyperedge.
    progress
        Called with a :class:`~treewright.types.Step` where a part of the work begins.

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
    >>> learned = tw.learn_by_separation_tree(tw.learners.find_separation_tree(test), test)
    >>> sorted(learned.skeleton.edges())[:3]
    [('asia', 'tub'), ('bronc', 'dysp'), ('bronc', 'smoke')]
    >>> print(learned.why_not("lung", "xray"))
    lung and xray share no node; the tree separates them by {either}
    """
    require("find_separation_tree", TEST, test)
    one_of("legitimacy", legitimacy, ("error", "report", "skip"))
    settings.check()
    known = bind_knowledge(knowledge, test.schema)
    planner = Planner(
        test, settings, known.required_dag().moral_graph(), progress, as_level(settings.alpha_uig)
    )
    audit = None
    if hyperedges is None:
        tree = planner.estimate([tuple(range(len(test.schema)))])
    else:
        sets = [tuple(one) for one in hyperedges]
        tree = separation_tree_from_hypergraph(test.schema, sets, triangulation=settings.triangulation)
        refuse_torn_arcs(tree, known)
        audit = planner.audit(tree, legitimacy)
    tree = planner.refine(tree)
    return FoundTree(tree, planner.trace.build(), audit=audit, levels=tuple(planner.levels))


@dataclass
class Planner:
    """Makes trees of estimated graphs, and keeps account of what that took."""

    test: IndependenceTest
    settings: TreeSettings
    required: UndirectedGraph
    progress: Progress | None
    alpha: float  # falls when nodes are too large
    trace: TraceBuilder = field(default_factory=TraceBuilder)
    levels: list[float] = field(default_factory=list)

    def estimate(self, sets: Sequence[Scope]) -> DSeparationTree:
        """The tree of the joined graphs inside the sets, at a level that keeps its nodes small enough."""
        tell(self.progress, "independence graph")
        with self.trace.phase("independence graph") as tallies:
            graphs = independence_graphs(
                self.test,
                sets,
                self.alpha,
                method=self.settings.graph_method,
                largest=self.settings.largest_blanket,
            )
            tree = self.tree_of(graphs.at(self.alpha))
            while tree.width + 1 > self.settings.max_node and self.can_be_stricter():
                self.alpha /= 10
                tree = self.tree_of(graphs.at(self.alpha))
            tallies.update(tests=graphs.n_tests, nodes=len(tree.clusters), largest=tree.width + 1)
        return tree

    def can_be_stricter(self) -> bool:
        """Whether the test has a level, and chance may still have joined a pair."""
        n = len(self.test.schema)
        least = self.settings.alpha_uig / max(n * (n - 1) / 2, 1)
        return hasattr(self.test, "alpha") and self.alpha > least

    def refine(self, tree: DSeparationTree) -> DSeparationTree:
        """Step 3: split nodes by what is independent inside them, while the largest shrinks."""
        while tree.width + 1 > self.settings.largest_unrefined:
            finer = self.estimate(tree.cluster_scopes)
            if finer.width >= tree.width:
                break
            tree = finer
        return tree

    def tree_of(self, graph: UndirectedGraph) -> DSeparationTree:
        """The tree of a graph in which the ends of required arcs are joined."""
        if self.levels[-1:] != [self.alpha]:
            self.levels.append(self.alpha)
        whole = graph.with_edges(self.required.index_edges())
        cover = triangulate(whole, self.settings.triangulation)
        if cover.width + 1 > _WIDE:
            narrow = triangulate_narrowly(whole)
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


def refuse_torn_arcs(tree: DSeparationTree, known: BoundKnowledge) -> None:
    """A required arc whose ends share no node can never be learned."""
    together = [frozenset(node) for node in tree.cluster_scopes]
    for u, v in known.required_dag().edges():
        ends = {known.schema.index(u), known.schema.index(v)}
        if not any(ends <= node for node in together):
            raise KnowledgeError(
                f"{u!r} -> {v!r} is required, but no node of the tree holds both: put them into one hyperedge"
            )
