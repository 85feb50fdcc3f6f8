"""Names of types that the whole package shares, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scope = tuple[int, ...]  # variables by index; names appear only where people are
Names = tuple[str, ...]
Arc = tuple[int, int]  # from, to

Floats = npt.NDArray[np.float64]
Cells = npt.NDArray[np.float64]  # of a table over a scope, an axis per variable
Flags = npt.NDArray[np.bool_]
Mask = npt.NDArray[np.bool_]  # the cells of a column that are missing
Matrix = npt.NDArray[np.bool_]  # which pairs of variables
Codes = npt.NDArray[np.unsignedinteger]  # states by position


@dataclass(frozen=True)
class Step:
    """Where long work is: what it does, how much is done and of how much, and what it has reached.

    Examples
    --------
    >>> Step("climb", 3, score=-12.5)
    Step(phase='climb', done=3, of=None, score=-12.5, width=None)
    """

    phase: str
    done: int = 0
    of: int | None = None
    score: float | None = None
    width: int | None = None


Progress = Callable[[Step], object]
