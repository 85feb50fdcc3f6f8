"""Giving cells the form that was asked for: marks of missing ones, decimal commas, dates, spellings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn, number_column, tidy
from treewright.tables._reading.interpret import observed_labels
from treewright.tables._reading.missing import mark_missing
from treewright.tables.inspection.dates import may_begin_date, part_of_dates
from treewright.tables.inspection.units import is_of_digits, parts_of, plain, without_sign
from treewright.tables.inspection.words import (
    AMONG_NUMBERS,
    THOUSANDS,
    TRUTH,
    UNMISTAKABLE,
    as_number,
    folded,
    is_mark,
    tidied,
    word,
)
from treewright.tables.raw_form import COMMAS_APART, RawForm
from treewright.tables.schema import Label
from treewright.types import Mask

COMMA_NUMBER = re.compile(r"(?i)[+-]?([0-9]*,[0-9]+(e[+-]?[0-9]+)?|[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?)")
# Short labels whose case means nothing; that of others may ("AA", "Aa" and "aa" are three genotypes).
SHORT_WORDS = frozenset(("m", "f", "w", "d", "y", "n", "j", "no", "yes", "ja", "nein", "oui", "non", "ok"))
_MOST_SPELLINGS = 24


@dataclass(frozen=True)
class Change:
    """What was done to the cells of a column."""

    kind: str
    labels: tuple[str, ...]
    cells: int


def give_form(
    column: SourceColumn, form: RawForm, name: str, to_numbers: bool | None = None
) -> tuple[SourceColumn, list[Change]]:
    """The column under its name, in the form, and what was changed.

    `to_numbers` says whether texts that are all numbers become some, as a schema wants them; without one
    they do once marks or commas that kept them from it are understood. Spellings are then joined; a schema
    knows how its states are spelled.
    """
    column = column if name == column.name else replace(column, name=name)
    changes: list[Change] = []
    if form.part and isinstance(column, NumberColumn):  # dates without marks between their parts
        column = column.as_labels([str(number)[:8] for number in column.distinct.tolist()])
    if isinstance(column, LabelColumn) and not column.declared:
        if not (form.marks or form.sign or form.part) and are_quiet(column.labels):
            return column, changes
        if form.sign:
            found = count_change("signs", column, signed(column, form.sign))
            changes += [replace(found, labels=(form.sign,))] if found.cells else []
            column = replace(column, labels=[without_sign(text, form.sign) for text in texts_of(column)])
        hit = marks_of(column, form)
        if hit.any():
            changes.append(count_change("missing", column, hit))
            column = without(column, hit)
        if form.part:
            return part_of_dates(column, form.part, form.order, name), changes
        mends = form.mended and form.decimal == "." and (to_numbers or has_thousands(texts_of(column)))
        grouped = form.decimal == COMMAS_APART or mends
        understood = form.decimal == "," or grouped or form.marks or form.sign or changes
        if bool(understood) if to_numbers is None else to_numbers:
            column, changed = numbers_of(column, form.decimal, bool(grouped))
            changes += changed
        if form.mended and to_numbers is None and isinstance(column, LabelColumn):
            column, changed = joined(column)
            changes += changed
    if isinstance(column, NumberColumn) or column.declared:
        before = column.n_missing
        column = mark_missing(column, form.marks)
        if column.n_missing > before:
            changes.append(Change("missing", shown_marks(form.marks), column.n_missing - before))
    return column, changes


def signed(column: LabelColumn, sign: str) -> Mask:
    """Which labels are numbers with this sign."""
    return np.array([without_sign(text, sign) != text for text in texts_of(column)], dtype=np.bool_)


def shown_marks(marks: Sequence[Label]) -> tuple[str, ...]:
    """Marks as they are told; a number that was typed is there as a text as well."""
    return tuple(dict.fromkeys(f"{mark:g}" if isinstance(mark, float) else str(mark) for mark in marks))


@lru_cache(maxsize=1 << 16)
def is_quiet(label: Label) -> bool:
    """Whether a label is just a text, as most are: no number, date, mark, sign or list, no blank too many."""
    if not isinstance(label, str) or word(label) != "text" or label != tidied(label):
        return False
    if is_of_digits(label) or any(sign in label for sign in ";|,"):
        return False
    return not may_begin_date(label) and parts_of(label) is None and not plain(label)


def are_quiet(labels: Sequence[Label]) -> bool:
    """Whether there is nothing to say of labels and nothing to mend."""
    texts = list(map(str, labels))
    return (
        all(map(is_quiet, labels)) and len(set(map(folded, texts))) == len(texts) and not spelled_truth(texts)
    )


def texts_of(column: LabelColumn) -> list[str]:
    return [label if isinstance(label, str) else "" for label in column.labels]


def marks_of(column: LabelColumn, form: RawForm) -> Mask:
    """Which labels stand for a missing cell."""
    marks = {mark for mark in form.marks if isinstance(mark, str)}
    labels = texts_of(column)
    hit = np.array([label in marks or label.strip() in marks for label in labels], dtype=np.bool_)
    if form.mended and len(labels):
        is_number = number_test(form.decimal, form.decimal != ",")
        rest: list[int] = np.flatnonzero(observed_labels(column) & ~hit).tolist()
        among = any(is_number(labels[i]) for i in rest) and all(
            is_number(labels[i]) or word(labels[i]) == "limit" or is_mark(labels[i], AMONG_NUMBERS)
            for i in rest
        )
        known = AMONG_NUMBERS if among else UNMISTAKABLE
        hit[[i for i in rest if is_mark(labels[i], known)]] = True
    return hit


def number_test(decimal: str, grouped: bool = False) -> Callable[[str], bool]:
    """Whether a text is a number, whose decimals follow a point or a comma.

    With a comma points may set thousands apart; with a point commas may, if they are `grouped`.
    """
    if decimal == ",":
        return lambda text: word(text) == "whole" or COMMA_NUMBER.fullmatch(text.strip()) is not None
    if grouped or decimal == COMMAS_APART:
        return lambda text: word(text) in ("whole", "real") or THOUSANDS.fullmatch(text.strip()) is not None
    return lambda text: word(text) in ("whole", "real")


def number_in(form: RawForm | None, text: str) -> float | None:
    """The number that a text is to somebody who writes numbers as the rows did.

    >>> number_in(RawForm(decimal=","), "3,5"), number_in(None, "3.5"), number_in(None, "3,5")
    (3.5, 3.5, None)
    """
    form = form or RawForm()
    bare = without_sign(text.strip(), form.sign)
    if number_test(form.decimal, form.mended)(bare):
        return as_number(bare, form.decimal)
    try:
        return float(bare)
    except ValueError:
        return None


def has_thousands(labels: Sequence[str]) -> bool:
    """Whether commas can only set thousands apart: all could, and a number has several of them or a point.

    >>> has_thousands(["1,234.5", "950.5"]), has_thousands(["1,234", "5"]), has_thousands(["1,5", "2.5"])
    (True, False, False)
    """
    with_comma = [text.strip() for text in labels if word(text) in ("comma", "grouped")]
    reals = [text for text in labels if word(text) == "real"]
    return (
        bool(with_comma)
        and all(THOUSANDS.fullmatch(text) for text in with_comma)
        and any(text.count(",") > 1 or "." in text for text in [*with_comma, *reals])
    )


def without(column: LabelColumn, hit: Mask) -> LabelColumn:
    """The column with some labels as missing cells, and only the others left."""
    gone = hit[column.codes]
    missing, n_missing = tidy(gone if column.missing is None else gone | column.missing)
    lookup = np.maximum(np.cumsum(~hit) - 1, 0).astype(column.codes.dtype)
    labels = [label for label, out in zip(column.labels, hit, strict=True) if not out]
    return replace(column, codes=lookup[column.codes], labels=labels, missing=missing, n_missing=n_missing)


def count_change(kind: str, column: LabelColumn, hit: Mask) -> Change:
    counts = label_counts(column)
    labels = [i for i in np.flatnonzero(hit).tolist() if counts[i]]
    return Change(kind, tuple(str(column.labels[i]) for i in labels), int(counts[labels].sum()))


def label_counts(column: LabelColumn) -> npt.NDArray[np.int64]:
    codes = column.codes if column.missing is None else column.codes[~column.missing]
    return np.bincount(codes, minlength=len(column.labels))


def numbers_of(column: LabelColumn, decimal: str, grouped: bool = False) -> tuple[SourceColumn, list[Change]]:
    """A column of numbers, if all labels are."""
    labels, is_number = texts_of(column), number_test(decimal, grouped)
    if not labels or not all(map(is_number, labels)):
        return column, []
    whole = all(word(label) == "whole" for label in labels)
    if whole:
        values: npt.NDArray[np.generic] = np.array([int(label) for label in labels], dtype=np.int64)
    else:
        values = np.array([as_number(label.strip(), decimal) for label in labels], dtype=np.float64)
    made = number_column(column.name, values[column.codes], column.missing)
    with_comma = np.array(["," in label for label in labels])
    kind = "decimal commas" if decimal == "," else "thousands"
    if decimal == "," and not with_comma.any():
        with_comma, kind = np.array(["." in label for label in labels]), "points"
    changes = [count_change(kind, column, with_comma)] if with_comma.any() else []
    return replace(made, n_missing=column.n_missing, notes=column.notes), changes


def joined(column: LabelColumn) -> tuple[LabelColumn, list[Change]]:
    """Labels that differ in blanks and case only become the commonest of them, without its outer blanks."""
    labels = texts_of(column)
    spelled = spelling(labels, label_counts(column))
    changed = np.array([new != old for new, old in zip(spelled, labels, strict=True)], dtype=np.bool_)
    if not changed.any():
        return column, []
    change = count_change("spellings", column, changed)
    kept = sorted(set(spelled))
    places = {label: i for i, label in enumerate(kept)}
    lookup = np.array([places[label] for label in spelled], dtype=column.codes.dtype)
    return replace(column, codes=lookup[column.codes], labels=kept), [change] if change.cells else []


def spelled_truth(labels: Sequence[str]) -> dict[str, bool]:
    """What each label says where all of them say yes or no, in more spellings than two; else nothing.

    >>> spelled_truth(["yes", "Y", "no", "0"]), spelled_truth(["yes", "no"]), spelled_truth(["T", "f", "t"])
    ({'yes': True, 'Y': True, 'no': False, '0': False}, {}, {'T': True, 'f': False, 't': True})
    """
    said = {label: TRUTH.get(folded(label)) for label in labels[:_MOST_SPELLINGS]}
    if not 2 < len(labels) <= _MOST_SPELLINGS or set(said.values()) != {True, False}:
        return {}
    return {label: bool(yes) for label, yes in said.items()}


def spelling(labels: Sequence[str], counts: npt.NDArray[np.int64]) -> list[str]:
    """How each label is spelled once variants are one; case is kept apart where it may mean something."""
    groups: dict[str, list[int]] = {}
    truth = spelled_truth([label for label, n in zip(labels, counts.tolist(), strict=True) if n])
    for i, label in enumerate(labels):
        groups.setdefault(str(truth[label]) if label in truth else folded(label), []).append(i)
    careless = set(groups) <= SHORT_WORDS or bool(truth)
    result = [tidied(label) for label in labels]
    for form, members in groups.items():
        if len(members) > 1 and (careless or may_join(form)):
            best = min(members, key=lambda i: (-int(counts[i]), result[i]))
            for i in members:
                result[i] = result[best]
    return result


def may_join(form: str) -> bool:
    """Whether the case of a label says nothing: words do not change by it, short codes may."""
    return sum(map(str.isalpha, form)) >= 3 or form in ("no", "yes")
