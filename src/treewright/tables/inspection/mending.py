"""What `mend` does: what a person would agree to without looking, and nothing else.

* Blanks around names and labels go, and labels that differ in blanks and case only are one (short codes
  excepted, whose case may mean something).
* Numbers with a decimal comma are numbers, unless the comma could be that of thousands; where it can be
  nothing else ("1,234.5"), they are numbers too, and so are those that all carry one sign ("5 %").
* Marks that cannot be mistaken are missing cells: "?" or "N/A" anywhere, "NA" or "." among numbers, and in
  the texts of a table that has them among its numbers; -999 among numbers from 0 on.
* Columns that no model can use are left out: those without a value, texts of which nearly every row has its
  own, row numbers and keys, and dates of which no part was asked for.

Constant columns stay, since nothing depends on them; so do limits of detection such as "<0.5", which are not
missing; and nothing is done to rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn
from treewright.tables._reading.interpret import FEW_STATES, KEY, is_identifier, observed_labels
from treewright.tables.inspection.dates import dates_of_numbers
from treewright.tables.inspection.forms import give_form, texts_of
from treewright.tables.inspection.sentinels import sentinel
from treewright.tables.inspection.units import is_of_digits
from treewright.tables.inspection.wishes import order_of_column
from treewright.tables.inspection.words import AMONG_NUMBERS, is_mark, word
from treewright.tables.raw_form import RawForm
from treewright.tables.schema import Label

_MOST_LABELS = 1 << 16


def final_names(names: Sequence[str]) -> list[str]:
    """The names without blanks around them, where that keeps them apart."""
    bare = [" ".join(name.split()) for name in names]
    times = Counter(bare)
    return [b if b and times[b] == 1 else name for b, name in zip(bare, names, strict=True)]


def marks_among_numbers(columns: Iterable[SourceColumn]) -> frozenset[str]:
    """Marks that stand among the numbers of some column; among texts elsewhere they mean the same."""
    found: set[str] = set()
    for column in columns:
        if isinstance(column, LabelColumn) and not column.declared and len(column.labels) < _MOST_LABELS:
            labels = texts_of(column)
            kinds = set(map(word, labels))
            numbers = {"whole", "real", "comma", "grouped"}
            if kinds & numbers and kinds <= numbers | {"mark", "blank", "limit"}:
                found |= {t.strip() for t in labels if t.strip() and is_mark(t, AMONG_NUMBERS)}
    return frozenset(found)


def has_clear_commas(labels: Sequence[str]) -> bool:
    """Whether some comma cannot be that of thousands, and no number has a point but between thousands."""
    kinds = set(map(word, labels))
    grouped = [text for text in labels if word(text) == "grouped"]
    ahead = ["." in text and text.find(".") < text.find(",") for text in grouped]  # as in 1.234,5
    clear = "comma" in kinds or any(ahead)
    return (
        clear and "real" not in kinds and all(a or "." not in t for a, t in zip(ahead, grouped, strict=True))
    )


def marks_to_mend(column: SourceColumn, shared: frozenset[str]) -> list[Label]:
    """Marks of missing cells beside those that are known by themselves."""
    if isinstance(column, LabelColumn):
        texts = texts_of(column) if shared and not column.declared else []
        return [text for text in texts if text.strip() in shared]
    found = sentinel(column)
    return [found.number] if found is not None and found.unmistakable else []


def why_left_out(column: SourceColumn, form: RawForm) -> str:
    """Why no model can use a column; nothing if one can."""
    if len(column) and column.n_missing == len(column):
        return "it holds no value"
    if isinstance(column, NumberColumn):
        if dates_of_numbers(column) is not None and len(column.distinct) > FEW_STATES:
            return f"it holds {len(column.distinct):,} dates, of which no part was asked for"
        return why_key(column) if column.kind in "iu" and len(column) > FEW_STATES else ""
    n_distinct = len(column.labels)
    if n_distinct > FEW_STATES:
        n_distinct = int(np.count_nonzero(observed_labels(column)))
    return "" if column.declared or n_distinct <= FEW_STATES else why_texts_left_out(column, form, n_distinct)


def why_texts_left_out(column: LabelColumn, form: RawForm, n_distinct: int) -> str:
    if order_of_column(column, form.marks) is not None:
        return f"it holds {n_distinct:,} dates or times, of which no part was asked for"
    is_text = isinstance(give_form(column, form, column.name)[0], LabelColumn)
    if not is_text or not is_identifier(n_distinct, len(column)):
        return ""
    digits = [t for t in texts_of(column) if is_of_digits(t) or word(t) in ("comma", "grouped", "real")]
    such = f" made of digits, such as {digits[0]!r}" if 2 * len(digits) > len(column.labels) else ""
    return f"nearly every row has a text of its own{such}"


def why_key(column: NumberColumn) -> str:
    values = column.present
    low, high = int(values.min()), int(values.max())
    if (
        high - low + 1 == len(values) == len(column)
        and np.bincount((values - low).astype(np.int64)).max() == 1
    ):
        return "it numbers the rows"
    if KEY.fullmatch(column.name) and is_identifier(len(column.distinct), len(column)):
        return "nearly every row has a number of its own, and its name is that of a key"
    return ""
