"""Hidden trees: the twin, sums over all states, EM that climbs, and what must not matter."""

from itertools import product

import numpy as np
import pytest
from tests.reference.learners.hidden_tree import SlowHiddenTree

import treewright as tw
from treewright import _core
from treewright.learners.efficient_markov import hidden_tree as module
from treewright.learners.efficient_markov.density import checked_rows
from treewright.models.features.feature_network import FeatureNetwork

CARDINALITIES = [2, 3, 2, 4, 2, 2]


def clustered(n_rows, cardinalities=CARDINALITIES, seed=0, weights=None):
    """Rows from a few clusters, so that there is something to hide."""
    rng = np.random.default_rng(seed)
    z = rng.integers(3, size=n_rows)
    columns = [rng.dirichlet(np.full(r, 0.6), size=3) for r in cardinalities]
    codes = np.array([[rng.choice(len(t[k]), p=t[k]) for t in columns] for k in z])
    return tw.Table.from_codes(
        codes, cardinalities, [f"v{i}" for i in range(len(cardinalities))], weights=weights
    )


def every_row(cardinalities):
    return tw.Table.from_codes(
        np.array(list(product(*map(range, cardinalities)))),
        cardinalities,
        [f"v{i}" for i in range(len(cardinalities))],
    )


def learner_of(table, *, states=3, ar=False, smoothing=(0.0, 0.0), edges=None, batch=0, seed=5):
    rows = checked_rows(tw.count(table))
    clusters = _core.find_clusters(rows, states, 3, seed)
    edges = _core.learn_edges(rows, None) if edges is None else edges
    return rows, _core.HiddenLearner(rows, clusters, edges, ar, *smoothing, 0.9, batch, seed)


@pytest.mark.parametrize("ar", [False, True])
def test_messages_agree_with_the_twin_and_with_enumeration(ar):
    rows, learner = learner_of(clustered(150), ar=ar)
    slow = SlowHiddenTree(learner.arrays(), CARDINALITIES)
    logs = learner.log_likelihoods(rows)
    for row, log in zip(np.asarray(rows.codes)[:6], logs, strict=False):
        assert np.exp(log) == pytest.approx(slow.probability(row), rel=1e-5)
        assert slow.by_enumeration(row) == pytest.approx(slow.probability(row), rel=1e-12)


@pytest.mark.parametrize("ar", [False, True])
def test_a_step_of_em_agrees_with_the_twin(ar):
    rows, learner = learner_of(clustered(200, seed=1), ar=ar)
    slow = SlowHiddenTree(learner.arrays(), CARDINALITIES)
    transitions, emissions = slow.step(np.asarray(rows.codes), np.asarray(rows.weights))
    learner.epoch(1.0, 1.0)
    after = SlowHiddenTree(learner.arrays(), CARDINALITIES)
    for ours, theirs in zip(after.transitions, transitions, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)
    for ours, theirs in zip(after.emissions, emissions, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)


@pytest.mark.parametrize("ar", [False, True])
def test_plain_em_never_lowers_the_likelihood(ar):
    rows, learner = learner_of(clustered(400, seed=2), ar=ar, states=4)
    weights = np.asarray(rows.weights)
    scores = []
    for _ in range(30):
        scores.append(float((weights * learner.log_likelihoods(rows)).sum() / rows.total))
        learner.epoch(1.0, 1.0)
    assert min(np.diff(scores)) > -1e-5
    assert scores[-1] > scores[0] + 0.01


@pytest.mark.parametrize(("states", "ar"), [(2, False), (4, True), (16, False), (5, True)])
def test_probabilities_of_all_rows_sum_to_one(states, ar):
    learned = tw.learn_hidden_tree(tw.count(clustered(300)), states=states, autoregressive=ar, epochs=4)
    total = np.exp(FeatureNetwork(learned.structure).log_probability(every_row(CARDINALITIES))).sum()
    assert total == pytest.approx(1.0, abs=1e-12)


def test_the_model_asked_is_the_model_learned():
    rows, learner = learner_of(clustered(300, seed=4), smoothing=(1.0, 1.0), batch=64)
    learner.epoch(0.4, 0.1)
    table = clustered(300, seed=4)
    model = FeatureNetwork(tw.graphs.FeatureGraph(table.schema, *learner.arrays()))
    ours = float((np.asarray(rows.weights) * learner.log_likelihoods(rows)).sum() / rows.total)
    assert model.score(table) == pytest.approx(ours, abs=1e-5)


