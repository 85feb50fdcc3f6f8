"""Structural EM: a structure from rows with gaps, by counts as a model expects them (Friedman 1997).

Each round works out what the gaps are expected to hold under the present model, searches with those counts as
with any others, and fits the structure that was found to all rows by EM. It ends when the score on what the
rows show stops rising. That score is Cheeseman & Stutz's (1996): the score of the expected counts, with their
likelihood taken out and that of the cells that are there put in. Without gaps it is the score itself.

A narrow network keeps the expectations cheap: under a bound on the width the table of a family costs no more
than a clique, one across cliques no more than what the row leaves open between them. For trees a round is
exact: no tree has a better expected score (Meila & Jordan 2000).

Rounds begin at the tree of the pairs that are there, at a climb by them, or at what complete rows lead to,
whichever explains the rows best. A quick search goes first where there is one, since most of the way needs no
second opinions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from treewright.automatic.clock import Clock
from treewright.automatic.price import affordable, price_of
from treewright.automatic.rows import is_complete
from treewright.automatic.search import LearnedAutomatically, learn_suited, narrow_enough
from treewright.criteria import BIC, LocalScore, LogLikelihood
from treewright.criteria.scores.edge_prior import sparse_score
from treewright.errors import MissingValuesError, TableTooLarge
from treewright.graphs import Dag, Knowledge
from treewright.learners import (
    Learned,
    LearnedNetwork,
    learn_bounded_treewidth,
    learn_chow_liu,
    learn_dag_climbing,
    learn_hill_climbing,
)
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
        By the score that decided, on the cells that are there: of the start, then of each round that counts.
    log_likelihood
        Of the cells that are there.
    start
        What the rounds began with.
    score
        Of what was learned, on the cells that are there; None where the search has no score.
    """

    learned: Learned[Any]
    model: BayesianNetwork
    counter: ExpectedCounter
    scores: tuple[float, ...]
    log_likelihood: float
    start: str
    score: float | None

    def about(self, table: Table) -> str:
        """What to say about it."""
        rounds = counted(len(self.scores) - 1, "round")
        gained = self.scores[-1] - self.scores[0]
        return (
            f"structure and tables from all {table.n_rows:,} rows, {int(is_complete(table).sum()):,} of "
            f"which miss nothing, by structural EM from {self.start} ({rounds}, which gained {gained:,.1f} "
            "nats on the cells that are there)"
        )


