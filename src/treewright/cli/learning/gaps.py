"""How `learn` learns from rows with gaps: by EM, or each table from the rows that show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from treewright.automatic.densities_em import fill_density
from treewright.automatic.gaps import indicators_in, remark_on_gaps, with_indicators, with_known_indicators
from treewright.automatic.mixed_em import RoundsOfBoth
from treewright.automatic.numbers_em import RoundsOfNumbers, refuse_way
from treewright.automatic.rows import fit_all_rows
from treewright.automatic.structural_em import Gaps, LabelsWithGaps, fill, fill_suitably, learn_available
from treewright.cli.learning.methods import Method
from treewright.cli.learning.options import LearnOptions
from treewright.cli.learning.prepared import (
    PreparedRows,
    Rows,
    prepare_counter,
    prepare_expected,
    prepare_moments,
)
from treewright.cli.learning.task import Task
from treewright.cli.options import Missing
from treewright.errors import SettingError
from treewright.graphs import Knowledge
from treewright.learners import Learned, learn_hill_climbing
from treewright.models.fitting.em_mixed import alone
from treewright.statistics import AvailableCounter, count
from treewright.statistics.gaps.expected_moments import NumbersWithGaps
from treewright.tables.databases import Databases
from treewright.tables.table import Table

_BY_TESTS = ("pc", "tpda")  # which judge each test by the rows that show its columns
_AVAILABLE = ("auto", "chow-liu", "tabu", *_BY_TESTS)
Run = Callable[[Callable[[Task], Learned[Any]], Task], Learned[Any]]


def as_settled(asked: Missing, options: LearnOptions, rows: Rows) -> Missing:
    """What becomes of gaps: what was asked for, or what was settled for numbers kept among labels."""
    is_open = asked == Missing.auto and isinstance(rows, Table) and is_both(rows)
    return options.missing if is_open else asked


def take_all_rows(asked: Missing, options: LearnOptions, method: Method, rows: Rows) -> bool:
    """Whether rows with gaps have a say in the structure; otherwise it is that of complete rows."""
    wanted = asked in (Missing.em, Missing.available, Missing.indicator)
    is_able = (method.own_score is None or (method.is_density and asked == Missing.em)) and (
        not method.joins_tables
    )
    if asked in (Missing.available, Missing.indicator) and not is_able:
        raise SettingError(
            f"--missing {asked.value} is for methods that learn a network from one table; --method "
            f"{options.method} takes --missing drop, state or em"
        )
    if asked == Missing.available and options.method not in _AVAILABLE:
        raise SettingError(
            f"--missing available is for --method {', '.join(_AVAILABLE)}, since counts of different rows do "
            f"not score equivalent networks alike; --method {options.method} takes --missing em"
        )
    is_plain = options.rows is None and options.checkpoint is None
    if not isinstance(rows, Table) or not rows.has_missing or not wanted:
        return False
    is_known = all(one.is_discrete for one in rows.schema)
    if is_both(rows):
        if asked == Missing.available:
            raise SettingError(
                "--missing available is for labels or numbers alone, and these columns are both; --missing "
                "em learns from all rows, --bins 4 makes labels of the numbers"
            )
        is_known = options.method in ("auto", "mixed")
    elif is_numbers(rows):
        if asked != Missing.em:
            refuse_way(f"--missing {asked.value}", "--missing em")
        is_known = options.method not in _BY_TESTS and options.score != "sigmoid-bic"
    return is_able and is_plain and is_known


def is_both(table: Table) -> bool:
    """Whether some columns have labels and others numbers."""
    return len({one.is_discrete for one in table.schema}) == 2


def is_numbers(table: Table) -> bool:
    """Whether no column has labels."""
    return not any(one.is_discrete for one in table.schema)


def add_indicators(table: Table, knowledge: Knowledge | None) -> tuple[Table, Knowledge]:
    """The indicators of gaps as columns, and what is known about them."""
    marked = with_indicators(table)
    return marked, with_known_indicators(knowledge, marked)


def with_the_same_indicators(rows: Table, valid: Table | Databases | None) -> Table | Databases | None:
    """Rows held out, with a column for each indicator that the others have."""
    return with_indicators(valid, indicators_in(rows)[0]) if isinstance(valid, Table) else valid


def prepare_available(table: Table, score: str, ess: float | None) -> PreparedRows:
    """Rows with gaps, each table from those that show it."""
    if is_both(table):
        return prepare_expected(table, alone(table))
    if is_numbers(table):
        return prepare_moments(table, NumbersWithGaps(table).available)
    counter = AvailableCounter(table)
    fit = lambda dag: fit_all_rows(dag, table, None)  # noqa: E731
    return replace(prepare_counter(counter, score, ess), source=table, fit=fit)


def search_all_rows(
    asked: Missing, method: Method, task: Task, run: Run
) -> tuple[Learned[Any], Task, list[str]]:
    """What the method finds in rows with gaps, and the task that says what was made of them.

    Tests judge by the rows that show their columns; scores take counts as they are expected.
    """
    table, ess, name = task.rows.table, task.options.ess, task.rows.score_name
    assert table is not None
    said = remark_on_gaps(table.select(indicators_in(table)[1]) if asked == Missing.indicator else table)
    options = {**task.common(), "treewidth": task.options.treewidth, "rng": task.rng}
    options["seconds"] = task.options.seconds
    if asked == Missing.available and task.options.method == "auto":
        return run(lambda _: learn_available(table, options), task), task, said
    if asked == Missing.available or task.options.method in _BY_TESTS:
        return run(method.learn, task), task, said

    if method.is_density:
        return search_density(method, task, table, run)
    gaps, prepare = rounds_of(table, name, ess)

    def search(counter: Any) -> Learned[Any]:
        return run(method.learn, replace(task, rows=prepare(counter)))

    def quick(counter: Any) -> Learned[Any]:
        return learn_hill_climbing(prepare(counter).score, effort=0, knowledge=task.known())

    if task.options.method == "auto" and task.options.score is None:
        filled = fill_suitably(gaps, options, lambda find, counter: run(lambda _: find(counter), task))
    else:
        filled = fill(
            gaps,
            search,
            lambda counter: prepare(counter).score,
            quick=quick if task.options.method in ("auto", "knots") else None,
            progress=task.progress,
        )
    fit = lambda dag: (filled.model, [filled.about(table)])  # noqa: E731
    ready = replace(prepare(filled.counter), source=table, fit=fit, fills_gaps=True)
    return replace(filled.learned, score=filled.score), replace(task, rows=ready), said


def search_density(
    method: Method, task: Task, table: Table, run: Run
) -> tuple[Learned[Any], Task, list[str]]:
    """What a method that walks whole rows learns from rows whose gaps are drawn."""

    def learn(rows: Table, valid: Table) -> Learned[Any]:
        ready = prepare_counter(count(rows), task.rows.score_name, task.options.ess)
        return run(method.learn, replace(task, rows=ready, valid=valid))

    valid = task.valid if isinstance(task.valid, Table) else None
    filled = fill_density(table, learn, valid=valid, seed=int(task.rng.integers(2**31)))
    ready = replace(task.rows, source=table, fills_gaps=True)
    return filled.learned, replace(task, rows=ready), [*remark_on_gaps(table), filled.about(table)]


def rounds_of(
    table: Table, score: str, ess: float | None
) -> tuple[Gaps[Any, Any], Callable[[Any], PreparedRows]]:
    """Rows with gaps as rounds ask of them, and what a method gets to work with in each."""
    if is_both(table):
        return RoundsOfBoth(table), lambda found: prepare_expected(table, found)
    if is_numbers(table):
        return RoundsOfNumbers(table), lambda found: prepare_moments(table, found)
    return LabelsWithGaps(table), lambda counter: prepare_counter(counter, score, ess)
