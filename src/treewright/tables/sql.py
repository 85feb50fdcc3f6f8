"""A table or a query of a database, named as a source of rows."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from treewright.arguments import require_path
from treewright.errors import SettingError
from treewright.text import is_address, split_secrets, without_password


@dataclass(frozen=True)
class SqlTable:
    """A table of a DuckDB file or of a PostgreSQL server, or what a query finds: a source of rows.

    Nothing is ever written there. A password in an address is used and never shown.

    Parameters
    ----------
    path
        The database file, or the address of a server: ``postgresql://user@host:port/database``. Passwords
        are better kept in ``~/.pgpass`` or in the environment variable ``PGPASSWORD``.
    table
        The name of a table or view, as it stands; `schema` is where it lives, if not in the main one.
    query
        In place of a table: one SELECT statement.
    timeout
        Seconds that a server may take for one statement.

    Examples
    --------
    >>> SqlTable("clinic.duckdb", "visits of 2024")
    SqlTable(path='clinic.duckdb', table='visits of 2024')
    >>> SqlTable("clinic.duckdb", query="SELECT age, smoker FROM visits WHERE age > 17")
    SqlTable(path='clinic.duckdb', query='SELECT age, smoker FROM visits WHERE age > 17')
    >>> SqlTable("postgresql://ada:secret@db.example/clinic", "visits", schema="archive")
    SqlTable(path='postgresql://ada@db.example/clinic', table='visits', schema='archive')
    """

    path: str | os.PathLike[str]
    table: str | None = None
    query: str | None = field(default=None, kw_only=True)
    schema: str | None = field(default=None, kw_only=True)
    timeout: float = field(default=600.0, kw_only=True)

    def __post_init__(self) -> None:
        require_path("SqlTable", self.path)
        shown = os.fspath(self.path)
        object.__setattr__(self, "_address", shown if is_address(shown) else None)
        if is_address(shown):
            object.__setattr__(self, "path", without_password(shown))
            check_address(shown)
        if (self.table is None) == (self.query is None):
            found = "neither" if self.table is None else "both"
            raise SettingError(f"a SqlTable is a table or a query of a database; found {found}")
        if self.query is not None and self.schema is not None:
            raise SettingError("schema= goes with the name of a table; a query names it itself")
        if not 0 < self.timeout < 2**31 / 1000:
            raise SettingError(f"timeout= is a number of seconds above 0; found {self.timeout!r}")

    def __repr__(self) -> str:
        given = ((name, getattr(self, name)) for name in ("path", "table", "query", "schema"))
        return f"SqlTable({', '.join(f'{name}={value!r}' for name, value in given if value is not None)})"

    @property
    def is_remote(self) -> bool:
        """Whether a server has the rows."""
        return self.address is not None

    @property
    def address(self) -> str | None:
        """The address of the server as it was given, password included: not to be shown."""
        found: str | None = vars(self)["_address"]
        return found

    @property
    def statement(self) -> str:
        """The SELECT that finds the rows."""
        if self.query is not None:
            return self.query.strip().rstrip(";")
        names = [name for name in (self.schema, self.table) if name is not None]
        return f"SELECT * FROM {'.'.join(map(identifier, names))}"

    @property
    def shown(self) -> str:
        """What messages call it."""
        what = "a query" if self.table is None else repr(".".join(filter(None, (self.schema, self.table))))
        return f"{what} of {os.fspath(self.path)!r}"


def as_sql_table(text: str) -> SqlTable:
    """The table that ``file.duckdb::table`` or ``postgresql://host/database::table`` names.

    Examples
    --------
    >>> as_sql_table("postgresql://ada:secret@[::1]:5432/clinic::visits of 2024")
    SqlTable(path='postgresql://ada@[::1]:5432/clinic', table='visits of 2024')
    """
    start = 0
    if is_address(text):  # colons of a password, and of a host in brackets, are no mark
        start = text.index("//") + 2
        slash = text.find("/", start)
        start = slash if slash >= 0 else max(text.rfind("@"), text.rfind("]"), start)
    file, _, table = text[start:].partition("::")
    file = text[:start] + file
    if not file or not table:
        way = "postgresql://host/database::table" if is_address(text) else "file.duckdb::table"
        raise SettingError(f"a table of a database is written {way}; found {without_password(text)!r}")
    return SqlTable(file, table)


def check_address(address: str) -> None:
    """Refuse an address that would be taken apart in the wrong places, without showing it."""
    shown, secrets = split_secrets(address)
    place = re.split("[/?]", shown.partition("://")[2])[0].rpartition("@")[2]
    if not all(re.fullmatch(r"(\[[0-9A-Fa-f:.%]*\]|[^:\[\]]*)(:\d*)?", one) for one in place.split(",")):
        raise SettingError(
            "the address of a server is written postgresql://user@host:port/database; this one has something "
            "else for its host or port, and is not shown, since that may be a part of a password"
        )
    for secret in secrets:
        if re.search(r"[/@?# ]|%(?![0-9A-Fa-f]{2})", secret) or "%00" in secret:
            raise SettingError(
                f"the password of {shown!r} has characters that an address writes with a percent sign, as in "
                "%40 for @ and %25 for %; or leave it out and set PGPASSWORD, or keep it in ~/.pgpass"
            )
    if re.search(r"%(?![0-9A-Fa-f]{2})", shown) or "\0" in unquote(shown):
        raise SettingError(f"{shown!r} is no address: a percent sign stands before two digits, as in %2F")


def identifier(name: str) -> str:
    """A name as SQL writes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
