"""Which pairs a search may join at all, decided before it begins.

A filter keeps a search away from pairs that look useful by chance, at the price of the true edges it shuts
out. A score that knows how many pairs it looked at does that better; filters are for scores that do not, and
for variables of so many states that every score finds too much.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from treewright.graphs import BoundKnowledge, Clusters
from treewright.graphs.ranked import variables_by_rank
from treewright.learners.bayesian_knots.dependency_tree import Dependencies
from treewright.learners.bayesian_knots.engines import default_test
from treewright.learners.classes.obedience import adjacency
from treewright.learners.independence.skeleton import find_skeleton
from treewright.learners.learned import TraceBuilder
from treewright.statistics.counter import Counter
from treewright.statistics.moments import Moments
from treewright.types import Matrix

Filter = Literal["pc1", "clusters", "partners"]
FILTERS: tuple[Filter, ...] = ("pc1", "clusters", "partners")

_PC_LEVEL = 0.05
_N_PARTNERS = 5


def filtered_pairs(
    name: Filter,
    *,
    source: Counter | Moments,
    dependencies: Dependencies,
    clusters: Clusters,
    known: BoundKnowledge,
    trace: TraceBuilder,
) -> Matrix:
    """The pairs that a filter lets through: a symmetric matrix in the order of the schema."""
    if name == "clusters":
        return clusters.pairs
    if name == "partners":
        return strongest_partners(dependencies, _N_PARTNERS)
    return adjacency(find_skeleton(default_test(source, _PC_LEVEL), depth=1, known=known, trace=trace).graph)


def strongest_partners(dependencies: Dependencies, n_partners: int) -> Matrix:
    """The pairs in which one variable is among the strongest partners of the other, ties by name.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.learners.bayesian_knots.dependency_tree import measure_dependencies
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 1, 1] * 9}
    >>> strongest_partners(measure_dependencies(tw.count(tw.read_table(rows))), 1).tolist()
    [[False, True, True], [True, False, False], [True, False, False]]
    """
    n = len(dependencies.schema)
    order = variables_by_rank(dependencies.schema)
    weights = dependencies.weights[:, order].copy()
    weights[order, np.arange(n)] = -1.0  # nobody is a partner of itself
    strongest = order[np.argsort(-weights, axis=1, kind="stable")[:, : min(n_partners, max(n - 1, 0))]]
    pairs = np.zeros((n, n), dtype=np.bool_)
    pairs[np.arange(n)[:, None], strongest] = True
    return np.asarray(pairs | pairs.T)
