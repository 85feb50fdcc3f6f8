"""Names of types that the whole package shares, each defined once."""

from __future__ import annotations

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
