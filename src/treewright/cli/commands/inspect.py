"""`treewright inspect`: what each column is, what a person would see in it, and what to do next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import reduce
from typing import Any

import numpy as np

from treewright.automatic.gaps import describe_gaps
from treewright.cli import options as opt
from treewright.cli.answers.given import written_states
from treewright.cli.answers.output import Line, Lines, Output, heading, listing, remark
from treewright.cli.data import DataOptions
from treewright.errors import FormatError
from treewright.tables.exports import counted
from treewright.tables.inspection.whole import EXPLAINED, inspect_table
from treewright.tables.packed_file import PackedFile, is_packed
from treewright.tables.report import ColumnReport, Finding, Report, listed
from treewright.tables.schema import Variable
from treewright.tables.table import Table
from treewright.text import without_password

HOLDS = "holds "  # no value, or values that no column has: how reasons begin
_LISTED_STATES = 50
_SHOWN_STATES = 5
_WIDE_NAME, _WIDE_STATE = 48, 24  # characters
_SHOWN_GAPS = 8  # columns with gaps, those with most first
_SHOWN_COLUMNS = 60
_SHOWN_FINDINGS = 30


@dataclass(frozen=True, kw_only=True)
class InspectOptions(DataOptions):
    """What `inspect` takes beside how to read."""

    data: opt.Data
    check: bool = opt.say(
        "Of a packed file: compare every section with what was written, and look no further.", default=False
    )


@dataclass(frozen=True)
class Look:
    """A table, and what was seen in it."""

    table: Table
    report: Report
    options: InspectOptions
    findings: tuple[Finding, ...]

    @property
    def n_gaps(self) -> int:
        """Rows that miss a cell, those that were dropped among them."""
        gaps = self.table.missing.values()
        return (int(reduce(np.logical_or, gaps).sum()) if gaps else 0) + self.report.n_dropped

    @property
    def is_mixed(self) -> bool:
        """Whether there are numbers among labels."""
        return 0 < len(self.report.continuous) < len(self.table.schema)

    @property
    def explained(self) -> set[str]:
        """The columns whose many values have another reason than that they are keys."""
        return {name for one in self.findings if one.kind in EXPLAINED for name in one.columns}

    @property
    def noteworthy(self) -> set[str]:
        """The columns of which there is something to say."""
        told = {name for finding in self.findings for name in finding.columns}
        return told | {c.name for c in self.report.columns if c.n_missing or c.is_constant or c.is_identifier}


@opt.command()
def inspect(out: Output, options: InspectOptions) -> None:
    """Show what each column is, what a person would see in it, and the options that mend it.

    Example: treewright inspect survey.csv --bins 4
    """
    if options.check:
        check_sections(out, options.data)
        return
    with out.progress("reading"):
        # a look must not fail for want of a policy: see the gaps, and say what learning would say
        looked = replace(options, missing=opt.Missing.em) if options.missing == "error" else options
        table, empty = looked.read_what_holds(options.data)
    assert table.report is not None
    report = replace(table.report, ignored=reasons(table.report, empty))
    look = Look(table, report, options, inspect_table(table))
    out.answer(
        lambda: document(look),
        shown=lambda: shown(look),
        bare=lambda: (
            (c.name, c.kind, "" if c.n_states is None else c.n_states, c.n_missing) for c in report.columns
        ),
    )


def check_sections(out: Output, paths: Sequence[str]) -> None:
    """Say that packed files hold what was written; damage is an error that names the section."""
    files = []
    with out.progress("checking"):
        for path in paths:
            if not is_packed(path):
                raise FormatError(f"--check is for packed files, and {without_password(path)!r} is none")
            files.append(PackedFile(path))
            files[-1].check()
    told: list[dict[str, Any]] = [
        {"path": path, "rows": file.n_rows, "sections": len(file.sections), "digest": file.digest}
        for path, file in zip(paths, files, strict=True)
    ]
    out.answer(
        lambda: {"files": told},
        shown=lambda: [
            f"{one['path']}: {counted(one['rows'], 'row')}, {counted(one['sections'], 'section')} as written"
            for one in told
        ],
        bare=lambda: ((one["path"], one["digest"]) for one in told),
    )


def reasons(report: Report, empty: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Why columns are left out, in the words of this command."""
    asked = {"not asked for": "--ignore"}
    return tuple(
        (name, f"{HOLDS}{empty[name] or 'no value'}" if name in empty else asked.get(reason, reason))
        for name, reason in report.ignored
    )


