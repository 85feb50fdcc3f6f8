"""From what a user calls a file to files that exist: their kind, their bytes and, for CSV, their header."""

from __future__ import annotations

import codecs
import csv
import errno
import glob
import gzip
import io
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treewright.errors import FileMissingError, FormatError, SchemaError, SettingError
from treewright.tables._reading.first_lines import (
    WAY_OUT,
    find_beginning,
    lacks_a_name,
    likely_delimiter,
    marked_encoding,
    other_delimiter,
    other_format,
    where_it_begins,
)
from treewright.tables.schema import Label
from treewright.types import Progress

STANDARD_INPUT = "-"
ENDINGS_OF_ROWS = (".csv", ".tsv", ".txt", ".parquet", ".twp")
BLOCK = 1 << 20
FIRST_BYTES = 512
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
    skipped_lines: int = 0  # before the names
    mends: bool = False  # names that come again, lines with too few fields
    decimal: str | None = None

    @classmethod
    def of(
        cls, names: Sequence[str] | None, missing: Sequence[Label], layout: Mapping[str, Any], mends: bool
    ) -> ReadOptions:
        """As `read_table` is told: the header is there, or not, or below so many lines."""
        header = layout.get("header", True)
        if not isinstance(header, int) or header < 0:
            raise SchemaError(
                "header is True, False, or the number of lines before that of the names, 0 or more; found "
                f"{header!r}"
            )
        how, skipped = (layout.get("delimiter"), header is not False), 0 if header is True else int(header)
        decimal = layout.get("decimal")
        return cls(names, *how, layout.get("encoding", "utf-8"), missing, skipped, mends, decimal)


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
    encoding: str = "utf-8"
    n_before: int = 0  # bytes before the first record, and lines
    n_lines_before: int = 0
    begins: int | None = None  # the line from which the fields are equally many, where that is not the first
    notes: tuple[str, ...] = ()


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
    if re.match(r"(?i)(https?|ftp|s3)://", path):
        raise FileMissingError(f"{path!r} is an address; rows are not fetched: load the file, then read that")
    raise FileMissingError(f"there is no file {path!r} (seen from {os.getcwd()!r}){similar_files(path)}")


def files_in(folder: str) -> list[str]:
    """The files of rows in a folder, sorted, if they are of one kind by their endings and all there is."""
    rows, kinds = rows_in(folder)
    odd = next((path for path in rows if not os.path.isfile(path)), None)
    inside = (os.path.join(folder, name) for name in names_in(folder))
    below = {path: rows_in(path)[1] for path in inside if os.path.isdir(path) and os.access(path, os.R_OK)}
    deeper = next((path for path, more in below.items() if (more & kinds if kinds else more)), None)
    if len(kinds) == 1 and odd is None and deeper is None:
        return rows
    found, pattern = "it has no files of rows", "*.csv"
    if odd is not None:
        found = f"{os.path.basename(odd)!r} in it is no file"
    elif deeper is not None:
        found, pattern = f"the folder {os.path.basename(deeper)!r} in it has files of rows", "**/*.csv"
    elif rows:
        found = "it has files of " + " and ".join(sorted(kinds))
    raise FormatError(
        f"{folder!r} is a folder, and {found}; for some of the files in it, write a pattern such as "
        f"{os.path.join(folder, pattern)!r}"
    )


def rows_in(folder: str) -> tuple[list[str], set[str]]:
    """What is called like a file of rows, sorted, and the endings."""
    plain = {name: name.removesuffix(".gz") for name in names_in(folder)}
    rows = [name for name, one in plain.items() if one.endswith(ENDINGS_OF_ROWS)]
    return [os.path.join(folder, name) for name in rows], {Path(plain[name]).suffix for name in rows}


def names_in(folder: str) -> list[str]:
    """What a folder holds for readers, sorted: names that begin with a dot or a line are not for them."""
    try:
        return sorted(name for name in os.listdir(folder) if name[0] not in "._")
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError(f"no memory is left to list the folder {folder!r}") from None
        raise


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


