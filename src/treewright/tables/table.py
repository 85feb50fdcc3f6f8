"""Rows as codes: the one place of the package that holds data.

A :class:`Table` keeps one array per column. A discrete column holds the position of each cell's state among
the states of its variable, in the smallest unsigned type that can count them; a continuous column holds
float64. Nothing in a table can be written to, so tables may share arrays: a shard is a view, not a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from treewright.arguments import SCHEMA, require, require_several
from treewright.errors import SchemaError, SettingError
from treewright.ranges import in_range, shown
from treewright.tables.arrays import (
    Column,
    Weights,
    check_column,
    check_weights,
    code_type,
    common_length,
    freeze,
    frozen,
)
from treewright.tables.exports import cells, describe, to_html, to_pandas
from treewright.tables.schema import Label, NameOrIndex, Schema, Variable
from treewright.types import Mask

if TYPE_CHECKING:
    from treewright.tables.features import Feature
    from treewright.tables.report import Report

_MOST_SHARDS = 100_000  # of a table of fewer rows


class Table:
    """Rows over the variables of a schema, immutable.

    Parameters
    ----------
    schema
        What the columns are.
    columns
        One array per variable: codes below the cardinality, or real numbers for a continuous variable.
    weights
        How often each row counts; whole or real numbers, zero allowed.
    missing
        Masks of missing cells by column name or position. NaN in a continuous column is missing too. A
        missing cell holds code 0 (or NaN), so its mask has to be asked before its code.
    report
        What the reader did to get here.

    Examples
    --------
    >>> schema = Schema([Variable("smoker", ("no", "yes")), Variable("age")])
    >>> table = Table(schema, [[0, 1, 1], [31.0, 48.5, 60.0]])
    >>> table.column("smoker")
    array([0, 1, 1], dtype=uint8)
    >>> table.labels("smoker")
    array(['no', 'yes', 'yes'], dtype=object)
    >>> table
    Table of 3 rows and 2 columns: smoker (2 states), age (continuous)
    """

    __slots__ = ("_columns", "_digest", "_missing", "_n_rows", "_report", "_schema", "_weights")

    def __init__(
        self,
        schema: Schema,
        columns: Iterable[npt.ArrayLike],
        *,
        weights: npt.ArrayLike | None = None,
        missing: Mapping[NameOrIndex, npt.ArrayLike] | Mapping[int, Mask] | None = None,
        report: Report | None = None,
    ) -> None:
        require("Table", SCHEMA, schema)
        require_several("Table takes a list of columns", columns)
        arrays = [np.asarray(column) for column in columns]
        if len(arrays) != len(schema):
            raise SchemaError(f"the schema has {len(schema)} variables, but {len(arrays)} columns were given")
        for name, array in zip(schema.names, arrays, strict=True):
            if array.ndim != 1:
                raise SchemaError(f"column {name!r} needs one dimension; found {array.ndim}")
        self._n_rows = common_length(schema.names, arrays)
        masks: dict[int, Mask] = {}
        for which, given in (missing or {}).items():
            mask = np.asarray(given, dtype=np.bool_)
            if mask.shape != (self._n_rows,):
                raise SchemaError(
                    f"the mask of missing cells of {schema[which].name!r} has shape {mask.shape}; "
                    f"one truth value for each of {self._n_rows} rows is needed"
                )
            masks[schema.index(which)] = mask
        checked: list[Column] = []
        for position, (variable, array) in enumerate(zip(schema, arrays, strict=True)):
            values, gone = check_column(variable, array, masks.get(position))
            checked.append(values)
            if gone is not None and gone.any():
                masks[position] = frozen(gone, np.dtype(np.bool_))
            else:
                masks.pop(position, None)
        self._schema = schema
        self._columns = tuple(checked)
        self._missing = dict(sorted(masks.items()))
        self._weights = None if weights is None else check_weights(weights, self._n_rows)
        self._report = report

    @classmethod
    def from_codes(
        cls,
        codes: npt.ArrayLike | Sequence[npt.ArrayLike],
        schema: Schema | Sequence[int],
        names: Sequence[str] | None = None,
        *,
        weights: npt.ArrayLike | None = None,
    ) -> Table:
        """Make a table from codes 0, 1, 2, ...

        Parameters
        ----------
        codes
            A matrix (an array of two dimensions: rows by columns), or a list of columns.
        schema
            A schema, or the number of states of each column; states are then the numbers 0, 1, 2, ...
        names
            Names of the columns when `schema` is a list of cardinalities; x0, x1, ... when left out.
        weights
            As for :class:`Table`.

        Examples
        --------
        >>> Table.from_codes(np.array([[0, 1], [1, 2]]), [2, 3], ["a", "b"])
        Table of 2 rows and 2 columns: a (2 states), b (3 states)
        """
        if not isinstance(schema, Schema):
            labels = names if names is not None else [f"x{i}" for i in range(len(schema))]
            if len(labels) != len(schema):
                raise SchemaError(f"{len(labels)} names were given for {len(schema)} cardinalities")
            schema = Schema(
                Variable(name, tuple(range(int(size)))) for name, size in zip(labels, schema, strict=True)
            )
        elif names is not None:
            raise SchemaError("names= goes with a list of cardinalities; a schema has its own names")
        if isinstance(codes, np.ndarray):
            if codes.ndim != 2:
                raise SchemaError(f"codes need two dimensions, rows by columns; found {codes.ndim}")
            codes = list(codes.T)
        return cls(schema, codes, weights=weights)  # type: ignore[arg-type]

    @staticmethod
    @in_range
    def estimate_nbytes(schema: Schema, n_rows: int) -> int:
        """Bytes that `n_rows` rows of a schema will take, before anything is allocated.

        >>> Table.estimate_nbytes(Schema([Variable("a", ("no", "yes")), Variable("b")]), 1000)
        9000
        """
        return sum(n_rows * (code_type(r).itemsize if r else 8) for r in schema.cardinalities)

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def n_rows(self) -> int:
        """Rows held, whatever their weights."""
        return self._n_rows

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._columns

    @property
    def weights(self) -> Weights | None:
        return self._weights

    @property
    def missing(self) -> Mapping[int, Mask]:
        """Masks of missing cells, by position, for the columns that miss any."""
        return MappingProxyType(self._missing)

    @property
    def has_missing(self) -> bool:
        return bool(self._missing)

    @property
    def report(self) -> Report | None:
        return self._report

    @property
    def nbytes(self) -> int:
        """Bytes of codes, numbers, masks and weights."""
        parts = [*self._columns, *self._missing.values()]
        return sum(part.nbytes for part in parts) + (0 if self._weights is None else self._weights.nbytes)

    def __len__(self) -> int:
        return self._n_rows

    def column(self, which: NameOrIndex) -> Column:
        """Codes of a discrete column, or the numbers of a continuous one."""
        return self._columns[self._schema.index(which)]

    def labels(self, which: NameOrIndex) -> npt.NDArray[Any]:
        """A column as it was read: labels (None where missing), or numbers (NaN where missing)."""
        position = self._schema.index(which)
        states = self._schema.variables[position].states
        if states is None:
            return self._columns[position]
        table = np.empty(len(states), dtype=object)
        table[:] = states
        labels: npt.NDArray[Any] = np.empty(self._n_rows, dtype=object)
        codes = cast("npt.NDArray[np.intp]", self._columns[position])
        np.take(table, codes, out=labels, mode="clip")  # table[codes] crashes where memory is exhausted
        if position in self._missing:
            labels[self._missing[position]] = None
        return labels

    def select(self, names: Sequence[NameOrIndex]) -> Table:
        """Some columns, in the order given; arrays are shared."""
        scope = self._schema.scope(names)
        missing = {new: self._missing[old] for new, old in enumerate(scope) if old in self._missing}
        schema = Schema(self._schema.variables[v] for v in scope)
        return self._sharing(schema, [self._columns[v] for v in scope], missing, self._weights)

    def reordered(self, names: Sequence[NameOrIndex]) -> Table:
        """All columns, in another order."""
        if len(names) != len(self._schema):
            left = sorted(set(self._schema.names) - set(self._schema.names_of(self._schema.scope(names))))
            raise SchemaError(
                f"a new order has to name every column; left out: {', '.join(map(repr, left))}. "
                "To keep some columns only, use select"
            )
        return self.select(names)

    def take(self, rows: npt.ArrayLike | slice) -> Table:
        """Some rows: a slice (arrays are shared), positions (repeats allowed), or a mask."""
        wanted = rows if isinstance(rows, slice) else np.asarray(rows)
        if not isinstance(wanted, slice):
            if wanted.size == 0 and wanted.dtype != np.bool_:
                wanted = wanted.astype(np.intp)
            if wanted.ndim != 1 or wanted.dtype.kind not in "biu":
                raise SchemaError(
                    "rows are given by a slice, a mask or whole numbers; "
                    f"found {wanted.dtype} of shape {wanted.shape}"
                )
            if wanted.dtype == np.bool_ and len(wanted) != self._n_rows:
                raise SchemaError(f"a mask over {self._n_rows} rows was needed; found one over {len(wanted)}")
        return self._sharing(
            self._schema,
            [freeze(column[wanted]) for column in self._columns],
            {v: freeze(mask[wanted]) for v, mask in self._missing.items()},
            None if self._weights is None else freeze(self._weights[wanted]),
            n_rows=len(np.empty(self._n_rows, dtype=np.bool_)[wanted]),
        )

    def where(self, feature: Feature) -> Table:
        """The rows where a feature holds."""
        return self.take(feature.mask(self))

    def with_weights(self, weights: npt.ArrayLike | None) -> Table:
        """The same rows with other weights; None counts every row once."""
        checked = None if weights is None else check_weights(weights, self._n_rows)
        return self._sharing(self._schema, self._columns, self._missing, checked)

    @in_range
    def shards(self, n: int) -> tuple[Table, ...]:
        """Cut into `n` runs of rows of nearly equal length, in order; arrays are shared."""
        if n < 1:
            raise SchemaError(f"a table is cut into at least one shard; found {n}")
        if n > max(self._n_rows, _MOST_SHARDS):
            raise SettingError(
                f"{self._n_rows} rows are cut into {_MOST_SHARDS:,} shards at most; found {n:,}"
            )
        return tuple(self.take(slice(a, b)) for a, b in pairwise(self._cuts(n)))

    def _cuts(self, n: int) -> npt.NDArray[np.intp]:
        """Where `n` runs of rows begin, and the end."""
        return np.linspace(0, self._n_rows, n + 1).astype(np.intp)

    @in_range
    def split(self, shares: int | Sequence[float], rng: np.random.Generator) -> tuple[Table, ...]:
        """Deal the rows out at random, into equal parts or by shares that add up to one.

        Parameters
        ----------
        shares
            The number of parts, or the share of each part. Within a part rows keep their order.

        Examples
        --------
        >>> table = Table.from_codes(np.zeros((10, 1), dtype=int), [2])
        >>> [part.n_rows for part in table.split([0.8, 0.2], np.random.default_rng(0))]
        [8, 2]
        """
        parts = _shares(shares, max(self._n_rows, _MOST_SHARDS))
        if parts is None:
            found = shown(shares) if isinstance(shares, int) else repr(shares)
            raise SchemaError(f"shares are a number of parts, or numbers that add up to one; found {found}")
        cuts = np.rint(np.cumsum(parts)[:-1] * self._n_rows).astype(int)
        order = rng.permutation(self._n_rows)
        return tuple(self.take(np.sort(rows)) for rows in np.split(order, cuts))

    def _sharing(
        self,
        schema: Schema,
        columns: Sequence[Column],
        missing: Mapping[int, Mask],
        weights: Weights | None,
        n_rows: int | None = None,
    ) -> Table:
        """A table made of arrays that have been checked before."""
        table = object.__new__(Table)
        table._schema = schema
        table._columns = tuple(frozen(column, column.dtype) for column in columns)
        table._missing = {v: frozen(mask, mask.dtype) for v, mask in missing.items() if mask.any()}
        table._weights = None if weights is None else frozen(weights, weights.dtype)
        table._n_rows = self._n_rows if n_rows is None else n_rows
        table._report = self._report
        return table

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self._schema == other._schema
            and self._n_rows == other._n_rows
            and self._missing.keys() == other._missing.keys()
            and all(np.array_equal(self._missing[v], other._missing[v]) for v in self._missing)
            and all(
                np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
                for a, b in zip(self._columns, other._columns, strict=True)
            )
            and (self._weights is None) == (other._weights is None)
            and (self._weights is None or np.array_equal(self._weights, other._weights))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        kept = ("schema", "columns", "weights", "missing", "report")
        return {name: getattr(self, f"_{name}") for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        schema, columns = state.pop("schema"), state.pop("columns")
        Table.__init__(self, schema, columns, **state)

    def to_dict(self) -> dict[str, list[Label | float | None]]:
        """Columns as lists of labels or numbers, None where missing.

        >>> Table.from_codes([[0, 1]], Schema([Variable("a", ("no", "yes"))])).to_dict()
        {'a': ['no', 'yes']}
        """
        return {name: cells(self, position) for position, name in enumerate(self._schema.names)}

    def to_pandas(self) -> Any:
        """A pandas frame whose discrete columns are categoricals with every state declared."""
        return to_pandas(self)

    @in_range
    def head(self, n: int = 5) -> Table:
        """The first rows."""
        return self.take(slice(0, n))

    def __repr__(self) -> str:
        return describe(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def _shares(shares: Any, most: int) -> npt.NDArray[Any] | None:
    """The share of each part; None for what says none."""
    if isinstance(shares, int | np.integer):
        equal = 1 <= shares <= most and not isinstance(shares, bool)
        return np.full(int(shares), 1 / int(shares)) if equal else None
    parts = np.asarray(shares)
    if parts.dtype.kind not in "fiu" or parts.ndim != 1 or not len(parts):
        return None
    return parts if (parts >= 0).all() and abs(parts.sum() - 1) <= 1e-9 else None
