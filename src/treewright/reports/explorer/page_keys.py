"""The keys of an explorer page, as its dialog lists them: those that do something there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_STATES = "go to the next card; up and down inside a card: its states"
_ENTER = "the state under the focus is known; of a card without states: to its details"


def keys_of(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keys and what they do, for one page's data.

    Examples
    --------
    >>> keys_of({"kind": "structure"})[:2]
    [('/', 'find a variable'), ('← → ↑ ↓', 'go to the next card')]
    """
    return list(_listed(data))


def _listed(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    states = any("states" in variable for variable in data.get("variables", ()))
    believes = data["kind"] != "structure"
    live = believes and "note" not in data
    yield "/", "find a variable or a state" if states and believes else "find a variable"
    yield "← → ↑ ↓", _STATES if states and believes else "go to the next card"
    if live and states:
        yield "1 … 9", "the picked variable is in this state; again: open"
        yield "Alt + click, Alt + 1 … 9", "rule a state out"
    if live:
        yield "Space, Enter", _ENTER if states else "to the details of a card"
        yield "0", "forget what is known of the picked variable"
        yield "Ctrl + Z, Ctrl + Shift + Z", "undo, redo"
        yield "x", "forget everything"
        yield "h", "hold: compare with what is believed now"
        if "unexplained" not in data:
            yield "m", "most probable explanation"
    if believes:
        yield "c", "copy as Python"
    views = {"n": "network", "o": "focus"}
    if "tree" in data:
        views["j"] = "junction tree" if "plan" in data else "feature graph"
    if "clusters" in data:
        views["g"] = "clusters"
    views["t"] = "table"
    yield " ".join(views), ", ".join(views.values())
    yield "f + -", "fit, nearer, farther"
    yield "Shift + ← → ↑ ↓", "move the drawing"
    yield "d", "light or dark"
    yield "Escape", "let go of what is picked"
    yield "?", "this list"
