"""Columns as sources hand them over, before anybody has decided what they are.

Every source, be it a file, a frame, a dictionary or an array, speaks one of two words: a :class:`LabelColumn`
(codes into a list of labels, so that a text is touched once and not once per row) or a :class:`NumberColumn`.
What comes after knows nothing about sources. Nobody changes one, but they are not frozen, which would take a
tenth of the time of reading very many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import count
from math import isnan
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError
from treewright.tables.arrays import code_type
from treewright.tables.report import listed
from treewright.tables.schema import Label
from treewright.types import Mask

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


@dataclass
class LabelColumn:
    """Codes into labels.

    `declared` labels are all states, in their order, observed or not; others are sorted later. Where
    `missing` is true the code means nothing. Labels are `complete` if some row, missing or not, has each of
    them.
    """

    name: str
    codes: npt.NDArray[Any]
    labels: Sequence[Label]
    missing: Mask | None = None
    declared: bool = False
    ordered: bool = False
    n_missing: int = 0
    notes: tuple[str, ...] = ()
    complete: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: Mask) -> LabelColumn:
        missing = None if self.missing is None else self.missing[rows]
        return replace(self, codes=self.codes[rows], missing=missing, complete=False)


@dataclass
class NumberColumn:
    """Truth values, whole numbers or real numbers. Where `missing` is true the value means nothing.

    `stored` are the values or, where there are `codes`, the distinct ones, sorted, that the codes point to.
    They are `complete` if some row, missing or not, has each of them; `known` are those that a row which is
    not missing has, once somebody has looked.
    """

    name: str
    stored: npt.NDArray[Any]
    missing: Mask | None = None
    n_missing: int = 0
    notes: tuple[str, ...] = ()
    codes: npt.NDArray[Any] | None = None
    complete: bool = False
    known: npt.NDArray[Any] | None = field(default=None, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.stored if self.codes is None else self.codes)

    @property
    def kind(self) -> str:
        """The letter of NumPy: b, i, u or f."""
        return self.stored.dtype.kind

    @property
    def n_present(self) -> int:
        return len(self) - (0 if self.missing is None else int(np.count_nonzero(self.missing)))

    @property
    def values(self) -> npt.NDArray[Any]:
        return self.stored if self.codes is None else self.stored[self.codes]

    @property
    def present(self) -> npt.NDArray[Any]:
        return self.values if self.missing is None else self.values[~self.missing]

    @property
    def distinct(self) -> npt.NDArray[Any]:
        """The values that some row has, sorted."""
        if self.known is None:
            self.known = self._find_distinct()
        return self.known

    def _find_distinct(self) -> npt.NDArray[Any]:
        if self.codes is None:
            return np.unique(self.present)
        if self.complete and self.missing is None:
            return self.stored
        seen = np.bincount(
            self.codes if self.missing is None else self.codes[~self.missing], minlength=len(self.stored)
        )
        return self.stored if np.count_nonzero(seen) == len(seen) else self.stored[seen > 0]

    def as_labels(self, labels: Sequence[Label]) -> LabelColumn:
        """Labels in place of the distinct values."""
        if self.codes is not None and len(self.distinct) == len(self.stored):
            codes = self.codes
        else:
            codes = np.minimum(np.searchsorted(self.distinct, self.values), max(0, len(labels) - 1))
        return LabelColumn(self.name, codes, labels, self.missing, n_missing=self.n_missing, notes=self.notes)

    def take(self, rows: Mask) -> NumberColumn:
        missing = None if self.missing is None else self.missing[rows]
        if self.codes is None:
            return replace(self, stored=self.stored[rows], missing=missing)
        return replace(self, codes=self.codes[rows], missing=missing, complete=False)


SourceColumn = LabelColumn | NumberColumn


def label_column(
    name: str, codes: npt.NDArray[Any], labels: Sequence[Label], missing: Mask | None = None, **extra: Any
) -> LabelColumn:
    """A label column in the smallest type; negative codes are missing."""
    if codes.dtype.kind == "i":
        negative = codes < 0
        if negative.any():
            missing = negative if missing is None else missing | negative
            codes = np.where(negative, 0, codes)
    elif missing is not None and missing.any():
        codes = np.where(missing, 0, codes)
    missing, n_missing = tidy(missing)
    codes = codes.astype(code_type(max(1, len(labels))), copy=False)
    return LabelColumn(name, codes, labels, missing, n_missing=n_missing, **extra)


def number_column(
    name: str, values: npt.NDArray[Any], missing: Mask | None = None, codes: npt.NDArray[Any] | None = None
) -> NumberColumn:
    """A column of truth values, whole numbers or float64; NaN is missing, and never among coded values."""
    kind = values.dtype.kind
    if kind == "f":
        values = values.astype(np.float64, copy=False)
        if codes is None:
            unknown = np.isnan(values)
            missing = unknown if missing is None else missing | unknown
    elif kind not in "biu":
        raise AssertionError(f"{values.dtype} is not a type of numbers")
    missing, n_missing = tidy(missing)
    return NumberColumn(name, values, missing, n_missing, codes=codes)


def empty_column(name: str, n_rows: int) -> LabelColumn:
    """A column that misses every cell, and so has no labels."""
    return label_column(name, np.full(n_rows, -1, dtype=np.int8), ())


def date_column(name: str, values: npt.NDArray[Any]) -> LabelColumn:
    """Dates and times as texts in the order of ISO 8601; without the time where all are midnight."""
    seconds = values.astype("datetime64[s]")
    missing = np.isnat(seconds)
    distinct, codes = np.unique(seconds[~missing], return_inverse=True)
    dates = distinct.astype("datetime64[D]")
    labels = np.datetime_as_string(dates if (distinct == dates).all() else distinct)
    places = np.full(len(seconds), -1, dtype=np.int64)
    places[~missing] = codes
    return label_column(name, places, labels.tolist())


def tidy(missing: Mask | None) -> tuple[Mask | None, int]:
    n_missing = 0 if missing is None else int(np.count_nonzero(missing))
    return (missing if n_missing else None), n_missing


class CodeBook(dict[Any, int]):
    """Numbers values in the order in which they are first seen."""

    def __missing__(self, value: Any) -> int:
        code = self[value] = len(self)
        return code


def encode_texts(
    name: str, values: Sequence[Any], missing: Mask | None = None, known: Iterable[str] = ()
) -> LabelColumn:
    """A column of Python texts; cells under `missing` may hold anything. `known` texts come first."""
    book = CodeBook(zip(known, count(), strict=False))
    if missing is None:
        codes = np.fromiter(map(book.__getitem__, values), dtype=np.int64, count=len(values))
    else:
        codes = np.full(len(values), -1, dtype=np.int64)
        present = np.flatnonzero(~missing)
        texts = map(values.__getitem__, present.tolist())
        codes[present] = np.fromiter(map(book.__getitem__, texts), dtype=np.int64, count=len(present))
    return label_column(name, codes, plain_labels(list(book)), missing)


def column_of_objects(name: str, values: Sequence[Any]) -> SourceColumn:
    """A column of Python objects: texts, truth values, whole or real numbers, but one kind only."""
    kinds: dict[str, set[type]] = {}
    for cls in set(map(type, values)):
        kinds.setdefault(kind_of(name, cls), set()).add(cls)
    missing = None
    if "missing" in kinds or ("real" in kinds and len(kinds) > 1):
        absent, reals = kinds.pop("missing", set()), kinds.get("real", set())
        unknown = (type(value) in absent or (type(value) in reals and isnan(value)) for value in values)
        missing = np.fromiter(unknown, dtype=np.bool_, count=len(values))
        if reals and all(gone for value, gone in zip(values, missing, strict=True) if type(value) in reals):
            del kinds["real"]  # nothing but NaN: missing cells of a column of another kind
    return column_of_kind(name, values, missing, set(kinds))


def column_of_kind(name: str, values: Sequence[Any], missing: Mask | None, kinds: set[str]) -> SourceColumn:
    if not kinds:
        return empty_column(name, len(values))
    if kinds == {"text"}:
        return encode_texts(name, values, missing)
    if len(kinds) > 1 and kinds != {"integer", "real"}:
        raise SchemaError(mixed_kinds(name, values, missing, kinds))
    if kinds == {"date"}:
        gone = [False] * len(values) if missing is None else missing.tolist()
        texts = [None if out else str(value)[:19] for value, out in zip(values, gone, strict=True)]
        return date_column(name, np.array(texts, dtype="datetime64[s]"))
    types = {"truth": (np.bool_,), "integer": (np.int64, np.uint64), "real": (np.float64,)}[max(kinds)]
    if missing is not None:
        filler = types[0]()
        values = [filler if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    for dtype in types:
        try:
            return number_column(name, np.array(values, dtype=dtype), missing)
        except OverflowError:
            continue
    return encode_texts(name, values, missing)  # beyond 64 bits: no array can hold them


def kind_of(name: str, cls: type) -> str:
    """What a Python type counts as in a column."""
    if cls is type(None) or cls.__name__ in ("NAType", "NaTType"):
        return "missing"
    for kind, (_, family) in KINDS.items():
        if issubclass(cls, family):
            return kind
    raise unsupported(name, f"values of type {cls.__name__}")


class UnusableColumns(SchemaError):  # noqa: N818
    """Columns of which nothing can be made, each with what it holds; the others may go on without them."""

    def __init__(self, columns: Mapping[str, str], told: str) -> None:
        self.columns, self.told = dict(columns), told
        one, what = len(self.columns) == 1, " and ".join(list(dict.fromkeys(self.columns.values()))[:_TOLD])
        words = ("column", "holds", "has", "it", "it") if one else ("columns", "hold", "have", "they", "them")
        column, verb, has, they, them = words
        shown = listed(list(map(repr, self.columns)), _TOLD)
        told = told.format(verb=verb, has=has, they=they, them=them, what=what)
        super().__init__(f"{column} {shown} {told}")


_TOLD = 12
UNKNOWN_KIND = "unsupported"
UNSUPPORTED = (
    "{verb} {what}; columns hold texts, truth values or numbers. Convert {them}, or leave {them} out with "
    "columns=[...]"
)
WITHOUT_VALUE = (
    "{verb} no value, so what {they} can hold is unknown; declare {them} with schema=, or leave {them} out "
    "with columns=[...]"
)
WITHOUT_ROWS = "{has} no rows, so what {they} can hold is unknown; declare {them} with schema="


def unsupported(name: str, what: str) -> UnusableColumns:
    return UnusableColumns({name: what}, UNSUPPORTED)


def refuse_types(kinds: Mapping[str, str]) -> None:
    """Refuse columns whose kind is "unsupported" and a type."""
    told = {name: kind.partition(" ") for name, kind in kinds.items()}
    refused = {name: f"values of type {sort}" for name, (one, _, sort) in told.items() if one == UNKNOWN_KIND}
    if refused:
        raise UnusableColumns(refused, UNSUPPORTED)


def each(make: Callable[[_Item], _Made], items: Iterable[_Item]) -> list[_Made]:
    """What is made of each item; the columns of which nothing can be made are refused together."""
    made: list[_Made] = []
    refused: list[UnusableColumns] = []
    for item in items:
        try:
            made.append(make(item))
        except UnusableColumns as error:
            refused.append(error)
    if refused:
        alike = [error.columns for error in refused if error.told == refused[0].told]
        raise UnusableColumns({k: v for columns in alike for k, v in columns.items()}, refused[0].told)
    return made


KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "text": ("texts", (str,)),
    "truth": ("truth values", (bool, np.bool_)),
    "integer": ("whole numbers", (int, np.integer)),
    "real": ("real numbers", (float, np.floating, Decimal)),
    "date": ("dates", (date, np.datetime64)),
}


def mixed_kinds(name: str, values: Sequence[Any], missing: Mask | None, kinds: Iterable[str]) -> str:
    examples: dict[str, Any] = {}
    for position, value in enumerate(values):
        if missing is None or not missing[position]:
            examples.setdefault(kind_of(name, type(value)), value)
    shown = " and ".join(
        f"{words} such as {plain(examples[kind])!r}" for kind, (words, _) in KINDS.items() if kind in kinds
    )
    return (
        f"column {name!r} mixes {shown}; it is not clear which of them mean the same. "
        "Convert the column to one type, for example to texts"
    )


def plain_labels(values: Sequence[Any]) -> list[Label]:
    return list(values) if set(map(type, values)) <= {str} else [plain(value) for value in values]


def plain(value: Any) -> Label:
    """A label as a plain Python str, bool, int or float, whatever type it came as."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, date):
        return str(value)
    for cls in (bool, int, float, str):
        if isinstance(value, cls):
            return str.__str__(value) if cls is str else cls(value)
    raise AssertionError(f"{value!r} is not a label")
