"""Rows as scikit-learn hands them over: arrays, sparse matrices, frames, and a target beside them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from treewright.errors import (
    MissingValuesError,
    NotFittedError,
    SchemaError,
    SettingError,
    WeightError,
    nearest,
)
from treewright.limits import format_bytes, memory_limit
from treewright.tables import Schema, Table, Variable
from treewright.tables.arrays import code_type

LABELS = ((int, float, np.number, np.bool_), (str,))  # of one family they have an order


def not_fitted(who: str) -> NotFittedError:
    """The refusal of an estimator that has learned nothing; scikit-learn's own too where that is loaded."""
    said = f"this {who} has learned nothing yet; call .fit(rows) first"
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return NotFittedError(said)
    kinds = (NotFittedError, theirs.NotFittedError)
    again = {"__reduce__": lambda self: (not_fitted, (who,))}
    return type("NotFittedError", kinds, again)(said)  # type: ignore[no-any-return]


def rows_for(estimator: Any, X: Any, *, fitting: bool = False) -> Any:
    """What an estimator was given, ready to be read; `fitting` notes the columns."""
    who = type(estimator).__name__
    if hasattr(X, "tocsr"):
        needed = 8 * int(np.prod(X.shape))
        if needed > memory_limit():
            raise SchemaError(
                f"the sparse rows would take {format_bytes(needed)} once every cell is written out; {who} "
                "counts every cell, so leave out columns"
            )
        X = X.toarray()
    if type(X).__name__ == "LazyFrame":
        X = X.collect()
    names = column_names(X)
    if (isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple | np.ndarray)) or (
        names is None and hasattr(X, "__array__") and not isinstance(X, np.ndarray)
    ):
        X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.dtype.names is None:
        check_array(X, who)
        if getattr(estimator, "missing", None) == "error" and fitting:
            check_gaps(X, who)
        if fitting:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
        elif X.shape[1] != (n := getattr(estimator, "n_features_in_", X.shape[1])):
            raise SchemaError(f"X has {X.shape[1]} features, but {who} is expecting {n} features as input")
        elif hasattr(estimator, "feature_names_in_"):
            return {name: X[:, i] for i, name in enumerate(estimator.feature_names_in_)}
        return X
    if names is not None and fitting:
        if not names or len(X[names[0]] if isinstance(X, dict) else X) == 0:
            found = "no columns" if not names else "no rows (0 sample(s))"
            raise SchemaError(f"{who}.fit needs rows with columns; the frame has {found}")
        estimator.n_features_in_ = len(names)
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return X


def note_columns(estimator: Any, table: Table, X: Any) -> None:
    """Note the columns of a file or of another source that is no array and no frame."""
    if column_names(X) is None and not isinstance(X, np.ndarray):
        estimator.n_features_in_ = len(table.schema)
        estimator.feature_names_in_ = np.array(table.schema.names, dtype=object)


def taken(what: Any, kept: npt.NDArray[np.bool_]) -> Any:
    """Some of the rows of a frame, of a table, of an array, or of what goes beside them; with its name."""
    if what is None or isinstance(what, np.ndarray):
        return what if what is None else what[kept]
    if isinstance(what, Table):
        return what.take(kept)
    known = nw.from_native(what, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame | nw.Series):
        return known.filter(kept.tolist()).to_native()
    if isinstance(what, dict):
        return {name: taken(column, kept) for name, column in what.items()}
    return np.asarray(what)[kept] if isinstance(what, Sequence) and not isinstance(what, str) else None


def weighted(table: Table, sample_weight: Any) -> Table:
    """The rows with weights, unless there are none."""
    if sample_weight is None:
        return table
    weights = np.asarray(sample_weight)
    if weights.ndim == 1 and weights.size and not (weights != 0).any():
        raise WeightError("sample_weight is zero for every row, so there is nothing to learn from")
    return table.with_weights(weights)


