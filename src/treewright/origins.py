"""Where a result came from: the settings behind it, as JSON can say them.

A learner called by its public name leaves on the structure that it returns what it was called with; fitting
hands that on to the model, with what is known of the rows, and a model's file keeps it (`model.provenance`).
Estimators and the command line add what they were told.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from hashlib import blake2b
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from treewright.errors import Interrupted
from treewright.text import without_password

Found = TypeVar("Found")

_SILENT = ("progress",)  # listens, and decides nothing
_LONGEST = 2_000  # numbers of an array that are told one by one


def described(value: Any) -> Any:
    """A setting as JSON can say it.

    Examples
    --------
    >>> from treewright import Dirichlet, Knowledge
    >>> described({"prior": Dirichlet(1.0), "treewidth": 4, "bins": {"age": [0, 18.5]}})
    {'prior': {'ess': 1.0}, 'treewidth': 4, 'bins': {'age': [0, 18.5]}}
    >>> described(Knowledge(required=[("a", "b")]))
    {'required': [['a', 'b']], 'forbid_within_tiers': False}
    """
    if value is None or isinstance(value, bool | int | str):
        return without_password(value) if isinstance(value, str) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, np.ndarray | np.generic):
        return described(value.tolist()) if value.size <= _LONGEST else f"array of shape {value.shape}"
    if isinstance(value, Mapping):
        return {str(key): described(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [described(item) for item in items]
    return os.fspath(value) if isinstance(value, os.PathLike) else _of_our_own(value)


def _of_our_own(value: Any) -> Any:
    if isinstance(value, np.random.Generator):
        return described(value.bit_generator.state)
    if hasattr(value, "local_many") or hasattr(value, "independent_many"):  # a score, a test
        return repr(value)
    if hasattr(value, "schema") and hasattr(value, "n_rows"):
        return {"rows": described(value.n_rows), "columns": list(value.schema.names)}
    if callable(getattr(value, "edges", None)):
        return {"edges": [list(edge) for edge in value.edges()]}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {one.name: getattr(value, one.name) for one in fields(value)}
        return {name: described(part) for name, part in parts.items() if not _is_empty(part)}
    return repr(value)


def _is_empty(part: Any) -> bool:
    return part is None or (isinstance(part, tuple) and not part)


def recorded(learn: Callable[..., Found]) -> Callable[..., Found]:
    """A learner that leaves on its result what it was called with."""
    shape = signature(learn)

    @wraps(learn)
    def run(*arguments: Any, **settings: Any) -> Found:
        try:
            bound = shape.bind(*arguments, **settings)
        except TypeError:  # the learner says it better
            return learn(*arguments, **settings)
        bound.apply_defaults()
        told = {name: described(one) for name, one in bound.arguments.items() if name not in _SILENT}
        origin = {"learner": learn.__name__, "settings": told}
        try:
            return _with_origin(learn(*arguments, **settings), origin)
        except Interrupted as stop:
            stop.learned = _with_origin(stop.learned, origin)
            raise

    return run


def _with_origin(learned: Found, origin: Mapping[str, Any]) -> Found:
    """The result, whose structure (and member, if it is a class) says where it came from."""
    for part in ("structure", "dag"):
        graph = vars(learned).get(part)
        if graph is None or not hasattr(graph, "__dict__"):
            continue
        twin = object.__new__(type(graph))
        twin.__dict__.update(graph.__dict__, _origin=dict(origin))
        object.__setattr__(learned, part, twin)
    return learned


def origin_of(structure: object) -> dict[str, Any]:
    """What a learner left on a structure, with the version; nothing for one that was made by hand."""
    found = getattr(structure, "_origin", None)
    return {**found, **version()} if found else {}


def rows_behind(source: object) -> dict[str, Any]:
    """What is known of the rows behind counts or moments: how many, their columns, how they were read.

    Where they are at hand, a digest tells them from others.
    """
    table = getattr(source, "table", source)
    told: dict[str, Any] = {"columns": list(table.schema.names)} if hasattr(table, "schema") else {}
    rows = getattr(source, "n_rows", getattr(source, "n", None))
    if rows is not None:
        told["rows"] = described(rows)
    tables = getattr(table, "tables", (table,))
    if tables and all(hasattr(one, "columns") and hasattr(one, "missing") for one in tables):
        told["digest"] = digest_of(*tables)
    reading = reading_of(getattr(table, "reading", getattr(table, "report", None)))
    return {**told, **({"reading": reading} if reading else {})}


def reading_of(report: Any) -> dict[str, Any]:
    """What was done to read the rows, in brief."""
    if report is None:
        return {}
    told = {
        **described(report.settings),
        "rows_read": report.n_rows_read,
        "rows_dropped": report.n_dropped,
        "ignored": described(report.ignored),
        "mendings": described(report.mendings),
        "notes": [*report.notes, *(f"{one.name}: {note}" for one in report.columns for note in one.notes)],
    }
    return {name: one for name, one in told.items() if not _says_nothing(one)}


def _says_nothing(one: object) -> bool:
    return one is None or (isinstance(one, list) and not one)


def digest_of(*tables: Any) -> str:
    """Of the cells of tables, with names, states and weights; the order of columns changes nothing.

    Examples
    --------
    >>> from treewright import read_table
    >>> table = read_table({"a": [0, 1], "b": ["x", "y"]})
    >>> digest_of(table) == digest_of(table.select(["b", "a"])), len(digest_of(table))
    (True, 32)
    """
    text = blake2b(digest_size=16)
    for table in tables:
        if not hasattr(table, "_digest"):  # a table does not change
            table._digest = _digest_of_one(table)
        text.update(table._digest)
    return text.hexdigest()


def _digest_of_one(table: Any) -> bytes:
    text = blake2b(digest_size=16)
    for name in sorted(table.schema.names):
        v = table.schema.index(name)
        text.update(repr((name, table.schema[v].states, table.n_rows)).encode())
        for array in (table.columns[v], table.missing.get(v)):
            text.update(b"" if array is None else np.ascontiguousarray(array).data)
    text.update(b"" if table.weights is None else np.ascontiguousarray(table.weights).data)
    return text.digest()


def version() -> dict[str, str]:
    import treewright

    return {"treewright": treewright.__version__}
