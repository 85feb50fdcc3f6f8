"""Two ways to multiply and add probabilities.

Plain numbers are fast, and enough while the cells of one table lie within 300 orders of magnitude of each
other. Logarithms have no such limit and are the second try. Both keep the largest cell of a table near
one and hand the removed factor on as a logarithm.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.float64]


class Arithmetic(Protocol):
    """What summing out needs from numbers."""

    @property
    def one(self) -> float: ...

    def enter(self, probabilities: Cells) -> Cells: ...

    def leave(self, table: Cells) -> Cells: ...

    def multiply(self, table: Cells, other: Cells) -> None:
        """Multiply in place."""
        ...

    def divided(self, table: Cells, other: Cells) -> Cells:
        """The quotient, where nothing over nothing is nothing."""
        ...

    def sum_out(self, table: Cells, axes: tuple[int, ...]) -> Cells: ...

    def scaled(self, table: Cells) -> tuple[Cells, float]:
        """The table with largest cell one, and the logarithm of what it was divided by."""
        ...


class _Linear:
    one = 1.0

    def enter(self, probabilities: Cells) -> Cells:
        return probabilities

    def leave(self, table: Cells) -> Cells:
        return table

    def multiply(self, table: Cells, other: Cells) -> None:
        table *= other

    def divided(self, table: Cells, other: Cells) -> Cells:
        return np.divide(table, other, out=np.zeros_like(table), where=other > 0)

    def sum_out(self, table: Cells, axes: tuple[int, ...]) -> Cells:
        return np.asarray(table.sum(axis=axes))

    def scaled(self, table: Cells) -> tuple[Cells, float]:
        # denormal numbers have lost digits: such a table counts as empty, and logarithms take over
        largest = float(table.max())
        return (table / largest, math.log(largest)) if largest > 1e-290 else (np.zeros_like(table), -math.inf)


class _Logarithmic:
    one = 0.0

    def enter(self, probabilities: Cells) -> Cells:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(probabilities))

    def leave(self, table: Cells) -> Cells:
        return np.asarray(np.exp(table))

    def multiply(self, table: Cells, other: Cells) -> None:
        table += other

    def divided(self, table: Cells, other: Cells) -> Cells:
        return np.subtract(table, other, out=np.full_like(table, -np.inf), where=other > -np.inf)

    def sum_out(self, table: Cells, axes: tuple[int, ...]) -> Cells:
        largest = table.max(axis=axes, keepdims=True)
        largest[np.isneginf(largest)] = 0
        with np.errstate(divide="ignore"):
            sums = np.log(np.exp(table - largest).sum(axis=axes))
        return np.asarray(sums + largest.reshape(sums.shape))

    def scaled(self, table: Cells) -> tuple[Cells, float]:
        largest = float(table.max())
        return (table - largest, largest) if largest > -math.inf else (table, -math.inf)


LINEAR: Arithmetic = _Linear()
LOGARITHMIC: Arithmetic = _Logarithmic()
