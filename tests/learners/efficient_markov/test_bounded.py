"""Bounded networks as members: exact as leaves, smooth by the book, and fair to states that no row has."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import treewright as tw
from treewright import _core
from treewright.learners.efficient_markov import bounded
from treewright.learners.efficient_markov.density import LearningRows, Meter, checked_rows, learning_rows

CARDINALITIES = [2, 3, 2, 4, 2, 3]


def every_row(schema):
    return tw.Table.from_codes(np.array(list(product(*map(range, schema.cardinalities)))), schema)


def dependent(n, seed=0, cardinalities=CARDINALITIES):
    """Each column follows the sum of the two before it, more often than not."""
    rng = np.random.default_rng(seed)
    columns = []
    for k, r in enumerate(cardinalities):
        drawn = rng.integers(r, size=n)
        if k > 1:
            drawn = np.where(rng.random(n) < 0.8, (columns[-1] + columns[-2]) % r, drawn)
        columns.append(drawn)
    return tw.Table.from_codes(np.array(columns).T, list(cardinalities))


def fitted(table, treewidth, **options):
    rows = learning_rows(tw.count(table), table, 0)
    return rows, bounded.fitted(rows, treewidth, 0, Meter(), allowance=np.inf, **options)


def plainly_smoothed(counts, strength):
    """One context at a time, one parent after the other, in dictionaries."""
    *shape, r = counts.shape
    parents = len(shape)
    alone = [sum(counts[(*pa, x)] for pa in product(*map(range, shape))) for x in range(r)]
    base = [(n + 1 / r) / (sum(alone) + 1) for n in alone]
    seen = [x for x in range(r) if alone[x] > 0]
    free = sum(base[x] for x in seen)
    order = sorted(range(parents), key=lambda axis: (-bounded.information(counts, axis), axis))
    known = [
        {
            a
            for a in range(shape[axis])
            if sum(counts[(*pa, x)] for pa in product(*map(range, shape)) if pa[axis] == a for x in range(r))
        }
        for axis in range(parents)
    ]
    result = np.empty(counts.shape)
    for pa in product(*map(range, shape)):
        used = [axis for axis in order if pa[axis] in known[axis]]  # the others are not there
        found = {x: base[x] / free for x in seen}
        for n in range(1, len(used) + 1):
            agrees = [
                other
                for other in product(*map(range, shape))
                if all(other[axis] == pa[axis] for axis in used[:n])
            ]
            some = {x: sum(counts[(*other, x)] for other in agrees) for x in seen}
            total = sum(some.values())
            found = {x: (some[x] + strength * found[x]) / (total + strength) for x in seen}
        for x in range(r):
            result[(*pa, x)] = found[x] * free if x in found else base[x]
    return result


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([(3,), (2, 3), (2, 2, 3), (3, 2, 2, 2)]).flatmap(
        lambda shape: arrays.arrays(np.float64, shape, elements=st.integers(0, 4).map(float))
    ),
    st.sampled_from([1.0, 10.0]),
)
def test_tables_are_those_of_the_twin(counts, strength):
    if not counts.any():
        counts.flat[0] = 1.0
    found = bounded.smoothed(counts, strength)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(found, plainly_smoothed(counts, strength), atol=1e-12)


@pytest.mark.parametrize("treewidth", [1, 2, 4])
def test_a_leaf_is_the_network(treewidth):
    table = dependent(300)
    rows, network = fitted(table, treewidth)
    model = tw.FeatureNetwork(tw.graphs.FeatureGraph(table.schema, *bounded.arrays_of(rows, [network])))
    assert model.graph.kinds() == {"tree": 1}
    every = every_row(table.schema)
    logs = model.log_probability(every)
    expected = np.zeros(every.n_rows)
    for v, numbers in network.tables.items():
        family = (*network.learned.structure.parents(v), v)
        expected += np.log(numbers)[tuple(every.column(u) for u in family)]
    np.testing.assert_allclose(logs, expected, atol=1e-12)
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(network.valid_logs, model_logs(model, rows), atol=1e-12)
    for name in table.schema.names:  # sums over a leaf, against sums over all rows
        column, answer = every.column(table.schema.index(name)), list(model.query(name).values())
        sums = [np.exp(logs[column == a]).sum() for a in range(len(answer))]
        np.testing.assert_allclose(answer, sums, atol=1e-12)


def model_logs(model, rows):
    codes, place = np.asarray(rows.valid.codes), np.argsort(rows.valid.variables)
    return model.log_probability(tw.Table(model.schema, [codes[:, k] for k in place]))


def test_a_bag_is_the_mean_of_its_networks():
    table = dependent(200)
    rows = learning_rows(tw.count(table), table, 0)
    bag = bounded.train_bag(rows, 2, 4, 7, Meter())
    assert bag.name == "bag of networks of width 2 (4)"
    model = tw.FeatureNetwork(bag.graph(rows))
    np.testing.assert_allclose(bag.valid_logs, model_logs(model, rows), atol=1e-12)
    assert np.exp(model.log_probability(every_row(table.schema))).sum() == pytest.approx(1.0, abs=1e-12)


def test_networks_whose_cliques_are_too_large_are_left_out(monkeypatch):
    monkeypatch.setattr(bounded, "MOST_CELLS", 10)
    assert fitted(dependent(100), 2)[1] is None
    learned = tw.learn_mixture(tw.count(dependent(100)), components="auto", budget=0.01)
    assert not any("network of width" in member.name for member in learned.members)


def test_weights_repetitions_and_the_order_of_columns_do_not_matter():
    table = dependent(150)
    weights = np.random.default_rng(1).integers(1, 4, 150)
    heavy = tw.Table(table.schema, table.columns, weights=weights)
    repeated = table.take(np.repeat(np.arange(150), weights))
    turned = heavy.reordered(table.schema.names[::-1])
    expected = tw.learn_mixture(tw.count(heavy), components="auto", budget=0.02)
    assert any("network" in member.name for member in expected.members)
    logs = tw.FeatureNetwork(expected.structure).log_probability(table)
    before = _core.threads()
    for threads, other in ((1, repeated), (2, turned)):
        _core.set_threads(threads)
        found = tw.learn_mixture(tw.count(other), components="auto", budget=0.02)
        np.testing.assert_array_equal(tw.FeatureNetwork(found.structure).log_probability(table), logs)
    _core.set_threads(before)


@pytest.mark.parametrize("real", [False, True])
def test_rows_are_drawn_anew_by_their_weights(real):
    table = tw.Table.from_codes(np.array([[0], [1]]), [2], weights=[3000.5, 1000] if real else [3000, 1000])
    rows = checked_rows(tw.count(table))
    both = LearningRows(table.schema, rows, rows, held_out=False)
    drawn = [bounded.counter_of(both, seed).counts((0,)) for seed in range(200)]
    mean = np.mean(drawn, axis=0)
    error = np.std(drawn, axis=0) / np.sqrt(200)
    assert (abs(mean - bounded.counter_of(both).counts((0,))) < 5 * error).all()


# States that no row has


def test_a_state_that_no_row_has_costs_its_prior_and_nothing_else():
    """In a hidden tree exactly: what it says of the other columns is what they say without it."""
    table = dependent(400)
    schema = table.schema
    cards = [*schema.cardinalities[:3], schema.cardinalities[3] + 1, *schema.cardinalities[4:]]
    wide = tw.Table.from_codes(np.array(table.columns).T, cards)  # one state more, never seen
    for autoregressive in (False, True):
        learned = tw.learn_hidden_tree(
            tw.count(wide), states=4, autoregressive=autoregressive, valid=wide, smoothing=(0.3, 1.0)
        )
        model = tw.FeatureNetwork(learned.structure)
        strange = tw.Table.from_codes(
            np.array([*table.columns[:3], np.full(400, cards[3] - 1), *table.columns[4:]]).T, cards
        )
        prior = np.log(1 / cards[3] / 401)
        assert model.query("x3")[cards[3] - 1] == pytest.approx(np.exp(prior), rel=1e-5)
        if not autoregressive:
            names = [name for name in strange.schema.names if name != "x3"]
            columns = [strange.column(strange.schema.index(name)).tolist() for name in names]
            others = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
            rest = model.log_evidence(others)
            np.testing.assert_allclose(model.log_probability(strange), rest + prior, atol=1e-4)


@pytest.mark.parametrize("learner", ["auto", "network"])
def test_what_a_strange_state_costs(learner):
    table, later = dependent(2_000), dependent(1_000, seed=1)
    cards = [*table.schema.cardinalities[:3], 5, *table.schema.cardinalities[4:]]
    wide = tw.Table.from_codes(np.array(table.columns).T, cards)
    strange = np.array(later.columns)
    strange[3] = 4
    if learner == "auto":
        graph = tw.learn_mixture(tw.count(wide), components="auto", budget=0.2).structure
    else:
        rows, network = fitted(wide, 3)
        graph = tw.graphs.FeatureGraph(wide.schema, *bounded.arrays_of(rows, [network]))
    model = tw.FeatureNetwork(graph)
    cost = -model.log_probability(tw.Table.from_codes(strange.T, cards)).mean()
    without = tw.learn_mixture(tw.count(table.select([0, 1, 2, 4, 5])), components="auto", budget=0.2)
    plain = -tw.FeatureNetwork(without.structure).score(later.select([0, 1, 2, 4, 5]))
    through = 1.0  # at most: what the columns before it told those after it by way of the strange one
    assert cost < plain + np.log(5 * 2_001) + through
