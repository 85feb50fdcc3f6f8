"""Block learning, reconstructed: blocks of a tree, verdicts of overlaps, laws and refusals."""

import numpy as np
import pytest

import treewright as tw
from treewright.learners import KnotSettings
from treewright.learners.bayesian_knots.blocks import LABEL, find_blocks
from treewright.learners.bayesian_knots.dependency_tree import Dependencies

ENGINES = ["pc", "tpda", "class", "exact"]


def alarm(rows=500, seed=0):
    return tw.load_network("alarm").sample(rows, rng=np.random.default_rng(seed))


def dependencies_of(ties, n):
    schema = tw.Schema([tw.Variable(f"v{i}", (0, 1)) for i in range(n)])
    weights = np.full((n, n), 0.01)
    for (u, v), w in ties.items():
        weights[u, v] = weights[v, u] = w
    np.fill_diagonal(weights, 0)
    return Dependencies(schema, 2_000 * weights, np.ones(n), 1_000.0)


def test_blocks_reach_two_steps_from_the_centres_of_a_tree():
    ties = {(0, 1): 0.9, (0, 2): 0.8, (0, 3): 0.7, (3, 4): 0.6, (4, 5): 0.5, (4, 6): 0.45, (6, 7): 0.4}
    ties |= {(7, 8): 0.35, (7, 9): 0.3, (1, 2): 0.25, (5, 6): 0.2, (2, 5): 0.15, (8, 9): 0.12}
    blocks = find_blocks(dependencies_of(ties, 10))
    assert blocks.centres == ("v0", "v7", "v5")
    assert [set(scope) for scope in blocks.cluster_scopes] == [{0, 1, 2, 3, 4}, {4, 6, 7, 8, 9}, {3, 4, 5, 6}]
    assert blocks.disjoint[2] == ("v5",)


def test_overlaps_decide_about_their_pairs_and_all_else_is_the_union():
    learned = tw.learn_blocks(tw.count(alarm(rows=1_000)))
    schema = learned.structure.schema
    decided = {pair for overlap in learned.overlaps for pair in overlap.pairs(schema)}
    said = {
        pair
        for overlap in learned.overlaps
        for pair in overlap.pairs(schema)
        if overlap.knot.graph.adjacent(*schema.names_of(pair))
    }
    by_blocks = {e for knot in learned.knots for e in knot.graph.skeleton().edges()}
    expected = {e for e in by_blocks if tuple(sorted(map(schema.index, e))) not in decided}
    expected |= {tuple(sorted(schema.names_of(pair))) for pair in said}
    assert set(learned.skeleton.edges()) == expected
    assert learned.structure.skeleton() == learned.skeleton
    assert learned.cpdag == tw.Cpdag.of(learned.structure)


def test_results_are_labelled():
    learned = tw.learn_blocks(tw.count(alarm()))
    assert learned.label == LABEL == "BL (reconstructed)"
    assert learned.notes[0].startswith("BL (reconstructed): ")
    assert "reconstructed" in tw.learn_blocks.__doc__


def test_blankets_are_bounded():
    counter = tw.count(alarm())
    small, large = (tw.learn_blocks(counter, largest_blanket=n) for n in (1, 8))
    sizes = [sum(len(o.knot.variables) for o in learned.overlaps) for learned in (small, large)]
    assert sizes[0] < sizes[1]
    assert all(set(o.variables) <= set(o.knot.variables) for o in large.overlaps)


@pytest.mark.parametrize("engine", ENGINES)
def test_neither_threads_nor_the_order_of_columns_matter(engine):
    table = alarm(rows=300, seed=2)
    shuffled = table.reordered(np.random.default_rng(5).permutation(table.schema.names).tolist())
    first = tw.learn_blocks(tw.count(table), engine=engine, settings=KnotSettings(threads=1))
    second = tw.learn_blocks(tw.count(shuffled), engine=engine, settings=KnotSettings(threads=3))
    assert first.structure.edges() == second.structure.edges()
    assert first.n_tests == second.n_tests
    assert first.notes == second.notes


def test_knowledge_is_obeyed():
    counter = tw.count(alarm())
    free = tw.learn_blocks(counter)
    (lost, also), turned = free.skeleton.edges()[0], free.structure.edges()[-1]
    far = next(name for name in counter.schema.names if not free.clusters.share("ANAPHYLAXIS", name))
    knowledge = tw.Knowledge(required=[("ANAPHYLAXIS", far)], forbidden=[(lost, also), (also, lost), turned])
    learned = tw.learn_blocks(counter, knowledge=knowledge)
    assert learned.structure.has_arc("ANAPHYLAXIS", far)
    assert not learned.skeleton.adjacent(lost, also)
    assert not learned.structure.has_arc(*turned)


def test_odd_tables():
    one = tw.learn_blocks(tw.count(tw.read_table({"a": [0, 1] * 5})))
    assert one.structure.edges() == []
    rows = {"a": [0, 1] * 9, "b": [0, 1] * 9, "c": [3] * 18, "d": [0, 0, 1] * 6}
    assert tw.learn_blocks(tw.count(tw.read_table(rows))).skeleton.edges() == [("a", "b")]


def test_continuous_columns():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 2_000))
    c = a + b + 0.5 * rng.normal(size=2_000)
    moments = tw.moments(tw.read_table({"a": a, "b": b, "c": c, "d": c + rng.normal(size=2_000)}))
    learned = tw.learn_blocks(moments, settings=KnotSettings(alpha=0.001))
    assert learned.cpdag.directed_edges() == [("a", "c"), ("b", "c"), ("c", "d")]


def test_refusals():
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))
    with pytest.raises(tw.errors.SettingError, match="largest_blanket must be 1 or more; found 0"):
        tw.learn_blocks(counter, largest_blanket=0)
    with pytest.raises(tw.errors.SettingError, match="engine must be one of 'pc', 'tpda', 'class', 'exact'"):
        tw.learn_blocks(counter, engine="x")
    with pytest.raises(tw.errors.SettingError, match="tie='random' draws directions: pass rng="):
        tw.learn_blocks(counter, settings=KnotSettings(tie="random"))
