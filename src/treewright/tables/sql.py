"""A table or a query of a DuckDB database file, named as a source of rows."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from treewright.errors import SettingError


@dataclass(frozen=True)
class SqlTable:
    """A table of a DuckDB file, or what a query finds in it: a source for :func:`read_table`.

    Parameters
    ----------
    path
        The database file.
    table
        The name of a table or view, as it stands; `schema` is where it lives, if not in the main one.
    query
        In place of a table: one SELECT statement.

    Examples
    --------
    >>> SqlTable("clinic.duckdb", "visits of 2024")
    SqlTable(path='clinic.duckdb', table='visits of 2024')
    >>> SqlTable("clinic.duckdb", query="SELECT age, smoker FROM visits WHERE age > 17")
    SqlTable(path='clinic.duckdb', query='SELECT age, smoker FROM visits WHERE age > 17')
    """

    path: str | os.PathLike[str]
    table: str | None = None
    query: str | None = field(default=None, kw_only=True)
    schema: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if (self.table is None) == (self.query is None):
            found = "neither" if self.table is None else "both"
            raise SettingError(f"a SqlTable is a table or a query of a database; found {found}")
        if self.query is not None and self.schema is not None:
            raise SettingError("schema= goes with the name of a table; a query names it itself")

    def __repr__(self) -> str:
        given = ((name, getattr(self, name)) for name in ("path", "table", "query", "schema"))
        return f"SqlTable({', '.join(f'{name}={value!r}' for name, value in given if value is not None)})"

    @property
    def statement(self) -> str:
        """The SELECT that finds the rows."""
        if self.query is not None:
            return self.query.strip().rstrip(";")
        names = [name for name in (self.schema, self.table) if name is not None]
        return f"SELECT * FROM {'.'.join(map(identifier, names))}"


def identifier(name: str) -> str:
    """A name as SQL writes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