@dataclass(frozen=True)
class _Stand:
    """A network with its model, and what the rows say of it."""

    learned: Learned[Any]
    size: float | None  # what the score of the search takes off the likelihood
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
    adopt: Callable[[Learned[Any], Counter], Learned[Any]] | None = None,
    knowledge: Knowledge | None = None,
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
        A search that leads near the end sooner; it goes as far as its networks fit the memory.
    adopt
        Makes what `search` would return of what a start or the quick search found, and of counts as that
        expects them. Then no round lowers the score; without it the first that `search` finds is kept anyway.
    knowledge
        What starts have to obey.
    prior
        Of the tables.
    progress
        Called after each round.
    """
    refuse_empty_columns(table)
    begun = [
        (said, stand_of(table, one, None, judge, prior))
        for said, one in starts(table, quick or search, knowledge, climbs=adopt is not None)
    ]
    said, best = max(begun, key=lambda one: one[1].score)
    scores, rounds = [best.score], partial(search_on_gaps, table, judge=judge, prior=prior, progress=progress)
    if quick is not None:
        with suppress(TableTooLarge):
            best = rounds(quick, best, scores)[0]
    best, is_own = rounds(search, best, scores, keeps_first=adopt is None)
    if adopt is not None and not is_own:
        learned = adopt(best.learned, best.counter)
        best = replace(best, learned=learned, size=size_of_learned(learned, best.counter))
    observed = best.fitted.trace.log_likelihood[-1]
    score = None if best.size is None else best.size + observed
    return GapsFilled(best.learned, best.fitted.model, best.counter, tuple(scores), observed, said, score)


def search_on_gaps(
    table: Table,
    search: Search[Any],
    best: _Stand,
    scores: list[float],
    *,
    judge: Judge,
    prior: Dirichlet | None,
    progress: Progress | None,
    keeps_first: bool = False,
) -> tuple[_Stand, bool]:
    """Rounds of one search, and whether it found the network that is best now."""
    is_own = False
    for done in range(1, ROUNDS + 1):
        learned = search(best.counter)
        size, dag = size_of_learned(learned, best.counter), dag_of(learned)
        if set(dag.index_edges()) == set(best.dag.index_edges()):  # the model expects what led to it
            return replace(best, learned=learned, size=size), True
        stand = stand_of(table, learned, size, judge, prior)
        if progress is not None:
            progress(Step("rounds of structural EM", done, score=stand.score))
        is_asked = keeps_first and not is_own
        if not is_asked and stand.score <= best.score + _LEAST_GAIN * table.n_rows:
            break
        best, is_own = stand, True
        scores.append(stand.score)
        if learned.trace.stopped_by:
            break
    return best, is_own


def starts(
    table: Table, search: Search[Any], knowledge: Knowledge | None = None, *, climbs: bool = True
) -> Iterator[tuple[str, Learned[Any]]]:
    """Networks to begin with: by the pairs that are there, and what complete rows lead to."""
    there = AvailableCounter(table)
    yield "the tree of the pairs that are there", learn_chow_liu(BIC(there), knowledge=knowledge)
    climbed = learn_dag_climbing(sparse_score(there), knowledge=knowledge) if climbs else None
    if climbed is not None and affordable(price_of(climbed.dag, there)):
        yield "a climb by the pairs that are there", climbed
    kept = is_complete(table)
    if int(kept.sum()) >= _ROWS_TO_BEGIN * len(table.schema):
        yield "the complete rows", search(count(table.take(kept)))


def dag_of(learned: Learned[Any]) -> Dag:
    """The network, or a member of the class, that a learner found."""
    found: Dag = learned.dag  # type: ignore[attr-defined]
    return found


def stand_of(
    table: Table, learned: Learned[Any], size: float | None, judge: Judge, prior: Dirichlet | None = ONE_ROW
) -> _Stand:
    """The network fitted to all rows, counts as it expects them, and its score on what the rows show."""
    dag = dag_of(learned)
    fitted = fit_em(dag, table, prior=prior)
    # what is impossible in the rows at hand is expected with the weight of one imagined row
    counter = ExpectedCounter(fitted.model if prior is not None else fitted.counts.fit(), table)
    score = size_of(dag, judge(counter), counter) + fitted.trace.log_likelihood[-1]
    return _Stand(learned, size, dag, fitted, counter, score)


def size_of_learned(learned: Learned[Any], counter: Counter) -> float | None:
    """What the score of a search took off the likelihood of the counts that it searched with."""
    return None if learned.score is None else learned.score - LogLikelihood(counter).score(dag_of(learned))


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
    """The default for rows with gaps."""
    filled = fill_suitably(table, options)
    assert isinstance(filled.learned, LearnedAutomatically)
    return filled.learned, filled.model, [filled.about(table)]


def fill_suitably(
    table: Table,
    options: dict[str, Any],
    run: Callable[[Search[Any], Counter], Learned[Any]] = lambda search, counter: search(counter),
) -> GapsFilled:
    """Climbs first, then what suits the table; the clock is that of all. `run` makes each search."""
    clock, known, bound = Clock(options["seconds"]), options["knowledge"], options["treewidth"]

    def search(counter: Counter) -> LearnedAutomatically:
        left = None if clock.seconds is None else max(clock.left, clock.seconds / 16)
        return learn_suited(counter, **{**options, "seconds": left})

    def quick(counter: Counter) -> LearnedNetwork[Dag]:
        score = sparse_score(counter)
        if bound is not None:  # which keeps expectations cheap
            return learn_bounded_treewidth(score, treewidth=bound, effort=0, knowledge=known)
        return learn_hill_climbing(score, effort=0, knowledge=known)

    def adopt(learned: Learned[Any], counter: Counter) -> LearnedAutomatically:
        assert isinstance(learned, LearnedNetwork)
        said = {"knowledge": known, "progress": options["progress"]}
        chance, score = options["rng"], sparse_score(counter)
        return narrow_enough(counter, [learned], score, bound, clock=clock, rng=chance, **said)

    filled = fill_gaps(
        table,
        partial(run, search),
        sparse_score,
        quick=quick,
        adopt=adopt,
        knowledge=known,
        progress=options["progress"],
    )
    return replace(filled, learned=replace(filled.learned, score=filled.score))
