"""`treewright inspect`: what each column is, what is missing, and what learning will make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from treewright.cli import options as opt
from treewright.cli.answers.given import written_states
from treewright.cli.answers.output import Lines, Output, heading, listing, remark
from treewright.cli.data import DataOptions, remarks_on
from treewright.tables.exports import counted
from treewright.tables.report import ColumnReport, Report, listed
from treewright.tables.schema import Variable
from treewright.tables.table import Table

EMPTY = "holds no value"
_LISTED_STATES = 50
_SHOWN_STATES = 5


@dataclass(frozen=True, kw_only=True)
class InspectOptions(DataOptions):
    """What `inspect` takes beside how to read."""

    data: opt.Data


@opt.command()
def inspect(out: Output, options: InspectOptions) -> None:
    """Show what each column is, what is missing, and what will be done about it.

    Example: treewright inspect survey.csv --bins 4
    """
    with out.progress("reading"):
        # a look must not fail for want of a policy: see the gaps, and say what learning would say
        looked = replace(options, missing=opt.Missing.em) if options.missing == "error" else options
        table, empty = looked.read_what_holds(options.data)
    assert table.report is not None
    report = replace(table.report, ignored=reasons(table.report, empty))
    n_gaps = rows_with_gaps(table) + report.n_dropped
    out.answer(
        lambda: document(table, report, options, n_gaps),
        shown=lambda: shown(table, report, options, n_gaps),
        bare=lambda: (
            (c.name, c.kind, "" if c.n_states is None else c.n_states, c.n_missing) for c in report.columns
        ),
    )


def reasons(report: Report, empty: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Why columns are left out, in the words of this command."""
    return tuple(
        (name, EMPTY if name in empty else "--ignore" if reason == "not asked for" else reason)
        for name, reason in report.ignored
    )


def rows_with_gaps(table: Table) -> int:
    """Rows that miss a cell and are still there."""
    return int(reduce(np.logical_or, table.missing.values()).sum()) if table.has_missing else 0


def document(table: Table, report: Report, options: DataOptions, n_gaps: int) -> dict[str, Any]:
    plain = report.to_dict()
    for column, variable in zip(plain["columns"], table.schema, strict=True):
        column["states"] = None if variable.states is None else written_states(variable)[:_LISTED_STATES]
        column["action"] = action(report[variable.name], options)
    return {
        "rows": report.n_rows,
        "rows_read": report.n_rows_read,
        "rows_dropped": report.n_dropped,
        "rows_with_missing": n_gaps,
        "missing": options.missing,
        "constant": list(report.constant),
        "identifiers": list(report.identifiers),
        "columns": plain["columns"],
        "ignored": plain["ignored"],
        "notes": plain["notes"],
        "plan": plan(report, options, n_gaps),
    }


def shown(table: Table, report: Report, options: DataOptions, n_gaps: int) -> Lines:
    yield heading(f"{counted(report.n_rows_read, 'row')}, {counted(len(table.schema), 'column')}")
    columns = listing("column", "is", "states", "missing", "why", "what will be done", numeric=["missing"])
    for variable, column in zip(table.schema, report.columns, strict=True):
        columns.add_row(
            column.name,
            column.kind,
            states_in_brief(variable),
            f"{column.n_missing:,}" if column.n_missing else "",
            column.reason,
            action(column, options),
        )
    for name, reason in report.ignored:
        done = "leave it out: --ignore" if reason == EMPTY else "left out"
        columns.add_row(name, "ignored", "", "", reason, done, style="dim")
    yield columns
    for line in plan(report, options, n_gaps):
        yield f"  {line}"
    for note in report.notes:
        yield remark(f"  {note}")


def states_in_brief(variable: Variable) -> str:
    if variable.states is None:
        return ""
    texts = written_states(variable)
    more = f", … ({len(texts):,})" if len(texts) > _SHOWN_STATES else ""
    return ", ".join(texts[:_SHOWN_STATES]) + more


def action(column: ColumnReport, options: DataOptions) -> str:
    """What learning will do with a column."""
    if column.is_identifier:
        return "leave it out: --ignore"
    if column.kind == "continuous":
        return "needs intervals: --bins"
    if column.is_constant:
        return "kept; nothing depends on it"
    done = [note for note in column.notes if note]
    if column.is_binned and not done:
        done = ["cut into intervals"]
    if column.n_missing and options.missing == "state":
        done.append("missing is a state")
    return "; ".join(done) or "kept"


def plan(report: Report, options: DataOptions, n_gaps: int) -> list[str]:
    """What learning will do with the rows, in sentences."""
    lines = []
    if n_gaps:
        some = f"{counted(n_gaps, 'row')} of {report.n_rows_read:,} with missing cells"
        lines.append(
            {
                "error": f"{some}: learning will refuse them; choose --missing drop or --missing state",
                "drop": f"{some}: dropped",
                "state": f"{some}: missing is a state of its own",
                "em": f"{some}: structure from the others, tables from all rows by EM",
            }[options.missing]
        )
    empty = [name for name, reason in report.ignored if reason == EMPTY]
    if empty:
        lines.append(f"without any value, to be left out with --ignore: {listed(empty)}")
    if report.continuous:
        lines.append(f"{counted(len(report.continuous), 'continuous column')}: cut with --bins 4, say")
    lines += [
        remark for remark in remarks_on(report) if "dropped" not in remark and remark not in report.notes
    ]
    return lines or ["nothing is missing; every column will be used as it is"]
