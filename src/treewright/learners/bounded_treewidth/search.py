"""The native search under a width bound: with names, settings and a diary."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from treewright import _core
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.score import LocalScore
from treewright.errors import TreewidthError
from treewright.graphs import BoundKnowledge, Dag, JunctionTree, UndirectedGraph, fits
from treewright.graphs._bits import pack
from treewright.graphs.directed.arcs import Pairs
from treewright.graphs.ranked import rank_matrix, rank_pairs, unrank_pairs
from treewright.learners.bounded_treewidth.certified import Certified, Iteration, Progress
from treewright.learners.classes.dag_climbing import check_parents
from treewright.learners.learned import Trace
from treewright.types import Scope

_TALLIES = ("moves", "redraws", "iterations", "accepted", "width_tests", "refused", "scores")
_PATIENCE = 10  # draws in a row that may bring nothing
_FEW = 8  # variables settled between two looks at what was found
_ENOUGH = 600  # variables cut off to settle, unless there are more


@dataclass(frozen=True)
class BoundedStart:
    """A network, and an elimination order of its moral graph that proves it narrow enough."""

    dag: Dag
    order: Scope

    @classmethod
    def of(cls, dag: Dag, treewidth: int) -> BoundedStart:
        order = fits(dag.moral_graph(), treewidth)
        if order is None:
            raise TreewidthError(
                f"treewidth={treewidth} is too narrow for the arcs that the knowledge requires; allow a "
                "wider network or require fewer arcs"
            )
        return cls(dag, order)


@dataclass(frozen=True)
class BoundedSettings:
    """What every search of one call shares."""

    score: LocalScore
    known: BoundKnowledge
    treewidth: int
    max_parents: int | None
    checks: bool = False  # count everything anew after every change: for tests

    @property
    def most_parents(self) -> int:
        return self.treewidth if self.max_parents is None else min(self.treewidth, self.max_parents)


@dataclass
class BoundedSearches:
    """Searches from one start, each with its own seed; the first works alone until they kick."""

    settings: BoundedSettings
    seeds: list[int]
    start: BoundedStart
    seconds: float | None = None
    progress: Progress | None = None
    iterations: list[Iteration] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began = perf_counter()
        self.schema = self.settings.score.schema
        check_parents(self.settings.known.required_dag(), self.settings.max_parents)
        arcs = rank_pairs(self.schema, self.start.dag.index_edges())
        order = [self.schema.name_ranks[v] for v in self.start.order]
        self.searches = [self._search(arcs, order, self.seeds[0])]
        self._arcs = self._named_arcs()
        self._recorded = self.best.score
        self._refused = 0

    @property
    def best(self) -> _core.BoundedSearch:
        """The search that has come furthest; of equals the one whose arcs come first by name."""
        return min(self.searches, key=lambda search: (-search.score, search.arcs().tolist()))

    @property
    def expired(self) -> bool:
        return self.searches[0].expired

    @property
    def has_time_left(self) -> bool:
        """Half of it at least: what cannot be stopped on the way takes less than all that was before it."""
        return self.seconds is None or perf_counter() - self.began <= self.seconds / 2

    def tallies(self) -> dict[str, int]:
        """What all searches have done so far."""
        sums = np.sum([search.tallies for search in self.searches], axis=0)
        return dict(zip(_TALLIES, map(int, sums), strict=True))

    def climb(self, *, swaps: bool = True, afresh: bool = False) -> None:
        began = perf_counter()
        self.best.climb(swaps, afresh)
        self._record(began)

    def reoptimise(self) -> bool:
        """Choose all families anew along the cover; true if that was better."""
        began = perf_counter()
        found = self.best.redraw(_PATIENCE)
        self._record(began)
        return found

    def settle(self) -> None:
        """Cut every variable off in turn and lay its arcs out anew; twice, if there are not too many."""
        n = len(self.schema)
        again = max(0, min(n, _ENOUGH - n))
        if self._settle(n) and again:
            self._settle(again)

    def _settle(self, last: int) -> bool:
        better, at_once = False, max(_FEW, len(self.schema) // 16)
        for first in range(0, last, at_once):
            began = perf_counter()
            better |= self.searches[0].settle(first, min(last, first + at_once))
            self._record(began)
        return better

    def begin_again(self, wide: Dag) -> None:
        """Take the narrowed network to its local optimum; each search keeps the better of its two."""
        began = perf_counter()
        _core.begin_all_again(self.searches, rank_pairs(self.schema, wide.index_edges()), _PATIENCE)
        self._record(began)

    def spread(self) -> None:
        """From here on one search for each seed."""
        first = self.searches[0]
        self.searches += [self._search(first.arcs(), first.order(), seed) for seed in self.seeds[1:]]

    def kick(self, wanted: int) -> None:
        """Kick each search so many times, or until the time is over, and return to the best of all."""
        done, at_once = 0, kicks_at_once(len(self.schema))
        while done < wanted and not self.expired:
            began = perf_counter()
            _core.kick_all(self.searches, min(at_once, wanted - done))
            done += at_once
            self._record(began)
        for search in self.searches:
            search.return_to_best()

    def certified(self, trace: Trace) -> Certified:
        best = self.best
        best.narrow()
        cover = unrank_pairs(self.schema, _core.graph_edges(best.cover()))
        certificate = JunctionTree.of(UndirectedGraph(self.schema, cover), method="mcs")
        structure = Dag(self.schema, unrank_pairs(self.schema, best.arcs()))
        self.settings.known.check(structure)
        return Certified(structure, trace, tuple(self.iterations), score=best.score, certificate=certificate)

    def _search(self, arcs: Pairs, order: list[int], seed: int) -> _core.BoundedSearch:
        settings, known = self.settings, self.settings.known
        search = _core.BoundedSearch(
            native_scores(settings.score),
            arcs,
            order,
            pack(rank_matrix(self.schema, known.allowed)),
            pack(rank_matrix(self.schema, known.required)),
            settings.most_parents,
            settings.treewidth,
            seed,
            temperature(settings.score),
            settings.checks,
        )
        if self.seconds is not None:
            search.set_seconds(max(0.0, self.seconds - (perf_counter() - self.began)))
        return search

    def _named_arcs(self) -> set[tuple[str, str]]:
        names = self.schema.names
        return {(names[s], names[t]) for s, t in unrank_pairs(self.schema, self.best.arcs()).tolist()}

    def _record(self, began: float) -> None:
        """Write a round down if it was better than all before, and tell whoever wants to know."""
        best = max(search.best_score for search in self.searches)
        width = self.best.width
        if best > self._recorded:
            arcs, refused = self._named_arcs(), self.tallies()["refused"]
            new = tuple(sorted(arcs - self._arcs))
            self.iterations.append(
                Iteration(new, refused - self._refused, width, best, perf_counter() - began)
            )
            self._arcs, self._refused, self._recorded = arcs, refused, best
        if self.progress is not None:
            self.progress(self.tallies()["iterations"], width, best)


def kicks_at_once(n: int) -> int:
    """Between two looks at what was found: a fraction of a second, whatever the size."""
    return max(1, min(16, 1600 // max(1, n)))


def temperature(score: LocalScore) -> float:
    """Half of what BIC asks for one parameter; nothing for scores that do not tell their rows."""
    inner = score
    while hasattr(inner, "inner"):
        inner = inner.inner
    rows = getattr(getattr(inner, "counter", None), "n_rows", None) or getattr(
        getattr(inner, "moments", None), "n", None
    )
    return 0.25 * math.log(float(rows)) if rows and float(rows) > 1 else 0.0
