"""The native searches under a width bound: with names, settings and news for whoever listens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria.scores.native_scores import CountedScore, native_scores
from treewright.criteria.scores.score import LocalScore
from treewright.errors import TreewidthError
from treewright.graphs import BoundKnowledge, Dag, JunctionTree, fits
from treewright.graphs._bits import pack, to_sets
from treewright.graphs.edges import as_array
from treewright.graphs.ranked import rank_matrix, rank_pairs, unrank_pairs, variables_by_rank
from treewright.learners.bounded_treewidth.certified import Certified, Iteration
from treewright.learners.classes.chow_liu import best_tree
from treewright.learners.classes.class_search import class_search
from treewright.learners.classes.dag_climbing import check_parents, learn_dag_climbing
from treewright.learners.classes.pair_schedule import innermost
from treewright.learners.learned import Trace, TraceBuilder, notes_on
from treewright.types import Arc, Progress, Scope, Step

Proof = tuple[npt.NDArray[Any], npt.NDArray[Any], list[tuple[int, int]]]
TALLIES = ("moves", "redraws", "iterations", "accepted", "width_tests", "refused", "scores")


@dataclass(frozen=True)
class BoundedStart:
    """A network, and an elimination order of its moral graph that proves it narrow enough.

    A tree needs no order: it is as narrow as any bound.
    """

    dag: Dag
    order: Scope | None = None

    @classmethod
    def of(cls, dag: Dag, treewidth: int) -> BoundedStart:
        heads = [head for _, head in dag.index_edges()]
        if len(set(heads)) == len(heads):
            return cls(dag)
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
    anneals: bool = True  # where the bound is two and nothing is ruled out

    @property
    def most_parents(self) -> int:
        return self.treewidth if self.max_parents is None else min(self.treewidth, self.max_parents)

    @property
    def is_free(self) -> bool:
        """Nothing but chance chooses among the members of a class."""
        return self.known.is_symmetric and self.max_parents is None and bool(self.score.is_score_equivalent)


@dataclass
class News:
    """Tells whoever wants to know: which phase it is, and how many kicks of how many were made."""

    progress: Progress
    of: int | None = None
    phase: str = ""

    def __call__(self, kicks: int, width: int, score: float) -> None:
        self.progress(Step(self.phase, kicks, self.of, score, width))


class BoundedSearches:
    """Searches from one start, each with its own seed; the first works alone until they are spread."""

    def __init__(
        self,
        settings: BoundedSettings,
        seeds: list[int],
        start: BoundedStart,
        seconds: float | None = None,
        news: News | None = None,
    ) -> None:
        self.began = perf_counter()
        self.settings, self.seeds, self.seconds = settings, seeds, seconds
        self.schema, known = settings.score.schema, settings.known
        if settings.max_parents is not None:
            check_parents(known.required_dag(), settings.max_parents)
        self.native = _core.BoundedSearches(
            native_scores(settings.score),
            rank_pairs(self.schema, start.dag.index_edges()),
            None if start.order is None else [self.schema.name_ranks[v] for v in start.order],
            pack(rank_matrix(self.schema, known.allowed)),
            pack(rank_matrix(self.schema, known.required)),
            settings.most_parents,
            settings.treewidth,
            seeds[0],
            temperature(settings.score),
            settings.checks,
            settings.anneals,
        )
        self.at_start = dict.fromkeys(TALLIES, 0)
        if seconds is not None:
            self.native.set_seconds(max(0.0, seconds - (perf_counter() - self.began)))
        if news is not None:
            self.native.listen(news)

    @property
    def has_time_left(self) -> bool:
        """Half of it at least: what cannot be stopped on the way takes less than all that was before it."""
        return self.seconds is None or perf_counter() - self.began <= self.seconds / 2

    def tallies(self) -> dict[str, int]:
        """What all searches have done so far."""
        return dict(zip(TALLIES, self.native.tallies, strict=True))

    def begin_again(self, wide: Dag) -> None:
        """Take the narrowed network to its local optimum; each search keeps the better of its two."""
        self.native.begin_again(rank_pairs(self.schema, wide.index_edges()))

    def restart(self, settings: BoundedSettings, start: BoundedStart) -> None:
        """Begin anew under another bound, with all that is known about families."""
        self.settings, self.at_start = settings, self.tallies()
        self.native.restart(
            rank_pairs(self.schema, start.dag.index_edges()),
            None if start.order is None else [self.schema.name_ranks[v] for v in start.order],
            settings.most_parents,
            settings.treewidth,
        )

    def spread(self) -> None:
        """From here on one search for each seed; none counts the pairs again."""
        others = self.seeds[1:]
        if others:
            self.native.spread([native_scores(self.settings.score) for _ in others], others)

    def certified(self, trace: Trace) -> Certified:
        """The best network; where nothing but chance chose among the members of its class, the canonical one.

        Members of a class have one moral graph, hence the proof is of all of them.
        """
        arcs = self.native.arcs(self.settings.is_free)
        return self._proven(trace, self.native.score, arcs, self.native.certificate())

    def best_met(self, trace: Trace) -> Certified:
        """The best network so far, also when the work was stopped half-way."""
        return self._proven(trace, *self.native.best_met(self.settings.is_free))

    def _proven(self, trace: Trace, score: float, found: list[Arc], proof: Proof) -> Certified:
        offsets, members, joints = proof
        cliques = to_sets(offsets, variables_by_rank(self.schema)[members].astype(np.uint32))
        certificate = JunctionTree(self.schema, cliques, joints)
        arcs = unrank_pairs(self.schema, as_array(found))
        structure = Dag(self.schema, arcs.tolist())
        known, free = self.settings.known, self.settings.score.is_score_equivalent
        structure = known.settled(structure, equivalent=free)
        names = self.schema.names_of(self.schema.name_order)
        rounds = (
            Iteration(tuple((names[s], names[t]) for s, t in added), refused, width, score, spent)
            for added, refused, width, score, spent in self.native.rounds()
        )
        notes = notes_on(self.settings.score)
        return Certified(structure, trace, tuple(rounds), score=score, certificate=certificate, notes=notes)


class Phases:
    """Work of which the trace says what it did, and where it led."""

    def __init__(self, searches: BoundedSearches, trace: TraceBuilder, news: News | None) -> None:
        self.searches, self.trace, self.news = searches, trace, news
        self.spent = searches.at_start

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        if self.news is not None:
            self.news.phase = name
        with self.trace.phase(name) as tallies:
            yield
            total = self.searches.tallies()
            tallies.update({name: total[name] - self.spent[name] for name in total})
            tallies["score"] = self.searches.native.score
            self.spent = total

    def to_local_optimum(self) -> None:
        native = self.searches.native
        with self("climb"):
            native.climb(swaps=False, afresh=False)
        with self("reopt"):
            native.reoptimise()
        with self("settle"):
            native.settle()

    def climb_at_last(self) -> None:
        """Swap parents too, and try again what was refused."""
        with self("final"):
            self.searches.native.climb(swaps=True, afresh=True)


def rows_of(score: LocalScore) -> float:
    """How many rows it was counted from; 0 where it does not tell."""
    inner = innermost(score)
    counter, moments = getattr(inner, "counter", None), getattr(inner, "moments", None)
    return float(getattr(counter, "n_rows", None) or getattr(moments, "n", None) or 0.0)


def temperature(score: LocalScore) -> float:
    """Half of what BIC asks for one parameter; nothing for scores that do not tell their rows."""
    rows = rows_of(score)
    return 0.25 * math.log(rows) if rows > 1 else 0.0


_WIDE = 3  # bounds from which on a second start is worth its time
_LITTLE = 1e8  # rows looked at: about a tenth of a second
_FEWEST_ROWS = 1_000  # a family of fewer takes as long
_PAIRS = 400  # so many pairs cost about what a kick does


def kicks_of(settings: BoundedSettings, effort: float | None) -> int:
    """So many for each variable; by default one, and then as many again as long as they pay."""
    return round((1 if effort is None else effort) * len(settings.score.schema))


def kicks_before_second_start(settings: BoundedSettings, kicks: int) -> int:
    """How many of the kicks come first; all of them if there is no second start.

    A search without bound looks at all pairs, so that many variables have to be kicked for longer before it
    is worth its time; one kick for each variable is too little effort for it anyway.
    """
    n = len(settings.score.schema)
    return kicks if not has_room(settings) or kicks <= n else min(kicks, n * n // _PAIRS)


def price_of_kicks(settings: BoundedSettings, kicks: int) -> float:
    """What so many kicks have to gain to be worth as many again: each of them the price of a parameter.

    Never for scores that do not tell their rows.
    """
    return 2 * temperature(settings.score) * kicks or math.inf


def is_cheap(settings: BoundedSettings, kicks: int) -> bool:
    """Whether searching all narrower bounds from the beginning as well costs little.

    A search asks for about as many families as there are pairs, and a kick for as many as a variable has.
    """
    width, n = settings.treewidth, len(settings.score.schema)
    return width * n * (n + kicks) * max(rows_of(settings.score), _FEWEST_ROWS) <= _LITTLE


def has_room(settings: BoundedSettings) -> bool:
    """Whether the bound is so wide that a second start may pay, and bounds anything."""
    return _WIDE <= settings.treewidth < len(settings.score.schema) - 1


def wide_network(settings: BoundedSettings, counted: CountedScore | None = None) -> Dag:
    """What is learned under the same knowledge without the bound, but for that of every family."""
    score, known, most = settings.score, settings.known, settings.most_parents
    if score.is_score_equivalent and known.is_symmetric:
        options: dict[str, Any] = {"effort": 0, "max_parents": most, "counted": counted}
        return class_search(score, allow=known.allowed, **options).structure
    return learn_dag_climbing(score, knowledge=known, max_parents=most).structure


def first_network(settings: BoundedSettings) -> Dag:
    """The best tree that obeys; where none does, the required arcs alone."""
    known = settings.known
    if (known.required.sum(axis=0) > 1).any():
        return known.required_dag()
    return best_tree(settings.score, settings.score.pair_gains(), known)


class Shared:
    """What searches under several bounds have in common: the tree, and what was counted."""

    def __init__(self, settings: BoundedSettings) -> None:
        self.tree = cache(lambda: first_network(settings))  # one pass over the pairs for all bounds
        self.counted = cache(lambda: CountedScore(settings.score))
        self.known: BoundedSearches | None = None

    def wide_network(self, settings: BoundedSettings) -> Dag:
        return wide_network(settings, self.counted())

    def searches(
        self,
        settings: BoundedSettings,
        seeds: list[int],
        start: BoundedStart,
        seconds: float | None,
        news: News | None,
    ) -> BoundedSearches:
        """New ones, or those of another bound, which begin anew with what they know about families."""
        if self.known is None:
            self.known = BoundedSearches(settings, seeds, start, seconds, news)
        else:
            self.known.restart(settings, start)
            if news is not None:
                self.known.native.listen(news)
        return self.known
