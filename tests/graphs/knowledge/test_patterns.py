"""Patterns: which edges of a graph all members of its class that obey the knowledge direct alike."""

import copy
import pickle
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import dags, schema_of

from treewright import Dag, Knowledge
from treewright.errors import GraphError, KnowledgeError
from treewright.graphs import ClusteredDag, Clusters, Cpdag, Pdag, Star

CHAIN = Dag(schema_of("abc"), [("a", "b"), ("b", "c")])


def some_knowledge(dag, data):
    """Required, forbidden, tiers, fixed parents: any of them, as far as the graph obeys."""
    names = dag.schema.names
    arcs = dag.edges()
    chosen = [arc for arc in arcs if data.draw(st.integers(0, 3)) == 0]
    banned = [(v, u) for u, v in arcs if data.draw(st.integers(0, 3)) == 0]
    order = dag.schema.names_of(dag.topological_order)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(names)), max_size=2)))
    ends = [0, *cuts, len(names)]
    tiers = [order[a:b] for a, b in pairwise(ends)]
    tiers = [[name for name in tier if data.draw(st.booleans())] for tier in tiers]
    whole = data.draw(st.integers(0, 9)) == 0
    fixed = {v: dag.schema.names_of(dag.parents(v)) for v in names if data.draw(st.integers(0, 7)) == 0}
    return Knowledge(
        required=chosen, forbidden=banned, tiers=tiers, order=order if whole else None, parents=fixed
    ).on(dag.schema)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(dags(max_size=6, max_arcs=10), st.data())
def test_a_pattern_is_what_all_members_that_obey_share(dag, data):
    known = some_knowledge(dag, data)
    members = [
        arcs
        for arcs in slow.equivalent_dags(len(dag.schema), dag.index_edges())
        if known.obeyed_by(Dag(dag.schema, arcs))
    ]
    pattern = known.pattern_of(dag)
    assert pattern == Pdag(dag.schema, *slow.marks_of_class(members))
    assert known.settled(dag).pattern == pattern
    assert known.settled(dag) == dag


def test_without_knowledge_it_is_the_class():
    free = Knowledge().on(CHAIN.schema)
    assert free.pattern_of(CHAIN) == Cpdag.of(CHAIN)
    assert free.settled(CHAIN).pattern.undirected_edges() == [("a", "b"), ("b", "c")]


def test_a_score_that_is_not_equivalent_directs_everything():
    settled = Knowledge().on(CHAIN.schema).settled(CHAIN, equivalent=False)
    assert settled.pattern == Pdag(CHAIN.schema, CHAIN.edges())


def test_what_does_not_obey_has_no_pattern():
    with pytest.raises(KnowledgeError, match="the graph has b -> c, which is not allowed"):
        Knowledge(forbidden=[("b", "c")]).on(CHAIN.schema).settled(CHAIN)


def test_a_pattern_has_the_edges_of_its_graph():
    assert CHAIN.pattern is None
    with pytest.raises(GraphError, match="a pattern has the edges of its graph; b -> c is in one only"):
        CHAIN.with_pattern(Pdag(CHAIN.schema, [("a", "b")]))
    with pytest.raises(GraphError, match="a pattern has the edges of its graph; a -> b is in one only"):
        CHAIN.with_pattern(Pdag(CHAIN.schema, [("b", "a")], [("b", "c")]))
    with pytest.raises(GraphError, match="a pattern says what is sure: the edge b - c has a direction"):
        CHAIN.with_pattern(Pdag(CHAIN.schema, [("a", "b")], [("b", "c")]))
    collider = Dag(CHAIN.schema, [("a", "b"), ("c", "b")])
    with pytest.raises(GraphError, match="a pattern says what is sure: the edge a - b has a direction"):
        collider.with_pattern(Pdag(CHAIN.schema, [], [("a", "b"), ("b", "c")]))


def test_a_graph_equals_itself_with_a_pattern_and_keeps_it_in_copies():
    learned = CHAIN.with_pattern(Cpdag.of(CHAIN))
    assert learned == CHAIN
    assert hash(learned) == hash(CHAIN)
    for twin in (copy.copy(learned), copy.deepcopy(learned), pickle.loads(pickle.dumps(learned))):
        assert twin == learned
        assert twin.pattern == learned.pattern
    assert learned.without([("a", "b")]).pattern is None  # another graph, about which nothing is known


def test_clusters_and_patterns_travel_together():
    clusters = Clusters(CHAIN.schema, [Star(0, (0, 1, 2))], [(0, 1, 2)])
    dag = ClusteredDag(CHAIN.schema, CHAIN.edges(), clusters).with_pattern(Cpdag.of(CHAIN))
    assert isinstance(dag, ClusteredDag)
    twin = pickle.loads(pickle.dumps(dag))
    assert (twin.clusters, twin.pattern) == (clusters, Cpdag.of(CHAIN))
