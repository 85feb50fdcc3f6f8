"""pgmpy: networks of `TabularCPD`. The axes of parents are met by state label, not by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import SchemaError
from treewright.models.convert.families import Family, assemble, library, plain_label, plain_name
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.tables.schema import Label


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
