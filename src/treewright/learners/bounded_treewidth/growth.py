"""A network that grows inside a chordal cover: the native search with names, settings and a diary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError, TreewidthError
from treewright.graphs import BoundKnowledge, Dag, JunctionTree, UndirectedGraph, eliminate, fits
from treewright.graphs._bits import Rows, pack
from treewright.graphs.ranked import rank_matrix, rank_pairs, ranks_by_name, unrank_pairs
from treewright.learners.bounded_treewidth.certified import Certified, Iteration
from treewright.learners.classes.chow_liu import best_tree, obedient_branching, rooted
from treewright.learners.classes.dag_climbing import check_parents
from treewright.learners.learned import Trace, TraceBuilder, notes_on
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Progress, Step

Root = Literal["first", "hub"]


@dataclass(frozen=True)
class CoveredStart:
    """A network that obeys, and a chordal graph that contains its moral graph."""

    dag: Dag
    cover: UndirectedGraph


def bounded_starts(
    score: LocalScore,
    known: BoundKnowledge,
    treewidth: int,
    *,
    start: Dag | None = None,
    root: Root = "first",
    roots: int = 1,
    max_parents: int | None = None,
) -> list[CoveredStart]:
    """Begin at `start`, if it obeys and is narrow enough, or else at the best tree, rooted here and there."""
    if start is not None:
        if root != "first" or roots > 1:
            raise SettingError(
                "root= and roots= are about the tree to begin with; leave them out beside start="
            )
        known.check(start)
        check_parents(start, max_parents)
        cover = narrow_cover(start, treewidth)
        if cover is None:
            raise TreewidthError(
                f"treewidth={treewidth} is too narrow for the start; allow a wider network or begin at a tree"
            )
        return [CoveredStart(start, cover)]
    check_parents(known.required_dag(), max_parents)
    dags = first_networks(score, known, root, roots)
    covers = [narrow_cover(dag, treewidth) for dag in dags]
    if None in covers:
        raise TreewidthError(
            f"treewidth={treewidth} is too narrow for the arcs that the knowledge requires; allow a wider "
            "network or require fewer arcs"
        )
    return [CoveredStart(dag, cover) for dag, cover in zip(dags, covers, strict=True) if cover is not None]


def first_networks(score: LocalScore, known: BoundKnowledge, root: Root, roots: int) -> list[Dag]:
    """The best tree that obeys; where two parents are required, the required arcs joined as in a tree.

    That costs no width: an arc into a variable without parents is a bridge of the moral graph.
    """
    free = score.is_score_equivalent and known.is_symmetric
    if not free and (root == "hub" or roots > 1):
        raise SettingError(
            "root= and roots= choose among trees that the score cannot tell apart; here the score or the "
            "knowledge directs the tree"
        )
    if (known.required.sum(axis=0) > 1).any():
        return [obedient_branching(score.pair_gains(), known)]
    tree = best_tree(score, score.pair_gains(), known)
    return rootings(tree, root, roots) if free else [tree]


def rootings(tree: Dag, root: Root, n: int) -> list[Dag]:
    """The same tree directed away from other roots: the first by name unless hubs are wanted, then hubs.

    Variables of most neighbours come first; ties go by name. Every part of a forest takes its own i-th
    variable, and there are no more rootings than the largest part has variables.
    """
    skeleton = UndirectedGraph(tree.schema, tree.index_edges())
    degrees = skeleton.degrees()
    parts = []
    for part in skeleton.components():  # in the order of names
        hubs = sorted(part, key=lambda v: -int(degrees[v]))
        parts.append(hubs if root == "hub" else [part[0], *(v for v in hubs if v != part[0])])
    possible = max(map(len, parts))
    return [rooted(skeleton, [part[i % len(part)] for part in parts]) for i in range(min(n, possible))]


def narrow_cover(dag: Dag, treewidth: int) -> UndirectedGraph | None:
    """A chordal graph over the moral graph, as narrow as one is found; None beyond the bound."""
    moral = dag.moral_graph()
    if moral.n_edges == dag.n_edges and dag.n_edges + len(moral.components()) == len(dag.schema):
        return moral  # a forest
    orders = (fits(moral, width) for width in range(treewidth + 1))
    order = next((order for order in orders if order is not None), None)
    return None if order is None else eliminate(moral, order).graph


Arcs = npt.NDArray[np.uint32]  # two columns: ranks of names
Ranks = npt.NDArray[np.uint32]
Triangulation = Literal["none", "own", "own_first", "narrowest"]


class BoundedGrowth:
    """A start, grown arc by arc; vertices of the native network are ranks of names."""

    def __init__(
        self,
        score: LocalScore,
        known: BoundKnowledge,
        start: CoveredStart,
        *,
        max_parents: int | None,
        block_wise: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self.schema = score.schema
        self.score, self.known = score, known
        self.scores = native_scores(score)
        self.network = _core.BoundedNetwork(
            self.scores,
            rank_pairs(self.schema, start.dag.index_edges()),
            _core.graph_rows(len(self.schema), rank_pairs(self.schema, start.cover.edge_array)),
            block_wise,
            max_parents or 0,
            self._allowed_tails(),
        )
        self._names = sorted(self.schema.names)
        self._progress, self._phase = progress, ""
        self._iterations: list[Iteration] = []

    @property
    def width(self) -> int:
        return self.network.width

    @contextmanager
    def phase(self, trace: TraceBuilder, name: str) -> Iterator[dict[str, int | float]]:
        """A part of the work, under whose name its iterations are told."""
        self._phase = name
        with trace.phase(name) as tallies:
            yield tallies

    def ranks_of(self, names: Sequence[NameOrIndex]) -> Ranks:
        return ranks_by_name(self.schema)[list(self.schema.scope(names))]

    def add_arcs(self, limit: int, triangulation: Triangulation) -> dict[str, int]:
        """Add single arcs, an iteration each, while one keeps the width; return how many, and how many not.

        `triangulation` is how an arc proves that it does: by needing no new edge, by the cover's own update,
        by that or else a new one, or by the narrowest of three.
        """
        search = _core.GreedyArcs(self.network, limit, triangulation)
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
        edges = tuple((self._names[s], self._names[t]) for s, t in arcs)
        width, score = self.network.width, self.network.score
        self._iterations.append(Iteration(edges, skipped, width, score, perf_counter() - since))
        if self._progress is not None:
            self._progress(Step(self._phase, len(self._iterations), None, score, width))

    def certified(self, trace: Trace) -> Certified:
        cover = _core.graph_edges(self.network.cover())
        certificate = JunctionTree.of(
            UndirectedGraph(self.schema, unrank_pairs(self.schema, cover)), method="mcs"
        )
        structure = Dag(self.schema, unrank_pairs(self.schema, self.network.arcs()))
        structure = self.known.settled(structure, equivalent=self.score.is_score_equivalent)
        iterations = tuple(self._iterations)
        score, notes = self.network.score, notes_on(self.score)
        return Certified(structure, trace, iterations, score=score, certificate=certificate, notes=notes)

    def _allowed_tails(self) -> Rows:
        """For each head the tails that it may have; no rows where nothing is ruled out."""
        if self.known.is_empty:
            return np.zeros((0, 0), dtype=np.uint64)
        return pack(rank_matrix(self.schema, self.known.allowed).T)


def check_bounds(schema: Schema, treewidth: int, max_parents: int | None) -> None:
    """Refuse bounds that no network or only the empty one obeys."""
    if treewidth < 1:
        raise TreewidthError(
            f"treewidth= is a bound of at least 1, the width of a tree; found {treewidth!r} for "
            f"{len(schema)} variables"
        )
    if max_parents is not None and max_parents < 1:
        raise SettingError(f"max_parents= is a number of at least 1, or None; found {max_parents!r}")
