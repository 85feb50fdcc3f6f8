"""The first half of PC: against its slow twin, whoever answers and in whatever order candidates come."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs.directed import random_dag
from tests.reference.learners.pc import slow_evidence, slow_skeleton

import treewright as tw
from treewright.errors import SettingError
from treewright.learners.independence.answers import called_answers
from treewright.learners.independence.collider_rules import weigh
from treewright.learners.independence.skeleton import Skeleton, find_skeleton
from treewright.learners.learned import TraceBuilder


def sampled(seed, n=7, rows=400, states=(2, 3)):
    rng = np.random.default_rng(seed)
    return tw.random_network(n, 3, states=states, rng=rng).sample(rows, rng=rng)


def criteria_on(table):
    counter = tw.count(table)
    return [tw.GTest(counter, 0.05), tw.ChiSquareTest(counter, 0.05), tw.PosteriorTest(counter)]


def traced(test, **options):
    trace = TraceBuilder()
    found = find_skeleton(test, trace=trace, **options)
    return found, [phase.tallies["tests"] for phase in trace.build().phases]


class OnlyDecides:
    """A test without statistics, called in batches: what a user may write."""

    def __init__(self, test):
        self.test, self.batches = test, 0

    @property
    def schema(self):
        return self.test.schema

    def independent(self, x, y, given=()):
        return self.test.independent(x, y, given)

    def independent_many(self, queries):
        self.batches += 1
        return self.test.independent_many(queries)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("depth", [1, 3])
def test_the_search_in_the_core_is_the_slow_one(seed, which, depth):
    test = criteria_on(sampled(seed))[which]
    found, tests = traced(test, depth=depth)
    adjacent, separators, slow_tests = slow_skeleton(test, depth)
    assert {u: set(found.graph.neighbours(u)) for u in adjacent} == adjacent
    assert {pair: set(s) for pair, s in found.separators.items()} == {
        pair: set(s) for pair, s in separators.items()
    }
    if which < 2:  # rows in the core: not one test more than one at a time would need
        assert tests == slow_tests[: len(tests)]


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 8), density=st.floats(0, 0.7))
def test_an_oracle_gives_the_true_skeleton_and_true_separators(seed, n, density):
    dag = random_dag(n, density, np.random.default_rng(seed))
    oracle = tw.DSeparationOracle(dag)
    found = find_skeleton(oracle, depth=None)
    assert found.graph == dag.skeleton()
    assert set(found.separators) == {
        pair for pair in combinations(dag.schema.name_order, 2) if not dag.adjacent(*pair)
    }
    assert all(oracle.independent(u, v, s) for (u, v), s in found.separators.items())


@pytest.mark.parametrize("seed", range(4))
def test_one_skeleton_for_every_order_of_candidates_with_early_exit_or_without(seed):
    test = tw.GTest(tw.count(sampled(seed, n=10, rows=1000)), 0.05)
    found = {
        (order, early): traced(test, candidates=order, early_exit=early)
        for order in ("strong", "weak", "names")
        for early in (True, False)
    }
    assert len({skeleton.graph for skeleton, _ in found.values()}) == 1
    assert len({tuple(tests) for (_, early), (_, tests) in found.items() if not early}) == 1
    for order in ("strong", "weak", "names"):
        early, late = found[order, True], found[order, False]
        assert dict(early[0].separators) == dict(late[0].separators)
        assert sum(early[1]) <= sum(late[1])


@pytest.mark.parametrize("seed", range(3))
def test_rows_in_the_core_a_called_test_shards_and_a_cache_agree(seed):
    table = sampled(seed, n=9)
    test = tw.GTest(tw.count(table), 0.05)
    native = find_skeleton(test)
    sharded = tw.ShardedCounter([tw.count(shard) for shard in table.shards(3)])
    others = [tw.GTest(sharded, 0.05), tw.GTest(tw.statistics.CachedCounter(tw.count(table)), 0.05)]
    for other in others:
        found = find_skeleton(other)
        assert found.graph == native.graph
        assert dict(found.separators) == dict(native.separators)
    audited = tw.criteria.AuditedTest(test)
    found = find_skeleton(audited)
    assert dict(found.separators) == dict(native.separators)
    assert audited.n_evaluated > 0
    called = OnlyDecides(test)
    assert find_skeleton(called).graph == native.graph  # by names, so other separators
    assert called.batches < 60


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("depth", [0, 2, None])
def test_triples_are_weighed_by_every_separator_around_their_ends(seed, depth):
    test = tw.GTest(tw.count(sampled(seed, n=6)), 0.05)
    skeleton = find_skeleton(test, depth=depth)
    adjacent = {u: set(skeleton.graph.neighbours(u)) for u in range(6)}
    slow = slow_evidence(test, adjacent, dict(skeleton.separators), depth)
    for evidence in (weigh(skeleton, depth), weigh(called(skeleton, test), depth)):
        assert evidence.triples == sorted(
            slow, key=lambda t: (test.schema.names[t[0]], test.schema.names[t[2]], test.schema.names[t[1]])
        )
        for i, triple in enumerate(evidence.triples):
            with_middle, without = slow[triple][True], slow[triple][False]
            assert (evidence.n_with[i], evidence.n_without[i]) == (len(with_middle), len(without))
            assert evidence.p_with[i] == pytest.approx(max(with_middle, default=0), rel=1e-12)
            assert evidence.p_without[i] == pytest.approx(max(without, default=0), rel=1e-12)


def called(skeleton, test):
    return Skeleton(skeleton.graph, skeleton.separators, skeleton.search, called_answers(test))


@pytest.mark.parametrize("rule", ["independent", "dependent", "permutation"])
@pytest.mark.parametrize("df0", ["independent", "skip"])
def test_the_rules_of_a_test_hold_in_the_core(rule, df0):
    table = sampled(5, n=6, rows=60, states=(2, 4))
    test = tw.GTest(tw.count(table), 0.05, unreliable=rule, df0=df0, reliability=8)
    found = find_skeleton(test)
    adjacent, separators, _ = slow_skeleton(test, 3)
    assert {u: set(found.graph.neighbours(u)) for u in adjacent} == adjacent
    assert dict(found.separators) == separators


def test_full_degrees_and_real_weights():
    table = sampled(6)
    weights = np.random.default_rng(0).random(table.n_rows)
    for counter in (tw.count(table), tw.count(table.with_weights(weights))):
        test = tw.GTest(counter, 0.05, degrees="full")
        assert dict(find_skeleton(test).separators) == slow_skeleton(test, 3)[1]


def test_gaussian_columns():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 500))
    columns = [a, b, a + b + rng.normal(size=500), rng.normal(size=500)]
    schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    test = tw.FisherZTest(tw.moments(tw.Table(schema, columns)), 0.01)
    assert find_skeleton(test).graph.edges() == [("a", "c"), ("b", "c")]


def test_a_level_reports_what_it_did(asia):
    trace = TraceBuilder()
    lines = []
    found = find_skeleton(tw.DSeparationOracle(asia), depth=None, trace=trace, progress=lines.append)
    phases = trace.build().phases
    assert [phase.name for phase in phases] == [f"level {k}" for k in range(len(phases))]
    assert [step.phase for step in lines] == [f"separators of size {k}" for k in range(len(phases))]
    assert sum(phase.tallies["removed"] for phase in phases) == 28 - 8
    assert found.graph == asia.skeleton()


def test_nothing_to_learn():
    schema = tw.Schema([tw.Variable("a", (0, 1))])
    assert find_skeleton(tw.DSeparationOracle(tw.Dag(schema))).graph.n_edges == 0


@pytest.mark.parametrize("depth", [-1, 1.5, True, "3"])
def test_a_depth_is_a_whole_number(asia, depth):
    with pytest.raises(SettingError) as caught:
        find_skeleton(tw.DSeparationOracle(asia), depth=depth)
    assert str(caught.value) == (
        f"depth must be a whole number from 0 on, or None for no limit; found {depth!r}"
    )


def test_a_test_that_fails_or_answers_too_little_is_heard(asia):
    class Fails(OnlyDecides):
        def independent_many(self, queries):
            raise LookupError("the database is gone")

    class Short(OnlyDecides):
        def independent_many(self, queries):
            return self.test.independent_many(queries)[1:]

    with pytest.raises(LookupError, match="the database is gone"):
        find_skeleton(Fails(tw.DSeparationOracle(asia)))
    with pytest.raises(ValueError, match="a test was asked 28 questions and gave 27 answers"):
        find_skeleton(Short(tw.DSeparationOracle(asia)))
