"""The clusters of a network's variables in its file, where it knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.directed.clustered_dag import ClusteredDag
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.clusters import Clusters

KEY = "clusters"


def write_clusters(dag: Dag) -> dict[str, Any]:
    """A section for the file of a model over this graph, or none."""
    return {KEY: dag.clusters.to_dict()} if isinstance(dag, ClusteredDag) else {}


def with_clusters(dag: Dag, document: Mapping[str, Any]) -> Dag:
    """The graph with the clusters that its file tells of, if it does."""
    if KEY not in document:
        return dag
    try:
        clusters = Clusters.from_dict(dag.schema, document[KEY])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"the clusters of the file are none: {error}") from error
    return ClusteredDag(dag.schema, dag.index_edges(), clusters)
