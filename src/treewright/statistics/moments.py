"""Mean and scatter of continuous columns: the additive statistic of Gaussian models.

Raw sums of squares lose every digit when the mean is large. :class:`Moments` keeps the mean and the scatter
around it instead, and still adds: the scatter of two shards and that between their means make up the whole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import COLUMNS, SCHEMA, described, require
from treewright.errors import ArgumentError, MissingValuesError, SchemaError, WeightError
from treewright.ranges import in_range, shown
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Brief, Floats


class ContinuousTable(Protocol):
    """What :func:`moments` asks of a table."""

    @property
    def schema(self) -> Schema: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]: ...

    @property
    def weights(self) -> npt.NDArray[Any] | None: ...


@dataclass(frozen=True, eq=False)
class Moments(Brief):
    """Rows, mean and centred scatter of continuous columns.

    Parameters
    ----------
    schema
        The columns, all continuous.
    n
        Rows; the sum of the weights when rows have weights (an int when all weights are whole).
    mean
        One number per column; NaN when there are no rows.
    scatter
        Sum over the rows of (x - mean)(x - mean)', not divided by anything.
    mean_tail
        What rounding cut off `mean`; merging uses it, so that shards far from zero lose no digits.

    Notes
    -----
    What is guaranteed to the last bit:

    * Rows are summed in blocks of 4096, counted from the first row, and blocks are merged as a binary tree
      whose left half is the largest power of two below their number. Threads and vector units change nothing.
    * Shards of 4096 times a power of two rows each (the last may be shorter), given in row order to
      :meth:`merged`, therefore give the moments of the whole, bit by bit. `a + b` is :meth:`merged` of the
      two. Any other cut, and any other order of rows, agrees up to rounding.
    * The entry of two columns depends on these two columns only, not on the others or on their order.
    * A column that is constant has scatter 0 exactly; two equal columns have equal scatter.

    Examples
    --------
    >>> from treewright import Schema, Variable
    >>> schema = Schema([Variable("x"), Variable("y")])
    >>> a = Moments.of_block(schema, [[1.0, 2.0], [3.0, 2.0]])
    >>> b = Moments.of_block(schema, [[5.0, 8.0]])
    >>> whole = a + b
    >>> whole.n, whole.mean.tolist()
    (3, [3.0, 4.0])
    >>> whole.scatter.tolist()
    [[8.0, 12.0], [12.0, 24.0]]
    """

    schema: Schema
    n: int | float
    mean: Floats
    scatter: Floats
    mean_tail: Floats = field(repr=False)

    def __init__(
        self,
        schema: Schema,
        n: int | float,
        mean: npt.ArrayLike,
        scatter: npt.ArrayLike,
        mean_tail: npt.ArrayLike | None = None,
    ) -> None:
        require("Moments", SCHEMA, schema)
        check_continuous(schema)
        width = len(schema)
        tail = np.zeros(width) if mean_tail is None else mean_tail
        shapes = {"mean": (width,), "scatter": (width, width), "mean_tail": (width,)}
        for (name, shape), value in zip(shapes.items(), (mean, scatter, tail), strict=True):
            array = np.array(value, dtype=np.float64, order="C")
            if array.shape != shape:
                raise SchemaError(f"{name} of {width} columns has shape {shape}; found {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if isinstance(n, bool) or not isinstance(n, Real):
            raise ArgumentError(f"n= of Moments is a number of rows; found {described(n)}")
        if not 0 <= n <= sys.float_info.max:
            raise WeightError(f"moments need a finite number of rows that is not negative; found {shown(n)}")
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "n", n)
        _check_spread(schema, self.scatter)

    @classmethod
    def of_block(
        cls, schema: Schema, rows: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
    ) -> Moments:
        """The moments of rows given as a matrix of finite numbers, one column per variable of `schema`.

        Weights are finite and not negative; whole numbers count a row that many times.
        """
        matrix = np.asarray(rows, dtype=np.float64)
        if matrix.shape == (0,):  # an empty list
            matrix = matrix.reshape(0, len(schema))
        if matrix.ndim != 2 or matrix.shape[1] != len(schema):
            raise SchemaError(
                f"rows of {len(schema)} columns form a matrix of that width; found shape {matrix.shape}"
            )
        columns = np.ascontiguousarray(matrix.T)
        return _of_columns(schema, list(columns), matrix.shape[0], weights)

    @classmethod
    def merged(cls, parts: Iterable[Moments]) -> Moments:
        """The moments of several shards, merged in the order given (see Notes for what is exact)."""
        parts = list(parts)
        if not parts:
            raise SchemaError("there is nothing to merge; give the moments of one shard at least")
        first = parts[0].schema
        for part in parts[1:]:
            if part.schema != first:
                raise SchemaError(
                    f"moments of different columns do not add: {first.names} and {part.schema.names};"
                    " bring them into one order with moments.select(names)"
                )
        sums = [(float(part.n), part.mean, part.mean_tail, part.scatter) for part in parts]
        n, mean, tail, scatter = _core.merge_moments(sums)
        whole = all(isinstance(part.n, int) for part in parts)
        return cls(first, int(n) if whole else n, mean, scatter, tail)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        return Moments.merged([self, other])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        return (
            (self.schema, self.n) == (other.schema, other.n)
            and np.array_equal(self.mean, other.mean, equal_nan=True)
            and np.array_equal(self.mean_tail, other.mean_tail, equal_nan=True)
            and np.array_equal(self.scatter, other.scatter)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Moments], tuple[object, ...]]:
        return Moments, (self.schema, self.n, self.mean, self.scatter, self.mean_tail)

    @property
    def constant(self) -> tuple[str, ...]:
        """Names of the columns that never move, sorted."""
        return tuple(sorted(np.array(self.schema.names, dtype=object)[np.diag(self.scatter) == 0]))

    @in_range
    def covariance(self, *, ddof: int = 1) -> Floats:
        """Scatter divided by `n - ddof`."""
        if not self.n > ddof:
            raise SchemaError(
                f"a covariance with ddof={ddof} needs more than {ddof} rows; found {self.n}"
                + ("; pass ddof=0 for the mean square" if ddof and self.n > 0 else "")
            )
        return self.scatter / (self.n - ddof)

    def correlation(self) -> Floats:
        """Correlations; a constant column (and any column of fewer than two rows) has 0 with every other.

        Examples
        --------
        >>> from treewright import Schema, Variable
        >>> schema = Schema([Variable("x"), Variable("y"), Variable("z")])
        >>> Moments.of_block(schema, [[0, 4, 7], [2, 0, 7]]).correlation().round(9).tolist()
        [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        """
        correlation = scaled_by_deviation(self.scatter)
        np.fill_diagonal(correlation, 1.0)
        np.clip(correlation, -1.0, 1.0, out=correlation)
        return correlation

    def shrunk_correlation(self) -> Floats:
        """Correlations pulled towards zero, well conditioned even with fewer rows than columns.

        The share of the identity is the oracle approximating one [1]_, which needs nothing beyond the
        correlations and the number of rows, so it can be had from merged shards.

        References
        ----------
        .. [1] Chen, Wiesel, Eldar & Hero (2010). Shrinkage algorithms for MMSE covariance estimation.
           IEEE Transactions on Signal Processing 58, 5016-5029. Eq. 23.

        Examples
        --------
        >>> from treewright import Schema, Variable
        >>> schema = Schema([Variable("x"), Variable("y")])
        >>> rows = [[0, 0], [1, 2], [2, 1], [3, 3]]
        >>> Moments.of_block(schema, rows).shrunk_correlation().round(4).tolist()
        [[1.0, 0.175], [0.175, 1.0]]
        """
        correlation = self.correlation()
        width = len(self.schema)
        if width < 2:
            return correlation
        square = float(np.sum(correlation * correlation))
        apart = square - width  # what is off the diagonal
        if apart <= 0:
            return correlation
        share = ((1 - 2 / width) * square + width**2) / ((self.n + 1 - 2 / width) * apart)
        shrunk = (1 - min(share, 1.0)) * correlation
        np.fill_diagonal(shrunk, 1.0)
        return shrunk

    def select(self, which: Sequence[NameOrIndex]) -> Moments:
        """The moments of some columns, in the order given."""
        scope = list(self.schema.scope(which))
        scatter = self.scatter[np.ix_(scope, scope)]
        return Moments(self.schema.select(scope), self.n, self.mean[scope], scatter, self.mean_tail[scope])


def scaled_by_deviation(scatter: Floats) -> Floats:
    """Scatter or covariance over the roots of its diagonal; 0 where one of them is."""
    deviation = np.sqrt(np.diag(scatter))
    scale = np.outer(deviation, deviation)
    return np.asarray(np.divide(scatter, scale, out=np.zeros_like(scale), where=scale > 0))


def moments(table: ContinuousTable) -> Moments:
    """Mean and scatter of the columns of a table, all of them continuous.

    Parameters
    ----------
    table
        Its columns must be continuous and finite; its weights, if any, weigh the rows.

    Examples
    --------
    >>> import treewright as tw
    >>> found = tw.moments(tw.read_table({"x": [1.5, 2.5, 3.5], "y": [0.5, 0.5, 2.0]}))
    >>> found.n, found.mean.tolist(), found.scatter.tolist()
    (3, [2.5, 1.0], [[2.0, 1.5], [1.5, 1.5]])
    """
    require("moments", COLUMNS, table)
    rest = [v.name for v in table.schema if not v.is_discrete]
    others = f"take the others with table.select({rest!r})" if rest else "count(table) counts them"
    check_continuous(table.schema, f"; {others}")
    columns = [np.ascontiguousarray(column, dtype=np.float64) for column in table.columns]
    return _of_columns(table.schema, columns, table.n_rows, table.weights)


def _check_weights(n_rows: int, weights: npt.ArrayLike | None) -> tuple[Floats, bool]:
    """The weights (empty: none) and whether they are whole."""
    if weights is None:
        return np.empty(0), True
    array = np.ascontiguousarray(weights, dtype=np.float64)
    if array.shape != (n_rows,):
        raise WeightError(f"{n_rows} rows need {n_rows} weights; found shape {array.shape}")
    if not (fine := np.isfinite(array) & (array >= 0)).all():
        row = int(np.argmin(fine))
        raise WeightError(
            f"weights must be finite and not negative; found {float(array[row])} in row {row}, counted from 0"
        )
    return array, bool(np.equal(np.floor(array), array).all())


def _of_columns(schema: Schema, columns: list[Floats], n_rows: int, weights: npt.ArrayLike | None) -> Moments:
    check_continuous(schema)
    _check_finite(schema, columns, n_rows)
    checked, whole = _check_weights(n_rows, weights)
    n, mean, tail, scatter = _core.column_moments(columns, n_rows, checked)
    if n == 0:
        mean = np.full(len(schema), np.nan)
    return Moments(schema, int(n) if whole else n, mean, scatter, tail)


def check_continuous(schema: Schema, way_out: str = "") -> None:
    discrete = [v.name for v in schema if v.is_discrete]
    if discrete:
        raise SchemaError(f"moments need continuous columns; discrete: {_quoted(discrete)}{way_out}")


def _check_finite(schema: Schema, columns: list[Floats], n_rows: int) -> None:
    found = _core.non_finite(columns, n_rows)
    missing = [f"{name!r} ({nan})" for name, (nan, _) in zip(schema.names, found, strict=True) if nan]
    infinite = [f"{name!r} ({inf})" for name, (_, inf) in zip(schema.names, found, strict=True) if inf]
    if missing:
        raise MissingValuesError(
            f"moments need a number in every cell; found NaN in {', '.join(missing)};"
            " drop these rows or columns first"
        )
    if infinite:
        raise SchemaError(f"moments need finite numbers; found infinite ones in {', '.join(infinite)}")


def _check_spread(schema: Schema, scatter: Floats) -> None:
    if not np.isfinite(scatter).all():
        names = [name for name, row in zip(schema.names, scatter, strict=True) if not np.isfinite(row).all()]
        raise SchemaError(f"numbers too large to be squared in {_quoted(names)}; rescale these columns")


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
