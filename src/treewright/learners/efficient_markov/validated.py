"""Settings that validation rows choose, one after the other.

A learner says which settings are open and in which order their values are tried. Each setting in turn takes
the value whose graph makes the validation rows most probable, the others staying as they are; a value must be
strictly better than an earlier one. Without validation rows a tenth of the rows is held out for the choice,
and the learner then works on all rows with what was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import SettingError
from treewright.graphs.feature_graph import FeatureGraph
from treewright.learners.efficient_markov.density import LearningRows, checked_rows, learning_rows
from treewright.learners.learned import Learned, Trace, TraceBuilder, keeping
from treewright.statistics.rows import RowSource
from treewright.tables.table import Table
from treewright.types import Progress, Step

SettingsT = TypeVar("SettingsT")
Arrays = tuple[npt.NDArray[Any], ...]
Grow = Callable[[_core.RowSet, SettingsT], tuple[Arrays, dict[str, int | float]]]


@dataclass(frozen=True)
class LearnedFeatureGraph(Learned[FeatureGraph], Generic[SettingsT]):
    """A feature graph with its parameters, and the settings that it was learned with.

    Attributes
    ----------
    settings
        What was given, and what the validation rows chose.
    chosen
        Names of the settings that were chosen.
    valid_log_likelihood
        Mean over the validation rows of the run that won, in nats; None when nothing was chosen.
    notes
        The choice in a sentence; none when there was nothing to choose.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 1] * 50, "b": [0, 1] * 50}))
    >>> learned = tw.learn_cutset_network(counter, smoothing=1.0, min_rows=20)
    >>> learned.chosen, learned.settings.shrinkage in (0.0, 5.0, 20.0)
    (('shrinkage',), True)
    >>> learned.notes[0].partition(":")[2].split()[0]
    'shrinkage'
    """

    settings: SettingsT
    chosen: tuple[str, ...] = ()
    valid_log_likelihood: float | None = None


def learn_chosen(
    counter: RowSource,
    start: SettingsT,
    axes: Mapping[str, Sequence[Any]],
    grow: Grow[SettingsT],
    *,
    valid: Table | None,
    seed: int,
    rounds: int = 1,
    progress: Progress | None = None,
) -> LearnedFeatureGraph[SettingsT]:
    """Choose the open settings, if there are any, and learn with them."""
    trace = TraceBuilder()
    told: dict[str, Any] = {}
    with trace.phase("rows") as tallies:
        both = learning_rows(counter, valid, seed) if axes else None
        rows = checked_rows(counter) if both is None else both.train
        tallies.update(distinct=rows.n_rows)
        if both is not None:
            tallies.update(held_out=both.valid.total if both.held_out else 0)
    if both is not None:
        with trace.phase("settings") as tallies:
            chosen = choose_settings(both, start, axes, grow, rounds=rounds, progress=progress)
            start, score, tallies["runs"] = chosen
        note = f"chosen on {judges(both)}: {described(start, axes)}"
        told = {"chosen": tuple(axes), "valid_log_likelihood": score, "notes": (note,)}
    with trace.phase("graph") as tallies:
        arrays, found = grow(checked_rows(counter) if both is not None and both.held_out else rows, start)
        tallies.update(found)
    ended = trace.build(stopped_by="seconds" if found.get("out_of_time") else "")
    return LearnedFeatureGraph(FeatureGraph(counter.schema, *arrays), ended, settings=start, **told)


def choose_settings(
    rows: LearningRows,
    start: SettingsT,
    axes: Mapping[str, Sequence[Any]],
    grow: Grow[SettingsT],
    *,
    rounds: int = 1,
    progress: Progress | None = None,
) -> tuple[SettingsT, float, int]:
    """One setting after the other, each by the validation rows: the best, its score, how many were tried."""
    known: dict[SettingsT, float] = {}
    kept: list[LearnedFeatureGraph[SettingsT]] = []  # the best graph so far, for who interrupts

    def score(settings: SettingsT) -> float:
        if settings not in known:
            graph = FeatureGraph(rows.schema, *grow(rows.train, settings)[0])
            known[settings] = found = _core.mean_log_likelihood(graph.native, rows.valid)
            if found >= max(known.values()):
                kept[:] = [LearnedFeatureGraph(graph, Trace(), settings, valid_log_likelihood=found)]
            if progress is not None:
                progress(Step(described(settings, axes), len(known), score=known[settings]))
        return known[settings]

    best = start
    with keeping(lambda _: kept[0] if kept else None, "no settings were tried yet"):
        for _ in range(rounds):  # what was chosen last may change what was chosen first
            for name, values in axes.items():
                for value in values:
                    other = replace(best, **{name: value})  # type: ignore[type-var]
                    if score(other) > score(best):
                        best = other
    return best, score(best), len(known)


def described(settings: Any, axes: Mapping[str, Sequence[Any]]) -> str:
    """The values of what is chosen."""
    return ", ".join(f"{name} {getattr(settings, name)}" for name in axes)


def judges(rows: LearningRows) -> str:
    """Whose likelihood decided."""
    share = "a tenth of the rows" if rows.held_out else "the validation rows"
    return f"{share} ({rows.valid.total:,.0f})"


def with_given(settings: SettingsT, **given: Any) -> SettingsT:
    """The settings, with those that were given by themselves in their place."""
    chosen = {name: value for name, value in given.items() if value is not None}
    return replace(settings, **chosen)  # type: ignore[type-var]


def open_settings(settings: Any, axes: Mapping[str, Sequence[Any]]) -> tuple[Any, dict[str, Sequence[Any]]]:
    """Settings that are None take their first value for a start and stay open; the others are not tried."""
    free = {name: values for name, values in axes.items() if getattr(settings, name) is None}
    return replace(settings, **{name: values[0] for name, values in free.items()}), free


def check_numbers(settings: Any, *, least: Mapping[str, float]) -> None:
    """Refuse a number below its least value, or that is not finite."""
    for name, lowest in least.items():
        value = getattr(settings, name)
        if value is not None and not (np.isfinite(value) and value >= lowest):
            raise SettingError(f"{name}= is a number from {lowest:g} on; found {value!r}")


def seed_of(rng: np.random.Generator | None) -> int:
    generator = np.random.default_rng(0) if rng is None else rng
    return int(generator.integers(2**62))
