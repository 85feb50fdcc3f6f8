"""The part of the native file about mixed networks: tables of states, lines of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models.formats.twm.content import (
    GRAPH_SECTIONS,
    Content,
    as_list,
    as_table,
    expect,
    read_graph,
    read_variables,
    write_graph,
    write_variables,
)
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.models.mixed.lines import Lines, parents_by_kind
from treewright.tables.schema import Schema, Variable


def write_mixed(model: ConditionalGaussianNetwork) -> dict[str, Any]:
    discrete = {item["name"]: item for item in write_variables(model.discrete.schema)}
    tables = zip(model.discrete.schema.names, model.discrete.tables, strict=True)
    return {
        "variables": [discrete.get(name, name) for name in model.schema.names],
        **write_graph(model.dag),
        "tables": {name: table.ravel().tolist() for name, table in tables},
        "families": {
            name: {
                "intercepts": lines.intercepts.ravel().tolist(),
                "coefficients": {p: c.ravel().tolist() for p, c in lines.coefficients.items()},
                "variances": lines.variances.ravel().tolist(),
            }
            for name, lines in ((name, model.lines(name)) for name in model.continuous)
        },
    }


def read_mixed(document: Mapping[str, Any]) -> ConditionalGaussianNetwork:
    schema = Schema(_read_variable(item) for item in as_list(document["variables"], "variables"))
    dag = read_graph(schema, document)
    tables, families = document["tables"], document["families"]
    named = isinstance(tables, dict) and isinstance(families, dict)
    discrete = {v.name for v in schema if v.is_discrete}
    if not named or tables.keys() != discrete or families.keys() != {*schema.names} - discrete:
        raise FormatError("there is not one table per discrete and one family per continuous variable")
    shapes = {name: _shape(dag, name) for name in schema.names}
    read = {
        name: as_table(cells, (*shapes[name], schema[name].cardinality), f"the table of {name!r}")
        for name, cells in tables.items()
    }
    lines = {name: _read_lines(name, item, shapes[name]) for name, item in families.items()}
    return ConditionalGaussianNetwork(dag, read, lines)


def _read_variable(item: object) -> Variable:
    """An object with states, or the bare name of a continuous variable."""
    return Variable(item) if isinstance(item, str) else read_variables([item])[0]


def _shape(dag: Dag, name: str) -> tuple[int, ...]:
    schema = dag.schema
    discrete, _ = parents_by_kind(dag, schema.index(name))
    return tuple(schema.cardinalities[p] for p in discrete)


def _read_lines(name: str, item: object, shape: tuple[int, ...]) -> Lines:
    keys = {"intercepts", "coefficients", "variances"}
    if not isinstance(item, dict) or item.keys() != keys or not isinstance(item["coefficients"], dict):
        raise FormatError(f"the family of {name!r} has not just {', '.join(sorted(keys))}")
    expect(math.prod(shape) > 0, f"the parents of {name!r} have no states")
    return Lines(
        as_table(item["intercepts"], shape, f"the intercepts of {name!r}"),
        {
            parent: as_table(numbers, shape, f"the coefficients of {name!r} for {parent!r}")
            for parent, numbers in item["coefficients"].items()
        },
        as_table(item["variances"], shape, f"the variances of {name!r}"),
    )


_NEEDED = {"arcs", "tables", "families"}
MIXED = Content(
    "conditional gaussian network",
    ConditionalGaussianNetwork,
    _NEEDED,
    GRAPH_SECTIONS,
    write_mixed,
    read_mixed,
)
