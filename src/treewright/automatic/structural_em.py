"""Structural EM: a structure from rows with gaps, by counts as a model expects them (Friedman 1997).

Each round works out what the gaps are expected to hold under the present model, searches with those counts as
with any others, and fits the structure that was found to all rows by EM. It ends when the score on what the
rows show stops rising. That score is Cheeseman & Stutz's (1996): the score of the expected counts, with their
likelihood taken out and that of the cells that are there put in. Without gaps it is the score itself.

A narrow network keeps the expectations cheap: under a bound on the width the table of a family costs no more
than a clique, one across cliques no more than what the row leaves open between them. For trees a round is
exact: no tree has a better expected score (Meila & Jordan 2000).

Rounds begin at what tests of the cells that are there leave, at the tree of their pairs and at what complete
rows lead to (gap_starts.py). A round searches from nothing, from the network it has and, since what a model
does not join looks weaker in what it expects, in counts enlarged by as much; the network whose score on the
cells that are there is best goes on. Parameters cost what the rows that show them can tell (gap_prices.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from treewright.automatic.clock import Clock
from treewright.automatic.gap_prices import Enlarged, likelihood_of, price_shown, share_of_pairs
from treewright.automatic.gap_starts import list_starts
from treewright.automatic.rows import is_complete
from treewright.automatic.search import (
    LearnedAutomatically,
    Source,
    learn_suited,
    make_sparse_score_of,
    narrow_enough,
)
from treewright.criteria import BIC, LocalScore
from treewright.criteria.scores.edge_prior import make_sparse_score
from treewright.errors import TableTooLarge
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.learners import (
    Learned,
    LearnedNetwork,
    learn_bounded_mixed,
    learn_bounded_treewidth,
    learn_dag_climbing,
    learn_hill_climbing,
    learn_mixed,
)
from treewright.models import BayesianNetwork, Dirichlet, ExpectedCounter, fit_em
from treewright.models.discrete.family_counts import ONE_ROW
from treewright.once import cached_property
from treewright.statistics import AvailableCounter, Counter, MixedMoments, Moments, count
from treewright.statistics.gaps.expected_moments import refuse_empty_columns
from treewright.tables import Table
from treewright.tables.exports import counted
from treewright.types import Progress, Step

Found = TypeVar("Found", bound=Learned[Any])
Model = TypeVar("Model")
Facts = TypeVar("Facts", bound=Counter | Moments | MixedMoments)
Search = Callable[[Facts], Found]
Near = Callable[[Facts, Dag], Sequence[Learned[Any]]]
Judge = Callable[[Facts], LocalScore]

ROUNDS = 12  # of each search at most; few take more than four
_LEAST_GAIN = 1e-6  # nats per row


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

    @property
    def shown(self) -> float:
        """The share of the rows that shows two columns, on average."""

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

    @cached_property
    def shown(self) -> float:
        return share_of_pairs(self.table)

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
    near: Near[Counter] | None = None,
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
    near
        Beside the quick one, searches that begin at the network of the round before.
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
    said: dict[str, Any] = {"quick": quick, "near": near, "adopt": adopt}
    said |= {"knowledge": knowledge, "progress": progress}
    return fill(LabelsWithGaps(table, prior), search, judge, **said)


def fill(
    gaps: Gaps[Model, Facts],
    search: Search[Any, Any],
    judge: Judge[Any],
    *,
    quick: Search[Any, Any] | None = None,
    near: Near[Any] | None = None,
    adopt: Callable[[Learned[Any], Any], Learned[Any]] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> GapsFilled[Model, Facts]:
    """The same for rows of any kind, as :func:`fill_gaps`."""
    refuse_empty_columns(gaps.table)
    rounds = partial(search_on_gaps, gaps, judge=judge, progress=progress)
    ended = []
    begins = (gaps.table, gaps.there(), gaps.whole, quick or search, knowledge)
    for said, one in list_starts(*begins, climbs=adopt is not None):
        stand = stand_of(gaps, one, None, judge)
        scores = [stand.score]
        if quick is not None:
            with suppress(TableTooLarge):
                stand = rounds(quick, stand, scores, near=near)[0]
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
    near: Near[Facts] | None = None,
) -> tuple[_Stand[Model, Facts], bool]:
    """Rounds of one search, and whether it found the network that is best now.

    Of what it found and what is near, the network with the best score on the cells that are there goes on.
    """
    is_own = False
    for done in range(1, ROUNDS + 1):
        facts, known = best.seen.counter, {frozenset(best.dag.index_edges())}
        found, stands = [search(facts), *(near(facts, best.dag) if near else ())], []
        for learned in found:
            size, dag = size_of_learned(learned, facts), dag_of(learned)
            arcs = frozenset(dag.index_edges())
            if arcs not in known:
                stands.append(stand_of(gaps, learned, size, judge, facts))
            elif len(found) == 1:  # the model expects what led to it
                return replace(best, learned=learned, size=size), True
            known.add(arcs)
        stand = max(stands, key=lambda one: one.score, default=best)
        if progress is not None:
            progress(Step("rounds of structural EM", done, score=stand.score))
        is_asked = keeps_first and not is_own
        if not is_asked and stand.score <= best.score + _LEAST_GAIN * gaps.table.n_rows:
            break
        best, is_own = stand, True
        scores.append(stand.score)
        if stand.learned.trace.stopped_by:
            break
    return best, is_own


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
    score = price_shown(dag, judge(seen.counter), seen.counter, gaps.shown) + seen.log_likelihood
    return _Stand(learned, size, dag, seen, score)


def size_of_learned(learned: Learned[Any], counter: Source) -> float | None:
    """What the score of a search took off the likelihood of the counts that it searched with."""
    return None if learned.score is None else learned.score - likelihood_of(dag_of(learned), counter)


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


def climb_on(
    gaps: Gaps[Any, Any], knowledge: Knowledge | BoundKnowledge | None, facts: Source, present: Dag
) -> list[Learned[Any]]:
    """Climbs from the present network, by what is expected and by that enlarged.

    Two columns that the model does not join look independent in every row that does not show both. So an edge
    gains about the square of that share of what it is worth, and the share of it on the cells that are there:
    with counts enlarged by the inverse it pays its price where it should.
    """
    if isinstance(facts, MixedMoments):
        return []
    times = 1 / gaps.shown
    enlarged: list[Any] = [] if isinstance(facts, Moments) else [Enlarged(facts, times)]
    climb = partial(learn_hill_climbing, effort=0, knowledge=knowledge, start=present)
    return [climb(make_sparse_score(one)) for one in (facts, *enlarged)]


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
        near=partial(climb_on, gaps, known) if bound is None else None,
        adopt=adopt,
        knowledge=known,
        progress=options["progress"],
    )
    return replace(filled, learned=replace(filled.learned, score=filled.score))
