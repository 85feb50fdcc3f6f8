"""From what a user calls a file to files that exist: their kind, their bytes and, for CSV, their header."""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import io
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treewright.errors import FileMissingError, FormatError, SettingError
from treewright.tables.schema import Label
from treewright.types import Progress

DELIMITERS = (",", ";", "\t", "|")
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"ARROW1": "an Arrow or Feather file",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    b"\x93NUMPY": "a NumPy file",
    b"SQLite": "an SQLite database",
    b"\xff\xfe": "text in UTF-16 (encoding='utf-16' or --encoding utf-16 reads it)",
    b"\xfe\xff": "text in UTF-16 (encoding='utf-16' or --encoding utf-16 reads it)",
}
STANDARD_INPUT = "-"
ENDINGS_OF_ROWS = (".csv", ".tsv", ".txt", ".parquet", ".twp")
BLOCK = 1 << 20
LONGEST_HEADER = 1 << 26
WATCHER: ContextVar[Progress | None] = ContextVar("watcher", default=None)
_spooled: tuple[Any, Any] | None = None  # standard input, and the file that keeps what it held


@dataclass(frozen=True)
class ReadOptions:
    """What `read_table` was told about files."""

    names: Sequence[str] | None = None
    delimiter: str | None = None
    header: bool = True
    encoding: str = "utf-8"
    missing_values: Sequence[Label] = ()


@dataclass(frozen=True)
class RowRange:
    """Some rows of a Parquet file, from one to before another."""

    path: str
    begin: int
    end: int


@dataclass(frozen=True)
class DataFile:
    """One file; a CSV file has a first record and a delimiter."""

    path: str
    is_parquet: bool
    is_compressed: bool = False
    delimiter: str = ","
    first_record: tuple[str, ...] = ()


@contextmanager
def watch_reading(progress: Progress) -> Iterator[None]:
    """Have steps reported, bytes done of how many, whoever reads files meanwhile."""
    token = WATCHER.set(progress)
    try:
        yield
    finally:
        WATCHER.reset(token)


def is_path(source: Any) -> bool:
    return isinstance(source, str | os.PathLike)


