"""Blankets: exact with an oracle, the same in every column order, symmetric by rule."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs.directed import random_dag

import treewright as tw
from treewright.errors import SettingError
from treewright.learners.independence.answers import PartnerQuestions


def true_blanket(dag, x):
    moral = {v for v in range(len(dag.schema)) if dag.adjacent(x, v)}
    for child in dag.children(x):
        moral |= set(dag.parents(child))
    return tuple(sorted(dag.schema.names_of(moral - {x})))


@pytest.mark.slow
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 9), density=st.floats(0, 0.7))
def test_an_oracle_gives_the_exact_blanket(seed, n, density):
    dag = random_dag(n, density, np.random.default_rng(seed))
    oracle = tw.DSeparationOracle(dag)
    for x in range(n):
        expected = true_blanket(dag, x)
        assert tw.learners.grow_shrink(oracle, x) == expected
        assert tw.learners.interleaved(oracle, dag.schema.names[x]) == expected
    for algorithm in ("interleaved", "grow-shrink"):
        for symmetry in ("and", "or"):
            learned = tw.learners.find_blankets(oracle, algorithm=algorithm, symmetry=symmetry)
            assert {x: learned.blanket(x) for x in range(n)} == {x: true_blanket(dag, x) for x in range(n)}


@pytest.mark.parametrize("algorithm", ["interleaved", "grow-shrink"])
@pytest.mark.parametrize("kind", [tw.GTest, tw.ChiSquareTest, tw.PosteriorTest])
def test_rows_in_any_column_order_give_one_answer(algorithm, kind):
    table = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(0))
    turned = table.reordered(table.schema.names[::-1])
    first, second = (
        tw.learners.find_blankets(kind(tw.count(one)), algorithm=algorithm) for one in (table, turned)
    )
    assert first.found == second.found
    assert first.structure.edges() == second.structure.edges()
    assert "bronc" in first.blanket("dysp")


def test_symmetry_keeps_pairs_found_twice_or_once():
    rng = np.random.default_rng(5)
    table = tw.random_network(12, 3, rng=rng).sample(300, rng=rng)
    test = tw.GTest(tw.count(table), 0.05)
    both, either = (tw.learners.find_blankets(test, symmetry=rule) for rule in ("and", "or"))
    assert both.found == either.found
    mutual = {
        (u, v)
        for u, v in combinations(sorted(table.schema.names), 2)
        if v in both.found[u] and u in both.found[v]
    }
    one_way = {tuple(sorted((u, v))) for u, found in both.found.items() for v in found}
    assert set(both.structure.edges()) == mutual
    assert set(either.structure.edges()) == one_way
    assert mutual < one_way
    assert both.trace.total("tests") > 100


def test_gaussian_columns_and_shards():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 500))
    schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    columns = [a, b, a + b + rng.normal(size=500), rng.normal(size=500)]
    assert tw.learners.interleaved(tw.FisherZTest(tw.moments(tw.Table(schema, columns)), 0.01), "a") == (
        "b",
        "c",
    )
    table = tw.load_network("asia").sample(1_000, rng=rng)
    sharded = tw.ShardedCounter([tw.count(shard) for shard in table.shards(2)])
    assert (
        tw.learners.find_blankets(tw.GTest(sharded)).found
        == tw.learners.find_blankets(tw.GTest(tw.count(table))).found
    )


def test_a_test_that_goes_round_in_a_circle_ends():
    class Fickle:
        """Depends on everything when little is given, on nothing when much is."""

        schema = tw.Schema([tw.Variable(name) for name in "abcd"])

        def independent(self, x, y, given=()):
            return len(tuple(given)) > 0

        def independent_many(self, queries):
            return np.array([self.independent(*query) for query in queries])

    assert tw.learners.interleaved(Fickle(), "a") in {(), ("b",), ("c",), ("d",)}
    assert len(tw.learners.grow_shrink(Fickle(), "a")) <= 3


@pytest.mark.parametrize("algorithm", ["interleaved", "grow-shrink"])
def test_no_blanket_is_larger_than_its_bound(algorithm, asia):
    learned = tw.learners.find_blankets(tw.DSeparationOracle(asia), algorithm=algorithm, largest=2)
    assert max(len(found) for found in learned.found.values()) == 2


def test_questions_are_counted(asia):
    questions = PartnerQuestions(tw.DSeparationOracle(asia))
    assert questions.weakest_member(0, ()) is None
    assert questions.independent(0, (), [1, 2, 3]).shape == (3,)
    assert questions.n_tests == 3


def test_refusals(asia):
    oracle = tw.DSeparationOracle(asia)
    with pytest.raises(SettingError) as caught:
        tw.learners.find_blankets(oracle, algorithm="iamb")
    assert str(caught.value) == "algorithm must be one of 'interleaved', 'grow-shrink'; found 'iamb'"
    with pytest.raises(SettingError, match="symmetry must be one of 'and', 'or'; found 'xor'"):
        tw.learners.find_blankets(oracle, symmetry="xor")
    with pytest.raises(SettingError, match="largest must be 1 or more, or None for no bound; found 0"):
        tw.learners.interleaved(oracle, "smoke", largest=0)
    with pytest.raises(tw.errors.UnknownNameError, match="there is no variable 'smoker'"):
        tw.learners.grow_shrink(oracle, "smoker")
