"""What `treewright learn` reads: one table, or several that share some of their columns."""

from __future__ import annotations

from treewright.cli.data import DataOptions
from treewright.cli.learning.incomplete import mean_log_likelihood
from treewright.errors import TableTooLarge
from treewright.models.fitting.databases import score_tables
from treewright.models.model import AnyModel
from treewright.tables.databases import Databases
from treewright.tables.table import Table


def read_rows(data: list[str], options: DataOptions, method: str, *, several: bool) -> Table | Databases:
    """One table, or several for a method that takes tables with different columns."""
    if several:
        return options.read_tables(data)
    options.refuse_different_columns(data, method)
    return options.read(data)


def read_held_out(
    valid: list[str] | None, options: DataOptions, rows: Table | Databases
) -> Table | Databases | None:
    if not valid:
        return None
    if isinstance(rows, Databases):
        return options.read_tables_like(valid, rows.schema)
    return options.read_like(valid, rows.schema)


def explained(model: AnyModel, rows: Table | Databases) -> float | None:
    """Mean log-likelihood of what rows show; none where summing over what they lack takes too much."""
    if isinstance(rows, Table):
        return mean_log_likelihood(model, rows)
    try:
        return score_tables(model, rows)
    except TableTooLarge:
        return None
