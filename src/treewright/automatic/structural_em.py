"""Structural EM: a structure from rows with gaps, by counts as a model expects them (Friedman 1997).

Each round works out what the gaps are expected to hold under the present model, searches with those counts as
with any others, and fits the structure that was found to all rows by EM. It ends when the score on what the
rows show stops rising. That score is Cheeseman & Stutz's (1996): the score of the expected counts, with their
likelihood taken out and that of the cells that are there put in. Without gaps it is the score itself.

A narrow network keeps the expectations cheap: under a bound on the width no part of a row costs more than a
clique. For trees a round is exact: no tree has a better expected score (Meila & Jordan 2000).

Rounds begin at the tree of the pairs that are there, or at what complete rows lead to, whichever explains the
rows better. A quick search goes first where there is one, since most of the way needs no second opinions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from treewright.automatic.clock import Clock
from treewright.automatic.rows import is_complete
from treewright.automatic.search import LearnedAutomatically, learn_suited, narrow_enough
from treewright.criteria import BIC, LocalScore, LogLikelihood
from treewright.criteria.scores.edge_prior import sparse_score
from treewright.errors import MissingValuesError
from treewright.graphs import Dag
from treewright.learners import Learned, learn_chow_liu, learn_dag_climbing, learn_hill_climbing
from treewright.models import BayesianNetwork, Dirichlet, ExpectedCounter, fit_em
from treewright.models.discrete.family_counts import ONE_ROW
from treewright.models.fitting.em import FittedByEm
from treewright.statistics import AvailableCounter, Counter, count
from treewright.tables import Table
from treewright.tables.exports import counted
from treewright.types import Progress, Step

Found = TypeVar("Found", bound=Learned[Any])
Search = Callable[[Counter], Found]
Judge = Callable[[Counter], LocalScore]

ROUNDS = 12  # of each search at most; few take more than four
_LEAST_GAIN = 1e-6  # nats per row
# Fewer complete rows than these for each variable say too little to begin with.
_ROWS_TO_BEGIN = 5


@dataclass(frozen=True)
class GapsFilled:
    """What structural EM ended with.

    Attributes
    ----------
    learned
        What the search found in the counts that the model before expects.
    model
        The network, fitted to all rows.
    counter
        Counts as this model expects them.
    scores
        On the cells that are there: of the start, then of every round that was kept.
    start
        What the rounds began with.
    """

    learned: Learned[Any]
    model: BayesianNetwork
    counter: ExpectedCounter
    scores: tuple[float, ...]
    log_likelihood: float
    start: str

    def about(self, table: Table) -> str:
        """What to say about it."""
        rounds = counted(len(self.scores) - 1, "round")
        return (
            f"structure and tables from all {table.n_rows:,} rows, {int(is_complete(table).sum()):,} of "
            f"which miss nothing, by structural EM from {self.start} ({rounds}; "
            f"score on the cells that are there {self.scores[0]:,.1f} at first, {self.scores[-1]:,.1f} now)"
        )


@dataclass(frozen=True)
class _Stand:
    """A network with its model, and what the rows say of it."""

    dag: Dag
    fitted: FittedByEm
    counter: ExpectedCounter
    score: float


def fill_gaps(
    table: Table,
    search: Search[Any],
    judge: Judge = BIC,
    *,
    quick: Search[Any] | None = None,
    prior: Dirichlet | None = ONE_ROW,
    progress: Progress | None = None,
) -> GapsFilled:
    """Search, by counts as they are expected, until the score on what the rows show stops rising.

    Parameters
    ----------
    table
        Rows of discrete columns, read with `missing="em"`; some cell is missing, and no column misses all.
    search
        From counts to something with a `dag`: any learner of networks.
    judge
        From counts to the score that decides when to end.
    quick
        A search that leads near the end sooner.
    prior
        Of the tables.
    progress
        Called after each round.
    """
    refuse_empty_columns(table)
    said, best = max(
        ((said, stand_of(table, dag, judge, prior)) for said, dag in starts(table, quick or search)),
        key=lambda one: one[1].score,
    )
    scores, found = [best.score], None
    for one in (quick, search):
        if one is not None:
            found, best = search_on_gaps(
                table, one, judge, best=best, scores=scores, prior=prior, progress=progress
            )
    assert found is not None
    return GapsFilled(
        found, best.fitted.model, best.counter, tuple(scores), best.fitted.trace.log_likelihood[-1], said
    )


def search_on_gaps(
    table: Table,
    search: Search[Found],
    judge: Judge,
    *,
    best: _Stand,
    scores: list[float],
    prior: Dirichlet | None,
    progress: Progress | None,
) -> tuple[Found, _Stand]:
    """Rounds of one search; what the first one finds is kept in any case, since it is what was asked for."""
    found: Found | None = None
    for done in range(1, ROUNDS + 1):
        learned = search(best.counter)
        dag: Dag = learned.dag  # type: ignore[attr-defined]
        if set(dag.index_edges()) == set(best.dag.index_edges()):  # the model expects what led to it
            return learned, best
        stand = stand_of(table, dag, judge, prior)
        if progress is not None:
            progress(Step("rounds of structural EM", done, score=stand.score))
        if found is not None and stand.score <= best.score + _LEAST_GAIN * table.n_rows:
            break
        best, found = stand, learned
        scores.append(stand.score)
        if learned.trace.stopped_by:
            break
    assert found is not None
    return found, best


def starts(table: Table, search: Search[Any]) -> Iterator[tuple[str, Dag]]:
    """Networks to begin with: the tree of the pairs that are there, and what complete rows lead to."""
    yield "the tree of the pairs that are there", learn_chow_liu(BIC(AvailableCounter(table))).dag
    kept = is_complete(table)
    if int(kept.sum()) >= _ROWS_TO_BEGIN * len(table.schema):
        yield "the complete rows", search(count(table.take(kept))).dag


def stand_of(table: Table, dag: Dag, judge: Judge, prior: Dirichlet | None = ONE_ROW) -> _Stand:
    """The network fitted to all rows, counts as it expects them, and its score on what the rows show."""
    fitted = fit_em(dag, table, prior=prior)
    # what is impossible in the rows at hand is expected with the weight of one imagined row
    counter = ExpectedCounter(fitted.model if prior is not None else fitted.counts.fit(), table)
    score = size_of(dag, judge(counter), counter) + fitted.trace.log_likelihood[-1]
    return _Stand(dag, fitted, counter, score)


def size_of(dag: Dag, score: LocalScore, counter: Counter) -> float:
    """What a score takes off the likelihood."""
    return score.score(dag) - LogLikelihood(counter).score(dag)


def refuse_empty_columns(table: Table) -> None:
    """Refuse a column without a single cell: nothing could be expected of it."""
    empty = [table.schema.names[v] for v, mask in table.missing.items() if bool(mask.all())]
    if empty:
        raise MissingValuesError(
            f"{empty[0]!r} misses every cell, so no row says anything about it; leave it out"
        )


def learn_available(table: Table, options: dict[str, Any]) -> LearnedAutomatically:
    """The quick way: a climb among networks, each family from the rows that show it.

    Equivalent networks do not score alike then, so it is networks that are compared, not classes.
    """
    counter = AvailableCounter(table)
    score, clock = sparse_score(counter), Clock(options["seconds"])
    common = {"knowledge": options["knowledge"], "progress": options["progress"]}
    climbed = learn_dag_climbing(score, **common)
    bound, chance = options["treewidth"], options["rng"]
    return narrow_enough(counter, [climbed], score, bound, clock=clock, rng=chance, **common)


def learn_with_gaps(
    table: Table, options: dict[str, Any]
) -> tuple[LearnedAutomatically, BayesianNetwork, list[str]]:
    """The default for rows with gaps: climbs first, then what suits the table; the clock is that of all."""
    clock, known = Clock(options["seconds"]), options["knowledge"]

    def search(counter: Counter) -> LearnedAutomatically:
        left = None if clock.seconds is None else max(clock.left, clock.seconds / 16)
        found = learn_suited(counter, **{**options, "seconds": left})
        return replace(found, score=found.score - LogLikelihood(counter).score(found.dag))

    filled = fill_gaps(
        table,
        search,
        sparse_score,
        quick=lambda counter: learn_hill_climbing(sparse_score(counter), effort=0, knowledge=known),
        progress=options["progress"],
    )
    found = filled.learned
    assert isinstance(found, LearnedAutomatically)
    return replace(found, score=found.score + filled.log_likelihood), filled.model, [filled.about(table)]
