"""Dates and times among texts: whether they are, how they are written, and their parts as columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

import numpy as np

from treewright.errors import SchemaError
from treewright.tables._reading.columns import (
    LabelColumn,
    NumberColumn,
    SourceColumn,
    label_column,
    number_column,
)
from treewright.tables.schema import Label

TIME = (
    r"(?:[T ]+([0-9]{1,2}):([0-9]{2})(?::[0-9]{2}(?:[.,][0-9]+)?)?)? *(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
YEAR_FIRST = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})" + TIME)
YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})" + TIME)
WITHOUT_MARKS = re.compile(r"((?:19|20)[0-9]{2})()([0-9]{2})([0-9]{2})()()")  # 20240131
DAY_MONTH = re.compile(
    r"(?i)([0-9]{1,2})[-/. ]+([a-z]{3,9})\.?[-/., ]+([0-9]{4}|[0-9]{2})" + TIME
)  # 31-Jan-2024
MONTH_DAY = re.compile(r"(?i)([a-z]{3,9})\.?[- ]+([0-9]{1,2})(?:,? +|-)([0-9]{4})" + TIME)
CLOCK = re.compile(r"(?i)([0-9]{1,2}):([0-9]{2})(?::[0-9]{2}(?:[.,][0-9]+)?)? *(?:([ap])\.?m\.?)?")
NAMED = {"dmy": (DAY_MONTH, 2), "mdy": (MONTH_DAY, 1)}  # 31-Jan-2024, January 31, 2024; and where the name is
FEW_DATES = 5  # whole numbers that could be dates are taken for them from so many different ones on
PARTS = ("year", "quarter", "month", "day", "weekday", "hour", "days")
ORDERS = ("ymd", "dmy", "mdy")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
MONTH_STARTS = frozenset(month[:3] for month in MONTHS)
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@lru_cache(maxsize=1 << 16)
def read_date(text: str, order: str) -> datetime | None:
    """The date that a text is when its parts come in this order.

    >>> read_date("31.12.1999", "dmy"), read_date("31.12.1999", "mdy"), read_date("7:30 PM", "time")
    (datetime.datetime(1999, 12, 31, 0, 0), None, datetime.datetime(2000, 1, 1, 19, 30))
    """
    text = text.strip()
    if order == "time":
        return read_time(text)
    found = (YEAR_FIRST if order == "ymd" else YEAR_LAST).fullmatch(text)
    if found is None and order == "ymd":
        found = WITHOUT_MARKS.fullmatch(text)
    if found is None:
        found = write_month(text, order)
    if found is None:
        return None
    first, _, second, third, hour, minute = found.groups()
    year, month, day = {"ymd": (first, second, third), "dmy": (third, second, first)}.get(
        order, (third, first, second)
    )
    if len(year) == 2:  # as POSIX reads them
        year = ("19" if year >= "69" else "20") + year
    try:
        return datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
    except ValueError:
        return None


def read_time(text: str) -> datetime | None:
    """A time of day, on some day."""
    found = CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, minute, half = int(found[1]), int(found[2]), (found[3] or "").lower()
    if hour > (12 if half else 23) or minute > 59 or (half and hour == 0):
        return None
    return datetime(2000, 1, 1, hour % 12 + 12 * (half == "p") if half else hour, minute)


def read_any_date(text: str, order: str) -> datetime | None:
    """A date in this order, or one that can be read in one way only, such as 2024-01-31 or 31 January 2024.

    >>> [read_any_date(text, "mdy") is None for text in ("1/31/24", "2024-01-31", "31 Jan 2024", "31/1/24")]
    [False, False, False, True]
    """
    found = read_date(text, order)
    if found is None and order in ("dmy", "mdy"):
        named = YEAR_LAST.fullmatch(text.strip()) is None
        others = ("ymd", "dmy", "mdy") if named else ("ymd",)
        return next((date for one in others if (date := read_date(text, one)) is not None), None)
    return found


def write_month(text: str, order: str) -> re.Match[str] | None:
    """A date whose month has an English name, as if it had a number."""
    form, at = NAMED.get(order, (None, 0))
    found = None if form is None else form.fullmatch(text)
    if found is None:
        return None
    name = found[at].lower()
    number = [
        i for i, month in enumerate(MONTHS, 1) if name in (month, month[:3]) or name == month[:4] == "sept"
    ]
    parts = list(found.groups())
    parts[at - 1] = str(*number) if number else "0"
    time = f" {parts[3]}:{parts[4]}" if parts[3] else ""
    return YEAR_LAST.fullmatch("/".join(parts[:3]) + time)


def may_begin_date(text: str) -> bool:
    start = text.strip()[:3]
    return start[:1].isdigit() or start.lower() in MONTH_STARTS


def order_of_dates(labels: Sequence[str]) -> str | None:
    """How dates are written: ymd, dmy, mdy; "unclear" when day and month could be either; None for no dates.

    Dates of several forms have the order of those that need one; "time" are times of day.

    >>> order_of_dates(["2024-02-03"]), order_of_dates(["3/2/24", "13/2/24"]), order_of_dates(["3/2/24"])
    ('ymd', 'dmy', 'unclear')
    >>> order_of_dates(["31-Jan-2024"]), order_of_dates(["March 3, 2024"]), order_of_dates(["March"])
    ('dmy', 'mdy', None)
    >>> order_of_dates(["2024-02-03", "3/22/24", "3 Mar 2024"]), order_of_dates(["7:30", "19:30"])
    ('mdy', 'time')
    """
    if not labels or not may_begin_date(labels[0]):
        return None
    good = [order for order in ORDERS if all(read_date(label, order) is not None for label in labels)]
    if not good and all(read_time(label.strip()) is not None for label in labels):
        return "time"
    if not good:
        good = [o for o in ("dmy", "mdy") if all(read_any_date(label, o) is not None for label in labels)]
    if len(good) == 2:
        return "dmy" if "." in labels[0] else "unclear"
    return good[0] if good else None


def dates_of_numbers(column: NumberColumn) -> LabelColumn | None:
    """Whole numbers that are dates written without marks, as texts; None if they are not.

    >>> days = number_column("day", np.array([20240131, 20240229, 20231105, 20231230, 20240301]))
    >>> dates_of_numbers(days).labels[:2], dates_of_numbers(number_column("n", np.arange(20240100, 20240110)))
    (['20231105', '20231230'], None)
    """
    distinct = column.distinct
    if len(distinct) < FEW_DATES or column.kind not in "iuf":
        return None
    if not (distinct[0] >= 19_000_101 and distinct[-1] <= 20_991_231 and (distinct % 1 == 0).all()):
        return None
    texts = [str(int(number)) for number in distinct.tolist()]
    return column.as_labels(texts) if order_of_dates(texts) == "ymd" else None


def part_of_dates(column: LabelColumn, part: str, order: str, name: str) -> SourceColumn:
    """One part of each date, as a column of its own."""
    dates = [read_any_date(str(label), order) for label in column.labels]
    observed = np.bincount(column.codes if column.missing is None else column.codes[~column.missing])
    for label, date, n in zip(column.labels, dates, observed, strict=False):
        if date is None and n:
            written = "time of day" if order == "time" else f"date written {'-'.join(order)}"
            raise SchemaError(
                f"column {column.name!r} holds {label!r}, which is no {written}; if it "
                f"stands for a missing cell, pass missing_values={{{column.name!r}: [{label!r}]}}"
            )
    known = [date or datetime(2000, 1, 1) for date in dates] or [datetime(2000, 1, 1)]
    codes = column.codes
    if part in ("year", "days"):
        numbers = [date.year if part == "year" else date.toordinal() - 719163 for date in known]
        values = np.array(numbers, dtype=np.int64 if part == "year" else np.float64)
        return replace(number_column(name, values[codes], column.missing), notes=column.notes)
    parts: dict[str, tuple[list[int], Sequence[Label]]] = {
        "quarter": ([(date.month - 1) // 3 for date in known], range(1, 5)),
        "month": ([date.month - 1 for date in known], range(1, 13)),
        "day": ([date.day - 1 for date in known], range(1, 32)),
        "weekday": ([date.weekday() for date in known], WEEKDAYS),
        "hour": ([date.hour for date in known], range(24)),
    }
    found, labels = parts[part]
    places = np.array(found, dtype=np.uint8)[codes]
    return label_column(
        name, places, list(labels), column.missing, declared=True, ordered=True, notes=column.notes
    )
