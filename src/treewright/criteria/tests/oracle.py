"""A known graph as an independence test: every constraint-based learner has an exact test for free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.graphs import Dag, d_separated_many
from treewright.graphs.directed.d_separation import Query, as_query
from treewright.tables.schema import NameOrIndex, Schema


@dataclass(frozen=True)
class DSeparationOracle:
    """Answers by d-separation in a DAG: what unlimited data from a faithful distribution would say.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in "xyz"])
    >>> oracle = DSeparationOracle(Dag(schema, [("x", "z"), ("z", "y")]))
    >>> oracle.independent("x", "y"), oracle.independent("x", "y", given=("z",))
    (False, True)
    """

    dag: Dag

    @property
    def schema(self) -> Schema:
        return self.dag.schema

    def independent(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> bool:
        """Whether `given` d-separates x and y."""
        return self.dag.native.separated(*as_query(self.schema, x, y, given))

    def independent_many(self, queries: Sequence[Query]) -> npt.NDArray[np.bool_]:
        """One answer for each question (x, y, given), in one call to the core."""
        return d_separated_many(self.dag, queries)
