"""Where columns are kept while a table is read: in memory, or in a file beside the one that is written.

Reading decides what a column is from all of its rows, so all columns are there at once. A :class:`Room` takes
each of them, once a share of the memory limit is used, to a temporary file as soon as it is read and hands
back a map of it: memory then holds a few columns, however many rows there are.
"""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from mmap import ACCESS_READ, ALLOCATIONGRANULARITY, mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import TableTooLarge
from treewright.limits import memory_limit
from treewright.tables._reading.columns import LabelColumn, SourceColumn
from treewright.tables.arrays import is_constant

_SMALL = 1 << 16  # bytes that are not worth a page
_SHARE = 4  # of the memory limit, which arrays may take before they go to the file
_ROOM: ContextVar[Room | None] = ContextVar("room", default=None)


class Room:
    """A temporary file that holds arrays; it goes with the last of them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._left = memory_limit() // _SHARE
        self._file = tempfile.TemporaryFile(dir=folder, prefix="treewright-")  # noqa: SIM115

    def place(self, parts: Iterator[npt.NDArray[Any]], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Arrays of one type, one behind the other, as one array."""
        at = -(-self._file.seek(0, 2) // ALLOCATIONGRANULARITY) * ALLOCATIONGRANULARITY
        self._file.seek(at)
        length = 0
        try:
            for part in parts:
                length += self._file.write(np.ascontiguousarray(part, dtype=dtype).data)
            self._file.flush()
        except OSError as error:
            raise disk_is_full(error, self.folder) from error
        if not length:
            return np.empty(0, dtype=dtype)
        mapped = mmap(self._file.fileno(), length, access=ACCESS_READ, offset=at)
        return np.frombuffer(mapped, dtype=dtype)

    def close(self) -> None:
        """Nothing comes in any more; what is there stays as long as somebody looks at it."""
        self._file.close()

    def is_full(self, n_bytes: int) -> bool:
        """Whether so many bytes more have to go to the file; they are in memory otherwise."""
        if n_bytes > self._left:
            return True
        self._left -= n_bytes
        return False

    def keep(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if array.nbytes <= _SMALL or is_constant(array) or not self.is_full(array.nbytes):
            return array
        return self.place(iter((array,)), array.dtype)


def disk_is_full(error: OSError, folder: str) -> Exception:
    """What to say when writing failed."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return error
    return TableTooLarge(
        f"the disk of {folder!r} is full; make room, or pack to another disk. Nothing was left there"
    )


@contextmanager
def room_in(folder: str) -> Iterator[Room]:
    """Whoever reads columns meanwhile keeps them in files of a folder."""
    room = Room(folder)
    token = _ROOM.set(room)
    try:
        yield room
    finally:
        _ROOM.reset(token)
        room.close()


def room_for_columns() -> Room | None:
    """Where columns are to be kept; None for memory."""
    return _ROOM.get()


def kept(array: Any) -> Any:
    """An array, where arrays are kept."""
    room = _ROOM.get()
    return array if room is None or array is None else room.keep(array)


def kept_column(column: SourceColumn) -> SourceColumn:
    """A column whose rows are where columns are kept."""
    if _ROOM.get() is None:
        return column
    missing = kept(column.missing)
    if isinstance(column, LabelColumn):
        return replace(column, codes=kept(column.codes), missing=missing)
    if column.codes is not None:
        return replace(column, codes=kept(column.codes), missing=missing)
    return replace(column, stored=kept(column.stored), missing=missing)
