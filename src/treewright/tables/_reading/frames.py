"""Columns from data frames, whatever library they come from.

narwhals gives pandas, polars and Arrow one face. Texts become codes inside the frame's own library, which
is good at it; only reading off those codes differs between libraries (`native_codes`).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError
from treewright.tables._reading.columns import (
    SourceColumn,
    column_of_objects,
    date_column,
    each,
    empty_column,
    label_column,
    number_column,
    plain_labels,
    unsupported,
)
from treewright.tables.schema import Label, repeated


class FrameSource:
    """A pandas, polars, Arrow or other frame that narwhals knows."""

    def __init__(self, frame: Any) -> None:
        import narwhals as nw

        known = nw.from_native(frame)
        self._frame: Any = known.collect() if isinstance(known, nw.LazyFrame) else known
        self._own_names = list(self._frame.columns)
        self.names = [str(name) for name in self._own_names]
        changed = sum(not isinstance(name, str) for name in self._own_names)
        self.notes: tuple[str, ...] = ()
        if changed:
            self.notes = (f"{changed} column names that were not texts are written as texts",)

    def read(self, positions: Sequence[int], as_text: Set[int]) -> list[SourceColumn]:
        return each(
            lambda i: column_of_series(self.names[i], self._frame.get_column(self._own_names[i])), positions
        )


def is_frame(source: Any) -> bool:
    """Whether narwhals takes it, asked without importing any frame library."""
    import narwhals as nw

    try:
        known = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        names = source.column_names if hasattr(source, "column_names") else source.columns
        raise SchemaError(
            f"column names must differ; found more than once: {repeated(map(str, names))}; rename them"
        ) from error
    return isinstance(known, nw.DataFrame | nw.LazyFrame)


def column_of_series(name: str, series: Any) -> SourceColumn:
    import narwhals as nw

    dtype = series.dtype
    if dtype in (nw.Categorical, nw.Enum):
        return declared_column(name, series)
    is_wide = dtype in (nw.Int128, nw.UInt128)
    if dtype == nw.Boolean or (dtype.is_numeric() and not is_wide):
        return column_of_numbers(name, series)
    if series.null_count() == len(series):
        return empty_column(name, len(series))
    if dtype == nw.String:
        return column_of_strings(name, series)
    if dtype in (nw.Date, nw.Datetime):
        return column_of_dates(name, series, None if dtype == nw.Date else dtype.time_zone)
    if dtype == nw.Object or is_wide:
        return column_of_objects(name, series.to_list())
    if dtype == nw.Unknown:
        dtype = getattr(series.to_native(), "dtype", dtype)
    raise unsupported(name, f"values of type {dtype}")


def column_of_dates(name: str, series: Any, zone: str | None) -> SourceColumn:
    if zone is None:
        return date_column(name, series.to_numpy())
    column = date_column(name, series.dt.replace_time_zone(None).to_numpy())
    return replace(column, notes=(f"instants, as clocks in {zone} show them",))


def column_of_strings(name: str, series: Any) -> SourceColumn:
    codes, labels, _ = native_codes(series)
    return label_column(name, codes, plain_labels(labels))


def column_of_numbers(name: str, series: Any) -> SourceColumn:
    import narwhals as nw

    target: Any = np.bool_ if series.dtype == nw.Boolean else np.int64
    if series.dtype == nw.UInt64:
        target = np.uint64
    elif series.dtype.is_decimal() or series.dtype.is_float():
        series, target = series.cast(nw.Float64), np.float64
    missing = series.is_null().to_numpy() if series.null_count() else None
    values = (series if missing is None else series.fill_null(target(0).item())).to_numpy()
    return number_column(name, np.array(values, dtype=target), missing)


def declared_column(name: str, series: Any) -> SourceColumn:
    """Categories that the frame declares, with those that no row has.

    A polars Categorical declares nothing (its categories are shared by the whole process), so it counts as
    texts.
    """
    import narwhals as nw

    if series.implementation.is_polars() and series.dtype == nw.Categorical:
        return column_of_strings(name, series.cast(nw.String))
    codes, categories, ordered = native_codes(series)
    labels, notes = as_labels(categories)
    return label_column(name, codes, labels, declared=True, ordered=ordered, notes=notes)


def as_labels(categories: Sequence[Any]) -> tuple[list[Label], tuple[str, ...]]:
    """Categories as labels; dates, intervals and the like are written as texts."""
    if all(isinstance(category, str | int | float | np.generic) for category in categories):
        return plain_labels(categories), ()
    return [str(category) for category in categories], ("categories are written as texts",)


def native_codes(series: Any) -> tuple[npt.NDArray[Any], list[Any], bool]:
    """Codes (-1 where missing), what they stand for, and whether the order means something."""
    library, native = series.implementation, series.to_native()
    if library.is_polars():
        return polars_codes(series)
    if library.is_pyarrow():
        return arrow_codes(native)
    if hasattr(native, "cat") or str(series.dtype) == "String":
        native = native.astype("category")
        return native.cat.codes.to_numpy(), native.cat.categories.tolist(), bool(native.cat.ordered)
    return arrow_codes(series.to_arrow())  # an Arrow dictionary inside a pandas column


def polars_codes(series: Any) -> tuple[npt.NDArray[Any], list[Any], bool]:
    import narwhals as nw

    if series.dtype == nw.String:
        series = series.cast(nw.Enum(series.unique().drop_nulls().sort().to_list()))
    codes = series.to_native().to_physical().fill_null(0).to_numpy().astype(np.int64)
    codes[series.is_null().to_numpy()] = -1
    return codes, list(series.dtype.categories), True


def arrow_codes(array: Any) -> tuple[npt.NDArray[Any], list[Any], bool]:
    kind = str(array.type)
    if not kind.startswith("dictionary"):
        array = (array.cast("string") if kind == "string_view" else array).dictionary_encode()
    if hasattr(array, "combine_chunks"):
        array = array.unify_dictionaries().combine_chunks()
    codes = array.indices.cast("int64").fill_null(-1).to_numpy()
    return codes, array.dictionary.to_pylist(), array.type.ordered
