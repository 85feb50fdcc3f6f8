"""Feature graphs as other things: a junction tree's product, drawings of the nodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import TreewidthError
from treewright.graphs.feature_graph import FeatureGraph
from treewright.graphs.undirected.cluster_trees import JunctionTree
from treewright.inference.clique_tree import depth_first
from treewright.inference.engine import Factor
from treewright.limits import check_table
from treewright.models.convert.dot import quoted
from treewright.models.convert.libraries import library
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.types import Cells, Scope

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.features.feature_network import FeatureNetwork


def to_markov_network(model: FeatureNetwork, *, clique_limit: int = 20) -> MarkovNetwork:
    """Clique after clique of a junction tree: what it says beyond the separator to its parent.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> from treewright.models.features.feature_network import FeatureNetwork
    >>> from treewright.tables.schema import Schema, Variable
    >>> builder = FeatureGraphBuilder(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))]))
    >>> graph = builder.graph(builder.table(["a", "b"], [[0.1, 0.2], [0.3, 0.4]]))
    >>> to_markov_network(FeatureNetwork(graph)).factors[0].table.round(6).tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    tree = JunctionTree.of(model.structure)
    widest = max(tree.cluster_scopes, key=len, default=())
    if len(widest) > clique_limit:
        names = sorted(model.schema.names_of(widest))
        shown = ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        raise TreewidthError(
            f"the junction tree of this graph has a clique of {len(widest)} variables ({shown}), more than "
            f"clique_limit={clique_limit}; ask the feature network itself, which needs no junction tree"
        )
    for scope in tree.cluster_scopes:
        check_table(model.schema, scope)
    order, parents = depth_first(tree)
    factors = []
    for here, (cluster, parent) in enumerate(zip(order, parents, strict=True)):
        scope = tree.cluster_scopes[cluster]
        above = () if parent < 0 else tree.cluster_scopes[order[parent]]
        factors.append(Factor(scope, _beyond(model, scope, tuple(v for v in scope if v in above))))
        assert parent < here
    return MarkovNetwork(model.schema, factors)


def _beyond(model: FeatureNetwork, scope: Scope, separator: Scope) -> Cells:
    """The joint distribution of a clique divided by that of the separator."""
    cells = model.joint(scope)
    others = tuple(axis for axis, v in enumerate(scope) if v not in separator)
    totals = cells.sum(axis=others, keepdims=True) if separator else np.ones((1,) * len(scope))
    return np.asarray(np.divide(cells, totals, out=np.zeros_like(cells), where=totals > 0))


def node_label(graph: FeatureGraph, node: int) -> str:
    """What a node is about, in names."""
    kind, about, schema = graph.kind(node), graph.integers(node), graph.schema
    if kind == "split":
        return f"split {schema.names[about[0]]}"
    if kind == "feature":
        literals = zip(about[::2], about[1::2], strict=True)
        return "feature " + " and ".join(
            f"{schema.names[v]}={(schema[v].states or ())[code]!r}" for v, code in literals
        )
    names = schema.names_of(graph.scope(node)) if not graph.children(node) else ()
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return f"{kind} {shown}".strip()


def edge_labels(graph: FeatureGraph, node: int) -> list[tuple[int, str, float]]:
    """Each child with the case it stands for, and the probability of that case."""
    kind, about, children = graph.kind(node), graph.integers(node), graph.children(node)
    probabilities = [math.exp(x) for x in graph.numbers_of(node).tolist()]
    cases = ["true", "false"] if kind == "feature" else [""] * len(children)
    if kind == "split":
        states = graph.schema[about[0]].states or ()
        cases = [str(states[code]) for code in about[1:]]
    if kind == "and":
        probabilities = [1.0] * len(children)
    return list(zip(children, cases, probabilities, strict=True)) if children else []


def to_networkx(graph: FeatureGraph) -> nx.DiGraph[int]:
    """A digraph of node ids: nodes have `kind`, `label` and `scope`, arcs `case` and `probability`.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> from treewright.tables.schema import Schema, Variable
    >>> builder = FeatureGraphBuilder(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))]))
    >>> graph = builder.graph(builder.product([builder.table(name, [0.5, 0.5]) for name in "ab"]))
    >>> to_networkx(graph).nodes[2]["kind"], sorted(to_networkx(graph).successors(2))
    ('and', [0, 1])
    """
    result: nx.DiGraph[int] = library("networkx", "networkx").DiGraph()
    for node in range(graph.n_nodes):
        scope = graph.schema.names_of(graph.scope(node))
        result.add_node(node, kind=graph.kind(node), label=node_label(graph, node), scope=scope)
        for child, case, p in edge_labels(graph, node):
            result.add_edge(node, child, case=case, probability=p)
    return result


def to_dot(graph: FeatureGraph) -> str:
    """The text of a digraph of nodes, root first."""
    lines = ["digraph {"]
    for node in reversed(range(graph.n_nodes)):
        lines.append(f"  n{node} [label={quoted(node_label(graph, node))}];")
        for child, case, p in edge_labels(graph, node):
            text = f"{case} {p:.4g}".strip() if graph.kind(node) != "and" else ""
            lines.append(f"  n{node} -> n{child}" + (f" [label={quoted(text)}];" if text else ";"))
    return "\n".join([*lines, "}"]) + "\n"
