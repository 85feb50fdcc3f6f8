"""`learn --set-by`: rows from experiments, in which a column names what was set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright.automatic.experiments import made_rows, search_made
from treewright.automatic.rows import cut_numbers
from treewright.cli.learning.methods import Method
from treewright.cli.learning.options import LearnOptions
from treewright.cli.learning.prepared import PreparedRows, Rows, read_rows
from treewright.cli.learning.task import Task
from treewright.cli.options import Missing
from treewright.criteria import ExperimentScore, GTest
from treewright.errors import SettingError
from treewright.models import fit
from treewright.statistics import count
from treewright.tables.table import Table

_OF_ROWS = ("rows", "bootstrap", "checkpoint", "mode", "dask", "order")


def read_made(options: LearnOptions, method: Method) -> tuple[LearnOptions, Rows, list[str], Method]:
    """The rows without the column of what was set, and a method that knows what it said."""
    refused = [name for name in _OF_ROWS if getattr(options, name) is not None]
    if refused:
        raise SettingError(f"--set-by takes all rows of one table as they are; leave --{refused[0]} out")
    if options.missing not in (Missing.auto, Missing.drop, Missing.error):
        raise SettingError(
            f"--set-by learns from rows that miss nothing; found --missing {options.missing.value}, take drop"
        )
    is_strict = options.missing == Missing.error
    read = options if is_strict else replace(options, missing=Missing.em)
    table = read_rows(options.data, read, options.method, several=False)
    if not isinstance(table, Table):
        raise SettingError("--set-by takes one table of rows")
    table, cut = cut_numbers(table, cut="--bins", leave_out="--ignore")
    experiments, said = made_rows(table, str(options.set_by))

    def learn(task: Task) -> Any:
        asked = {"treewidth": options.treewidth, "seconds": options.seconds, "rng": task.rng, **task.common()}
        return search_made(experiments, task.rows.score_name, asked, ess=options.ess)

    def prepare(rows: Any, score: str, ess: float | None, checkpoint: str | None) -> PreparedRows:
        counter = count(experiments.table)
        return PreparedRows(
            rows,
            score,
            ExperimentScore(experiments, score, ess=ess),
            lambda alpha: GTest(counter, alpha=alpha),
            lambda dag: (fit(dag, experiments), []),
            experiments.table,
            counter,
        )

    method = replace(method, learn=learn, prepare=prepare, score="bic")  # as tw.learn
    return replace(options, missing=Missing.drop), experiments.table, [*cut, *said], method
