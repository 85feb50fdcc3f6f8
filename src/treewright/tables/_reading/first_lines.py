"""What stands in a text file before its table, and what its first bytes say that it is.

A line ``sep=;`` as Excel writes it, remarks behind ``#`` and blank lines come before the names of the
columns. They are left out and told. Anything else before the names is counted by whoever knows the file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from treewright.tables.exports import counted

DELIMITERS = (",", ";", "\t", "|")
WAY_OUT = "CSV (plain or .gz) and Parquet files are read; save it as one, or pass the frame that pandas reads"
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old kind",
    b"ARROW1": "an Arrow or Feather file",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    b"\x93NUMPY": "a NumPy file",
    b"SQLite": "an SQLite database",
    b"$FL2": "a file of SPSS",
    b"$FL3": "a file of SPSS",
    b"<stata_dta>": "a file of Stata",
    b"\x89HDF": "an HDF5 file",
    b"%PDF": "a PDF",
    b"RDX": "a file of R",
}
MARKUP = re.compile(rb"(?i)\s*(?:(<!doctype html|<html)|(<\?xml)|(\[\s*[{\[]|\{\s*\"))")
MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_SAMPLE = 20  # lines that are looked at
_MANY_NUL = 0.2  # of the bytes; texts in UTF-16 have nearly half, most binary files more than this


def other_format(start: bytes) -> str:
    """What a file is by its first bytes, where it cannot be rows of text; nothing for all others."""
    found = MARKUP.match(start)
    if found:
        return ("a page of HTML", "XML", "JSON")[(found.lastindex or 1) - 1]
    known = next((what for magic, what in OTHER_FORMATS.items() if start.startswith(magic)), "")
    if not known and start.count(b"\0") > _MANY_NUL * len(start) and not start.startswith(tuple(MARKS)):
        return "no text in UTF-8 (encoding='utf-16-le', --encoding utf-16-le, reads UTF-16 without a mark)"
    return known


def marked_encoding(start: bytes) -> str:
    """The encoding that a mark at the beginning tells; nothing without one."""
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), "")


@dataclass(frozen=True)
class Beginning:
    """What comes before the line of the names: its bytes, its lines, a delimiter, what is to be told."""

    n_bytes: int = 0
    n_lines: int = 0
    delimiter: str | None = None
    notes: tuple[str, ...] = ()


def find_beginning(text: str, delimiter: str | None, n_lines: int) -> Beginning:
    """What to pass over before the first record: so many lines or, of none, what cannot be one.

    >>> found = find_beginning("# made by hand" + chr(10) + "a,b" + chr(10) + "1,2" + chr(10), None, 0)
    >>> found.n_lines, found.notes
    (1, ("1 line of remarks before the names is left out: '# made by hand'",))
    """
    lines = [line for line in io.StringIO(text, newline="") if line.endswith(("\n", "\r"))]
    if n_lines:
        gone = lines[:n_lines]
        notes = [f"{counted(len(gone), 'line')} before the names left out, as asked"] if gone else []
        return Beginning(size_of(gone), len(gone), None, tuple(notes))
    at, notes = 0, []
    named = re.fullmatch(r'"?sep=(.)"?', lines[0].rstrip("\r\n")) if lines else None
    if named is not None:
        at, delimiter = 1, delimiter or named[1]
        notes.append(f"the first line says that {named[1]!r} is between fields")
    n_apart, remarks = separators(lines[at:], delimiter), []
    while at < len(lines) and (not lines[at].strip("\r\n") or is_remark(lines[at], n_apart)):
        remarks += [lines[at].strip()] if lines[at].strip() else []
        at += 1
    if remarks:
        n, are = counted(len(remarks), "line"), "is" if len(remarks) == 1 else "are"
        told = f"{n} of remarks before the names {are} left out: {remarks[0][:60]!r}"
        notes.append(told if len(remarks) == 1 else f"{told} and more")
    return Beginning(size_of(lines[:at]), at, named[1] if named else None, tuple(notes))


def size_of(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8", "surrogateescape")) for line in lines)


def separators(lines: Sequence[str], delimiter: str | None) -> tuple[str, int] | None:
    """The delimiter of what is no remark, and how many of it stand in its first line; None without one."""
    table = list(islice((line for line in lines if line[0] != "#" and line.strip("\r\n")), _SAMPLE))
    found = delimiter or likely_delimiter("".join(table))
    return (found, table[0].count(found)) if table else None


def is_remark(line: str, n_apart: tuple[str, int] | None) -> bool:
    """Whether a line begins with # and has other fields than what follows the remarks; names may begin so."""
    return line.startswith("#") and n_apart is not None and line.count(n_apart[0]) != n_apart[1]


def likely_delimiter(text: str) -> str:
    """The delimiter that cuts the first lines into equally many fields, or else the first line into most."""
    lines = lines_of(outside_quotes(text))
    counts = {one: [line.count(one) for line in lines[:_SAMPLE] if line] for one in DELIMITERS}
    most = max((found[0] for found in counts.values() if found), default=0)
    steady = [one for one, found in counts.items() if len(set(found)) == 1 and (found[0] > 0 or most == 0)]
    return max(steady or DELIMITERS, key=lambda one: counts[one][:1])  # the first of equals: the comma


def outside_quotes(text: str) -> str:
    """A text without what stands in quotes, and without the line that may not have ended."""
    kept = "".join(text.split('"')[::2])
    return kept[: kept.rfind("\n")] if kept.count("\n") > 1 else kept


def lacks_a_name(text: str, delimiter: str, n_names: int) -> bool:
    """Whether every line below the names has one field more, and a first one of its own.

    R writes tables so whose rows have names.
    """
    lines = lines_of(outside_quotes(text))[1:_SAMPLE]
    if not lines or not lines[0].strip():
        return False
    lines = [line for line in lines if line.strip()]
    cut = [line.split() if delimiter == " " else line.split(delimiter) for line in lines]
    return (
        len(cut) > 1
        and all(len(fields) == n_names + 1 for fields in cut)
        and len({fields[0] for fields in cut}) == len(cut)
        and any(fields[-1] for fields in cut)
    )


def lines_of(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def other_delimiter(text: str) -> str | None:
    """What cuts every line of a file of one column into equally many fields, if something does."""
    lines = [line for line in lines_of(outside_quotes(text)) if line.strip()][:_SAMPLE]
    for one in (" ", ":", "~", "^"):
        counts = {len(line.split() if one == " " else line.split(one)) for line in lines}
        if len(lines) > 2 and len(counts) == 1 and counts != {1}:
            return one
    return None


def where_it_begins(text: str) -> tuple[int, str, int] | None:
    """The line, not the first, from which all have equally many fields, three or more: of which kind.

    >>> where_it_begins("A report;;" + chr(10) + chr(10) + "a,b,c" + chr(10) + "1,2,3" + chr(10) + "4")
    (2, ',', 3)
    """
    lines = lines_of(outside_quotes(text))[:_SAMPLE]
    best = None
    for one in DELIMITERS[:3]:
        counts = [line.count(one) for line in lines]
        kept = [i for i, line in enumerate(lines) if line.strip()]
        same = list(takewhile(lambda i: counts[i] == counts[kept[-1]] > 1, reversed(kept)))  # noqa: B023
        if len(same) > 1 and same[-1] > kept[0] and (best is None or same[-1] < best[0]):
            best = same[-1], one, counts[same[-1]] + 1
    return best
