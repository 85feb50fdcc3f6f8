"""What a model's engine is made of, answers and costs: the protocol behind the asking face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, Protocol

from treewright.inference.batch import EvidenceColumns
from treewright.inference.evidence import Evidence
from treewright.limits import format_bytes, format_count
from treewright.types import Brief, Cells, Codes, Scope


class Engine(Protocol):
    """Exact answers about one distribution, in codes.

    Every answer comes with the natural logarithm of the mass of its evidence; minus infinity says that the
    evidence is impossible, and the numbers beside it then mean nothing.
    """

    def marginals(self, evidence: Evidence) -> tuple[Cells, float]:
        """The distribution of every variable, one after another in one flat array."""
        ...

    def joint(self, targets: Scope, evidence: Evidence = ...) -> tuple[Cells, float]:
        """The joint distribution of the targets, one axis each."""
        ...

    def log_mass(self, evidence: Evidence = ...) -> float:
        """How much of the distribution agrees with the evidence."""
        ...

    def most_probable(self, evidence: Evidence) -> tuple[list[int], float]:
        """The codes of the most probable joint state, and the log of its mass; ties to lower codes."""
        ...

    def sample(
        self, n: int, evidence: Evidence, *, seed: int, first_row: int = 0
    ) -> tuple[list[Codes], float]:
        """Rows of the distribution given the evidence; row r depends on the seed and r alone."""
        ...

    def marginals_many(self, columns: EvidenceColumns, wanted: Scope) -> tuple[Cells, Cells]:
        """Distributions of some variables given each of many rows of evidence, and log masses.

        One row of numbers per row of evidence, the variables side by side; an impossible row holds NaN.
        """
        ...

    def cost(self, evidence: Evidence = ..., targets: Scope = ...) -> Cost:
        """What all marginals (or the joint of some targets) would cost."""
        ...

    def refuse_impossible(self, evidence: Evidence) -> NoReturn:
        """Say which part of impossible evidence cannot happen."""
        ...


@dataclass(frozen=True)
class Factor(Brief):
    """A table over a scope, one axis per variable in the order of the scope.

    Examples
    --------
    >>> import numpy as np
    >>> Factor((0, 2), np.array([[0.9, 0.1], [0.4, 0.6]])).table.shape
    (2, 2)
    """

    scope: Scope
    table: Cells


@dataclass(frozen=True)
class Cost(Brief):
    """The price of one question.

    `width` is the number of variables in the largest table less one; `largest_table` their names and
    `largest_cells` its cells, exactly, however many. `bytes` is the memory for all tables and messages: large
    tables are walked through in tiles rather than stored, so it may be less than the largest table alone
    would take. `operations` are multiplications and additions on single cells, `seconds` a guess from these
    for one thread. A `refused` question exceeds the memory limit and would raise :class:`TableTooLarge`; it
    is not planned to its end, and the figures are those of the first table that settled the refusal.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> load_network("asia").cost().width
    2
    """

    width: int
    largest_table: tuple[str, ...]
    largest_cells: int
    bytes: int
    operations: int
    seconds: float
    refused: bool = False

    def __str__(self) -> str:
        verdict = "; above the memory limit" if self.refused else ""
        return (
            f"width {self.width}, largest table {format_count(self.largest_cells)} cells, "
            f"{format_bytes(self.bytes)}, {format_count(self.operations)} operations, "
            f"about {self.seconds:.3g} s{verdict}"
        )
