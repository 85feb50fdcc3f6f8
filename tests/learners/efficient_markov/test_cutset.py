"""Cutset networks: what a split gains, leaves of every treewidth, bags, laws and refusals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.efficient_markov.feature_rows import (
    counted,
    every_row,
    random_rows,
    shape,
    table_of,
    total_probability,
)

import treewright as tw
from treewright.learners import CutsetSettings

CHOSEN = {"smoothing": 1.0, "shrinkage": 0.0, "min_rows": 30}


def learn(codes, cardinalities=None, **options):
    counter = tw.count(table_of(codes, cardinalities))
    return tw.learn_cutset_network(counter, **{**CHOSEN, **options}).structure


def log_likelihood(codes, r=2, smoothing=1.0):
    """Of the rows and of smoothing even rows under the best forest for both, by looking at every forest."""
    n = codes.shape[1]

    def entropy(columns):
        cells = np.full([r] * len(columns), smoothing / r ** len(columns))
        for row, k in counted(codes[:, list(columns)]).items():
            cells[row] += k
        shares = cells / cells.sum()
        return -float(np.sum(shares * np.log(shares)))

    information = {
        (i, j): entropy([i]) + entropy([j]) - entropy([i, j]) for i in range(n) for j in range(i + 1, n)
    }
    part, gain = list(range(n)), 0.0
    for i, j in sorted(information, key=lambda pair: -information[pair]):  # Kruskal
        if part[i] != part[j]:
            gain += information[i, j]
            part = [part[i] if p == part[j] else p for p in part]
    return (len(codes) + smoothing) * (gain - sum(entropy([i]) for i in range(n)))


def gain_of(codes, v, smoothing=1.0):
    rest = [c for c in range(codes.shape[1]) if c != v]
    sides = [codes[codes[:, v] == s][:, rest] for s in (0, 1)]
    split = sum(
        (len(side) + smoothing / 2) * np.log((len(side) + smoothing / 2) / (len(codes) + smoothing))
        for side in sides
    )
    return split + sum(log_likelihood(side) for side in sides) - log_likelihood(codes)


@pytest.mark.parametrize("seed", range(5))
def test_the_first_split_gains_most(seed):
    codes = random_rows(5, 250, seed)
    gains = [gain_of(codes, v) for v in range(5)]
    graph = learn(codes, max_depth=1)
    if max(gains) <= 0:
        assert graph.kinds() == {"tree": 1}
    else:
        assert shape(graph)[:2] == ("split", int(np.argmax(gains)))


def test_a_tree_is_chow_liu():
    codes = random_rows(6, 400, 7)
    table = table_of(codes)
    graph = learn(codes, max_depth=0)
    tree = tw.learn_chow_liu(tw.LogLikelihood(tw.count(table))).structure
    assert graph.kinds() == {"tree": 1}
    assert set(graph.to_undirected().edges()) == {tuple(sorted(edge)) for edge in tree.edges()}


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    treewidth=st.integers(0, 3),
    smoothing=st.sampled_from([0.0, 1.0]),
    shrinkage=st.sampled_from([0.0, 5.0]),
    penalty=st.sampled_from([None, "bic"]),
    states=st.integers(2, 3),
)
def test_probabilities_sum_to_one(seed, treewidth, smoothing, shrinkage, penalty, states):
    codes = random_rows(6, 120, seed, states)
    options = {"treewidth": treewidth, "smoothing": smoothing, "shrinkage": shrinkage, "penalty": penalty}
    graph = learn(codes, [states] * 6, **options)
    assert total_probability(graph) == pytest.approx(1, abs=1e-12)
    assert np.isfinite(tw.FeatureNetwork(graph).score(table_of(codes, [states] * 6)))


def test_a_variable_of_many_states_is_split_one_state_against_the_rest():
    rng = np.random.default_rng(3)
    wide = np.minimum(rng.geometric(0.4, size=1500) - 1, 9)
    rows = rng.integers(2, size=(1500, 4))
    rows[:, 1] = np.where(wide == 0, rows[:, 0], rows[:, 1])
    rows[:, 3] = np.where(wide == 0, rows[:, 3], rows[:, 2])
    graph = learn(np.column_stack([wide, rows]), [10, 2, 2, 2, 2], shrinkage=3.0)
    assert graph.kinds()["feature"] > 0
    assert total_probability(graph) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_wide_leaves_see_what_trees_cannot(k):
    rng = np.random.default_rng(k)
    rows = rng.integers(2, size=(3000, k + 1))
    noisy = rows[:, :k].sum(axis=1) % 2 ^ (rng.random(3000) < 0.1)
    parity = np.column_stack([rows[:, :k], noisy])
    tree, wide = (learn(parity, max_depth=0, treewidth=w, leaf_penalty=p) for w, p in ((1, 1.0), (k, 0.0)))
    table = table_of(parity)
    assert tw.FeatureNetwork(wide).score(table) > tw.FeatureNetwork(tree).score(table) + 0.2
    assert total_probability(wide) == pytest.approx(1, abs=1e-12)


def test_shrinkage_pulls_towards_the_context_above():
    codes = random_rows(5, 300, 1)
    free, pulled = (tw.FeatureNetwork(learn(codes, shrinkage=m, max_depth=1)) for m in (0.0, 1e6))
    whole = tw.FeatureNetwork(learn(codes, max_depth=0))
    split = free.schema.names[shape(free.graph)[1]]
    other = next(name for name in free.schema.names if name != split)
    given = {split: 1}
    assert pulled.query(other, given=given)[1] == pytest.approx(whole.query(other)[1], abs=1e-3)
    assert free.query(other, given=given)[1] != pytest.approx(whole.query(other)[1], abs=1e-3)


def test_bic_splits_less():
    codes = random_rows(8, 1500, 2)
    assert learn(codes, penalty="bic").n_nodes < learn(codes).n_nodes


def test_columns_and_rows_do_not_matter():
    table = table_of(random_rows(7, 400, 5))
    turned = table.take(np.arange(400)[::-1]).reordered(table.schema.names[::-1])
    first, second = (
        tw.FeatureNetwork(tw.learn_cutset_network(tw.count(one), **CHOSEN).structure)
        for one in (table, turned)
    )
    rows = every_row(table.schema)
    assert first.log_probability(rows) == pytest.approx(second.log_probability(rows), abs=1e-12)


def test_weights_are_repeated_rows():
    codes = random_rows(6, 200, 8)
    weights = np.random.default_rng(0).integers(1, 4, size=200)
    repeated = learn(np.repeat(codes, weights, axis=0))
    for kind in (np.int64, np.float64):
        counter = tw.count(table_of(codes, weights=weights.astype(kind)))
        assert tw.learn_cutset_network(counter, **CHOSEN).structure == repeated
    real = tw.count(table_of(codes, weights=weights * 0.5))
    halved = tw.learn_cutset_network(real, smoothing=0.5, shrinkage=0.0, min_rows=15).structure
    assert halved.kinds() == repeated.kinds()
    assert np.allclose(halved.numbers, repeated.numbers, atol=1e-9)


@pytest.mark.parametrize("codes", [np.zeros((40, 4), dtype=int), np.zeros((0, 3), dtype=int), [[0, 1]]])
def test_degenerate_rows(codes):
    for treewidth in (0, 1, 2):
        assert total_probability(learn(codes, treewidth=treewidth)) == pytest.approx(1, abs=1e-12)


# ------------------------------------------------------------------ bags
def test_a_bag_is_the_mean_of_networks_and_the_seed_decides():
    codes = random_rows(6, 400, 3)
    counter = tw.count(table_of(codes))
    settings = CutsetSettings(candidates=5, candidate_share=0.5)
    options = {"n_networks": 6, "settings": settings, **CHOSEN}
    first, again, other = (
        tw.learners.learn_cutset_bag(counter, **options, rng=np.random.default_rng(seed)).structure
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert total_probability(first) == pytest.approx(1, abs=1e-12)
    assert np.exp(first.numbers_of(first.root)).sum() == pytest.approx(1)


def test_threads_do_not_change_a_bag():
    counter = tw.count(table_of(random_rows(7, 500, 4)))
    threads = tw._core.threads()
    try:
        tw._core.set_threads(1)
        alone = tw.learners.learn_cutset_bag(counter, n_networks=4, resample=True, **CHOSEN).structure
    finally:
        tw._core.set_threads(threads)
    assert tw.learners.learn_cutset_bag(counter, n_networks=4, resample=True, **CHOSEN).structure == alone


# ------------------------------------------------------------------ choosing, and refusals
def test_settings_are_chosen_on_validation_rows():
    table, valid = (table_of(random_rows(6, n, seed)) for n, seed in ((600, 1), (200, 2)))
    learned = tw.learn_cutset_network(tw.count(table), valid=valid)
    assert learned.chosen == ("min_rows", "smoothing", "shrinkage")
    assert tw.FeatureNetwork(learned.structure).score(valid) == pytest.approx(learned.valid_log_likelihood)
    fixed = tw.learn_cutset_network(
        tw.count(table), **{name: getattr(learned.settings, name) for name in learned.chosen}
    )
    assert fixed.structure == learned.structure
    assert fixed.notes == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "aic"}, "penalty= is 'bic' or None; found 'aic'"),
        ({"smoothing": -1.0}, "smoothing= is a number from 0 on; found -1.0"),
        ({"candidates": 0}, "candidates= is a number from 1 on; found 0"),
        ({"max_depth": -2}, "max_depth= is a number from 0 on, or None; found -2"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(tw.errors.SettingError) as caught:
        tw.learn_cutset_network(tw.count(table_of(random_rows(3, 20, 0))), **options)
    assert str(caught.value) == message


def test_the_bag_refuses_what_it_cannot_hold():
    counter = tw.count(table_of(random_rows(3, 20, 0)))
    with pytest.raises(tw.errors.SettingError, match="n_networks= is a number from 1 on; found 0"):
        tw.learners.learn_cutset_bag(counter, n_networks=0)
    with pytest.raises(tw.errors.SettingError, match="candidate_share= is above 0 and at most 1; found 2"):
        tw.learners.learn_cutset_bag(counter, settings=CutsetSettings(candidate_share=2))


def test_validation_rows_need_the_same_columns_and_states():
    counter = tw.count(table_of(random_rows(3, 20, 0)))
    with pytest.raises(tw.errors.SchemaError, match="valid= lacks the column 'c'"):
        tw.learn_cutset_network(counter, valid=table_of(random_rows(2, 20, 0)))
    with pytest.raises(tw.errors.SchemaError, match="a state that the rows to learn from do not know"):
        tw.learn_cutset_network(counter, valid=table_of(list(product((0, 1, 2), repeat=3)), [3, 3, 3]))
