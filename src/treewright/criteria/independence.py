"""What every test of independence offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from treewright.tables.schema import NameOrIndex


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test: its statistic, degrees of freedom, p-value, and whether it can be relied on."""

    __test__ = False  # not a test case, whatever its name says to pytest

    statistic: float
    df: float
    p_value: float
    reliable: bool = True


@runtime_checkable
class IndependenceTest(Protocol):
    """Decides whether two variables are independent given others."""

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Sequence[NameOrIndex] = ()) -> bool: ...
