"""Efficient Markov networks: the worked example, the twin, laws and refusals."""

from itertools import combinations, product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.efficient_markov.feature_rows import (
    counted,
    every_row,
    names,
    random_rows,
    shape,
    table_of,
    total_probability,
    worked_example,
)
from tests.reference.learners import efficient_markov as twin

import treewright as tw
from treewright import _core
from treewright.learners.efficient_markov.lem import MarkovSettings, by_size, find_low_information_blocks

EXACT = {"min_rows": 1, "smoothing": 0.0}


def learn_rows(counter, **options):
    return tw.learn_efficient_markov(counter, settings=MarkovSettings(**options))


def learn(codes, cardinalities=None, **options):
    chosen = {"delta": 0.1, "min_rows": 20, "smoothing": 1.0, **options}
    return learn_rows(tw.count(table_of(codes, cardinalities)), **chosen).structure


def row_set(codes, cardinalities=None):
    counter = tw.count(table_of(codes, cardinalities))
    return _core.row_set(counter.packed, list(counter.schema.name_order))


# ------------------------------------------------------------------ the worked example
def test_information_in_the_worked_example():
    rows = row_set(worked_example())
    sets = [s for n in (2, 3) for s in combinations(range(6), n)]
    least = {s: _core.testing.least_information(rows, s)[1] for s in sets}
    pairs = {s: value for s, value in least.items() if len(s) == 2 and value > 1e-12}
    assert pairs == {(1, 2): pytest.approx(0.130812, abs=1e-6), (1, 3): pytest.approx(0.130812, abs=1e-6)}
    assert least[3, 4, 5] == pytest.approx(0.130812, abs=1e-6)
    for three in ((0, 1, 2), (0, 1, 3), (1, 2, 3)):
        assert least[three] == pytest.approx(0.215762, abs=1e-6)


@pytest.mark.parametrize(
    ("delta", "q", "expected"),
    [
        (0.1, 2, [(0,), (1, 2, 3), (4,), (5,)]),
        (0.1, 3, [(0, 1, 2, 3, 4, 5)]),
        (0.2, 2, [(0,), (1,), (2,), (3,), (4,), (5,)]),
        (0.2, 3, [(0, 1, 2, 3), (4,), (5,)]),
    ],
)
def test_partitions_of_the_worked_example(delta, q, expected):
    found = find_low_information_blocks(tw.count(table_of(worked_example())), delta=delta, largest_set=q)
    assert found == [tuple(names(6)[i] for i in block) for block in expected]


def test_the_graph_of_the_worked_example():
    graph = learn(worked_example())
    assert graph.kinds() == {"table": 6, "split": 1, "and": 2}
    assert shape(graph)[:2] == ("split", 0)
    tables = [{frozenset(c[1]) for c in child[1]} for _, child in shape(graph)[2]]
    assert tables == [
        {frozenset({1, 2}), frozenset({3, 4, 5})},
        {frozenset(s) for s in ({1, 3}, {2}, {4}, {5})},
    ]


def test_numbers_of_the_worked_example():
    table = table_of(worked_example())
    exact, smooth = (tw.FeatureNetwork(learn(worked_example(), smoothing=a)) for a in (0.0, 1.0))
    asked = table_of([(0, 0, 0, 0, 0, 0), (1, 0, 0, 1, 0, 0), (0, 0, 1, 0, 0, 0), (1, 1, 0, 1, 0, 0)])
    assert np.exp(exact.log_probability(asked))[:3].tolist() == pytest.approx([1 / 16, 1 / 32, 0])
    assert exact.score(table) == pytest.approx(-3.1191623125, abs=1e-10)
    assert np.exp(smooth.log_probability(asked)).tolist() == pytest.approx(
        [0.0606204086, 0.0307765152, 0.0009326217, 0.0004734848], abs=1e-10
    )
    assert smooth.score(table) == pytest.approx(-3.1420635207, abs=1e-10)
    assert smooth.entropy() == pytest.approx(3.2369359587, abs=1e-10)
    assert smooth.query("c", given={"b": 1, "d": 1})[1] == pytest.approx(0.9705882353, abs=1e-10)