def test_one_hidden_state_means_independence():
    table = clustered(500, seed=3)
    learned = tw.learn_hidden_tree(tw.count(table), states=1, smoothing=(0.0, 0.0), valid=table, batch=0)
    marginals = [np.bincount(table.column(v), minlength=r) / 500 for v, r in enumerate(CARDINALITIES)]
    expected = sum(np.log(m[table.column(v)]) for v, m in enumerate(marginals))
    np.testing.assert_allclose(FeatureNetwork(learned.structure).log_probability(table), expected, atol=1e-5)


@pytest.mark.parametrize("ar", [False, True])
def test_hidden_states_that_never_change_are_the_components_of_a_mixture(ar):
    """Of products of columns; with `ar`, of trees of one shape."""
    rng = np.random.default_rng(0)
    parents, pi = [None, 0, 0, 1], rng.dirichlet(np.ones(3))
    emissions = [rng.dirichlet(np.ones(2), size=(2 if ar and p is not None else 1, 3)) for p in parents]
    stay = np.where(np.eye(3) > 0, 0.0, -np.inf).ravel()
    numbers = [
        part for i, e in enumerate(emissions) for part in (stay if i else np.log(pi), np.log(e).ravel())
    ]
    builder = _core.FeatureBuilder([2] * 4)
    leaf = builder.hidden(3, ar, [0, 1, 2, 3], [2**32 - 1, 0, 0, 1], np.concatenate(numbers))
    schema = tw.Schema([tw.Variable(f"v{i}", (0, 1)) for i in range(4)])
    model = FeatureNetwork(tw.graphs.FeatureGraph(schema, *builder.finish(leaf)))
    codes = np.array(list(product((0, 1), repeat=4)))

    def component(h, row):
        seen = [row[p] if ar and p is not None else 0 for p in parents]
        return np.prod([e[seen[i], h, row[i]] for i, e in enumerate(emissions)])

    expected = [sum(pi[h] * component(h, row) for h in range(3)) for row in codes]
    found = model.log_probability(tw.Table.from_codes(codes, schema))
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-12)


def test_numbering_hidden_states_otherwise_changes_nothing():
    table = clustered(300)
    arrays = list(tw.learn_hidden_tree(tw.count(table), states=3, epochs=3).structure.arrays)
    slow = SlowHiddenTree(arrays, CARDINALITIES)
    turn = [2, 0, 1]
    numbers = []
    for t, e in zip(slow.transitions, slow.emissions, strict=True):
        numbers += [t[turn] if t.ndim == 1 else t[turn][:, turn], e[:, turn]]
    arrays[6] = np.log(np.concatenate([part.ravel() for part in numbers]))
    turned = tw.graphs.FeatureGraph(table.schema, *arrays)
    before = FeatureNetwork(tw.learn_hidden_tree(tw.count(table), states=3, epochs=3).structure)
    np.testing.assert_allclose(
        FeatureNetwork(turned).log_probability(table), before.log_probability(table), atol=1e-12
    )


@pytest.mark.slow
def test_a_star_of_500_children_stays_finite():
    rng = np.random.default_rng(0)
    codes = (rng.random((130, 501)) < rng.random((130, 1))).astype(int)
    table = tw.Table.from_codes(codes, [2] * 501, [f"v{i:03}" for i in range(501)])
    rows, learner = learner_of(table, states=32, edges=[(0, i) for i in range(1, 501)], batch=64)
    for _ in range(3):
        learner.epoch(0.4, 0.2)
    logs = learner.log_likelihoods(rows)
    assert learner.is_finite
    assert np.isfinite(logs).all()
    model = FeatureNetwork(tw.graphs.FeatureGraph(table.schema, *learner.arrays()))
    mean = float((np.asarray(rows.weights) * logs).sum() / rows.total)
    assert model.score(table) == pytest.approx(mean, abs=1e-3)


def test_marginals_equal_enumeration():
    table = clustered(300, [2, 3, 2, 2], seed=7)
    model = FeatureNetwork(tw.learn_hidden_tree(tw.count(table), states=3, autoregressive=True).structure)
    rows = every_row([2, 3, 2, 2])
    p = np.exp(model.log_probability(rows))
    given = rows.column("v1") == 2
    expected = p[given & (rows.column("v3") == 1)].sum() / p[given].sum()
    assert model.query("v3", given={"v1": 2})[1] == pytest.approx(expected, abs=1e-12)


def test_weighted_rows_count_as_repeated_ones():
    weights = np.random.default_rng(1).integers(0, 4, 300)
    weighted = clustered(300, weights=weights)
    repeated = clustered(300).take(np.repeat(np.arange(300), weights))
    first, second = (tw.learn_hidden_tree(tw.count(t), states=3, epochs=5) for t in (weighted, repeated))
    assert first.structure == second.structure


