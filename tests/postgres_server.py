"""A real PostgreSQL server on a temporary folder, for the tests that ask one.

All processes of a test run share one: the first that asks starts it, the last that is done stops it. Each
has a database of its own, so that none waits for a table that a counter of another one holds.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

REQUIRED = "TREEWRIGHT_POSTGRES_REQUIRED"
OWNER, READER, STRANGER = "owner", "reader", "stranger"  # the last may connect, and nothing more
PASSWORD = "s3cret/of@ada: 9zz%?&#"  # whatever shows a part of it shows too much


@dataclass(frozen=True)
class PostgresServer:
    """A server that runs."""

    folder: str
    database: str = "postgres"

    def url(self, user: str = READER, *, password: str | None = PASSWORD, more: str = "") -> str:
        secret = "" if password is None else f":{quote(password, safe='')}"
        return f"postgresql://{user}{secret}@/{self.database}?host={quote(self.folder, safe='')}{more}"

    def control(self, *said: str) -> None:
        command = [f"{programs()}/pg_ctl", "-D", os.path.join(self.folder, "data"), "-w", "-s", *said]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **unprivileged())

    def connect(self, user: str = OWNER) -> Any:
        import psycopg

        return psycopg.connect(self.url(user), autocommit=True)

    def run(self, statement: Any, *values: Any) -> list[tuple[Any, ...]]:
        """What the owner of all tables may do; what comes back."""
        with self.connect() as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def put(
        self,
        name: str,
        columns: Mapping[str, Sequence[Any]],
        types: Mapping[str, str] | None = None,
        *,
        readers: str | None = READER,
    ) -> None:
        """A table with these columns, which somebody may read."""
        from psycopg import sql

        told = {key: (types or {}).get(key) or type_of(values) for key, values in columns.items()}
        listed = sql.SQL(", ").join(
            sql.SQL("{} " + kind).format(sql.Identifier(key)) for key, kind in told.items()
        )
        table = sql.Identifier(name)
        with self.connect() as connection:
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(table))
            connection.execute(sql.SQL("CREATE TABLE {} ({})").format(table, listed))
            with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
                for row in zip(*columns.values(), strict=True):
                    copy.write_row(row)
            if readers is not None:
                grant = sql.SQL("GRANT SELECT ON {} TO {}").format(table, sql.Identifier(readers))
                connection.execute(grant)

    def own_database(self) -> PostgresServer:
        """The same server, with a new database for this process."""
        own = replace(self, database=f"of_{os.getpid()}")
        self.run(f"CREATE DATABASE {own.database}")
        own.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        return own

    def backends(self) -> list[int]:
        """The processes that serve treewright."""
        found = self.run(
            "SELECT pid FROM pg_stat_activity"
            " WHERE application_name = 'treewright' AND datname = current_database()"
        )
        return [pid for (pid,) in found]


def type_of(values: Sequence[Any]) -> str:
    kinds = {type(value) for value in values} - {type(None)}
    names = {str: "text", bool: "boolean", int: "bigint", float: "double precision"}
    return names[kinds.pop()] if kinds else "text"


def programs() -> str | None:
    """The folder with the programs of the newest server that is installed."""
    on_path = shutil.which("initdb")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: int(one.parts[-3]))
    return os.path.dirname(on_path) if on_path else str(found[-1].parent) if found else None


def missing_reason() -> str | None:
    """Why there is no server to be had here."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed (pip install 'treewright[postgres]')"
    return None if programs() else "no PostgreSQL server is installed (Debian: apt-get install postgresql)"


@contextmanager
def shared_server(meeting_point: Path) -> Iterator[PostgresServer]:
    """The server of all processes that meet in a folder."""
    reason = missing_reason()
    if reason is not None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, and {reason}")
        pytest.skip(reason)
    with locked(meeting_point) as told:
        server = PostgresServer(**told["server"]) if told.get("users") else start()
        told |= {"server": vars(server), "users": told.get("users", 0) + 1}
    try:
        yield server.own_database()
    finally:
        with locked(meeting_point) as told:
            told["users"] -= 1
            if not told["users"]:
                stop(server)


@contextmanager
def locked(meeting_point: Path) -> Iterator[dict[str, Any]]:
    with open(meeting_point / "postgres.json", "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        told = json.loads(file.read() or "{}")
        yield told
        file.truncate(0)
        file.write(json.dumps(told))


def unprivileged() -> dict[str, Any]:
    """Whom the server runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return {}
    names = [one.pw_name for one in pwd.getpwall()]
    found = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}


def start() -> PostgresServer:
    """A fresh server that listens to a socket in its folder, and to nothing else."""
    folder, who, at = tempfile.mkdtemp(prefix="tw-pg-"), unprivileged(), programs()
    secret = os.path.join(folder, "secret")
    Path(secret).write_text(PASSWORD, encoding="utf-8")
    if who:
        for path in (folder, secret):
            os.chown(path, who["user"], who["group"])
    making = [
        f"{at}/initdb",
        "-D",
        os.path.join(folder, "data"),
        "-U",
        OWNER,
        "--auth=scram-sha-256",
        f"--pwfile={secret}",
    ]
    making += ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
    subprocess.run(making, check=True, stdout=subprocess.DEVNULL, cwd=folder, **who)
    settings = {"listen_addresses": "''", "fsync": "off", "max_connections": "30", "shared_buffers": "32MB"}
    said = " ".join([f"-k {folder}", *(f"-c {name}={value}" for name, value in settings.items())])
    server = PostgresServer(folder)
    server.control("start", "-l", os.path.join(folder, "log"), "-o", said)
    for role in (READER, STRANGER):
        server.run(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
    return server


def stop(server: PostgresServer) -> None:
    """Quickly, without waiting for those who are connected."""
    server.control("stop", "-m", "fast")
    shutil.rmtree(server.folder, ignore_errors=True)
