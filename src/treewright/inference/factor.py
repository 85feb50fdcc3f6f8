"""A table over a scope: what every network of tables is made of."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.types import Cells, Scope


@dataclass(frozen=True)
class Factor:
    """A table over a scope, one axis per variable in the order of the scope.

    Examples
    --------
    >>> import numpy as np
    >>> Factor((0, 2), np.array([[0.9, 0.1], [0.4, 0.6]])).table.shape
    (2, 2)
    """

    scope: Scope
    table: Cells
