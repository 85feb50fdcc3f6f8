"""Tables whose rows stay in a packed file: all of it, or a part that is counted from the same bytes.

Columns chosen from such a table, runs of its rows and other weights for them need no memory of their own:
codes are borrowed, and so are planes and row bits where the part's rows begin and end with whole words of
them. What a part leaves out then lies between what it uses.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate
from typing import Any, Literal, cast, overload

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import SourceChanged, TableTooLarge
from treewright.limits import format_bytes, memory_limit
from treewright.once import cached_property
from treewright.tables.arrays import Column, Weights, check_weights, code_type
from treewright.tables.packed_file import PackedFile, width_of
from treewright.tables.schema import NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Mask

ALIGNED = 512  # rows that share no word of planes with others, as the core asks for
_MANY_PLANES = 256  # up to so many are looked at together, whatever is used of them
_MOST_UNUSED = 4  # of so many planes at least one is used; else a part builds its own where memory lets it


@dataclass(frozen=True)
class Part:
    """Which columns and rows of a file, and how often each row counts: as the file says, or otherwise."""

    file: PackedFile
    columns: tuple[int, ...]
    begin: int
    n_rows: int
    weights: Weights | Literal["as in the file"] | None

    @property
    def end(self) -> int:
        return self.begin + self.n_rows

    @property
    def has_all_rows(self) -> bool:
        return self.n_rows == self.file.n_rows

    @property
    def is_whole(self) -> bool:
        is_wide = self.columns == tuple(range(len(self.file.schema)))
        return is_wide and self.has_all_rows and isinstance(self.weights, str)

    def array(self, section: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        return self.file.array(section, dtype)[self.begin : self.end]

    @cached_property
    def own_weights(self) -> Weights | None:
        """One for each row; None where rows count once."""
        if not isinstance(self.weights, str):
            return self.weights
        kind, section = self.file.header["weights"], self.file.layout.weights
        if section is None:
            return None
        return cast("Weights", self.array(section, np.float64 if kind == "reals" else np.int64))

    @property
    def can_share_bits(self) -> bool:
        """Whether planes and row bits of the file serve as they are: whole words, columns in order."""
        is_aligned = self.begin % ALIGNED == 0 and (self.end % ALIGNED == 0 or self.end == self.file.n_rows)
        if not is_aligned or list(self.columns) != sorted(self.columns):
            return False
        used = sum(self.file.planes_of(v) for v in self.columns)
        own = (used + 64 * -(-used // 64)) * self.n_rows // 8  # bytes of planes and row bits
        is_sparse = self.file.layout.n_planes > max(_MANY_PLANES, _MOST_UNUSED * used)
        return not is_sparse or own > memory_limit() // 4

    def packed(self) -> _core.PackedTable:
        """The rows as the core counts them, none of them read yet."""
        file, kept = self.file, self.file.layout
        chosen = [file.schema.variables[v] for v in self.columns]
        sections = [kept.columns[v] for v in self.columns]
        codes = [
            (s, width_of(v)) if v.is_discrete else (None, 1) for v, s in zip(chosen, sections, strict=True)
        ]
        bits = (kept.planes, kept.row_bits) if self.can_share_bits else (None, None)
        as_in_file = isinstance(self.weights, str)
        has_sums = as_in_file and self.has_all_rows
        weights = None if as_in_file else self.own_weights
        is_real = as_in_file and file.header["weights"] == "reals"
        total = file.total if has_sums else self.n_rows
        planes = [0, *accumulate(map(file.planes_of, range(len(file.schema))))]
        states = [0, *accumulate(file.schema.cardinalities)]
        others = (*bits, kept.marginals if has_sums else None, kept.weights if as_in_file else None)
        reals = weights is not None and weights.dtype.kind == "f"
        return _core.mapped_table(
            file.mapped, [file.schema.cardinalities[v] for v in self.columns], self.n_rows, codes,
            [kept.wide[v] for v in self.columns], others, is_real, 0 if is_real else int(total), float(total),
            (self.begin, file.n_rows), [*(planes[v] for v in self.columns), planes[-1]],
            [*(states[v] for v in self.columns), states[-1]],
            cast("Any", None if reals else weights), cast("Any", weights if reals else None),
        )  # fmt: skip

    def digest(self) -> str:
        """What the rows are, in 64 letters."""
        if self.is_whole:
            return self.file.digest
        told = [self.file.digest, self.columns, self.begin, self.n_rows]
        if isinstance(self.weights, str):
            return sha256(json.dumps([*told, self.weights]).encode()).hexdigest()
        hashed = sha256(json.dumps(told).encode())
        if self.weights is not None:
            hashed.update(np.ascontiguousarray(self.weights).data)
        return hashed.hexdigest()


class MappedColumns(Sequence[Column]):
    """The columns of a part; each is checked when it is first asked for."""

    def __init__(self, part: Part) -> None:
        self._part = part

    def __len__(self) -> int:
        return len(self._part.columns)

    @overload
    def __getitem__(self, at: int) -> Column: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Column]: ...
    def __getitem__(self, at: int | slice) -> Column | Sequence[Column]:
        if isinstance(at, slice):
            return [self[i] for i in range(len(self))[at]]
        file, place = self._part.file, self._part.columns[at]
        variable = file.schema.variables[place]
        dtype = code_type(variable.cardinality) if variable.is_discrete else np.dtype(np.float64)
        return cast("Column", self._part.array(file.layout.columns[place], dtype))


class MappedMasks(Mapping[int, Mask]):
    """The masks of missing cells of a part, checked like its columns; those that miss any."""

    def __init__(self, part: Part) -> None:
        self._part = part
        masks = part.file.layout.masks
        kept = {at: masks[v] for at, v in enumerate(part.columns) if v in masks}
        self._sections = {at: s for at, s in kept.items() if part.has_all_rows or self._read(s).any()}

    def _read(self, section: int) -> Mask:
        return self._part.array(section, np.bool_)

    def __len__(self) -> int:
        return len(self._sections)

    def __iter__(self) -> Iterator[int]:
        return iter(self._sections)

    def __getitem__(self, v: int) -> Mask:
        return self._read(self._sections[v])


class MappedTable(Table):
    """Rows that stay in their packed file, or a part of them; see :func:`open_table`."""

    __slots__ = ("part",)

    def __init__(self, part: Part) -> None:
        self.part = part
        variables = part.file.schema.variables
        is_all = part.columns == tuple(range(len(variables)))
        self._schema = part.file.schema if is_all else Schema(variables[v] for v in part.columns)
        self._n_rows, self._report = part.n_rows, part.file.report
        self._columns = cast("tuple[Column, ...]", MappedColumns(part))
        self._missing = cast("dict[int, Mask]", MappedMasks(part))

    @property
    def file(self) -> PackedFile:
        return self.part.file

    @property
    def _weights(self) -> Weights | None:  # type: ignore[override]
        return self.part.own_weights

    @property
    def total(self) -> float:
        """What the weights of the rows add up to."""
        if self.part.has_all_rows and isinstance(self.part.weights, str):
            return float(self.file.total)
        weights = self.part.own_weights
        return float(self._n_rows if weights is None else np.sum(weights, dtype=np.float64))

    @property
    def digest(self) -> str:
        """What the rows are, in 64 letters."""
        return self.part.digest()

    @property
    def nbytes(self) -> int:
        """Bytes of the file, of which memory holds what is used."""
        return self.file.sections[-1].end

    def packed(self) -> _core.PackedTable:
        """The rows as the core counts them, none of them read yet."""
        return self.part.packed()

    def select(self, names: Sequence[NameOrIndex]) -> Table:
        """Some columns, in the order given; they stay in the file."""
        chosen = self._schema.scope(names)
        return self._with(columns=tuple(self.part.columns[v] for v in chosen))

    def with_weights(self, weights: npt.ArrayLike | None) -> Table:
        """The same rows with other weights; None counts every row once."""
        return self._with(weights=None if weights is None else check_weights(weights, self._n_rows))

    def with_report(self, report: Any) -> Table:
        """The same rows, told of otherwise."""
        table = self._with()
        table._report = report
        return table

    def _with(self, **changes: Any) -> MappedTable:
        table = MappedTable(replace(self.part, **changes))
        table._report = self._report
        return table

    def take(self, rows: npt.ArrayLike | slice) -> Table:
        """Some rows: a run of neighbours stays in the file, others are copied."""
        if isinstance(rows, slice):
            begin, end, step = rows.indices(self._n_rows)
            if step != 1:
                return super().take(rows)
            end = max(begin, end)
            given = self.part.weights
            own = given if given is None or isinstance(given, str) else given[begin:end]
            return self._with(begin=self.part.begin + begin, n_rows=end - begin, weights=own)
        wanted = np.asarray(rows)
        n = int(np.count_nonzero(wanted)) if wanted.dtype == np.bool_ else wanted.size
        size = Table.estimate_nbytes(self._schema, n)
        if size > memory_limit():
            raise TableTooLarge(
                f"{n:,} rows of {self.file.path!r} take {format_bytes(size)} of memory, more than the "
                f"limit of {format_bytes(memory_limit())}; take fewer, or a slice, which is shared"
            )
        return super().take(rows)

    def _cuts(self, n: int) -> npt.NDArray[np.intp]:
        """Where shards begin: where words of planes do, if they are many rows."""
        cuts = super()._cuts(n)
        if self._n_rows < 2 * ALIGNED * n:
            return cuts
        inner = (cuts[1:-1] + self.part.begin) // ALIGNED * ALIGNED - self.part.begin
        return np.concatenate([cuts[:1], inner, cuts[-1:]])

    def __reduce__(self) -> tuple[Any, ...]:
        part = self.part
        changes = () if part.is_whole else (part.columns, part.begin, part.n_rows, part.weights)
        return open_again, (part.file.path, part.file.digest, *changes)


def open_table(path: str | os.PathLike[str]) -> Table:
    """Open a packed file: the rows stay in it, and what is used of them is paged in.

    Parameters
    ----------
    path
        A file that :func:`pack` wrote.

    Raises
    ------
    FormatError
        For a file that is none, or is damaged. A section whose bytes have changed raises it when the section
        is first used.

    Examples
    --------
    >>> import os, tempfile
    >>> import treewright as tw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rows.twp")
    ...     _ = tw.pack({"smoker": ["no", "yes", "no"]}, path)
    ...     tw.open_table(path)
    Table of 3 rows and 1 column: smoker (2 states)
    """
    file = PackedFile(path)
    return MappedTable(Part(file, tuple(range(len(file.schema))), 0, file.n_rows, "as in the file"))


def open_again(path: str, digest: str, *changes: Any) -> Table:
    """A packed file, or a part of it, that another process had open; other rows are refused."""
    table = open_table(path)
    assert isinstance(table, MappedTable)
    if table.digest != digest:
        raise SourceChanged(f"{path!r} does not hold the rows that it held before; pack or learn again")
    return MappedTable(Part(table.file, *changes)) if changes else table