def counted(X: npt.NDArray[Any], y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The rows of an array that count at all."""
    weights = np.asarray(sample_weight)
    if weights.shape != (len(X),) or weights.dtype.kind not in "iuf" or not (weights != 0).any():
        return X, y, sample_weight  # refused further on
    kept = weights != 0
    if weights.dtype.kind == "f" and (weights == np.rint(weights)).all():
        weights = weights.astype(np.int64)
    target = None if y is None else flat(y, len(X), "fit")
    name = getattr(y, "name", None)
    if target is not None and name is not None:
        return X[kept], y[kept], weights[kept]
    return X[kept], None if target is None else target[kept], weights[kept]


def check_array(X: npt.NDArray[Any], who: str) -> None:
    """Refuse what is no table of cells, in the words that scikit-learn's users know."""
    if X.ndim != 2:
        raise SchemaError(
            f"{who} takes rows by columns (2D array); found {X.ndim} dimension(s). Reshape your data: "
            "X.reshape(-1, 1) if it has one column, X.reshape(1, -1) if it is one row"
        )
    if X.dtype.kind == "c":
        raise SchemaError(f"Complex data not supported: {who} takes labels and real numbers")
    for n, what in zip(X.shape, ("sample(s)", "feature(s)"), strict=True):
        if n == 0:
            raise SchemaError(f"0 {what} (shape={X.shape}) while a minimum of 1 is required by {who}")
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise SchemaError(f"X holds infinity, which {who} cannot cut into intervals")


def check_gaps(X: npt.NDArray[Any], who: str) -> None:
    """Refuse NaN in rows that are to be learned from, unless a setting says what it means."""
    if X.dtype.kind == "f" and np.isnan(X).any():
        raise MissingValuesError(
            f"Input X contains NaN; {who} takes missing='drop' to leave out such rows, 'state' to make "
            "missing a state of its own, or 'em' where the learner can estimate them"
        )


def column_names(X: Any) -> list[str] | None:
    """The names of the columns of a table, a frame or a dictionary; None of anything else."""
    if isinstance(X, Table):
        return list(X.schema.names)
    if isinstance(X, dict):
        return list(map(str, X))
    columns = getattr(X, "columns", None)
    if columns is None or isinstance(X, str) or callable(columns):
        return None
    return list(map(str, columns))


def library_of(X: Any) -> str:
    """Whose frame it is; pandas is for everything else."""
    module = type(X).__module__.split(".")[0]
    return module if module in ("polars", "pyarrow") else "pandas"


def holds(X: Any, name: str) -> bool:
    """Whether rows have a column of this name."""
    return name in (column_names(X) or ())


@dataclass(frozen=True)
class Target:
    """A column that came as `y`: its name, and its labels as they were."""

    name: str
    classes: npt.NDArray[Any]

    @classmethod
    def of(cls, y: Any, table: Table, who: str, classes: Any = None) -> Target:
        """Its labels, or the `classes` that are given."""
        values = flat(y, table.n_rows, who)
        values = values if classes is None else np.asarray(classes)
        named = getattr(y, "name", None)
        name = named if isinstance(named, str) and named else "y"
        if name in table.schema:
            raise SchemaError(f"the rows have a column {name!r} already; rename it, or y")
        return cls(name, np.unique(values))

    @property
    def variable(self) -> Variable:
        plain = self.classes.tolist()
        is_whole = self.classes.dtype.kind in "iub"
        states = tuple(plain) if is_whole else tuple(str(one) for one in plain)
        return Variable(self.name, states)

    def codes(self, y: Any, n_rows: int, who: str) -> npt.NDArray[np.intp]:
        """The place of each label among the classes."""
        values = flat(y, n_rows, who)
        places = np.searchsorted(self.classes, values).clip(0, len(self.classes) - 1)
        strange = self.classes[places] != values
        if strange.any():
            label = values.tolist()[int(np.argmax(strange))]
            raise SchemaError(
                f"y has the label {label!r}, which {who} was not fitted with; labels are "
                f"{nearest(label, self.classes.tolist())}"
            )
        return np.asarray(places, dtype=np.intp)

    def beside(self, table: Table, y: Any) -> Table:
        """The rows with this column behind the others."""
        codes = self.codes(y, table.n_rows, "the model").astype(code_type(len(self.classes)))
        schema = Schema([*table.schema, self.variable])
        missing = dict(table.missing)
        columns = [*table.columns, codes]
        return Table(schema, columns, weights=table.weights, missing=missing, report=table.report)

    def labels(self, codes: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        return self.classes[codes]


def flat(y: Any, n_rows: int, who: str) -> npt.NDArray[Any]:
    """A target as an array of labels, one for each row."""
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_of_vectors(values)
    if values.ndim != 1:
        raise SchemaError(
            f"{who} takes one target; y should be a 1d array, got an array of shape {values.shape}"
        )
    if len(values) != n_rows:
        raise SchemaError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(values)]}"
        )
    if values.dtype.kind == "c":
        raise SchemaError(f"Complex data not supported: {who} takes labels")
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise SchemaError(f"Input y contains NaN or infinity; {who} needs a label for every row")
        if (values != np.rint(values)).any():
            raise SettingError(
                f"Unknown label type: continuous. {who} takes a target of states; cut the numbers of y first"
            )
    if values.dtype == object:
        if any(map(is_missing, values.tolist())):
            raise SchemaError(f"Input y contains NaN; {who} needs a label for every row")
        kinds = {type(label) for label in values.tolist()}
        if not any(all(issubclass(kind, family) for kind in kinds) for family in LABELS) and len(kinds) > 1:
            told = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise SettingError(
                f"Unknown label type: {who} sorts the labels of y; found some of {told}. Write all as texts"
            )
    return values


def is_missing(label: Any) -> bool:
    """Whether a label is one of the signs that libraries have for none."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float | np.floating | np.datetime64) and str(label) in ("nan", "NaT")


def column_of_vectors(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The only column of y, with scikit-learn's warning where that is loaded."""
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is not None:
        import warnings

        said = "A column-vector y was passed when a 1d array was expected; change its shape to (n_samples,)"
        warnings.warn(said, theirs.DataConversionWarning, stacklevel=4)
    return values[:, 0]
