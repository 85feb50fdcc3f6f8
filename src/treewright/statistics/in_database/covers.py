"""Covers: a few wide sets of columns in which many narrow ones lie: few statements count many tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.limits import table_axes
from treewright.statistics.counter import SparseCounts
from treewright.tables.schema import Schema
from treewright.types import Scope


@dataclass(frozen=True)
class Cover:
    """The occupied cells of some columns: a line of states for each column, and how often each occurs."""

    scope: Scope
    states: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        return self.states.nbytes + self.counts.nbytes

    def table(self, schema: Schema, scope: Scope) -> npt.NDArray[np.int64]:
        """The table of some of the columns, added up; sums of whole numbers below 2^53 are exact."""
        axes = table_axes(schema, scope)
        shape = tuple(schema.cardinalities[v] for v in axes)
        cells = int(np.prod(shape, dtype=np.int64))
        sums = np.bincount(self._places(axes, shape), weights=self.counts, minlength=cells)
        return sums.astype(np.int64).reshape(shape)

    def sparse(self, schema: Schema, scope: Scope) -> SparseCounts:
        """The occupied cells of some of the columns, added up."""
        shape = tuple(schema.cardinalities[v] for v in scope)
        return SparseCounts.summed(shape, self._places(scope, shape), self.counts)

    def _places(self, scope: Scope, shape: tuple[int, ...]) -> npt.NDArray[np.int64]:
        places = np.zeros(len(self.counts), dtype=np.int64)
        for v, states in zip(scope, shape, strict=True):
            places = places * states + self.states[self.scope.index(v)]
        return places


def merged(sets: Iterable[frozenset[int]], most: int) -> list[frozenset[int]]:
    """Sets put together, largest first, each into the one that grows least; none grows beyond `most`.

    >>> [sorted(one) for one in merged([frozenset(pair) for pair in [(0, 1), (1, 2), (7, 8), (0, 2)]], 3)]
    [[0, 1, 2], [7, 8]]
    """
    covers: list[frozenset[int]] = []
    for one in sorted(set(sets), key=lambda found: (-len(found), sorted(found))):
        best, least = None, most + 1
        for at, cover in enumerate(covers):
            grown = len(one - cover)
            if grown < least and (len(cover) + grown <= most or not grown):
                best, least = at, grown
        if best is None:
            covers.append(one)
        else:
            covers[best] |= one
    return covers
