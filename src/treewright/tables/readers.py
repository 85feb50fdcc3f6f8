"""From any source to a :class:`Table`: choose columns, settle missing cells, decide what each column is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import numpy.typing as npt

from treewright.errors import SchemaError, UnknownNameError, WeightError, nearest
from treewright.tables._reading.bins import Bins, Cut, check_bins, edges_of
from treewright.tables._reading.columns import LabelColumn, SourceColumn
from treewright.tables._reading.interpret import (
    ReadyColumn,
    binned,
    interpret,
    is_missing_label,
    with_reserve,
)
from treewright.tables._reading.matching import UnseenPolicy, match
from treewright.tables._reading.missing import MissingPolicy, mark_missing, refuse_infinite, settle_missing
from treewright.tables._reading.paths import ReadOptions
from treewright.tables._reading.sources import open_source
from treewright.tables.arrays import Weights, check_weights
from treewright.tables.cuts.settled import settle_bins
from treewright.tables.report import Report
from treewright.tables.schema import Label, Schema, Variable, repeated
from treewright.tables.sharded import ShardedTable
from treewright.tables.table import Table


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
    missing_values: Label | Iterable[Label] = (),
    delimiter: str | None = None,
    header: bool = True,
    encoding: str = "utf-8",
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
        for standard input; a table or query of a DuckDB file (:class:`SqlTable`); a pandas, polars, Arrow or
        other frame that narwhals knows, also a DuckDB relation; a dictionary of lists; a NumPy array (rows by
        columns, or structured); a table. Several files are read as one table.
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
        Labels and numbers that stand for a missing cell too, such as ``("NA", "?", -999)``.
    delimiter
        Between the fields of a CSV file; read off its first line when left out.
    header
        Whether the first line of a CSV file holds the names.
    encoding
        Of a CSV file: utf-8, latin-1, cp1252, utf-16 or any other that Python knows.

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
    if missing not in get_args(MissingPolicy):
        raise SchemaError(f"missing is one of {nearest(missing, get_args(MissingPolicy))}; found {missing!r}")
    if unseen not in get_args(UnseenPolicy):
        raise SchemaError(f"unseen is one of {nearest(unseen, get_args(UnseenPolicy))}; found {unseen!r}")
    if schema is not None and not isinstance(schema, Schema):
        raise SchemaError(f"schema= is a Schema; found {type(schema).__name__}. Schema([...]) makes one")
    marks = (missing_values,) if isinstance(missing_values, str | int | float) else tuple(missing_values)
    if isinstance(source, ShardedTable):
        source = source.joined()
    opened = open_source(source, ReadOptions(names, delimiter, header, encoding, marks))
    if isinstance(source, Table) and weights is None and source.weights is not None:
        weights = source.weights
    weight_name = weights if isinstance(weights, str) else None
    chosen, ignored = choose(opened.names, schema, columns, weight_name)
    places = {name: i for i, name in enumerate(opened.names)}
    as_text = {places[v.name] for v in schema or () if has_texts_only(v)}
    read = [mark_missing(c, marks) for c in opened.read(chosen, as_text)]
    n_read = len(read[0])
    counts: Weights | None = None
    if weight_name is not None:
        counts = weights_of(read.pop())
        ignored.append((weight_name, "taken as the weights of the rows"))
    elif weights is not None:
        counts = check_weights(weights, n_read)
    refuse_infinite(read)
    read, kept = settle_missing(read, missing)
    if kept is not None and counts is not None:
        counts = counts[kept]
    check_bins(bins, schema, [column.name for column in read])
    cuts = settle_bins(read, bins)
    ready = [ready_column(column, schema, cuts, missing == "state", unseen) for column in read]
    return Table(
        Schema(one.variable for one in ready),
        [one.values for one in ready],
        weights=counts,
        missing={i: one.missing for i, one in enumerate(ready) if one.missing is not None},
        report=Report(n_read, len(read[0]), tuple(one.report for one in ready), tuple(ignored), opened.notes),
    )


def choose(
    names: Sequence[str], schema: Schema | None, columns: Sequence[str] | None, weight: str | None
) -> tuple[list[int], list[tuple[str, str]]]:
    """Positions of the columns to read (weights last), and what is ignored, with the reason."""
    twice = repeated(name for name in names if name)
    if twice:
        raise SchemaError(f"column names must differ; found more than once: {twice}")
    if not names:
        raise SchemaError("there are no columns to read")
    if isinstance(columns, str):
        raise SchemaError(f"columns= is a list of names; for one column write [{columns!r}]")
    wanted = list(columns) if columns is not None else [name for name in names if name]
    if schema is not None:
        wanted = [name for name in schema.names if columns is None or name in wanted]
        absent = [name for name in schema.names if name not in names]
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
        (name or f"column {i + 1}", reason if name else "it has no name")
        for i, name in enumerate(names)
        if name not in read
    ]
    positions = {name: i for i, name in enumerate(names)}
    return [positions[name] for name in read], ignored


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
    schema: Schema | None,
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
        plain = interpret(column, False)
        found = None if plain.variable.is_discrete else binned(column, bins, missing_state)
    found = found or interpret(column, missing_state)
    return with_reserve(found) if unseen == "state" else found
