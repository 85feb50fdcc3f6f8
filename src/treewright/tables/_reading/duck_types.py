"""What a column of DuckDB is, by its type."""

from __future__ import annotations

from collections.abc import Set

from treewright.errors import SchemaError
from treewright.tables._reading.columns import unsupported

KINDS = {  # what a column is, the type in which it is handed over, and the types that it may have
    "text": (
        "VARCHAR",
        ("VARCHAR", "ENUM", "DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", '"NULL"'),
    ),
    "truth": ("UTINYINT", ("BOOLEAN",)),
    "whole": ("BIGINT", ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")),
    "large": ("UBIGINT", ("UBIGINT",)),
    "real": ("DOUBLE", ("FLOAT", "DOUBLE", "DECIMAL", "HUGEINT", "UHUGEINT")),
}

INSTANT = "TIMESTAMP WITH TIME ZONE"  # read as text where its zone is taken off first


def kind_of_type(sql_type: str) -> str:
    bare = sql_type.split("(", maxsplit=1)[0]
    if sql_type.endswith("]"):
        return f"unsupported {bare if bare.endswith(']') else f'{bare}[]'}"
    return next((kind for kind, (_, types) in KINDS.items() if bare in types), f"unsupported {bare}")


def kind_of_column(name: str, types: Set[str]) -> str:
    """What a column is that has these types in files that are read together."""
    kinds = {"text" if types == {INSTANT} else kind_of_type(one) for one in types}
    for kind in (kind for kind in kinds if kind.startswith("unsupported")):
        raise unsupported(name, f"values of type {kind.partition(' ')[2]}")
    if kinds <= {"whole", "large", "real"}:
        return kinds.pop() if len(kinds) == 1 else "real"
    if len(kinds) > 1:
        raise SchemaError(
            f"column {name!r} is of different types in different files: {', '.join(sorted(kinds))}"
        )
    return kinds.pop()
