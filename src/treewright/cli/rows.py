"""Rows as CSV, at the speed of memory.

Each column is a table of its states, already written, padded to one width with a byte that UTF-8 never uses;
a block of rows is then a matrix of bytes, filled column by column and squeezed once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from treewright.cli.given import written
from treewright.tables.schema import Variable
from treewright.tables.table import Table

Bytes = npt.NDArray[np.uint8]

_PAD = b"\xff"
_BLOCK_BYTES = 1 << 24


def write_csv(table: Table, file: BinaryIO, *, tell: Callable[[float], None] = lambda rows: None) -> None:
    """Write discrete columns, with a header; `tell` hears how many rows are done."""
    file.write((",".join(map(quoted, table.schema.names)) + "\n").encode())
    ends = [b","] * (len(table.schema) - 1) + [b"\n"]
    states = [written_cells(v, end) for v, end in zip(table.schema, ends, strict=True)]
    width = sum(cells.shape[1] for cells in states)
    step = max(1, _BLOCK_BYTES // width)
    for start in range(0, table.n_rows, step):
        block = np.concatenate(
            [
                cells[column[start : start + step]]
                for cells, column in zip(states, table.columns, strict=True)
            ],
            axis=1,
        )
        file.write(block.tobytes().translate(None, _PAD))
        tell(min(start + step, table.n_rows))


def written_cells(variable: Variable, end: bytes) -> Bytes:
    """The states of a variable as they stand in a file, one padded row each."""
    texts = [quoted(written(state)).encode() + end for state in variable.states or ()]
    width = max(map(len, texts))
    padded = b"".join(text.ljust(width, _PAD) for text in texts)
    return np.frombuffer(padded, dtype=np.uint8).reshape(len(texts), width)


def quoted(text: str) -> str:
    """A text with quotes where CSV needs them; an empty one would be a missing cell without."""
    needed = not text or text != text.strip() or any(mark in text for mark in ',"\r\n')
    return '"' + text.replace('"', '""') + '"' if needed else text
