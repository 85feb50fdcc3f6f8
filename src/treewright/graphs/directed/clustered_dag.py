"""A network that knows the clusters of its variables."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.errors import SchemaError
from treewright.graphs.directed.arcs import GivenPairs
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.clusters import Clusters
from treewright.tables.schema import Schema
from treewright.types import Arc


@dataclass(frozen=True, init=False, repr=False, eq=False)
class ClusteredDag(Dag):
    """A directed acyclic graph with a map of its variables, which pictures show as coloured groups.

    It equals every graph of the same arcs: clusters are no part of what a network says.

    Examples
    --------
    >>> from treewright.graphs.undirected.clusters import Star
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> clusters = Clusters(schema, [Star(0, (0, 1)), Star(2, (2,))], [(0, 1), (1, 2)])
    >>> dag = ClusteredDag(schema, [("a", "b"), ("a", "c")], clusters)
    >>> dag.clusters.overlapping, dag.clusters.covered(dag.edges())
    ((('a', 'b'), ('b', 'c')), 0.5)
    """

    clusters: Clusters

    def __init__(self, schema: Schema, arcs: GivenPairs, clusters: Clusters) -> None:
        super().__init__(schema, arcs)
        if set(clusters.schema.names) != set(schema.names):
            odd = sorted(set(clusters.schema.names) ^ set(schema.names))[0]
            raise SchemaError(f"clusters are about the variables of their graph; {odd!r} is in one only")
        object.__setattr__(self, "clusters", clusters)

    def __reduce__(self) -> tuple[type[Dag], tuple[Schema, tuple[Arc, ...], Clusters]]:  # type: ignore[override]
        return ClusteredDag, (self.schema, self._arcs, self.clusters)
