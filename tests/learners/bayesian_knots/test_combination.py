"""Combining knots: worked examples, random knots that contradict each other, refusals."""

import time

import numpy as np
import pytest
from tests.reference.learners.knots import is_cyclic, slow_combination

import treewright as tw
from treewright.learners.bayesian_knots.combination import Vote, combine_classes, combine_dags


def schema_of(n):
    return tw.Schema([tw.Variable(f"v{i:04}") for i in range(n)])


def votes_of(*knots):
    return [Vote(tail, head) for knot in knots for tail, head in knot]


def random_knots(rng):
    """Some DAGs over parts of a few variables, each with an order of its own; some edge is in dispute."""
    while True:
        n = int(rng.integers(3, 8))
        knots = []
        for _ in range(int(rng.integers(2, 5))):
            part = rng.permutation(n)[: int(rng.integers(2, n + 1))].tolist()
            knots.append([(u, v) for i, u in enumerate(part) for v in part[i + 1 :] if rng.random() < 0.6])
        arcs = {arc for knot in knots for arc in knot}
        if any(arc[::-1] in arcs for arc in arcs):
            weights = np.round(rng.random((n, n)), 1)  # with ties
            return schema_of(n), knots, weights + weights.T


def union(knots):
    return {frozenset(arc) for knot in knots for arc in knot}


def skeleton(arcs):
    return {frozenset(arc) for arc in arcs}


def classes_of(schema, knots):
    """Each knot as a class: compelled arrows vote, the others abstain."""
    votes, edges = [], []
    for knot in knots:
        graph = tw.Cpdag.of(tw.Dag(schema, knot))
        votes += [Vote(*arc) for arc in graph.index_directed_edges()]
        edges += graph.index_edges()
    return votes, edges


def test_a_conflict_is_decided_without_a_new_v_structure():
    found = combine_dags(schema_of(4), votes_of([(0, 1), (1, 2)], [(2, 1), (2, 3)]), np.ones((4, 4)))
    assert found.dag.index_edges() == [(0, 1), (1, 2), (2, 3)]
    assert found.conflicts == (("v0001", "v0002"),)
    assert found.turned == ()


def test_a_cycle_of_agreed_directions_is_cut_at_its_weakest_edge():
    weights = np.zeros((3, 3))
    weights[0, 1], weights[1, 2], weights[0, 2] = 0.9, 0.5, 0.1
    found = combine_dags(schema_of(3), votes_of([(0, 1)], [(1, 2)], [(2, 0)]), weights + weights.T)
    assert found.dag.index_edges() == [(0, 1), (0, 2), (1, 2)]
    assert found.turned == (("v0000", "v0002"),)


@pytest.mark.slow
def test_three_thousand_conflicting_sets_give_acyclic_graphs_with_the_union_as_skeleton():
    rng = np.random.default_rng(0)
    for i in range(3_000):
        schema, knots, weights = random_knots(rng)
        found = combine_dags(schema, votes_of(*knots), weights)  # a Dag is acyclic, or it is not made
        assert skeleton(found.dag.index_edges()) == union(knots)
        assert found.conflicts
        if i % 3 == 0:
            by_class = combine_classes(schema, *classes_of(schema, knots), weights)
            assert skeleton(by_class.dag.index_edges()) == union(knots)


@pytest.mark.slow
def test_the_twin_places_the_same_arcs_and_the_literal_order_of_the_text_closes_cycles():
    rng = np.random.default_rng(0)
    n_cyclic = 0
    for _ in range(500):
        schema, knots, weights = random_knots(rng)
        found = combine_dags(schema, votes_of(*knots), weights)
        assert set(found.dag.index_edges()) == slow_combination(knots, weights, cycles_first=True)
        n_cyclic += is_cyclic(slow_combination(knots, weights, cycles_first=False))
    assert n_cyclic > 50


@pytest.mark.slow
def test_the_order_of_knots_does_not_matter():
    rng = np.random.default_rng(1)
    for _ in range(200):
        schema, knots, weights = random_knots(rng)
        turned = [knots[i] for i in rng.permutation(len(knots))]
        assert (
            combine_dags(schema, votes_of(*knots), weights).dag
            == combine_dags(schema, votes_of(*turned), weights).dag
        )
        first, second = (
            combine_classes(schema, *classes_of(schema, some), weights) for some in (knots, turned)
        )
        assert first.graph == second.graph