def test_order_of_rows_and_columns_shards_and_threads_do_not_matter():
    table = clustered(400, seed=9)
    settings = {"states": 4, "epochs": 4, "batch": 64, "smoothing": (0.3, 1.0)}
    expected = FeatureNetwork(tw.learn_hidden_tree(tw.count(table), **settings).structure).log_probability(
        table
    )
    shuffled = table.take(np.random.default_rng(0).permutation(400))
    turned = table.reordered(table.schema.names[::-1])
    sharded = tw.statistics.CachedCounter(tw.ShardedCounter([tw.count(part) for part in table.shards(3)]))
    before = _core.threads()
    for counter in (tw.count(shuffled), tw.count(turned), sharded):
        _core.set_threads(1 if counter is sharded else 3)
        found = FeatureNetwork(tw.learn_hidden_tree(counter, **settings).structure)
        np.testing.assert_array_equal(found.log_probability(table), expected)
    _core.set_threads(before)


def test_every_vector_unit_learns_the_same_bits():
    before = _core.simd_level()
    found = []
    for level in _core.simd_levels():
        _core.set_simd_level(level)
        found.append(tw.learn_hidden_tree(tw.count(clustered(300)), states=7, epochs=3, batch=100).structure)
    _core.set_simd_level(before)
    assert all(one == found[0] for one in found)


def test_validation_rows_progress_and_the_clock():
    table, seen = clustered(300), []
    learned = tw.learn_hidden_tree(
        tw.count(table),
        states=2,
        epochs=3,
        batch=50,
        valid=clustered(80, seed=8),
        progress=seen.append,
    )
    assert [step.done for step in seen] == [1, 2, 3]
    assert learned.trace.phases[0].tallies["held_out_rows"] == 0
    assert learned.trace.phases[1].tallies["log_likelihood"] == max(step.score for step in seen)
    late = tw.learn_hidden_tree(tw.count(table), states=2, seconds=1e-9)
    assert late.trace.stopped_by == "seconds"
    assert tw.learn_hidden_tree(tw.count(table), states=2).trace.phases[0].tallies["held_out_rows"] > 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"states": 0}, "states= is a number of hidden states, at least 1; found 0"),
        (
            {"smoothing": (-1.0, 1.0)},
            "smoothing= holds two numbers of pseudo-rows from 0 on; found (-1.0, 1.0)",
        ),
        ({"epochs": 0}, "epochs= is a number of passes, at least 1; found 0"),
        ({"batch": -1}, "batch= is a number of rows, or 0 for all; found -1"),
        ({"seconds": 0}, "seconds= is a time above 0, or None; found 0"),
    ],
)
def test_settings_that_make_no_sense(options, message):
    with pytest.raises(tw.errors.SettingError) as refusal:
        tw.learn_hidden_tree(tw.count(clustered(20)), **options)
    assert str(refusal.value) == message


def test_refused_rows():
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("t")])
    with pytest.raises(tw.errors.SchemaError, match="'t' is continuous; this learner takes discrete columns"):
        tw.learn_hidden_tree(tw.count(tw.Table(schema, [[0, 1], [0.5, 1.5]])))
    none = clustered(5).take(slice(0, 0))
    with pytest.raises(tw.errors.SettingError, match="there are no rows to learn from"):
        tw.learn_hidden_tree(tw.count(none))
    with pytest.raises(tw.errors.SchemaError, match="valid= lacks the column 'v5'"):
        tw.learn_hidden_tree(
            tw.count(clustered(20)), valid=clustered(20).select(["v0", "v1", "v2", "v3", "v4"])
        )
    counts = tw.statistics.JointCounts(tw.Schema([tw.Variable("a", (0, 1))]), np.array([3, 4]))
    with pytest.raises(tw.errors.SettingError, match="a JointCounts has none to show; count a table in"):
        tw.learn_hidden_tree(counts)


def test_numbers_that_break_down_are_refused(monkeypatch):
    monkeypatch.setattr(module, "mean_log", lambda *_: float("nan"))
    with pytest.raises(tw.errors.SettingError, match=r"no hidden tree with smoothing=.* stayed finite"):
        tw.learn_hidden_tree(tw.count(clustered(50)), states=2)


def test_columns_of_too_many_states_are_refused_by_name():
    table = tw.Table.from_codes(np.array([[0, 0], [1, 1]]), [2, 70_000], ["a", "b"])
    with pytest.raises(tw.errors.SchemaError, match="'b' has 70,000 states; this learner takes up to 65,536"):
        tw.learn_hidden_tree(tw.count(table))
