"""From any source to a :class:`Table`: choose columns, settle missing cells, decide what each column is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack, get_args

import numpy.typing as npt

from treewright.collector import no_cycles
from treewright.errors import SchemaError, TableTooLarge, UnknownNameError, WeightError, nearest
from treewright.limits import format_bytes, memory_limit
from treewright.tables._reading.bins import Bins, Cut, check_bins, edges_of
from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn, each
from treewright.tables._reading.interpret import (
    ReadyColumn,
    binned,
    interpret,
    is_missing_label,
    make_continuous,
    with_reserve,
)
from treewright.tables._reading.matching import UnseenPolicy, match
from treewright.tables._reading.missing import MissingPolicy, refuse_infinite, settle_missing
from treewright.tables._reading.paths import ReadOptions
from treewright.tables._reading.room import kept, room_for_columns
from treewright.tables._reading.sources import open_source, packed_path, packed_paths, read_usable
from treewright.tables.arrays import Weights, check_weights
from treewright.tables.cuts.settled import settle_bins
from treewright.tables.inspection.look import look_at
from treewright.tables.inspection.prepare import Prepared, commas_of, prepare, prepare_like, raw_name
from treewright.tables.inspection.whole import look_at_states
from treewright.tables.inspection.wishes import Dates, MissingValues, Wishes
from treewright.tables.mapped_table import MappedTable, open_table
from treewright.tables.raw_form import RawForm
from treewright.tables.report import WITHOUT_NAME, Report
from treewright.tables.schema import Schema, Variable, repeated
from treewright.tables.sharded import ShardedTable
from treewright.tables.table import Table
from treewright.types import Mask


class Layout(TypedDict, total=False):
    """How a CSV file is written."""

    delimiter: str | None
    header: bool | int
    encoding: str
    decimal: str | None


class MoreReading(Layout, total=False):
    """What is said of cells beside what most callers say."""

    names: Sequence[str] | None
    missing_values: MissingValues
    dates: Dates | None


@no_cycles()
def read_table(
    source: Any,
    *,
    schema: Schema | None = None,
    missing: MissingPolicy = "error",
    unseen: UnseenPolicy = "error",
    bins: Bins | None = None,
    weights: str | npt.ArrayLike | None = None,
    columns: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    missing_values: MissingValues = (),
    dates: Dates | None = None,
    mend: bool = False,
    **layout: Unpack[Layout],
) -> Table:
    """Read rows from files, frames, dictionaries or arrays.

    Texts, truth values and declared categories are discrete; whole numbers, also when stored as reals (0.0,
    1.0, 2.0), are discrete when they have at most 20 distinct values (or at most 64 with 50 rows for each);
    other numbers are continuous. Categories that a pandas Categorical, a polars Enum or an Arrow dictionary
    declares are kept in their order, observed or not; other states are those observed, sorted (numbers by
    size, texts by code point). What was decided, and why, is in ``table.report``.

    Parameters
    ----------
    source
        A path, a pattern such as ``"runs/*.csv"`` or a list of them (CSV, plain or gzip, and Parquet), "-"
        for standard input; a packed file (:func:`pack`), whose rows stay in it; a table or query of a DuckDB
        file or a PostgreSQL server (:class:`SqlTable`), also as ``"postgresql://host/database::table"``; a
        pandas, polars, Arrow or other frame that narwhals knows, also a DuckDB relation; anything with
        ``__arrow_c_stream__``; a dictionary of lists; a NumPy array (rows by columns, or structured); a
        table. Several files are read as one table.
    schema
        What the columns are. Columns are found by name, others are ignored and reported; a label belongs to
        the state that equals it or is written like it, and unknown labels are refused. Numbers are cut into
        interval states such as "[0.5, 1.25)".
    missing
        What to do about missing cells (null, NaN, an empty CSV field): "error" refuses, "drop" leaves out the
        rows, "state" adds a state, "em" keeps them with a mask, for `fit_em`.
    unseen
        What to do about labels that the `schema` does not know: "error" refuses, "ignore" takes the cell as
        missing and keeps it with a mask, "state" reads them as the state that is reserved for them, "add"
        widens the states by them. Without a schema "state" reserves one, "unseen", in every column of labels.
    bins
        How to cut numbers into intervals: a number of bins of equal frequency, ("quantile", k),
        ("uniform", k), ("mdl", target), the cuts that tell the states of a target apart (Fayyad & Irani), or
        ("hartemink", k), k intervals that keep what columns say about each other, joined from 60 (a third
        number says from how many). One of them for every continuous column, or a dictionary from names to
        them or to rising edges. Numbers outside given edges are refused.
    weights
        The name of a column, or one number per row: how often a row counts.
    columns
        Names of the columns to read; all when left out.
    names
        Names for the columns of an array or file, in place of x0, x1, ... or the header.
    missing_values
        Labels and numbers that stand for a missing cell too, such as ``("NA", "?", -999)``; for some columns
        only ``{"weight": -999, "stage": ["NA", "?"]}``, where None stands for all of them.
    dates
        Parts to take dates apart into: ``("year", "month")`` for all columns of dates, or a dictionary from
        names to such; of year, quarter, month, day, weekday, hour and days (a number). Where day and month
        could be either, the order comes first: ``{"visit": ("dmy", "month")}``.
    mend
        Do what a person would agree to without looking: take blanks off, join labels that differ in blanks
        and case only, read decimal commas and numbers with a sign ("5 %", "€ 3"), take marks that cannot be
        mistaken ("?", "NA" among numbers) for missing cells, leave out keys and columns without a value.
        ``table.report.mendings`` lists it all.
    layout
        How a CSV file is written: ``delimiter`` between fields (read off the first line when left out),
        ``header`` (whether the first line holds the names, True; or how many lines to leave out before them),
        ``encoding`` (utf-8, latin-1, cp1252 or any other that Python knows), ``decimal`` ("." or ","; the
        other one, said so, sets thousands apart).

    Returns
    -------
    Table
        The rows; ``table.report`` says what was done to get them.

    Raises
    ------
    SchemaError
        For columns that cannot be told apart, hold nothing, mix types, or do not fit the schema.
    MissingValuesError
        For missing cells, unless `missing` says what to do.
    FormatError
        For a file that is not CSV or Parquet.

    Examples
    --------
    >>> rows = {"smoker": ["no", "yes", "no"], "age": [31.5, 60.0, 47.2]}
    >>> table = read_table(rows, bins={"age": [0, 40, 100]})
    >>> table.schema["age"].states
    ('[0, 40)', '[40, 100]')
    >>> table.to_dict()
    {'smoker': ['no', 'yes', 'no'], 'age': ['[0, 40)', '[40, 100]', '[40, 100]']}
    """
    check_arguments(missing, unseen, schema, layout)
    wishes = Wishes.of(missing_values, layout.get("decimal"), dates, mend)
    if (packed := packed_path(source)) is not None:
        source = open_table(packed)
        changes = (bins, weights, names, missing_values or None, dates, mend or None)
        if unseen == "error" and all(one is None for one in changes) and schema in (None, source.schema):
            kept = source if columns is None else _columns_of_packed(source, columns)
            if kept is not None and (missing == "em" or not kept.has_missing):
                return kept
    elif several := packed_paths(source):
        source = together(several)
    source = source.joined() if isinstance(source, ShardedTable) else source
    mends, written = mend or bool(schema and schema.is_mended), {**layout, **commas_of(schema)}
    opened = open_source(source, ReadOptions.of(names, wishes.everywhere, written, mends))
    if isinstance(source, Table) and weights is None and source.weights is not None:
        weights = source.weights
    weight_name = weights if isinstance(weights, str) else None
    chosen, ignored = choose(opened.names, schema, columns, weight_name)
    as_text = wanted_as_texts(schema, opened.names)
    read, unusable = read_usable(opened, chosen, as_text, wishes.everywhere, leaves_out=mend)
    if weight_name is not None:
        ignored.append((weight_name, "taken as the weights of the rows"))
    counts = _settle_weights(weights, read, len(read[0]))
    prepared = prepared_columns(read, schema, columns, wishes, unusable)
    findings = look_at(prepared.columns, prepared.kept) if schema is None else ()
    counts, n_read = _weights_of(prepared.kept, counts), len(prepared.columns[0])
    refuse_infinite(prepared.columns)
    prepared.columns, rows = settle_missing(prepared.columns, missing)
    counts = _weights_of(rows, counts)
    ready = ready_columns(prepared, schema, bins, counts, missing_state=missing == "state", unseen=unseen)
    reports, n_rows = tuple(one.report for one in ready), len(prepared.columns[0])
    crowded = look_at_states(reports, n_rows, findings) if schema is None else ()
    left_out, told = (*ignored, *prepared.left_out), (*findings, *crowded)
    settings: dict[str, Any] = {"missing": missing, "unseen": unseen, "bins": bins, "dates": dates}
    settings |= {"missing_values": missing_values, "mend": mend, **layout}
    report = Report(n_read, n_rows, reports, left_out, opened.notes, told, prepared.mendings, settings)
    if isinstance(source, Table):
        report = read_again(source, report, prepared)
    return Table(
        Schema(with_form(one.variable, prepared.forms) for one in ready),
        [one.values for one in ready],
        weights=counts,
        missing={i: one.missing for i, one in enumerate(ready) if one.missing is not None},
        report=report,
    )


def together(paths: Sequence[str]) -> ShardedTable:
    """Several packed files, one below the other, if memory holds them."""
    shards = ShardedTable.aligned(map(open_table, paths))
    needed = Table.estimate_nbytes(shards.schema, shards.n_rows)
    if needed > memory_limit():
        raise TableTooLarge(
            f"the rows of {len(paths)} packed files take {format_bytes(needed)} as one table, above the "
            f"memory limit of {format_bytes(memory_limit())}; count each and add the counters, as in "
            "count(open_table(one)) + count(open_table(other)), or pack their sources into one file"
        )
    return shards


def _columns_of_packed(table: Table, columns: Sequence[str]) -> Table | None:
    """Some columns of a packed file, which stay in it; None where it does not tell how it was read."""
    chosen, ignored = choose(table.schema.names, None, columns, None)
    kept, before = table.select(chosen), table.report
    known = {} if before is None else {one.name: one for one in before.columns}
    if before is None or not isinstance(kept, MappedTable) or any(n not in known for n in kept.schema.names):
        return None
    told = tuple(known[name] for name in kept.schema.names)
    return kept.with_report(replace(before, columns=told, ignored=(*before.ignored, *ignored)))


def read_again(table: Table, report: Report, prepared: Prepared) -> Report:
    """The report on a table that had been read before; what its cells looked like then is kept."""
    prepared.forms = {v.name: v.raw for v in table.schema if v.raw is not None} | prepared.forms
    return report if table.report is None else report.following(table.report)


def _settle_weights(weights: Any, read: list[SourceColumn], n_rows: int) -> Weights | None:
    """Of the rows: those that were given, or the last column that was read."""
    if isinstance(weights, str):
        return weights_of(read.pop())
    return None if weights is None else check_weights(weights, n_rows)


def _weights_of(rows: Mask | None, weights: Weights | None) -> Weights | None:
    return weights if rows is None or weights is None else weights[rows]


def ready_columns(
    prepared: Prepared,
    schema: Schema | None,
    bins: Bins | None,
    weights: Weights | None,
    *,
    missing_state: bool,
    unseen: UnseenPolicy,
) -> list[ReadyColumn]:
    """The columns as a table takes them."""
    columns = prepared.columns
    check_bins(bins, schema, [column.name for column in columns])
    wanted = None if schema is None else {c.name: with_form(schema[c.name], prepared.forms) for c in columns}
    cuts = settle_bins(columns, bins, weights)
    ready = each(lambda one: in_room(ready_column(one, wanted, cuts, missing_state, unseen)), columns)
    return ready if schema is not None else alike(columns, ready, missing_state)


def in_room(ready: ReadyColumn) -> ReadyColumn:
    """A column whose rows are where columns are kept."""
    is_small = room_for_columns() is None
    return ready if is_small else replace(ready, values=kept(ready.values), missing=kept(ready.missing))


def alike(
    columns: Sequence[SourceColumn], ready: list[ReadyColumn], missing_state: bool
) -> list[ReadyColumn]:
    """Among real numbers one that is always the same, such as 1.0, is no state.

    Beside gaps it may be a whole number, which frames store as a real one.
    """
    lone = [
        isinstance(c, NumberColumn) and c.kind == "f" and not c.n_missing and one.report.is_constant
        for c, one in zip(columns, ready, strict=True)
    ]
    if all(lone) or any(one.variable.is_discrete for one, out in zip(ready, lone, strict=True) if not out):
        return ready
    return [
        make_continuous(column, "real numbers", missing_state)
        if out and isinstance(column, NumberColumn)
        else one
        for column, one, out in zip(columns, ready, lone, strict=True)
    ]


def check_arguments(missing: str, unseen: str, schema: object, layout: Mapping[str, object]) -> None:
    for option, policy, known in (
        ("missing", missing, get_args(MissingPolicy)),
        ("unseen", unseen, get_args(UnseenPolicy)),
    ):
        if policy not in known:
            raise SchemaError(f"{option} is one of {nearest(policy, known)}; found {policy!r}")
    if schema is not None and not isinstance(schema, Schema):
        raise SchemaError(f"schema= is a Schema; found {type(schema).__name__}. Schema([...]) makes one")
    for name in layout.keys() - Layout.__annotations__.keys():
        raise TypeError(f"read_table() got an unexpected keyword argument {name!r}")


def with_form(variable: Variable, forms: Mapping[str, RawForm]) -> Variable:
    """A variable that knows how its cells were read."""
    form = forms.get(variable.name, variable.raw)
    return variable if form == variable.raw else variable.read_as(form)


def choose(
    names: Sequence[str], schema: Schema | None, columns: Sequence[str] | None, weight: str | None
) -> tuple[list[int], list[tuple[str, str]]]:
    """Positions of the columns to read (weights last), and what is ignored, with the reason."""
    twice = repeated(name for name in names if name)
    if twice:
        raise SchemaError(f"column names must differ; found more than once: {twice}; rename them")
    if not names:
        raise SchemaError("there are no columns to read")
    if isinstance(columns, str):
        raise SchemaError(f"columns= is a list of names; for one column write [{columns!r}]")
    wanted = list(columns) if columns is not None else [name for name in names if name]
    if schema is not None:
        made_of = {variable.name: raw_name(variable, names) for variable in schema}
        wanted = [raw for name, raw in made_of.items() if columns is None or name in wanted]
        absent = [raw for raw in dict.fromkeys(made_of.values()) if raw not in names]
        if absent:
            raise SchemaError(
                f"the schema has columns that the source has not: {', '.join(map(repr, absent))}; "
                f"the source has {nearest(absent[0], names)}"
            )
    for name in [*(columns or ()), *([weight] if weight is not None else [])]:
        if name not in names:
            raise UnknownNameError(f"there is no column {name!r}; there are {nearest(name, names)}")
    wanted = [name for name in dict.fromkeys(wanted) if name != weight]
    if not wanted:
        raise SchemaError("no columns are left to read")
    reason = "not in the schema" if schema is not None else "not asked for"
    read = dict.fromkeys([*wanted, *([weight] if weight is not None else [])])
    ignored = [
        (name or f"column {i + 1}", reason if name else WITHOUT_NAME)
        for i, name in enumerate(names)
        if name not in read
    ]
    positions = {name: i for i, name in enumerate(names)}
    return [positions[name] for name in read], ignored


def prepared_columns(
    read: list[SourceColumn],
    schema: Schema | None,
    columns: Sequence[str] | None,
    wishes: Wishes,
    left_out: list[tuple[str, str]],
) -> Prepared:
    """The columns in the form that was asked for, or that a schema has them in."""
    if schema is None:
        return prepare(read, wishes, left_out)
    return prepare_like(read, schema, columns, wishes)


def wanted_as_texts(schema: Schema | None, names: Sequence[str]) -> set[int]:
    """Positions of the columns that a schema wants as the texts of a file."""
    places = {name: i for i, name in enumerate(names)}
    return {places[raw_name(v, places)] for v in schema or () if has_texts_only(v)}


def has_texts_only(variable: Variable) -> bool:
    """Whether a schema wants the texts of a file as they stand; interval states want numbers."""
    states = variable.states or ()
    real_states = [state for state in states if not is_missing_label(state)]
    return bool(states) and all(isinstance(state, str) for state in states) and edges_of(real_states) is None


def weights_of(column: SourceColumn) -> Weights:
    if isinstance(column, LabelColumn):
        shown = f"labels such as {column.labels[0]!r}" if column.labels else "nothing"
        raise WeightError(f"weights are numbers; column {column.name!r} holds {shown}")
    if column.missing is not None:
        raise WeightError(f"{int(column.missing.sum())} weights in column {column.name!r} are missing")
    return check_weights(column.values, len(column))


def ready_column(
    column: SourceColumn,
    schema: Mapping[str, Variable] | None,
    bins: Bins | Mapping[str, Cut] | None,
    missing_state: bool,
    unseen: UnseenPolicy = "error",
) -> ReadyColumn:
    """What the schema says, what the bins of the column say, or what is found."""
    if schema is not None:
        return match(column, schema[column.name], missing_state, unseen)
    found = None
    if isinstance(bins, Mapping):
        found = binned(column, bins[column.name], missing_state) if column.name in bins else None
    elif bins is not None and not isinstance(column, LabelColumn) and column.n_present > 0:
        found = None if interpret(column, False).variable.is_discrete else binned(column, bins, missing_state)
    found = found or interpret(column, missing_state)
    return with_reserve(found) if unseen == "state" else found
