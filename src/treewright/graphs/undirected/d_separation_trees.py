"""D-separation trees: clusters within which a network can be learned, one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from treewright.errors import GraphError
from treewright.graphs.undirected.cluster_trees import ClusterTree
from treewright.graphs.undirected.elimination import Method
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.junction_trees import spanning_cliques
from treewright.graphs.undirected.triangulation import Triangulation, triangulate
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Names


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
        triangulation = shape if isinstance(shape, Triangulation) else triangulate(shape, method)
        return cls(triangulation.graph.schema, *spanning_cliques(triangulation, joined=True))
