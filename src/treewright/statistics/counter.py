"""The waist of the hourglass: whatever can count can be learned from.

A :class:`Counter` turns rows into contingency tables. Counts of two shards add up to the counts of the whole,
so a learner cannot tell an array in memory from a thousand files on disk.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

Counts = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@dataclass(frozen=True)
class SparseCounts:
    """The occupied cells of a table: positions in C order, which rise strictly, and the count of each."""

    shape: tuple[int, ...]
    codes: npt.NDArray[np.int64]
    counts: Counts

    @classmethod
    def of(cls, table: Counts) -> SparseCounts:
        """The occupied cells of a table at hand."""
        flat = table.reshape(-1)
        codes = np.flatnonzero(flat).astype(np.int64)
        return cls(table.shape, codes, flat[codes])

    @classmethod
    def summed(cls, shape: tuple[int, ...], codes: npt.NDArray[np.int64], counts: Counts) -> SparseCounts:
        """Cells that may come several times, added up."""
        kept, where = np.unique(codes, return_inverse=True)
        sums = np.zeros(len(kept), dtype=counts.dtype)
        np.add.at(sums, where, counts)
        return cls(shape, kept.astype(np.int64), cast("Counts", sums))


@runtime_checkable
class Counter(Protocol):
    """Additive counts over the rows of a table.

    Whatever has these members can be learned from; nothing has to be derived from this class.

    Examples
    --------
    >>> import treewright as tw
    >>> isinstance(tw.count(tw.read_table({"a": [0, 1]})), Counter)
    True
    """

    @property
    def schema(self) -> Schema: ...

    @property
    def n_rows(self) -> int | float:
        """Rows counted: the sum of the weights when rows have weights."""
        ...

    def counts(self, scope: Scope) -> Counts:
        """One axis per variable, in the order of `scope`; int64, or float64 with real weights."""
        ...

    def counts_many(self, scopes: Sequence[Scope]) -> list[Counts]:
        """The tables of many scopes, in one call."""
        ...

    def sparse_counts(self, scope: Scope) -> SparseCounts:
        """Occupied cells only, for scopes whose table would be large or nearly empty."""
        ...


class PluralCounter:
    """What follows once `counts_many` is there."""

    @abstractmethod
    def counts_many(self, scopes: Sequence[Iterable[NameOrIndex]]) -> list[Counts]: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(cast(Any, self).schema)} variables)"

    def __add__(self, other: Counter) -> Counter:
        """Rows of both, which have the same columns and states: a `ShardedCounter`."""
        from treewright.statistics.sharded import ShardedCounter

        if not isinstance(other, Counter):
            return NotImplemented
        return ShardedCounter((cast("Counter", self), other))

    def counts(self, scope: Iterable[NameOrIndex]) -> Counts:
        """One axis per variable, in the order of `scope`."""
        return self.counts_many([tuple(scope)])[0]


class OfCounter:
    """Whoever judges by the counts of a counter judges its variables."""

    counter: Counter

    @property
    def schema(self) -> Schema:
        return self.counter.schema
