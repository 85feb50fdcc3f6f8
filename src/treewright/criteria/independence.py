"""Is x independent of y given some others? The protocol of independence tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright.tables.schema import NameOrIndex

NamedQuery = tuple[NameOrIndex, NameOrIndex, Iterable[NameOrIndex]]


@dataclass(frozen=True)
class TestResult:
    """What a test found; `reliable` is False when there were too few rows to trust it."""

    __test__: ClassVar[bool] = False
    statistic: float
    df: float
    p_value: float
    reliable: bool


@runtime_checkable
class IndependenceTest(Protocol):
    """Decides conditional independence, from data or from an oracle."""

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        """Whether x is independent of y given the others."""
        ...

    def independent_many(self, queries: Sequence[NamedQuery]) -> npt.NDArray[np.bool_]:
        """Many decisions in one call."""
        ...
