from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs.directed import dags, random_dag, schema_of, shuffled

from treewright.graphs import Cpdag, UndirectedGraph, find_colliders, orient_consistently
from treewright.graphs.directed.orientation import _close, accept_claims


def unshielded(skeleton):
    return find_colliders(
        skeleton,
        {(u, v): () for u in range(len(skeleton.schema)) for v in range(u) if not skeleton.adjacent(u, v)},
    )


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=7))
def test_exact_claims_are_all_kept(dag):
    found = orient_consistently(dag.skeleton(), dag.v_structures())
    assert found.cpdag == Cpdag.of(dag)
    assert found.dropped == found.skipped == found.added == ()


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=7), st.randoms(use_true_random=False))
def test_any_claims_lead_to_a_class_with_this_skeleton(dag, random):
    skeleton = dag.skeleton()
    claims = [claim for claim in unshielded(skeleton) if random.random() < 0.6]
    random.shuffle(claims)
    found = orient_consistently(skeleton, claims)
    assert found.cpdag.skeleton() == skeleton
    assert Cpdag.of(found.cpdag.to_dag()) == found.cpdag
    names = {dag.schema.names_of(c) for c in found.cpdag.to_dag().v_structures()}
    present = {(min(u, v), w, max(u, v)) for u, w, v in names}
    claimed = {(min(u, v), w, max(u, v)) for u, w, v in map(dag.schema.names_of, claims)}
    assert claimed - set(found.dropped) <= present
    assert set(found.added) <= present


def test_the_stronger_claim_wins():
    path = UndirectedGraph(schema_of("abcd"), [("a", "b"), ("b", "c"), ("c", "d")])
    claims = [("a", "b", "c"), ("b", "c", "d")]
    assert orient_consistently(path, claims).dropped == (("b", "c", "d"),)
    assert orient_consistently(path, claims[::-1]).dropped == (("a", "b", "c"),)


def test_a_chordless_cycle_gets_a_collider_that_nobody_claimed():
    square = UndirectedGraph(schema_of("abcd"), [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    found = orient_consistently(square, [])
    assert found.added == (("a", "d", "c"),)
    assert found.cpdag.directed_edges() == [("a", "d"), ("c", "d")]


def test_columns_in_any_order():
    rng = np.random.default_rng(23)
    for _ in range(20):
        dag = random_dag(9, 0.35, rng)
        names = dag.schema.names_of
        skeleton = dag.skeleton()
        claims = [names(c) for c in unshielded(skeleton)]
        claims = [claims[i] for i in rng.permutation(len(claims))]
        twin = UndirectedGraph(shuffled(dag.schema, rng), skeleton.edges())
        one, other = orient_consistently(skeleton, claims), orient_consistently(twin, claims)
        assert one.cpdag == other.cpdag
        assert one.dropped == other.dropped
        assert set(one.added) == set(other.added)


def test_pairs_without_separator_make_no_claim():
    fork = UndirectedGraph(schema_of("abc"), [("a", "b"), ("b", "c")])
    assert find_colliders(fork, {}) == []
    assert find_colliders(fork, {(2, 0): ()}) == [(0, 1, 2)]


def left_over(n, directed, undirected):
    """What stays when vertices that may be last in an extension are taken away (Dor & Tarsi 1992)."""
    beside = {v: {u for edge in undirected if v in edge for u in edge} - {v} for v in range(n)}
    around = {v: beside[v] | {u for arc in directed if v in arc for u in arc} - {v} for v in range(n)}
    left = set(range(n))

    def may_be_last(v):
        leaves = any(tail == v and head in left for tail, head in directed)
        return not leaves and all((around[v] & left) - {u} <= around[u] for u in beside[v] & left)

    while last := [v for v in left if may_be_last(v)]:
        left.remove(last[0])
    return left


def extended_slowly(skeleton, claims):
    """Drop the weakest claim with two ends in the way, until nothing is; None when that takes too many."""
    kept = accept_claims(skeleton.schema, claims)
    while True:
        closure = _close(skeleton, kept, ()).graph
        way = left_over(
            len(skeleton.schema), closure.index_directed_edges(), closure.index_undirected_edges()
        )
        if not way:
            return kept
        suspects = [claim for claim in kept if len(way & set(claim)) >= 2]
        if not suspects:
            return None
        kept = [claim for claim in kept if claim != suspects[-1]]


# graphs and claims of which some stand in the way of an extension, and of which none that does can be dropped
@pytest.mark.parametrize("seed", [126, 796, 1035, 1431, 2844, 2966, 3095, 3102, 3196, *range(40, 60)])
def test_claims_in_the_way_are_dropped_from_the_weakest(seed):
    random = Random(seed)
    names = "abcdefg"[: random.choice([5, 6, 7])]
    edges = [pair for pair in combinations(names, 2) if random.random() < 0.5]
    skeleton = UndirectedGraph(schema_of(names), edges)
    claims = [claim for claim in unshielded(skeleton) if random.random() < 0.5]
    random.shuffle(claims)
    found = orient_consistently(skeleton, claims)
    expected = extended_slowly(skeleton, claims)
    if expected is None:
        expected = accept_claims(skeleton.schema, claims)
        assert found.added
    dropped = [skeleton.schema.names_of(claim) for claim in claims if claim not in expected]
    assert found.dropped == tuple((min(u, v), w, max(u, v)) for u, w, v in dropped)
    shapes = {skeleton.schema.names_of(c) for c in found.dag.v_structures()}
    present = {(min(u, v), w, max(u, v)) for u, w, v in shapes}
    closure = _close(skeleton, expected, ()).graph
    arrows = set(closure.directed_edges())
    follows = {(u, w, v) for u, w, v in present if {(u, w), (v, w)} <= arrows}
    assert set(found.added) == present - follows
