"""From columns as they come to columns in the form that was asked for, by options or by `mend`."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from treewright.errors import SchemaError
from treewright.tables._reading.bins import edges_of
from treewright.tables._reading.columns import LabelColumn, SourceColumn
from treewright.tables._reading.interpret import is_missing_label
from treewright.tables._reading.matching import find_code
from treewright.tables.exports import counted
from treewright.tables.inspection.forms import Change, are_quiet, give_form, number_in, number_test, texts_of
from treewright.tables.inspection.mending import (
    final_names,
    has_clear_commas,
    marks_among_numbers,
    marks_to_mend,
    why_left_out,
)
from treewright.tables.inspection.stray_rows import (
    Stray,
    find_stray_rows,
    left_out,
    of_unknown,
    without_cells,
)
from treewright.tables.inspection.units import common_sign, without_sign
from treewright.tables.inspection.wishes import Wishes
from treewright.tables.inspection.words import AMONG_NUMBERS, is_mark
from treewright.tables.raw_form import COMMAS_APART, RawForm
from treewright.tables.report import Mending, listed
from treewright.tables.schema import Label, Schema, Variable
from treewright.types import Mask

AS_IT_STANDS, AS_MENDED = RawForm(), RawForm(mended=True)


@dataclass
class Prepared:
    """Columns in their form, the forms that are not plain, and what was done."""

    columns: list[SourceColumn] = field(default_factory=list)
    forms: dict[str, RawForm] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    changes: list[tuple[str, Change]] = field(default_factory=list)
    stray: list[Stray] = field(default_factory=list)
    kept: Mask | None = None

    def add(self, column: SourceColumn, name: str, form: RawForm, to_numbers: bool | None = None) -> None:
        if form is AS_IT_STANDS or form == AS_IT_STANDS:
            self.columns.append(column)
            return
        made, changes = give_form(column, form, name, to_numbers)
        self.columns.append(made)
        self.changes += [(name, change) for change in changes]
        self.forms[name] = form

    @property
    def mendings(self) -> tuple[Mending, ...]:
        """What was changed, columns that were changed alike together."""
        together: dict[tuple[str, tuple[str, ...]], list[tuple[str, int]]] = {}
        for name, change in self.changes:
            together.setdefault((change.kind, change.labels), []).append((name, change.cells))
        for name, reason in self.left_out:
            together.setdefault((f"left out, since {reason}", ()), []).append((name, 0))
        told = (tell(kind, labels, members) for (kind, labels), members in together.items())
        return (*(one.mending() for one in self.stray), *told)


def tell(kind: str, labels: Sequence[str], members: Sequence[tuple[str, int]]) -> Mending:
    names, cells = tuple(name for name, _ in members), sum(n for _, n in members)
    shown, where = listed([repr(label) for label in labels], 5), listed([repr(name) for name in names], 4)
    sentences = {
        "missing": f"{shown} taken as missing in {where}",
        "decimal commas": f"decimal commas read in {where}",
        "thousands": f"commas between thousands read in {where}",
        "points": f"points between thousands read in {where}",
        "signs": f"numbers with {shown} read in {where}",
        "spellings": f"{shown} spelled like the others in {where}",
        "name": f"blanks taken off the names {where}",
    }
    sentence = sentences.get(kind, f"{where} {kind}")
    sentence += f" ({counted(cells, 'cell')})" if cells else ""
    return Mending(kind.partition(",")[0], names, sentence, cells)


def prepare(
    columns: Sequence[SourceColumn], wishes: Wishes, unusable: Sequence[tuple[str, str]] = ()
) -> Prepared:
    """Columns as the options want them, and as `mend` would have them; some were left out before, and why."""
    prepared = Prepared(left_out=[*unusable])
    names = [column.name for column in columns]
    wishes.check_names(names)
    if wishes.mend and (stray := find_stray_rows(columns)):
        columns, prepared.kept = left_out(columns, stray)
        prepared.stray = stray
    shared = marks_among_numbers(columns) if wishes.mend else frozenset()
    for column, name in zip(columns, final_names(names) if wishes.mend else names, strict=True):
        form, parts = form_of(column, name, wishes, shared), wishes.parts(column)
        reason = why_left_out(column, form) if wishes.mend and len(columns) > 1 and not parts else ""
        if reason:
            prepared.left_out.append((column.name, reason))
            continue
        if name != column.name:
            prepared.changes.append((column.name, Change("name", (), 0)))
        for part, order in parts:
            made = RawForm(column.name, form.marks, mended=form.mended, part=part, order=order)
            prepared.add(column, f"{name}.{part}", made)
        if not parts:
            prepared.add(column, name, form)
    if not prepared.columns:
        raise SchemaError("mending leaves no column: each holds nothing, or a value of its own in every row")
    return prepared


def form_of(column: SourceColumn, name: str, wishes: Wishes, shared: frozenset[str]) -> RawForm:
    """The form of a column that is not taken apart."""
    marks = [*wishes.marks.get(column.name, ()), *(wishes.everywhere if column.n_missing else ())]
    decimal, sign = ".", ""
    if wishes.mend:
        marks += marks_to_mend(column, shared)
    if isinstance(column, LabelColumn) and not column.declared and not are_quiet(column.labels):
        labels = texts_of(column)
        if wishes.mend and (sign := sign_of(labels, marks)):
            labels = [without_sign(text, sign) for text in labels]
        if wishes.decimal == "," or (wishes.decimal is None and wishes.mend and has_clear_commas(labels)):
            decimal = "," if has_commas(labels, marks, ",") else "."
        elif wishes.decimal == "." and has_commas(labels, marks, COMMAS_APART):
            decimal = COMMAS_APART
    if not marks and decimal == "." and name == column.name and not wishes.mend:
        return AS_IT_STANDS
    source = column.name if name != column.name else ""
    is_plain = not (marks or source or sign) and decimal == "."
    form = AS_MENDED if is_plain else RawForm(source, tuple(dict.fromkeys(marks)), decimal, wishes.mend, sign)
    if wishes.mend and isinstance(column, LabelColumn) and not column.declared:
        hidden = marks_to_mend(give_form(column, form, name)[0], frozenset())  # among numbers that were texts
        form = replace(form, marks=(*form.marks, *hidden)) if hidden else form
    return form


def sign_of(labels: Sequence[str], marks: Sequence[Label]) -> str:
    """What all labels carry that are numbers to a person, marks left out."""
    return common_sign(text for text in labels if text not in marks and not is_mark(text, AMONG_NUMBERS))


def has_commas(labels: Sequence[str], marks: Sequence[Label], decimal: str) -> bool:
    """Whether labels are numbers with commas, but for marks; with decimal ones points may part thousands."""
    is_number = number_test(decimal)
    rest = [label for label in labels if label not in marks and not is_mark(label, AMONG_NUMBERS)]
    signs = ",." if decimal == "," else ","
    return any(sign in label for label in rest for sign in signs) and all(map(is_number, rest))


def prepare_like(
    columns: Sequence[SourceColumn], schema: Schema, names: Sequence[str] | None, wishes: Wishes
) -> Prepared:
    """The columns of a schema, from those of a source that they are made of, in the form they had then."""
    if wishes.dates:
        raise SchemaError("schema= says what the columns are, so there is nothing for dates= to take apart")
    prepared = Prepared()
    if schema.is_mended or wishes.mend:
        found = {column.name for column in columns}
        made = {raw_name(variable, found): variable for variable in schema}
        prepared.stray = of_unknown(columns, find_stray_rows(columns), lambda n, t: may_hold(made[n], t))
        columns = without_cells(columns, prepared.stray) if prepared.stray else columns
    by_name = {column.name: column for column in columns}
    for variable in schema:
        if names is not None and variable.name not in names:
            continue
        form, raw = variable.raw or RawForm(), raw_name(variable, by_name)
        if raw == variable.name and form.part:  # the part itself is there, as in rows that a model drew
            form = RawForm()
        marks = (*form.marks, *wishes.marks.get(raw, ()), *wishes.marks.get(variable.name, ()))
        form = replace(
            form,
            marks=tuple(dict.fromkeys(marks)),
            decimal="," if wishes.decimal == "," else form.decimal,
            mended=form.mended or wishes.mend,
        )
        prepared.add(by_name[raw], variable.name, form, form != RawForm() and wants_numbers(variable))
    return prepared


def may_hold(variable: Variable, text: str) -> bool:
    """Whether a text can be a value of a variable, as its cells were written."""
    form = variable.raw or RawForm()
    if form.part or text in form.marks or is_mark(text, AMONG_NUMBERS):
        return True
    if wants_numbers(variable):
        return number_in(form, text) is not None
    return find_code(variable)(text) is not None


def commas_of(schema: Schema | None) -> dict[str, str]:
    """How numbers of later rows are written: with commas, if those of the first rows were."""
    return {"decimal": ","} if any(v.raw and v.raw.decimal == "," for v in schema or ()) else {}


def raw_name(variable: Variable, found: Container[str]) -> str:
    """The column of a source that a variable is made of."""
    form = variable.raw
    return variable.name if form is None or not form.column or variable.name in found else form.column


def wants_numbers(variable: Variable) -> bool:
    states = [state for state in variable.states or () if not is_missing_label(state)]
    return variable.states is None or edges_of(states) is not None
