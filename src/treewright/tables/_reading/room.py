"""Where columns are kept while a table is read: in memory, or in a file beside the one that is written.

Reading decides what a column is from all of its rows, so all columns are there at once. A :class:`Room` takes
each of them, once a share of the memory limit is used, to a temporary file as soon as it is read and hands
back a map of it: memory then holds a few columns, however many rows there are.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from mmap import ACCESS_READ, ALLOCATIONGRANULARITY, mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import SettingError, TableTooLarge
from treewright.limits import format_bytes, memory_limit
from treewright.tables._reading.columns import LabelColumn, SourceColumn
from treewright.tables.arrays import freeze, is_constant

_SMALL = 1 << 16  # bytes that are not worth a page
_ZEROS = 1 << 20  # bytes that are written at once
_SHARE = 4  # of the memory limit, which arrays may take before they go to the file
_ROOM: ContextVar[Room | None] = ContextVar("room", default=None)


class Room:
    """A temporary file that holds arrays; it goes with the last of them.

    `n_rows` are those that will be kept of all, if it is not all of them.
    """

    def __init__(self, folder: str, n_rows: int | None = None) -> None:
        self.folder, self.n_rows = folder, n_rows
        self._left = memory_limit() // _SHARE
        self._folders: list[tempfile.TemporaryDirectory[str]] = []
        try:
            self._file = tempfile.TemporaryFile(dir=folder, prefix="treewright-")  # noqa: SIM115
        except OSError as error:
            raise SettingError(f"cannot write into {folder!r}: {error.strerror}") from error

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

    def reserve(self, n: int, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], int]:
        """So many zeros of one type, to be written to, and where they begin; the disk has them for sure."""
        at = -(-self._file.seek(0, 2) // ALLOCATIONGRANULARITY) * ALLOCATIONGRANULARITY
        length = n * dtype.itemsize
        try:
            if hasattr(os, "posix_fallocate"):  # a map of a hole would end the process when the disk is full
                os.posix_fallocate(self._file.fileno(), at, length)
            else:
                self._file.seek(at)
                for begin in range(0, length, _ZEROS):
                    self._file.write(bytes(min(_ZEROS, length - begin)))
                self._file.flush()
        except OSError as error:
            raise disk_is_full(error, self.folder) from error
        return np.frombuffer(mmap(self._file.fileno(), length, offset=at), dtype=dtype), at

    def look_at(self, at: int, n: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """What was reserved, for reading."""
        mapped = mmap(self._file.fileno(), n * dtype.itemsize, access=ACCESS_READ, offset=at)
        return np.frombuffer(mapped, dtype=dtype)

    def refuse_full_disk(self, n_rows: int, kinds: Sequence[str]) -> None:
        """Refuse rows that the disk cannot hold, however few states there are, before one is read."""
        row = sum(8 if kind == "real" else 1 for kind in kinds)
        beside = max(0, n_rows * row - self._left)
        least = row * (n_rows if self.n_rows is None else min(n_rows, self.n_rows)) + beside
        free = shutil.disk_usage(self.folder).free
        if least > free:
            temporary = f", {format_bytes(beside)} of it in temporary files," if beside else ""
            raise TableTooLarge(
                f"to pack {n_rows:,} rows of {len(kinds)} columns takes at least {format_bytes(least)} of "
                f"disk{temporary} and that of {self.folder!r} has {format_bytes(free)} left; make room, pack "
                "fewer columns=, or pack to another disk. Nothing was read"
            )

    def make_folder(self) -> str:
        """A folder for somebody else's files, until they are read."""
        self._folders.append(tempfile.TemporaryDirectory(dir=self.folder, prefix="treewright-"))
        return self._folders[-1].name

    def remove_folders(self) -> None:
        for made in self._folders:
            made.cleanup()
        self._folders.clear()

    def close(self) -> None:
        """Nothing comes in any more; what is there stays as long as somebody looks at it."""
        self._file.close()
        self.remove_folders()

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


class Space:
    """A column whose length is known beforehand, filled from its first row on; where columns are kept."""

    def __init__(self, n_rows: int, dtype: np.dtype[Any]) -> None:
        room = _ROOM.get()
        self._room = room if room is not None and room.is_full(n_rows * dtype.itemsize) else None
        self._at, self._n = 0, 0
        if self._room is None:
            self._values: npt.NDArray[Any] = np.empty(n_rows, dtype=dtype)
        else:
            self._values, self._at = self._room.reserve(n_rows, dtype)

    def add(self, block: npt.NDArray[Any]) -> bool:
        """Take some rows; False where they are of another type, or more than was said."""
        end = self._n + len(block)
        if block.dtype != self._values.dtype or end > len(self._values):
            return False
        self._values[self._n : end] = block
        self._n = end
        return True

    def finish(self) -> npt.NDArray[Any]:
        """What was taken; nobody changes it any more."""
        if self._room is not None and self._n:
            return self._room.look_at(self._at, self._n, self._values.dtype)
        found: npt.NDArray[Any] = freeze(self._values)[: self._n]
        return found


def disk_is_full(error: OSError, folder: str) -> Exception:
    """What to say when writing failed."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return error
    return TableTooLarge(
        f"the disk of {folder!r} is full; make room, or pack to another disk. Nothing was left there"
    )


def refuse_full_disk(path: str, needed: int, n_rows: int) -> None:
    """Refuse a packed file that its disk cannot hold."""
    folder = os.path.dirname(os.path.realpath(path))
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise TableTooLarge(
            f"{n_rows:,} packed rows take {format_bytes(needed)}, and the disk of {folder!r} "
            f"has {format_bytes(free)} left; make room, pack fewer columns=, or pack to another disk"
        )


@contextmanager
def room_in(folder: str, n_rows: int | None = None) -> Iterator[Room]:
    """Whoever reads columns meanwhile keeps them in files of a folder."""
    room = Room(folder, n_rows)
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
