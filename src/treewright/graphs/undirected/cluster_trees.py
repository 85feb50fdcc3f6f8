"""Trees of clusters: junction trees and d-separation trees.

A cluster is a set of variables. The clusters form a tree (or a forest) with *running intersection*: the
clusters that hold a variable hang together. An edge of the tree is labelled with what its two clusters share,
the separator; an empty one joins parts that have nothing to do with each other. Running intersection is
checked when a tree is made, so whoever holds one need not check again. A *junction tree* joins the cliques of
a chordal graph where they share most; within the clusters of a *d-separation tree* a network can be learned,
one at a time.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright import _core
from treewright.arguments import SCHEMA, SHAPE, require, require_several
from treewright.errors import GraphError
from treewright.graphs._bits import find_leader, from_sets
from treewright.graphs.edges import Edge, edge
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import Method, Triangulation, triangulate
from treewright.once import cached_property
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Brief, Names, Scope


@dataclass(frozen=True)
class ClusterTree(Brief):
    """Clusters of variables in a tree or forest with running intersection.

    Attributes
    ----------
    schema
        The variables; each lies in some cluster.
    cluster_scopes
        The clusters as indices, each in the order of the names.
    edges
        Pairs of positions in `cluster_scopes`, sorted.
    """

    schema: Schema
    cluster_scopes: tuple[Scope, ...]
    edges: tuple[Edge, ...]

    def __init__(
        self, schema: Schema, clusters: Iterable[Iterable[NameOrIndex]], edges: Iterable[tuple[int, int]]
    ) -> None:
        require("ClusterTree", SCHEMA, schema)
        require_several(f"{type(self).__name__} is made of a list of clusters", clusters)
        scopes = tuple(schema.by_name(schema.scope(one)) for one in clusters)
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "cluster_scopes", scopes)
        object.__setattr__(self, "edges", tuple(sorted(edge(int(i), int(j)) for i, j in edges)))
        self._check_forest()
        self._check_running_intersection()

    @property
    def clusters(self) -> tuple[Names, ...]:
        """The clusters as names."""
        return tuple(map(self.schema.names_of, self.cluster_scopes))

    @cached_property
    def separator_scopes(self) -> tuple[Scope, ...]:
        """What the two clusters of each edge share, as indices."""
        sets = [frozenset(scope) for scope in self.cluster_scopes]
        return tuple(tuple(v for v in self.cluster_scopes[i] if v in sets[j]) for i, j in self.edges)

    @property
    def separators(self) -> tuple[Names, ...]:
        """What the two clusters of each edge share, as names."""
        return tuple(map(self.schema.names_of, self.separator_scopes))

    @property
    def width(self) -> int:
        """Size of the largest cluster less one; -1 without clusters."""
        return max(map(len, self.cluster_scopes), default=0) - 1

    def graph(self) -> UndirectedGraph:
        """The graph in which every cluster is a clique; it is chordal."""
        return join_within(self.schema, self.cluster_scopes)

    @cached_property
    def _links(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each cluster its neighbours in the tree, each with the position of the edge."""
        links: list[list[tuple[int, int]]] = [[] for _ in self.cluster_scopes]
        for k, (i, j) in enumerate(self.edges):
            links[i].append((j, k))
            links[j].append((i, k))
        return tuple(map(tuple, links))

    def neighbours(self, cluster: int) -> tuple[int, ...]:
        """Positions of the clusters next to one in the tree, rising."""
        return tuple(sorted(other for other, _ in self._links[cluster]))

    def sides(self, position: int) -> tuple[Scope, Scope]:
        """The variables on the two sides of an edge of the tree, without those of its separator, rising.

        Parts of a forest that the edge does not touch are on neither side.
        """
        i, j = self.edges[position]
        return self._side(i, position), self._side(j, position)

    def _side(self, start: int, position: int) -> Scope:
        reached = {v for node in self._beyond(start, position) for v in self.cluster_scopes[node]}
        return tuple(sorted(reached.difference(self.separator_scopes[position])))

    def _beyond(self, start: int, barred: int = -1) -> list[int]:
        """The clusters that hang together with one when an edge is cut."""
        reached, seen = [start], {start}
        for here in reached:
            for there, k in self._links[here]:
                if k != barred and there not in seen:
                    seen.add(there)
                    reached.append(there)
        return reached

    def path_separators(self, u: NameOrIndex, v: NameOrIndex) -> tuple[Names, ...]:
        """The separators on the way from the nearest cluster of `u` to the nearest one of `v`.

        Each of them separates the two variables; there is none if they share a cluster. In parts that are not
        connected the way crosses one empty separator.
        """
        a, b = self.schema.index(u), self.schema.index(v)
        start = [i for i, scope in enumerate(self.cluster_scopes) if a in scope]
        came_from: dict[int, tuple[int, int]] = dict.fromkeys(start, (-1, -1))
        queue = deque(start)
        while queue:
            here = queue.popleft()
            if b in self.cluster_scopes[here]:
                return tuple(reversed(list(self._walk_back(here, came_from))))
            for there, k in self._links[here]:
                if there not in came_from:
                    came_from[there] = (here, k)
                    queue.append(there)
        return ((),)

    def path_separator(self, u: NameOrIndex, v: NameOrIndex) -> Names | None:
        """The smallest of :meth:`path_separators`, of several the nearest to `u`; None if there is none."""
        return min(self.path_separators(u, v), key=len, default=None)

    def _walk_back(self, here: int, came_from: dict[int, tuple[int, int]]) -> Iterable[Names]:
        while came_from[here][0] >= 0:
            here, k = came_from[here]
            yield self.schema.names_of(self.separator_scopes[k])

    def _check_forest(self) -> None:
        n = len(self.cluster_scopes)
        leader = list(range(n))
        for i, j in self.edges:
            if not 0 <= i < j < n:
                raise GraphError(f"a tree edge joins two of the {n} clusters (from 0 on); found ({i}, {j})")
            first, second = find_leader(leader, i), find_leader(leader, j)
            if first == second:
                raise GraphError(
                    f"the tree edges close a cycle through {self._shown(i)} and {self._shown(j)}"
                )
            leader[first] = second

    def _check_running_intersection(self) -> None:
        """In a forest the clusters of a variable hang together iff their edges are one less than they."""
        balance = Counter(v for scope in self.cluster_scopes for v in scope)
        balance.subtract(v for separator in self.separator_scopes for v in separator)
        for v in self.schema.name_order:
            name = self.schema.names[v]
            if balance[v] == 0:
                raise GraphError(f"every variable lies in a cluster; {name!r} lies in none")
            if balance[v] > 1:
                raise GraphError(
                    f"the clusters that hold {name!r} must hang together in the tree; they are in "
                    f"{balance[v]} parts"
                )

    def _shown(self, i: int) -> str:
        return "{" + ", ".join(self.schema.names_of(self.cluster_scopes[i])) + "}"


