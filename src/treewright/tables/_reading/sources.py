"""Every kind of source behind one face: it can name its columns and read some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

import numpy as np

from treewright.errors import SchemaError
from treewright.tables._reading.columns import SourceColumn
from treewright.tables._reading.objects import ArraySource, MappingSource, TableSource
from treewright.tables._reading.paths import find_files, is_path
from treewright.tables.schema import Label
from treewright.tables.sql import SqlTable
from treewright.tables.table import Table


class Source(Protocol):
    """Whatever can name its columns and read some of them."""

    names: list[str]
    notes: tuple[str, ...]

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        """Read columns; those in `as_text` are wanted as the texts that a file holds."""
        ...


def open_source(
    source: Any,
    *,
    names: Sequence[str] | None,
    delimiter: str | None,
    header: bool,
    missing_values: Sequence[Label],
) -> Source:
    """The reader for a kind of source."""
    if is_path(source) or (isinstance(source, list | tuple) and source and all(map(is_path, source))):
        from treewright.tables._reading.files import FileSource

        return FileSource(
            find_files(source),
            names=names,
            delimiter=delimiter,
            header=header,
            missing_values=missing_values,
        )
    if isinstance(source, SqlTable):
        from treewright.tables._reading.sql_source import SqlSource

        return SqlSource(source, names)
    if isinstance(source, np.ndarray):
        return ArraySource(source, names)
    if names is not None:
        raise SchemaError(
            f"names= goes with arrays and files; a {type(source).__name__} has names of its own"
        )
    if isinstance(source, Table):
        return TableSource(source)
    if isinstance(source, Mapping):
        return MappingSource(source)
    return open_frame(source)


def open_frame(source: Any) -> Source:
    from treewright.tables._reading.frames import FrameSource, is_frame

    if is_frame(source):
        return FrameSource(source)
    hint = ""
    if isinstance(source, list | tuple | set):
        hint = "; for rows in a list, use a dictionary of columns or a NumPy array"
    raise SchemaError(
        f"a {type(source).__name__} cannot be read as a table; sources are paths of CSV and Parquet files, "
        "tables of DuckDB files (SqlTable), pandas, polars and Arrow frames, dictionaries of lists, and "
        f"NumPy arrays of two dimensions{hint}"
    )