# ------------------------------------------------------------------ twins
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("states", [2, 3])
def test_queyranne_finds_the_least_cut(seed, states):
    codes = random_rows(6, 60, seed, states)
    rows = row_set(codes, [states] * 6)
    for size in (2, 3, 4, 6):
        for chosen in list(combinations(range(6), size))[:4]:
            side, value = _core.testing.least_information(rows, chosen)
            assert value == pytest.approx(twin.least_information(counted(codes), chosen), abs=1e-12)
            rest = tuple(c for c in chosen if c not in side)
            assert value == pytest.approx(twin.information(counted(codes), tuple(side), rest), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("q", [2, 3, 4])
def test_partitions_are_those_of_the_twin_with_and_without_shortcuts(seed, q):
    states = 2 + seed % 2
    codes = random_rows(6, 150, seed, states)
    expected = twin.blocks_of(counted(codes), tuple(range(6)), delta=0.05, largest_set=q, min_rows=10)
    options = {"delta": 0.05, "level": 0.0, "largest_set": q, "min_rows": 10, "premerged": []}
    for with_shortcuts in (True, False):
        found = _core.low_information_blocks(
            row_set(codes, [states] * 6), **options, with_shortcuts=with_shortcuts
        )
        assert [tuple(block) for block in found] == expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("leaf", ["independent", "tree"])
@pytest.mark.parametrize("states", [2, 3])
def test_the_graph_is_that_of_the_twin(seed, leaf, states):
    codes = random_rows(7, 300, seed, states)
    options = {"delta": 0.03, "largest_set": 2 + seed % 2, "min_rows": 40, "smoothing": 1.0, "leaf": leaf}
    graph = learn(codes, [states] * 7, **options)
    expected = twin.learn(counted(codes), [range(states)] * 7, **options)
    assert shape(graph) == twin.shape(expected)
    rows = every_row(graph.schema).take(slice(0, None, 17))
    probabilities = np.exp(tw.FeatureNetwork(graph).log_probability(rows))
    codes = np.stack([np.asarray(column) for column in rows.columns], axis=1).tolist()
    assert probabilities == pytest.approx([twin.probability(expected, row) for row in codes], rel=1e-10)


# ------------------------------------------------------------------ laws
@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 3),
    leaf=st.sampled_from(["tree", "independent"]),
    score=st.sampled_from(["inverse-square", "inverse-exponential"]),
    search=st.sampled_from(["greedy", "exhaustive"]),
    smoothing=st.sampled_from([0.0, 1.0]),
    states=st.integers(2, 3),
)
def test_probabilities_sum_to_one(seed, k, leaf, score, search, smoothing, states):
    codes = random_rows(6, 120, seed, states)
    options = {
        "feature_length": min(k, 2) if states > 2 else k,
        "leaf": leaf,
        "score": score,
        "search": search,
    }
    graph = learn(
        codes, [states] * 6, delta=0.05, min_rows=15, min_variables=3, smoothing=smoothing, **options
    )
    assert total_probability(graph) == pytest.approx(1, abs=1e-12)
    assert np.isfinite(tw.FeatureNetwork(graph).score(table_of(codes, [states] * 6)))


@pytest.mark.parametrize("k", [2, 3])
def test_conjunctions_are_found_and_stay_consistent(k):
    graph = learn(random_rows(10, 1500, 0), delta=0.02, feature_length=k, largest_set=2, min_rows=100)
    assert graph.kinds()["feature"] > 0
    assert total_probability(graph) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("states", [9, 12])
def test_a_variable_of_many_states_is_asked_one_state_at_a_time(states):
    rng = np.random.default_rng(1)
    wide = np.minimum(rng.geometric(0.3, size=2000) - 1, states - 1)
    rows = rng.integers(2, size=(2000, 5))
    rows[:, 1:] = np.where((wide == 0)[:, None], rows[:, [0]], rows[:, 1:])
    codes = np.column_stack([wide, rows])
    graph = learn(codes, [states] + [2] * 5, delta=0.02, min_rows=100, min_variables=3)
    assert graph.kinds().get("feature", 0) > 0
    assert graph.kind(graph.root) == "feature" and graph.integers(graph.root)[0] == 0  # noqa: PT018
    assert total_probability(graph) == pytest.approx(1, abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), delta=st.sampled_from([0.01, 0.03, 0.1]))
def test_partitions_get_coarser_with_smaller_delta_and_larger_sets(seed, delta):
    counter = tw.count(table_of(random_rows(7, 200, seed)))
    fine = find_low_information_blocks(counter, delta=delta, largest_set=2)
    for coarse in (
        find_low_information_blocks(counter, delta=delta / 2, largest_set=2),
        find_low_information_blocks(counter, delta=delta, largest_set=3),
    ):
        assert all(any(set(block) <= set(large) for large in coarse) for block in fine)


