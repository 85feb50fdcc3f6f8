"""The tables of a directed network: one per variable, an axis per parent, rows that sum to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.inference.evidence import state_of
from treewright.models.model import by_variable
from treewright.tables.schema import Schema
from treewright.types import Cells

_ROW_SUM_TOLERANCE = 1e-6


def tables_by_variable(
    schema: Schema, tables: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike]
) -> Sequence[npt.ArrayLike]:
    """One table per variable in schema order, however they were given."""
    if isinstance(tables, Mapping):
        return by_variable(schema, tables, "table")
    if len(tables) != len(schema):
        raise SchemaError(f"every variable needs one table; found {len(tables)} for {len(schema)} variables")
    return tables


def checked_table(dag: Dag, v: int, values: npt.ArrayLike) -> Cells:
    """A private, read-only copy of a table that is one."""
    schema, variable, parents = dag.schema, dag.schema[v], dag.parents(v)
    if not variable.is_discrete:
        raise SchemaError(
            f"a Bayesian network of tables has discrete variables; {variable.name!r} is continuous"
        )
    try:
        table = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise SchemaError(f"the table of {variable.name!r} is not an array of numbers") from None
    shape = tuple(schema.cardinalities[u] for u in (*parents, v))
    if table.shape != shape:
        given = f" given {', '.join(map(repr, schema.names_of(parents)))}" if parents else ""
        raise SchemaError(
            f"the table of {variable.name!r}{given} has the shape {table.shape}; its states ask for {shape}"
        )
    rows = table.reshape(-1, shape[-1])
    invalid = np.asarray(~(rows >= 0).all(axis=1))  # also catches what is not a number
    sums = rows.sum(axis=1)
    wrong = np.flatnonzero(invalid | ~(np.abs(sums - 1) <= _ROW_SUM_TOLERANCE))
    if wrong.size:
        row = int(wrong[0])
        configuration = np.unravel_index(row, shape[:-1]) if parents else ()
        where = ", ".join(
            f"{schema.names[p]}={state_of(schema[p], int(code))!r}"
            for p, code in zip(parents, configuration, strict=True)
        )
        found = (
            "holds something that is no probability"
            if invalid[row]
            else f"sums to {float(sums[row])!r}, not to 1"
        )
        raise SchemaError(f"the table of {variable.name!r}{' given ' + where if where else ''} {found}")
    table.setflags(write=False)
    return table
