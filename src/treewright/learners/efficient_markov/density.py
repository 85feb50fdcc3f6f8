"""What learners of mixtures share: models that wait to be weighed, and a meter of the work.

Work is counted, not timed: each step has a price in nanoseconds of one core of 2024 that follows from the
rows and the settings alone. A budget therefore ends a run at the same step on every machine, and reruns agree
to the last bit. The clock is only looked at where `seconds=` asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import SettingError, TableTooLarge
from treewright.graphs.feature_graph import FeatureGraph
from treewright.learners.efficient_markov.row_sets import LearningRows
from treewright.limits import format_bytes, memory_limit
from treewright.types import Floats, Progress, Step


class NativeModel(Protocol):
    """A model of the core: likely rows, and itself as arrays."""

    def log_likelihoods(self, rows: _core.RowSet, /) -> Floats: ...
    def arrays(self) -> tuple[npt.NDArray[np.generic], ...]: ...


@dataclass(frozen=True)
class Candidate:
    """A learned model, with the log-likelihood of every validation row.

    Attributes
    ----------
    name
        What it is, such as ``"hidden 16"``.
    arrays
        Of its feature graph.
    valid_logs
        One number per distinct validation row.
    score
        Their weighted mean.
    steps
        Epochs or steps of EM that it took.
    """

    name: str
    arrays: tuple[npt.NDArray[np.generic], ...]
    valid_logs: Floats
    score: float
    steps: int

    @classmethod
    def of(cls, name: str, model: NativeModel, rows: LearningRows, steps: int) -> Candidate:
        logs = model.log_likelihoods(rows.valid)
        return cls(name, model.arrays(), logs, mean_log(logs, rows.valid), steps)

    def graph(self, rows: LearningRows) -> FeatureGraph:
        return FeatureGraph(rows.schema, *self.arrays)


class Meter:
    """Work done so far, in nominal seconds, and the clock if it was asked for."""

    def __init__(
        self,
        budget: float = np.inf,
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not budget > 0:
            raise SettingError(f"budget= is a number of nominal seconds above 0; found {budget!r}")
        if seconds is not None and not seconds > 0:
            raise SettingError(f"seconds= is a time above 0, or None; found {seconds!r}")
        self.budget = float(budget)
        self.spent = 0.0
        self._end = None if seconds is None else perf_counter() + seconds
        self._progress = progress
        self.stopped_by = ""

    def pay(self, nanoseconds: float) -> None:
        self.spent += nanoseconds * 1e-9

    def left(self, share: float = 1.0) -> float:
        """Nominal seconds until a share of the budget is used up."""
        return max(share * self.budget - self.spent, 0.0)

    def is_late(self) -> bool:
        """Whether the clock, if there is one, has run out."""
        if self._end is not None and perf_counter() > self._end:
            self.stopped_by = "seconds"
        return bool(self.stopped_by)

    def tell(self, model: str, step: int, score: float) -> None:
        if self._progress is not None:
            self._progress(Step(model, step, score=score))


def mean_log(logs: Floats, rows: _core.RowSet) -> float:
    """The mean over rows, each with its weight."""
    return float((logs * rows.weights).sum() / rows.total)


def refuse_wide(rows: LearningRows) -> None:
    """Counts of all pairs of states have to fit."""
    planes = sum(r - 1 for r in rows.schema.cardinalities)
    needed = 16 * planes * planes
    if needed > memory_limit():
        raise TableTooLarge(
            f"counts of all pairs of {planes + len(rows.schema):,} states need {format_bytes(needed)}; the "
            f"limit is {format_bytes(memory_limit())}: bin or merge states, or raise it with "
            "tw.set_memory_limit"
        )
