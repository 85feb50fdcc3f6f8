"""networkx: a DiGraph whose nodes carry what a graph alone cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import SchemaError
from treewright.models.convert.families import Family, assemble, library, plain_label, plain_name
from treewright.models.discrete.bayesian_network import BayesianNetwork

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
    networkx = library("networkx", "networkx")
    schema, dag = model.schema, model.dag
    graph: nx.DiGraph[str] = networkx.DiGraph()
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