def document(look: Look) -> dict[str, Any]:
    report = look.report
    plain = report.to_dict()
    for column, variable in zip(plain["columns"], look.table.schema, strict=True):
        column["states"] = None if variable.states is None else written_states(variable)[:_LISTED_STATES]
        column["action"] = action(report[variable.name], look)
    return {
        "rows": report.n_rows,
        "rows_read": report.n_rows_read,
        "rows_dropped": report.n_dropped,
        "rows_with_missing": look.n_gaps,
        "missing": look.options.missing,
        "constant": list(report.constant),
        "identifiers": list(report.identifiers),
        "columns": plain["columns"],
        "ignored": plain["ignored"],
        "notes": plain["notes"],
        "findings": [asdict(finding) for finding in look.findings],
        "mendings": plain["mendings"],
        "gaps": [asdict(one) for one in describe_gaps(look.table).columns],
        "plan": plan(look),
        "next": next_command(look),
    }


def shown(look: Look) -> Lines:
    report, schema = look.report, look.table.schema
    yield heading(f"{counted(report.n_rows_read, 'row')}, {counted(len(schema), 'column')}")
    kinds = Counter(kind_in_brief(variable) for variable in schema)
    yield "  " + ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common(6))
    some = len(schema) > _SHOWN_COLUMNS
    chosen = [c for c in report.columns if not some or c.name in look.noteworthy][:_SHOWN_COLUMNS]
    columns = listing("column", "is", "states", "missing", "why", "what will be done", numeric=["missing"])
    for column in chosen:
        columns.add_row(
            shortened(column.name, _WIDE_NAME),
            column.kind,
            states_in_brief(schema[column.name]),
            f"{column.n_missing:,}" if column.n_missing else "",
            column.reason,
            action(column, look),
        )
    for name, reason in report.ignored[:_SHOWN_COLUMNS]:
        done = "leave it out: --ignore" if reason.startswith(HOLDS) else "left out"
        columns.add_row(shortened(name, _WIDE_NAME), "ignored", "", "", reason, done, style="dim")
    if chosen or report.ignored:
        yield columns
    if some:
        other = "other columns" if chosen else "columns"
        yield remark(f"  {len(schema) - len(chosen):,} {other} are not shown; --json has them all")
    yield from what_was_seen(look)
    for line in plan(look):
        yield f"  {line}"
    for note in report.notes:
        yield remark(f"  {note}")
    yield f"  next: {next_command(look)}"


def what_was_seen(look: Look) -> Iterator[Line]:
    """Findings, each with its option below it, and what was mended."""
    if look.report.mendings:
        yield heading(f"  mended: {counted(len(look.report.mendings), 'change')}")
        for mending in look.report.mendings:
            yield f"  + {mending}"
    if not look.findings:
        return
    yield heading(f"  to look at: {counted(len(look.findings), 'finding')}")
    for finding in look.findings[:_SHOWN_FINDINGS]:
        yield f"  - {finding.kind}: {finding.sentence}"
        if finding.option:
            yield remark(f"      {finding.option}")
    if len(look.findings) > _SHOWN_FINDINGS:
        yield remark(f"  and {len(look.findings) - _SHOWN_FINDINGS:,} more; --json has them all")


def kind_in_brief(variable: Variable) -> str:
    if variable.states is None:
        return "continuous"
    few = next((bound for bound in (2, 5, 20, 100) if len(variable.states) <= bound), None)
    return "of more than 100 states" if few is None else f"of up to {few} states"


def states_in_brief(variable: Variable) -> str:
    if variable.states is None:
        return ""
    texts = written_states(variable)
    more = f", … ({len(texts):,})" if len(texts) > _SHOWN_STATES else ""
    return ", ".join(shortened(text, _WIDE_STATE) for text in texts[:_SHOWN_STATES]) + more


