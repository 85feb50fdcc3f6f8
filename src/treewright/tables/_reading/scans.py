"""The SQL that reads files: scans that yield columns c0, c1, ..., whatever the names in the files.

Names and paths never become identifiers, and every text that enters a query is quoted here.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from typing import Any

from treewright.tables._reading.paths import CsvLayout

MANY_LABELS = 1 << 16  # beyond, an enumeration is slower than handing the texts over

# what a number looks like in a CSV file; whole numbers of more than 18 digits are identifiers, kept as texts
WHOLE = r" *(0|-?[1-9][0-9]{0,17}) *"
REAL = (
    r"(?i) *[+-]?("
    r"((0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|(0|[1-9][0-9]*)e[+-]?[0-9]+|nan|inf|infinity"
    r") *"
)
TYPES = {
    "text": ("VARCHAR", "ENUM"),
    "truth": ("BOOLEAN",),
    "whole": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    "real": ("FLOAT", "DOUBLE", "DECIMAL", "HUGEINT", "UHUGEINT"),
}


def csv_scan(
    paths: Sequence[str], n_columns: int, layout: CsvLayout, header: bool, missing_values: Sequence[Any]
) -> str:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
    nulls = ", ".join(quoted(text) for text in dict.fromkeys(["", *map(str, missing_values)]))
    newline = layout.newline.replace("\r", "\\r").replace("\n", "\\n")  # DuckDB wants the escape, spelled out
    return (
        f"read_csv([{listed(paths)}], auto_detect=false, columns={{{columns}}}, "
        f"header={str(header).lower()}, delim={quoted(layout.delimiter)}, new_line='{newline}', "
        f"quote='\"', escape='\"', nullstr=[{nulls}], "
        f"compression='{'gzip' if layout.is_compressed else 'none'}', hive_partitioning=false)"
    )


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


def count_numbers(column: str) -> str:
    """Three counts: fields that are there, whole numbers, real numbers."""
    return (
        f"count({column}), count(*) FILTER (regexp_full_match({column}, '{WHOLE}')), "
        f"count(*) FILTER (regexp_full_match({column}, '{REAL}'))"
    )


def expression(column: str, kind: str, n_labels: int, is_csv: bool) -> str:
    """The SQL that turns a column, such as c3, into codes or numbers."""
    if kind == "text":
        if n_labels == 0:
            return "NULL::UTINYINT"
        return (
            f"enum_code({column}::VARCHAR::e{column[1:]})"
            if n_labels <= MANY_LABELS
            else f"{column}::VARCHAR"
        )
    if not is_csv:
        return f"{column}::DOUBLE" if kind == "real" else column
    return f"trim({column})::{'DOUBLE' if kind == 'real' else 'BIGINT'}"
