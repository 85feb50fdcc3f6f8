import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs.directed import dags, random_dag, schema_of, shuffled

from treewright.graphs import Cpdag, UndirectedGraph, find_colliders, orient_consistently


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
