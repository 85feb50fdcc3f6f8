"""The graphical lasso: scikit-learn, optimality, recovery and refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import _core
from treewright.errors import SchemaError, SettingError
from treewright.learners.markov_baselines.graphical_lasso import _Found, _regular, indicator_correlations
from treewright.types import Step


def rng(seed=0):
    return np.random.default_rng(seed)


def random_correlations(seed, n):
    rows = rng(seed).normal(size=(3 * n, n)) @ rng(seed + 1).normal(size=(n, n))
    return np.corrcoef(rows.T).reshape(n, n)


def prices_of(n, penalty):
    return penalty * (1 - np.eye(n))


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_the_solver_agrees_with_scikit_learn(seed, penalty):
    covariance = pytest.importorskip("sklearn.covariance")
    sample = random_correlations(seed, 7)
    _, wanted = covariance.graphical_lasso(sample, alpha=penalty, tol=1e-10, enet_tol=1e-10, max_iter=500)
    _, found, gap, log_determinant, _ = _core.graphical_lasso(
        sample, prices_of(7, penalty), np.zeros((0, 0)), 1e-10, 1_000
    )
    assert abs(gap) <= 1e-10
    assert np.allclose(found, wanted, atol=1e-4)
    assert log_determinant == pytest.approx(np.linalg.slogdet(found)[1], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1_000), st.integers(1, 8), st.floats(0.02, 0.9))
def test_the_precision_meets_the_optimality_conditions(seed, n, penalty):
    sample = random_correlations(seed, n)
    covariance, precision, _, _, _ = _core.graphical_lasso(
        sample, prices_of(n, penalty), np.zeros((0, 0)), 1e-9, 2_000
    )
    assert np.allclose(covariance @ precision, np.eye(n), atol=1e-4)
    slope = np.linalg.inv(precision) - sample
    assert np.abs(slope - np.diag(np.diag(slope))).max(initial=0) <= penalty + 1e-4
    inside = (precision != 0) & ~np.eye(n, dtype=bool)
    assert np.allclose(slope[inside], penalty * np.sign(precision[inside]), atol=1e-4)


def test_indicators_have_the_correlations_of_their_columns():
    table = tw.networks.random_markov_network(tw.networks.lattice_graph(2, 2, states=3), rng=rng(3)).sample(
        400, rng=rng(4)
    )
    owners, states, found = indicator_correlations(tw.count(table))
    columns = [np.asarray(table.columns[v]) == s for v, s in zip(owners, states, strict=True)]
    assert np.allclose(found, np.corrcoef(np.array(columns, dtype=float)))


def test_a_tree_is_recovered():
    agree = np.exp(0.5 * np.array([[1, -1], [-1, 1]]))
    schema = tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(9)])
    truth = tw.MarkovNetwork(schema, {(f"x{v}", f"x{v + 1}"): agree for v in range(8)})
    learned = tw.learners.learn_graphical_lasso(tw.count(truth.sample(4_000, rng=rng(1))), penalty=0.15)
    assert learned.structure == truth.structure
    chosen = tw.learners.learn_graphical_lasso(tw.count(truth.sample(4_000, rng=rng(1))))
    assert truth.structure.is_subgraph_of(chosen.structure)


def test_more_than_two_states_are_joined_by_any_of_their_columns():
    graph = tw.networks.hub_graph(1, leaves=4, states=3)
    counter = tw.count(tw.networks.random_markov_network(graph, rng=rng(4)).sample(4_000, rng=rng(5)))
    learned = tw.learners.learn_graphical_lasso(counter)
    assert graph.is_subgraph_of(learned.structure)
    assert learned.precision.shape == (10, 10)
    assert learned.columns[:2] == (("x0", "s1"), ("x0", "s2"))


def test_the_order_of_columns_does_not_matter():
    table = tw.networks.random_markov_network(tw.networks.load_graph("karate"), rng=rng(3)).sample(
        300, rng=rng(4)
    )
    turned = table.reordered(table.schema.names[::-1])
    first, second = (
        tw.learners.learn_graphical_lasso(tw.count(one), n_penalties=8) for one in (table, turned)
    )
    assert first.structure.edges() == second.structure.edges()
    assert (first.penalty, first.columns) == (second.penalty, second.columns)
    assert np.array_equal(first.precision, second.precision)


@pytest.mark.parametrize("rows", [[], [0, 0, 0]])
def test_columns_that_never_vary_are_left_alone(rows):
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "ab"])
    table = tw.Table(schema, [np.array(rows, dtype=np.uint8)] * 2)
    learned = tw.learners.learn_graphical_lasso(tw.count(table))
    assert (learned.structure.n_edges, learned.columns) == (0, ())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": 1.0}, 'penalty is a number between 0 and 1, or "ebic"; found 1.0'),
        ({"penalty": "bic"}, "penalty must be one of 'ebic'; found 'bic'"),
        ({"gamma": -1.0}, "gamma is a number from 0 on; found -1.0"),
        ({"n_penalties": 1}, "a path has at least 2 penalties; found n_penalties=1"),
        ({"smallest": 0.0}, "smallest is a share between 0 and 1, both excluded; found 0.0"),
        ({"tolerance": 0.0}, "tolerance lies between 0 and 1, both excluded; found 0.0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(SettingError) as refused:
        tw.learners.learn_graphical_lasso(tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]})), **options)
    assert str(refused.value) == message


def test_continuous_columns_have_no_indicators():
    table = tw.Table(tw.Schema([tw.Variable("height")]), [[1.5]])
    with pytest.raises(SchemaError, match="indicators are of states; 'height' is continuous"):
        tw.learners.learn_graphical_lasso(tw.count(table))


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_the_extended_bic_decides(gamma):
    rows = tw.load_network("asia").sample(300, rng=np.random.default_rng(4))
    counter = tw.count(rows)
    learned = tw.learners.learn_graphical_lasso(counter, gamma=gamma, n_penalties=8)
    owners, _, correlations = indicator_correlations(counter)
    largest = np.abs(correlations[owners[:, None] != owners[None, :]]).max()
    values = {}
    for penalty in (largest * 0.01 ** (np.arange(8) / 7)).tolist():
        one = tw.learners.learn_graphical_lasso(counter, penalty=min(penalty, 1 - 1e-9)).precision
        fit = np.linalg.slogdet(one)[1] - (correlations * one).sum()
        n_joined = np.count_nonzero(np.triu(one, 1)[owners[:, None] != owners[None, :]])
        price = np.log(300) + 4 * gamma * np.log(len(owners))  # Foygel & Drton, for n rows and p columns
        values[penalty] = -300 * fit + n_joined * price
    ranked = sorted(values, key=values.__getitem__)
    assert values[ranked[1]] - values[ranked[0]] > 1  # the choice is clear
    assert learned.penalty == pytest.approx(ranked[0], rel=1e-9)


def test_of_equals_the_first_and_emptiest_is_taken():
    balanced = tw.read_table({"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5})
    learned = tw.learners.learn_graphical_lasso(tw.count(balanced), n_penalties=5)
    assert learned.structure.edges() == []
    assert learned.penalty == 1e-12  # nothing is correlated, and no penalty says anything else


def test_the_criterion_by_hand():
    # columns 0 and 1 belong to one variable: their entry is free, the two others of the triangle are paid
    precision = np.array([[2.0, -0.5, 0.3], [-0.5, 1.5, -0.2], [0.3, -0.2, 1.0]])
    correlations = np.array([[1.0, 0.4, 0.1], [0.4, 1.0, 0.2], [0.1, 0.2, 1.0]])
    owners = np.array([0, 0, 1])
    found = _Found(0.1, precision, 0.0, 0.7, 1)
    fit = 0.7 - (correlations * precision).sum()
    for gamma in (0.0, 0.5, 1.0):
        price = np.log(50) + 4 * gamma * np.log(3)
        assert found.criterion(correlations, owners, 50.0, gamma) == pytest.approx(-50 * fit + 2 * price)
    assert found.criterion(correlations, owners, 0.5, 0.0) == pytest.approx(-0.5 * fit)  # no negative price


def test_columns_of_one_variable_give_way_a_little():
    correlations = np.array([[1.0, -1.0, 0.1], [-1.0, 1.0, 0.2], [0.1, 0.2, 1.0]])
    free = np.array([[True, True, False], [True, True, False], [False, False, True]])
    expected = correlations.copy()
    expected[0, 1] = expected[1, 0] = -(1 - 1e-6)
    assert np.array_equal(_regular(correlations, free), expected)


def test_columns_are_named_in_order():
    table = tw.read_table({"b": [0, 1, 2] * 4, "a": [0, 1] * 6, "still": [1] * 12})
    owners, states, correlations = indicator_correlations(tw.count(table))
    assert [table.schema.names[v] for v in owners] == ["a", "b", "b"]
    assert states.tolist() == [1, 1, 2]
    columns = [np.array([0, 1] * 6), np.array([0, 1, 0] * 4), np.array([0, 0, 1] * 4)]
    np.testing.assert_allclose(correlations, np.corrcoef(columns), atol=1e-12)


def test_each_penalty_is_told_of():
    told = []
    table = tw.read_table({"a": [0, 1] * 6, "b": [0, 1, 1] * 4})
    tw.learners.learn_graphical_lasso(tw.count(table), n_penalties=4, progress=told.append)
    assert told == [Step("penalties", done, 4) for done in range(1, 5)]
