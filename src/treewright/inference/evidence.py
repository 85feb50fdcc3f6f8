"""What is known about some variables, in words: names and state labels, checked once at the door."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

import numpy as np

from treewright.errors import EvidenceError, UnknownNameError, nearest
from treewright.tables.schema import Label, Schema, Variable


def read_evidence(schema: Schema, given: Mapping[str, Label] | None) -> dict[int, int]:
    """Evidence as variable -> code, in the order given.

    Examples
    --------
    >>> schema = Schema([Variable("smoker", ("no", "yes"))])
    >>> read_evidence(schema, {"smoker": "yes"})
    {0: 1}
    >>> read_evidence(schema, {"smoker": "maybe"})
    Traceback (most recent call last):
    treewright.errors.EvidenceError: evidence smoker='maybe' is not a state of smoker; states are 'no', 'yes'
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise EvidenceError(f"evidence is a mapping from names to states; found {type(given).__name__}")
    return dict(_read_item(schema, name, state) for name, state in given.items())


def describe(schema: Schema, evidence: Mapping[int, int], *, limit: int = 12) -> str:
    """Evidence as people write it, for messages."""
    items = [f"{schema.names[v]}={state_of(schema[v], code)!r}" for v, code in evidence.items()]
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def state_of(variable: Variable, code: int) -> Label:
    assert variable.states is not None
    return variable.states[code]


def _read_item(schema: Schema, name: str, state: Label) -> tuple[int, int]:
    if not isinstance(name, str) or name not in schema:
        raise EvidenceError(
            f"evidence {name}={state!r} names no variable of the model; "
            f"variables are {nearest(name, schema.names)}"
        )
    variable = schema[name]
    plain = state.item() if isinstance(state, np.generic) else state
    if isinstance(plain, str | int | float | bool):
        try:
            return schema.index(name), variable.code(plain)
        except UnknownNameError:
            pass
    raise EvidenceError(
        f"evidence {name}={plain!r} is not a state of {name}; states are {_states(variable, plain)}"
    )


def _states(variable: Variable, wanted: object, limit: int = 20) -> str:
    """The states as they must be written (1 and '1' differ), and the nearest one to what was written."""
    states = variable.states or ()
    shown = ", ".join(map(repr, states[:limit]))
    more = f" and {len(states) - limit} more" if len(states) > limit else ""
    by_text = {str(state): state for state in states}
    close = get_close_matches(str(wanted), by_text, n=1)
    return f"{shown}{more}" + (f"; did you mean {by_text[close[0]]!r}?" if close else "")