def test_the_order_of_columns_does_not_matter():
    rng = np.random.default_rng(2)
    for _ in range(100):
        schema, knots, weights = random_knots(rng)
        order = rng.permutation(len(schema))
        place = {int(v): i for i, v in enumerate(order)}
        moved = [[(place[t], place[h]) for t, h in knot] for knot in knots]
        other = schema.select([int(v) for v in order])
        first = combine_dags(schema, votes_of(*knots), weights)
        second = combine_dags(other, votes_of(*moved), weights[np.ix_(order, order)])
        assert first.dag.edges() == second.dag.edges()


@pytest.mark.slow
def test_one_knot_and_equal_knots_come_back_as_they_are():
    rng = np.random.default_rng(3)
    for _ in range(200):
        schema, knots, weights = random_knots(rng)
        for times in (1, 3):
            dag = tw.Dag(schema, knots[0])
            assert combine_dags(schema, votes_of(*[knots[0]] * times), weights).dag == dag
            votes, edges = classes_of(schema, [knots[0]] * times)
            assert combine_classes(schema, votes, edges, weights).graph == tw.Cpdag.of(dag)


def test_votes_evidence_names_and_chance():
    schema, weights = schema_of(2), np.ones((2, 2))

    def direction(votes, **options):
        return combine_dags(schema, votes, weights, **options).dag.index_edges()

    assert direction([Vote(1, 0), Vote(1, 0), Vote(0, 1, evidence=9)]) == [(1, 0)]
    assert direction([Vote(1, 0, evidence=0.4), Vote(0, 1, evidence=0.3)]) == [(1, 0)]
    assert direction([Vote(1, 0), Vote(0, 1)]) == [(0, 1)]
    assert direction([Vote(1, 0, first=True), Vote(0, 1), Vote(0, 1)]) == [(1, 0)]
    drawn = {
        tuple(direction([Vote(1, 0), Vote(0, 1)], tie="random", rng=np.random.default_rng(seed)))
        for seed in range(20)
    }
    assert drawn == {((0, 1),), ((1, 0),)}
    again = [
        direction([Vote(1, 0), Vote(0, 1)], tie="random", rng=np.random.default_rng(4)) for _ in range(2)
    ]
    assert again[0] == again[1]


def test_known_directions_are_not_voted_on():
    schema, weights = schema_of(3), np.ones((3, 3))
    found = combine_dags(schema, votes_of([(0, 1), (1, 2)], [(2, 1)]), weights, arcs=[(1, 0)])
    assert found.dag.has_arc(1, 0)
    by_class = combine_classes(schema, votes_of([(0, 1)]), [(0, 1), (1, 2)], weights, arcs=[(1, 0)])
    assert by_class.dag.has_arc(1, 0)


@pytest.mark.slow
def test_thousands_of_knots_take_little_time():
    rng = np.random.default_rng(4)
    n = 2_000
    schema = schema_of(n)
    knots = []
    for _ in range(1_500):  # neighbours in a long row, each with a direction of its own
        start = int(rng.integers(n - 8))
        part = rng.permutation(np.arange(start, start + 8)).tolist()
        knots.append([(u, v) for i, u in enumerate(part) for v in part[i + 1 :] if abs(u - v) < 3])
    weights = rng.random((n, n))
    begin = time.process_time()
    found = combine_dags(schema, votes_of(*knots), weights)
    assert time.process_time() - begin < 5
    assert len(found.conflicts) > 1_000


def test_refusals():
    schema = schema_of(2)
    with pytest.raises(tw.errors.SettingError, match="tie must be one of 'evidence', 'random'; found 'coin'"):
        combine_dags(schema, [], np.ones((2, 2)), tie="coin")
    with pytest.raises(tw.errors.SettingError, match="tie='random' draws directions: pass rng="):
        combine_dags(schema, [], np.ones((2, 2)), tie="random")