def join_within(schema: Schema, sets: Sequence[Scope]) -> UndirectedGraph:
    """The graph in which every set is a clique."""
    return UndirectedGraph.of_rows(schema, _core.two_section(len(schema), *from_sets(sets)))


@dataclass(frozen=True, init=False)
class JunctionTree(ClusterTree):
    """A tree of the cliques of a chordal graph, ready for exact inference; a forest if the graph falls apart.

    It is made of sets of variables, by names or indices, that together hold every variable, and of pairs of
    positions in them: a `GraphError` if they close a cycle or the clusters that hold a variable do not hang
    together.

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
        require("JunctionTree.of", SHAPE, shape)
        return cls(shape.schema, *spanning_cliques(shape, method, joined=False))

    def connect(self) -> JunctionTree:
        """The same forest as one tree: its parts are joined with empty separators."""
        joints, seen = [], set(self._beyond(0)) if self.cluster_scopes else set()
        for start in range(len(self.cluster_scopes)):
            if start not in seen:
                joints.append((0, start))
                seen.update(self._beyond(start))
        return JunctionTree(self.schema, self.cluster_scopes, [*self.edges, *joints])

    def forest(self) -> JunctionTree:
        """The same tree without the edges whose separators are empty."""
        kept = [pair for pair, shared in zip(self.edges, self.separator_scopes, strict=True) if shared]
        return JunctionTree(self.schema, self.cluster_scopes, kept)


def spanning_cliques(
    shape: UndirectedGraph | Triangulation, method: Method, *, joined: bool
) -> tuple[tuple[Scope, ...], list[Edge]]:
    """Cliques and the maximum-weight spanning tree over them; `joined`: also by weight 0."""
    cover = shape if isinstance(shape, Triangulation) else triangulate(shape, method)
    pairs, weights = _core.join_tree(len(cover.schema), *from_sets(cover.cliques))
    kept = pairs if joined else pairs[np.asarray(weights) > 0]
    return cover.cliques, [(i, j) for i, j in kept.tolist()]


@dataclass(frozen=True, init=False)
class DSeparationTree(ClusterTree):
    """A tree whose separators d-separate the variables on their two sides, none of its nodes inside another.

    The constructor checks the shape; that the separators do separate follows from how the tree was made: from
    a legitimate hypergraph or an undirected independence graph (Theorem 2 of [1]_), or from knowledge.

    Attributes
    ----------
    reduced
        Hyperedges, as names, that lay inside another one and were left out.

    References
    ----------
    .. [1] Xie, Geng & Zhao (2006). Decomposition of structural learning about directed acyclic graphs.
       Artificial Intelligence 170, 422-439.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> tree = DSeparationTree(schema, [("a", "b"), ("b", "c"), ("c", "d")], [(0, 1), (1, 2)])
    >>> tree.path_separators("a", "d")
    (('b',), ('c',))
    """

    reduced: tuple[Names, ...] = field(default=(), compare=False)

    def __init__(
        self,
        schema: Schema,
        clusters: Iterable[Iterable[NameOrIndex]],
        edges: Iterable[tuple[int, int]],
        *,
        reduced: tuple[Names, ...] = (),
    ) -> None:
        super().__init__(schema, clusters, edges)
        object.__setattr__(self, "reduced", reduced)
        n = len(self.cluster_scopes)
        if n and len(self.edges) != n - 1:
            raise GraphError(
                f"a d-separation tree joins its {n} nodes with {n - 1} edges; found {len(self.edges)}"
            )
        # running intersection: a node inside another is inside a neighbour too
        for (i, j), shared in zip(self.edges, self.separator_scopes, strict=True):
            inner, outer = (i, j) if len(shared) == len(self.cluster_scopes[i]) else (j, i)
            if len(shared) == len(self.cluster_scopes[inner]):
                raise GraphError(
                    f"no node of a d-separation tree lies inside another; {self._shown(inner)} lies inside "
                    f"{self._shown(outer)}"
                )

    @classmethod
    def of(cls, shape: UndirectedGraph | Triangulation, *, method: Method = "min_fill") -> DSeparationTree:
        """The junction tree of an undirected independence graph; empty separators join its components."""
        return cls(shape.schema, *spanning_cliques(shape, method, joined=True))
