"""A network that grows inside a chordal cover: the native search with names, settings and a diary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria.native_scores import native_scores
from treewright.criteria.score import LocalScore
from treewright.errors import SettingError, TreewidthError
from treewright.graphs import Dag, JunctionTree, UndirectedGraph
from treewright.graphs._bits import Rows, pack
from treewright.graphs.arcs import as_array, ranks_by_name
from treewright.learners.certified import Certified, Iteration, Progress
from treewright.learners.learned import Trace
from treewright.tables.schema import NameOrIndex, Schema

Arcs = npt.NDArray[np.uint32]  # two columns: ranks of names


class BoundedGrowth:
    """A start, grown arc by arc; vertices of the native network are ranks of names."""

    def __init__(
        self,
        score: LocalScore,
        start: Dag,
        *,
        order: Sequence[NameOrIndex] | None,
        max_parents: int | None,
        block_wise: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self.schema = score.schema
        self.scores = native_scores(score)
        self._by_name = np.array(self.schema.name_order, dtype=np.uint32)
        self._rank = ranks_by_name(self.schema)
        self.given_order = None if order is None else self._rank[list(self.schema.scope(order))]
        arcs = self._ranked(as_array(start.index_edges()))
        cover = _core.graph_rows(len(self.schema), arcs)  # nobody has two parents: the skeleton is moral
        self.network = _core.BoundedNetwork(
            self.scores, arcs, cover, block_wise, max_parents or 0, allowed_tails(self.given_order)
        )
        self._progress = progress
        self._iterations: list[Iteration] = []

    @property
    def width(self) -> int:
        return self.network.width

    def node_order(self) -> npt.NDArray[np.uint32]:
        """The given order, or the one that suits the cover as it is now."""
        return self.network.node_order() if self.given_order is None else self.given_order

    def add_arcs(self, limit: int, *, narrowest: bool) -> dict[str, int]:
        """Add single arcs, an iteration each, while one keeps the width; return how many, and how many not.

        `narrowest`: triangulate in three ways for each arc, not only where the cover's own update is too
        wide.
        """
        search = _core.GreedyArcs(self.network, limit, narrowest)
        n_added = 0
        while True:
            start = perf_counter()
            arc = search.step()
            if arc is None:
                return {"edges": n_added, "refused": search.n_refused}
            self.record([arc], skipped=0, since=start)
            n_added += 1

    @property
    def n_scores(self) -> int:
        """Local scores asked for so far."""
        return self.scores.tally[0]

    def record(self, arcs: Iterable[tuple[int, int]], *, skipped: int, since: float) -> None:
        """Write an iteration down, and tell whoever wants to know."""
        names = self.schema.names
        edges = tuple((names[self._by_name[s]], names[self._by_name[t]]) for s, t in arcs)
        width, score = self.network.width, self.network.score
        self._iterations.append(Iteration(edges, skipped, width, score, perf_counter() - since))
        if self._progress is not None:
            self._progress(len(self._iterations), width, score)

    def certified(self, trace: Trace) -> Certified:
        cover = _core.graph_edges(self.network.cover())
        certificate = JunctionTree.of(UndirectedGraph(self.schema, self._by_name[cover]), method="mcs")
        structure = Dag(self.schema, self._by_name[self.network.arcs()])
        iterations = tuple(self._iterations)
        return Certified(structure, trace, self.network.score, iterations, certificate=certificate)

    def _ranked(self, arcs: npt.NDArray[np.integer]) -> Arcs:
        return np.ascontiguousarray(self._rank[arcs].reshape(-1, 2), dtype=np.uint32)


def allowed_tails(order: npt.NDArray[np.uint32] | None) -> Rows:
    """For each head the tails before it in the order; without an order no rows, which allows all."""
    if order is None:
        return np.zeros((0, 0), dtype=np.uint64)
    position = np.argsort(order)
    return pack(position[np.newaxis, :] < position[:, np.newaxis])


def check_bounds(schema: Schema, treewidth: int, max_parents: int | None) -> None:
    """Refuse bounds that no network or only the empty one obeys."""
    if treewidth < 1:
        raise TreewidthError(
            f"treewidth= is a bound of at least 1, the width of a tree; found {treewidth!r} for "
            f"{len(schema)} variables"
        )
    if max_parents is not None and max_parents < 1:
        raise SettingError(f"max_parents= is a number of at least 1, or None; found {max_parents!r}")
