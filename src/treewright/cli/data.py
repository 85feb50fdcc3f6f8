"""From what was written after a command to a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, cast

from treewright.cli import options as opt
from treewright.cli.model_files import open_model
from treewright.errors import MissingValuesError, SchemaError, SettingError, UnknownNameError, nearest
from treewright.models.model import in_missing_states
from treewright.statistics import DatabaseCounter
from treewright.statistics.cluster import ClusterCounter, open_cluster
from treewright.tables._reading.bins import Bins, BinSpec
from treewright.tables._reading.columns import WITHOUT_ROWS, UnusableColumns
from treewright.tables._reading.database_reader import read_databases
from treewright.tables._reading.matching import UnseenPolicy
from treewright.tables._reading.missing import GapPolicy, MissingPolicy, mark_missing, reading_policy
from treewright.tables._reading.paths import ReadOptions
from treewright.tables._reading.sources import Source, open_source
from treewright.tables.databases import Databases
from treewright.tables.inspection.wishes import Dates
from treewright.tables.packing import Reading, open_rows, pack
from treewright.tables.report import listed
from treewright.tables.schema import Label, Schema
from treewright.tables.sharded import recoded
from treewright.tables.sql import SqlTable, as_sql_table
from treewright.tables.table import Table
from treewright.text import is_address, without_password

Rows = Table | Databases
Rows_ = TypeVar("Rows_", Table, Databases)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """How to read files: the options of `inspect`, `learn` and `score`."""

    missing: opt.MissingOption = opt.Missing.error
    missing_value: opt.MissingValue = None
    unseen: opt.UnseenOption = opt.UnseenLabels.error
    states: opt.States = None
    mend: opt.Mend = False
    decimal: opt.Decimal = None
    dates: opt.Dates = None
    bins: opt.Bins = None
    ignore: opt.Ignore = None
    weights: opt.WeightsOf = None
    no_header: opt.NoHeader = False
    skip_lines: opt.SkipLines = 0
    delimiter: opt.Delimiter = None
    encoding: opt.Encoding = "utf-8"
    schema: opt.SchemaOf = None

    def read(self, paths: Sequence[str]) -> Table:
        """Read rows."""
        columns = self._columns(paths) if self.ignore else None
        return self._with_states(
            self._read(paths, self._schema(), bins=read_bins(self.bins or ()), columns=columns)
        )

    def read_like(self, paths: Sequence[str], schema: Schema) -> Table:
        """Read other rows of the same variables."""
        return self._read(paths, schema)

    def read_to_predict(
        self, paths: Sequence[str], schema: Schema, target: str
    ) -> tuple[Table, Table | None]:
        """Rows with some of the variables, gaps kept; and what they show of the target, if they do."""
        later = replace(self, mend=self.mend or schema.is_mended)
        names, gaps = later._open(paths).names, replace(self, missing=opt.Missing.em)
        found = schema.found_in(names)
        seen = [name for name in found if name != target]
        if not seen:
            raise SchemaError(
                f"to predict {target!r} the rows need a column of the model beside it; the model has "
                f"{listed([repr(name) for name in schema.names if name != target])}, "
                f"the rows have {listed(list(map(repr, names)))}"
            )
        truth = None
        if target in found and schema[target].is_discrete:
            truth = gaps._read(paths, schema.select([target]), "ignore")
        return in_missing_states(gaps._read(paths, schema.select(seen))), truth

    def read_columns(self, paths: Sequence[str], names: Sequence[str]) -> Table:
        """Some columns as they are, gaps kept."""
        return replace(self, missing=opt.Missing.em)._read(paths, None, columns=names)

    def read_held_out(self, paths: Sequence[str], rows: Rows) -> tuple[Rows, Rows]:
        """Read rows to be held out: those to learn from and these, under one schema.

        Labels that only they have become states, unless a schema says which there are.
        """
        policy = self.unseen.value if self.schema or self.unseen != "error" else "add"
        if isinstance(rows, Table):
            table = self._read(paths, rows.schema, policy)
            return under_states_of(table, rows), table
        plain = replace(self, missing=opt.Missing.drop) if self._policy == "em" else self
        parts = [plain._read_part(path, rows.schema, policy) for path in paths]
        held_out = Databases(parts, names=list(map(without_password, paths)))
        return under_states_of(held_out, rows), held_out

    def _with_states(self, rows: Rows_) -> Rows_:
        """The rows, whose columns have the states of `--states` too."""
        for path in self.states or ():
            unweighted = replace(self, weights=None)
            rows = under_states_of(unweighted._read_part(path, rows.schema, "add"), rows)
        return rows

    @property
    def _header(self) -> bool | int:
        if not (self.no_header and self.skip_lines):
            return self.skip_lines or not self.no_header
        raise SettingError("--no-header says that there are no names, and --skip-lines where they are")

    @property
    def _policy(self) -> MissingPolicy:
        """How cells that are missing are read."""
        return "error" if self.missing == "auto" else reading_policy(cast("GapPolicy", self.missing.value))

    def _read(
        self, paths: Sequence[str], schema: Schema | None, unseen: str | None = None, **how: Any
    ) -> Table:
        return open_rows(as_source(paths), **self._reading(schema, unseen, **how))

    def _reading(self, schema: Schema | None, unseen: str | None = None, **how: Any) -> Reading:
        """The options in the words of `read_table`."""
        reading = Reading(
            schema=schema,
            missing=self._policy,
            unseen=cast("UnseenPolicy", unseen or self.unseen.value),
            missing_values=read_marks(self.missing_value or ()),
            dates=read_dates(self.dates or ()) if schema is None else None,
            mend=self.mend,
            decimal=self.decimal,
            weights=self.weights,
            header=self._header,
            delimiter=self.delimiter,
            encoding=self.encoding,
        )
        return cast("Reading", {**reading, **how})

    def pack(self, paths: Sequence[str], target: str, rows: int | None = None) -> Table:
        """Read rows into a packed file."""
        if self.states:
            raise SettingError(
                "--states goes with commands that learn; a packed file has the states of its rows"
            )
        columns = self._columns(paths) if self.ignore else None
        how = self._reading(self._schema(), bins=read_bins(self.bins or ()), columns=columns)
        return pack(as_source(paths), target, rows=rows, replace=True, **how)

    def count_in_place(self, paths: Sequence[str]) -> DatabaseCounter:
        """Counts of a table that stays in its database."""
        source, how = as_source(paths), {one.name: getattr(self, one.name) for one in fields(DataOptions)}
        if not isinstance(source, SqlTable):
            raise SettingError("--mode counts is for a table of a database, such as clinic.duckdb::visits")
        kept = ("missing", "unseen", "ignore", "schema")
        for one in fields(DataOptions):
            if one.name not in kept and how[one.name] != one.default:
                said = f"--{one.name.replace('_', '-')}"
                raise SettingError(f"{said} means nothing to --mode counts, which reads no rows")
        columns = self._columns(paths) if self.ignore else None
        return DatabaseCounter(
            source, schema=self._schema(), columns=columns, missing=self._policy, unseen=self.unseen.value
        )

    def open_cluster(self, paths: Sequence[str], client: Any) -> ClusterCounter:
        """Rows that workers count; only options that were said go to them."""
        columns = self._columns(paths) if self.ignore else None
        how = self._reading(self._schema(), bins=read_bins(self.bins or ()), columns=columns)
        usual = {**DataOptions()._reading(None), "bins": None, "columns": None}
        said = {name: value for name, value in how.items() if value != usual[name]}
        return open_cluster(as_source(paths), client, **cast("Reading", said))

    def read_tables(self, paths: Sequence[str]) -> Databases:
        """Read tables that share some of their columns, one for each path."""
        if self._policy == "em":
            raise SettingError(
                f"--missing {self.missing.value} is for one table; for several use --missing drop or state"
            )
        whole = self._schema()
        if self.ignore:
            self._check_ignored(sorted({name for path in paths for name in self._open([path]).names}))
        tables = [self._read_part(path, whole) for path in paths]
        names = list(map(without_password, paths))
        return self._with_states(read_databases(tables, names=names, bins=read_bins(self.bins or ())))

    def _read_part(self, path: str, whole: Schema | None, unseen: str | None = None) -> Table:
        """One table, with the columns that it has."""
        shown = without_password(path)
        names = self._kept(self._open([path]).names)
        known = None if whole is None else whole.found_in(names)
        if known == []:
            raise SchemaError(f"{shown}: none of its columns is in the schema; it has {listed(names)}")
        try:
            schema = None if whole is None or known is None else whole.select(known)
            columns = names if self.ignore and whole is None else None
            return self._read([path], schema, unseen, columns=columns)
        except (SchemaError, MissingValuesError) as error:
            raise type(error)(f"{shown}: {error}") from None

    def _kept(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name and name not in (*(self.ignore or ()), self.weights)]

    def _check_ignored(self, found: Sequence[str]) -> None:
        for name in self.ignore or ():
            if name not in found:
                raise UnknownNameError(f"--ignore {name!r} names no column; there are {nearest(name, found)}")

    def refuse_different_columns(self, paths: Sequence[str], method: str) -> None:
        """Several files that do not have the same columns are several tables, not one."""
        if len(paths) < 2:
            return
        columns = [set(self._open([path]).names) for path in paths]
        apart = sorted(
            {name for one in columns for other in columns for name in one - other} - {*(self.ignore or ())}
        )
        if apart and self.schema is None:
            raise SettingError(
                f"--method {method} learns from one table, and these do not have the same columns; not in "
                f"all: {listed(apart)}. --method separation-tree learns from tables that share some columns"
            )

    def read_what_holds(self, paths: Sequence[str]) -> tuple[Table, dict[str, str]]:
        """Read rows without the columns that hold nothing or what is not read, and say which."""
        try:
            return self.read(paths), {}
        except UnusableColumns as error:
            lost = error.columns
            if error.told == WITHOUT_ROWS or set(self._kept(self._open(paths).names)) <= set(lost):
                raise
        except MissingValuesError:
            if not (lost := dict.fromkeys(self._empty_columns(paths), "")):
                raise
        table, more = replace(self, ignore=[*(self.ignore or ()), *lost]).read_what_holds(paths)
        return table, {**lost, **more}

    def _empty_columns(self, paths: Sequence[str]) -> list[str]:
        source = self._open(paths)
        read = (mark_missing(column, self._marks) for column in source.read(range(len(source.names)), set()))
        return self._kept(one.name for one in read if 0 < len(one) == one.n_missing)

    def _open(self, paths: Sequence[str]) -> Source:
        layout = {"delimiter": self.delimiter, "header": self._header, "encoding": self.encoding}
        return open_source(as_source(paths), ReadOptions.of(None, self._marks, layout, self.mend))

    @property
    def _marks(self) -> list[Label]:
        """Those of all columns."""
        return read_marks(self.missing_value or ()).get(None, [])

    def _schema(self) -> Schema | None:
        if self.schema is None:
            return None
        schema = open_model(self.schema).schema
        return schema.select(self._kept(schema.names))

    def _columns(self, paths: Sequence[str]) -> list[str]:
        found = self._open(paths).names
        self._check_ignored(found)
        return self._kept(found)


@dataclass(frozen=True, kw_only=True)
class LaterRows:
    """How rows of a model that is there are written; its schema says what their columns are."""

    missing_value: opt.MissingValue = None
    unseen: opt.UnseenOption = opt.UnseenLabels.error
    no_header: opt.NoHeader = False
    skip_lines: opt.SkipLines = 0
    delimiter: opt.Delimiter = None
    encoding: opt.Encoding = "utf-8"

    def options(self, **more: Any) -> DataOptions:
        return DataOptions(**vars(self), **more)


def under_states_of(other: Rows, rows: Rows_) -> Rows_:
    """The same rows, whose columns have the states that another table has for them."""
    theirs = {one.name: one for one in other.schema}
    wide = Schema(theirs.get(one.name, one) for one in rows.schema)
    if isinstance(rows, Table):
        return recoded(rows, wide)
    known = [recoded(table, wide.select(table.schema.names)) for table in rows.tables]
    return Databases(known, names=rows.names)


def as_source(paths: Sequence[str]) -> list[str] | SqlTable:
    """Files, or the table of a database that ``file.duckdb::table`` or an address with a table names.

    Examples
    --------
    >>> as_source(["a.csv", "b.csv"]), as_source(["clinic.duckdb::visits of 2024"])
    (['a.csv', 'b.csv'], SqlTable(path='clinic.duckdb', table='visits of 2024'))
    """
    named = [path for path in paths if "::" in path or is_address(path)]
    if not named:
        return list(paths)
    if len(paths) > 1:
        raise SettingError(
            f"{without_password(named[0])!r} names a table of a database, which is read by itself; only "
            "--method separation-tree takes several tables"
        )
    return as_sql_table(named[0])


def read_marks(texts: Sequence[str]) -> dict[str | None, list[Label]]:
    """What `--missing-value` says, by column, None for all; a text that is a number stands for that too.

    Examples
    --------
    >>> read_marks(["NA", "weight=-999", "=a=b"])
    {None: ['NA', 'a=b'], 'weight': ['-999', -999.0]}
    """
    marks: dict[str | None, list[Label]] = {}
    for text in texts:
        name, equals, mark = text.partition("=")
        where = marks.setdefault(name if equals and name else None, [])
        where.append(mark if equals else text)
        with suppress(ValueError):
            where.append(float(where[-1]))
    return marks


def read_dates(texts: Sequence[str]) -> Dates | None:
    """What `--dates` says, in the words of :func:`treewright.read_table`.

    Examples
    --------
    >>> read_dates(["visit=dmy,year,month", "born=year"]), read_dates(["year,month"])
    ({'visit': ['dmy', 'year', 'month'], 'born': ['year']}, ['year', 'month'])
    """
    pairs = [text.rpartition("=")[::2] for text in texts]
    named = {name: parts.split(",") for name, parts in pairs if name}
    everywhere = [parts.split(",") for name, parts in pairs if not name]
    if everywhere and (named or len(everywhere) > 1):
        raise SettingError(
            "--dates is one list of parts for all columns of dates, or name=... for each to take apart; "
            f"found {', '.join(map(repr, texts))}"
        )
    return everywhere[0] if everywhere else named or None


def read_bins(texts: Sequence[str]) -> Bins | None:
    """What `--bins` says, in the words of :func:`treewright.read_table`.

    Examples
    --------
    >>> read_bins(["4"]), read_bins(["age=0,18,120", "height=uniform:5"]), read_bins(["mdl:died"])
    (4, {'age': [0.0, 18.0, 120.0], 'height': ('uniform', 5)}, ('mdl', 'died'))
    """
    named: dict[str, BinSpec] = {}
    everywhere: list[BinSpec] = []
    for text in texts:
        name, equals, spec = text.rpartition("=")
        if equals:
            named[name] = read_bin_spec(spec, text)
        else:
            everywhere.append(read_bin_spec(text, text))
    if everywhere and (named or len(everywhere) > 1):
        raise SettingError(
            "--bins is one rule or one number for all continuous columns, or name=... for each to cut; "
            f"found {', '.join(map(repr, texts))}"
        )
    return everywhere[0] if everywhere else named or None


def read_bin_spec(spec: str, text: str) -> BinSpec:
    rule, colon, number = spec.partition(":")
    if colon and rule in ("uniform", "quantile"):
        return rule, read_number_of_bins(number, text)
    if rule == "mdl" and number:
        return rule, number
    if rule == "hartemink" and colon:
        keep, colon, initial = number.partition(":")
        found = (rule, read_number_of_bins(keep, text))
        return (*found, read_number_of_bins(initial, text)) if colon else found
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
        f"--bins {text!r} cannot be read; write 4, age=4, rising edges as in age=0,18,65,120, or a rule: "
        "quantile:4, uniform:4, mdl:TARGET or hartemink:3, also for one column as in age=uniform:4"
    )
