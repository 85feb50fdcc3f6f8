"""A PostgreSQL server that is only asked: one snapshot of its rows, and statements that come to an end.

The transaction is read-only and sees the rows of one moment however long it lasts. Names are quoted by the
driver; columns are called c0, c1, ... in every statement, whatever the table calls them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from treewright.errors import AccessError, ConnectionLost, SettingError, SourceError, TreewrightError, nearest
from treewright.tables.sql import SqlTable
from treewright.text import split_secrets

CONNECT_SECONDS = 10
BLOCK = 1 << 22  # bytes that are handed on together
KINDS = {  # what a column is, and the types that it may have
    "text": ("text", "varchar", "bpchar", "name", "citext", "uuid", "date", "timestamp"),
    "truth": ("bool",),
    "whole": ("int2", "int4", "int8", "oid"),
    "real": ("float4", "float8", "numeric"),
}
SETTINGS = {
    "datestyle": "ISO, MDY",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "synchronize_seqscans": "off",  # rows come in the order of the table, every time
}
IN_ORDER = {  # as they do for a statement that only scans
    "max_parallel_workers_per_gather": "0",
    "enable_indexscan": "off",
    "enable_indexonlyscan": "off",
    "enable_bitmapscan": "off",
}
# groups are few, and hashing them is cheaper than sorting rows
BY_GROUPS = {"work_mem": "64MB", "enable_sort": "off"}
_REFUSED = ("authentication failed", "does not exist", "no pg_hba.conf entry", "permission denied")
_DESCRIBE = """
    SELECT a.attname, b.typname, b.typtype
    FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
    JOIN pg_type AS b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
    WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_READABLE = """
    SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind = ANY('{r,p,v,m,f}') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT') ORDER BY 1
"""


