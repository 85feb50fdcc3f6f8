"""What a model's engine answers: the protocol behind the asking face."""

from __future__ import annotations

from typing import NoReturn, Protocol

from treewright.inference.batch import EvidenceColumns
from treewright.inference.cost import Cost
from treewright.inference.evidence import Evidence
from treewright.types import Cells, Codes, Scope


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
