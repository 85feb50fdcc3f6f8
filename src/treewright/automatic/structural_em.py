"""Structural EM: a structure from rows with gaps, by counts as a model expects them (Friedman 1997).

Each round works out what the gaps are expected to hold under the present model, searches with those counts as
with any others, and fits the structure that was found to all rows by EM. It ends when the score on what the
rows show stops rising. That score is Cheeseman & Stutz's (1996): the score of the expected counts, with their
likelihood taken out and that of the cells that are there put in. Without gaps it is the score itself.

A narrow network keeps the expectations cheap: under a bound on the width no part of a row costs more than a
clique. For trees a round is exact: no tree has a better expected score (Meila & Jordan 2000).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from treewright.criteria import LocalScore, LogLikelihood
from treewright.errors import MissingValuesError
from treewright.graphs import Dag
from treewright.learners import LearnedNetwork, learn_chow_liu
from treewright.models import BayesianNetwork, fit_em
from treewright.models.fitting.em import FittedByEm
from treewright.models.fitting.expected import ExpectedCounter
from treewright.automatic.rows import is_complete
from treewright.statistics import AvailableCounter, Counter, count
from treewright.tables import Table
from treewright.tables.exports import counted
from treewright.types import Progress, Step

Search = Callable[[Counter], LearnedNetwork[Any]]
Judge = Callable[[Counter], LocalScore]

ROUNDS = 20  # at most; few take more than six
_LEAST_GAIN = 1e-6  # nats per row
_FIRST_FIT = 20  # rounds of EM for a network that is only a start
# Fewer complete rows than these for each variable say too little to begin with.
_ROWS_TO_BEGIN = 5


@dataclass(frozen=True)
class GapsFilled:
    """What structural EM ended with.

    Attributes
    ----------
    learned
        What the search found in the last expected counts but one.
    model
        The network, fitted to all rows.
    counter
        Counts as this model expects them.
    scores
        Of what the rows show: of the start, then after every round; the best is the model's.
    start
        What the rounds began with.
    """

    learned: LearnedNetwork[Any]
    model: BayesianNetwork
    counter: ExpectedCounter
    scores: tuple[float, ...]
    log_likelihood: float
    start: str

    def about(self, table: Table) -> str:
        """What to say about it."""
        return (
            f"structure and tables from all {table.n_rows:,} rows, {int(is_complete(table).sum()):,} of which "
            f"miss nothing, by structural EM from {self.start} ({counted(len(self.scores) - 1, 'round')}; "
            f"score on the cells that are there {self.scores[0]:,.1f} at first, {max(self.scores):,.1f} now)"
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
    search: Search,
    judge: Judge | None = None,
    *,
    progress: Progress | None = None,
) -> GapsFilled:
    """Search, by counts as they are expected, until the score on what the rows show stops rising.

    Parameters
    ----------
    table
        Rows of discrete columns, read with `missing="em"`; some cell is missing, and no column misses all.
    search
        From counts to a network: any learner of the house.
    judge
        From counts to the score that decides when to end; BIC by default.
    """
    refuse_empty_columns(table)
    score = judge or _bic
    begins = [
        (said, stand_of(table, dag, score, iterations=_FIRST_FIT)) for said, dag in starts(table, search)
    ]
    said, best = max(begins, key=lambda one: one[1].score)
    scores, found = [best.score], None
    seen = {tuple(best.dag.index_edges())}
    while len(scores) <= ROUNDS:
        learned = search(best.counter)
        arcs = tuple(learned.dag.index_edges())
        if found is not None and arcs in seen:
            break
        seen.add(arcs)
        stand = stand_of(table, learned.dag, score)
        scores.append(stand.score)
        if progress is not None:
            progress(Step("rounds of structural EM", len(scores) - 1, score=stand.score))
        if found is not None and stand.score <= best.score + _LEAST_GAIN * table.n_rows:
            break
        best, found = stand, learned
    assert found is not None
    return GapsFilled(
        found, best.fitted.model, best.counter, tuple(scores), best.fitted.trace.log_likelihood[-1], said
    )


def starts(table: Table, search: Search) -> Iterator[tuple[str, Dag]]:
    """Networks to begin with: the tree of the pairs that are there, and what complete rows lead to."""
    yield "the tree of the pairs that are there", learn_chow_liu(_bic(AvailableCounter(table))).dag
    kept = is_complete(table)
    if int(kept.sum()) >= _ROWS_TO_BEGIN * len(table.schema):
        yield "the complete rows", search(count(table.take(kept))).dag


def stand_of(table: Table, dag: Dag, judge: Judge, **options: Any) -> _Stand:
    """The network fitted to all rows, counts as it expects them, and its score on what the rows show."""
    fitted = fit_em(dag, table, **options)
    counter = ExpectedCounter(fitted.model, table)
    price = judge(counter).score(dag) - LogLikelihood(counter).score(dag)
    return _Stand(dag, fitted, counter, price + fitted.trace.log_likelihood[-1])


def refuse_empty_columns(table: Table) -> None:
    """Refuse a column without a single cell: nothing could be expected of it."""
    empty = [table.schema.names[v] for v, mask in table.missing.items() if bool(mask.all())]
    if empty:
        raise MissingValuesError(
            f"{empty[0]!r} misses every cell, so no row says anything about it; leave it out"
        )


def _bic(counter: Counter) -> LocalScore:
    from treewright.criteria import BIC

    return BIC(counter)
