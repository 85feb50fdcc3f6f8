"""Uniting schemas that describe parts of the same data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from treewright.arguments import SCHEMA, all_of
from treewright.errors import SchemaError
from treewright.tables._reading.interpret import is_missing_label, is_unseen_label
from treewright.tables.schema import Label, Schema, Variable


def align_schemas(schemas: Iterable[Schema]) -> Schema:
    """One schema for several tables: columns by name, categories united.

    Columns come in the order in which they are first seen. States that are sorted everywhere stay sorted, so
    that the result does not depend on which table comes first; otherwise new states follow those known
    before. Ordered states are united only if one of the orders holds all the others.

    Parameters
    ----------
    schemas
        One or more; they may share some columns, all or none.

    Examples
    --------
    >>> a = Schema([Variable("x", ("high", "low")), Variable("y")])
    >>> b = Schema([Variable("z", (0, 1)), Variable("x", ("low", "medium"))])
    >>> united = align_schemas([a, b])
    >>> united.names, united["x"].states
    (('x', 'y', 'z'), ('high', 'low', 'medium'))
    """
    by_name: dict[str, list[Variable]] = {}
    for schema in all_of("align_schemas", SCHEMA, schemas):
        for variable in schema:
            by_name.setdefault(variable.name, []).append(variable)
    if not by_name:
        raise SchemaError("there are no columns to align")
    return Schema(unite(variables) for variables in by_name.values())


def unite(variables: Sequence[Variable]) -> Variable:
    """One variable that has the states of all; they have the same name."""
    first = variables[0]
    kinds = {kind for variable in variables for kind in label_kinds(variable)}
    if len(kinds) > 1:
        raise SchemaError(
            f"column {first.name!r} is of different types in different tables: {', '.join(sorted(kinds))}; "
            "convert it, or read each table with schema="
        )
    if all(variable == first for variable in variables):
        return first
    if any(variable.ordered for variable in variables):
        return unite_ordered(variables)
    states = list(dict.fromkeys(state for variable in variables for state in variable.states or ()))
    if all(is_sorted(variable.states or ()) for variable in variables):
        states.sort()
    return Variable(first.name, tuple(states), raw=first.raw)


def unite_ordered(variables: Sequence[Variable]) -> Variable:
    longest = max((v for v in variables if v.ordered), key=lambda v: v.cardinality)
    known = {state: position for position, state in enumerate(longest.states or ())}
    for variable in variables:
        places = [known.get(state, -1) for state in variable.states or ()]
        if -1 in places or (variable.ordered and places != sorted(places)):
            raise SchemaError(
                f"the ordered states of {variable.name!r} cannot be united: {list(longest.states or ())} and "
                f"{list(variable.states or ())}; declare one order for all with schema="
            )
    return longest


def label_kinds(variable: Variable) -> set[str]:
    if variable.states is None:
        return {"continuous"}
    return {
        "texts" if isinstance(s, str) else "truth values" if isinstance(s, bool) else "numbers"
        for s in variable.states
        if not is_missing_label(s) and not is_unseen_label(s)  # texts in a column of any kind
    }


def is_sorted(states: Sequence[Label]) -> bool:
    return all(
        isinstance(a, str) == isinstance(b, str) and a < b  # type: ignore[operator]
        for a, b in pairwise(states)
    )
