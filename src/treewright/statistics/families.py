"""Families and questions by index."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.tables.schema import Scope

Family = tuple[int, Scope]
Query = tuple[int, int, Scope]
Floats = npt.NDArray[np.float64]
