"""What a method of `learn` gets to work with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.cli.learning.prepared import PreparedRows, complete_rows
from treewright.criteria import GaussianBIC, IndependenceTest, LocalScore, MixedBIC
from treewright.errors import SchemaError
from treewright.graphs import Knowledge
from treewright.learners.classes.chow_liu import with_order
from treewright.tables.databases import Databases
from treewright.tables.table import Table
from treewright.types import Progress

if TYPE_CHECKING:
    from treewright.cli.learning.options import LearnOptions

DEFAULT_TREEWIDTH = 4


@dataclass(frozen=True)
class Task:
    """Rows, the options as they were said, and the files that they named."""

    rows: PreparedRows
    options: LearnOptions
    order: Sequence[str] | None = None
    knowledge: Knowledge | None = None
    hypergraph: Sequence[Sequence[str]] | None = None
    valid: Table | Databases | None = None
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    progress: Progress | None = None
    is_asked_again: bool = False  # from resampled rows, whose repetitions look like dependence to a test

    @property
    def score(self) -> LocalScore:
        return self.rows.score

    @property
    def counter(self) -> Any:
        if self.rows.counter is None:
            raise SchemaError(
                "this method is for discrete columns; cut continuous ones into intervals with --bins 4"
            )
        return self.rows.counter

    @property
    def statistics(self) -> Any:
        """Counts, or moments where columns are continuous."""
        return self.score.moments if isinstance(self.score, GaussianBIC | MixedBIC) else self.counter

    def test(self, alpha: float) -> IndependenceTest:
        """An independence test of the level of `--alpha`, else of this one."""
        return self.rows.test(alpha if self.options.alpha is None else self.options.alpha)

    def effort(self, default: int) -> int:
        return default if self.options.effort is None else self.options.effort

    def treewidth(self, default: int = DEFAULT_TREEWIDTH) -> int:
        return default if self.options.treewidth is None else self.options.treewidth

    def known(self) -> Knowledge | None:
        """What is known, the order included."""
        return with_order(self.knowledge, self.score.schema, self.order)

    def common(self) -> dict[str, Any]:
        """What every learner of edges takes."""
        return {"knowledge": self.known(), "progress": self.progress}

    def held_out(self) -> dict[str, Any]:
        """What every learner takes that chooses its settings by held-out rows."""
        valid = complete_rows(self.valid) if isinstance(self.valid, Table) else None
        return {"valid": valid, "rng": self.rng, "progress": self.progress}

    def left_out(self, what: str) -> list[str]:
        """A remark where rows that miss cells had no say."""
        rows, n = self.counter.n_rows, self.rows.source.n_rows
        return [f"{what} the {rows:,} of {n:,} rows that miss nothing"] if rows < n else []
