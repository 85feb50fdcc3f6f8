"""Bringing a column into the states that a schema asks for.

A label belongs to the state that equals it, or else to the one that is written like it: a file holds texts,
so the 1 of a file has to find the state "1" of a network that was read from another file, and the other way
round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from treewright.errors import MissingValuesError, SchemaError, UnknownNameError
from treewright.tables._reading.bins import cut, edges_of
from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn, number_column
from treewright.tables._reading.interpret import (
    MISSING_STATE,
    UNSEEN_STATE,
    ReadyColumn,
    as_labels,
    filled_reals,
    is_missing_label,
    is_unseen_label,
    make_continuous,
    make_discrete,
    observed_labels,
)
from treewright.tables.inspection.words import TRUTH, folded
from treewright.tables.report import listed
from treewright.tables.schema import Label, Variable, states_near

REASON = "the schema says so"

UnseenPolicy = Literal["error", "ignore", "state", "add"]


def match(
    column: SourceColumn, wanted: Variable, missing_state: bool, unseen: UnseenPolicy = "error"
) -> ReadyColumn:
    """Bring a column into the states, or the lack of them, that a schema asks for.

    Where missing cells are a state (`missing_state`), the schema has to have it; `unseen` says what becomes
    of labels that it has not.
    """
    if wanted.states is None:
        return make_continuous(as_numbers(column, wanted), REASON, missing_state)
    edges = edges_of([state for state in wanted.states if not is_missing_label(state)])
    if isinstance(column, LabelColumn):
        if edges is None or not are_numbers(column):
            return relabelled(column, wanted, missing_state, unseen)
        column = as_numbers(column, wanted)
    if edges is not None and column.kind != "b":
        return rebinned(column, wanted, edges, missing_state)
    return relabelled(column.as_labels(column.distinct.tolist()), wanted, missing_state, unseen)


def as_numbers(column: SourceColumn, wanted: Variable) -> NumberColumn:
    if isinstance(column, NumberColumn):
        return column
    if are_numbers(column):
        stored = np.array(column.labels, dtype=np.float64)
        return number_column(column.name, stored[column.codes], column.missing)
    if len(column.labels):
        raise SchemaError(
            f"the schema says that {wanted.name!r} is continuous, "
            f"but it holds labels such as {column.labels[0]!r}"
        )
    return NumberColumn(column.name, np.full(len(column), np.nan), column.missing, column.n_missing)


def are_numbers(column: LabelColumn) -> bool:
    """Whether labels are numbers, as those of categories and of tables may be."""
    return bool(column.labels) and all(type(label) in (int, float) for label in column.labels)


def rebinned(
    column: NumberColumn, wanted: Variable, edges: npt.NDArray[np.float64], missing_state: bool
) -> ReadyColumn:
    """Cut numbers at the edges that interval states stand for."""
    values = column.present
    outside = int(np.count_nonzero((values < edges[0]) | (values > edges[-1])))
    made = as_labels(column, cut(filled_reals(column), edges), (wanted.states or ())[: len(edges) - 1])
    notes: tuple[str, ...] = ("numbers cut into the bins of the schema",)
    if outside:
        notes += (f"{outside} values beyond the outer edges are in the outer bins",)
    result = relabelled(replace(made, notes=(*made.notes, *notes)), wanted, missing_state)
    return replace(result, report=replace(result.report, is_binned=True))


def relabelled(
    column: LabelColumn, wanted: Variable, missing_state: bool, unseen: UnseenPolicy = "error"
) -> ReadyColumn:
    assert wanted.states is not None
    observed = np.flatnonzero(observed_labels(column)).tolist()
    written_like = find_code(wanted)
    lookup = np.zeros(max(1, len(column.labels)), dtype=np.uint32)
    unknown: list[int] = []
    rewritten: list[str] = []
    for i in observed:
        label = column.labels[i]
        code = wanted._codes[isinstance(label, str)].get(label)
        if code is None:
            code = written_like(label)
            if code is None:
                unknown.append(i)
                continue
            rewritten.append(f"{label!r} as {wanted.states[code]!r}")
        lookup[i] = code
    if rewritten:
        column = replace(column, notes=(*column.notes, "read " + listed(rewritten, 5)))
    ignored = None
    if unknown:
        wanted, lookup, note = settle_unseen(column, wanted, lookup, unknown, unseen)
        column = replace(column, notes=(*column.notes, note))
        ignored = np.isin(column.codes, unknown) if unseen == "ignore" else None
    assert wanted.states is not None
    missing_code = None
    if column.missing is not None and missing_state:
        missing_code = len(wanted.states) - 1  # an earlier reading put it there
        if not is_missing_label(wanted.states[-1]):
            raise MissingValuesError(
                f"column {wanted.name!r} misses {int(column.missing.sum())} cells, and the schema has no "
                f"state {MISSING_STATE!r} for them; use missing='drop' or 'em', or add the state as the last "
                "one"
            )
    made = make_discrete(column, lookup, wanted, REASON, n_observed=len(observed), missing_code=missing_code)
    if ignored is None:
        return made
    return replace(made, missing=ignored if made.missing is None else ignored | made.missing)


def settle_unseen(
    column: LabelColumn,
    wanted: Variable,
    lookup: npt.NDArray[np.uint32],
    unknown: list[int],
    policy: UnseenPolicy,
) -> tuple[Variable, npt.NDArray[np.uint32], str]:
    """What becomes of labels that the schema does not know: the variable, the states of labels, a note."""
    assert wanted.states is not None
    labels = [column.labels[i] for i in unknown]
    said = listed([repr(label) for label in labels], 5)
    if policy == "ignore":
        return wanted, lookup, f"cells with {said}, which the schema does not know, are taken as missing"
    if policy == "add":
        wider = with_states(wanted, labels)
        lookup = np.array([wider.code(state) for state in wanted.states], dtype=np.uint32)[lookup]
        lookup[unknown] = [wider.code(as_state(label, wanted)) for label in labels]
        return wider, lookup, f"states that the schema did not know: {said}"
    told = f"column {wanted.name!r} holds {said}, which the schema does not know"
    if policy == "state":
        reserved = [code for code, state in enumerate(wanted.states) if is_unseen_label(state)]
        if not reserved:
            raise UnknownNameError(
                f"{told}, and it has no state {UNSEEN_STATE!r} for such labels; read the rows that are "
                "fitted with unseen='state' too, or pass unseen='ignore'"
            )
        lookup[unknown] = reserved[-1]
        return wanted, lookup, f"{said}, which the schema does not know, is {wanted.states[reserved[-1]]!r}"
    raise UnknownNameError(
        f"{told}; states are {states_near(labels[0], wanted.states)}; unseen='ignore' takes such cells as "
        "missing"
    )


def with_states(variable: Variable, labels: Sequence[Label]) -> Variable:
    """A variable with further states, sorted in where its states are; what reading added stays last."""
    from treewright.tables.align import unite

    states = list(variable.states or ())
    added = [state for state in states if is_missing_label(state) or is_unseen_label(state)]
    own = states if len(added) == len(states) else [state for state in states if state not in added]
    new = Variable(variable.name, tuple(sorted({as_state(label, variable) for label in labels})))
    united = unite([replace(variable, states=tuple(own)), new]).states or ()
    return replace(variable, states=(*united, *(state for state in added if state not in united)))


def as_state(label: Label, variable: Variable) -> Label:
    """A whole number stored as a real is a whole number where the states are."""
    whole = isinstance(label, float) and label.is_integer()
    return int(label) if whole and not any(isinstance(s, float) for s in variable.states or ()) else label


def find_code(variable: Variable) -> Callable[[Label], int | None]:
    """Finds the one state that is written like a label; where rows were mended, up to blanks and case.

    Of two states there that say yes and no one is found by every spelling of these.
    """
    states = variable.states or ()
    written, spelled, said = forms_of(states, written_form), {}, dict[bool | None, int]()
    if variable.raw is not None and variable.raw.mended:
        spelled = forms_of(states, lambda state: folded(str(state)))
        real = {code: s for code, s in enumerate(states) if not (is_missing_label(s) or is_unseen_label(s))}
        said = {TRUTH.get(folded(str(state))): code for code, state in real.items()} if len(real) == 2 else {}

    def find(label: Label) -> int | None:
        code = written.get(written_form(label))
        code = spelled.get(folded(str(label))) if code is None else code
        yes = TRUTH.get(folded(str(label))) if code is None and said.keys() == {True, False} else None
        return said[yes] if yes is not None else code

    return find


def forms_of(states: Sequence[Label], write: Callable[[Label], str]) -> dict[str, int | None]:
    """States by how they are written; None where two states are written alike."""
    forms: dict[str, int | None] = {}
    for code, state in enumerate(states):
        text = write(state)
        forms[text] = None if text in forms else code
    return forms


def written_form(label: Label) -> str:
    """How a label looks in a file: 1.0 like 1, and True like true and TRUE."""
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    text = str(label)
    return text.lower() if text.lower() in ("true", "false") else text
