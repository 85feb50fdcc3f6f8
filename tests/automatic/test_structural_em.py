"""Structural EM: laws of its scores, the plain learner without gaps, and every door that leads to it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import _core
from treewright.automatic import gap_starts
from treewright.automatic.gap_prices import Enlarged, price_shown, price_whole, share_of_pairs
from treewright.automatic.gap_starts import list_starts
from treewright.automatic.structural_em import LabelsWithGaps, climb_on, fill_gaps
from treewright.errors import MissingValuesError, SettingError
from treewright.models import ExpectedCounter, score_observed
from treewright.statistics import AvailableCounter
from treewright.tables import Table


def rows_with_gaps(name="asia", n=1_000, share=0.15, seed=0):
    network = tw.load_network(name)
    full = network.sample(n, rng=np.random.default_rng(seed))
    gaps = np.random.default_rng(seed + 1).random((len(network.schema), n)) < share
    return network, full, Table(full.schema, full.columns, missing=dict(enumerate(gaps)))


def climbed(counter):
    return tw.learn_hill_climbing(tw.BIC(counter), effort=0)


@given(st.integers(0, 10_000))
@settings(max_examples=8, deadline=None)
def test_no_round_lowers_what_the_rows_say(seed):
    _, _, table = rows_with_gaps(n=200, share=0.2, seed=seed)
    found = fill_gaps(table, climbed)
    # what the one search finds first may replace a start that scores higher; later rounds only rise
    assert all(b > a for a, b in pairwise(found.scores[1:]))
    fitted = tw.fit_em(found.learned.dag, table)
    assert all(b >= a - 1e-9 for a, b in pairwise(fitted.trace.objective))
    bare = tw.fit_em(found.learned.dag, table, prior=None).trace.log_likelihood
    assert all(b >= a - 1e-9 for a, b in pairwise(bare))
    assert found.log_likelihood == pytest.approx(score_observed(found.model, table) * 200)


@given(st.integers(0, 10_000), st.sampled_from([60, 200, 500]), st.sampled_from([0.05, 0.2, 0.4]))
@settings(max_examples=15, deadline=None)
def test_where_any_start_may_win_no_search_lowers_what_the_rows_say(seed, n, share):
    _, _, table = rows_with_gaps(n=n, share=share, seed=seed)

    def wandering(counter):  # a search that is worse than the quick one
        return tw.learners.learn_tabu(tw.BIC(counter), max_parents=1)

    found = fill_gaps(table, wandering, quick=climbed, adopt=lambda learned, counter: learned)
    assert all(b > a for a, b in pairwise(found.scores))
    # the score is that of the model that came out, on the cells that are there
    price = price_shown(found.learned.dag, tw.BIC(found.counter), found.counter, share_of_pairs(table))
    at_end = price + found.log_likelihood
    assert at_end == pytest.approx(found.scores[-1])


@pytest.mark.parametrize("treewidth", [None, 1, 2])
def test_the_default_obeys_its_bound_and_tells_the_score_of_what_is_there(treewidth):
    _, _, table = rows_with_gaps("alarm", n=300, share=0.2)
    found = tw.learn(table, missing="em", treewidth=treewidth)
    assert found.width <= (treewidth or 10)
    here = score_observed(found.model, table) * table.n_rows
    assert found.score < here  # less what the score takes off
    assert found.score > here - 37 * 20 * np.log(300)


def beginnings(table, **options):
    gaps = LabelsWithGaps(table)
    return list_starts(table, gaps.there(), gaps.whole, climbed, **options)


def test_tests_of_what_is_there_begin_boldly_and_carefully():
    _, _, table = rows_with_gaps("alarm", n=500, share=0.2)
    begun = dict(beginnings(table))
    assert list(begun) == [
        "the tree of the pairs that are there",
        "tests of what is there, at 0.05",
        "tests of what is there, at 0.001",
    ]
    assert begun["tests of what is there, at 0.05"].dag.n_edges > 12
    known = tw.Knowledge(forbidden=[("HR", "HRBP"), ("HRBP", "HR")])
    for said, one in beginnings(table, knowledge=known):
        assert not {("HR", "HRBP"), ("HRBP", "HR")} & set(one.dag.edges()), said
    assert [said for said, _ in beginnings(table, climbs=False)] == ["the tree of the pairs that are there"]


@pytest.mark.parametrize("score", [tw.BIC, tw.SparseQNML, tw.BDeu, tw.K2])
def test_parameters_cost_what_the_rows_that_show_pairs_can_tell(score):
    _, _, table = rows_with_gaps("child", n=800, share=0.2)
    found = fill_gaps(table, climbed)
    dag, counter, share = found.learned.dag, found.counter, share_of_pairs(table)
    judge = score(counter)
    # where all is shown, it is the price of all rows
    assert price_shown(dag, judge, counter, 1.0) == pytest.approx(price_whole(dag, judge, counter), abs=1e-6)
    if score is not tw.BIC:
        return
    cards = dag.schema.cardinalities
    free = [(cards[v] - 1) * np.prod([cards[p] for p in dag.parents(v)]) for v in range(len(cards))]
    by_hand = -0.5 * np.log(800 * share) * sum(free)
    assert price_shown(dag, judge, counter, share) == pytest.approx(by_hand, abs=1e-5)


@pytest.mark.parametrize("score", [tw.BIC, tw.SparseQNML, tw.BDeu])
def test_networks_that_say_the_same_cost_the_same(score):
    """However differently their families are shown: no row could turn an edge, so no price may."""
    _, _, table = rows_with_gaps("child", n=300, share=0.3)
    counter = LabelsWithGaps(table).explain(tw.load_network("child").dag).counter
    members = [tw.learn_hill_climbing(score(counter)).dag]
    for tail, head in members[0].edges():  # Chickering's covered arcs: their other direction says the same
        arcs = set(members[-1].edges())
        above = {u for u, v in arcs if v == head} - {tail}
        if (tail, head) in arcs and above == {u for u, v in arcs if v == tail}:
            members.append(tw.Dag(table.schema, (arcs - {(tail, head)}) | {(head, tail)}))
    assert len(members) > 2
    assert all(tw.shd(members[0], one) == 0 for one in members)
    judge, share = score(counter), share_of_pairs(table)
    prices = [price_shown(dag, judge, counter, share) for dag in members]
    assert prices == pytest.approx([prices[0]] * len(prices), abs=1e-6)


def test_shares_of_rows_that_show_pairs():
    table = tw.read_table({"a": [1, None, 1, 2], "b": [None, None, 1, 2], "c": [1, 2, 1, 2]}, missing="em")
    assert share_of_pairs(table) == pytest.approx((0.5 + 0.75 + 0.5) / 3)
    heavy = tw.Table(table.schema, table.columns, weights=np.array([3, 0, 1, 0]), missing=table.missing)
    assert share_of_pairs(heavy) == pytest.approx((0.25 + 1 + 0.25) / 3)
    never = tw.Table(table.schema, table.columns, missing={v: np.ones(4, dtype=bool) for v in range(3)})
    assert share_of_pairs(never) == 0.25  # of one row: no less than it
    assert (
        share_of_pairs(table.select(["c"])) == share_of_pairs(tw.read_table({"x": [0, 1], "y": [1, 1]})) == 1
    )


def test_enlarged_counts():
    counter = tw.count(tw.read_table({"a": [0, 1, 1], "b": [0, 1, 0]}))
    twice = Enlarged(counter, 2.5)
    assert twice.n_rows == 7.5
    assert twice.counts(("a", "b")).tolist() == [[2.5, 0], [2.5, 2.5]]
    assert twice.sparse_counts((0,)).counts.tolist() == [2.5, 5.0]


def test_a_round_searches_on_from_the_network_it_has():
    """What is expected of the present network never leads to one that scores less by it."""
    _, _, table = rows_with_gaps("asia", n=400, share=0.3, seed=3)
    gaps = LabelsWithGaps(table)
    for _, one in beginnings(table):
        seen = gaps.explain(one.dag)
        score = tw.SparseQNML(seen.counter)
        on, enlarged = climb_on(gaps, None, seen.counter, one.dag)
        assert score.score(on.dag) >= score.score(one.dag) - 1e-9
        assert enlarged.dag.n_edges >= on.dag.n_edges


def test_networks_too_wide_for_the_memory_are_no_start(monkeypatch):
    _, _, table = rows_with_gaps(n=300)
    monkeypatch.setattr(gap_starts, "affordable", lambda price: False)
    assert [said for said, _ in beginnings(table)] == [
        "the tree of the pairs that are there",
        "the complete rows",
    ]

    def too_wide(counter):
        if isinstance(counter, ExpectedCounter):
            raise tw.errors.TableTooLarge("a table over all columns")
        return climbed(counter)

    assert fill_gaps(table, climbed, quick=too_wide).learned.dag.n_edges > 4
    with pytest.raises(tw.errors.TableTooLarge):
        fill_gaps(table, too_wide)


def test_a_round_for_trees_keeps_to_trees_and_rises():
    _, _, table = rows_with_gaps()
    found = fill_gaps(table, lambda counter: tw.learn_chow_liu(tw.LogLikelihood(counter)), tw.LogLikelihood)
    assert list(found.scores) == sorted(found.scores)
    assert found.learned.dag.n_edges == 7


@pytest.mark.parametrize("missing", ["em", "available", "indicator"])
def test_without_gaps_it_is_the_plain_learner(missing):
    _, full, _ = rows_with_gaps()
    plain, other = tw.learn(full), tw.learn(full, missing=missing)
    assert plain.model == other.model
    assert plain.score == other.score
    assert tw.HillClimbing(missing="em").fit(full).model_ == tw.HillClimbing().fit(full).model_


def test_orders_and_threads_do_not_show():
    _, _, table = rows_with_gaps(n=400)
    rng = np.random.default_rng(5)
    names = list(rng.permutation(table.schema.names))
    other = table.take(rng.permutation(table.n_rows)).select(names)
    threads = _core.threads()
    try:
        _core.set_threads(1)
        one = tw.learn(table, missing="em")
        _core.set_threads(2)
        two = tw.learn(other, missing="em")
    finally:
        _core.set_threads(threads)
    assert sorted(one.dag.edges()) == sorted(two.dag.edges())
    assert one.score == pytest.approx(two.score, abs=1e-6)
    again = tw.learn(table, missing="em")  # with all threads
    assert (again.model, again.score) == (one.model, one.score)
    assert one.model.query("dysp").array.tolist() == pytest.approx(two.model.query("dysp").array.tolist())


def test_all_rows_find_more_than_complete_ones():
    network, _, table = rows_with_gaps("alarm", n=1_000, share=0.1)
    kept = ~np.logical_or.reduce(list(table.missing.values()))
    rest = tw.learn_hill_climbing(tw.SparseQNML(tw.count(table.take(kept))), effort=0)
    quick = tw.learners.learn_dag_climbing(tw.SparseQNML(AvailableCounter(table)))
    found = fill_gaps(table, lambda c: tw.learn_hill_climbing(tw.SparseQNML(c), effort=0), tw.SparseQNML)
    distance = tw.shd(network.dag, found.learned.cpdag)
    assert distance < tw.shd(network.dag, rest.cpdag)
    assert tw.shd(network.dag, quick.cpdag) < tw.shd(network.dag, rest.cpdag)


def test_the_default_says_what_it_did():
    _, _, table = rows_with_gaps(n=500)
    found = tw.learn(table, missing="em")
    assert "by structural EM from" in found.notes[-1]
    assert found.score < 500 * score_observed(found.model, table)
    quick = tw.learn(table, missing="available")
    assert "structure from the rows that show the columns in question" in quick.notes[-1]


@pytest.mark.parametrize("kind", [tw.ChowLiuTree, tw.HillClimbing, tw.BoundedTreewidth, tw.PC, tw.Knots])
def test_estimators_take_all_rows(kind):
    _, full, table = rows_with_gaps(n=500)
    for missing in ("em", "available") if kind in (tw.ChowLiuTree, tw.PC) else ("em",):
        found = kind(missing=missing).fit(table)
        assert np.isfinite(found.score(table))
        assert found.score(full) == pytest.approx(float(found.log_probability(full).mean()))
    if hasattr(found, "cpdag_"):
        assert found.cpdag_.schema == table.schema


def test_classes_refuse_counts_of_different_rows():
    _, _, table = rows_with_gaps(n=100)
    with pytest.raises(SettingError, match="missing='available' is for ChowLiuTree and PC"):
        tw.HillClimbing(missing="available").fit(table)


def test_markov_networks_refuse_gaps():
    _, _, table = rows_with_gaps(n=100)
    with pytest.raises(MissingValuesError):
        tw.BlanketMarkov(missing="em").fit(table)


def test_a_column_without_cells_is_refused():
    rows = {"a": [0, 1, 0, 1], "b": [0, None, 1, 1]}
    table = tw.read_table(rows, missing="em")
    empty = Table(table.schema, table.columns, missing={"a": [True] * 4})
    with pytest.raises(MissingValuesError, match="'a' misses every cell, so no row says anything about it"):
        fill_gaps(empty, climbed)


def test_settings_are_checked():
    with pytest.raises((SettingError, ValueError)):
        tw.learn({"a": [0, 1]}, missing="guess")
