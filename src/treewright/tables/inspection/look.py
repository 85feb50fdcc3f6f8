"""What a person would see in the columns of a table as they come, before anybody decides what they are.

Looking happens on distinct labels; rows are counted only where something was seen. Columns with the same
thing to say are told together, so that a thousand of them are one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from treewright.tables._reading.columns import LabelColumn, SourceColumn
from treewright.tables._reading.interpret import FEW_STATES, observed_labels
from treewright.tables.inspection.dates import dates_of_numbers, order_of_dates, read_any_date
from treewright.tables.inspection.forms import (
    are_quiet,
    has_thousands,
    label_counts,
    spelled_truth,
    spelling,
    texts_of,
)
from treewright.tables.inspection.mending import has_clear_commas
from treewright.tables.inspection.sentences import KEYED_BY_LABELS, SENTENCES, Group, Seen
from treewright.tables.inspection.sentinels import sentinel
from treewright.tables.inspection.stray_rows import find_stray_rows
from treewright.tables.inspection.units import common_sign, is_of_digits, without_sign
from treewright.tables.inspection.words import AMONG_NUMBERS, UNMISTAKABLE, folded, is_mark, tidied, word
from treewright.tables.report import Finding
from treewright.types import Mask

NUMBERS = frozenset(("whole", "real", "comma", "grouped"))
_MOST_LABELS = 20_000  # of a column whose labels are all looked at
_ROWS_SHOWN, _FEW_MARKS = 3, 5


def look_at(columns: Sequence[SourceColumn], kept: Mask | None = None) -> tuple[Finding, ...]:
    """What is to be seen in the columns, the gravest first; `kept` are rows of the source that are left."""
    numbers = None if kept is None else np.flatnonzero(kept) + 1
    together: dict[tuple[str, tuple[str, ...], str], list[Seen]] = {}
    for column in columns:
        seen = look_at_labels(column) if isinstance(column, LabelColumn) else look_at_numbers(column)
        for one in seen:
            if numbers is not None:
                one = replace(one, rows=tuple(int(numbers[row - 1]) for row in one.rows))  # noqa: PLW2901
            key = one.labels if one.kind in KEYED_BY_LABELS else ()
            together.setdefault((one.kind, key, one.about), []).append(one)
        if column.name != column.name.strip():
            together.setdefault(("blanks in names", (), ""), []).append(Seen("blanks in names", column.name))
    if ("decimal commas", (), "") in together and (dotted := [*look_for_points(columns)]):
        together["points of thousands", (), ""] = dotted
    order = list(SENTENCES)
    found = sorted(together.items(), key=lambda item: order.index(item[0][0]))
    stray = (one.finding() for one in find_stray_rows(columns))
    return (*stray, *(SENTENCES[kind](Group(kind, members)) for (kind, _, _), members in found))


def look_for_points(columns: Sequence[SourceColumn]) -> Iterator[Seen]:
    """Columns in which every number is below a thousand and has three decimals at most, most three."""
    for column in columns:
        if isinstance(column, LabelColumn) or column.kind != "f" or not column.n_present:
            continue
        distinct = column.distinct
        parts = distinct * 1000
        if np.abs(distinct).max() < 1000 and (np.abs(parts - np.rint(parts)) < 1e-6).all():
            long = distinct[np.rint(parts) % 10 != 0]
            if len(long) > len(distinct) / 2:
                yield Seen(
                    "points of thousands", column.name, tuple(f"{one:.3f}" for one in long[:2].tolist())
                )


def look_at_numbers(column: SourceColumn) -> Iterator[Seen]:
    assert not isinstance(column, LabelColumn)
    dated = dates_of_numbers(column)
    if dated is not None:
        shown = tuple(map(str, dated.labels[:2]))
        yield Seen(
            "dates", column.name, shown, column.n_present, n_states=len(dated.labels), about="whole numbers"
        )
        return
    found = sentinel(column)
    if found is not None:
        hit = column.values == found.number
        if column.missing is not None:
            hit = hit & ~column.missing
        clear, kind = "clear" if found.unmistakable else "", "numbers that may be marks"
        yield Seen(kind, column.name, (str(found.number),), int(hit.sum()), first_rows(hit), about=clear)


def look_at_labels(column: LabelColumn) -> Iterator[Seen]:
    if column.declared or not len(column.labels):
        return
    labels = texts_of(column)
    if are_quiet(labels):
        return
    step = max(1, len(labels) // 1000)
    if len(labels) > _MOST_LABELS and all(word(label) == "text" for label in labels[::step]):
        return
    observed = observed_labels(column)
    words = [word(label) if seen else "text" for label, seen in zip(labels, observed.tolist(), strict=True)]
    kinds = set(words)
    present = [label for label, seen in zip(labels, observed.tolist(), strict=True) if seen]
    dated = tuple(label for label in present if not is_mark(label, AMONG_NUMBERS))
    if "text" in kinds and (sign := common_sign(dated)):
        yield from look_at_signs(column, labels, observed, sign)
        return
    mixture = list(look_at_mixture(column, labels, words)) if kinds & NUMBERS else []
    yield from mixture
    if not kinds & NUMBERS and kinds & {"mark", "blank"}:
        hit = np.array([is_mark(label, UNMISTAKABLE | {"na"}) for label in labels], dtype=np.bool_) & observed
        if hit.any() and not hit[observed].all():
            yield told("marks among texts", column, hit)
    order = order_of_dates(dated)
    if order is not None:
        n_cells = len(column) - column.n_missing
        yield Seen("dates", column.name, dated[:2], n_cells, n_states=len(dated), about=order)
    elif not mixture:
        yield from look_at_texts(column, labels, observed)


def look_at_texts(column: LabelColumn, labels: Sequence[str], observed: Mask) -> Iterator[Seen]:
    """Labels that are no numbers and no dates as they stand."""
    present = [label for label, seen in zip(labels, observed.tolist(), strict=True) if seen]
    if spelled_truth(present):
        yield told("spellings of yes and no", column, observed)
        return
    if len(present) > FEW_STATES:
        undated = [not is_mark(label, AMONG_NUMBERS) and not is_date(label) for label in labels]
        odd = np.array(undated, dtype=np.bool_) & observed
        n_odd = int(np.count_nonzero(odd))
        rest = [label for label, out in zip(labels, (odd | ~observed).tolist(), strict=True) if not out]
        if 0 < n_odd <= min(_FEW_MARKS, len(present) / 10) and (order := order_of_dates(rest)) is not None:
            yield told("marks among dates", column, odd, about=order)
            return
        digits = np.array([is_of_digits(label) for label in labels], dtype=np.bool_) & observed
        plain = sum(word(label) in ("whole", "real") for label in present)
        if digits.any() and np.count_nonzero(digits) + plain >= 0.9 * len(present):
            yield told("numbers of other forms", column, digits, n_states=len(present))
            return
    if (between := between_answers(present)) is not None:
        several = np.array([between in label for label in labels], dtype=np.bool_) & observed
        yield told("several answers", column, several, about=between)
    yield from look_at_spelling(column, labels, observed)


def is_date(label: str) -> bool:
    return any(read_any_date(label, order) is not None for order in ("dmy", "mdy"))


def between_answers(labels: Sequence[str]) -> str | None:
    """What stands between several answers in one cell: their parts are few and come in many combinations.

    >>> between_answers(["en;fr", "en", "de;en", "de;fr", "de"]), between_answers(["Rome, Italy", "Oslo"])
    (';', None)
    """
    for one in (";", "|", ","):
        cut = [[part.strip() for part in label.split(one)] for label in labels]
        several = [parts for parts in cut if len(parts) > 1]
        alone = {parts[0] for parts in cut if len(parts) == 1}
        parts = {part for one in several for part in one}
        if len(several) > max(2, len(labels) / 3) and len(parts) < len(several) + 1 and alone & parts:
            return one
    return None


def look_at_signs(column: LabelColumn, labels: Sequence[str], observed: Mask, sign: str) -> Iterator[Seen]:
    """Numbers that carry a sign, and marks among them."""
    carry = np.array([without_sign(label, sign) != label for label in labels], dtype=np.bool_) & observed
    marks = np.array([is_mark(label, AMONG_NUMBERS) for label in labels], dtype=np.bool_) & observed
    if marks.any():
        yield told("marks among numbers", column, marks, n_states=int(np.count_nonzero(observed)))
    yield told("numbers with signs", column, carry, about=sign)


def look_at_mixture(column: LabelColumn, labels: Sequence[str], words: Sequence[str]) -> Iterator[Seen]:
    """Numbers, with something else among them or with commas in them."""
    counts = label_counts(column)
    is_number = np.array([w in NUMBERS for w in words], dtype=np.bool_)
    others = ~is_number & (counts > 0)
    n_numbers, n_others = int(counts[is_number].sum()), int(counts[others].sum())
    known = all(words[i] in ("mark", "limit", "blank") for i in np.flatnonzero(others).tolist())
    many = int(np.count_nonzero(is_number)) >= 10
    enough = many and n_numbers >= 9 * n_others
    if n_others and (enough or (known and (many or n_numbers >= n_others))):
        yield told("marks among numbers", column, others, n_states=int(np.count_nonzero(counts)))
    elif n_others:
        return
    commas = np.array([w in ("comma", "grouped") for w in words], dtype=np.bool_)
    if commas.any():
        known = all(is_mark(labels[i], AMONG_NUMBERS) for i in np.flatnonzero(others).tolist())
        if known and has_thousands(labels):
            yield told("thousands", column, commas)
        else:
            about = ("" if has_clear_commas(labels) else "unclear") if known else "held back"
            yield told("decimal commas", column, commas, about=about)
    elif not n_others:
        yield told("numbers as texts", column, is_number)


def look_at_spelling(column: LabelColumn, labels: Sequence[str], observed: Mask) -> Iterator[Seen]:
    """Labels that differ in blanks and case only, or have blanks around them."""
    present = [label for label, seen in zip(labels, observed.tolist(), strict=True) if seen]
    forms = {folded(label) for label in present}
    if len(forms) == len(present) and all(label == tidied(label) for label in present):
        return
    counts = label_counts(column)
    spelled = spelling(labels, counts)
    groups: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        if observed[i]:
            groups.setdefault(folded(label), []).append(i)
    for careful, kind in ((False, "spellings"), (True, "spellings of short labels")):
        hit = np.zeros(len(labels), dtype=np.bool_)
        for members in groups.values():
            apart = len({spelled[i] for i in members}) > 1
            if apart == careful and (len(members) > 1 or labels[members[0]] != tidied(labels[members[0]])):
                hit[members] = True
        if hit.any():
            yield told(kind, column, hit)


def told(kind: str, column: LabelColumn, hit: Mask, *, n_states: int = 0, about: str = "") -> Seen:
    """What was seen in the cells of some labels, the commonest first."""
    counts = label_counts(column)
    order = sorted(
        np.flatnonzero(hit & (counts > 0)).tolist(), key=lambda i: (-int(counts[i]), str(column.labels[i]))
    )
    cells = hit[column.codes] if column.missing is None else hit[column.codes] & ~column.missing
    shown = tuple(str(column.labels[i]) for i in order)
    return Seen(kind, column.name, shown, int(counts[order].sum()), first_rows(cells), n_states, about)


def first_rows(hit: Mask) -> tuple[int, ...]:
    """The first rows, counted from 1."""
    return tuple((np.flatnonzero(hit)[:_ROWS_SHOWN] + 1).tolist())
