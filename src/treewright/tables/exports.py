"""Tables as other things: lists, pandas frames, a line of text, HTML for notebooks."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.tables.schema import Label, Variable

if TYPE_CHECKING:
    from treewright.tables.table import Table


def cells(table: Table, position: int) -> list[Label | float | None]:
    """A column as Python values, None where missing."""
    values: npt.NDArray[Any] = table.labels(position)
    if position in table.missing and values.dtype.kind == "f":
        values = values.astype(object)
        values[table.missing[position]] = None
    listed: list[Label | float | None] = values.tolist()
    return listed


def to_pandas(table: Table) -> Any:
    pandas = import_module("pandas")
    return pandas.DataFrame(
        {v.name: pandas_column(pandas, table, position) for position, v in enumerate(table.schema)}
    )


def pandas_column(pandas: Any, table: Table, position: int) -> Any:
    variable, column = table.schema.variables[position], table.columns[position]
    if variable.states is None:
        return column.copy()
    codes = column.astype(np.int64)
    if position in table.missing:
        codes[table.missing[position]] = -1
    one_kind = len(set(map(type, variable.states))) == 1
    categories = pandas.Index(list(variable.states), dtype=None if one_kind else object)
    return pandas.Categorical.from_codes(codes, categories=categories, ordered=variable.ordered)


def describe(table: Table) -> str:
    """A table in one line."""
    shown = [f"{variable.name} ({kind(variable)})" for variable in table.schema.variables[:6]]
    more = len(table.schema) - len(shown)
    tail = f" and {more} more" if more else ""
    weighted = ", weighted" if table.weights is not None else ""
    return f"Table of {size(table)}{weighted}: {', '.join(shown)}{tail}"


def to_html(table: Table) -> str:
    """The first rows; everything that came from data is escaped."""
    top = table.head()
    columns = [cells(top, position) for position in range(len(table.schema))]
    header = "".join(f"<th>{escape(name)}</th>" for name in table.schema.names)
    kinds = "".join(f"<td><i>{kind(variable)}</i></td>" for variable in table.schema)
    texts = [[escape("" if value is None else str(value)) for value in column] for column in columns]
    rows = ("".join(f"<td>{text}</td>" for text in row) for row in zip(*texts, strict=True))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<table><caption>{size(table)}</caption><thead><tr>{header}</tr><tr>{kinds}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def size(table: Table) -> str:
    return f"{counted(table.n_rows, 'row')} and {counted(len(table.schema), 'column')}"


def kind(variable: Variable) -> str:
    return "continuous" if variable.states is None else counted(len(variable.states), "state")


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
