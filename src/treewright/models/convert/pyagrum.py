"""pyAgrum: networks of labelized variables, whose labels are texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import SchemaError
from treewright.models.convert.families import Family, assemble, library
from treewright.models.discrete.bayesian_network import BayesianNetwork


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
        families.append(
            Family(variable.name(), tuple(variable.labels()), parents, np.moveaxis(values, child, -1))
        )
    return assemble(families)
