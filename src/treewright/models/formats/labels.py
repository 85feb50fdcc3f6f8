"""Labels in JSON: texts, numbers and truth values keep their type."""

from __future__ import annotations

import math
from typing import Any

from treewright.errors import FormatError
from treewright.tables.schema import Label


def write_label(label: Label) -> Any:
    """A label as JSON has it; infinity, which JSON has not, is an object."""
    if isinstance(label, float) and not math.isfinite(label):
        return {"float": repr(float(label))}
    return label


def read_label(item: object) -> Label:
    """The label of a JSON value."""
    if item in ({"float": "inf"}, {"float": "-inf"}):
        assert isinstance(item, dict)
        return float(item["float"])
    if isinstance(item, str | int | float | bool):
        return item
    raise FormatError(f"{item!r} is not a state")
