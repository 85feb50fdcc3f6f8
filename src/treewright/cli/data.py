"""From what was written after a command to a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treewright.cli.model_files import open_model
from treewright.errors import MissingValuesError, SchemaError, SettingError, UnknownNameError, nearest
from treewright.tables.bins import Bins, BinSpec
from treewright.tables.missing import MissingPolicy, mark_missing
from treewright.tables.readers import read_table
from treewright.tables.report import Report
from treewright.tables.schema import Label, Schema
from treewright.tables.sources import open_source
from treewright.tables.table import Table


@dataclass(frozen=True)
class DataOptions:
    """How to read files: the options of `inspect` and `learn`."""

    missing: MissingPolicy = "error"
    missing_values: Sequence[str] = ()
    bins: Sequence[str] = ()
    ignore: Sequence[str] = ()
    schema_of: str | None = None
    header: bool = True

    def read(self, paths: Sequence[str]) -> Table:
        """Read rows."""
        return read_table(
            list(paths),
            schema=None if self.schema_of is None else self._schema(self.schema_of),
            missing=self.missing,
            bins=read_bins(self.bins),
            columns=self._columns(paths) if self.ignore else None,
            missing_values=self._marks,
            header=self.header,
        )

    def read_like(self, paths: Sequence[str], schema: Schema) -> Table:
        """Read other rows of the same variables."""
        return read_table(
            list(paths),
            schema=schema,
            missing=self.missing,
            missing_values=self._marks,
            header=self.header,
        )

    def read_what_holds(self, paths: Sequence[str]) -> tuple[Table, list[str]]:
        """Read rows without the columns that hold no value at all, and name those."""
        try:
            return self.read(paths), []
        except (SchemaError, MissingValuesError):
            empty = self._empty_columns(paths)
            if not empty:
                raise
            return replace(self, ignore=(*self.ignore, *empty)).read(paths), empty

    def _empty_columns(self, paths: Sequence[str]) -> list[str]:
        source = open_source(
            list(paths), names=None, delimiter=None, header=self.header, missing_values=self._marks
        )
        read = [mark_missing(column, self._marks) for column in source.read(range(len(source.names)), set())]
        return [c.name for c in read if 0 < len(c) == c.n_missing and c.name not in self.ignore]

    @property
    def _marks(self) -> list[Label]:
        return [mark for text in self.missing_values for mark in as_marks(text)]

    def _schema(self, model: str) -> Schema:
        schema = open_model(model).schema
        return schema.select([name for name in schema.names if name not in self.ignore])

    def _columns(self, paths: Sequence[str]) -> list[str]:
        found = open_source(
            list(paths), names=None, delimiter=None, header=self.header, missing_values=self._marks
        ).names
        for name in self.ignore:
            if name not in found:
                raise UnknownNameError(f"--ignore {name!r} names no column; there are {nearest(name, found)}")
        return [name for name in found if name and name not in self.ignore]


def as_marks(text: str) -> list[Label]:
    """A text that stands for a missing cell; if it is a number, the number does too."""
    try:
        return [text, float(text)]
    except ValueError:
        return [text]


def read_bins(texts: Sequence[str]) -> Bins | None:
    """What `--bins` says, in the words of :func:`treewright.read_table`.

    Examples
    --------
    >>> read_bins(["4"]), read_bins(["age=0,18,120", "height=uniform:5"])
    (4, {'age': [0.0, 18.0, 120.0], 'height': ('uniform', 5)})
    """
    named: dict[str, BinSpec] = {}
    everywhere: list[int] = []
    for text in texts:
        name, equals, spec = text.rpartition("=")
        if equals:
            named[name] = read_bin_spec(spec, text)
        else:
            everywhere.append(read_number_of_bins(text, text))
    if everywhere and (named or len(everywhere) > 1):
        raise SettingError(
            "--bins is one number for all continuous columns, or name=... for each column to cut; "
            f"found {', '.join(map(repr, texts))}"
        )
    return everywhere[0] if everywhere else named or None


def read_bin_spec(spec: str, text: str) -> BinSpec:
    rule, colon, number = spec.partition(":")
    if colon and rule in ("uniform", "quantile"):
        return rule, read_number_of_bins(number, text)
    if "," in spec:
        try:
            return [float(edge) for edge in spec.split(",")]
        except ValueError:
            raise unreadable(text) from None
    return read_number_of_bins(spec, text)


def read_number_of_bins(number: str, text: str) -> int:
    if not number.strip().isdecimal():
        raise unreadable(text)
    return int(number)


def unreadable(text: str) -> SettingError:
    return SettingError(
        f"--bins {text!r} cannot be read; write 4, age=4, age=uniform:4, age=quantile:4 "
        "or rising edges as in age=0,18,65,120"
    )


def remarks_on(report: Report | None) -> list[str]:
    """What a user should know about the rows before trusting what is learned from them."""
    if report is None:
        return []
    found = []
    if report.n_dropped:
        found.append(f"{report.n_dropped:,} of {report.n_rows_read:,} rows dropped for missing cells")
    if report.constant:
        found.append(f"constant, so nothing depends on it: {listed(report.constant)}")
    if report.identifiers:
        found.append(f"looks like an identifier, better left out with --ignore: {listed(report.identifiers)}")
    return [*found, *report.notes]


def listed(names: Sequence[str], limit: int = 8) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
