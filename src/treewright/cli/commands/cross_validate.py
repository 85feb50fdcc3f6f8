"""`treewright cross-validate`: how well methods explain rows that they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from treewright.automatic import learn
from treewright.automatic import rows as automatic
from treewright.cli import options as opt
from treewright.cli.answers.output import Lines, Output, heading, listing, remark
from treewright.cli.commands.learn import fit_learned
from treewright.cli.data import DataOptions
from treewright.cli.learning import prepared
from treewright.cli.learning.methods import METHODS, method_for
from treewright.cli.learning.options import LearnOptions
from treewright.cli.learning.task import Task
from treewright.cli.options import command, say
from treewright.criteria import registry
from treewright.models.model import AnyModel
from treewright.reports.cross_validation import CrossValidation
from treewright.reports.cross_validation import cross_validate as judge
from treewright.statistics import ClusterCounter, Counter
from treewright.tables._reading.missing import GapPolicy
from treewright.tables.exports import counted
from treewright.tables.packed_file import is_packed
from treewright.tables.report import listed
from treewright.tables.table import Table
from treewright.types import Step

_USUAL = ["auto", "chow-liu", "bounded", "hill-climbing"]


@dataclass(frozen=True, kw_only=True)
class CrossOptions(DataOptions):
    """The options of the command: those of reading, and how to learn and deal."""

    data: opt.Data
    method: list[str] | None = say(  # noqa: RUF009
        f"A method of `learn`; repeat for more. {', '.join(_USUAL)} by default.", "-m", metavar="NAME"
    )
    score: str | None = say("What the methods maximise; by default what suits each.", "-s", metavar="NAME")
    treewidth: int | None = say(
        "How wide a network may be, for methods that bound it.", "-k", min=1, metavar="K"
    )
    folds: int = say("How many parts the rows are dealt into.", "-f", default=10, min=2, metavar="N")
    missing: opt.MissingOption = opt.Missing.auto
    seed: opt.Seed = None
    dask: str | None = say(
        "Have the workers of a Dask cluster learn; the address of its scheduler. DATA are packed files that "
        "they see.",
        metavar="ADDRESS",
    )


@command("threads", "memory")
def cross_validate(out: Output, options: CrossOptions) -> None:
    """Judge methods by rows that they have not seen: the mean log-likelihood per row, with its error.

    The rows are dealt into folds; each method learns from all but one, which it is judged by, in turn. All
    methods see the same folds, so the column "behind" compares them row by row.

    Example: treewright cross-validate survey.csv -m chow-liu -m knots --folds 5
    """
    names = list(dict.fromkeys(options.method or _USUAL))
    ways: dict[str, Any] = {name: _way(options, name) for name in names}
    options = replace(options, missing=_policy(options, names))
    prepared.check_score(options.score, None)
    with out.progress("reading", total=1) as update:
        options.refuse_different_columns(options.data, names[0])
        rows, left_out = rows_to_judge(options)

        def tell(step: Step) -> None:
            update(step.done / (step.of or 1), step.phase)

        rng = np.random.default_rng(options.seed or 0)
        found = judge(ways, rows, folds=options.folds, rng=rng, progress=tell, client=options.dask)
    said = [*left_out, *(remarks_on(rows, names) if isinstance(rows, Table) else [])]
    out.answer(
        lambda: {**document(found), "notes": said},
        shown=lambda: [*shown(found), *(remark(f"  {one}") for one in said)],
        bare=lambda: rows_of(found),
    )


def _policy(options: CrossOptions, names: list[str]) -> opt.Missing:
    """What becomes of gaps: the default settles them by itself, and then the others learn from all rows."""
    if options.missing != opt.Missing.auto:
        return options.missing
    return opt.Missing.em if "auto" in names else opt.Missing.error


def rows_to_judge(options: CrossOptions) -> tuple[Table | ClusterCounter, list[str]]:
    """Pieces of labels that workers have, or all rows; of numbers alone those that miss nothing."""
    if options.dask is not None and not (len(options.data) == 1 and is_packed(options.data[0])):
        return on_workers(options), []
    table = options.read(options.data)
    if options.dask is not None and not table.has_missing and all(v.is_discrete for v in table.schema):
        return on_workers(options), []
    whole = automatic.is_complete(table)
    if any(v.is_discrete for v in table.schema) or whole.all():
        return table, []
    said = f"{counted(int((~whole).sum()), 'row')} with gaps left out, as `learn` does with numbers alone"
    return table.take(whole), [said]


def on_workers(options: CrossOptions) -> ClusterCounter:
    """Pieces; rows that miss something are left out, or get a state, where that was said."""
    how = options.missing if options.missing in (opt.Missing.drop, opt.Missing.state) else opt.Missing.error
    return replace(options, missing=how).open_cluster(options.data, options.dask)


def remarks_on(table: Table, names: list[str]) -> list[str]:
    """What ways of learning do with the numbers among labels and with the gaps, each by the rows it sees."""
    said, others = [], " of the other methods" if "auto" in names else ""
    numbers = [v.name for v in table.schema if not v.is_discrete]
    if 0 < len(numbers) < len(table.schema):
        if names != ["auto"]:
            said.append(
                f"numbers among labels were cut into {automatic.INTERVALS} intervals of equal frequency by "
                f"the rows that each model{others} learned from: {listed(numbers)}; --bins cuts them "
                "otherwise, --ignore leaves columns out"
            )
        said.append("numbers are judged by their density, that of an interval even over its width")
    if table.has_missing and names != ["auto"]:
        said.append(
            f"each model{others} took its structure from rows that miss nothing, its tables from all by EM"
        )
    return said


def _way(options: CrossOptions, name: str) -> Callable[[Table | Counter], AnyModel]:
    """A method of `learn` as a function from rows to a model."""
    asked = LearnOptions(data=options.data, method=name, seed=options.seed, missing=options.missing)
    method = method_for(asked)
    if options.score is not None and method.own_score is None:
        asked = replace(asked, score=options.score)
    if options.treewidth is not None and "treewidth" in method.options:
        asked = replace(asked, treewidth=options.treewidth)
    return partial(learn_rows, asked)


def learn_rows(options: LearnOptions, rows: Table | Counter) -> AnyModel:
    """Learn and fit, without a word; numbers among labels are cut by these rows alone."""
    rng = np.random.default_rng(options.seed or 0)
    if isinstance(rows, Table) and options.method == "auto" and options.score is None:
        how = cast("GapPolicy", options.missing.value)
        return learn(rows, treewidth=options.treewidth, missing=how, rng=rng).model
    method = METHODS[options.method]
    if isinstance(rows, Table) and options.score not in registry.CONTINUOUS_SCORES:
        rows, _ = automatic.cut_numbers(rows)
    criterion = prepared.score_for(rows.schema, options.score, method.score)
    task = Task(prepared.prepare_rows(rows, criterion), options, rng=rng)
    return fit_learned(method.learn(task), task)[0]


def document(found: CrossValidation) -> dict[str, Any]:
    return {
        "rows": found.n_rows,
        "folds": found.folds.shape[1],
        "best": found.best,
        "methods": {
            name: {
                "log_likelihood": found.means[w],
                "error": found.errors[w],
                "behind": found.behind[w],
                "behind_error": found.behind_errors[w],
                "folds": found.folds[w],
                "seconds": found.seconds[w],
            }
            for w, name in enumerate(found.names)
        },
    }


def rows_of(found: CrossValidation) -> list[tuple[str, float, float]]:
    numbers = zip(found.names, found.means.tolist(), found.errors.tolist(), strict=True)
    return list(numbers)


def shown(found: CrossValidation) -> Lines:
    yield heading(f"log-likelihood per row in nats: {found.folds.shape[1]} folds of {found.n_rows:,} rows")
    columns = ["mean", "error", "behind", "its error", "seconds"]
    table = listing("method", *columns, numeric=columns)
    for w in np.argsort(-found.means, kind="stable").tolist():
        numbers = (found.means[w], found.errors[w], found.behind[w], found.behind_errors[w])
        table.add_row(found.names[w], *(f"{number:.4f}" for number in numbers), f"{found.seconds[w]:.1f}")
    yield table
    yield remark(
        "  behind: how much less than the best, row by row; beyond twice its error it is no accident"
    )
