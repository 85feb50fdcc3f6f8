"""What a person would see in a table as a whole: columns that say nothing or the same, rows that repeat."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.tables._reading.interpret import FEW_STATES, identifiers
from treewright.tables.arrays import code_type
from treewright.tables.exports import counted
from treewright.tables.report import ColumnReport, Finding, listed
from treewright.tables.table import Table

ROWS_PER_STATE = 10
EXPLAINED = (
    "dates", "marks among dates", "marks among numbers", "decimal commas", "thousands", "numbers with signs",
    "numbers as texts", "numbers of other forms", "several answers"
)  # fmt: skip
# The rest of a column that is nearly constant: less than this share and these rows, or a tenth of the share.
NEARLY, FEW_ROWS = 0.01, 10
_ROWS_SHOWN = 3


def inspect_table(table: Any) -> tuple[Finding, ...]:
    """Everything that a person would want to know about a table before learning from it.

    What reading saw comes first (``table.report.findings``), then what concerns whole columns and rows: keys,
    more states than the rows can tell apart, columns that are constant, nearly so, or copies of each other up
    to the names of states, rows that repeat, fewer rows than columns ask for. Whatever
    :func:`~treewright.read_table` reads is read first.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"sex": ["f", "m"] * 30, "gender": ["female", "male"] * 30, "planet": ["earth"] * 60}
    >>> for finding in tw.tables.inspect_table(tw.read_table(rows)):
    ...     print(finding)
    'planet' never changes, so nothing depends on it; --ignore planet
    'sex', 'gender' are copies of each other up to the names of their states: keep one; --ignore gender
    """
    if not isinstance(table, Table):
        from treewright.tables.readers import read_table

        table = read_table(table, missing="em")
    seen = () if table.report is None else table.report.findings
    codes = [with_gaps(table, v) for v in range(len(table.schema))]
    return (*seen, *look_at_columns(table, codes), *look_at_rows(table, codes))


def with_gaps(table: Table, v: int) -> npt.NDArray[Any]:
    """The codes or numbers of a column, missing cells a code of their own."""
    values, missing = table.columns[v], table.missing.get(v)
    if missing is None or not table.schema[v].is_discrete:
        return values
    n = table.schema[v].cardinality
    values = values.astype(code_type(n + 1))
    values[missing] = n
    return values


def look_at_columns(table: Table, codes: Sequence[npt.NDArray[Any]]) -> Iterator[Finding]:
    schema, n = table.schema, table.n_rows
    seen = () if table.report is None else table.report.findings
    dated = {name for one in seen if one.kind in EXPLAINED for name in one.columns}
    keys = tuple(name for name in identifiers(table) if name not in dated)
    if keys:
        verb = "has a value of its own" if len(keys) == 1 else "have values of their own"
        sentence = (
            f"{quoted(keys)} {verb} in nearly every row: an identifier says nothing about other columns"
        )
        yield Finding("identifiers", keys, sentence, *ignoring(keys))
    counts = {v: np.bincount(codes[v]) for v in range(len(schema)) if schema[v].is_discrete and n}
    constant = [schema.names[v] for v in range(len(schema)) if is_constant(table, v, codes[v])]
    if constant:
        verb, them = ("never changes", "it") if len(constant) == 1 else ("never change", "them")
        sentence = f"{quoted(constant)} {verb}, so nothing depends on {them}"
        yield Finding("constant", tuple(constant), sentence, *ignoring(constant))
    for v, found in counts.items():
        rest = n - int(found.max())
        if 0 < rest < max(min(FEW_ROWS, NEARLY * n), NEARLY * n / 10):
            state = (*(schema[v].states or ()), "missing")[int(found.argmax())]
            sentence = f"{schema.names[v]!r} is nearly constant: {state!r} in all but {counted(rest, 'row')}"
            yield Finding(
                "nearly constant", (schema.names[v],), sentence, *ignoring([schema.names[v]]), cells=rest
            )
    yield from look_for_copies(table, codes, {*constant, *keys, *dated})


def look_at_states(
    columns: Sequence[ColumnReport], n_rows: int, seen: Sequence[Finding]
) -> tuple[Finding, ...]:
    """Columns of more states than the rows can tell apart, those left out of which more is known already."""
    known = {name for one in seen if one.kind in EXPLAINED for name in one.columns}
    most = max(FEW_STATES, n_rows / ROWS_PER_STATE)
    many = [
        (column.name, column.n_states)
        for column in columns
        if column.n_states is not None
        and column.n_states > most
        and not (column.is_identifier or column.is_binned or column.name in known)
    ]
    return tuple(
        Finding(
            "many states",
            (name,),
            f"{name!r} has {n:,} states for {n_rows:,} rows, {n_rows / n:.1f} for each: too few to tell what "
            "depends on it",
            *ignoring([name]),
        )
        for name, n in many
    )


def is_constant(table: Table, v: int, values: npt.NDArray[Any]) -> bool:
    return len(values) > 0 and v not in table.missing and bool((values == values[0]).all())


def look_for_copies(table: Table, codes: Sequence[npt.NDArray[Any]], known: set[str]) -> Iterator[Finding]:
    """Columns that say the same; of those that are known to say nothing there is no need to tell."""
    schema = table.schema
    discrete = [v for v in range(len(schema)) if schema[v].is_discrete and schema.names[v] not in known]
    groups: list[list[int]] = []
    if discrete and table.n_rows:
        sizes = [schema[v].cardinality + (v in table.missing) for v in discrete]
        packed = _core.pack([np.ascontiguousarray(codes[v]) for v in discrete], sizes, table.n_rows)
        groups = [[discrete[i] for i in group] for group in _core.find_copies(packed) if len(group) > 1]
    alike: dict[bytes, list[int]] = {}
    for v in range(len(schema)):
        if not schema[v].is_discrete and schema.names[v] not in known:
            alike.setdefault(np.ascontiguousarray(codes[v]).tobytes(), []).append(v)
    for group in [*groups, *(members for members in alike.values() if len(members) > 1)]:
        names = schema.names_of(sorted(group))
        first = group[0]
        same = all(
            schema[v].states == schema[first].states and codes[v].tobytes() == codes[first].tobytes()
            for v in group
        )
        how = "are the same" if same else "are copies of each other up to the names of their states"
        yield Finding("copies", names, f"{quoted(names)} {how}: keep one", *ignoring(names[1:]))


def look_at_rows(table: Table, codes: Sequence[npt.NDArray[Any]]) -> Iterator[Finding]:
    n, width = table.n_rows, len(table.schema)
    if n < 2 * width or n < 50:
        sentence = f"{counted(n, 'row')} for {counted(width, 'column')}: few edges can be told from chance"
        sure = "says how sure each edge is"
        yield Finding("few rows", (), sentence, f"--bootstrap 100 {sure}", f"edge_confidence {sure}")
    repeats = repeated_rows(codes)
    if len(repeats) and table.weights is None and is_unlikely(table, codes, len(repeats)):
        rows = tuple((repeats[:_ROWS_SHOWN] + 1).tolist())
        sentence = (
            f"{counted(len(repeats), 'row')} like an earlier one in every column (first: "
            f"{', '.join(map(str, rows))}): were they entered twice?"
        )
        yield Finding("repeated rows", (), sentence, "", "", len(repeats), rows=rows)


def repeated_rows(codes: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.intp]:
    """The rows that equal an earlier one, found by hashing and then compared."""
    if not codes or len(codes[0]) < 2:
        return np.empty(0, dtype=np.intp)
    hashed = np.zeros(len(codes[0]), dtype=np.uint64)
    for v, column in enumerate(codes):
        cells = bits_of(column).astype(np.uint64)
        mixed = (cells + np.uint64(2 * v + 1)) * np.uint64(0x9E3779B97F4A7C15)
        hashed = (hashed ^ mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    order = np.argsort(hashed, kind="stable")
    same = np.flatnonzero(hashed[order][1:] == hashed[order][:-1])
    earlier, later = order[same], order[same + 1]
    equal = np.ones(len(later), dtype=np.bool_)
    for column in codes:
        equal &= bits_of(column[earlier]) == bits_of(column[later])
    return np.sort(later[equal])


def bits_of(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers that are equal where the cells are; missing reals are."""
    return np.ascontiguousarray(cells).view(np.uint64) if cells.dtype.kind == "f" else cells


def is_unlikely(table: Table, codes: Sequence[npt.NDArray[Any]], n_repeats: int) -> bool:
    """Whether rows of independent columns with these counts would hardly repeat so often."""
    pairs = table.n_rows * (table.n_rows - 1) / 2
    expected = pairs
    for variable, column in zip(table.schema, codes, strict=True):
        counts = (
            np.bincount(column) if variable.is_discrete else np.unique(bits_of(column), return_counts=True)[1]
        )
        expected *= float((counts * (counts - 1.0)).sum()) / 2 / pairs
    return expected < n_repeats / 4


def ignoring(names: Sequence[str]) -> tuple[str, str]:
    """The options that leave columns out."""
    if len(names) > 4:
        return "--ignore for each", "columns=[...] without them"
    return " ".join(
        f"--ignore {shlex.quote(name)}" for name in names
    ), f"columns=[...] without {quoted(names)}"


def quoted(names: Sequence[str]) -> str:
    return listed([repr(name) for name in names], 6)