def find_files(source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Every file that a path, a pattern or a list of them stands for; patterns give sorted paths."""
    sources = [source] if isinstance(source, str | os.PathLike) else source
    return [path for one in sources for path in find_one(os.fspath(one))]


def find_one(path: str) -> list[str]:
    if os.path.isdir(path):
        return files_in(path)
    if path == STANDARD_INPUT or os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        found = sorted(one for one in glob.glob(path, recursive=True) if os.path.isfile(one))
        if found:
            return found
        raise FileMissingError(f"no file matches the pattern {path!r} (seen from {os.getcwd()!r})")
    raise FileMissingError(f"there is no file {path!r} (seen from {os.getcwd()!r}){similar_files(path)}")


def files_in(folder: str) -> list[str]:
    """The files of rows in a folder, sorted, if they are of one kind by their endings."""
    here = sorted(one.path for one in os.scandir(folder) if one.is_file() and one.name[0] not in "._")
    rows = [path for path in here if path.removesuffix(".gz").endswith(ENDINGS_OF_ROWS)]
    kinds = {Path(path.removesuffix(".gz")).suffix for path in rows}
    if len(kinds) == 1:
        return rows
    found = "it has files of " + " and ".join(sorted(kinds)) if rows else "it has no files of rows"
    raise FormatError(
        f"{folder!r} is a folder, and {found}; for some of the files in it, write a pattern such as "
        f"{os.path.join(folder, '*.csv')!r}"
    )


def similar_files(path: str) -> str:
    from difflib import get_close_matches

    folder = Path(path).parent
    if not folder.is_dir():
        return f"; there is no folder {str(folder)!r}"
    close = get_close_matches(Path(path).name, [entry.name for entry in folder.iterdir()], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def real_path(path: str) -> str:
    """Where the bytes are; those of standard input ("-") are kept in a file, to be read more than once."""
    global _spooled  # noqa: PLW0603
    if path != STANDARD_INPUT:
        return path
    if _spooled is None or _spooled[0] is not sys.stdin:
        file = tempfile.NamedTemporaryFile(prefix="treewright-")  # noqa: SIM115
        shutil.copyfileobj(getattr(sys.stdin, "buffer", sys.stdin), file, BLOCK)
        file.flush()
        _spooled = (sys.stdin, file)
    return str(_spooled[1].name)


def look_at(path: str, options: ReadOptions) -> DataFile:
    """Find out from its first bytes, not from its name, what a file is."""
    delimiter = options.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii()):
        raise FormatError(f"a delimiter is one character, and no quote or line end; found {delimiter!r}")
    try:
        with open(real_path(path), "rb") as file:
            start = file.read(12)
    except OSError as error:
        raise FormatError(f"{path!r} cannot be read: {error.strerror}") from error
    if start.startswith(b"PAR1"):
        return DataFile(path, is_parquet=True)
    if start.startswith(b"TWPACK"):
        raise FormatError(f"{path!r} is a packed file, which is read by itself and not with others")
    if start[8:] == b"DUCK":
        raise FormatError(
            f"{path!r} is a DuckDB file, whose tables have names: ask for {path}::table on the "
            "command line, or SqlTable(path, table)"
        )
    if is_utf8(options.encoding):
        for magic, what in OTHER_FORMATS.items():
            if start.startswith(magic):
                raise FormatError(f"{path!r} is {what}; CSV (plain or .gz) and Parquet files are read")
    return read_header(DataFile(path, False, start.startswith(b"\x1f\x8b")), options)


def read_header(file: DataFile, options: ReadOptions) -> DataFile:
    """Look at the first lines of a CSV file for its delimiter and its first record."""
    start = b""
    for block, _ in blocks(file, options.encoding, 1 << 14):
        start += block
        unquoted = b"".join(start.split(b'"')[::2])
        has_ended = unquoted.count(b"\n") + unquoted.count(b"\r") > 1 and start.count(b'"') % 2 == 0
        if has_ended or len(start) > LONGEST_HEADER:
            break
    text = start.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    found = options.delimiter or likely_delimiter(text)
    try:
        record = next(csv.reader(io.StringIO(text, newline=""), delimiter=found), None)
    except csv.Error as error:
        raise FormatError(f"{file.path!r} cannot be read as CSV: {error}") from error
    if not record:
        raise FormatError(f"{file.path!r} is empty; a CSV file starts with a line of column names")
    try:
        "".join(record).encode()
    except UnicodeEncodeError as error:
        raise not_in(file.path, options.encoding, "its first line") from error
    return replace(file, delimiter=found, first_record=tuple(record))


def likely_delimiter(text: str) -> str:
    """The delimiter that cuts the first lines into equally many fields, or else the first line into most."""
    lines = re.split(r"\r\n|\n|\r", outside_quotes(text))
    counts = {one: [line.count(one) for line in lines[:20] if line] for one in DELIMITERS}
    most = max((found[0] for found in counts.values() if found), default=0)
    steady = [one for one, found in counts.items() if len(set(found)) == 1 and (found[0] > 0 or most == 0)]
    return max(steady or DELIMITERS, key=lambda one: counts[one][:1])  # the first of equals: the comma


def outside_quotes(text: str) -> str:
    """A text without what stands in quotes, and without the line that may not have ended."""
    kept = "".join(text.split('"')[::2])
    return kept[: kept.rfind("\n")] if kept.count("\n") > 1 else kept


def is_utf8(encoding: str) -> bool:
    """Whether bytes in an encoding need no translation; an encoding that nobody knows is refused."""
    try:
        known = codecs.lookup(encoding)
    except (LookupError, TypeError):
        known = None
    if known is None or not known._is_text_encoding:
        raise SettingError(
            f"there is no encoding {encoding!r}; utf-8, latin-1, cp1252 and utf-16 are often met, and every "
            "encoding that Python knows is read"
        )
    return known.name in ("utf-8", "utf-8-sig")


def not_in(path: str, encoding: str, where: str) -> FormatError:
    return FormatError(
        f"{path!r} is not text in {'UTF-8' if is_utf8(encoding) else encoding}, as {where} shows; say what "
        "it is with encoding= or --encoding, for example latin-1, cp1252 or utf-16"
    )


def blocks(file: DataFile, encoding: str, size: int = BLOCK) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file in UTF-8, unpacked, each block with how many bytes of the file were read so far."""
    decoder = None if is_utf8(encoding) else codecs.getincrementaldecoder(encoding)()
    try:
        with open(real_path(file.path), "rb") as raw:
            opened: Any = gzip.GzipFile(fileobj=raw) if file.is_compressed else raw
            while block := opened.read(size):
                yield (decoder.decode(block).encode() if decoder else block), raw.tell()
            if decoder:
                yield decoder.decode(b"", True).encode(), raw.tell()
    except UnicodeDecodeError as error:
        raise not_in(file.path, encoding, repr(error.object[error.start : error.start + 12])) from error
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{file.path!r} cannot be read as CSV: {error}") from error
