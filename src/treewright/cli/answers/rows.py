"""Rows as CSV, at the speed of memory.

A discrete column is a table of its states, already written, padded to one width with a byte that UTF-8 never
uses; numbers are written with the shortest digits that read back to the same bits. A block of rows is then a
matrix of bytes, filled column by column and squeezed once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from treewright.cli.answers.given import written
from treewright.tables.schema import Variable
from treewright.tables.table import Table

Bytes = npt.NDArray[np.uint8]

_PAD = b"\xff"
_LONGEST_NUMBER = 25
_BLOCK_BYTES = 1 << 24


def write_csv(
    table: Table,
    file: BinaryIO,
    *,
    header: bool = True,
    tell: Callable[[float], None] = lambda rows: None,
) -> None:
    """Write the columns, missing cells empty; `tell` hears how many rows are done."""
    if header:
        file.write((",".join(map(quoted, table.schema.names)) + "\n").encode())
    ends = [b","] * (len(table.schema) - 1) + [b"\n"]
    states = [
        written_cells(v, end) if v.is_discrete else None for v, end in zip(table.schema, ends, strict=True)
    ]
    columns = list(table.columns)
    for v, mask in table.missing.items():
        if table.schema[v].is_discrete:  # the row behind the states is an empty cell
            columns[v] = np.where(mask, table.schema[v].cardinality, columns[v].astype(np.int64))
    width = sum(_LONGEST_NUMBER + 1 if cells is None else cells.shape[1] for cells in states)
    step = max(1, _BLOCK_BYTES // width)
    for start in range(0, table.n_rows, step):
        parts = [
            written_numbers(column[start : start + step], end)
            if cells is None
            else cells[column[start : start + step]]
            for cells, column, end in zip(states, columns, ends, strict=True)
        ]
        block = np.concatenate(parts, axis=1)
        file.write(block.tobytes().translate(None, _PAD))
        tell(min(start + step, table.n_rows))


def written_cells(variable: Variable, end: bytes) -> Bytes:
    """The states of a variable as they stand in a file, one padded row each, and an empty cell."""
    texts = [*(quoted(written(state)).encode() + end for state in variable.states or ()), end]
    width = max(map(len, texts))
    padded = b"".join(text.ljust(width, _PAD) for text in texts)
    return np.frombuffer(padded, dtype=np.uint8).reshape(len(texts), width)


def written_numbers(values: npt.NDArray[Any], end: bytes) -> Bytes:
    """Numbers as they stand in a file, one padded row each; a missing one is an empty cell."""
    texts = values.astype(f"S{_LONGEST_NUMBER}")
    texts[np.isnan(values)] = b""
    cells = texts.view(np.uint8).reshape(len(values), _LONGEST_NUMBER)
    cells[cells == 0] = _PAD[0]
    ends = np.full((len(values), 1), end[0], dtype=np.uint8)
    return np.concatenate([cells, ends], axis=1)


def quoted(text: str) -> str:
    """A text with quotes where CSV needs them; an empty one would be a missing cell without."""
    needed = not text or text != text.strip() or any(mark in text for mark in ',"\r\n')
    return '"' + text.replace('"', '""') + '"' if needed else text
