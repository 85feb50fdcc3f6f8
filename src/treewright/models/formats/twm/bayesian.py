"""The part of the native file that is about a Bayesian network: arcs, a table per variable, kept counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.dirichlet import Dirichlet
from treewright.models.discrete.family_counts import FamilyCounts
from treewright.models.formats.labels import read_label, write_label
from treewright.models.formats.twm.clusters import KEY, with_clusters, write_clusters
from treewright.models.formats.twm.content import as_list, as_table, expect
from treewright.tables.schema import Schema, Variable

KIND = "bayesian network"
REQUIRED = frozenset({"arcs", "tables"})
OPTIONAL = frozenset({"unseen", "counts", KEY})


def write(model: BayesianNetwork) -> dict[str, Any]:
    content: dict[str, Any] = {
        "variables": write_variables(model.schema),
        "arcs": [list(arc) for arc in model.dag.edges()],
        "tables": {
            name: table.ravel().tolist() for name, table in zip(model.schema.names, model.tables, strict=True)
        },
        **write_clusters(model.dag),
    }
    if model.unseen:
        content["unseen"] = model.unseen
    if model.counts is not None:
        content["counts"] = _write_counts(model.counts, model.prior)
    return content


def read(document: Mapping[str, Any]) -> BayesianNetwork:
    schema = read_variables(document["variables"])
    arcs = [_read_arc(item) for item in as_list(document["arcs"], "arcs")]
    expect(len(set(arcs)) == len(arcs), "an arc is there twice")
    dag = with_clusters(Dag(schema, arcs), document)
    model = BayesianNetwork(
        dag,
        _read_tables(dag, document["tables"], "table"),
        unseen=_read_unseen(document.get("unseen", {}), schema),
        provenance=document.get("provenance", {}),
    )
    return _with_counts(model, document["counts"]) if "counts" in document else model


def write_variables(schema: Schema) -> list[dict[str, Any]]:
    return [
        {
            "name": variable.name,
            "states": [write_label(state) for state in variable.states or ()],
            "ordered": variable.ordered,
        }
        for variable in schema
    ]


def read_variables(item: object) -> Schema:
    return Schema([_read_variable(variable) for variable in as_list(item, "variables")])


def _read_variable(item: object) -> Variable:
    if not isinstance(item, dict) or item.keys() != {"name", "states", "ordered"}:
        raise FormatError('a variable has the keys "name", "states", "ordered"')
    expect(isinstance(item["ordered"], bool), f"variable {item['name']!r} does not say whether it is ordered")
    states = tuple(read_label(state) for state in as_list(item["states"], "states"))
    return Variable(item["name"], states, ordered=item["ordered"])


def _read_arc(item: object) -> tuple[str, str]:
    if isinstance(item, list) and len(item) == 2 and all(isinstance(name, str) for name in item):
        return item[0], item[1]
    raise FormatError("an arc is a pair of names")


def _read_unseen(item: object, schema: Schema) -> dict[str, int]:
    if not isinstance(item, dict) or not all(
        name in schema and type(n) is int and n > 0 for name, n in item.items()
    ):
        raise FormatError("unseen configurations are counts by variable")
    return item


def _read_tables(dag: Dag, tables: object, what: str) -> list[np.ndarray[Any, Any]]:
    """One array per variable: probabilities, or counts (which may be whole)."""
    schema = dag.schema
    if not isinstance(tables, dict) or tables.keys() != set(schema.names):
        raise FormatError("there is not one table per variable")
    shapes = [tuple(schema.cardinalities[u] for u in (*dag.parents(v), v)) for v in range(len(schema))]
    return [
        as_table(tables[name], shape, f"the {what} of {name!r}", whole=what != "table")
        for name, shape in zip(schema.names, shapes, strict=True)
    ]


def _write_counts(counts: FamilyCounts, prior: Dirichlet | None) -> dict[str, Any]:
    names = counts.schema.names
    tables = {name: table.ravel().tolist() for name, table in zip(names, counts.tables, strict=True)}
    return {"ess": None if prior is None else float(prior.ess), "tables": tables}


def _with_counts(model: BayesianNetwork, item: object) -> BayesianNetwork:
    if not isinstance(item, dict) or item.keys() != {"ess", "tables"}:
        raise FormatError('counts have the keys "ess", "tables"')
    ess = item["ess"]
    expect(ess is None or type(ess) is float, "the prior of the counts is neither a number nor null")
    prior = None if ess is None else Dirichlet(ess)
    counts = FamilyCounts.from_tables(model.dag, _read_tables(model.dag, item["tables"], "list of counts"))
    return model.with_counts(counts, prior)
