"""The distribution of columns that no table has together, from tables that have parts of them.

If every variable lies in one table together with all its parents, the joint distribution is a product of
functions of table columns, and the only such product with the margins of the tables (Xie, Geng & Zhao 2006,
section 3, discuss when it is known). *Iterative proportional fitting* finds it. It is never done on all
variables: a set of columns is dropped first wherever its neighbours lie in one table, since it then says
nothing about the others (collapsibility, Asmussen & Edwards 1983). What is left is fitted on a junction tree.

Margins of samples contradict each other where tables overlap, and no distribution has them all. So what is
shared is settled first: a set of columns that several tables have gets the distribution of all their rows,
smaller sets before larger ones, and each table is scaled to the sets inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import TableTooLarge
from treewright.graphs.undirected.collapse import collapsed_scope
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.inference.clique_tree import CliqueTree
from treewright.limits import check_table, table_cells
from treewright.tables.overlaps import intersections, reduced_sets
from treewright.tables.schema import Schema
from treewright.types import Cells, Scope

Key = tuple[Scope, tuple[Any, ...]]  # a set, and the keys of the sets inside it that it was scaled to
Counts = Callable[[Sequence[Scope]], Sequence[npt.NDArray[np.generic]]]

_TOLERANCE = 1e-10
_SWEEPS = 2_000
_SCALINGS = 60
# Margins that no distribution has are never met: sweeps beyond these only go round in a circle.
_SWEEPS_IN_CONFLICT = 100
_AGREES = 1e-8


@dataclass(frozen=True)
class _Settled:
    """The distribution of a set, what it was scaled to, and the difference that is left between the two."""

    key: Key
    cells: Cells
    conflict: float


class CompletedJoint:
    """The product of functions of table columns that has the margins of the tables.

    `scopes` are the columns of the tables, none inside another; `counts` pools the counts of scopes inside
    them over all rows that have them. `residual` is the largest difference between a margin and the fitted
    one so far: 0 when the tables agree perfectly, larger where they cannot be parts of one distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name, (0, 1)) for name in "abc"])
    >>> pairs = {(0, 1): [[3, 1], [1, 3]], (0, 2): [[2, 2], [0, 4]], (0,): [4, 4]}
    >>> joint = CompletedJoint(schema, [(0, 1), (0, 2)], lambda scopes: [np.array(pairs[s]) for s in scopes])
    >>> joint.margin((1, 2)).round(9).tolist()  # b and c meet in no table: independent given a
    [[0.1875, 0.3125], [0.0625, 0.4375]]
    """

    def __init__(self, schema: Schema, scopes: Sequence[Scope], counts: Counts) -> None:
        self.schema = schema
        self.scopes = [tuple(sorted(scope)) for scope in scopes]
        self.residual = 0.0
        self._counts = counts
        self._margins: dict[Scope, Cells] = {}
        self._settled: dict[Key, _Settled] = {}

    def margins(self, scopes: Sequence[Scope]) -> list[Cells]:
        """The joint distribution of each scope, one axis per variable, in its order."""
        return [self.margin(scope) for scope in scopes]

    def margin(self, scope: Scope) -> Cells:
        """The joint distribution of some variables."""
        key = tuple(sorted(scope))
        if key not in self._margins:
            check_table(self.schema, key)
            self._margins[key] = self._fit(key)
        return np.transpose(self._margins[key], [key.index(v) for v in scope])

    def _fit(self, wanted: Scope) -> Cells:
        kept = collapsed_scope(len(self.schema), self.scopes, wanted)
        inside = set(kept)
        sets = reduced_sets(tuple(v for v in scope if v in inside) for scope in self.scopes)
        # numbered within what is kept, so that the tree has nothing else
        schema, place = self.schema.select(kept), {v: i for i, v in enumerate(kept)}
        local = [tuple(place[v] for v in scope) for scope in sets]
        asked = tuple(place[v] for v in wanted)
        fitter, reader = self._trees(schema, local, asked)  # first: they refuse what would not fit
        targets = self._consistent(sets)
        flat = np.concatenate([target.cells.ravel() for target in targets])
        agree = all(target.conflict <= _AGREES for target in targets)
        sweeps = _SWEEPS if agree else _SWEEPS_IN_CONFLICT
        factors, _, residual = fitter.fit_proportionally(flat, _TOLERANCE, sweeps)
        self.residual = max(self.residual, float(residual))
        with np.errstate(divide="ignore"):
            logs = np.concatenate([np.log(factors), np.zeros(table_cells(schema, asked))])
        cells, _ = reader.marginals(logs)
        return cells[flat.size :].reshape([schema.cardinalities[v] for v in asked])

    def _trees(self, schema: Schema, sets: Sequence[Scope], asked: Scope) -> tuple[CliqueTree, CliqueTree]:
        """One tree to fit on, and one that has room for what is asked too."""
        more = [*sets, asked]
        try:
            return CliqueTree(_joined(schema, sets), sets), CliqueTree(_joined(schema, more), more)
        except TableTooLarge as error:
            names = ", ".join(map(repr, schema.names_of(asked)[:8]))
            raise TableTooLarge(
                f"no table has {names} together, and completing them is too large: {error}; learn with "
                "completion='none', or give a table that has them"
            ) from error

    def _consistent(self, sets: Sequence[Scope]) -> list[_Settled]:
        """Margins of the sets that agree with each other on what they share, as far as they can."""
        settled: dict[Scope, _Settled] = {}
        for scope in intersections(sets):
            settled[scope] = self._settle(scope, settled)
        return [self._settle(scope, settled) for scope in sets]

    def _settle(self, scope: Scope, settled: dict[Scope, _Settled]) -> _Settled:
        """The pooled distribution of a set, scaled to those of the sets inside it."""
        inside = reduced_sets(other for other in settled if set(other) < set(scope))
        key: Key = (scope, tuple(settled[other].key for other in inside))
        if key not in self._settled:
            cells, conflict = self._scale(scope, inside, [settled[other].cells for other in inside])
            conflict = max([conflict, *(settled[other].conflict for other in inside)])
            self._settled[key] = _Settled(key, cells, conflict)
        return self._settled[key]

    def _scale(self, scope: Scope, inside: Sequence[Scope], targets: Sequence[Cells]) -> tuple[Cells, float]:
        (counts,) = self._counts([scope])
        cells = np.asarray(counts, dtype=np.float64)
        total = float(cells.sum())
        cells = cells / total if total > 0 else np.full(cells.shape, 1 / max(cells.size, 1))
        axes = [tuple(i for i, v in enumerate(scope) if v not in other) for other in inside]
        for away, target in zip(axes, targets, strict=True):
            cells = _with_unseen(cells, away, target)
        worst = 0.0
        for _ in range(_SCALINGS if inside else 0):
            worst = 0.0
            for away, target in zip(axes, targets, strict=True):
                now = cells.sum(axis=away)
                worst = max(worst, float(np.abs(now - target).max(initial=0.0)))
                ratio = np.divide(target, now, out=np.zeros_like(now), where=now > 0)
                cells = cells * np.expand_dims(ratio, away)
            if worst <= _TOLERANCE / 10:
                break
        return cells, worst


def _with_unseen(cells: Cells, away: tuple[int, ...], target: Cells) -> Cells:
    """States that other tables have seen and this one has not, spread evenly over its other columns."""
    lacking = (cells.sum(axis=away) <= 0) & (target > 0)
    if not lacking.any():
        return cells
    spread = target / np.prod([cells.shape[axis] for axis in away])
    return np.where(np.expand_dims(lacking, away), np.expand_dims(spread, away), cells)


def _joined(schema: Schema, scopes: Iterable[Scope]) -> UndirectedGraph:
    """The graph that joins whatever shares a scope."""
    edges = {(u, v) for scope in scopes for u in scope for v in scope if u < v}
    return UndirectedGraph(schema, sorted(edges))
