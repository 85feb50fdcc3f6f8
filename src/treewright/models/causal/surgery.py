"""Surgery: a variable that is set from outside no longer listens to its parents (Pearl 1993; Spirtes et al.).

The arcs into it go and its table becomes what was set; all other tables stay. The network that is left
answers questions about acting as any network answers questions about seeing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.errors import EvidenceError
from treewright.graphs.directed.dag import Dag
from treewright.inference.evidence import EvidenceReader, read_real_evidence
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.types import Floats


def cut(
    model: BayesianNetwork | GaussianNetwork, values: Mapping[str, Any]
) -> BayesianNetwork | GaussianNetwork:
    """The network after setting variables, see `model.do`."""
    if not values:
        raise EvidenceError("do() sets at least one variable, as in model.do(x='yes'); found none")
    if isinstance(model, GaussianNetwork):
        return _set_numbers(model, values)
    told = EvidenceReader(model.schema)(values)
    tables: dict[int, Floats] = {
        v: np.eye(model.schema.cardinalities[v])[code]
        for v, code in zip(told.observed, told.states, strict=True)
    }
    tables |= {v: np.array(lot) for v, lot in zip(told.weighted, told.likelihoods, strict=True)}
    left = [tables.get(v, table) for v, table in enumerate(model.tables)]
    cut_dag = _without_arcs_into(model.dag, set(tables))
    before = model.provenance.get("do") or {}
    origin = {**model.provenance, "do": before | {name: _plain(value) for name, value in values.items()}}
    unseen = {name: n for name, n in model.unseen.items() if name not in values}
    return BayesianNetwork(cut_dag, left, unseen=unseen, provenance=origin)


def _set_numbers(model: GaussianNetwork, values: Mapping[str, Any]) -> GaussianNetwork:
    told = read_real_evidence(model.schema, values)
    intercepts, variances = model.intercepts.copy(), model.variances.copy()
    intercepts[list(told.observed)] = told.values
    variances[list(told.observed)] = 0.0
    lines = {name: model.coefficients(name) for name in model.schema.names if name not in values}
    dag = _without_arcs_into(model.dag, set(told.observed))
    made = GaussianNetwork(dag, intercepts, lines, variances)
    before = model.provenance.get("do") or {}
    return made.with_provenance({**model.provenance, "do": {**before, **values}})


def _without_arcs_into(dag: Dag, heads: set[int]) -> Dag:
    return Dag(dag.schema, [arc for arc in dag.index_edges() if arc[1] not in heads])


def _plain(value: Any) -> Any:
    return {str(state): float(p) for state, p in value.items()} if isinstance(value, Mapping) else value
