"""What density learners share: their rows, models that wait to be weighed, and a meter of the work.

Work is counted, not timed: each step has a price in nanoseconds of one core of 2024 that follows from the
rows and the settings alone. A budget therefore ends a run at the same step on every machine, and reruns agree
to the last bit. The clock is only looked at where `seconds=` asks for it.

Rows are distinct, weighted, sorted, and some of them held out. Columns are taken in the order of their names
and rows in that of their content, so what is learned does not depend on how a table was arranged. Where no
validation rows are given, a tenth of the rows is held out; which ones is a matter of the seed and of the
rows' content.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import SchemaError, SettingError, TableTooLarge, nearest
from treewright.graphs.feature_graph import FeatureGraph
from treewright.limits import format_bytes, memory_limit
from treewright.statistics.rows import MOST_STATES, RowSource, native_rows, row_blocks_of
from treewright.statistics.whole import count
from treewright.tables.schema import Schema
from treewright.tables.sharded import recoded
from treewright.tables.table import Table
from treewright.types import Floats, Progress, Step

HELD_OUT = 0.1  # of the rows, where nobody gave others


@dataclass(frozen=True)
class LearningRows:
    """Rows to learn from and rows to choose by."""

    schema: Schema
    train: _core.RowSet
    valid: _core.RowSet
    held_out: bool  # whether the validation rows were taken from the counter's own


def learning_rows(counter: RowSource, valid: Table | None, seed: int) -> LearningRows:
    """The rows of a counter, and those given to choose by or else a tenth of them."""
    schema, whole = counter.schema, checked_rows(counter)
    theirs = None if valid is None else checked_rows(count(same_columns(schema, valid)))
    if theirs is not None and not theirs.n_rows:
        raise SettingError("valid= has no rows to choose by; leave it out to hold out a tenth of the rows")
    if not whole.n_rows:
        raise SettingError("there are no rows to learn from, or all have weight zero")
    if theirs is not None:
        return LearningRows(schema, whole, theirs, held_out=False)
    train, held = _core.hold_out(whole, HELD_OUT, seed)
    if not (train.n_rows and held.n_rows):
        return LearningRows(schema, whole, whole, held_out=True)  # too few rows to spare any
    return LearningRows(schema, train, held, held_out=True)


_FEWEST = 1_000  # rows that a model is learned from, if there are as many


def thinned(
    rows: LearningRows, price: float, allowance: float, seed: int, *, fewest: float = _FEWEST
) -> LearningRows:
    """So many of the training rows, drawn by content, as may be learned from; `price` is that of all."""
    share = max(allowance / price if price > 0 else 1.0, fewest / rows.train.total)
    if share >= 1:
        return rows
    part = _core.hold_out(rows.train, share, seed)[1]
    return replace(rows, train=part) if part.n_rows else rows


def checked_rows(counter: RowSource) -> _core.RowSet:
    """The distinct rows behind a counter, columns by name."""
    for variable in counter.schema:
        if not variable.is_discrete:
            raise SchemaError(
                f"{variable.name!r} is continuous; this learner takes discrete columns: read it with bins=, "
                "or leave it out with table.select"
            )
        if variable.cardinality > MOST_STATES:
            raise SchemaError(
                f"{variable.name!r} has {variable.cardinality:,} states; this learner takes up to "
                f"{MOST_STATES:,}: merge states, or leave the column out with table.select"
            )
    if not len(counter.schema):
        raise SchemaError("there are no columns to learn from")
    blocks = row_blocks_of(counter)
    if not blocks:
        raise SettingError(
            f"this learner looks at rows, and a {type(counter).__name__} has none to show; count a table in "
            "memory with tw.count(table)"
        )
    return native_rows(blocks)


def same_columns(schema: Schema, table: Table) -> Table:
    """The columns of a schema, with its states, from a table that has at least these."""
    for variable in schema:
        if variable.name not in table.schema:
            raise SchemaError(
                f"valid= lacks the column {variable.name!r}; its columns are "
                f"{nearest(variable.name, table.schema.names)}"
            )
        known = set(variable.states or ())
        strange = [state for state in table.schema[variable.name].states or () if state not in known]
        if strange or table.schema[variable.name].is_discrete != variable.is_discrete:
            raise SchemaError(
                f"valid= has {variable.name}={strange[0]!r}, a state that the rows to learn from do not "
                "know; read both with one schema="
                if strange
                else f"{variable.name!r} is continuous in valid= and discrete in the rows to learn from"
            )
    return recoded(table.select(schema.names), schema)


class NativeModel(Protocol):
    """A model of the core: it tells how likely rows are, and its own parameters as arrays."""

    def log_likelihoods(self, rows: _core.RowSet, /) -> Floats: ...
    def arrays(self) -> tuple[npt.NDArray[np.generic], ...]: ...


@dataclass(frozen=True)
class Candidate:
    """A learned model, with the log-likelihood of every validation row."""

    name: str  # such as "hidden 16"
    arrays: tuple[npt.NDArray[np.generic], ...]  # of its feature graph
    valid_logs: Floats  # one number per distinct validation row
    score: float  # their weighted mean
    steps: int  # epochs or steps of EM that it took

    @classmethod
    def of(cls, name: str, model: NativeModel, rows: LearningRows, steps: int) -> Candidate:
        logs = model.log_likelihoods(rows.valid)
        return cls(name, model.arrays(), logs, mean_log(logs, rows.valid), steps)

    def graph(self, rows: LearningRows) -> FeatureGraph:
        return FeatureGraph(rows.schema, *self.arrays)


class Meter:
    """Work done so far, in nominal seconds, and the clock if it was asked for."""

    def __init__(
        self, budget: float = np.inf, *, seconds: float | None = None, progress: Progress | None = None
    ) -> None:
        if not budget > 0:
            raise SettingError(f"budget= is a number of nominal seconds above 0; found {budget!r}")
        if seconds is not None and not seconds > 0:
            raise SettingError(f"seconds= is a time above 0, or None; found {seconds!r}")
        self.budget, self.spent, self.stopped_by = float(budget), 0.0, ""
        self._end = None if seconds is None else perf_counter() + seconds
        self._progress = progress

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
