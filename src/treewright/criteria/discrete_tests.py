"""Results of many tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from treewright.criteria.independence import TestResult
from treewright.statistics.families import Floats

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class TestResults:
    """Many results as arrays, in the order asked; `results[i]` is one of them."""

    __test__: ClassVar[bool] = False
    statistic: Floats
    df: Floats
    p_value: Floats
    reliable: Flags

    def __len__(self) -> int:
        return len(self.statistic)

    def __getitem__(self, i: int) -> TestResult:
        return TestResult(
            float(self.statistic[i]), float(self.df[i]), float(self.p_value[i]), bool(self.reliable[i])
        )

    def __iter__(self) -> Iterator[TestResult]:
        return (self[i] for i in range(len(self)))
