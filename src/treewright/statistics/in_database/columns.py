"""What the columns of a database are, decided by the same rules as for rows that are read.

The database is asked for the labels of each column and how often each occurs. A few rows made up from them go
through the reader: it sees every label and every gap, and enough of each to decide as it would from all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import MissingValuesError, SchemaError, SettingError
from treewright.statistics.in_database.engines import GAP, Engine
from treewright.tables._reading.columns import LabelColumn, SourceColumn, number_column, refuse_types
from treewright.tables._reading.interpret import MANY_STATES, ROWS_PER_STATE, ReadyColumn, is_identifier
from treewright.tables._reading.matching import UnseenPolicy
from treewright.tables._reading.missing import MissingPolicy, refuse_infinite
from treewright.tables.arrays import code_type
from treewright.tables.readers import alike, check_arguments, choose, ready_column
from treewright.tables.report import ColumnReport, Report
from treewright.tables.schema import Schema

MOST_KEYS = 65_536  # of one column
_ENOUGH = MANY_STATES * ROWS_PER_STATE  # rows of one label, from which on more decide nothing
_TYPES: dict[str, Any] = {"truth": np.bool_, "whole": np.int64, "large": np.uint64, "real": np.float64}


@dataclass(frozen=True)
class Counted:
    """The columns of a model: where they are, the keys of their values, and the state of each key.

    Behind the states of the keys come those of a gap and of an unknown key, -1 where there is none.
    """

    schema: Schema
    report: Report
    positions: list[int]
    keys: list[list[str]]
    states: list[npt.NDArray[np.int64]]
    margins: list[list[tuple[str | None, int]]]
    where: str


def counted_columns(
    engine: Engine,
    schema: Schema | None,
    columns: Sequence[str] | None,
    missing: MissingPolicy,
    unseen: UnseenPolicy,
) -> Counted:
    """What to count, by the rules of :func:`~treewright.read_table`."""
    check_arguments(missing, unseen, schema, {})
    refuse_readings(schema, missing, unseen)
    positions, ignored = choose(engine.names, schema, columns, None)
    refuse_types({engine.names[i]: engine.kinds[i] for i in positions})
    n_read, *present = engine.present(positions)
    gaps = [n_read - n for n in present]
    if missing == "error":
        refuse_gaps([engine.names[i] for i in positions], gaps)
    where = engine.complete(positions) if missing == "drop" else ""
    margins = [margin_of(engine, i, where) for i in positions]
    n_rows = sum(n for _, n in margins[0])
    if missing == "drop" and n_read and not n_rows:
        raise MissingValuesError("every row misses a cell, so missing='drop' leaves nothing")
    made = [made_up(engine.names[i], engine.kinds[i], m) for i, m in zip(positions, margins, strict=True)]
    refuse_infinite(made)
    wanted = None if schema is None else {column.name: schema[column.name] for column in made}
    ready = [ready_column(column, wanted, None, missing == "state", unseen) for column in made]
    ready = ready if schema is not None else alike(made, ready, missing == "state")
    refuse_continuous(ready)
    reports = tuple(told(*one) for one in zip(ready, margins, gaps, strict=True))
    settings = {"missing": missing, "unseen": unseen, "mode": "counts"}
    return Counted(
        Schema(one.variable for one in ready),
        Report(n_read, n_rows, reports, tuple(ignored), (), (), (), settings),
        positions,
        [[key for key, _ in margin if key is not None] for margin in margins],
        [states_of(one, margin) for one, margin in zip(ready, margins, strict=True)],
        margins,
        where,
    )


def margin_of(engine: Engine, position: int, where: str) -> list[tuple[str | None, int]]:
    """The keys of a column, sorted, with how often they occur; too many are refused."""
    found = engine.keys(position, where, MOST_KEYS + 1)
    if len(found) > MOST_KEYS:
        raise SchemaError(
            f"column {engine.names[position]!r} has more than {MOST_KEYS:,} different values, too many to be "
            "counted in the database; leave it out with columns=[...], or use mode='rows'"
        )
    return sorted(found, key=lambda pair: (pair[0] is None, pair[0] or ""))


def made_up(name: str, kind: str, margin: Sequence[tuple[str | None, int]]) -> SourceColumn:
    """A few rows of each value of a column, and one gap if there is any."""
    keys = [key for key, _ in margin if key is not None]
    n_gaps = sum(n for key, n in margin if key is None)
    copies = [min(n, _ENOUGH) for key, n in margin if key is not None]
    places = np.repeat(np.arange(len(keys)), copies)
    gaps = np.zeros(len(places) + (n_gaps > 0), dtype=np.bool_)
    gaps[len(places) :] = True
    places = np.append(places, np.zeros(len(gaps) - len(places), dtype=places.dtype))
    mask = gaps if n_gaps else None
    if kind == "text" or not keys:
        codes = places.astype(code_type(max(1, len(keys))))
        return LabelColumn(name, codes, keys, mask, n_missing=n_gaps)
    values = [key == "true" for key in keys] if kind == "truth" else keys
    number = float if kind == "real" else int
    distinct = np.array([number(value) for value in values], dtype=_TYPES[kind])
    return replace(number_column(name, distinct[places], mask), n_missing=n_gaps)


def states_of(ready: ReadyColumn, margin: Sequence[tuple[str | None, int]]) -> npt.NDArray[np.int64]:
    """The state of each key, then those of a gap and of an unknown key; see `made_up` for where they are."""
    copies = [min(n, _ENOUGH) for key, n in margin if key is not None]
    starts = np.cumsum([0, *copies])
    has_gaps = any(key is None for key, _ in margin)
    found = np.full(len(copies) + 2, -1, dtype=np.int64)
    found[: len(copies)] = np.asarray(ready.values)[starts[:-1]]
    found[GAP] = int(ready.values[starts[-1]]) if has_gaps and ready.missing is None else -1
    return found


def told(ready: ReadyColumn, margin: Sequence[tuple[str | None, int]], n_gaps: int) -> ColumnReport:
    """The report on a column, which had a few rows only."""
    n_rows = sum(n for _, n in margin)
    return replace(ready.report, n_missing=n_gaps, is_identifier=is_identifier(len(margin), n_rows))


def refuse_readings(schema: Schema | None, missing: str, unseen: str) -> None:
    if missing == "em":
        raise SettingError("missing='em' keeps gaps, and mode='counts' keeps no rows; use 'drop' or 'state'")
    if unseen == "ignore":
        raise SettingError("unseen='ignore' leaves gaps, and mode='counts' counts; use 'state' or 'add'")
    mended = [v.name for v in schema or () if v.raw is not None]
    if mended:
        raise SettingError(
            f"mode='counts' counts columns as they are in the database, and the schema mends {mended[0]!r}; "
            "mend it with a query, or use mode='rows'"
        )


def refuse_gaps(names: Sequence[str], gaps: Sequence[int]) -> None:
    shown = ", ".join(f"{name!r} ({n})" for name, n in zip(names, gaps, strict=True) if n)
    if shown:
        raise MissingValuesError(
            f"missing cells in {shown}; pass missing='drop' to leave out the rows, or 'state' to make "
            "missing a state of its own"
        )


def refuse_continuous(ready: Sequence[ReadyColumn]) -> None:
    names = [one.variable.name for one in ready if not one.variable.is_discrete]
    if names:
        raise SchemaError(
            f"{names[0]!r} is continuous and cannot be counted; leave it out with columns=[...], cut it into "
            "intervals with a query (SqlTable(..., query=)), or use mode='rows' with bins="
        )
