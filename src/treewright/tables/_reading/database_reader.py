"""Reading several tables with overlapping columns from any mix of sources.

Each source is read by itself. What has to be the same in all of them is decided from all of them: where
numbers are cut into intervals, the edges are those of the values of every table together.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treewright.arguments import require_several
from treewright.errors import SchemaError, TreewrightError, nearest
from treewright.tables._reading.bins import Bins, BinSpec, bin_edges, check_bins
from treewright.tables._reading.matching import UnseenPolicy
from treewright.tables._reading.missing import MissingPolicy
from treewright.tables._reading.sources import open_source
from treewright.tables.databases import Databases
from treewright.tables.readers import read_table
from treewright.tables.schema import Schema
from treewright.tables.sql import SqlTable
from treewright.tables.table import Table
from treewright.text import without_password


def read_databases(
    sources: Iterable[Any],
    *,
    schema: Schema | None = None,
    missing: MissingPolicy = "error",
    unseen: UnseenPolicy = "error",
    bins: Bins | None = None,
    names: Sequence[str] | None = None,
) -> Databases:
    """Read several tables with overlapping columns.

    Parameters
    ----------
    sources
        Any mix of what :func:`read_table` reads: paths of CSV and Parquet files, tables and queries of DuckDB
        files (:class:`SqlTable`), data frames, dictionaries of lists, tables. One table each.
    schema
        What the columns are, for all tables; each takes those that it has.
    missing
        As for :func:`read_table`; "em" is not possible here.
    unseen
        As for :func:`read_table`; "ignore" is not possible here.
    bins
        As for :func:`read_table`. The intervals of a column are those of all its values in all tables.
    names
        What to call the tables; paths are called by themselves, others "table 1", "table 2", ...

    Examples
    --------
    >>> databases = read_databases([{"x": [0.5, 1.5], "y": ["a", "b"]}, {"x": [2.5, 3.5]}], bins=2)
    >>> databases.schema["x"].states
    ('[0.5, 2)', '[2, 3.5]')
    """
    require_several("read_databases takes a list of sources", sources)
    listed = list(sources)
    if missing == "em":
        raise SchemaError("missing='em' keeps gaps, and several tables are counted; use 'drop' or 'state'")
    if unseen == "ignore":
        raise SchemaError("unseen='ignore' leaves gaps, and several tables are counted; use 'state' or 'add'")
    labels = [label(source, i) for i, source in enumerate(listed, start=1)] if names is None else list(names)
    if len(labels) != len(listed):
        raise SchemaError(f"{len(listed)} tables need {len(listed)} names; found {len(labels)}")
    options: dict[str, Any] = {"missing": missing, "unseen": unseen}
    tables = [read_one(source, name, schema, options) for source, name in zip(listed, labels, strict=True)]
    check_bins(bins, schema, sorted({name for table in tables for name in table.schema.names}))
    if bins is not None:
        tables = cut_together(listed, labels, tables, bins, options)
    return Databases(tables, names=labels)


def label(source: Any, number: int) -> str:
    if isinstance(source, str | os.PathLike):
        return without_password(os.fspath(source))
    if isinstance(source, SqlTable):
        return f"{os.fspath(source.path)}: {source.table or 'query'}"
    return f"table {number}"


def read_one(source: Any, name: str, schema: Schema | None, options: Mapping[str, Any]) -> Table:
    is_read = isinstance(source, Table) and not source.has_missing
    if is_read and schema is None and "bins" not in options and options["unseen"] != "state":
        return cast("Table", source)
    try:
        if schema is None:
            return read_table(source, **options)
        names = open_source(source).names
        here = schema.found_in(names)
        if not here:
            raise SchemaError(f"none of its columns is in the schema; it has {nearest('', names)}")
        return read_table(source, schema=schema.select(here), **options)
    except TreewrightError as error:
        if len(error.args) == 1 and isinstance(error.args[0], str) and name not in error.args[0]:
            raise type(error)(f"{name}: {error.args[0]}") from error
        raise


def cut_together(
    sources: Sequence[Any],
    names: Sequence[str],
    tables: Sequence[Table],
    bins: Bins,
    options: Mapping[str, Any],
) -> list[Table]:
    """Read again, with edges that come from all tables."""
    numbers: dict[str, list[npt.NDArray[np.float64]]] = {}
    for table in tables:
        for variable, column in zip(table.schema, table.columns, strict=True):
            values = numbers_of(variable.states, column)
            if values is not None:
                numbers.setdefault(variable.name, []).append(values)
    wanted = columns_to_cut(bins, tables, numbers)
    edges = {
        name: bin_edges(name, np.concatenate(numbers[name]), spec)[0].tolist()
        for name, spec in wanted.items()
    }
    again = []
    for source, name, table in zip(sources, names, tables, strict=True):
        here = {column: edges[column] for column in edges if column in table.schema}
        again.append(read_one(source, name, None, {**options, "bins": here}) if here else table)
    return again


def numbers_of(states: tuple[Any, ...] | None, column: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """The numbers in a column; None when it holds anything else."""
    if states is None:
        return np.asarray(column[~np.isnan(column)], dtype=np.float64)
    if any(isinstance(state, str | bool) for state in states):
        return None
    return np.asarray(np.array(states, dtype=np.float64)[column])


def columns_to_cut(bins: Bins, tables: Sequence[Table], numbers: Mapping[str, object]) -> dict[str, BinSpec]:
    """The columns that are cut, with how: those named, or those that are continuous in some table."""
    if isinstance(bins, Mapping):
        for name in bins:
            if name not in numbers:
                raise SchemaError(f"bins= names {name!r}, which is not a column of numbers")
        return dict(bins)
    continuous = {v.name for table in tables for v in table.schema if not v.is_discrete}
    return {name: bins for name in sorted(continuous) if name in numbers}
