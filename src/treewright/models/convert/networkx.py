"""networkx: graphs whose nodes and edges carry what a graph alone cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import SchemaError
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.continuous.sigmoid_network import SigmoidNetwork
from treewright.models.convert.families import Family, assemble, library, plain_label, plain_name
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.undirected.markov_network import MarkovNetwork

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(model: BayesianNetwork) -> nx.DiGraph[str]:
    """A graph of names; each node has `states`, `ordered`, `parents` and `table`.

    A table has an axis per parent, in the order of `parents`, then one for the node's own states.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> graph = to_networkx(load_network("asia"))
    >>> graph.nodes["dysp"]["parents"]
    ('bronc', 'either')
    """
    schema, dag = model.schema, model.dag
    graph: nx.DiGraph[str] = library("networkx", "networkx").DiGraph()
    for v, variable in enumerate(schema):
        graph.add_node(
            variable.name,
            states=variable.states,
            ordered=variable.ordered,
            parents=schema.names_of(dag.parents(v)),
            table=model.tables[v].copy(),
        )
    graph.add_edges_from(dag.edges())
    return graph


def markov_to_networkx(model: MarkovNetwork) -> nx.Graph[str]:
    """A graph of names whose nodes have `states` and `ordered`; its attribute `factors` lists the product.

    Each factor is a pair: names, and a table with one axis per name.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> graph = markov_to_networkx(MarkovNetwork.of(load_network("asia")))
    >>> graph.number_of_edges(), graph.graph["factors"][1][0]
    (10, ('asia', 'tub'))
    """
    graph: nx.Graph[str] = library("networkx", "networkx").Graph()
    for variable in model.schema:
        graph.add_node(variable.name, states=variable.states, ordered=variable.ordered)
    graph.add_edges_from(model.structure.edges())
    graph.graph["factors"] = [(model.schema.names_of(f.scope), f.table.copy()) for f in model.factors]
    return graph


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


def from_networkx(graph: nx.DiGraph[Any]) -> BayesianNetwork:
    """The model of a graph with the attributes that :func:`to_networkx` writes.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> asia = load_network("asia")
    >>> from_networkx(to_networkx(asia)) == asia
    True
    """
    families = []
    for node, attributes in graph.nodes(data=True):
        name = plain_name(node)
        missing = [key for key in ("states", "table") if key not in attributes]
        if missing:
            raise SchemaError(f"node {name!r} has no attribute {missing[0]!r}, so it is no model")
        found = tuple(plain_name(parent) for parent in graph.predecessors(node))
        parents = tuple(attributes.get("parents", found if len(found) < 2 else ()))
        if sorted(parents) != sorted(found):
            raise SchemaError(
                f"the arcs into {name!r} come from {', '.join(map(repr, sorted(found)))}; its attribute "
                "'parents' must list them in the order of its table's axes"
            )
        states = tuple(map(plain_label, attributes["states"]))
        table = np.asarray(attributes["table"], dtype=np.float64)
        families.append(Family(name, states, parents, table, bool(attributes.get("ordered", False))))
    return assemble(families)
