"""Networks of bounded treewidth: the default search.

Exact inference costs what a chordal cover of the moral graph costs, exponential in its width. Here a climber
adds, removes, turns and swaps arcs as climbers do, but makes no move that widens the network beyond the
bound. Whether it would is decided on the whole moral graph, by eliminating it: vertices whose neighbours are
joined already, or all but one of them, go first at no risk, and only where there are none does min-fill
guess. The order found is a certificate, carried from move to move.

Where the climb ends the cover has room that single moves cannot use, since two parents of one child must be
joined. So all families are chosen anew along a perfect order of the cover, where parents are joined anyway.
Then every variable is cut off in turn and its arcs are laid out anew: that is the local optimum. From there,
as often as the effort allows, a few families that lie together are destroyed and rebuilt, and what is better
stays. Where bound and effort are large enough there is a second start, at a network learned without the bound
of which only so many arcs are let in as it allows; the better of the two local optima is worked on. A last
climb may also swap one parent for another. All narrower bounds are searched as well; where one leads to a
better network, the search goes on from there.

How wide a network should be is a question about the data as much as about the price of inference. On a *path
of widths* each starts where the one before ended, so the score never falls; where it stops rising, or where
rows that were held back are explained no better, further width is not worth its price.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError, TreewidthError
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.graphs.undirected.triangulation import require_perfect_order
from treewright.learners.bounded_treewidth.certified import Certified
from treewright.learners.bounded_treewidth.growth import check_bounds
from treewright.learners.bounded_treewidth.search import (
    TALLIES,
    BoundedSettings,
    BoundedStart,
    News,
    Phases,
    Shared,
    has_room,
    is_cheap,
    kicks_before_second_start,
    kicks_of,
    price_of_kicks,
)
from treewright.learners.classes.chow_liu import bind_in_order
from treewright.learners.classes.pair_schedule import require_same_names
from treewright.learners.learned import Phase, Trace, TraceBuilder, keeping
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex
from treewright.types import Progress

# Kicks for each variable that the default makes at most, as long as they pay.
_MOST_ROUNDS = 5


@in_range
def learn_bounded_treewidth(
    score: LocalScore,
    *,
    treewidth: int,
    effort: float | None = None,
    rng: np.random.Generator | None = None,
    order: Sequence[NameOrIndex] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    max_parents: int | None = None,
    start: Dag | None = None,
    searches: int = 1,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Certified:
    """Learn a network of high score whose treewidth is bounded, with the proof of the bound.

    Parameters
    ----------
    score
        Any decomposable score, of discrete or of continuous variables.
    treewidth
        The bound: no clique of the cover has more than `treewidth` + 1 variables.
    effort
        Destroy and rebuild parts of the network so many times for each variable. 0 ends at the local optimum,
        5 is thorough. Above 1 and with a treewidth of 3 or more there is a second start. By default once for
        each variable, and once more as long as that gained the price of a parameter each time, up to 5; where
        that takes long, the same again from a second start. Every narrower bound is given the same effort.
    rng
        Draws what is destroyed; by default a generator seeded with 0.
    order
        A total order of the variables; parents then come before their children.
    knowledge
        Arcs that are required or forbidden.
    max_parents
        Largest number of parents of a variable; the treewidth bounds it anyway.
    start
        A network of any width to begin at as well: as many of its arcs as the bound lets in, most useful
        first, lead to a second local optimum, and the better one is worked on.
    searches
        Independent searches from the local optimum, each with the whole effort, on as many threads as there
        are; the best one counts.
    seconds
        Stop after so many seconds at the latest. The result then depends on the machine, which the trace
        tells: ``trace.stopped_by`` is ``"seconds"``. No narrower bound is searched, and the result may score
        below that of one.
    progress
        Called now and then with a :class:`~treewright.types.Step`: the phase, how many parts of how many were
        destroyed and rebuilt, the best score so far and the width.

    Returns
    -------
    Certified
        Structure, trace, score, the junction tree of the cover (``certificate``) and the rounds that brought
        something. Ties go by the names of the variables, so the result does not depend on the order of
        columns or rows, nor on threads.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_bounded_treewidth(tw.BIC(tw.count(table)), treewidth=2)
    >>> learned.width, learned.structure.n_edges
    (2, 7)
    >>> [phase.name for phase in learned.trace.phases]
    ['tree', 'climb', 'reopt', 'settle', 'iterate', 'final']
    """
    require("learn_bounded_treewidth", SCORE, score)
    check_bounds(score.schema, treewidth, max_parents)
    check_effort(effort, searches, seconds)
    known = bind_in_order(knowledge, score.schema, order)
    settings = BoundedSettings(score, known, treewidth, max_parents)
    seeds = draw_seeds(rng, searches)
    if start is not None:
        require_same_names(score.schema, start.schema, "start")
        start = Dag(score.schema, start.edges())
        known.check(start)
    return search_widths(settings, seeds, effort=effort, wide=start, seconds=seconds, progress=progress)


def search_widths(
    settings: BoundedSettings,
    seeds: list[int],
    *,
    effort: float | None,
    wide: Dag | None,
    seconds: float | None,
    progress: Progress | None,
    shared: Shared | None = None,
) -> Certified:
    """The search from the tree, or on from what the narrower bound finds if that is better.

    A clock that may stop the search anywhere leaves nothing to promise: then there is no narrower one.
    """
    shared = shared or Shared(settings)
    options: dict[str, Any] = {"effort": effort, "wide": wide, "progress": progress}
    bound = settings.treewidth - 1  # of 1: the tree is where the search begins
    if seconds is not None or bound < 2:
        return search_from(None, settings, seeds, seconds=seconds, shared=shared, **options)
    try:
        narrower = replace(settings, treewidth=bound)
        narrow = search_widths(narrower, seeds, seconds=None, shared=shared, **options)
    except TreewidthError:  # the arcs that are required fit in the wider bound alone
        return search_from(None, settings, seeds, shared=shared, **options)
    with keeping(lambda found: max((one for one in (found, narrow) if one), key=attrgetter("score"))):
        found = search_from(None, settings, seeds, shared=shared, **options)
        phases = (as_phase("narrower", narrow), *found.trace.phases)
        if found.score < narrow.score:
            again = effort if is_cheap(settings, kicks_of(settings, effort)) else 0
            start = start_at(narrow)
            found = search_from(start, settings, seeds, effort=again, progress=progress, shared=shared)
            phases = (*phases, as_phase("on from narrower", found))
    return replace(found, trace=Trace(phases))


def start_at(learned: Certified) -> BoundedStart:
    """Where a wider search goes on."""
    return BoundedStart(
        learned.structure, require_perfect_order(learned.certificate.graph(), "the certificate")
    )


def as_phase(name: str, learned: Certified) -> Phase:
    """A whole search as one phase of another."""
    assert learned.score is not None
    tallies: dict[str, int | float] = {tally: learned.trace.total(tally) for tally in TALLIES}
    return Phase(name, learned.trace.seconds, {**tallies, "score": learned.score})


def search_from(
    start: BoundedStart | None,
    settings: BoundedSettings,
    seeds: list[int],
    *,
    effort: float | None,
    wide: Dag | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    shared: Shared | None = None,
) -> Certified:
    """The whole search; without a start from the best tree. `wide` is the second start, if it is known."""
    kicks, shared = kicks_of(settings, effort), shared or Shared(settings)
    early = kicks_before_second_start(settings, kicks) if wide is None else 0
    news = None if progress is None else News(progress, kicks * len(seeds))
    trace = TraceBuilder()
    with trace.phase("tree"):
        begin = start or BoundedStart.of(shared.tree(), settings.treewidth)
        searches = shared.searches(settings, seeds, begin, seconds, news)
    native, phase = searches.native, Phases(searches, trace, news)
    with keeping(lambda _: searches.best_met(trace.build())):
        phase.to_local_optimum()
        before = native.score
        with phase("iterate"):
            searches.spread()
            native.kick(early)
        if wide is not None or (early < kicks and searches.has_time_left):
            with phase("second start"):
                searches.begin_again(shared.wide_network(settings) if wide is None else wide)
        if early < kicks:
            with phase("iterate on"):
                native.kick(kicks - early)
        phase.climb_at_last()
        if effort is None:
            go_on_while_it_pays(phase, kicks, before)
            late = wide is None and has_room(settings) and not is_cheap(settings, kicks)
            if late and searches.has_time_left:
                before = native.score
                with phase("second start"):
                    searches.begin_again(shared.wide_network(settings))
                go_on_while_it_pays(phase, kicks, before)
    return searches.certified(trace.build(stopped_by="seconds" if native.expired else ""))


def go_on_while_it_pays(phase: Phases, kicks: int, before: float) -> None:
    """As many kicks again, as long as the last ones, from the score before, were worth their price."""
    native, price = phase.searches.native, price_of_kicks(phase.searches.settings, kicks)
    for _ in range(_MOST_ROUNDS - 1):
        if native.expired or native.score - before < price:
            return
        before = native.score
        with phase("iterate on"):
            native.kick(kicks)
        phase.climb_at_last()


def check_effort(effort: float | None, searches: int, seconds: float | None) -> None:
    if effort is not None and not 0 <= effort < float("inf"):
        raise SettingError(f"effort= is a number of at least 0; found {effort!r}")
    if searches < 1:
        raise SettingError(f"searches= is a number of at least 1; found {searches!r}")
    if seconds is not None and not seconds > 0:
        raise SettingError(f"seconds= is a time above 0, or None; found {seconds!r}")


def draw_seeds(rng: np.random.Generator | None, n: int) -> list[int]:
    generator = np.random.default_rng(0) if rng is None else rng
    return [int(seed) for seed in generator.integers(2**63, size=n)]


@in_range
def trace_widths(
    score: LocalScore,
    treewidth: int,
    *,
    effort: float = 1,
    rng: np.random.Generator | None = None,
    order: Sequence[NameOrIndex] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    max_parents: int | None = None,
) -> tuple[Certified, ...]:
    """Learn one network for each width 1, 2, ..., `treewidth`; none scores lower than the one before.

    Parameters
    ----------
    score, effort, order, knowledge, max_parents
        As for :func:`learn_bounded_treewidth`; the effort is spent at every width.
    treewidth
        The largest width.
    rng
        Draws a seed for every width.

    Returns
    -------
    tuple of Certified
        By width. :func:`choose_width` takes one of them.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> path = tw.learners.trace_widths(tw.BIC(tw.count(table)), treewidth=3)
    >>> [learned.width for learned in path]
    [1, 2, 2]
    """
    require("trace_widths", SCORE, score)
    check_bounds(score.schema, treewidth, max_parents)
    check_effort(effort, 1, None)
    known = bind_in_order(knowledge, score.schema, order)
    path: list[Certified] = []
    start: BoundedStart | None = None
    for width, seed in enumerate(draw_seeds(rng, treewidth), start=1):
        settings = BoundedSettings(score, known, width, max_parents)
        path.append(search_from(start, settings, [seed], effort=effort))
        start = start_at(path[-1])
    return tuple(path)


def choose_width(path: Sequence[Certified], judge: Callable[[Dag], float] | None = None) -> Certified:
    """The network of a path that is judged best; of equals the narrowest.

    Parameters
    ----------
    path
        Networks by width, as :func:`trace_widths` gives them.
    judge
        Higher is better, such as the log-likelihood of rows that were held back; by default the score that
        was learned with, which charges for parameters itself if it is penalised.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> asia, rng = tw.load_network("asia"), np.random.default_rng(0)
    >>> counter, held_back = tw.count(asia.sample(5_000, rng=rng)), asia.sample(1_000, rng=rng)
    >>> path = tw.learners.trace_widths(tw.BIC(counter), treewidth=3)
    >>> def judge(dag):
    ...     return float(tw.fit(dag, counter, prior=tw.Dirichlet(1.0)).log_probability(held_back).sum())
    >>> tw.learners.choose_width(path).width, tw.learners.choose_width(path, judge).width
    (2, 2)
    """
    if not path:
        raise SettingError("a path has at least one network; found none")
    values = [learned.score if judge is None else judge(learned.structure) for learned in path]
    return path[values.index(max(values))]
