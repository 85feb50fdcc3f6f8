"""From families (a variable, its parents in any order, a table) to a model: what all conversions share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.draft import EXACT, ROUNDED
from treewright.tables.schema import Label, Schema, Variable
from treewright.types import Floats


@dataclass(frozen=True)
class Family:
    """A variable with its states, and its table: one axis per parent as listed, then its own."""

    name: str
    states: tuple[Label, ...]
    parents: tuple[str, ...]
    table: Floats
    ordered: bool = False


def assemble(families: Sequence[Family]) -> BayesianNetwork:
    """The model of families; variables keep the order given."""
    schema = Schema(Variable(f.name, f.states, ordered=f.ordered) for f in families)
    dag = Dag(schema, [(parent, f.name) for f in families for parent in f.parents])
    tables = []
    for family in families:
        listed = [schema.index(parent) for parent in family.parents]
        shape = tuple(schema.cardinalities[v] for v in (*listed, schema.index(family.name)))
        if family.table.shape != shape:
            raise SchemaError(
                f"the table of {family.name!r} has the shape {family.table.shape}; states ask for {shape}"
            )
        axes = sorted(range(len(listed)), key=listed.__getitem__)
        tables.append(_rescaled(family.table).transpose(*axes, len(listed)))
    return BayesianNetwork(dag, tables)


def _rescaled(table: Floats) -> Floats:
    """Rows that miss a sum of one by rounding, rescaled; the rest as it is, for the model to judge."""
    sums = table.sum(axis=-1, keepdims=True)
    deviations = np.abs(sums - 1)
    rounded = (deviations > EXACT) & (deviations <= ROUNDED)
    return np.where(rounded, table / np.where(rounded, sums, 1.0), table)


def plain_label(label: Any) -> Label:
    """A label without NumPy's clothes."""
    found = label.item() if isinstance(label, np.generic) else label
    if not isinstance(found, str | int | float | bool):
        raise SchemaError(f"state {label!r} is not a text, a number or a truth value")
    return found


def plain_name(name: Any) -> str:
    if not isinstance(name, str):
        raise SchemaError(f"variables have names that are texts; found {name!r}, rename it first")
    return str(name)


def library(module: str, package: str) -> Any:
    """Import a library that is only needed here."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(f"{package} is not installed; pip install {package}") from error
