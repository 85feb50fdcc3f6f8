"""What to draw of a feature network: its variables, and the upper nodes of its graph.

Mixtures and hidden states join all variables to each other, and such a picture shows nothing: where there are
too many edges, the variables stand alone and the nodes of the graph speak for them.
"""

from __future__ import annotations

from treewright.graphs.directed.dag import Dag
from treewright.graphs.feature_graph import FeatureGraph
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.models.convert.features import node_label
from treewright.tables.schema import Schema, Variable

PARTS = "from a node of the feature graph to its parts"  # what its arrows mean
MOST_NODES = 60
MOST_EDGES = 300


def upper_nodes(graph: FeatureGraph, most: int = MOST_NODES) -> Dag:
    """The nodes nearest to the root, as a graph of their labels.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> builder = FeatureGraphBuilder(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))]))
    >>> tables = [builder.table("b", [p, 1 - p]) for p in (0.5, 0.9)]
    >>> graph = builder.graph(builder.split("a", {0: (0.5, tables[0]), 1: (0.5, tables[1])}))
    >>> upper_nodes(graph).edges()
    [('2: split a', '0: table b'), ('2: split a', '1: table b')]
    """
    chosen, queue = {graph.root: None}, [graph.root]
    for node in queue:
        for child in graph.children(node):
            if child not in chosen and len(chosen) < most:
                chosen[child] = None
                queue.append(child)
    names = {node: f"{node}: {node_label(graph, node)}" for node in chosen}
    arcs = {
        (names[node], names[child]) for node in chosen for child in graph.children(node) if child in names
    }
    return Dag(Schema([Variable(name) for name in names.values()]), sorted(arcs))


def drawn_structure(structure: UndirectedGraph) -> UndirectedGraph:
    """The joined variables, or the variables alone where there are too many edges to see any."""
    return structure if structure.n_edges <= MOST_EDGES else UndirectedGraph(structure.schema)
