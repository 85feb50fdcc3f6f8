"""Packed files: rows as the core counts them, mapped into memory instead of read.

A packed file holds codes, bit planes and row bits side by side, each section at the start of a page. Opening
it reads the header and nothing else; the system pages in what a learner touches, so that more rows than fit
in memory are counted like any others. A section is compared with its sums before anybody may trust it.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import repeat
from mmap import ACCESS_READ, mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import absolute, require_path
from treewright.errors import FileMissingError, FormatError, SchemaError
from treewright.tables.arrays import code_type
from treewright.tables.raw_form import RawForm
from treewright.tables.report import ColumnReport, Finding, Mending, Report
from treewright.tables.schema import Schema, Variable

MAGIC = b"TWPACK1\n"
PAGE = 4096
BLOCK_ROWS = 1 << 20


@dataclass(frozen=True)
class Section:
    """A run of bytes, with the sum of each of its parts; all parts but the last have `part` bytes."""

    name: str
    offset: int
    length: int
    part: int
    sums: tuple[int, ...]

    @property
    def end(self) -> int:
        return self.offset + self.length

    def with_sums(self, sums: Sequence[int]) -> Section:
        return Section(self.name, self.offset, self.length, self.part, tuple(sums))


@dataclass(frozen=True)
class Layout:
    """Which section holds what: codes or numbers of each column, masks of some, and what all have."""

    sections: tuple[Section, ...]
    columns: tuple[int, ...]
    masks: Mapping[int, int]
    weights: int | None
    planes: int
    row_bits: int
    marginals: int | None
    n_planes: int
    wide: tuple[bool, ...]

    @property
    def length(self) -> int:
        """Bytes from the first section to the end of the last."""
        return self.sections[-1].end


def lay_out(schema: Schema, n_rows: int, masked: Sequence[int] = (), weights: str | None = None) -> Layout:
    """Where each section lies, counted from the first; `weights` is "integers" or "reals"."""
    no_rows = [np.empty(0, dtype=code_type(r)) if r else None for r in schema.cardinalities]
    wide, _, planes, *_ = _core.bits_of(_core.pack(no_rows, schema.cardinalities, 0))
    n_planes, stride = len(planes), 8 * _core.plane_stride(n_rows)
    sections: list[Section] = []

    def add(name: str, length: int, part: int) -> int:
        offset = -(-sections[-1].end // PAGE) * PAGE if sections else 0
        sections.append(Section(name, offset, length, part, (0,) * -(-length // part)))
        return len(sections) - 1

    def rows(name: str, width: int, extra: int = 0) -> int:
        return add(name, n_rows * width + extra, max(1, BLOCK_ROWS * width))

    columns = tuple(
        rows(f"codes of {v.name}" if v.is_discrete else f"numbers of {v.name}", width_of(v)) for v in schema
    )
    masks = {v: rows(f"missing cells of {schema.names[v]}", 1) for v in masked}
    weighed = rows("weights", 8) if weights else None
    marginals = add("marginals", 8 * sum(schema.cardinalities), 1 << 20) if weights != "reals" else None
    by_plane = add("planes", n_planes * stride, max(1, stride))
    by_row = rows("row bits", 8 * -(-n_planes // 64), extra=8 * 64)
    kept = tuple(sections)
    return Layout(kept, columns, masks, weighed, by_plane, by_row, marginals, n_planes, tuple(wide))


def width_of(variable: Variable) -> int:
    """Bytes of a cell."""
    return code_type(variable.cardinality).itemsize if variable.is_discrete else 8


def digest_of(schema: Schema, n_rows: int, sections: Sequence[Section]) -> str:
    """What the rows are, in 64 letters: the same for the same schema and the same bytes."""
    told = [variables_as_json(schema), n_rows, [(one.name, one.sums) for one in sections]]
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def variables_as_json(schema: Schema) -> list[dict[str, Any]]:
    return [
        {"name": v.name, "states": v.states, "ordered": v.ordered}
        | ({"raw": v.raw.to_dict()} if v.raw is not None else {})
        for v in schema
    ]


def variable_from_json(told: Mapping[str, Any]) -> Variable:
    states, raw = told["states"], told.get("raw")
    return Variable(
        told["name"],
        None if states is None else tuple(states),
        ordered=told["ordered"],
        raw=None if raw is None else RawForm.from_dict(raw),
    )


def report_from_json(told: Mapping[str, Any]) -> Report:
    def rebuilt(kind: type[Any], one: Mapping[str, Any]) -> Any:
        return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in one.items()})

    return Report(
        told["n_rows_read"],
        told["n_rows"],
        tuple(rebuilt(ColumnReport, one) for one in told["columns"]),
        tuple((name, reason) for name, reason in told["ignored"]),
        tuple(told["notes"]),
        tuple(rebuilt(Finding, one) for one in told["findings"]),
        tuple(rebuilt(Mending, one) for one in told["mendings"]),
        told["settings"],
    )


def header_bytes(told: Mapping[str, Any], length: int | None = None) -> bytes:
    """Magic, length, JSON and its sum, filled up to `length`, or to pages with room for digits."""
    text = json.dumps(told, separators=(",", ":"), default=str).encode()
    start = len(MAGIC) + 8
    if length is None:
        length = -(-(start + len(text) + 4) // PAGE) * PAGE
    assert start + len(text) + 4 <= length
    text = text.ljust(length - start - 4)
    return MAGIC + len(text).to_bytes(8, "little") + text + zlib.crc32(text).to_bytes(4, "little")


class PackedFile:
    """A packed file that is mapped: its header, and its sections once they have been checked."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = absolute("open_table", path)
        self.header, start = read_header(self.path)
        try:
            self.schema = Schema(map(variable_from_json, self.header["variables"]))
            self.n_rows, self.total = counts_in(self.header, len(self.schema), os.path.getsize(self.path))
            told = self.header["report"]
            self.report = None if told is None else report_from_json(told)
            masked, weights = self.header["masked"], self.header["weights"]
            self.layout = lay_out(self.schema, self.n_rows, masked, weights)
            self.sections = [
                Section(one.name, one.offset + start, one.length, one.part, tuple(found))
                for one, found in zip(self.layout.sections, self.header["sums"], strict=True)
            ]
            self.digest = str(self.header["digest"])
            is_told = self.digest == digest_of(self.schema, self.n_rows, self.sections)
            is_told &= self.header["wide"] == list(self.layout.wide)
        except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, SchemaError) as error:
            raise FormatError(f"{self.path!r} is damaged: its header is not one of a packed file") from error
        if not is_told:
            raise FormatError(
                f"{self.path!r} was packed by another version of treewright; pack the rows again"
            )
        with open(self.path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != self.sections[-1].end:
                raise FormatError(
                    f"{self.path!r} is damaged: it has {size:,} bytes, and {self.sections[-1].end:,} were "
                    "written; pack the rows again"
                )
            self._bytes = np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), dtype=np.uint8)
            listed = [(one.name, one.offset, one.length, one.part, list(one.sums)) for one in self.sections]
            self.mapped = _core.MappedSections(self.path, self._bytes, listed, file.fileno())

    def array(self, section: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """What a section holds, which is what was written; damage raises :class:`FormatError`."""
        self.mapped.check(section)
        one = self.sections[section]
        return self._bytes[one.offset : one.end].view(dtype)

    def planes_of(self, v: int) -> int:
        """Bit planes of a column."""
        return 0 if self.layout.wide[v] else max(0, self.schema.cardinalities[v] - 1)

    def check(self) -> None:
        """Compare every section with its sums, and the total with the weights."""
        for section in range(len(self.sections)):
            self.mapped.check(section)
        if self.layout.weights is not None:
            found = self.array(self.layout.weights, "f8" if self.header["weights"] == "reals" else "i8").sum()
            if not np.isclose(float(found), float(self.total), rtol=1e-9, atol=0):
                raise FormatError(f"{self.path!r} is damaged: its weights are not {self.total} in all")


def read_header(path: str) -> tuple[dict[str, Any], int]:
    """The header of a packed file, and where its sections start."""
    require_path("open_table", path)
    try:
        with open(path, "rb") as file:
            start = file.read(len(MAGIC) + 8)
            length = int.from_bytes(start[len(MAGIC) :], "little")
            if not start.startswith(MAGIC) or not 0 < length < os.fstat(file.fileno()).st_size:
                raise FormatError(f"{path!r} is not a packed file, or it is damaged at its start")
            text, told = file.read(length), file.read(4)
    except FileNotFoundError:
        raise FileMissingError(f"there is no file {path!r} (seen from {os.getcwd()!r})") from None
    except OSError as error:
        raise FormatError(f"{path!r} cannot be read: {error.strerror}") from error
    if zlib.crc32(text).to_bytes(4, "little") != told:
        raise FormatError(f"{path!r} is damaged: the bytes of its header are not those that were written")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise FormatError(f"{path!r} is damaged: its header is not one of a packed file")
    return header, len(MAGIC) + 8 + length + 4


def counts_in(header: Mapping[str, Any], n_columns: int, size: int) -> tuple[int, int | float]:
    """The rows and the total of the weights that a header tells; ValueError when they cannot be."""
    n_rows, total, masked, weights = (header[name] for name in ("rows", "total", "masked", "weights"))
    most = size if n_columns else 2**32 - 1  # a cell takes a byte at least
    is_whole = type(n_rows) is int and (type(total) is int or (type(total) is float and weights == "reals"))
    fits = is_whole and 0 <= n_rows <= most and 0 <= total < 2**63 and weights in (None, "integers", "reals")
    places = [v for v in masked if type(v) is int and 0 <= v < n_columns]
    if not fits or masked != sorted(set(places)) or (weights is None and total != n_rows):
        raise ValueError("no header of a packed file")
    return n_rows, total


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Whether a file starts like a packed one."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):  # of a name that no file can have
        return False


def report_as_json(report: Report | None) -> dict[str, Any] | None:
    return None if report is None else asdict(report)


def no_sums(sections: Sequence[Section]) -> list[list[int]]:
    """The largest sums that there are, to see how long a header can get."""
    return [list(repeat(0xFFFFFFFF, len(one.sums))) for one in sections]


class Run:
    """A section that is written from its start to its end, and the sums of its parts."""

    def __init__(self, file: Any, start: int, section: Section) -> None:
        self._file, self._section = file, section
        self._at = start + section.offset
        self.end = self._at + section.length
        self._sums: list[int] = []
        self._filled = section.part  # bytes of the last part

    def add(self, array: npt.NDArray[Any]) -> None:
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        if not data.size:
            return
        self._file.seek(self._at)
        write_all(self._file, data.data)
        self._at += data.size
        for piece in self._pieces(data):
            if self._filled == self._section.part:
                self._sums.append(0)
                self._filled = 0
            self._sums[-1] = _core.crc32(piece, self._sums[-1])
            self._filled += piece.size

    def _pieces(self, data: npt.NDArray[np.uint8]) -> Iterable[npt.NDArray[np.uint8]]:
        """Cut at the ends of parts."""
        at = 0
        while at < data.size:
            room = self._section.part - self._filled % self._section.part
            yield data[at : at + room]
            at += room

    def fill(self) -> None:
        """Zeros up to the end."""
        self.add(np.zeros(self.end - self._at, dtype=np.uint8))

    def finished(self) -> Section:
        return self._section.with_sums(self._sums)


def write_all(file: Any, data: Any) -> None:
    """Raw files may write less than they are given."""
    view = memoryview(data).cast("B")
    while view:
        view = view[file.write(view) :]