def is_parquet(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def look_at(path: str, options: ReadOptions) -> DataFile:
    """Find out from its first bytes, not from its name, what a file is."""
    delimiter = options.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii()):
        raise FormatError(f"a delimiter is one character, and no quote or line end; found {delimiter!r}")
    try:
        with open(real_path(path), "rb") as file:
            start = file.read(FIRST_BYTES)
    except OSError as error:
        raise FormatError(f"{path!r} cannot be read: {error.strerror}") from error
    if start.startswith(b"PAR1"):
        return DataFile(path, is_parquet=True)
    if start.startswith(b"TWPACK"):
        raise FormatError(f"{path!r} is a packed file, which is read by itself and not with others")
    if start[8:12] == b"DUCK":
        raise FormatError(
            f"{path!r} is a DuckDB file, whose tables have names: ask for {path}::table on the "
            "command line, or SqlTable(path, table)"
        )
    encoding = options.encoding
    notes: tuple[str, ...] = ()
    if is_utf8(encoding):
        if what := other_format(start):
            raise FormatError(f"{path!r} is {what}; {WAY_OUT}")
        if marked := marked_encoding(start):
            encoding, notes = marked, (f"read as text in {marked.upper()}, by the mark it begins with",)
    is_compressed = start.startswith(b"\x1f\x8b")
    return read_header(DataFile(path, False, is_compressed, encoding=encoding, notes=notes), options)


def read_header(file: DataFile, options: ReadOptions) -> DataFile:
    """Look at the first lines of a CSV file for its delimiter and its first record."""
    start = b""
    for block, _ in blocks(file, 1 << 14):
        start += block
        unquoted = b"".join(start.split(b'"')[::2])
        n_lines = unquoted.count(b"\n") + unquoted.count(b"\r")
        has_ended = n_lines > 1 + options.skipped_lines and start.count(b'"') % 2 == 0
        if has_ended or len(start) > LONGEST_HEADER:
            break
    whole = start.decode("utf-8", "surrogateescape")
    text = whole.removeprefix("\ufeff")
    before = find_beginning(text, options.delimiter, options.skipped_lines)
    n_bytes = before.n_bytes + 3 * (before.n_bytes > 0 and text != whole)
    text = text.encode("utf-8", "surrogateescape")[before.n_bytes :].decode("utf-8", "surrogateescape")
    found = options.delimiter or before.delimiter or likely_delimiter(text)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=found, skipinitialspace=found == " ")
        record = next(reader, None)
    except csv.Error as error:
        raise FormatError(f"{file.path!r} cannot be read as CSV: {error}") from error
    if not record:
        raise FormatError(f"{file.path!r} is empty; a CSV file starts with a line of column names")
    try:
        "".join(record).encode()
    except UnicodeEncodeError as error:
        raise not_in(file.path, options.encoding, "its first line") from error
    told = replace(file, n_before=n_bytes, n_lines_before=before.n_lines, notes=(*file.notes, *before.notes))
    return with_shape(told, [one for one in record if one or found != " "], text, found, options)


def with_shape(
    file: DataFile, record: list[str], text: str, delimiter: str, options: ReadOptions
) -> DataFile:
    """The file with its first record and its delimiter, and what is to be said of them."""
    notes = file.notes
    if options.header and options.names is None and lacks_a_name(text, delimiter, len(record)):
        record = ["", *record]
        notes = (*notes, "the first line has one name less than others have fields: the first has none")
    begin = where_it_begins(text)
    if len(record) == 1 and options.delimiter is None:
        if begin is not None:
            at, line = begin[0] + file.n_lines_before, 1 + file.n_lines_before
            raise FormatError(
                f"{file.path!r} has 1 field in line {line} and {begin[2]} between {begin[1]!r} from line "
                f"{at + 1} on; if the names are there, header={at}, --skip-lines {at}, reads them, and if it "
                "is one column, delimiter='|', --delimiter '|'"
            )
        if (other := other_delimiter(text)) is not None:
            way = f"delimiter={other!r}, --delimiter {other!r}"
            notes = (*notes, f"only one column is seen; if {other!r} is between fields, {way}")
    names, begins = tuple(record), None if begin is None else begin[0]
    return replace(file, delimiter=delimiter, first_record=names, begins=begins, notes=notes)


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


def rows_below(file: DataFile) -> Iterator[tuple[bytes, int]]:
    """The blocks of a file from its first record on."""
    gone = file.n_before
    for block, done in blocks(file):
        yield block[gone:], done
        gone = max(0, gone - len(block))


def blocks(file: DataFile, size: int = BLOCK) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file in UTF-8, unpacked, each block with how many bytes of the file were read so far."""
    encoding = file.encoding
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
