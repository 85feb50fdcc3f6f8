"""Structural EM: a structure from rows with gaps, by counts as a model expects them (Friedman 1997).

Each round works out what the gaps are expected to hold under the present model, searches with those counts as
with any others, and fits the structure that was found to all rows by EM. It ends when the score on what the
rows show stops rising. That score is Cheeseman & Stutz's (1996): the score of the expected counts, with their
likelihood taken out and that of the cells that are there put in. Without gaps it is the score itself.

A narrow network keeps the expectations cheap: under a bound on the width the table of a family costs no more
than a clique, one across cliques no more than what the row leaves open between them. For trees a round is
exact: no tree has a better expected score (Meila & Jordan 2000).

Rounds begin at the tree of the pairs that are there, at a climb by them, and at what complete rows lead to.
What a model expects favours what it joins already, so where rounds begin tells where they end. A quick
search, where there is one, goes on from each start, since most of the way needs no second opinions; the best
end counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from treewright.automatic.clock import Clock
from treewright.automatic.price import affordable, price_of
from treewright.automatic.rows import is_complete
from treewright.automatic.search import (
    LearnedAutomatically,
    Source,
    learn_suited,
    make_sparse_score_of,
    narrow_enough,
)
from treewright.criteria import BIC, GaussianBIC, LocalScore, LogLikelihood, MixedBIC
from treewright.criteria.scores.edge_prior import make_sparse_score
from treewright.errors import TableTooLarge
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.learners import (
    Learned,
    LearnedNetwork,
    learn_bounded_mixed,
    learn_bounded_treewidth,
    learn_chow_liu,
    learn_dag_climbing,
    learn_hill_climbing,
    learn_mixed,
)
from treewright.models import BayesianNetwork, Dirichlet, ExpectedCounter, fit_em
from treewright.models.discrete.family_counts import ONE_ROW
from treewright.models.mixed.lines import parents_by_kind
from treewright.statistics import AvailableCounter, Counter, MixedMoments, Moments, count
from treewright.statistics.gaps.expected_moments import refuse_empty_columns
from treewright.tables import Table
from treewright.tables.exports import counted
from treewright.types import Progress, Step

Found = TypeVar("Found", bound=Learned[Any])
Model = TypeVar("Model")
Facts = TypeVar("Facts", bound=Counter | Moments | MixedMoments)
Search = Callable[[Facts], Found]
Judge = Callable[[Facts], LocalScore]

ROUNDS = 12  # of each search at most; few take more than four
_LEAST_GAIN = 1e-6  # nats per row
# Fewer complete rows than these for each variable say too little to begin with.
_ROWS_TO_BEGIN = 5


@dataclass(frozen=True)
class GapsFilled(Generic[Model, Facts]):
    """What structural EM ended with.

    Attributes
    ----------
    learned
        What the search found in the counts that the model before expects.
    model
        The network, fitted to all rows.
    counter
        Counts, or moments, as this model expects them.
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
    model: Model
    counter: Facts
    scores: tuple[float, ...]
    log_likelihood: float
    start: str
    score: float | None

    def about(self, table: Table) -> str:
        """What to say about it."""
        rounds = counted(len(self.scores) - 1, "round")
        gained = self.scores[-1] - self.scores[0]
        made = {Moments: "structure and lines", MixedMoments: "structure, tables and lines"}
        every = [said for kind, said in made.items() if isinstance(self.counter, kind)]
        whole, what = int(is_complete(table).sum()), (*every, "structure and tables")[0]
        return (
            f"{what} from all {table.n_rows:,} rows, {whole:,} of which miss nothing, by structural EM from "
            f"{self.start} ({rounds}, which gained {gained:,.1f} nats on the cells that are there)"
        )


@dataclass(frozen=True)
class Explained(Generic[Model, Facts]):
    """A network fitted to all rows, what it expects of them, and the log-likelihood of what they show."""

    model: Model
    counter: Facts
    log_likelihood: float


class Gaps(Protocol[Model, Facts]):
    """Rows with gaps, as rounds ask of them: labels with counts, or numbers with moments."""

    @property
    def table(self) -> Table: ...

    def there(self) -> Source:
        """Of what is there, whichever rows show it."""

    def whole(self, rows: Table) -> Source:
        """Of rows that miss nothing."""

    def explain(self, dag: Dag, facts: Facts | None) -> Explained[Model, Facts]:
        """The network fitted to all rows; `facts` is what it was found by, where that is of all rows too."""


@dataclass(frozen=True)
class LabelsWithGaps:
    """Rows of labels, and the prior of their tables."""

    table: Table
    prior: Dirichlet | None = ONE_ROW

    def there(self) -> AvailableCounter:
        return AvailableCounter(self.table)

    def whole(self, rows: Table) -> Counter:
        return count(rows)

    def explain(
        self, dag: Dag, facts: ExpectedCounter | None = None
    ) -> Explained[BayesianNetwork, ExpectedCounter]:
        fitted = fit_em(dag, self.table, prior=self.prior)
        # what is impossible in the rows at hand is expected with the weight of one imagined row
        model = fitted.model if self.prior is not None else fitted.counts.fit()
        return Explained(fitted.model, ExpectedCounter(model, self.table), fitted.trace.log_likelihood[-1])


