"""Models of networkx, pgmpy and pyAgrum, to and from; each library is imported when it is asked for.

Nodes and edges of networkx carry what a graph alone cannot say. Axes of parents in a `TabularCPD` of pgmpy
are met by state label, not by position. Labels of pyAgrum are texts. What comes from any of them is taken as
families: a variable, its parents in any order, a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.arguments import NODES, require
from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.continuous.sigmoid_network import SigmoidNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.draft import EXACT, ROUNDED
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.tables.schema import Label, Schema, Variable
from treewright.types import Floats

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Family:
    """A variable with its states, and its table: one axis per parent as listed, then its own."""

    name: str
    states: tuple[Label, ...]
    parents: tuple[str, ...]
    table: Floats
    ordered: bool = False


def assemble(families: Sequence[Family]) -> BayesianNetwork:
    """The model of families; variables keep the order given."""
    schema = Schema(Variable(f.name, f.states, ordered=f.ordered) for f in families)
    dag = Dag(schema, [(parent, f.name) for f in families for parent in f.parents])
    tables = []
    for family in families:
        listed = [schema.index(parent) for parent in family.parents]
        shape = tuple(schema.cardinalities[v] for v in (*listed, schema.index(family.name)))
        if family.table.shape != shape:
            raise SchemaError(
                f"the table of {family.name!r} has the shape {family.table.shape}; states ask for {shape}"
            )
        axes = sorted(range(len(listed)), key=listed.__getitem__)
        tables.append(_rescaled(family.table).transpose(*axes, len(listed)))
    return BayesianNetwork(dag, tables)


def _rescaled(table: Floats) -> Floats:
    """Rows that miss a sum of one by rounding, rescaled; the rest as it is, for the model to judge."""
    sums = table.sum(axis=-1, keepdims=True)
    deviations = np.abs(sums - 1)
    rounded = (deviations > EXACT) & (deviations <= ROUNDED)
    return np.where(rounded, table / np.where(rounded, sums, 1.0), table)


def plain_label(label: Any) -> Label:
    """A label as a plain Python value, where NumPy has a type of its own for it."""
    found = label.item() if isinstance(label, np.generic) else label
    if not isinstance(found, str | int | float | bool):
        raise SchemaError(f"state {label!r} is not a text, a number or a truth value")
    return found


def plain_name(name: Any) -> str:
    if not isinstance(name, str):
        raise SchemaError(f"variables have names that are texts; found {name!r}, rename it first")
    return str(name)


def library(module: str, package: str) -> Any:
    """Import a library that is only needed here."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(f"{package} is not installed; pip install {package}") from error


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
        family = {"parents": schema.names_of(dag.parents(v)), "table": model.tables[v].copy()}
        graph.add_node(variable.name, states=variable.states, ordered=variable.ordered, **family)
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
    require("from_networkx", NODES, graph)
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


def to_pgmpy(model: BayesianNetwork) -> Any:
    """A `DiscreteBayesianNetwork` with the same names, labels and tables."""
    models = library("pgmpy.models", "pgmpy")
    tabular = library("pgmpy.factors.discrete", "pgmpy").TabularCPD
    schema, dag = model.schema, model.dag
    network = getattr(models, "DiscreteBayesianNetwork", None) or models.BayesianNetwork
    result = network()
    result.add_nodes_from(schema.names)
    result.add_edges_from(dag.edges())
    for v, variable in enumerate(schema):
        parents = dag.parents(v)
        result.add_cpds(
            tabular(
                variable.name,
                variable.cardinality,
                model.tables[v].reshape(-1, variable.cardinality).T,
                evidence=list(schema.names_of(parents)),
                evidence_card=[schema.cardinalities[p] for p in parents],
                state_names={schema.names[u]: list(schema[u].states or ()) for u in (*parents, v)},
            )
        )
    return result


def from_pgmpy(network: Any) -> BayesianNetwork:
    """The model of a pgmpy network whose every node has a `TabularCPD`.

    Examples
    --------
    >>> from treewright import load_network
    >>> asia = load_network("asia")
    >>> from_pgmpy(asia.to_pgmpy()) == asia  # doctest: +SKIP
    True
    """
    require("from_pgmpy", NODES, network)
    tables = {node: network.get_cpds(node) for node in network.nodes()}
    for node, cpd in tables.items():
        if cpd is None:
            raise SchemaError(f"node {node!r} of the pgmpy network has no CPD; add one first")
    states = {node: _states(cpd, node) for node, cpd in tables.items()}
    families = []
    for node, cpd in tables.items():
        child, *parents = cpd.variables
        values = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
        for axis, parent in enumerate(parents):
            values = values.take(_order(cpd, parent, states[parent]), axis=axis)
        families.append(Family(plain_name(child), states[node], tuple(map(plain_name, parents)), values))
    return assemble(families)


def _states(cpd: Any, node: Any) -> tuple[Label, ...]:
    return tuple(map(plain_label, cpd.state_names[node]))


def _order(cpd: Any, parent: Any, wanted: tuple[Label, ...]) -> list[int]:
    """Where the states of a parent stand in a child's table."""
    listed = _states(cpd, parent)
    if len(listed) != len(wanted) or set(listed) != set(wanted):
        raise SchemaError(
            f"{parent!r} has the states {wanted} in its own table and {listed} in that of {cpd.variable!r}"
        )
    return [listed.index(state) for state in wanted]


def to_pyagrum(model: BayesianNetwork) -> Any:
    """A `pyagrum.BayesNet` with the same names, labels (as texts) and tables."""
    pyagrum = library("pyagrum", "pyagrum")
    schema, dag = model.schema, model.dag
    network = pyagrum.BayesNet()
    for variable in schema:
        labels = [str(state) for state in variable.states or ()]
        if len(set(labels)) != len(labels):
            raise SchemaError(
                f"labels of pyAgrum are texts, and two states of {variable.name!r} read the same"
            )
        network.add(pyagrum.LabelizedVariable(variable.name, variable.name, labels))
    for v, variable in enumerate(schema):
        for p in dag.parents(v):
            network.addArc(schema.names[p], variable.name)
        cpt = network.cpt(variable.name)
        family = [*dag.parents(v), v]
        # flat values have the first of its variables fastest
        axes = [family.index(schema.index(name)) for name in reversed(cpt.names)]
        cpt.fillWith(model.tables[v].transpose(axes).ravel().tolist())
    return network


def from_pyagrum(network: Any) -> BayesianNetwork:
    """The model of a `pyagrum.BayesNet`; labels are texts.

    Examples
    --------
    >>> from treewright import load_network
    >>> asia = load_network("asia")
    >>> from_pyagrum(asia.to_pyagrum()) == asia  # doctest: +SKIP
    True
    """
    families = []
    for node in sorted(network.nodes()):
        variable = network.variable(node)
        cpt = network.cpt(node)
        order = list(reversed(cpt.names))  # axes of the array
        values = np.asarray(cpt.toarray(), dtype=np.float64)
        child = order.index(variable.name())
        parents = tuple(name for name in order if name != variable.name())
        table = np.moveaxis(values, child, -1)
        families.append(Family(variable.name(), tuple(variable.labels()), parents, table))
    return assemble(families)
