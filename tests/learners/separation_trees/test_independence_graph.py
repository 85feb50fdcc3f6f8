"""Independence graphs: moral graphs from an oracle, blankets one question at a time, inverse covariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.independence.test_pc import noise
from tests.learners.separation_trees.main_algorithm import learn_main
from tests.reference.graphs.directed import random_dag
from tests.reference.learners.separation_trees import slow_blanket

import treewright as tw
from treewright.errors import SettingError
from treewright.learners.separation_trees.independence_graph import (
    independence_graphs,
    partial_correlations,
    partial_p_values,
)


def gaussian_rows(n_rows, seed, n=6):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, n))
    for v in range(1, n):
        rows[:, v] += 0.8 * rows[:, v - 1]
    schema = tw.Schema([tw.Variable(name) for name in rng.permutation(list("abcdefghijkl"[:n])).tolist()])
    return tw.Moments.of_block(schema, rows)


@pytest.mark.slow
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 9), density=st.floats(0, 0.7))
def test_an_oracle_gives_the_moral_graph(seed, n, density):
    dag = random_dag(n, density, np.random.default_rng(seed))
    assert tw.learners.estimate_independence_graph(tw.DSeparationOracle(dag)).structure == dag.moral_graph()


@pytest.mark.parametrize("alpha", [0.2, 0.05, 1e-4])
@pytest.mark.parametrize("seed", range(4))
def test_blankets_against_one_question_at_a_time(seed, alpha):
    test = tw.GTest(tw.count(noise(seed, n=8, rows=250)), 0.05)
    order = list(test.schema.name_order)

    def p_value(x, y, given):
        return test.test(x, y, given).p_value

    expected = set()
    for x in order:
        for y in slow_blanket(p_value, x, [v for v in order if v != x], alpha, largest=3):
            expected.add((min(x, y), max(x, y)))
    found = tw.learners.estimate_independence_graph(test, alpha=alpha, largest=3).structure
    assert set(found.index_edges()) == expected
    grown_at_a_looser_level = independence_graphs(test, [tuple(order)], 0.2, largest=3)
    assert grown_at_a_looser_level.at(alpha) == found


def test_a_stricter_level_gives_another_graph_for_any_test():
    counter = tw.count(noise(0, rows=300))
    for test in (tw.GTest(counter), tw.ChiSquareTest(counter), tw.PosteriorTest(counter)):
        called = tw.learners.estimate_independence_graph(tw.criteria.AuditedTest(test)).structure
        assert isinstance(called, tw.UndirectedGraph)
    native = tw.learners.estimate_independence_graph(tw.GTest(counter, 0.5), alpha=0.05).structure
    assert native == tw.learners.estimate_independence_graph(tw.GTest(counter, 0.05), alpha=0.05).structure
    sharded = tw.GTest(tw.ShardedCounter([counter]), 0.5)
    assert native == tw.learners.estimate_independence_graph(sharded, alpha=0.05).structure


def test_inside_sets():
    test = tw.GTest(tw.count(noise(3, rows=300)))
    names = test.schema.names
    both = tw.learners.estimate_independence_graph(test, within=[names[:4], names[3:]]).structure
    first = tw.learners.estimate_independence_graph(test, within=[names[:4]]).structure
    second = tw.learners.estimate_independence_graph(test, within=[names[3:]]).structure
    assert set(both.edges()) == set(first.edges()) | set(second.edges())


def test_partial_correlations_against_the_test():
    moments = gaussian_rows(300, 0)
    p_values = partial_p_values(moments, tuple(range(6)))
    test = tw.FisherZTest(moments)
    for u in range(6):
        for v in range(u + 1, 6):
            rest = [w for w in range(6) if w not in (u, v)]
            assert p_values[u, v] == pytest.approx(test.test(u, v, rest).p_value, rel=1e-9)
    graph = tw.learners.estimate_independence_graph(test, alpha=0.01).structure
    expected = {(u, v) for u in range(6) for v in range(u + 1, 6) if p_values[u, v] <= 0.01}
    assert set(graph.index_edges()) == expected
    assert tw.learners.estimate_independence_graph(test, method="blankets").trace.total("tests") > 0


def test_the_order_of_columns_does_not_matter():
    moments = gaussian_rows(300, 1)
    turned = moments.select(moments.schema.names[::-1])
    first = tw.learners.estimate_independence_graph(tw.FisherZTest(moments)).structure
    second = tw.learners.estimate_independence_graph(tw.FisherZTest(turned)).structure
    assert first.edges() == second.edges()
    given = partial_p_values(moments, (0, 1, 2))
    assert (given[::-1, ::-1] == partial_p_values(turned, (3, 4, 5))).all()


def test_few_rows_are_shrunk_or_left_to_blankets():
    moments = gaussian_rows(12, 2, n=12)
    test = tw.FisherZTest(moments, singular="independent")
    assert tw.learners.estimate_independence_graph(test).trace.total("tests") > 0  # blankets
    shrunk = tw.learners.estimate_independence_graph(test, method="inverse-covariance", alpha=0.05)
    assert shrunk.trace.total("tests") == 0
    assert 0 < shrunk.structure.n_edges < 40


def test_constant_and_equal_columns():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    moments = tw.Moments.of_block(schema, np.column_stack([x, x, np.zeros(200), rng.standard_normal(200)]))
    assert partial_correlations(moments.correlation()) is None
    test = tw.FisherZTest(moments, singular="independent")
    assert tw.learners.estimate_independence_graph(test).structure.edges() == [("a", "b")]
    learned = learn_main(test)
    assert learned.skeleton.edges() == [("a", "b")]
    one = partial_p_values(moments, (2,))
    assert one.tolist() == [[1.0]]


def test_refusals():
    test = tw.GTest(tw.count(noise(0)))
    with pytest.raises(
        SettingError, match="an inverse covariance needs a test of moments, such as FisherZTest"
    ):
        tw.learners.estimate_independence_graph(test, method="inverse-covariance")
    with pytest.raises(SettingError, match="largest must be a number of members from 1 on"):
        tw.learners.estimate_independence_graph(test, largest=0)
    with pytest.raises(SettingError, match="method must be one of 'auto', 'blankets', 'inverse-covariance'"):
        tw.learners.estimate_independence_graph(test, method="lasso")
