"""Tables that fall back on smaller ones: where rows are few, a family is read with one parent less.

`p(x | a, b) = (n[a, b, x] + s p(x | a)) / (n[a, b] + s)`, and so on down to the even distribution: `s` rows
are taken from the family without one of its parents. That smooths better than even rows, since what is rare
in a context is then as probable as it is elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.graphs import Dag
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.statistics import Counter, mutual_information
from treewright.types import Cells, Scope


def backed_off(counts: Cells, smoothing: float) -> Cells:
    """Probabilities along the last axis; the axes before it are dropped from the left to fall back.

    Examples
    --------
    >>> backed_off(np.array([[3.0, 1.0], [0.0, 0.0]]), 2.0).round(3).tolist()
    [[0.722, 0.278], [0.667, 0.333]]
    """
    cells = np.asarray(counts, dtype=np.float64)
    if cells.ndim == 1:
        below: Cells = np.full(cells.shape, 1.0 / len(cells))
    else:
        below = backed_off(cells.sum(axis=0), smoothing)[None]
    total = cells.sum(axis=-1, keepdims=True)
    made: Cells = (cells + smoothing * below) / (total + smoothing)
    return made


def smoothed_network(
    dag: Dag, counter: Counter, smoothing: float, last: Sequence[int] = ()
) -> BayesianNetwork:
    """A network with such tables: parents that tell least are dropped first, those in `last` at the end."""
    scopes: list[Scope] = [(*_dropped(counter, v, dag.parents(v), last), v) for v in range(len(dag.schema))]
    tables = []
    for v, (scope, counts) in enumerate(zip(scopes, counter.counts_many(scopes), strict=True)):
        table = backed_off(np.asarray(counts, dtype=np.float64), smoothing)
        tables.append(np.transpose(table, [scope.index(u) for u in (*dag.parents(v), v)]))
    return BayesianNetwork(dag, tables)


def _dropped(counter: Counter, child: int, parents: Sequence[int], last: Sequence[int]) -> list[int]:
    """Parents in the order in which they are dropped; ties go by name."""
    first = [p for p in counter.schema.name_order if p in parents and p not in last]
    if len(first) > 1:
        first.sort(key=lambda p: mutual_information(counter, p, child))
    return [*first, *(p for p in parents if p in last)]
