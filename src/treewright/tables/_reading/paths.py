"""From what a user calls a file to files that exist, with their kind and, for CSV, their header."""

from __future__ import annotations

import csv
import glob
import gzip
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from treewright.errors import FileMissingError, FormatError

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
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


@dataclass(frozen=True)
class CsvLayout:
    delimiter: str
    newline: str
    is_compressed: bool


@dataclass(frozen=True)
class DataFile:
    """One file; a CSV file has a first record and a layout."""

    path: str
    is_parquet: bool
    first_record: tuple[str, ...] = ()
    layout: CsvLayout | None = None


def is_path(source: Any) -> bool:
    return isinstance(source, str | os.PathLike)


def find_files(source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Every file that a path, a pattern or a list of them stands for; patterns give sorted paths."""
    sources = [source] if isinstance(source, str | os.PathLike) else source
    return [path for one in sources for path in find_one(os.fspath(one))]


def find_one(path: str) -> list[str]:
    if os.path.isdir(path):
        raise FormatError(
            f"{path!r} is a folder; for the files in it, write a pattern such as {path + '/*.csv'!r}"
        )
    if os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        found = sorted(one for one in glob.glob(path, recursive=True) if os.path.isfile(one))
        if found:
            return found
        raise FileMissingError(f"no file matches the pattern {path!r} (seen from {os.getcwd()!r})")
    raise FileMissingError(f"there is no file {path!r} (seen from {os.getcwd()!r}){similar_files(path)}")


def similar_files(path: str) -> str:
    from difflib import get_close_matches

    folder = Path(path).parent
    if not folder.is_dir():
        return f"; there is no folder {str(folder)!r}"
    close = get_close_matches(Path(path).name, [entry.name for entry in folder.iterdir()], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def look_at(path: str, delimiter: str | None) -> DataFile:
    """Find out from its first bytes, not from its name, what a file is."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise FormatError(f"a delimiter is one character, and no quote or line end; found {delimiter!r}")
    try:
        with open(path, "rb") as file:
            start = file.read(12)
    except OSError as error:
        raise FormatError(f"{path!r} cannot be read: {error.strerror}") from error
    if start.startswith(b"PAR1"):
        return DataFile(path, is_parquet=True)
    if start[8:] == b"DUCK":
        raise FormatError(
            f"{path!r} is a DuckDB file, whose tables have names: ask for {path}::table on the "
            "command line, or SqlTable(path, table)"
        )
    for magic, what in OTHER_FORMATS.items():
        if start.startswith(magic):
            raise FormatError(f"{path!r} is {what}; CSV (plain or .gz) and Parquet files are read")
    return read_header(path, start.startswith(b"\x1f\x8b"), delimiter)


def read_header(path: str, is_compressed: bool, delimiter: str | None) -> DataFile:
    """Look at the first record of a CSV file.

    The delimiter is the candidate that the first line has most of. The end of the record is the end of every
    record: lines may end otherwise within quotes.
    """
    opened: Any = gzip.open if is_compressed else open
    file: TextIO
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            found = delimiter or most_frequent_delimiter(file.readline())
            file.seek(0)
            reader = csv.reader(file, delimiter=found)
            record = next(reader, None)
            file.seek(0)
            last_line = [file.readline() for _ in range(reader.line_num)][-1:]
    except UnicodeDecodeError as error:
        raise FormatError(f"{path!r} is not text in UTF-8; save it in that encoding") from error
    except (OSError, EOFError, csv.Error) as error:
        raise FormatError(f"{path!r} cannot be read as CSV: {error}") from error
    if not record:
        raise FormatError(f"{path!r} is empty; a CSV file starts with a line of column names")
    newline = next((end for end in ("\r\n", "\r") if last_line[0].endswith(end)), "\n")
    return DataFile(path, False, tuple(record), CsvLayout(found, newline, is_compressed))


def most_frequent_delimiter(line: str) -> str:
    outside_quotes = "".join(line.split('"')[::2])
    return max(DELIMITERS, key=outside_quotes.count)  # the first of equals: the comma
