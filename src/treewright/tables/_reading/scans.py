"""The SQL that reads files: scans that yield columns c0, c1, ..., whatever the names in the files.

Names and paths never become identifiers, and every text that enters a query is quoted here.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence

MANY_LABELS = 1 << 16  # beyond, an enumeration is slower than handing the texts over

TYPES = {
    "text": ("VARCHAR", "ENUM", "DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    "truth": ("BOOLEAN",),
    "whole": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    "real": ("FLOAT", "DOUBLE", "DECIMAL", "HUGEINT", "UHUGEINT"),
}


def parquet_scan(paths: Sequence[str]) -> str:
    return f"read_parquet([{listed(paths)}], hive_partitioning=false)"


def listed(paths: Sequence[str]) -> str:
    """Paths as SQL literals; patterns have been expanded before, so nothing in them is one."""
    return ", ".join(quoted(glob.escape(path)) for path in paths)


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def kind_of_type(sql_type: str) -> str:
    bare = sql_type.split("(", maxsplit=1)[0]
    if sql_type.endswith("]"):
        return f"unsupported {bare}[]"
    return next((kind for kind, types in TYPES.items() if bare in types), f"unsupported {bare}")


def expression(column: str, kind: str, n_labels: int) -> str:
    """The SQL that turns a column, such as c3, into codes or numbers."""
    if kind == "text":
        if n_labels == 0:
            return "NULL::UTINYINT"
        return (
            f"enum_code({column}::VARCHAR::e{column[1:]})"
            if n_labels <= MANY_LABELS
            else f"{column}::VARCHAR"
        )
    return f"{column}::DOUBLE" if kind == "real" else column
