"""Junction trees: the cliques of a chordal graph, joined where they share most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.graphs._bits import from_sets
from treewright.graphs.undirected.cluster_trees import ClusterTree
from treewright.graphs.undirected.elimination import Method
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import Triangulation, triangulate
from treewright.types import Scope


@dataclass(frozen=True, init=False)
class JunctionTree(ClusterTree):
    """A tree of the cliques of a chordal graph, ready for exact inference; a forest if the graph falls apart.

    Parameters
    ----------
    clusters
        Sets of variables, by names or indices, that together hold every variable.
    edges
        Pairs of positions in `clusters`. Raises `GraphError` if they close a cycle or if the clusters that
        hold a variable do not hang together.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcde"])
    >>> graph = UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> tree = JunctionTree.of(graph)
    >>> tree.clusters, tree.separators, tree.width
    ((('a', 'b', 'd'), ('b', 'c', 'd'), ('e',)), (('b', 'd'),), 2)
    >>> tree.connect().separators
    (('b', 'd'), ())
    """

    @classmethod
    def of(cls, shape: UndirectedGraph | Triangulation, *, method: Method = "min_fill") -> JunctionTree:
        """The tree of the cliques of a triangulation with the largest separators; components stay apart.

        A graph is triangulated by `method` first, which adds nothing to one that is chordal. Of several trees
        with equally large separators the one that joins earlier cliques is taken.
        """
        triangulation = shape if isinstance(shape, Triangulation) else triangulate(shape, method)
        return cls(triangulation.graph.schema, *spanning_cliques(triangulation, joined=False))

    def connect(self) -> JunctionTree:
        """The same forest as one tree: its parts are joined with empty separators."""
        parts = _parts(self)
        joints = [(parts[0], part) for part in parts[1:]]
        return JunctionTree(self.schema, self.cluster_scopes, [*self.edges, *joints])

    def forest(self) -> JunctionTree:
        """The same tree without the edges whose separators are empty."""
        kept = [pair for pair, shared in zip(self.edges, self.separator_scopes, strict=True) if shared]
        return JunctionTree(self.schema, self.cluster_scopes, kept)


def spanning_cliques(
    triangulation: Triangulation, *, joined: bool
) -> tuple[tuple[Scope, ...], list[tuple[int, int]]]:
    """The cliques and the maximum-weight spanning tree over them; `joined`: also by weight 0."""
    n = len(triangulation.graph.schema)
    pairs, weights = _core.join_tree(n, *from_sets(triangulation.cliques))
    kept = pairs if joined else pairs[np.asarray(weights) > 0]
    return triangulation.cliques, [(i, j) for i, j in kept.tolist()]


def _parts(tree: ClusterTree) -> list[int]:
    """The first cluster of every connected part."""
    seen: set[int] = set()
    firsts = []
    for start in range(len(tree.cluster_scopes)):
        if start in seen:
            continue
        firsts.append(start)
        seen.add(start)
        stack = [start]
        while stack:
            fresh = [other for other in tree.neighbours(stack.pop()) if other not in seen]
            seen.update(fresh)
            stack += fresh
    return firsts
