"""Skeletons inside the nodes of a d-separation tree, and what becomes of them together.

Over a d-separation tree two variables are not adjacent exactly when no node holds both, or a node that does
also holds a set that separates them (Theorem 1 of Xie, Geng & Zhao 2006). So every node gets a skeleton of
its own, and an edge stays if no node that holds its ends takes it away. All nodes are searched in common
rounds by the core, and no question is evaluated twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import comb

import numpy as np

from treewright import _core
from treewright.criteria import IndependenceTest
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, DSeparationTree, Edge, UndirectedGraph
from treewright.graphs.ranked import ranks_by_name
from treewright.learners.classes.pair_schedule import adjacency
from treewright.learners.independence.answers import GradedTest, SharedTest
from treewright.learners.independence.skeleton import checked_depth
from treewright.learners.learned import TraceBuilder, tell
from treewright.learners.separation_trees.settings import NodeSearch
from treewright.types import Progress, Scope

# More tests than this are not asked for by an exhaustive search without a limit.
_MOST_TESTS = 10**8


@dataclass(frozen=True)
class NodeSkeletons:
    """The joined skeleton of the nodes of a tree, and the finished search in the core that knows the rest.

    `graph` has the pairs that share a node and that no node separated; `separations`, for every pair that was
    separated, smaller name first, the sets that did it, each with its p-value and the number of its node (the
    number of nodes for a set found outside them), the smallest set first, ties by name.
    """

    tree: DSeparationTree
    graph: UndirectedGraph
    separations: dict[Edge, list[tuple[Scope, float, int]]]
    search: _core.NodeSkeletons
    answers: _core.PartAnswers

    def strength(self, u: int, v: int) -> float:
        """How strongly two variables of one node depend on each other with nothing given."""
        return self.search.strength(u, v)

    def local_skeleton(self, node: int) -> UndirectedGraph:
        """What one node alone says."""
        return UndirectedGraph(self.graph.schema, self.search.local_edges(node))


def find_node_skeletons(
    tree: DSeparationTree,
    test: IndependenceTest,
    *,
    search: NodeSearch = NodeSearch(),  # noqa: B008 -- frozen
    known: BoundKnowledge | None = None,
    trace: TraceBuilder | None = None,
    progress: Progress | None = None,
) -> NodeSkeletons:
    """Search every node level by level, and join the results; the trace gets a phase for each level.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> truth = tw.Dag(schema, [("a", "b"), ("b", "c"), ("c", "d")])
    >>> tree = tw.separation_tree_from_hypergraph(schema, ["abc", "cd"])
    >>> found = find_node_skeletons(tree, tw.DSeparationOracle(truth))
    >>> found.graph.edges(), found.separations
    ([('a', 'b'), ('b', 'c'), ('c', 'd')], {(0, 2): [((1,), 1.0, 0)]})
    """
    schema, trace = tree.schema, trace or TraceBuilder()
    n, depth, exhaustive = len(schema), chosen_depth(search, test), search.local == "exhaustive"
    if exhaustive:
        refuse_too_many(tree, depth)
    possible = np.ones((n, n), dtype=bool) if known is None else known.allowed_pairs
    certain = np.zeros((n, n), dtype=bool) if known is None else known.required | known.required.T
    rank = ranks_by_name(schema)
    answers = SharedTest(test).whole().native_answers()
    nodes = _core.NodeSkeletons(rank, tree.cluster_scopes, possible, certain, exhaustive)
    settle_levels(nodes, answers, depth, "level", trace=trace, progress=progress)
    if search.verify:
        whole = adjacency(UndirectedGraph(schema, nodes.edges()))
        again = _core.SkeletonSearch(rank, whole, certain, "strong", True)
        settle_levels(again, answers, depth, "verify", trace=trace, progress=progress)
        for u, v, given in again.separators():
            nodes.part(u, v, given)
    graph = UndirectedGraph(schema, nodes.edges())
    return NodeSkeletons(tree, graph, collect(tree, nodes, answers), nodes, answers)


def settle_levels(
    search: _core.NodeSkeletons | _core.SkeletonSearch,
    answers: _core.PartAnswers,
    depth: int | None,
    name: str,
    *,
    trace: TraceBuilder,
    progress: Progress | None,
) -> None:
    """Separators of size 0, 1, 2, ... until the depth is reached or no pair has so many candidates."""
    for level in count() if depth is None else range(depth + 1):
        if level > 0 and not search.has_candidates(level):
            break
        tell(progress, f"{name}: separators of size {level}", level, depth)
        with trace.phase(f"{name} {level}") as tallies:
            before = answers.n_evaluated
            pairs, tests, removed = search.settle(level, answers)
            tallies.update(pairs=pairs, tests=tests, removed=removed)
            tallies["evaluated"] = answers.n_evaluated - before


def collect(
    tree: DSeparationTree, search: _core.NodeSkeletons, answers: _core.PartAnswers
) -> dict[Edge, list[tuple[Scope, float, int]]]:
    """The separators of all nodes by pair, in the order of names; every p-value is known by now."""
    names, rank = tree.schema.names, tree.schema.name_ranks
    found = search.separators()
    p_values = answers.separation([(u, v, given) for _, u, v, given in found]).tolist()
    by_pair: dict[Edge, list[tuple[Scope, float, int]]] = {}
    for (node, u, v, given), p_value in zip(found, p_values, strict=True):
        by_pair.setdefault((u, v), []).append((tree.schema.by_name(given), p_value, node))
    nodes = [*tree.clusters, ()]
    for sets in by_pair.values():
        sets.sort(key=lambda one: (len(one[0]), [names[w] for w in one[0]], nodes[one[2]]))
    return dict(sorted(by_pair.items(), key=lambda item: (rank[item[0][0]], rank[item[0][1]])))


def chosen_depth(search: NodeSearch, test: IndependenceTest) -> int | None:
    """Tests of data remove few edges beyond size 3, and those wrongly; exact answers need every size."""
    if search.depth == "auto":
        return 3 if search.local == "pc" and isinstance(test, GradedTest) else None
    return None if search.depth is None else checked_depth(search.depth)


def refuse_too_many(tree: DSeparationTree, depth: int | None) -> None:
    """An exhaustive search doubles with each variable of a node: say so before it begins."""

    def tests(m: int) -> int:
        deepest = m - 2 if depth is None else min(depth, m - 2)
        return comb(m, 2) * sum(comb(m - 2, k) for k in range(deepest + 1))

    total = sum(tests(len(node)) for node in tree.cluster_scopes if len(node) > 1)
    if total > _MOST_TESTS:
        raise SettingError(
            f"an exhaustive search of nodes with up to {tree.width + 1} variables may ask {total:,} tests; "
            "use local='pc', a limit depth=, or a tree of smaller nodes"
        )
