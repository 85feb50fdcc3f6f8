"""Bytes of a file, plain or gzip-compressed, and places in them.

A reader may take a small multiple of a file's size, so files are refused by size before they are unpacked:
a text may take a sixteenth of :func:`treewright.limits.memory_limit` (256 MiB by default), and a compressed
file may grow to 200 times its size (16 MiB are always allowed). Lines and columns count from 1.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from treewright import _core
from treewright.arguments import require_path
from treewright.errors import FileMissingError, FormatError
from treewright.files import written_whole
from treewright.limits import format_bytes, memory_limit
from treewright.tables._reading.paths import similar_files

GZIP = b"\x1f\x8b"
SHARE_OF_MEMORY = 16
LARGEST_RATIO = 200
ALWAYS_UNPACKED = 16 * 2**20

_CHUNK = 2**20
_FOREIGN = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}

Place = int | tuple[int, int]  # an offset, or line and column


@dataclass(frozen=True)
class Source:
    """The unpacked bytes of a file, and its name for messages."""

    name: str
    data: bytes

    def error(self, message: str, at: Place | None = None) -> FormatError:
        """An error that says where."""
        if at is None:
            return FormatError(f"{self.name}: {message}")
        line, column = _core.place_of(self.data, at) if isinstance(at, int) else at
        return FormatError(f"{self.name}, line {line}, column {column}: {message}")


def file_limit() -> int:
    """Bytes that the text of a model may have."""
    return memory_limit() // SHARE_OF_MEMORY


def read_source(path: str | os.PathLike[str]) -> Source:
    """Read a file and unpack it when it is compressed, whatever its name."""
    require_path("a reader", path)
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            raw = _read_within(name, file)
    except FileNotFoundError:
        raise FileMissingError(
            f"there is no file {name!r} (seen from {os.getcwd()!r}){similar_files(name)}"
        ) from None
    except OSError as error:
        raise FormatError(f"{name}: the file cannot be read: {error.strerror}") from error
    for magic, what in _FOREIGN.items():
        if raw.startswith(magic):
            raise FormatError(f"{name}: the file is {what}; plain text and .gz are read")
    return Source(name, unpack(name, raw) if raw.startswith(GZIP) else raw)


def _read_within(name: str, file: BinaryIO) -> bytes:
    """All bytes of a file, in pieces, since a pipe or a device does not say how many there are."""
    pieces: list[bytes] = []
    size = 0
    while piece := file.read(_CHUNK):
        size += len(piece)
        if size > file_limit():
            raise _too_large(name)
        pieces.append(piece)
    return b"".join(pieces)


def unpack(name: str, raw: bytes) -> bytes:
    """Unpack all members of a gzip file, never more than is allowed."""
    limit = min(file_limit(), ALWAYS_UNPACKED + LARGEST_RATIO * len(raw))
    pieces: list[bytes] = []
    size = 0
    rest = raw
    while rest:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            try:
                piece = member.decompress(rest, _CHUNK)
            except zlib.error as error:
                raise FormatError(f"{name}: the gzip data is damaged: {error}") from error
            rest = member.unconsumed_tail
            size += len(piece)
            if size > limit:
                raise _too_large(name, unpacked=True)
            pieces.append(piece)
            if not piece and not rest and not member.eof:
                raise FormatError(f"{name}: the gzip data ends early")
        rest = member.unused_data.lstrip(b"\0")  # some tools pad
    return b"".join(pieces)


def as_text(source: Source) -> Source:
    """The same bytes, known to be UTF-8 without NUL and without a byte order mark."""
    data = source.data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Source(source.name, data).error(
            "this byte is no UTF-8; save the file in that encoding", error.start
        ) from None
    if b"\0" in data:
        raise Source(source.name, data).error(
            "this is no text: it holds the character NUL, at which other programs stop", data.index(b"\0")
        )
    return Source(source.name, data)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, compressed when its name ends in .gz; a plain file appears whole or not at all.

    The bytes depend on the content only: the gzip header has neither name nor time.
    """
    require_path("a writer", path)
    packed = _pack(data) if Path(path).suffix.lower() == ".gz" else data
    with written_whole(path) as file:
        file.write(packed)


def _pack(data: bytes) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(data)
    return packed.getvalue()


def _too_large(name: str, *, unpacked: bool = False) -> FormatError:
    what = "unpacks to more than is allowed for its size, or to" if unpacked else "has"
    return FormatError(
        f"{name}: the file {what} more than {format_bytes(file_limit())}, the most that is read under "
        "the memory limit; raise it with set_memory_limit or TREEWRIGHT_MEMORY"
    )
