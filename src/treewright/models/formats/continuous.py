"""What files say alike about networks of continuous variables: names, arcs, an object of numbers each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models.formats.twm.content import expect
from treewright.tables.schema import Schema, Variable


def read_dag(document: Mapping[str, Any]) -> Dag:
    names, arcs = document["variables"], document["arcs"]
    expect(are_names(names), "variables is not a list of names")
    expect(
        isinstance(arcs, list) and all(are_names(arc) and len(arc) == 2 for arc in arcs),
        "an arc is a pair of names",
    )
    return Dag(Schema(Variable(name) for name in names), [(tail, head) for tail, head in arcs])


def read_families(families: object, dag: Dag, keys: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """One object per variable: numbers, and under the last key numbers by parent."""
    if not isinstance(families, dict) or families.keys() != set(dag.schema.names):
        raise FormatError("there is not one family per variable")
    for name, family in families.items():
        fits = (
            isinstance(family, dict)
            and family.keys() == set(keys)
            and all(type(family[key]) is float for key in keys[:-1])
            and isinstance(family[keys[-1]], dict)
            and all(type(number) is float for number in family[keys[-1]].values())
        )
        expect(fits, f"the family of {name!r} is not made of numbers under {', '.join(keys)}")
    return families


def are_names(item: object) -> bool:
    return isinstance(item, list) and all(isinstance(name, str) for name in item)
