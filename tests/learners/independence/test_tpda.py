"""TPDA: its twin, oracles on polytrees, trees from data, knowledge, laws and refusals."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.learners.tpda import Tpda

import treewright as tw


def random_polytree(n, seed):
    """A tree whose edges point either way."""
    rng = np.random.default_rng(seed)
    schema = tw.Schema([tw.Variable(f"v{i:02}", (0, 1)) for i in range(n)])
    arcs = [(int(rng.integers(v)), v) for v in range(1, n)]
    return tw.Dag(schema, [arc if rng.random() < 0.5 else arc[::-1] for arc in arcs])


def random_rows(seed, n, rows):
    rng = np.random.default_rng(seed)
    return tw.random_network(n, 2, states=(2, 3), concentration=0.5, rng=rng).sample(rows, rng=rng)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(4, 11), st.sampled_from([None, 0.01, 0.03]), st.integers(2, 8))
def test_the_twin_finds_the_same(seed, n, threshold, largest):
    counter = tw.count(random_rows(seed, n, 300))
    test = tw.GTest(counter, alpha=0.1)
    learned = tw.learn_tpda(test, threshold=threshold, largest_given=largest)

    def information(x, y, given):
        return test.test(x, y, given).statistic / (2 * counter.n_rows)

    def small(x, y, given):
        return information(x, y, given) < threshold if threshold else test.independent(x, y, given)

    edges, cutsets = Tpda(counter.schema.names, information, small, largest).run()
    assert learned.skeleton.edges() == edges
    for pair, cutset in cutsets.items():
        if pair not in edges:
            assert sorted(learned.separators[pair]) == cutset


@pytest.mark.parametrize("seed", range(25))
def test_with_an_oracle_it_agrees_with_pc_on_polytrees(seed):
    truth = random_polytree(9, seed)
    oracle = tw.DSeparationOracle(truth)
    for threshold in (None, 0.5):  # an oracle measures 0 or 1
        learned = tw.learn_tpda(oracle, threshold=threshold)
        assert learned.structure == tw.learn_pc(oracle, depth=None).structure == tw.Cpdag.of(truth)


def test_a_tree_with_strong_links_is_found_from_data():
    rng, rows = np.random.default_rng(5), 20_000
    columns = {"v00": rng.integers(2, size=rows)}
    arcs = []
    for v in range(1, 15):
        parent = f"v{int(rng.integers(v)):02}"
        columns[f"v{v:02}"] = np.where(
            rng.random(20_000) < 0.85, columns[parent], rng.integers(2, size=20_000)
        )
        arcs.append((parent, f"v{v:02}"))
    counter = tw.count(tw.read_table(columns))
    for learned in (
        tw.learn_tpda(tw.GTest(counter, alpha=0.001)),
        tw.learn_tpda(tw.GTest(counter), threshold=0.01),
    ):
        assert learned.skeleton.edges() == sorted(arcs)
        assert learned.structure.directed_edges() == []


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_the_order_of_columns_does_not_matter(seed):
    table = random_rows(seed, 9, 400)
    shuffled = table.reordered(np.random.default_rng(seed).permutation(table.schema.names).tolist())
    first, second = (tw.learn_tpda(tw.GTest(tw.count(one))) for one in (table, shuffled))
    assert first.structure == second.structure
    assert first.n_tests == second.n_tests
    assert dict(first.separators) == dict(second.separators)


def test_tests_are_counted_once_and_by_phase():
    counter = tw.count(tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0)))
    learned = tw.learn_tpda(tw.GTest(counter))
    assert [p.name for p in learned.trace.phases] == ["draft", "thicken", "thin", "thin again", "orientation"]
    assert learned.trace.phases[0].tallies["tests"] == 28
    assert 28 <= learned.n_tests <= learned.trace.total("tests")


def test_any_test_answers():
    network = tw.load_network("asia")
    counter = tw.count(network.sample(5_000, rng=np.random.default_rng(0)))
    from_core = tw.learn_tpda(tw.GTest(counter, alpha=0.01))
    called = tw.learn_tpda(tw.GTest(tw.ShardedCounter([counter]), alpha=0.01))
    assert called.structure == from_core.structure
    posterior = tw.learn_tpda(tw.PosteriorTest(counter))
    assert len(posterior.skeleton.edges()) > 4
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 2_000))
    c = a + b + 0.5 * rng.normal(size=2_000)
    moments = tw.moments(tw.read_table({"a": a, "b": b, "c": c, "d": c + rng.normal(size=2_000)}))
    for threshold in (None, 0.01):
        learned = tw.learn_tpda(tw.FisherZTest(moments, alpha=0.001), threshold=threshold)
        assert learned.structure.directed_edges() == [("a", "c"), ("b", "c"), ("c", "d")]


def test_knowledge_is_obeyed():
    counter = tw.count(tw.load_network("asia").sample(3_000, rng=np.random.default_rng(2)))
    free = tw.learn_tpda(tw.GTest(counter))
    assert free.skeleton.adjacent("bronc", "dysp")
    assert not free.skeleton.adjacent("asia", "smoke")
    knowledge = tw.Knowledge(
        required=[("asia", "smoke")], forbidden=[("bronc", "dysp"), ("dysp", "bronc"), ("lung", "smoke")]
    )
    learned = tw.learn_tpda(tw.GTest(counter), knowledge=knowledge)
    assert ("asia", "smoke") in learned.structure.directed_edges()
    assert learned.dag.has_arc("asia", "smoke")
    assert not learned.skeleton.adjacent("bronc", "dysp")
    assert ("bronc", "dysp") not in learned.separators
    assert not learned.dag.has_arc("lung", "smoke")


def test_odd_tables():
    one = tw.learn_tpda(tw.GTest(tw.count(tw.read_table({"a": [0, 1]}))))
    assert one.structure.edges() == []
    rows = {"a": [0, 1] * 9, "b": [0, 1] * 9, "c": [3] * 18, "d": [0, 0, 1] * 6}
    learned = tw.learn_tpda(tw.GTest(tw.count(tw.read_table(rows))))
    assert learned.skeleton.edges() == [("a", "b")]
    independent = tw.learn_tpda(tw.GTest(tw.count(tw.read_table({"a": [0, 1] * 4, "b": [0, 0, 1, 1] * 2}))))
    assert independent.separators["a", "b"] == ()


def test_progress():
    lines = []
    counter = tw.count(tw.load_network("asia").sample(100, rng=np.random.default_rng(0)))
    tw.learn_tpda(tw.GTest(counter), progress=lines.append)
    assert [step.phase for step in lines] == ["draft", "thicken", "thin", "thin again"]


def test_refusals():
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))
    with pytest.raises(tw.errors.SettingError, match="largest_given must be 1 or more; found 0"):
        tw.learn_tpda(tw.GTest(counter), largest_given=0)
    with pytest.raises(tw.errors.SettingError, match="threshold must be a finite number above 0; found -1"):
        tw.learn_tpda(tw.GTest(counter), threshold=-1)
    with pytest.raises(tw.errors.SettingError, match="tolerance must be a number of nats from 0 on"):
        tw.learn_tpda(tw.GTest(counter), tolerance=-0.1)
    with pytest.raises(tw.errors.SettingError) as refused:
        tw.learn_tpda(tw.PosteriorTest(counter), threshold=0.01)
    assert str(refused.value) == (
        "a threshold is compared with information in nats, which PosteriorTest does not measure: use GTest "
        "or FisherZTest, or leave the threshold out"
    )


@pytest.mark.slow
@pytest.mark.skipif("TREEWRIGHT_DATA" not in os.environ, reason="TREEWRIGHT_DATA names no folder")
def test_many_states_take_no_large_tables():
    folder = Path(os.environ["TREEWRIGHT_DATA"]) / "networks"
    network = tw.read_model(next(folder.glob("**/pathfinder.bif*")))
    counter = tw.count(network.sample(500, rng=np.random.default_rng(0)))
    tw.set_memory_limit("1MiB")
    try:
        assert tw.learn_tpda(tw.GTest(counter)).n_tests < 12_000
    finally:
        tw.set_memory_limit(None)
