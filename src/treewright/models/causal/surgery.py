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
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.models.mixed.lines import Lines
from treewright.types import Floats

Network = BayesianNetwork | GaussianNetwork | ConditionalGaussianNetwork
_POINT = float(np.finfo(np.float64).tiny)  # the variance of a number that is set, where none may be zero


def cut(model: Network, values: Mapping[str, Any]) -> Network:
    """The network after setting variables, see `model.do`."""
    if not values:
        raise EvidenceError("do() sets at least one variable, as in model.do(x='yes'); found none")
    if isinstance(model, GaussianNetwork):
        return _set_numbers(model, values)
    if isinstance(model, ConditionalGaussianNetwork):
        return _set_some(model, values)
    told = EvidenceReader(model.schema)(values)
    tables: dict[int, Floats] = {
        v: np.eye(model.schema.cardinalities[v])[code]
        for v, code in zip(told.observed, told.states, strict=True)
    }
    tables |= {v: np.array(lot) for v, lot in zip(told.weighted, told.likelihoods, strict=True)}
    left = [tables.get(v, table) for v, table in enumerate(model.tables)]
    cut_dag = _without_arcs_into(model.dag, set(tables))
    unseen = {name: n for name, n in model.unseen.items() if name not in values}
    return BayesianNetwork(cut_dag, left, unseen=unseen, provenance=_after(model, values))


def _set_numbers(model: GaussianNetwork, values: Mapping[str, Any]) -> GaussianNetwork:
    told = read_real_evidence(model.schema, values)
    intercepts, variances = model.intercepts.copy(), model.variances.copy()
    intercepts[list(told.observed)] = told.values
    variances[list(told.observed)] = 0.0
    lines = {name: model.coefficients(name) for name in model.schema.names if name not in values}
    dag = _without_arcs_into(model.dag, set(told.observed))
    made = GaussianNetwork(dag, intercepts, lines, variances)
    return made.with_provenance(_after(model, values))


def _set_some(model: ConditionalGaussianNetwork, values: Mapping[str, Any]) -> ConditionalGaussianNetwork:
    """States as in their own network; a number leaves its children's lines for their intercepts."""
    schema = model.schema
    set_states = {name: value for name, value in values.items() if schema[name].is_discrete}
    numbers = schema.select([name for name in schema.names if name in values and name not in set_states])
    told = read_real_evidence(numbers, {name: values[name] for name in numbers.names})
    points = {numbers.names[v]: value for v, value in zip(told.observed, told.values, strict=True)}
    states = model.discrete.do(set_states) if set_states else model.discrete
    dag = _without_arcs_into(model.dag, {schema.index(name) for name in values})
    dag = Dag(schema, [arc for arc in dag.edges() if arc[0] not in points])
    lines = {name: _given_points(model.lines(name), points) for name in model.continuous}
    lines |= {name: Lines(value, {}, _POINT) for name, value in points.items()}
    tables = {name: np.asarray(states.table(name)) for name in states.schema.names}
    return ConditionalGaussianNetwork(dag, tables, lines).with_provenance(_after(model, values))


def _given_points(lines: Lines, points: Mapping[str, float]) -> Lines:
    """The lines of a number some of whose parents are set."""
    moved = sum(
        (lines.coefficients[name] * points[name] for name in points if name in lines.coefficients), 0.0
    )
    left = {name: slopes for name, slopes in lines.coefficients.items() if name not in points}
    return Lines(lines.intercepts + moved, left, lines.variances)


def _after(model: Network, values: Mapping[str, Any]) -> dict[str, Any]:
    """Where the network came from, and what was set since."""
    before = model.provenance.get("do") or {}
    return {**model.provenance, "do": {**before, **{name: _plain(value) for name, value in values.items()}}}


def _without_arcs_into(dag: Dag, heads: set[int]) -> Dag:
    return Dag(dag.schema, [arc for arc in dag.index_edges() if arc[1] not in heads])


def _plain(value: Any) -> Any:
    return {str(state): float(p) for state, p in value.items()} if isinstance(value, Mapping) else value