class Server:
    """A connection that reads the rows of a :class:`SqlTable`, and what it has cost so far."""

    def __init__(self, table: SqlTable, **settings: str) -> None:
        self.table = table
        self.n_statements, self.seconds = 0, 0.0
        self._settings = SETTINGS | settings | {"statement_timeout": str(max(1, int(1000 * table.timeout)))}
        self._connection: Any = None
        self.connect()

    def connect(self) -> None:
        """A new connection, with a snapshot of its own."""
        psycopg = driver()
        self.close()
        with self._explained():
            own = psycopg.conninfo.conninfo_to_dict(self.table.address)
            wait = {} if "connect_timeout" in own else {"connect_timeout": CONNECT_SECONDS}
            self._connection = psycopg.connect(
                self.table.address, application_name="treewright", client_encoding="utf8",
                prepare_threshold=None, **wait,
            )  # fmt: skip
            self._connection.read_only = True
            self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            for name, value in self._settings.items():
                self._connection.execute("SELECT set_config(%s, %s, false)", (name, value))

    def close(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self.close()

    def execute(self, query: Any, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of an answer."""
        with self._explained(), self._timed():
            self._refuse_closed()
            rows: list[tuple[Any, ...]] = self._connection.execute(query, values).fetchall()
            return rows

    def copy(self, query: Any) -> Iterator[bytes]:
        """The bytes of a COPY, in blocks of whole rows."""
        parts: list[bytes] = []
        size = 0
        self._refuse_closed()
        with self._explained(), self._timed(), self._connection.cursor().copy(query) as copy:
            for part in copy:
                parts.append(part)
                size += len(part)
                if size >= BLOCK:
                    yield b"".join(parts)
                    parts, size = [], 0
        yield b"".join(parts)

    def _refuse_closed(self) -> None:
        if self._connection is None:
            raise ConnectionLost(f"{self.table.shown}: the connection was closed")

    def columns(self) -> tuple[list[str], list[str]]:
        """Names of the columns, and what they hold: a kind, or "unsupported" and a type."""
        if self.table.query is None:
            oid, _ = self._found()
            described = self.execute(_DESCRIBE, (oid,))
        else:
            with self._explained(), self._timed():
                cursor = self._connection.execute(f"SELECT * FROM ({self.table.statement}) AS t LIMIT 0")
                wanted = [(column.name, column.type_code) for column in cursor.description]
            types = self.execute(
                "SELECT oid, typname, typtype FROM pg_type WHERE oid = ANY(%s)",
                (list({code for _, code in wanted}),),
            )
            known = {oid: rest for oid, *rest in types}
            described = [(name, *known[code]) for name, code in wanted]
        return [name for name, *_ in described], [kind_of(name, kind) for _, name, kind in described]

    @property
    def is_stored(self) -> bool:
        """Whether it is a table, whose rows come in the same order however often they are asked for."""
        return self.table.query is None and self._found()[1] in "rpm"

    def expected_cells(self, n_columns: int) -> int:
        """About how many cells there are, by what the server plans to read."""
        from psycopg import sql

        query = sql.SQL("EXPLAIN (FORMAT json) SELECT c0 FROM {}").format(self.place(n_columns))
        ((plan,),) = self.execute(query)
        return int(plan[0]["Plan"]["Plan Rows"]) * n_columns

    def size(self) -> int:
        """Bytes of the table as the server keeps it."""
        ((size,),) = self.execute("SELECT pg_table_size(%s::oid)", (self._found()[0],))
        return int(size)

    def place(self, n_columns: int) -> Any:
        """What stands behind FROM, with columns c0, c1, ..."""
        from psycopg import sql

        listed = sql.SQL(", ").join(sql.Identifier(f"c{i}") for i in range(n_columns))
        if self.table.query is not None:
            return sql.SQL("({}) AS t({})").format(sql.SQL(self.table.statement), listed)
        return sql.SQL("{} AS t({})").format(self._name(), listed)

    def text(self, query: Any) -> str:
        """A statement as it is sent."""
        with self._explained():
            return str(query.as_string(self._connection))

    def literal(self, label: str) -> str:
        """A text as SQL writes it."""
        from psycopg import sql

        return self.text(sql.Literal(label))

    def _name(self) -> Any:
        from psycopg import sql

        return sql.Identifier(*filter(None, (self.table.schema, self.table.table)))

    def _found(self) -> tuple[int, str]:
        found = self.execute(
            "SELECT oid::int8, relkind::text FROM pg_class WHERE oid = to_regclass(%s)",
            (self.text(self._name()),),
        )
        if not found:
            raise self._access_error("there is no such table")
        return found[0]

    def _access_error(self, why: str) -> AccessError:
        """Which table, which right, and what may be read."""
        names: list[str] = []
        with suppress(Exception):
            self._connection.rollback()
            names = [name for (name,) in self._connection.execute(_READABLE).fetchall()]
        others = f"; tables that may be read: {nearest(self.table.table or '', names)}" if names else ""
        return AccessError(f"{self.table.shown} needs the right SELECT: {why}{others}")

    @contextmanager
    def _timed(self) -> Iterator[None]:
        self.n_statements += 1
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the driver says into errors of ours, without passwords."""
        psycopg = driver()
        try:
            yield
        except psycopg.Error as error:
            found = self._error(psycopg, error)
        else:
            return
        raise found from None  # what the driver says may show the address

    def _error(self, psycopg: Any, error: Any) -> TreewrightError:
        said = " ".join(str(error).split()) or type(error).__name__
        for secret in split_secrets(self.table.address or "")[1]:
            said = said.replace(secret, "***") if secret else said
        shown, errors = self.table.shown, psycopg.errors
        is_gone = self._connection is None or self._connection.closed
        if isinstance(error, errors.QueryCanceled) and not is_gone:
            return SourceError(
                f"{shown}: a statement took longer than {self.table.timeout:g} s ({said}); allow more with "
                "SqlTable(..., timeout=), or ask for fewer columns"
            )
        denied = (errors.InsufficientPrivilege, errors.UndefinedTable, errors.InvalidSchemaName)
        if isinstance(error, denied):
            return self._access_error(said)
        if self._connection is None and any(word in said for word in _REFUSED):
            return AccessError(f"{shown} cannot be opened: {said}")
        if is_gone:
            return ConnectionLost(f"{shown}: the server cannot be reached: {said}")
        return SourceError(f"{shown} cannot be read: {said}")


def kind_of(name: str, typtype: str) -> str:
    """What a type of PostgreSQL holds; its enumerations are texts."""
    if typtype == "e":
        return "text"
    return next((kind for kind, types in KINDS.items() if name in types), f"unsupported {name}")


def driver() -> Any:
    """The library that speaks to the server."""
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError as error:
        raise SettingError(
            "PostgreSQL is read with psycopg, which is not installed; pip install 'treewright[postgres]'"
        ) from error
    return psycopg


def where(table: SqlTable) -> dict[str, Any]:
    """Which server and database, without anybody's name or password."""
    told = driver().conninfo.conninfo_to_dict(table.address)
    return {name: told[name] for name in ("host", "port", "dbname") if name in told}