@pytest.mark.parametrize("seed", range(3))
def test_columns_rows_and_threads_do_not_matter(seed):
    codes = random_rows(8, 400, seed)
    table = table_of(codes)
    rng = np.random.default_rng(seed)
    turned = table.take(rng.permutation(400)).reordered(tuple(rng.permutation(table.schema.names).tolist()))
    options = {"delta": 0.02, "min_rows": 40, "smoothing": 1.0, "feature_length": 2}
    first, second = (
        tw.FeatureNetwork(learn_rows(tw.count(one), **options).structure) for one in (table, turned)
    )
    rows = every_row(table.schema)
    assert np.array_equal(np.sort(first.log_probability(rows)), np.sort(second.log_probability(rows)))
    assert first.log_probability(rows) == pytest.approx(second.log_probability(rows), abs=1e-12)
    assert first.graph.kinds() == second.graph.kinds()


def test_repeated_rows_are_weighted_rows():
    codes = random_rows(6, 150, 3)
    options = {"delta": 0.03, "feature_length": 2}
    once = learn(codes, **options, min_rows=20, smoothing=1.0)
    twice = learn(np.repeat(codes, 2, axis=0), **options, min_rows=40, smoothing=2.0)
    weighted = learn_rows(
        tw.count(table_of(codes, weights=np.full(150, 2.0))), **options, min_rows=40, smoothing=2.0
    ).structure
    assert once == twice
    assert np.allclose(twice.numbers, weighted.numbers, atol=1e-12)


def test_shards_and_caches_learn_as_the_whole():
    table = table_of(random_rows(6, 300, 9))
    options = {"delta": 0.03, "min_rows": 40, "smoothing": 1.0}
    whole = tw.learn_efficient_markov(tw.count(table), **options).structure
    shards = tw.ShardedCounter([tw.count(shard) for shard in table.shards(3)])
    for counter in (shards, tw.statistics.CachedCounter(tw.count(table))):
        assert tw.learn_efficient_markov(counter, **options).structure == whole


def test_parity_shows_in_three_variables_only():
    rng = np.random.default_rng(0)
    xy = rng.integers(2, size=(4000, 2))
    codes = np.column_stack([xy, xy[:, 0] ^ xy[:, 1], rng.integers(2, size=(4000, 3))])
    counter = tw.count(table_of(codes))
    assert len(find_low_information_blocks(counter, delta=0.01, largest_set=2)) == 6
    assert find_low_information_blocks(counter, delta=0.01, largest_set=3)[0] == ("a", "b", "c")
    learned = tw.learn_efficient_markov(counter, delta=0.01, min_rows=50, smoothing=1.0)
    score = tw.FeatureNetwork(learned.structure).score(table_of(codes))
    assert score == pytest.approx(-5 * log(2), abs=0.01)


@pytest.mark.parametrize(
    "codes",
    [
        np.zeros((50, 6), dtype=int),
        np.repeat(np.arange(2).reshape(2, 1), 6, axis=1).repeat(30, axis=0),
        np.array([[0, 1, 0, 1, 0, 1]]),
        np.array([[0], [1], [1]]),
        np.zeros((0, 3), dtype=int),
    ],
    ids=["constant", "copies", "one row", "one column", "no rows"],
)
@pytest.mark.parametrize("leaf", ["tree", "independent"])
def test_degenerate_rows(codes, leaf):
    graph = learn(codes, leaf=leaf, min_rows=5, feature_length=2)
    assert total_probability(graph) == pytest.approx(1, abs=1e-12)
    if not len(codes):
        assert np.exp(tw.FeatureNetwork(graph).log_probability(every_row(graph.schema))) == pytest.approx(
            1 / 8
        )


def test_without_smoothing_the_graph_can_be_the_empirical_distribution():
    codes = random_rows(4, 60, 2)
    graph = learn(codes, delta=0.0, min_variables=5, **EXACT)
    found = np.exp(tw.FeatureNetwork(graph).log_probability(every_row(graph.schema)))
    expected = [counted(codes)[row] / 60 for row in product((0, 1), repeat=4)]
    assert found == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------ choosing, and refusals
def test_settings_are_chosen_on_the_rows_given():
    table, valid = (table_of(random_rows(7, n, seed)) for n, seed in ((800, 1), (300, 2)))
    seen = []
    learned = tw.learn_efficient_markov(tw.count(table), valid=valid, progress=seen.append)
    assert learned.chosen == ("delta", "min_rows", "smoothing")
    assert learned.valid_log_likelihood == max(step.score for step in seen)
    model = tw.FeatureNetwork(learned.structure)
    assert model.score(valid) == pytest.approx(learned.valid_log_likelihood)
    assert learned.notes[0].startswith("chosen on the validation rows (300): delta ")
    assert learned.trace.total("runs") == len(seen)
    assert seen[0].phase == "delta 0.01, min_rows 200, smoothing 1.0"


