"""The arrays that tables are made of: smallest code types, read-only memory, checked codes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from mmap import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError, WeightError
from treewright.tables.schema import Variable
from treewright.types import Mask

Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
Column = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32] | npt.NDArray[np.float64]
Weights = npt.NDArray[np.int64] | npt.NDArray[np.float64]
_ONE_BYTE = np.dtype(np.uint8)


def code_type(cardinality: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds the codes of so many states.

    >>> code_type(2), code_type(256), code_type(257)
    (dtype('uint8'), dtype('uint8'), dtype('uint16'))
    """
    if cardinality <= 1 << 8:
        return _ONE_BYTE
    return np.dtype(np.uint16) if cardinality <= 1 << 16 else np.dtype(np.uint32)


def frozen(array: npt.NDArray[Any], dtype: np.dtype[Any]) -> Any:
    """The array as contiguous, read-only memory of one type that nobody else can write to.

    Arrays that are read-only down to their owner are shared; everything else is copied.
    """
    if array.dtype == dtype and array.flags.c_contiguous and is_constant(array):
        return array
    result = np.array(array, dtype=dtype, order="C", copy=True)
    result.flags.writeable = False
    return result


def is_constant(array: npt.NDArray[Any]) -> bool:
    """Whether neither the array nor the array that it looks into can be written to."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        if owner.base is None:
            return True
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    if isinstance(owner, mmap):  # of a file, opened for reading
        return memoryview(owner).readonly
    return False  # memory of another library


def freeze(array: Any) -> Any:
    """Make an array that was just computed read-only, so that a table takes it without a copy."""
    array.setflags(write=False)
    return array


def check_column(
    variable: Variable, array: npt.NDArray[Any], mask: Mask | None
) -> tuple[Column, Mask | None]:
    """One column in its final type, and the mask of what it misses."""
    if variable.states is not None:
        return check_codes(variable, array, mask), mask
    if array.dtype.kind not in "biuf":
        raise SchemaError(f"continuous column {variable.name!r} needs numbers; found {array.dtype}")
    values = array.astype(np.float64, copy=False)
    if mask is None and np.isfinite(values).all():
        return frozen(values, np.dtype(np.float64)), None
    unknown = np.isnan(values)
    gone = unknown if mask is None else unknown | mask
    if gone.any() and not np.array_equal(gone, unknown):
        values = np.where(gone, np.nan, values)
    infinite = np.isinf(values)
    if infinite.any():
        raise SchemaError(
            f"continuous column {variable.name!r} holds {int(infinite.sum())} infinite values; "
            "replace or drop them"
        )
    return frozen(values, np.dtype(np.float64)), gone


def check_codes(variable: Variable, array: npt.NDArray[Any], mask: Mask | None) -> Codes:
    if array.dtype.kind not in "biu" and array.size:
        raise SchemaError(
            f"discrete column {variable.name!r} needs codes, whole numbers from 0; found {array.dtype}. "
            "To read labels, use read_table"
        )
    if mask is not None and mask.any():
        array = np.where(mask, 0, array)
    cardinality = variable.cardinality
    largest = array[array.argmax()] if array.size else 0  # sooner than .max() where there are few rows
    if largest >= cardinality or (array.dtype.kind != "u" and array.size and array.min() < 0):
        bad = (array < 0) | (array >= cardinality)
        first = int(np.argmax(bad))
        raise SchemaError(
            f"column {variable.name!r} has {cardinality} states, so codes go from 0 to {cardinality - 1}; "
            f"found {int(bad.sum())} others, the first is {array[first]} in row {first}"
        )
    codes: Codes = frozen(array, code_type(cardinality))
    return codes


def common_length(names: Sequence[str], arrays: Sequence[Any]) -> int:
    """How many rows all columns have."""
    lengths = {name: len(array) for name, array in zip(names, arrays, strict=True)}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {length}" for name, length in list(lengths.items())[:10])
        raise SchemaError(f"columns need the same number of rows; {shown}")
    return next(iter(lengths.values()), 0)


def check_weights(weights: npt.ArrayLike, n_rows: int) -> Weights:
    """Weights as int64 or float64, none of them negative or unknown."""
    array = np.asarray(weights)
    if array.shape != (n_rows,):
        raise WeightError(
            f"one weight for each of {n_rows} rows is needed; found weights of shape {array.shape}"
        )
    if array.dtype.kind not in "biuf":
        raise WeightError(f"weights are numbers; found {array.dtype}")
    if array.dtype.kind == "f":
        array = array.astype(np.float64, copy=False)
        refuse_weights("not finite", ~np.isfinite(array), array)
    elif array.dtype == np.uint64:
        refuse_weights("above the largest 64-bit integer", array > np.iinfo(np.int64).max, array)
    refuse_weights("negative", array < 0, array)
    checked: Weights = frozen(array, np.dtype(np.float64 if array.dtype.kind == "f" else np.int64))
    return checked


def refuse_weights(what: str, bad: Mask, weights: npt.NDArray[Any]) -> None:
    if bad.any():
        first = int(np.argmax(bad))
        raise WeightError(
            f"{int(bad.sum())} of {len(weights)} weights are {what}; "
            f"the first is {weights[first]} in row {first}"
        )
