"""Penalised regressions: optimality, scikit-learn, recovery, and laws of order and numbering."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.learners.nodewise import contrasts, gradients, log_likelihood, tables_of

import treewright as tw
from treewright import _core
from treewright.errors import SchemaError, SettingError, TableTooLarge


def rng(seed=0):
    return np.random.default_rng(seed)


def ising_chain(n, coupling):
    """Neighbours agree; every pair weighs the same."""
    schema = tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(n)])
    agree = np.exp(coupling * np.array([[1, -1], [-1, 1]]))
    return tw.MarkovNetwork(schema, {(f"x{v}", f"x{v + 1}"): agree for v in range(n - 1)})


def random_rows(seed, n_rows=60, most=4):
    chance = rng(seed)
    cardinalities = chance.integers(1, most, size=int(chance.integers(2, 6)), endpoint=True)
    hidden = chance.integers(0, 3, size=n_rows)
    codes = [(hidden * chance.integers(0, 2) + chance.integers(0, r, size=n_rows)) % r for r in cardinalities]
    weights = chance.integers(1, 5, size=n_rows).astype(float)
    return np.array(codes, dtype=np.uint32), weights, cardinalities.tolist()


@pytest.mark.parametrize("n_states", range(1, 7))
def test_contrasts_are_orthonormal_and_agree_with_the_twin(n_states):
    found = _core.state_contrasts(n_states)
    assert np.allclose(found.T @ found, np.eye(n_states - 1))
    assert np.allclose(found.sum(axis=0), 0)
    assert np.allclose(found, contrasts(n_states))


def assert_optimal(codes, row_weights, cardinalities, penalty):
    design = _core.NodewiseDesign(codes, row_weights, cardinalities)
    matrix, intercepts, _, _, supports, _ = _core.nodewise_at_penalty(design, penalty, 1e-8)
    price = 2 * penalty / row_weights.sum()
    for target in range(len(cardinalities)):
        tables, intercept = tables_of(cardinalities, target, matrix, intercepts)
        constant, slopes = gradients(codes, row_weights, cardinalities, target, intercept, tables)
        assert np.abs(constant).max(initial=0) < 1e-6
        for v, slope in slopes.items():
            mine, other = contrasts(cardinalities[target]), contrasts(cardinalities[v])
            weights = mine.T @ tables[v] @ other
            size = np.linalg.norm(weights)
            assert bool(supports[target, v]) == (size > 0)
            if size == 0:
                assert np.linalg.norm(slope) <= price + 1e-6
            else:
                assert np.linalg.norm(slope + price * weights / size) < 1e-6


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.2, 30))
def test_weights_meet_the_optimality_conditions(seed, penalty):
    assert_optimal(*random_rows(seed), penalty)


def rows_of_many_states(n_rows, many, *, skewed=False, binary=20, seed=0):
    """Binary columns that depend on those of many states, on each other, or on nothing."""
    chance = rng(seed)
    columns = [
        np.minimum(chance.zipf(1.5, n_rows) - 1, r - 1) if skewed else chance.integers(0, r, n_rows)
        for r in many
    ]
    for j in range(binary):
        if j < binary // 3:
            share = chance.uniform(0.05, 0.95, many[j % len(many)])[columns[j % len(many)]]
        else:
            share = np.where(columns[-1] == 1, 0.8, 0.3) if j < binary // 2 else 0.4
        columns.append((chance.random(n_rows) < share).astype(np.int64))
    return np.array(columns, dtype=np.uint32), np.ones(n_rows), [*many, *[2] * binary]


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10_000),
    st.floats(0.5, 20),
    st.lists(st.integers(15, 60), min_size=1, max_size=2),
    st.booleans(),
)
def test_weights_of_many_states_meet_the_optimality_conditions(seed, penalty, many, skewed):
    assert_optimal(*rows_of_many_states(120, many, skewed=skewed, binary=6, seed=seed), penalty)


@pytest.mark.parametrize("n_rows", [300, 1_000])
@pytest.mark.parametrize("many", [[30], [60], [30, 60]])
def test_many_states_take_seconds_not_minutes(n_rows, many):
    design = _core.NodewiseDesign(*rows_of_many_states(n_rows, many))
    spent = []
    for _ in range(2):  # other work on the machine slows one of them rather than both
        begin = time.process_time()
        _, _, penalties, _, supports, _ = _core.nodewise_by_ebic(design, 30, 0.01, 0.5, 5, 1e-7)
        spent.append(time.process_time() - begin)
    assert min(spent) < 3  # about one on an idle machine
    assert (penalties > 0).all()
    assert supports.any()


def test_threads_do_not_change_a_bit_of_many_states():
    design = _core.NodewiseDesign(*rows_of_many_states(300, [30, 45]))
    found = []
    for threads in (1, 2):
        _core.set_threads(threads)
        try:
            found.append(_core.nodewise_by_ebic(design, 30, 0.01, 0.5, 5, 1e-7))
        finally:
            _core.set_threads(0)
    assert all(np.array_equal(*pair) for pair in zip(*found, strict=True))


@pytest.mark.parametrize("penalty", [3.0, 40.0])
@pytest.mark.parametrize("seed", range(3))
def test_binary_regressions_agree_with_scikit_learn(seed, penalty):
    linear_model = pytest.importorskip("sklearn.linear_model")
    table = tw.networks.random_markov_network(tw.networks.lattice_graph(2, 4), rng=rng(seed)).sample(
        800, rng=rng(seed)
    )
    learned = tw.learn_l1_neighbourhoods(tw.count(table), penalty=penalty, rule="or", tolerance=1e-9)
    columns = np.array(table.columns).astype(float)
    solver = linear_model.LogisticRegression(
        l1_ratio=1, C=1 / penalty, solver="saga", tol=1e-8, max_iter=20_000, random_state=0
    )
    both = np.zeros((8, 8))
    for v in range(8):
        others = [u for u in range(8) if u != v]
        both[v, others] = solver.fit(columns[others].T, columns[v]).coef_[0]
    weights = dict(zip(map(str, learned.features), learned.weights, strict=True))
    for u, v in learned.structure.index_edges():
        first, second = table.schema.names[u], table.schema.names[v]
        found = weights[f"{first}='s1' & {second}='s1'"]
        assert found == pytest.approx((both[u, v] + both[v, u]) / 2, abs=1e-5)
    joined = (np.abs(both) > 1e-6) | (np.abs(both.T) > 1e-6)
    assert learned.structure.n_edges == joined.sum() / 2


def test_an_ising_chain_is_recovered():
    truth = ising_chain(10, 0.5)
    learned = tw.learn_l1_neighbourhoods(tw.count(truth.sample(3_000, rng=rng(1))))
    assert learned.structure == truth.structure
    assert all(
        learned.pair_weights(u, v)[0, 0] == pytest.approx(0.5, abs=0.15) for u, v in truth.structure.edges()
    )
    assert not learned.pair_weights("x0", "x5").any()
    model = tw.models.LogLinearModel(truth.schema, learned.features, learned.weights)
    test = truth.sample(5_000, rng=rng(2))
    assert model.score(test) == pytest.approx(truth.score(test), abs=0.02)


def test_more_than_two_states_are_joined_as_a_whole():
    graph = tw.networks.hub_graph(1, leaves=4, states=3)
    truth = tw.networks.random_markov_network(graph, rng=rng(4))
    learned = tw.learn_l1_neighbourhoods(tw.count(truth.sample(4_000, rng=rng(5))))
    assert learned.structure == graph
    for u, v in graph.edges():
        assert np.allclose(learned.pair_weights(u, v).sum(axis=0), 0, atol=1e-12)
        assert np.array_equal(learned.pair_weights(u, v), learned.pair_weights(v, u).T)


def test_refitted_weights_have_no_gradient_and_the_criterion_is_that_of_the_twin():
    table = tw.networks.random_markov_network(
        tw.networks.hub_graph(1, leaves=4, states=3), rng=rng(4)
    ).sample(900, rng=rng(5))
    rows = tw.statistics.distinct_rows(tw.count(table))
    cardinalities = list(rows.schema.cardinalities)
    design = _core.NodewiseDesign(rows.codes, rows.weights, cardinalities)
    matrix, intercepts, _, criteria, supports, _ = _core.nodewise_by_ebic(design, 30, 0.01, 0.5, 5, 1e-8)
    for target in range(len(cardinalities)):
        tables, intercept = tables_of(cardinalities, target, matrix, intercepts)
        _, slopes = gradients(rows.codes, rows.weights, cardinalities, target, intercept, tables)
        chosen = np.flatnonzero(supports[target])
        assert max((np.abs(slopes[v]).max() for v in chosen), default=0) < 1e-6
        log = log_likelihood(rows.codes, rows.weights, cardinalities, target, intercept, tables)
        n_parameters = sum((cardinalities[v] - 1) * (cardinalities[target] - 1) for v in chosen)
        wanted = -2 * log + n_parameters * np.log(900) + 2 * 0.5 * len(chosen) * np.log(4)
        assert criteria[target] == pytest.approx(wanted, abs=1e-4)


def test_validation_takes_the_penalty_that_predicts_best():
    truth = ising_chain(8, 0.2)
    train, valid = (tw.count(truth.sample(n, rng=rng(n))) for n in (150, 2_000))
    rows, others = tw.statistics.distinct_rows(train), tw.statistics.distinct_rows(valid)
    design = _core.NodewiseDesign(rows.codes, rows.weights, [2] * 8)
    logs = {}
    for penalty in (0.001, 2.0, 3_000.0):
        matrix, intercepts, *_ = _core.nodewise_at_penalty(design, penalty, 1e-7)
        tables = [tables_of([2] * 8, v, matrix, intercepts) for v in range(8)]
        logs[penalty] = sum(
            log_likelihood(others.codes, others.weights, [2] * 8, v, intercept, weights)
            for v, (weights, intercept) in enumerate(tables)
        )
    best = max(logs, key=logs.get)
    assert best == 2.0
    learned = tw.learn_l1_neighbourhoods(train, penalty="validation", valid=valid, penalties=list(logs))
    assert set(learned.penalties.values()) == {best}
    assert np.array_equal(learned.weights, tw.learn_l1_neighbourhoods(train, penalty=best).weights)


@pytest.mark.slow
def test_the_order_of_rows_columns_and_threads_does_not_matter():
    table = tw.networks.random_markov_network(tw.networks.load_graph("karate"), rng=rng(3)).sample(
        500, rng=rng(4)
    )
    turned = table.reordered(table.schema.names[::-1]).take(rng(5).permutation(500))
    first, second = (tw.learn_l1_neighbourhoods(tw.count(one)) for one in (table, turned))
    _core.set_threads(1)
    try:
        third = tw.learn_l1_neighbourhoods(tw.count(table))
    finally:
        _core.set_threads(0)
    assert first.structure.edges() == second.structure.edges() == third.structure.edges()
    assert first.penalties == second.penalties == third.penalties
    u, v = first.structure.edges()[0]
    assert np.array_equal(first.pair_weights(u, v), second.pair_weights(u, v))


def test_the_numbering_of_states_does_not_matter():
    table = tw.networks.random_markov_network(
        tw.networks.hub_graph(1, leaves=3, states=3), rng=rng(8)
    ).sample(1_000, rng=rng(9))
    turned = tw.Table(table.schema, [(np.asarray(column) + 1) % 3 for column in table.columns])
    first, second = (tw.learn_l1_neighbourhoods(tw.count(one), penalty=15) for one in (table, turned))
    assert first.structure == second.structure
    for u, v in first.structure.edges():
        ours, theirs = first.pair_weights(u, v), second.pair_weights(u, v)
        assert np.allclose(ours, np.roll(theirs, (-1, -1), axis=(0, 1)), atol=1e-4)


def test_weights_of_rows_are_repetitions():
    table = tw.networks.random_markov_network(tw.networks.lattice_graph(2, 3), rng=rng(3)).sample(
        300, rng=rng(4)
    )
    times = rng(5).integers(0, 4, size=300)
    first = tw.learn_l1_neighbourhoods(tw.count(table.with_weights(times)), penalty=4)
    second = tw.learn_l1_neighbourhoods(tw.count(table.take(np.repeat(np.arange(300), times))), penalty=4)
    assert first.structure == second.structure
    assert np.array_equal(first.weights, second.weights)


def test_shards_are_the_whole():
    table = tw.networks.random_markov_network(tw.networks.lattice_graph(2, 3), rng=rng(3)).sample(
        300, rng=rng(4)
    )
    shards = tw.ShardedCounter([tw.count(shard) for shard in table.shards(3)])
    first, second = (tw.learn_l1_neighbourhoods(c) for c in (tw.count(table), shards))
    assert first.structure == second.structure
    assert np.array_equal(first.weights, second.weights)


def test_both_verdicts_are_stricter_than_one():
    counter = tw.count(
        tw.networks.random_markov_network(tw.networks.load_graph("karate"), rng=rng(2)).sample(
            400, rng=rng(4)
        )
    )
    either, both = (tw.learn_l1_neighbourhoods(counter, rule=rule) for rule in ("or", "and"))
    assert both.structure.is_subgraph_of(either.structure)
    assert both.structure.n_edges < either.structure.n_edges
    assert either.found == both.found


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [], "b": []},
        {"a": [0, 0, 0], "b": [0, 1, 0]},
        {"a": [0, 1]},
        {"a": [0, 1] * 20, "b": [0, 1] * 20, "c": [0, 1] * 20},
    ],
)
def test_degenerate_rows_are_no_problem(columns):
    schema = tw.Schema([tw.Variable(name, (0, 1, 2)) for name in columns])
    table = tw.Table(schema, [np.array(column, dtype=np.uint8) for column in columns.values()])
    for penalty in ("ebic", 1.0):
        learned = tw.learn_l1_neighbourhoods(tw.count(table), penalty=penalty)
        assert np.isfinite(learned.weights).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": 0.0}, 'penalty is a positive number, "ebic" or "validation"; found 0.0'),
        ({"penalty": "bic"}, "penalty must be one of 'ebic', 'validation'; found 'bic'"),
        ({"rule": "xor"}, "rule must be one of 'or', 'and'; found 'xor'"),
        ({"gamma": -1.0}, "gamma is a number from 0 on; found -1.0"),
        ({"n_penalties": 1}, "a path has at least 2 penalties; found n_penalties=1"),
        ({"smallest": 1.0}, "smallest is a share between 0 and 1, both excluded; found 1.0"),
        ({"tolerance": 1.0}, "tolerance lies between 0 and 0.01, both excluded; found 1.0"),
        (
            {"penalty": "validation"},
            'penalty="validation" needs rows to validate on: pass valid=tw.count(table)',
        ),
    ],
)
def test_refusals(options, message):
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))
    with pytest.raises(SettingError) as refused:
        tw.learn_l1_neighbourhoods(counter, **options)
    assert str(refused.value) == message


def test_other_variables_cannot_validate():
    counter, other = (tw.count(tw.read_table({name: [0, 1]})) for name in "ab")
    with pytest.raises(SchemaError, match="must have the same variables and states"):
        tw.learn_l1_neighbourhoods(counter, penalty="validation", valid=other)


def test_too_many_rows_are_refused_before_they_are_made():
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", range(1_000))])
    table = tw.Table(schema, [np.arange(1_000) % 2, np.arange(1_000)])
    tw.set_memory_limit("1MiB")
    try:
        with pytest.raises(TableTooLarge, match="regressions on 1000 contrasts of states"):
            tw.learn_l1_neighbourhoods(tw.count(table))
    finally:
        tw.set_memory_limit(None)
