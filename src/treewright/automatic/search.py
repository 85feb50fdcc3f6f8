"""Which network to take, where nobody says how it is to be learned.

*Searching.* The search of :func:`~treewright.learn_knots`, under the score that the rows choose, makes few
errors; no search finds the best network everywhere. So there is a second one under the same score, a climb
from a network of small width, which goes another way through the classes. The better score counts. Odds below
ten to one (ln 10 nats) tell nobody which of two classes is right: then the one with fewer arrows is taken,
since it claims less.

*Arrows.* One weak edge can make a v-structure that directs a whole region. So the best network is searched on
with edges at two and three times their price, where weak ones go. What is left is taken if the score loses
fewer bits than there are arrows that became lines, less two for each edge that went: a direction is a claim
of one bit, and an edge should go only if it stood for many.

*Width.* Exact answers cost what a chordal cover of the network costs. If they fit the memory limit and take
about a second, the network stays as it is; if not, a search under a bound, with the same score, begins at it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright.automatic.clock import Clock
from treewright.automatic.price import Price, affordable, bound_for, price_of
from treewright.criteria import GroupedScore, LocalScore, make_sparse_mixed_score
from treewright.criteria.scores.edge_prior import EdgePrior, make_sparse_score
from treewright.criteria.scores.native_scores import without_price
from treewright.errors import TreewidthError
from treewright.graphs import BoundKnowledge, ClusteredDag, Dag, JunctionTree, Knowledge, bind_knowledge
from treewright.learners import (
    Certified,
    LearnedKnots,
    LearnedNetwork,
    ScoreChoice,
    Trace,
    learn_bounded_mixed,
    learn_bounded_treewidth,
    learn_chow_liu,
    learn_hill_climbing,
    learn_knots,
    learn_mixed,
)
from treewright.learners.learned import keeping
from treewright.ranges import in_range
from treewright.statistics import Counter, MixedMoments, Moments
from treewright.tables.exports import counted
from treewright.types import Progress

Source = Counter | Moments | MixedMoments
CLOSE = math.log(10)  # nats: odds of ten to one, from which on Jeffreys calls evidence strong
_BIT = math.log(2)  # nats: what a direction claims
_DEARER = (2, 3)  # times the price of an edge, where weak ones go
_CHANGES_BY_CHANCE = 4  # of a mixed network under a bound, in a row without a gain
_WIDTH_OF_START = 4  # of the narrow network that one of the searches begins at


@dataclass(frozen=True)
class LearnedAutomatically(LearnedNetwork[Dag]):
    """A network of certified width, and why it is this one.

    Attributes
    ----------
    certificate
        Clusters that prove its treewidth.
    reason
        Why it was learned so, in one sentence.
    criterion
        The name of the score that was maximised.
    choice
        That score, and what it was chosen from.
    price
        What an exact answer costs.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    >>> learned = learn_suited(tw.count(table))
    >>> learned.criterion, learned.certificate.width
    ('sparse-bdeu, ess 1', 2)
    """

    certificate: JunctionTree = field(kw_only=True)
    score: float = field(kw_only=True)
    reason: str = field(kw_only=True)
    criterion: str = field(kw_only=True)
    price: Price = field(kw_only=True)
    choice: ScoreChoice | None = field(default=None, kw_only=True, repr=False, compare=False)


@in_range
def learn_suited(
    source: Source,
    *,
    score: LocalScore | None = None,
    treewidth: int | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    rng: np.random.Generator | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> LearnedAutomatically:
    """Learn the network that suits these rows, narrow enough for exact answers.

    Parameters
    ----------
    source
        Counts of discrete variables, moments of continuous ones, or those of both together.
    score
        What to maximise; by default the rows choose.
    treewidth
        The network may not be wider; by default exact answers decide, which have to fit the memory limit and
        to take about a second. The width of numbers among labels is that of eliminating the numbers first.
    knowledge
        Arcs that are required or forbidden.
    rng
        For the search under a bound, where there is one; by default a generator seeded with 0.
    seconds
        Searching ends after so many seconds with the best that was found; ``trace.stopped_by`` is then
        ``"seconds"``. A bound on the width, where one is needed, may take half of that again.
    progress
        Called after each phase of a search.
    """
    if treewidth is not None and treewidth < 1:
        raise TreewidthError(f"treewidth= is a bound of at least 1, the width of a tree; found {treewidth!r}")
    clock = Clock(seconds)
    bind_knowledge(knowledge, source.schema)  # which refuses names that are not there
    options: dict[str, Any] = {"knowledge": knowledge, "progress": progress}
    rivals, stopped = rivals_in_time(source, score, clock, options)
    found = narrow_enough(source, rivals, score, treewidth, clock=clock, rng=rng, **options)
    if stopped:
        return replace(found, trace=replace(found.trace, stopped_by="seconds"))
    return found


def narrow_enough(
    source: Source,
    rivals: list[LearnedNetwork[Any]],
    score: LocalScore | None,
    treewidth: int | None,
    *,
    clock: Clock,
    rng: np.random.Generator | None,
    **options: Any,
) -> LearnedAutomatically:
    """The most plausible network, searched on under a bound where exact answers need one."""
    whole = settled(source, rivals, score, treewidth)
    assert whole is not None
    bound = bound_for(whole.price, treewidth)
    narrowed = whole
    with keeping(
        lambda found: narrowed if found is None else settled(source, rivals, score, treewidth, found)
    ):
        while bound is not None:
            judge = choice_of(rivals[0], score, source).score
            begin: dict[str, Any] = {"begin": whole.structure, "clock": clock, "rng": rng}
            found = search_within(source, judge, bound, **begin, **options)
            narrowed = settled(source, rivals, score, treewidth, found) or whole
            cheap = bound == 1 or affordable(narrowed.price)
            bound = None if cheap else min(bound - 1, bound_for(narrowed.price, bound - 1) or 1)
    return narrowed


def search_within(
    source: Source, score: LocalScore, bound: int, *, begin: Dag, clock: Clock, **options: Any
) -> Certified:
    """A search under a bound; of numbers among labels one that begins anew."""
    if isinstance(source, MixedMoments):
        times = 0 if clock.ran_out else _CHANGES_BY_CHANCE
        return learn_bounded_mixed(score, treewidth=bound, perturbations=times, **options)
    left = None if clock.seconds is None else max(clock.left, clock.seconds / 2)
    return learn_bounded_treewidth(score, treewidth=bound, start=begin, seconds=left, **options)


def rivals_in_time(
    source: Source, score: LocalScore | None, clock: Clock, options: dict[str, Any]
) -> tuple[list[LearnedNetwork[Any]], bool]:
    """Networks to choose from, and whether time ran out before all were found."""
    rivals: list[LearnedNetwork[Any]] = []

    def with_last(found: LearnedNetwork[Any] | None) -> LearnedAutomatically | None:
        rivals.extend(filter(None, [found]))
        return settled(source, rivals, score, None)

    heard = {**options, "progress": clock.listening(options["progress"])}
    try:
        with clock.interrupting(), keeping(with_last):
            for found in searches(source, score, heard):
                rivals.append(found)
                if clock.ran_out:
                    return rivals, True
    except KeyboardInterrupt:
        if not clock.ran_out:
            raise
        quick = learn_numbers_alone if isinstance(source, MixedMoments) else learn_chow_liu
        return rivals or [quick(choice_of(None, score, source).score, **options)], True
    return rivals, False


def learn_numbers_alone(score: LocalScore, **options: Any) -> LearnedNetwork[Any]:
    """What there was time for of a mixed table: a network without arcs but those that are required."""
    return learn_mixed(score, max_parents=0, perturbations=0, **options)


def searches(
    source: Source, score: LocalScore | None, options: dict[str, Any]
) -> Iterator[LearnedNetwork[Any]]:
    """Networks to choose from: the search of knots, then its rivals; of a mixed table its own."""
    if isinstance(source, MixedMoments):
        yield learn_mixed(choice_of(None, score, source).score, **options)
        return
    if score is not None and not score.is_score_equivalent:  # classes mean nothing to it
        yield learn_hill_climbing(score, **options)
        return
    knots = learn_knots(source, score=score, **options)
    yield knots
    best = choice_of(knots, score, source).score
    narrow = learn_bounded_treewidth(best, treewidth=_WIDTH_OF_START, effort=0, **options)
    climbed = learn_hill_climbing(best, start=narrow.structure, **options)
    yield climbed
    begin = (knots, climbed)[highest([knots, climbed], [knots.score, climbed.score])].structure
    price = without_price(best)[1]
    for times in _DEARER if price else ():
        yield learn_hill_climbing(EdgePrior(best, (times - 1) * price), start=begin, effort=0, **options)


def choice_of(first: LearnedNetwork[Any] | None, score: LocalScore | None, source: Source) -> ScoreChoice:
    """The score that networks were searched for with, and how it was chosen."""
    if isinstance(first, LearnedKnots) and first.choice is not None:
        return first.choice
    if score is not None:
        return ScoreChoice(repr(score), score, {})
    name = "sparse-gaussian-bic" if isinstance(source, Moments) else "sparse-qnml"
    if isinstance(source, MixedMoments):
        name = "sparse-mixed-bic"
    return ScoreChoice(name, make_sparse_score_of(source), {})  # before there was time to choose


def make_sparse_score_of(source: Source) -> LocalScore:
    """The score with a price for every edge, of whatever the columns are."""
    return make_sparse_mixed_score(source) if isinstance(source, MixedMoments) else make_sparse_score(source)


def settled(
    source: Source,
    rivals: list[LearnedNetwork[Any]],
    score: LocalScore | None,
    treewidth: int | None,
    narrowed: Certified | None = None,
) -> LearnedAutomatically | None:
    """The most plausible network, or the narrower one made of it; with its score, its cost and the reason."""
    if not rivals:
        return None
    choice = choice_of(rivals[0], score, source)
    best = rivals[0] if len(rivals) == 1 else most_plausible(rivals, choice.score)
    price = paid = price_of(best.structure, source)
    final: LearnedNetwork[Any] = best
    if narrowed is not None:
        final, paid = narrowed, price_of(narrowed.structure, source, narrowed.certificate)
    phases = [phase for one in (*rivals, *([narrowed] if narrowed else [])) for phase in one.trace.phases]
    return LearnedAutomatically(
        with_map(final, rivals[0]),
        Trace(tuple(phases), final.trace.stopped_by),
        certificate=paid.certificate,
        score=choice.score.score(final.structure),
        notes=tuple(dict.fromkeys(note for one in (best, final) for note in remarks_of(one))),
        reason=reason_for(source, choice, len(rivals), (price, paid), treewidth),
        criterion=choice.name,
        price=paid,
        choice=choice,
    )


def most_plausible(rivals: list[LearnedNetwork[Any]], score: LocalScore) -> LearnedNetwork[Any]:
    """The better of the first two, or a later one whose further undirected edges outweigh its loss."""
    values = [score.score(one.structure) for one in rivals]

    def worth(i: int) -> float:
        lines = len(rivals[i].pattern.undirected_edges())
        return values[i] + _BIT * (lines + 2 * int(rivals[i].structure.n_edges))

    return rivals[max([highest(rivals[:2], values[:2]), *range(2, len(rivals))], key=worth)]


def highest(rivals: list[LearnedNetwork[Any]], values: list[float]) -> int:
    """The position of the best value; of those too close to tell apart, the first with fewest arrows."""
    close = [i for i, value in enumerate(values) if value >= max(values) - CLOSE]
    return min(close, key=lambda i: len(rivals[i].pattern.directed_edges()))


def remarks_of(found: LearnedNetwork[Any]) -> tuple[str, ...]:
    """What a search says of its result; the account of its stages is in the trace."""
    return tuple(
        note for note in found.notes if not isinstance(found, LearnedKnots) or note != str(found.report)
    )


def with_map(found: LearnedNetwork[Any], first: LearnedNetwork[Any]) -> Dag:
    """The network, with the map of its variables that the first search drew."""
    network: Dag = found.structure
    if isinstance(network, ClusteredDag) or not isinstance(first, LearnedKnots):
        return network
    return ClusteredDag(network.schema, network.index_edges(), first.clusters).with_pattern(found.pattern)


def reason_for(
    source: Source,
    choice: ScoreChoice,
    n_rivals: int,
    prices: tuple[Price, Price],
    bound: int | None,
) -> str:
    """One sentence: what the rows are, what was maximised, and whether the network had to be narrowed."""
    before, after = prices
    n_rows = source.n if isinstance(source, Moments) else source.n_rows
    kind = "continuous" if isinstance(source, Moments) else "discrete"
    columns = counted(len(source.schema), f"{kind} column")
    if isinstance(source, MixedMoments):
        numbers = counted(len(source.continuous), "continuous column")
        columns = f"{counted(len(source.discrete), 'discrete column')}, {numbers}"
    rows = f"{columns} and {counted(int(n_rows), 'row')}"
    how = "the score that the rows chose" if choice.candidates else "the score"
    if isinstance(choice.score, GroupedScore) and choice.score.groups:
        how = "the score that sees columns of many states in groups"
    most = f"the most plausible of {n_rivals} networks" if n_rivals > 1 else "the network"
    said = f"{rows}: {most} found by {how} ({choice.name})"
    if after is before:
        return f"{said}; kept whole, since {after}"
    if affordable(before):
        return f"{said}; its treewidth {before.width} is above {bound}, so it was narrowed, and {after}"
    return f"{said}; narrowed, since at first {before}, and now {after}"
