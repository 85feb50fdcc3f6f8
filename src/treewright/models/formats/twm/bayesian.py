"""The part of the native file that is about a Bayesian network: arcs, a table per variable, kept counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy.typing as npt

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.dirichlet import Dirichlet
from treewright.models.discrete.family_counts import FamilyCounts
from treewright.models.formats.json_values import are_names, as_list, as_table, expect
from treewright.models.formats.twm.content import (
    Content,
    read_variables,
    with_clusters,
    write_clusters,
    write_variables,
)
from treewright.tables.schema import Schema


def write(model: BayesianNetwork) -> dict[str, Any]:
    content: dict[str, Any] = {
        "variables": write_variables(model.schema),
        "arcs": [list(arc) for arc in model.dag.edges()],
        "tables": _write_tables(model.schema, model.tables),
        **write_clusters(model.dag),
    }
    if model.unseen:
        content["unseen"] = model.unseen
    if model.counts is not None:
        ess = None if model.prior is None else float(model.prior.ess)
        content["counts"] = {"ess": ess, "tables": _write_tables(model.schema, model.counts.tables)}
    return content


def read(document: Mapping[str, Any]) -> BayesianNetwork:
    schema = read_variables(document["variables"])
    dag = with_clusters(Dag(schema, _read_arcs(document)), document)
    model = BayesianNetwork(
        dag,
        _read_tables(dag, document["tables"], "table"),
        unseen=_read_unseen(document.get("unseen", {}), schema),
        provenance=document.get("provenance", {}),
    )
    return _with_counts(model, document["counts"]) if "counts" in document else model


def _read_arcs(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    arcs = as_list(document["arcs"], "arcs")
    expect(all(are_names(arc) and len(arc) == 2 for arc in arcs), "an arc is a pair of names")
    expect(len({tuple(arc) for arc in arcs}) == len(arcs), "an arc is there twice")
    return [(tail, head) for tail, head in arcs]


def _read_unseen(item: object, schema: Schema) -> dict[str, int]:
    if not isinstance(item, dict) or not all(
        name in schema and type(n) is int and n > 0 for name, n in item.items()
    ):
        raise FormatError("unseen configurations are counts by variable")
    return item


def _read_tables(dag: Dag, tables: object, what: str) -> list[npt.NDArray[Any]]:
    """One array per variable: probabilities, or counts (which may be whole)."""
    schema = dag.schema
    if not isinstance(tables, dict) or tables.keys() != set(schema.names):
        raise FormatError("there is not one table per variable")
    shapes = [tuple(schema.cardinalities[u] for u in (*dag.parents(v), v)) for v in range(len(schema))]
    return [
        as_table(tables[name], shape, f"the {what} of {name!r}", whole=what != "table")
        for name, shape in zip(schema.names, shapes, strict=True)
    ]


def _write_tables(schema: Schema, tables: Iterable[npt.NDArray[Any]]) -> dict[str, list[float]]:
    return {name: table.ravel().tolist() for name, table in zip(schema.names, tables, strict=True)}


def _with_counts(model: BayesianNetwork, item: object) -> BayesianNetwork:
    if not isinstance(item, dict) or item.keys() != {"ess", "tables"}:
        raise FormatError('counts have the keys "ess", "tables"')
    ess = item["ess"]
    expect(ess is None or type(ess) is float, "the prior of the counts is neither a number nor null")
    prior = None if ess is None else Dirichlet(ess)
    counts = FamilyCounts.from_tables(model.dag, _read_tables(model.dag, item["tables"], "list of counts"))
    return model.with_counts(counts, prior)


CONTENT = Content(
    "bayesian network",
    BayesianNetwork,
    frozenset({"arcs", "tables"}),
    frozenset({"unseen", "counts", "clusters"}),
    write,
    read,
)
