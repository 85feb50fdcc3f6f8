"""Which whole numbers are states, and which are numbers to be cut: by a setting, or as they were declared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import SchemaError, SettingError, nearest
from treewright.tables import Schema, Table, Variable
from treewright.tables._reading.interpret import DECLARED, are_whole
from treewright.tables.arrays import code_type

MANY = 10  # whole numbers that nobody declared, and that take more values, are cut


def settled(rows: Table, X: Any, categorical: Any) -> Table:
    """The columns as the setting has them: states, or numbers to be cut.

    "auto" cuts whole numbers of more than ten values, unless a table or a categorical column declares them;
    names of columns are states beside that, and "all" columns can be.
    """
    names = rows.schema.names
    if categorical == "all":
        return with_states(rows, set(names))
    wanted: set[str] = set()
    if categorical != "auto":
        if isinstance(categorical, str) or not isinstance(categorical, Iterable):
            raise SettingError(
                f"categorical is 'auto', 'all' or a list of names; found {categorical!r}. One column is a "
                "list of one name"
            )
        for one in categorical:
            if one not in names:
                raise SettingError(
                    f"categorical names {one!r}, which is no column; there are {nearest(one, names)}"
                )
            wanted.add(one)
    told = set(names) if isinstance(X, Table) else declared(rows)
    return with_states(with_numbers(rows, told | wanted), wanted)


def declared(rows: Table) -> set[str]:
    """Columns of a frame whose states its library knows."""
    return {one.name for one in rows.report.columns if one.reason == DECLARED} if rows.report else set()


def with_numbers(rows: Table, kept: set[str]) -> Table:
    """The rows, where whole numbers that take many values are numbers, but for what is `kept`."""
    variables, columns = list(rows.schema), list(rows.columns)
    for v, variable in enumerate(variables):
        states = variable.states or ()
        if variable.name in kept or len(states) <= MANY or not all(type(one) is int for one in states):
            continue
        column = np.array(states, dtype=np.float64)[np.asarray(columns[v], dtype=np.intp)]
        variables[v] = replace(variable, states=None)
        columns[v] = np.where(rows.missing[v], np.nan, column) if v in rows.missing else column
    return _changed(rows, variables, columns)


def with_states(rows: Table, wanted: set[str]) -> Table:
    """The rows, where each value of some columns of numbers is a state."""
    variables, columns = list(rows.schema), list(rows.columns)
    for v, variable in enumerate(variables):
        if variable.name not in wanted or variable.is_discrete:
            continue
        gone = rows.missing.get(v, np.zeros(rows.n_rows, dtype=np.bool_))
        numbers = np.asarray(columns[v], dtype=np.float64)[~gone]
        if not are_whole(numbers):
            part = numbers[numbers != np.rint(numbers)]
            raise SchemaError(
                f"categorical= makes states of whole numbers and labels; column {variable.name!r} holds "
                f"{float(part[0]) if len(part) else numbers[0]!r}. Leave it out, so that it is cut"
            )
        states, codes = np.unique(numbers, return_inverse=True)
        made = np.zeros(rows.n_rows, dtype=code_type(max(1, len(states))))
        made[~gone] = codes
        variables[v] = replace(variable, states=tuple(states.astype(np.int64).tolist()))
        columns[v] = made
    return _changed(rows, variables, columns)


def _changed(rows: Table, variables: list[Variable], columns: list[Any]) -> Table:
    missing = dict(rows.missing)
    return Table(Schema(variables), columns, weights=rows.weights, missing=missing, report=rows.report)
