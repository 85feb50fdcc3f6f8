"""The part of the native file that is about a Markov network: scopes by name, and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from treewright.errors import FormatError
from treewright.inference.factor import Factor
from treewright.models.formats.json_values import are_names, as_list, as_table, expect
from treewright.models.formats.twm.content import Content, read_variables, write_variables
from treewright.models.undirected.markov_network import Fitting, MarkovNetwork
from treewright.tables.schema import Schema


def write(model: MarkovNetwork) -> dict[str, Any]:
    """What JSON says of a network."""
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


def read(document: Mapping[str, Any]) -> MarkovNetwork:
    """The network of such content."""
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


CONTENT = Content(
    "markov network", MarkovNetwork, frozenset({"factors"}), frozenset({"fitting"}), write, read
)
