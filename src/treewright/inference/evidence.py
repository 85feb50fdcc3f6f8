"""What is known about some variables, in words: names and state labels, checked once at the door.

A variable is *observed* in a state, or there is *soft* evidence on it: a likelihood for each of its states,
as when a reading says "probably yes". A number observed of a variable whose states are intervals is the
interval that it lies in; beyond the outer edges it is the outer one, as in reading. A likelihood is any set
of non-negative numbers that are not all zero; only their ratios matter for the answers, their size enters the
probability of the evidence.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright.arguments import SCHEMA, require
from treewright.errors import EvidenceError, UnknownNameError, nearest
from treewright.ranges import in_range
from treewright.tables._reading.bins import interval_code
from treewright.tables.schema import Label, Schema, Variable, states_near
from treewright.types import Brief, Scope

Given = Mapping[str, Label | Mapping[Label, float]]


@dataclass(frozen=True, slots=True)
class Evidence(Brief):
    """Codes of the observed variables and likelihoods of others, by position in the schema.

    Examples
    --------
    >>> schema = Schema([Variable("smoker", ("no", "yes")), Variable("cough", ("no", "yes"))])
    >>> evidence = EvidenceReader(schema)({"smoker": "yes", "cough": {"no": 0.2, "yes": 0.9}})
    >>> evidence.observed, evidence.states, evidence.weighted, evidence.likelihoods
    ([0], [1], [1], [[0.2, 0.9]])
    >>> EvidenceReader(Schema([Variable("age", ("[0, 40)", "[40, 100]"))]))({"age": 70}).states
    [1]
    """

    observed: list[int] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    weighted: list[int] = field(default_factory=list)
    likelihoods: list[list[float]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.observed) + len(self.weighted)

    def only(self, items: Sequence[int]) -> Evidence:
        """Some items, by position; the observed ones count first."""
        n = len(self.observed)
        hard = [i for i in items if i < n]
        soft = [i - n for i in items if i >= n]
        return Evidence(
            [self.observed[i] for i in hard],
            [self.states[i] for i in hard],
            [self.weighted[i] for i in soft],
            [self.likelihoods[i] for i in soft],
        )

    @in_range
    def describe(self, schema: Schema, *, limit: int = 12) -> str:
        """As people write it, for messages."""
        items = [
            f"{schema.names[v]}={state_of(schema[v], code)!r}"
            for v, code in zip(self.observed, self.states, strict=True)
        ]
        items += [
            f"{schema.names[v]}={dict(zip(schema[v].states or (), likelihood, strict=True))!r}"
            for v, likelihood in zip(self.weighted, self.likelihoods, strict=True)
        ]
        more = f" and {len(items) - limit} more" if len(items) > limit else ""
        return ", ".join(items[:limit]) + more


class EvidenceReader:
    """Reads evidence about the variables of one schema; names and labels are looked up in dictionaries.

    Examples
    --------
    >>> schema = Schema([Variable("smoker", ("no", "yes"))])
    >>> EvidenceReader(schema)({"smoker": "maybe"})
    Traceback (most recent call last):
    treewright.errors.EvidenceError: evidence smoker='maybe' is not a state of smoker; states are 'no', 'yes'
    """

    def __init__(self, schema: Schema) -> None:
        require("EvidenceReader", SCHEMA, schema)
        self.schema = schema
        self._codes = {
            variable.name: (v, {state: code for code, state in enumerate(variable.states or ())})
            for v, variable in enumerate(schema)
        }

    def __call__(self, given: Given | None) -> Evidence:
        evidence = Evidence()
        if given is None:
            return evidence
        if not isinstance(given, Mapping):
            raise EvidenceError(f"evidence is a mapping from names to states; found {type(given).__name__}")
        for name, state in given.items():
            try:
                v, codes = self._codes[name]
                code = codes[state]  # type: ignore[index]
            except (KeyError, TypeError):
                self._read_slowly(evidence, name, state)
            else:
                evidence.observed.append(v)
                evidence.states.append(code)
        return evidence

    def _read_slowly(self, evidence: Evidence, name: str, state: object) -> None:
        if isinstance(state, Mapping) and name in self.schema:
            evidence.weighted.append(self.schema.index(name))
            evidence.likelihoods.append(_read_likelihood(self.schema[name], state))
        else:
            v, code = _read_item(self.schema, name, state)
            evidence.observed.append(v)
            evidence.states.append(code)


def state_of(variable: Variable, code: int) -> Label:
    assert variable.states is not None
    return variable.states[code]


def _position(schema: Schema, name: str, value: object) -> int:
    if not isinstance(name, str) or name not in schema:
        raise EvidenceError(
            f"evidence {name}={value!r} names no variable of the model; "
            f"variables are {nearest(name, schema.names)}"
        )
    return schema.index(name)


def _read_item(schema: Schema, name: str, state: object) -> tuple[int, int]:
    v = _position(schema, name, state)
    variable = schema[v]
    plain = state.item() if isinstance(state, np.generic) else state
    if isinstance(plain, str | int | float | bool):
        try:
            return v, variable.code(plain)
        except UnknownNameError:
            code = interval_code(variable.states or (), plain)
            if code is not None:
                return v, code
    raise EvidenceError(
        f"evidence {name}={plain!r} is not a state of {name}; "
        f"states are {states_near(plain, variable.states or ())}"
    )


def _read_likelihood(variable: Variable, given: Mapping[Label, float]) -> list[float]:
    states = variable.states or ()
    unknown = [state for state in given if state not in states]
    if unknown:
        raise EvidenceError(
            f"soft evidence on {variable.name} names {unknown[0]!r}, which is not a state of it; "
            f"states are {states_near(unknown[0], variable.states or ())}"
        )
    left_out = [state for state in states if state not in given]
    if left_out:
        raise EvidenceError(
            f"soft evidence on {variable.name} needs a likelihood for every state; "
            f"{left_out[0]!r} has none (0 forbids a state)"
        )
    try:
        likelihood = [float(given[state]) for state in states]
    except (TypeError, ValueError):
        likelihood = [math.nan]
    if not all(p >= 0 and math.isfinite(p) for p in likelihood) or not any(likelihood):
        raise EvidenceError(
            f"soft evidence on {variable.name} is non-negative numbers that are not all zero; "
            f"found {dict(given)!r}"
        )
    return likelihood


RealGiven = Mapping[str, float]


@dataclass(frozen=True)
class RealEvidence(Brief):
    """Observed variables by rising position, and their values.

    Examples
    --------
    >>> schema = Schema([Variable("height"), Variable("weight")])
    >>> read_real_evidence(schema, {"weight": 61.5})
    RealEvidence(observed=(1,), values=(61.5,))
    >>> read_real_evidence(schema, {"height": "tall"})
    Traceback (most recent call last):
    treewright.errors.EvidenceError: evidence height='tall' is not a finite number; height is continuous
    """

    observed: Scope = ()
    values: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.observed)

    def describe(self, schema: Schema, *, limit: int = 12) -> str:
        """As people write it, for messages."""
        pairs = zip(self.observed[:limit], self.values[:limit], strict=True)
        more = f" and {len(self) - limit} more" if len(self) > limit else ""
        return ", ".join(f"{schema.names[v]}={value!r}" for v, value in pairs) + more


def read_real_evidence(schema: Schema, given: RealGiven | None) -> RealEvidence:
    """Evidence about continuous variables."""
    if given is None:
        return RealEvidence()
    if not isinstance(given, Mapping):
        raise EvidenceError(f"evidence is a mapping from names to numbers; found {type(given).__name__}")
    found = sorted(_read_number(schema, name, value) for name, value in given.items())
    return RealEvidence(tuple(v for v, _ in found), tuple(value for _, value in found))


def _read_number(schema: Schema, name: str, value: object) -> tuple[int, float]:
    v = _position(schema, name, value)
    number = finite(value)
    if number is None:
        raise EvidenceError(f"evidence {name}={_plain(value)!r} is not a finite number; {name} is continuous")
    return v, number


def finite(value: object) -> float | None:
    """A value as a finite number; None for what is none, among them integers beyond all real numbers."""
    plain = _plain(value)
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        return None
    return float(plain) if abs(plain) <= sys.float_info.max else None


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value
