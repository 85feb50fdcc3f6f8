"""What reading was asked to do to cells: marks of missing ones, decimal commas, parts of dates, mending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from treewright.errors import SchemaError, UnknownNameError, nearest
from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn
from treewright.tables.inspection.dates import ORDERS, PARTS, dates_of_numbers, order_of_dates
from treewright.tables.inspection.forms import texts_of
from treewright.tables.inspection.words import AMONG_NUMBERS, is_mark
from treewright.tables.report import listed
from treewright.tables.schema import Label

MissingValues = Label | Iterable[Label] | Mapping[str | None, Label | Iterable[Label]]
Dates = Sequence[str] | Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Wishes:
    """What was asked for, by column; `None` among the names stands for all columns."""

    marks: Mapping[str | None, tuple[Label, ...]]
    decimal: str | None  # None where nobody said what numbers are written with
    dates: Mapping[str | None, tuple[str, ...]]
    mend: bool

    @classmethod
    def of(
        cls, missing_values: MissingValues, decimal: str | None, dates: Dates | None, mend: bool
    ) -> Wishes:
        if decimal not in (None, ".", ","):
            raise SchemaError(f"decimal is '.' or ','; found {decimal!r}")
        by_name = missing_values if isinstance(missing_values, Mapping) else {None: missing_values}
        marks = {
            name: known_marks((one,) if isinstance(one, str | int | float) else one)
            for name, one in by_name.items()
        }
        parts = dates if isinstance(dates, Mapping) else {} if dates is None else {None: dates}
        return cls(marks, decimal, {name: read_parts(name, one) for name, one in parts.items()}, mend)

    @property
    def everywhere(self) -> tuple[Label, ...]:
        return self.marks.get(None, ())

    def check_names(self, names: Sequence[str]) -> None:
        for option, asked in (("missing_values", self.marks), ("dates", self.dates)):
            for name in asked:
                if name is not None and name not in names:
                    raise UnknownNameError(
                        f"{option}= names {name!r}, but there is no such column; there are "
                        f"{nearest(name, names)}"
                    )

    def parts(self, column: SourceColumn) -> list[tuple[str, str]]:
        """The parts that a column of dates is taken apart into, and how its dates are written."""
        is_named = column.name in self.dates
        asked = self.dates.get(column.name, self.dates.get(None))
        if asked is None:
            return []
        order = None
        if isinstance(column, LabelColumn) and not column.declared:
            order = order_of_column(column, self.marks.get(column.name, ()))
        elif isinstance(column, NumberColumn) and dates_of_numbers(column) is not None:
            order = "ymd"
        told = asked[0] if asked[0] in ORDERS else None
        if order == "unclear" and told in ("dmy", "mdy"):
            order = told
        if order is None or (told is not None and told != order != "unclear"):
            if not is_named:
                return []
            how = f" written {told}" if told is not None else ""
            held = (
                listed([repr(t) for t in texts_of(column)], 3)
                if isinstance(column, LabelColumn)
                else "numbers"
            )
            raise SchemaError(
                f"dates= names {column.name!r}, which is not a column of dates{how}; it holds {held}"
            )
        if order == "unclear":
            shown = column.labels[0] if isinstance(column, LabelColumn) else ""
            raise SchemaError(
                f"dates of {column.name!r} such as {shown!r} may be day/month or month/day; put the order in "
                f"front: dates={{{column.name!r}: ('dmy', ...)}}, or 'mdy'"
            )
        wrong = [part for part in asked if part not in ("hour", *ORDERS)] if order == "time" else []
        if wrong and is_named:
            raise SchemaError(
                f"{column.name!r} holds times of day, which have no {wrong[0]}; ask for its hour"
            )
        return [(part, order) for part in asked if part not in (*ORDERS, *wrong)]


def known_marks(marks: Iterable[Label]) -> tuple[Label, ...]:
    """Marks without NaN, which is missing anyhow."""
    return tuple(mark for mark in marks if not (isinstance(mark, float) and isnan(mark)))


def read_parts(name: str | None, parts: Sequence[str]) -> tuple[str, ...]:
    """The parts of dates that were asked for; the order in which dates are written may come first."""
    found = tuple(parts.replace(" ", "").split(",")) if isinstance(parts, str) else tuple(parts)
    asked = found[1:] if found and found[0] in ORDERS else found
    if not asked or any(part not in PARTS for part in asked):
        where = "" if name is None else f" of {name!r}"
        raise SchemaError(
            f"dates{where} are taken apart into {', '.join(PARTS)}, with the order in which they are written "
            f"in front where it is unclear ({', '.join(ORDERS)}); found "
            f"{', '.join(map(repr, found)) or 'nothing'}"
        )
    return found


def order_of_column(column: LabelColumn, marks: Sequence[Label] = ()) -> str | None:
    """How the dates of a column are written, marks of missing cells left out; None if it holds others."""
    labels = texts_of(column)
    return order_of_dates([t for t in labels if t not in marks and not is_mark(t, AMONG_NUMBERS)])