def shortened(text: str, most: int) -> str:
    """A text on one line of a listing."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def action(column: ColumnReport, look: Look) -> str:
    """What learning will do with a column."""
    options = look.options
    if column.is_identifier:
        return "leave it out: --ignore" if column.name not in look.explained else "look at it: see below"
    if column.kind == "continuous":
        return "kept, or cut if that foretells more" if look.is_mixed else "kept as it is"
    if column.is_constant:
        return "kept; nothing depends on it"
    done = [note for note in column.notes if note]
    if column.is_binned and not done:
        done = ["cut into intervals"]
    if column.n_missing and options.missing == "state":
        done.append("missing is a state")
    return "; ".join(done) or "kept"


def plan(look: Look) -> list[str]:
    """What learning will do with the rows, in sentences."""
    report, lines = look.report, []
    if look.n_gaps:
        some = f"{counted(look.n_gaps, 'row')} of {report.n_rows_read:,} with missing cells"
        lines.append(
            {
                "error": f"{some}: the default {policy_of(look)}; other methods want --missing",
                "drop": f"{some}: dropped",
                "state": f"{some}: missing is a state of its own",
                "em": f"{some}: structure and tables from all rows by structural EM",
                "available": f"{some}: each table from the rows that show its columns",
                "indicator": f"{some}: by structural EM, with a variable that says where each is missing",
            }[look.options.missing]
        )
        lines += map(str, describe_gaps(look.table).columns[:_SHOWN_GAPS])
    useless = [name for name, reason in report.ignored if reason.startswith(HOLDS)]
    if useless:
        lines.append(f"without a value that can be read, to be left out with --ignore: {listed(useless)}")
    if report.continuous:
        kept = "kept or cut, as rows held out decide" if look.is_mixed else "kept as they are"
        lines.append(
            f"{counted(len(report.continuous), 'continuous column')}: {kept}; --bins 4 cuts in any case"
        )
    is_plain = not (look.findings or report.mendings or report.ignored)
    return lines or [f"nothing is missing{'; every column will be used as it is' if is_plain else ''}"]


def policy_of(look: Look) -> str:
    """What `learn` without a method does about missing cells."""
    few, numbers = 2 * look.n_gaps <= look.report.n_rows_read, len(look.report.continuous)
    if numbers == len(look.table.schema):
        return "learns from the others" if few else "refuses so many"
    if look.is_mixed and few:
        return "learns from the others, and fits to all where numbers are cut"
    return "learns from the others and fits to all" if few else "makes missing a state of its own"


def next_command(look: Look) -> str:
    """What to type next: learning with the options that this table asks for."""
    options, report = look.options, look.report
    mends = options.mend or any("--mend" in one.option for one in look.findings)
    clear = [one for one in look.findings if one.kind == "dates" and "dmy" not in one.option]
    dates = options.dates or [
        f"{name}={'hour' if 'hour' in one.option else 'year,month'}" for one in clear for name in one.columns
    ]
    if (options.mend, options.dates or []) != (mends, dates):  # look at what learning will then see
        again = replace(options, mend=mends, dates=dates)
        table, empty = replace(again, missing=opt.Missing.em).read_what_holds(options.data)
        assert table.report is not None
        report = replace(table.report, ignored=reasons(table.report, empty))
        return next_command(Look(table, report, again, report.findings))
    keys = [name for name in report.identifiers if name not in look.explained]
    out = [*keys, *(name for name, reason in report.ignored if reason.startswith(HOLDS))]
    options = replace(options, ignore=list(dict.fromkeys([*(options.ignore or ()), *out])))
    data = (shlex.quote(without_password(path)) for path in options.data)
    return " ".join(["treewright learn", *data, *as_typed(options), "-o model.twm"])


def as_typed(options: DataOptions) -> Iterator[str]:
    """The options that are not as they are by themselves."""
    for one in fields(DataOptions):
        value = getattr(options, one.name)
        if value and value != one.default:
            name = f"--{one.name.replace('_', '-')}"
            texts = value if isinstance(value, list) else [value]
            yield from [name] if value is True else (f"{name} {shlex.quote(str(text))}" for text in texts)
