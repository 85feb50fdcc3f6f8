"""Markov networks for networkx and Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.models.convert.dot import quoted
from treewright.models.convert.families import library
from treewright.models.undirected.markov_network import MarkovNetwork

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(model: MarkovNetwork) -> nx.Graph[str]:
    """A graph of names whose nodes have `states` and `ordered`; its attribute `factors` lists the product.

    Each factor is a pair: names, and a table with one axis per name.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> graph = to_networkx(MarkovNetwork.of(load_network("asia")))
    >>> graph.number_of_edges(), graph.graph["factors"][1][0]
    (10, ('asia', 'tub'))
    """
    networkx = library("networkx", "networkx")
    graph: nx.Graph[str] = networkx.Graph()
    for variable in model.schema:
        graph.add_node(variable.name, states=variable.states, ordered=variable.ordered)
    graph.add_edges_from(model.structure.edges())
    graph.graph["factors"] = [(model.schema.names_of(f.scope), f.table.copy()) for f in model.factors]
    return graph


def to_dot(graph: UndirectedGraph) -> str:
    """The text of a graph, nodes in schema order and edges sorted by name.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> print(to_dot(load_network("asia").dag.moral_graph()).splitlines()[-2].strip())
    "lung" -- "tub";
    """
    lines = ["graph {"]
    lines += [f"  {quoted(name)};" for name in graph.schema.names]
    lines += [f"  {quoted(one)} -- {quoted(other)};" for one, other in graph.edges()]
    return "\n".join([*lines, "}"]) + "\n"
