"""A second start under a width bound: when there is one, that it obeys, never loses and repeats itself."""

import numpy as np
import pytest
from tests.learners.bounded_treewidth.helpers import Gains, dependent_table
from tests.reference.learners import bounded as slow

from treewright import BIC, K2, Knowledge, Schema, Table, _core, count, learn_bounded_treewidth
from treewright.graphs import Dag, bind_knowledge
from treewright.learners.bounded_treewidth.default_search import search_from
from treewright.learners.bounded_treewidth.search import (
    BoundedSearches,
    BoundedSettings,
    BoundedStart,
    first_network,
    kicks_before_second_start,
    wide_network,
)


def score_of(seed, n=12, n_rows=1200, kind=BIC):
    return kind(count(dependent_table(seed, n, n_rows)))


def settings_of(score, treewidth=3, knowledge=None, max_parents=None):
    known = bind_knowledge(knowledge, score.schema)
    return BoundedSettings(score, known, treewidth, max_parents, checks=True)


def started(settings, seeds=(1,)):
    return BoundedSearches(
        settings, list(seeds), BoundedStart.of(first_network(settings), settings.treewidth)
    )


def check_certificate(learned, treewidth):
    tree = learned.certificate
    assert not slow.certificate_violations(learned.structure, tree.clusters, tree.edges, treewidth)
    assert learned.width <= treewidth


def knowledge_about(score, seed):
    a, b, c, d, e, *_ = np.random.default_rng(seed).permutation(score.schema.names).tolist()
    return Knowledge(required=[(a, b), (c, b), (d, e)], forbidden=[(a, c), (c, a), (e, a)])


@pytest.mark.parametrize(
    ("n", "treewidth", "kicks", "first"),
    [
        (100, 2, 500, 500),  # a narrow bound
        (100, 3, 100, 100),  # one kick for each variable
        (100, 3, 101, 25),
        (20, 8, 100, 1),
        (40, 39, 400, 400),  # no bound at all
        (40, 38, 400, 4),
        (60, 4, 61, 9),
    ],
)
def test_when_there_is_a_second_start(n, treewidth, kicks, first):
    settings = settings_of(Gains(np.ones((n, n))), treewidth)
    assert kicks_before_second_start(settings, kicks) == first


def test_many_variables_wait_longer():
    waits = [
        kicks_before_second_start(settings_of(Gains(np.ones((n, n))), 5), 2 * n) / n for n in (20, 100, 300)
    ]
    assert waits == sorted(waits)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("treewidth", [3, 5])
def test_the_second_start_is_certified_and_never_loses(seed, treewidth):
    """Everything counted anew after every change (`checks`)."""
    settings = settings_of(score_of(seed), treewidth)
    searches = started(settings, seeds=(seed, seed + 100))
    searches.native.climb(swaps=False, afresh=False)
    searches.spread()
    before = [search.score for search in searches.native.searches]
    assert len(before) == 2
    searches.begin_again(wide_network(settings))
    for search, score in zip(searches.native.searches, before, strict=True):
        search.check()
        assert search.width <= treewidth
        assert search.score == search.best_score >= score
    learned = search_from(None, settings, [seed], effort=2)
    check_certificate(learned, treewidth)
    assert learned.score == pytest.approx(settings.score.score(learned.structure), abs=1e-6)


def test_a_network_that_fits_is_taken_as_it_is():
    """One that no move improves, from a start that has nothing."""
    score = score_of(4)
    wide = learn_bounded_treewidth(score, treewidth=4, effort=8)
    settings = settings_of(score, 4)
    empty = BoundedStart.of(Dag(score.schema, []), 4)
    searches = BoundedSearches(settings, [1], empty)
    searches.begin_again(wide.structure)
    assert searches.native.score >= wide.score - 1e-6


