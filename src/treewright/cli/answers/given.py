"""Labels as they are typed and printed, evidence written as `name=state`, and distributions over states.

A label keeps its type: `age=1` finds the number 1 or the text "1", whichever the variable has. Where a
variable has both, the text is written with quotes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from treewright.errors import EvidenceError, nearest
from treewright.models import Distribution
from treewright.tables._reading.bins import interval_code
from treewright.tables._reading.matching import find_code
from treewright.tables.inspection.forms import number_in
from treewright.tables.schema import Label, Schema, Variable


def written(label: Label) -> str:
    """A label as a file holds it."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def written_states(variable: Variable) -> list[str]:
    """The states of a variable as texts that differ.

    Examples
    --------
    >>> written_states(Variable("x", (0, True, "no"))), written_states(Variable("x", (1, "1")))
    (['0', 'true', 'no'], ['1', '"1"'])
    """
    states = variable.states or ()
    texts = [written(state) for state in states]
    times = Counter(texts)
    return [
        f'"{text}"' if times[text] > 1 and isinstance(state, str) else text
        for state, text in zip(states, texts, strict=True)
    ]


def read_given(schema: Schema, texts: Sequence[str]) -> dict[str, Label]:
    """Evidence from texts such as ``smoke=yes``.

    Names may hold "=" too: the longest name that fits is meant.

    Examples
    --------
    >>> schema = Schema([Variable("a", (0, 1)), Variable("a=b", ("x", "y"))])
    >>> read_given(schema, ["a=1", "a=b=y"])
    {'a': 1, 'a=b': 'y'}
    """
    given: dict[str, Label] = {}
    for text in texts:
        name, state = split_item(schema, text)
        if name in given:
            raise EvidenceError(f"{name} is given twice, as {given[name]!r} and as {state!r}")
        given[name] = state_written(schema[name], state)
    return given


def split_item(schema: Schema, text: str) -> tuple[str, str]:
    """The variable and the state of ``name=state``."""
    fitting = [name for name in schema.names if text.startswith(f"{name}=")]
    if fitting:
        name = max(fitting, key=len)
        return name, text[len(name) + 1 :]
    name, equals, state = text.partition("=")
    if not equals:
        raise EvidenceError(f"what is given is written name=state; found {text!r}")
    raise EvidenceError(
        f"evidence {name}={state!r} names no variable of the model; "
        f"variables are {nearest(name, schema.names)}"
    )


def state_written(variable: Variable, text: str) -> Label:
    """The state that is written like this; an unknown one is left for the model to refuse."""
    if not variable.is_discrete:
        return number_written(variable, text)
    states = variable.states or ()
    forms = written_states(variable)
    if text in forms:
        return states[forms.index(text)]
    if text in states:
        return text
    code = find_code(variable)(text)
    if code is None:
        code = interval_code(states, number_in(variable.raw, text))  # 70 is in "[40, 100]"
    return text if code is None else states[code]


def number_written(variable: Variable, text: str) -> float:
    """The value of a continuous variable."""
    number = number_in(variable.raw, text)
    if number is None:
        raise EvidenceError(
            f"evidence {variable.name}={text!r} is not a number; {variable.name} is continuous"
        )
    return number


def is_item(schema: Schema, text: str) -> bool:
    """Whether an argument is evidence and not a name."""
    return "=" in text and text not in schema


def nested(answer: Distribution) -> Any:
    states = [written_states(variable) for variable in answer.variables]

    def level(values: Any, depth: int) -> Any:
        if depth == len(states):
            return values
        return {s: level(value, depth + 1) for s, value in zip(states[depth], values, strict=True)}

    return level(answer.array.tolist(), 0)


def rows_of(answer: Distribution) -> Iterator[tuple[tuple[str, ...], float]]:
    """Joint states, each with its probability."""
    states = product(*(written_states(variable) for variable in answer.variables))
    return zip(states, answer.array.ravel().tolist(), strict=True)


def holds_numbers(schema: Schema, known: Mapping[str, Label]) -> bool:
    """Whether a number is given, so that what is given has a density."""
    return any(not schema[name].is_discrete for name in known)


def given_in_words(known: Mapping[str, Label]) -> str:
    items = ", ".join(f"{name}={written(state)}" for name, state in known.items())
    return f", given {items}" if items else ""
