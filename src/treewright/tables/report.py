"""What reading did: rows dropped, columns ignored, states added, and why each column is what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from treewright.types import Brief


@dataclass(frozen=True)
class ColumnReport(Brief):
    """How one column was understood.

    Attributes
    ----------
    name
        The column.
    kind
        "discrete" or "continuous".
    reason
        Why it is that kind.
    n_states
        States of a discrete column, observed or declared; None for a continuous one.
    n_missing
        Missing cells that were read, before rows were dropped.
    notes
        What was changed: bins, a state for missing cells, labels written as text, ...
    is_binned
        Whether states are intervals made by `bins=`.
    is_constant
        Whether at most one value occurs.
    is_identifier
        Whether nearly every row has a value of its own, as in a key.
    """

    name: str
    kind: str
    reason: str
    n_states: int | None = None
    n_missing: int = 0
    notes: tuple[str, ...] = ()
    is_binned: bool = False
    is_constant: bool = False
    is_identifier: bool = False

    def __str__(self) -> str:
        plural = "state" if self.n_states == 1 else "states"
        states = "" if self.n_states is None else f", {self.n_states:,} {plural}"
        remarks = [self.reason]
        if self.n_missing:
            remarks.append(f"{self.n_missing:,} missing")
        if self.is_constant:
            remarks.append("constant: says nothing about other columns")
        if self.is_identifier:
            remarks.append("looks like an identifier: nearly every row has its own value")
        return f"{self.name}: {self.kind}{states} ({'; '.join([*remarks, *self.notes])})"


WITHOUT_NAME = "it has no name"  # why a column is left out


@dataclass(frozen=True)
class Finding:
    """Something in a table that a person would want to know, and the option that mends it.

    Nothing is changed by a finding.

    Attributes
    ----------
    kind
        What it is about, in a word or two: "marks among numbers", "dates", "spellings", ...
    columns
        The columns that it is about; none for the table as a whole.
    sentence
        What was seen.
    option, python
        What mends it, on the command line and as an argument of `read_table`; empty when nothing does.
    cells, labels, rows
        How many cells, what they hold, and the first rows that have them, counted from 1.
    """

    kind: str
    columns: tuple[str, ...]
    sentence: str
    option: str = ""
    python: str = ""
    cells: int = 0
    labels: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.sentence}; {self.option}" if self.option else self.sentence

    @property
    def in_python(self) -> str:
        """The sentence, and what mends it as an argument of `read_table`."""
        return f"{self.sentence}; {self.python}" if self.python else self.sentence


@dataclass(frozen=True)
class Mending:
    """Something that reading changed, because it was asked to: what, where, in how many cells."""

    kind: str
    columns: tuple[str, ...]
    sentence: str
    cells: int = 0

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Report(Brief):
    """What :func:`treewright.read_table` did to the rows and columns it was given.

    Attributes
    ----------
    n_rows_read
        Rows in the source.
    n_rows
        Rows in the table.
    columns
        One entry per column of the table.
    ignored
        Names of columns that were left out, each with the reason.
    notes
        What concerns the table as a whole.
    findings, mendings
        What a person would see in the rows, and what was changed in them.
    settings
        What reading was told: the policies for missing cells and unseen labels, bins and the like.

    Examples
    --------
    >>> from treewright.tables import read_table
    >>> table = read_table({"age": [31, None, 60], "smoker": ["no", "yes", "no"]}, missing="drop")
    >>> print(table.report)
    2 of 3 rows kept, 1 dropped
    age: discrete, 2 states (2 distinct whole numbers; 1 missing)
    smoker: discrete, 1 state (texts; constant: says nothing about other columns)
    """

    n_rows_read: int
    n_rows: int
    columns: tuple[ColumnReport, ...]
    ignored: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    mendings: tuple[Mending, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def following(self, before: Report) -> Report:
        """With what was done and seen when the table was read before."""
        known = {(one.kind, one.columns) for one in before.findings}
        new = (one for one in self.findings if (one.kind, one.columns) not in known)
        return replace(
            self,
            n_rows_read=before.n_rows_read if self.n_rows_read == before.n_rows else self.n_rows_read,
            ignored=(*before.ignored, *self.ignored),
            notes=tuple(dict.fromkeys((*before.notes, *self.notes))),
            findings=(*before.findings, *new),
            mendings=(*before.mendings, *self.mendings),
            settings={**before.settings, **{name: value for name, value in self.settings.items() if value}},
        )

    @property
    def n_dropped(self) -> int:
        """Rows left out because of missing cells."""
        return self.n_rows_read - self.n_rows

    @property
    def constant(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.is_constant)

    @property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.is_identifier)

    @property
    def binned(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.is_binned)

    @property
    def continuous(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.kind == "continuous")

    def __getitem__(self, name: str) -> ColumnReport:
        return next(column for column in self.columns if column.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        plain = asdict(self)
        plain["columns"] = [{**column, "notes": list(column["notes"])} for column in plain["columns"]]
        plain["ignored"] = [{"name": name, "reason": reason} for name, reason in self.ignored]
        plain["notes"] = list(self.notes)
        plain["n_dropped"] = self.n_dropped
        return plain

    def __str__(self) -> str:
        rows = f"{self.n_rows:,} rows"
        if self.n_dropped:
            rows = f"{self.n_rows:,} of {self.n_rows_read:,} rows kept, {self.n_dropped:,} dropped"
        ignored = (f"{name}: ignored ({reason})" for name, reason in self.ignored)
        mended = (f"mended: {one}" for one in self.mendings)
        seen = (f"look at: {one.in_python}" for one in self.findings)
        return "\n".join([rows, *map(str, self.columns), *ignored, *self.notes, *mended, *seen])


def remark_on_identifiers(names: Sequence[str], way_out: str) -> str:
    """What to know about columns in which nearly every row has its own value.

    With so many states they can be made to fit anything, so they draw edges that say nothing.

    Examples
    --------
    >>> remark_on_identifiers(["id", "key"], "with columns=")
    'looks like an identifier, better left out with columns=: id, key'
    """
    return f"looks like an identifier, better left out {way_out}: {listed(names)}"


def listed(names: Sequence[str], limit: int = 8) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def join_reports(
    names: Sequence[str], reports: Sequence[Report], n_states: Mapping[str, int | None]
) -> Report:
    """One report of several tables; a column is described as in the first table that has it."""
    if len(reports) == 1:
        return reports[0]
    found: dict[str, list[ColumnReport]] = {}
    for report in reports:
        for column in report.columns:
            found.setdefault(column.name, []).append(column)
    columns = tuple(
        replace(
            parts[0],
            n_states=n_states[name],
            n_missing=sum(part.n_missing for part in parts),
            is_constant=all(part.is_constant for part in parts)
            and (len(parts) == 1 or n_states[name] in (None, 1)),  # each may be constant in its own way
            is_identifier=all(part.is_identifier for part in parts),
        )
        for name, parts in sorted(found.items())
    )
    named = list(zip(names, reports, strict=True))
    dropped = [(name, one.n_dropped, one.n_rows_read) for name, one in named if one.n_dropped]
    notes = [f"{name}: {n:,} of {of:,} rows dropped" for name, n, of in dropped]
    notes += [f"{name}: {note}" for name, one in named for note in one.notes]
    return Report(
        sum(report.n_rows_read for report in reports),
        sum(report.n_rows for report in reports),
        columns,
        tuple(dict.fromkeys(one for report in reports for one in report.ignored)),
        tuple(notes),
    )