def test_whether_it_was_better_is_told():
    score = score_of(2)
    search = started(settings_of(score)).native.best
    nothing = np.zeros((0, 2), dtype=np.uint32)
    first = search.score
    assert search.begin_again(nothing, 10) == (search.score > first)
    best = learn_bounded_treewidth(score, treewidth=3, effort=10)
    done = BoundedSearches(settings_of(score), [3], BoundedStart.of(best.structure, 3))
    assert not done.native.best.begin_again(nothing, 10)
    assert done.native.score == pytest.approx(best.score)


def test_phases_tell_of_it():
    """All of them, and first the whole search under the narrower bound, which makes as many kicks."""
    score = score_of(1, n=21)
    trace = learn_bounded_treewidth(score, treewidth=3, effort=2).trace
    begin = ["narrower", "tree", "climb", "reopt", "settle", "iterate"]
    assert [phase.name for phase in trace.phases] == [*begin, "second start", "iterate on", "final"]
    assert trace.total("iterations") == 42 + 42
    assert trace.phases[0].tallies["iterations"] == 42
    alone = learn_bounded_treewidth(score, treewidth=3, effort=1).trace
    assert [phase.name for phase in alone.phases] == [*begin, "final"]
    hurried = learn_bounded_treewidth(score, treewidth=3, effort=2, seconds=1e6).trace  # no narrower one
    names = ["tree", "climb", "reopt", "settle", "iterate", "second start", "iterate on", "final"]
    assert [phase.name for phase in hurried.phases] == names
    assert hurried.total("iterations") == 42


def test_there_is_none_late_in_the_time_given():
    settings = settings_of(score_of(1))
    start = BoundedStart.of(first_network(settings), 3)
    given = (None, 1000.0, 1e-9)
    assert [BoundedSearches(settings, [1], start, seconds).has_time_left for seconds in given] == [
        True,
        True,
        False,
    ]
    hurried = learn_bounded_treewidth(score_of(1), treewidth=3, effort=9, seconds=1e-9)
    assert "second start" not in [phase.name for phase in hurried.trace.phases]
    check_certificate(hurried, 3)


@pytest.mark.parametrize("kind", [BIC, K2])
@pytest.mark.parametrize("seed", range(3))
def test_knowledge_is_obeyed(seed, kind):
    score = score_of(seed, kind=kind)
    known = knowledge_about(score, seed)
    settings = settings_of(score, 3, knowledge=known, max_parents=2)
    wide = wide_network(settings)
    settings.known.check(wide)
    assert max(len(wide.parents(name)) for name in score.schema.names) <= 2
    learned = search_from(None, settings, [seed], effort=3)
    check_certificate(learned, 3)
    settings.known.check(learned.structure)
    assert max(len(learned.structure.parents(name)) for name in score.schema.names) <= 2


def test_pairs_ruled_out_stay_apart():
    score = score_of(3)
    pairs = [tuple(edge) for edge in wide_network(settings_of(score)).edges()[:4]]
    settings = settings_of(score, 3, knowledge=Knowledge(forbidden_edges=pairs))
    assert settings.known.is_symmetric
    apart = {frozenset(pair) for pair in pairs}
    for dag in (wide_network(settings), search_from(None, settings, [1], effort=2).structure):
        assert not apart & {frozenset(edge) for edge in dag.edges()}


def test_columns_rows_and_threads_do_not_matter():
    table, rng = dependent_table(6, 12, 900), np.random.default_rng(6)
    columns, rows = rng.permutation(12), rng.permutation(900)
    shuffled = Table(
        Schema([table.schema[int(i)] for i in columns]), [np.asarray(table.columns[i])[rows] for i in columns]
    )
    before, found = _core.threads(), []
    try:
        for threads, rows_of in ((1, table), (2, table), (2, shuffled)):
            _core.set_threads(threads)
            learned = learn_bounded_treewidth(BIC(count(rows_of)), treewidth=3, effort=2, searches=2)
            found.append((sorted(learned.structure.edges()), learned.score))
    finally:
        _core.set_threads(before)
    assert found[0] == found[1]
    assert found[0][0] == found[2][0]
