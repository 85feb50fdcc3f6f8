"""Many rows of evidence as columns of codes, whatever they came as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from treewright.errors import EvidenceError, TableTooLarge
from treewright.inference.evidence import EvidenceReader
from treewright.limits import format_bytes, memory_limit
from treewright.tables.schema import Label, Schema
from treewright.types import Codes, Mask, Scope


@dataclass(frozen=True)
class EvidenceColumns:
    """Per variable a column of codes (None: never observed) and a mask of cells that are not observed."""

    codes: list[Codes | None]
    missing: list[Mask | None]
    n_rows: int

    @cached_property
    def places(self) -> list[npt.NDArray[np.intp] | None]:
        """The codes as indices, made once for all who look something up."""
        return [None if c is None else c.astype(np.intp) for c in self.codes]

    def without(self, v: int) -> EvidenceColumns:
        """The same rows, blind to one variable."""
        codes, missing = list(self.codes), list(self.missing)
        codes[v] = missing[v] = None
        return EvidenceColumns(codes, missing, self.n_rows)

    def take(self, rows: Mask) -> EvidenceColumns:
        """Some of the rows."""
        codes = [None if c is None else c[rows] for c in self.codes]
        missing = [None if m is None else m[rows] for m in self.missing]
        return EvidenceColumns(codes, missing, int(rows.sum()))

    def repeated(self, n: int) -> EvidenceColumns:
        """A single row, several times."""
        codes = [None if c is None else np.repeat(c, n) for c in self.codes]
        return EvidenceColumns(codes, [None if m is None else np.repeat(m, n) for m in self.missing], n)

    def native(self) -> tuple[list[Codes | None], list[npt.NDArray[np.uint8] | None]]:
        """Codes and masks as the core takes them."""
        codes = [None if c is None else np.ascontiguousarray(c) for c in self.codes]
        return codes, [None if m is None else np.ascontiguousarray(m).view(np.uint8) for m in self.missing]


def columns_from_rows(reader: EvidenceReader, rows: Sequence[Mapping[str, Label]]) -> EvidenceColumns:
    """Rows given as mappings from names to states; a name that is left out or None is not observed.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("a", ("no", "yes")), Variable("b", ("no", "yes"))])
    >>> columns = columns_from_rows(EvidenceReader(schema), [{"a": "yes"}, {}])
    >>> columns.codes[0], columns.missing[0], columns.codes[1]
    (array([1, 0], dtype=uint32), array([False,  True]), None)
    """
    n_variables = len(reader.schema)
    codes: list[Codes | None] = [None] * n_variables
    missing: list[Mask | None] = [None] * n_variables
    for row, given in enumerate(rows):
        if not isinstance(given, Mapping):
            raise EvidenceError(f"rows of evidence are mappings from names to states; row {row} is {given!r}")
        evidence = reader({name: state for name, state in given.items() if state is not None})
        if evidence.weighted:
            name = reader.schema.names[evidence.weighted[0]]
            raise EvidenceError(
                f"rows of evidence are observed states; row {row} has soft evidence on {name!r}"
            )
        for v, code in zip(evidence.observed, evidence.states, strict=True):
            column, mask = codes[v], missing[v]
            if column is None or mask is None:
                column, mask = np.zeros(len(rows), np.uint32), np.ones(len(rows), np.bool_)
                codes[v], missing[v] = column, mask
            column[row], mask[row] = code, False
    return EvidenceColumns(codes, missing, len(rows))


def check_answer_size(schema: Schema, wanted: Scope, n_rows: int) -> None:
    """Refuse an answer that memory would not hold, before it exists."""
    needed = 8 * n_rows * (sum(schema.cardinalities[v] for v in wanted) + 1)
    if needed > memory_limit():
        raise TableTooLarge(
            f"the distributions of {len(wanted)} variables for {n_rows:,} rows take {format_bytes(needed)}, "
            f"above the memory limit of {format_bytes(memory_limit())}; ask for some rows at a time, or "
            "raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
        )
