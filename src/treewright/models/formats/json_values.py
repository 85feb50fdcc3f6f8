"""Values in JSON, read with care: what is not as it should be is a FormatError."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import FormatError
from treewright.tables.schema import Label


def expect(condition: bool, message: str) -> None:
    if not condition:
        raise FormatError(message)


def as_list(item: object, what: str) -> list[Any]:
    if not isinstance(item, list):
        raise FormatError(f"{what} is not a list")
    return item


def as_table(item: object, shape: tuple[int, ...], what: str, *, whole: bool = False) -> npt.NDArray[Any]:
    """The numbers of a flat list as an array of this shape; `whole` ones may be there too."""
    numbers = as_list(item, what)
    size, kinds = math.prod(shape), {type(x) for x in numbers}
    expect(
        len(numbers) == size and kinds <= ({int, float} if whole else {float}),
        f"{what} is not a list of {size} numbers",
    )
    return np.array(numbers, dtype=np.int64 if kinds == {int} else np.float64).reshape(shape)


def are_names(item: object) -> bool:
    return isinstance(item, list) and all(isinstance(name, str) for name in item)


def write_label(label: Label) -> Any:
    """A label, whose type JSON keeps; infinity, which JSON has not, is an object."""
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
