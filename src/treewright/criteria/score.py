"""What every decomposable score offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treewright.tables.schema import NameOrIndex, Schema


@runtime_checkable
class LocalScore(Protocol):
    """A score that is a sum over families; higher is better, in nats."""

    is_score_equivalent: bool

    @property
    def schema(self) -> Schema: ...

    def local(self, child: NameOrIndex, parents: Sequence[NameOrIndex] = ()) -> float: ...

    def local_many(
        self, families: Sequence[tuple[NameOrIndex, Sequence[NameOrIndex]]]
    ) -> npt.NDArray[np.float64]: ...

    def local_additions(
        self, child: NameOrIndex, parents: Sequence[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> npt.NDArray[np.float64]: ...

    def local_deletions(
        self, child: NameOrIndex, parents: Sequence[NameOrIndex]
    ) -> npt.NDArray[np.float64]: ...
