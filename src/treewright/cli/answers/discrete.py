"""Answers of models of discrete variables: distributions over written states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from treewright.cli.answers.given import written, written_states
from treewright.models import Distribution
from treewright.tables.schema import Label


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


def given_in_words(known: Mapping[str, Label]) -> str:
    items = ", ".join(f"{name}={written(state)}" for name, state in known.items())
    return f", given {items}" if items else ""