def test_a_tenth_is_held_out_whatever_the_order_of_the_rows():
    table = table_of(random_rows(6, 600, 4))
    first = tw.learn_efficient_markov(tw.count(table), delta="gtest", smoothing=1.0)
    second = tw.learn_efficient_markov(
        tw.count(table.take(np.arange(600)[::-1])), delta="gtest", smoothing=1.0
    )
    assert first.structure == second.structure
    assert first.chosen == ("min_rows",)
    assert "chosen on a tenth of the rows" in first.notes[0]
    assert 30 < first.trace.total("held_out") < 90


def test_out_of_time_the_rest_are_leaves():
    learned = tw.learn_efficient_markov(
        tw.count(table_of(random_rows(8, 500, 1))), delta=0.001, min_rows=20, smoothing=1.0, seconds=1e-9
    )
    assert "split" not in learned.structure.kinds()
    assert learned.trace.stopped_by == "seconds"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": "bic"}, "delta= is a number of nats, 'auto' or 'gtest'; found 'bic'"),
        ({"delta": -1.0}, "delta= is a number from 0 on; found -1.0"),
        (
            {"leaf": "trees"},
            "leaf='trees' is not known; there are 'tree', 'independent'; did you mean 'tree'?",
        ),
        ({"level": 2.0}, "level= is a probability between 0 and 1; found 2.0"),
        ({"largest_set": 0}, "largest_set= is a number from 1 on; found 0"),
        ({"max_depth": -1}, "max_depth= is a number from 0 on, or None; found -1"),
        ({"seconds": 0}, "seconds= is a time above 0, or None; found 0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(tw.errors.SettingError) as caught:
        learn_rows(tw.count(table_of(random_rows(3, 20, 0))), **options)
    assert str(caught.value) == message


def test_a_counter_without_rows_is_refused():
    class Remote:
        counts_many = None

        def __init__(self, counter):
            self.schema, self.n_rows = counter.schema, counter.n_rows

    remote = Remote(tw.count(table_of(random_rows(3, 20, 0))))
    with pytest.raises(tw.errors.SettingError, match="a Remote has none to show"):
        tw.learn_efficient_markov(remote, delta=0.1, min_rows=5, smoothing=1.0)


def test_no_rows_and_no_smoothing_are_refused():
    with pytest.raises(ValueError, match="there are no rows, and alpha = 0 leaves nothing to estimate from"):
        learn(np.zeros((0, 3), dtype=int), **EXACT)


def sized(n, states, n_rows):
    """A counter as far as the rule of the defaults looks at it: every row differs."""
    codes = np.random.default_rng(0).integers(0, states, size=(n_rows, n))
    codes[:states] = np.arange(states)[:, None]
    return tw.count(tw.read_table({f"x{v:03}": column.tolist() for v, column in enumerate(codes.T)}))


@pytest.mark.parametrize(
    ("n", "states", "n_rows", "largest", "candidates"),
    [
        (16, 2, 2000, 3, None),  # as in the paper
        (8, 3, 300, 3, None),
        (37, 3, 1000, 2, None),  # triples of many states are counted row by row
        (150, 2, 2000, 2, None),
        (450, 2, 2000, 2, 10),
    ],
)
def test_the_size_of_the_problem_decides_what_is_tried(n, states, n_rows, largest, candidates):
    found = by_size(sized(n, states, n_rows), MarkovSettings())
    assert found.largest_set == largest
    assert (found.candidates is None) == (candidates is None)
    assert candidates is None or candidates <= found.candidates < n


def test_what_is_given_counts_for_more_than_the_size():
    counter = sized(450, 2, 500)
    found = by_size(counter, MarkovSettings(largest_set=3, candidates=450))
    assert (found.largest_set, found.candidates) == (3, 450)


def test_the_default_learns_what_its_settings_say():
    table = tw.load_network("alarm").sample(300, rng=np.random.default_rng(0))
    fixed = {"delta": 0.02, "min_rows": 100, "smoothing": 1.0}
    learned = tw.learn_efficient_markov(tw.count(table), **fixed)
    assert learned.settings == MarkovSettings(**fixed, largest_set=2)
    again = tw.learn_efficient_markov(tw.count(table), settings=learned.settings)
    assert again.structure == learned.structure
