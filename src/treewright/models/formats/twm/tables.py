"""The parts of the native file about networks of tables: arcs or scopes, tables, kept counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy.typing as npt

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.inference.engine import Factor
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.family_counts import Dirichlet, FamilyCounts, list_families
from treewright.models.formats.twm.content import (
    GRAPH_SECTIONS,
    Content,
    are_names,
    as_list,
    as_table,
    expect,
    read_graph,
    read_variables,
    write_graph,
    write_variables,
)
from treewright.models.undirected.markov_network import Fitting, MarkovNetwork
from treewright.tables.schema import Schema


def write_bayesian(model: BayesianNetwork) -> dict[str, Any]:
    content: dict[str, Any] = {
        "variables": write_variables(model.schema),
        **write_graph(model.dag),
        "tables": _write_tables(model.schema, model.tables),
    }
    if model.unseen:
        content["unseen"] = model.unseen
    if model.counts is not None:
        ess = None if model.prior is None else float(model.prior.ess)
        content["counts"] = {"ess": ess, "tables": _write_tables(model.schema, model.counts.tables)}
    return content


def read_bayesian(document: Mapping[str, Any]) -> BayesianNetwork:
    schema = read_variables(document["variables"])
    dag = read_graph(schema, document)
    model = BayesianNetwork(
        dag,
        _read_tables(dag, document["tables"], "table"),
        unseen=_read_unseen(document.get("unseen", {}), schema),
        provenance=document.get("provenance", {}),
    )
    return _with_counts(model, document["counts"]) if "counts" in document else model


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
    shapes = [tuple(schema.cardinalities[u] for u in family) for family in list_families(dag)]
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


_OPTIONAL = GRAPH_SECTIONS | {"unseen", "counts"}
BAYESIAN = Content(
    "bayesian network", BayesianNetwork, {"arcs", "tables"}, _OPTIONAL, write_bayesian, read_bayesian
)


def write_markov(model: MarkovNetwork) -> dict[str, Any]:
    names_of, fitting = model.schema.names_of, model.fitting
    content: dict[str, Any] = {
        "variables": write_variables(model.schema),
        "factors": [
            {"scope": [*names_of(f.scope)], "table": f.table.ravel().tolist()} for f in model.factors
        ],
    }
    if fitting is not None:
        content["fitting"] = asdict(fitting) | {"residual": float(fitting.residual)}
        if not fitting.note:
            del content["fitting"]["note"]
    return content


def read_markov(document: Mapping[str, Any]) -> MarkovNetwork:
    schema = read_variables(document["variables"])
    factors = [_read_factor(schema, item) for item in as_list(document["factors"], "factors")]
    fitting = _read_fitting(document["fitting"]) if "fitting" in document else None
    return MarkovNetwork(schema, factors, fitting=fitting)


def _read_factor(schema: Schema, item: object) -> Factor:
    if not isinstance(item, dict) or item.keys() != {"scope", "table"}:
        raise FormatError('a factor has the keys "scope", "table"')
    names = as_list(item["scope"], "scope")
    expect(are_names(names), "a scope is a list of names")
    scope = schema.scope(names)
    shape = tuple(schema.cardinalities[v] for v in scope)
    return Factor(scope, as_table(item["table"], shape, f"the factor over {', '.join(map(repr, names))}"))


def _read_fitting(item: object) -> Fitting:
    if (
        isinstance(item, dict)
        and item.keys() - {"note"} == {"method", "sweeps", "residual", "converged"}
        and isinstance(item.get("note", ""), str)
        and isinstance(item["method"], str)
        and type(item["sweeps"]) is int
        and item["sweeps"] >= 0
        and type(item["residual"]) is float
        and math.isfinite(item["residual"])
        and isinstance(item["converged"], bool)
    ):
        figures = item["sweeps"], item["residual"], item["converged"]
        return Fitting(item["method"], *figures, item.get("note", ""))
    raise FormatError('a fitting has the keys "method", "sweeps", "residual", "converged"')


MARKOV = Content("markov network", MarkovNetwork, {"factors"}, {"fitting"}, write_markov, read_markov)
