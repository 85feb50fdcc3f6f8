"""What a column of DuckDB is, by its type, and how files, texts and columns are written in SQL."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import Any

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

MOST_LABELS = 64  # that are looked up in a list
INSTANT = "TIMESTAMP WITH TIME ZONE"  # read as text where its zone is taken off first
IN_UTC = ("instants, as clocks in UTC show them",)


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


def aliases(n: int) -> str:
    return ", ".join(f"c{i}" for i in range(n))


def parquet_scan(paths: Sequence[str], more: str = "") -> str:
    return f"read_parquet([{listed(paths)}], hive_partitioning=false{more})"


def runs_of_files(files: Sequence[str], sizes: Sequence[int], most: int) -> Iterator[tuple[list[str], int]]:
    """Files with the rows that they have together, small ones in one run."""
    run: list[str] = []
    n_rows = 0
    for file, size in zip(files, sizes, strict=True):
        if run and n_rows + size > most:
            yield run, n_rows
            run, n_rows = [], 0
        run, n_rows = [*run, file], n_rows + size
    if run:
        yield run, n_rows


def listed(paths: Sequence[str]) -> str:
    """Paths as SQL literals; patterns have been expanded before, so nothing in them is one."""
    return ", ".join(quoted(glob.escape(path)) for path in paths)


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def top_level_names(schema: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    """Names of the columns of a Parquet file; its schema lists a tree depth first, the root in front."""
    names: list[str] = []
    at = 1
    while at < len(schema):
        names.append(schema[at][0])
        open_nodes = 1
        while open_nodes:  # step over the children of a nested column
            open_nodes += (schema[at][1] or 0) - 1
            at += 1
    return tuple(names)


def ranges(n_rows: int, most: int, first: int) -> list[tuple[int, int]]:
    """Runs of rows, the first one of its own length."""
    bounds = [0, *range(min(first, n_rows), n_rows, most), n_rows]
    return [(begin, end) for begin, end in pairwise(bounds) if begin < end]


def streams() -> bool:
    """Whether DuckDB makes rows as they are fetched; before version 2 all of a query are made first."""
    import duckdb

    return int(duckdb.__version__.split(".")[0]) >= 2


def is_looked_up(labels: Sequence[Any]) -> bool:
    """Whether labels are few and can be written in SQL."""
    return 0 < len(labels) <= MOST_LABELS and "\0" not in "".join(labels)


def place_of(labels: Sequence[Any], cell: str, more: str = "") -> str:
    """What counts the labels from 1, `more` behind them."""
    return f"list_position([{', '.join(map(quoted, labels))}{more}], {cell})::UTINYINT"
