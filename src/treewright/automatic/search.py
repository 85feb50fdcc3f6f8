"""Which network to take, where nobody says how it is to be learned.

*Searching.* The search of :func:`~treewright.learn_knots`, under the score that the rows choose, makes few
errors; no search makes the fewest everywhere. So it has rivals: hill climbing under the same score, which
takes another way through the classes, and the same search under the score that begins the choice, where the
rows chose another. A network may be excellent by one code of the rows and poor by another that explains them
hardly worse. So networks are judged by the chosen score and by the mean of all codes that are no worse than
the first one, half each. Odds below ten to one (ln 10 nats) tell nobody which of two classes is right: of
those so close to the best, the one with fewest arrows is taken, since it claims least.

*Width.* Exact answers cost what a chordal cover of the network costs. If they fit the memory limit and take
about a second, the network stays as it is; if not, a search under a bound, with the same score, begins at it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from treewright.automatic.price import Price, affordable, bound_for, price_of
from treewright.criteria import GroupedScore, LocalScore
from treewright.errors import TreewidthError
from treewright.graphs import BoundKnowledge, ClusteredDag, Dag, JunctionTree, Knowledge, bind_knowledge
from treewright.learners import (
    Certified,
    LearnedKnots,
    LearnedNetwork,
    ScoreChoice,
    Trace,
    learn_bounded_treewidth,
    learn_hill_climbing,
    learn_knots,
)
from treewright.learners.learned import keeping
from treewright.statistics import Counter, Moments
from treewright.tables.exports import counted
from treewright.types import Progress

CLOSE = math.log(10)  # nats: odds of ten to one, from which on Jeffreys calls evidence strong


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


def learn_suited(
    source: Counter | Moments,
    *,
    score: LocalScore | None = None,
    treewidth: int | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> LearnedAutomatically:
    """Learn the network that suits these rows, narrow enough for exact answers.

    Parameters
    ----------
    source
        Counts of discrete variables, or moments of continuous ones.
    score
        What to maximise; by default the rows choose.
    treewidth
        The network may not be wider; by default exact answers decide, which have to fit the memory limit and
        to take about a second.
    knowledge
        Arcs that are required or forbidden.
    rng
        For the search under a bound, where there is one; by default a generator seeded with 0.
    progress
        Called after each phase of a search.
    """
    if treewidth is not None and treewidth < 1:
        raise TreewidthError(f"treewidth= is a bound of at least 1, the width of a tree; found {treewidth!r}")
    known = bind_knowledge(knowledge, source.schema)
    options: dict[str, Any] = {"knowledge": known, "progress": progress}
    rivals: list[LearnedNetwork[Any]] = []
    with keeping(lambda found: settled(source, [*rivals, *filter(None, [found])], score, treewidth)):
        for found in searches(source, score, options):
            rivals.append(found)
    whole = settled(source, rivals, score, treewidth)
    assert whole is not None
    bound, narrowed = bound_for(whole.price, treewidth), whole
    with keeping(
        lambda found: narrowed if found is None else settled(source, rivals, score, treewidth, found)
    ):
        while bound is not None:
            choice = choice_of(rivals[0], score)
            found = learn_bounded_treewidth(
                choice.score, treewidth=bound, start=whole.structure, rng=rng, **options
            )
            narrowed = settled(source, rivals, score, treewidth, found) or whole
            cheap = bound == 1 or affordable(narrowed.price)
            bound = None if cheap else min(bound - 1, bound_for(narrowed.price, bound - 1) or 1)
    return narrowed


def searches(
    source: Counter | Moments, score: LocalScore | None, options: dict[str, Any]
) -> Iterator[LearnedNetwork[Any]]:
    """Networks to choose from: the search of knots first, then its rivals."""
    if score is not None and not score.is_score_equivalent:  # classes mean nothing to it
        yield learn_hill_climbing(score, **options)
        return
    knots = learn_knots(source, score=score, **options)
    yield knots
    yield from rivals_of(knots, choice_of(knots, score), source, options)


def choice_of(first: LearnedNetwork[Any], score: LocalScore | None) -> ScoreChoice:
    """The score that networks were searched for with, and how it was chosen."""
    if isinstance(first, LearnedKnots) and first.choice is not None:
        return first.choice
    assert score is not None
    return ScoreChoice(repr(score), score, {})


def settled(
    source: Counter | Moments,
    rivals: list[LearnedNetwork[Any]],
    score: LocalScore | None,
    treewidth: int | None,
    narrowed: Certified | None = None,
) -> LearnedAutomatically | None:
    """The most plausible network, or what became of it under a bound, with all there is to say about it."""
    if not rivals:
        return None
    choice = choice_of(rivals[0], score)
    best = rivals[0] if len(rivals) == 1 else most_plausible(rivals, choice)
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
    )


def rivals_of(
    knots: LearnedKnots, choice: ScoreChoice, source: Counter | Moments, options: dict[str, Any]
) -> Iterator[LearnedNetwork[Any]]:
    """The same score by another search; and the score that began, where the rows chose another."""
    yield learn_hill_climbing(choice.score, **options)
    first = next(iter(choice.candidates.values()), choice.score)
    if first is not choice.score:
        yield learn_knots(source, score=first, clusters=knots.clusters, **options)


def most_plausible(rivals: list[LearnedNetwork[Any]], choice: ScoreChoice) -> LearnedNetwork[Any]:
    """The network that is judged best; of those too close to tell apart the one with fewest arrows."""
    codes = [score for name, score in choice.candidates.items() if choice.evidence.get(name, -math.inf) >= 0]

    def judged(dag: Dag) -> float:
        own = choice.score.score(dag)
        return (own + fmean(code.score(dag) for code in codes)) / 2 if codes else own

    values = [judged(one.structure) for one in rivals]
    close = [one for one, value in zip(rivals, values, strict=True) if value >= max(values) - CLOSE]
    return min(close, key=lambda one: len(one.pattern.directed_edges()))


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
    source: Counter | Moments,
    choice: ScoreChoice,
    n_rivals: int,
    prices: tuple[Price, Price],
    bound: int | None,
) -> str:
    """One sentence: what the rows are, what was maximised, and what the width had to say."""
    before, after = prices
    n_rows = source.n if isinstance(source, Moments) else source.n_rows
    kind = "continuous" if isinstance(source, Moments) else "discrete"
    rows = f"{counted(len(source.schema), f'{kind} column')} and {int(n_rows):,} rows"
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
