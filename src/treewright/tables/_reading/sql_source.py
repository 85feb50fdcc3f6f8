"""Columns from a table or a query of a DuckDB database file.

The file is attached read-only beside a database in memory, in which everything that reading needs (a copy of
the rows asked for, enumerations of texts) is made: nothing is ever written to the file. Names of tables are
quoted, so that whatever DuckDB takes as a name can be read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from treewright.tables._reading.files import FileSource, Part, connect, explained
from treewright.tables._reading.paths import find_one
from treewright.tables._reading.scans import kind_of_type, quoted
from treewright.tables.sql import SqlTable


class SqlSource(FileSource):
    """The rows of a :class:`SqlTable`, copied once into memory."""

    def __init__(self, source: SqlTable, names: Sequence[str] | None) -> None:
        (path,) = find_one(os.fspath(source.path))
        self.is_csv = False
        self._paths = [path]
        self._names = None if names is None else tuple(names)
        self._connection = connect()
        with explained(self._paths):
            self._connection.execute(f"ATTACH {quoted(path)} AS attached (READ_ONLY)")
            self._connection.execute("USE attached")
            self._connection.execute(f"CREATE TEMP TABLE rows_asked_for AS {source.statement}")
            self._connection.execute("USE memory")
        described = self._fetch("DESCRIBE rows_asked_for")
        found = self._renamed(tuple(str(row[0]) for row in described))
        kinds = tuple(kind_of_type(str(row[1])) for row in described)
        columns = ", ".join(f"c{i}" for i in range(len(found)))
        self._parts = [Part(found, kinds, f"rows_asked_for AS t({columns})")]
        self._check_names()
        self.names = list(found)
        self.notes: tuple[str, ...] = ()
