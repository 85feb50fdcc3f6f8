"""Rows as the default takes them: what becomes of missing cells, and of numbers among labels.

Searching for a structure counts many scopes, and only rows that show a whole scope can be counted; counts of
different rows for different scopes would contradict each other. So where most rows miss nothing, the
structure is learned from those, and the tables are fitted to all rows by EM. Where most rows miss something,
too little would be left: then missing is a state of its own. Numbers among labels are cut into intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import MissingValuesError
from treewright.graphs import Dag
from treewright.models import BayesianNetwork, fit, fit_em
from treewright.models.fitting.em import EmTrace
from treewright.statistics import Counter
from treewright.tables import Table, read_table
from treewright.tables._reading.missing import MissingPolicy
from treewright.tables.exports import counted
from treewright.tables.report import WITHOUT_NAME, Finding, Report, listed, remark_on_identifiers
from treewright.types import Flags

AVAILABLE = "the rows that show the columns in question, which is biased where gaps depend on others"
INTERVALS = 4  # of equal frequency, for numbers among labels
_MOST_FINDINGS = 8


def cut_numbers(table: Table, *, cut: str = "bins=", leave_out: str = "columns=") -> tuple[Table, list[str]]:
    """Cut the numbers of a table that has labels as well, and say so; other tables stay as they are.

    `cut` and `leave_out` are how the caller lets a user cut numbers and leave columns out.

    Examples
    --------
    >>> rows = {"smoker": ["no", "yes"] * 4, "age": [31.5, 60.25, 47.5, 52.5, 22.5, 70.5, 35.5, 64.5]}
    >>> table, said = cut_numbers(read_table(rows))
    >>> len(table.schema["age"].states), said[0][:70]
    (4, 'numbers among labels were cut into 4 intervals of equal frequency: age')
    """
    numbers = [v.name for v in table.schema if not v.is_discrete]
    if len(numbers) in (0, len(table.schema)):
        return table, []
    return read_again(table, missing="em", bins=dict.fromkeys(numbers, INTERVALS)), [
        f"numbers among labels were cut into {INTERVALS} intervals of equal frequency: {listed(numbers)}; "
        f"{cut} cuts them otherwise, {leave_out} leaves columns out"
    ]


def read_again(table: Table, **how: Any) -> Table:
    """The table read in another way, with a report that still says what was seen in the source."""
    read, seen = read_table(table, **how), table.report
    assert read.report is not None
    if seen is None:
        return read
    kept = ("n_rows_read", "ignored", "notes", "findings", "mendings")
    settings = {**seen.settings, **how}
    known = {column.name: column.reason for column in seen.columns}
    columns = tuple(
        replace(one, reason=known.get(one.name, one.reason)) if not one.is_binned else one
        for one in read.report.columns
    )
    report = replace(
        read.report, columns=columns, settings=settings, **{name: getattr(seen, name) for name in kept}
    )
    return Table(read.schema, read.columns, weights=read.weights, missing=read.missing, report=report)


def remarks_on(
    report: Report | None, *, leave_out: str, see_all: str, say: Callable[[Finding], str] = str
) -> list[str]:
    """What a user should know about the rows before trusting what is learned from them."""
    if report is None:
        return []
    found = []
    if report.n_dropped:
        found.append(f"{report.n_dropped:,} of {report.n_rows_read:,} rows dropped for missing cells")
    if report.constant:
        found.append(f"constant, so nothing depends on it: {listed(report.constant)}")
    if report.identifiers:
        found.append(remark_on_identifiers(report.identifiers, leave_out))
    if unnamed := [name for name, reason in report.ignored if reason == WITHOUT_NAME]:
        found.append(f"left out, since {WITHOUT_NAME}: {listed(unnamed)}")
    findings = [say(finding) for finding in report.findings]
    if len(findings) > _MOST_FINDINGS:
        more = len(findings) - _MOST_FINDINGS
        findings = [*findings[:_MOST_FINDINGS], f"and {more} more to see with {see_all}"]
    return [*found, *findings, *(f"mended: {one}" for one in report.mendings), *report.notes]


def missing_policy(
    table: Table, *, leave_out: str = "columns=", em: str = "missing='em'"
) -> tuple[MissingPolicy, list[str]]:
    """What becomes of the missing cells of a table of one kind of column, and what there is to say about it.

    Examples
    --------
    >>> rows = {"a": [1, None, None, 2], "b": [1, 2, None, None], "c": [None, 1, 2, 1]}
    >>> missing_policy(read_table(rows, missing="em"))
    ('state', ['only 0 of 4 rows miss nothing, so missing is a state of its own in a, b, c'])
    """
    if not table.has_missing:
        return "em", []
    whole, n, least = int(is_complete(table).sum()), table.n_rows, listed(columns_that_miss(table))
    if table.schema[0].is_discrete:
        if 2 * whole >= n:
            return "em", []  # which says itself what it does
        said = f"only {whole:,} of {n:,} rows miss nothing, so missing is a state of its own in {least}"
        return "state", [said]
    if 2 * whole < n:
        raise MissingValuesError(
            f"only {whole:,} of {n:,} rows have a number in every column, too few to speak for the others; "
            f"leave out the columns that miss most ({least}) with {leave_out}, or learn from all rows "
            f"with {em}"
        )
    return "drop", [f"learned from the {whole:,} of {n:,} rows that miss nothing"]


def is_complete(table: Table) -> Flags:
    """Which rows miss nothing."""
    if not table.has_missing:
        return np.ones(table.n_rows, dtype=np.bool_)
    return np.asarray(~np.logical_or.reduce(list(table.missing.values())))


def columns_that_miss(table: Table) -> list[str]:
    """Names, those that miss most first, then by name."""
    misses = {table.schema.names[v]: int(mask.sum()) for v, mask in table.missing.items()}
    return sorted(misses, key=lambda name: (-misses[name], name))


def complete_rows(table: Table, way_out: str = "missing='state'") -> Table:
    """The rows to learn a structure from: those that miss nothing."""
    if not table.has_missing:
        return table
    kept = is_complete(table)
    if not kept.any():
        raise MissingValuesError(
            "a structure is learned from rows that miss nothing, and every row misses a cell; leave out the "
            f"columns that miss most ({columns_that_miss(table)[0]!r} first), or use {way_out}"
        )
    return table.take(kept)


def fit_all_rows(structure: Dag, table: Table, counter: Counter | None) -> tuple[BayesianNetwork, list[str]]:
    """The model, and a remark on how it came about if cells are missing.

    No counter: the structure is that of available cells.
    """
    if not table.has_missing and counter is not None:
        return fit(structure, counter), []
    fitted = fit_em(structure, table)
    return fitted.model, [about_em(table, fitted.trace, AVAILABLE if counter is None else "")]


def about_em(table: Table, trace: EmTrace, origin: str = "") -> str:
    """How tables were fitted, and which rows the structure came from: those that miss nothing by default."""
    ended = "" if trace.converged else ", not converged"
    whole = f"the {int(is_complete(table).sum()):,} of {table.n_rows:,} rows that miss nothing"
    return (
        f"structure from {origin or whole}; "
        f"tables from all rows by EM ({counted(trace.n_rounds, 'round')}{ended})"
    )