@dataclass(frozen=True)
class _Stand(Generic[Model, Facts]):
    """A network with its model, and what the rows say of it."""

    learned: Learned[Any]
    size: float | None  # what the score of the search takes off the likelihood
    dag: Dag
    seen: Explained[Model, Facts]
    score: float


def fill_gaps(
    table: Table,
    search: Search[Counter, Any],
    judge: Judge[Counter] = BIC,
    *,
    quick: Search[Counter, Any] | None = None,
    adopt: Callable[[Learned[Any], Counter], Learned[Any]] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    prior: Dirichlet | None = ONE_ROW,
    progress: Progress | None = None,
) -> GapsFilled[BayesianNetwork, ExpectedCounter]:
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
    said: dict[str, Any] = {"quick": quick, "adopt": adopt, "knowledge": knowledge, "progress": progress}
    return fill(LabelsWithGaps(table, prior), search, judge, **said)


def fill(
    gaps: Gaps[Model, Facts],
    search: Search[Any, Any],
    judge: Judge[Any],
    *,
    quick: Search[Any, Any] | None = None,
    adopt: Callable[[Learned[Any], Any], Learned[Any]] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> GapsFilled[Model, Facts]:
    """The same for rows of any kind, as :func:`fill_gaps`."""
    refuse_empty_columns(gaps.table)
    rounds = partial(search_on_gaps, gaps, judge=judge, progress=progress)
    ended = []
    for said, one in starts(gaps, quick or search, knowledge, climbs=adopt is not None):
        stand = stand_of(gaps, one, None, judge)
        scores = [stand.score]
        if quick is not None:
            with suppress(TableTooLarge):
                stand = rounds(quick, stand, scores)[0]
        ended.append((said, stand, scores))
    said, best, scores = max(ended, key=lambda one: one[1].score)
    best, is_own = rounds(search, best, scores, keeps_first=adopt is None)
    seen = best.seen
    if adopt is not None and not is_own:
        learned = adopt(best.learned, seen.counter)
        best = replace(best, learned=learned, size=size_of_learned(learned, seen.counter))
    score = None if best.size is None else best.size + seen.log_likelihood
    return GapsFilled(best.learned, seen.model, seen.counter, tuple(scores), seen.log_likelihood, said, score)


def search_on_gaps(
    gaps: Gaps[Model, Facts],
    search: Search[Any, Any],
    best: _Stand[Model, Facts],
    scores: list[float],
    *,
    judge: Judge[Any],
    progress: Progress | None,
    keeps_first: bool = False,
) -> tuple[_Stand[Model, Facts], bool]:
    """Rounds of one search, and whether it found the network that is best now."""
    is_own = False
    for done in range(1, ROUNDS + 1):
        learned = search(best.seen.counter)
        size, dag = size_of_learned(learned, best.seen.counter), dag_of(learned)
        if set(dag.index_edges()) == set(best.dag.index_edges()):  # the model expects what led to it
            return replace(best, learned=learned, size=size), True
        stand = stand_of(gaps, learned, size, judge, best.seen.counter)
        if progress is not None:
            progress(Step("rounds of structural EM", done, score=stand.score))
        is_asked = keeps_first and not is_own
        if not is_asked and stand.score <= best.score + _LEAST_GAIN * gaps.table.n_rows:
            break
        best, is_own = stand, True
        scores.append(stand.score)
        if learned.trace.stopped_by:
            break
    return best, is_own


def starts(
    gaps: Gaps[Any, Any],
    search: Search[Any, Any],
    knowledge: Knowledge | BoundKnowledge | None = None,
    *,
    climbs: bool = True,
) -> Iterator[tuple[str, Learned[Any]]]:
    """Networks to begin with: by the pairs that are there, and what complete rows lead to."""
    there, table = gaps.there(), gaps.table
    if isinstance(there, MixedMoments):
        only: dict[str, Any] = {"max_parents": 1, "perturbations": 0, "knowledge": knowledge}
        yield "the columns by themselves", learn_mixed(MixedBIC(there), **only)
    else:
        score = GaussianBIC(there) if isinstance(there, Moments) else BIC(there)
        yield "the tree of the pairs that are there", learn_chow_liu(score, knowledge=knowledge)
        climbed = learn_dag_climbing(make_sparse_score(there), knowledge=knowledge) if climbs else None
        if climbed is not None and affordable(price_of(climbed.dag, there)):
            yield "a climb by the pairs that are there", climbed
    kept = is_complete(table)
    if int(kept.sum()) >= _ROWS_TO_BEGIN * len(table.schema):
        yield "the complete rows", search(gaps.whole(table.take(kept)))


def dag_of(learned: Learned[Any]) -> Dag:
    """The network, or a member of the class, that a learner found."""
    found: Dag = learned.dag  # type: ignore[attr-defined]
    return found


def stand_of(
    gaps: Gaps[Model, Facts],
    learned: Learned[Any],
    size: float | None,
    judge: Judge[Any],
    facts: Facts | None = None,
) -> _Stand[Model, Facts]:
    """The network fitted to all rows, what it expects of them, and its score on what they show."""
    dag = dag_of(learned)
    seen = gaps.explain(dag, facts)
    score = size_of(dag, judge(seen.counter), seen.counter) + seen.log_likelihood
    return _Stand(learned, size, dag, seen, score)


def size_of_learned(learned: Learned[Any], counter: Source) -> float | None:
    """What the score of a search took off the likelihood of the counts that it searched with."""
    return None if learned.score is None else learned.score - likelihood_of(dag_of(learned), counter)


def size_of(dag: Dag, score: LocalScore, counter: Source) -> float:
    """What a score takes off the likelihood."""
    return score.score(dag) - likelihood_of(dag, counter)


def likelihood_of(dag: Dag, counter: Source) -> float:
    """The log-likelihood of counts or moments; that of lines is their BIC without what BIC takes off."""
    if isinstance(counter, Moments):
        n_parameters = 2 * len(dag.schema) + dag.n_edges
        return GaussianBIC(counter).score(dag) + 0.5 * math.log(counter.n) * n_parameters
    if not isinstance(counter, MixedMoments):
        return LogLikelihood(counter).score(dag)
    lines = [parents_by_kind(dag, v) for v, one in enumerate(dag.schema) if not one.is_discrete]
    n_parameters = sum(
        math.prod(dag.schema.cardinalities[v] for v in states) * (len(numbers) + 2)
        for states, numbers in lines
    )
    bic = MixedBIC(counter, states=LogLikelihood)
    return bic.score(dag) + 0.5 * math.log(counter.n) * n_parameters


def learn_available(table: Table, options: dict[str, Any]) -> LearnedAutomatically:
    """The quick way: a climb among networks, each family from the rows that show it.

    Equivalent networks do not score alike then, so it is networks that are compared, not classes.
    """
    counter = AvailableCounter(table)
    score, clock = make_sparse_score(counter), Clock(options["seconds"])
    common = {"knowledge": options["knowledge"], "progress": options["progress"]}
    climbed = learn_dag_climbing(score, **common)
    bound, chance = options["treewidth"], options["rng"]
    return narrow_enough(counter, [climbed], score, bound, clock=clock, rng=chance, **common)


def learn_with_gaps(
    table: Table, options: dict[str, Any]
) -> tuple[LearnedAutomatically, BayesianNetwork, list[str]]:
    """The default for rows with gaps."""
    filled = fill_suitably(LabelsWithGaps(table), options)
    assert isinstance(filled.learned, LearnedAutomatically)
    return filled.learned, filled.model, [filled.about(table)]


def fill_suitably(
    gaps: Gaps[Model, Facts],
    options: dict[str, Any],
    run: Callable[[Search[Any, Any], Any], Learned[Any]] = lambda search, counter: search(counter),
) -> GapsFilled[Model, Facts]:
    """Climbs first, then what suits the table; the clock is that of all. `run` makes each search."""
    clock, known, bound = Clock(options["seconds"]), options["knowledge"], options["treewidth"]

    def search(counter: Source) -> LearnedAutomatically:
        left = None if clock.seconds is None else max(clock.left, clock.seconds / 16)
        return learn_suited(counter, **{**options, "seconds": left})

    def quick(counter: Source) -> LearnedNetwork[Dag]:
        score = make_sparse_score_of(counter)
        if isinstance(counter, MixedMoments):
            some: dict[str, Any] = {"perturbations": 0, "knowledge": known}
            if bound is not None:
                return learn_bounded_mixed(score, treewidth=bound, **some)
            return learn_mixed(score, **some)
        if bound is not None:  # which keeps expectations cheap
            return learn_bounded_treewidth(score, treewidth=bound, effort=0, knowledge=known)
        return learn_hill_climbing(score, effort=0, knowledge=known)

    def adopt(learned: Learned[Any], counter: Source) -> LearnedAutomatically:
        assert isinstance(learned, LearnedNetwork)
        said = {"knowledge": known, "progress": options["progress"]}
        chance, score = options["rng"], make_sparse_score_of(counter)
        return narrow_enough(counter, [learned], score, bound, clock=clock, rng=chance, **said)

    filled = fill(
        gaps,
        partial(run, search),
        make_sparse_score_of,
        quick=quick,
        adopt=adopt,
        knowledge=known,
        progress=options["progress"],
    )
    return replace(filled, learned=replace(filled.learned, score=filled.score))
