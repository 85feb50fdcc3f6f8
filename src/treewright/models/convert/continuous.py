"""Networks of continuous variables as networkx graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.continuous.sigmoid_network import SigmoidNetwork
from treewright.models.convert.families import library

if TYPE_CHECKING:
    import networkx as nx


def gaussian_to_networkx(model: GaussianNetwork) -> nx.DiGraph[str]:
    """A graph of names; nodes have `intercept` and `variance`, arcs have `coefficient`."""
    graph: nx.DiGraph[str] = library("networkx", "networkx").DiGraph()
    for name in model.schema.names:
        graph.add_node(name, intercept=model.intercept(name), variance=model.variance(name))
    graph.add_edges_from(
        (parent, child, {"coefficient": model.coefficients(child)[parent]})
        for parent, child in model.dag.edges()
    )
    return graph


def sigmoid_to_networkx(model: SigmoidNetwork) -> nx.DiGraph[str]:
    """A graph of names; nodes have `th0`, `th1`, `b` and `s2`, arcs have `w`."""
    graph: nx.DiGraph[str] = library("networkx", "networkx").DiGraph()
    for family in model.families:
        graph.add_node(family.child, th0=family.th0, th1=family.th1, b=family.b, s2=family.s2)
    for family in model.families:
        arcs = zip(family.parents, family.w, strict=True)
        graph.add_edges_from((parent, family.child, {"w": weight}) for parent, weight in arcs)
    return graph
