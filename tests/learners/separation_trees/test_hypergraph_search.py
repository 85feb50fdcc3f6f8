"""Score search among the pairs of a hypergraph: what it allows, with and without directions."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import GraphError, KnowledgeError

SETS = [["asia", "tub", "lung", "either", "xray"], ["smoke", "lung", "bronc", "either", "dysp"]]


@pytest.fixture(scope="module")
def score():
    return tw.BIC(tw.count(tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))))


def test_only_pairs_of_a_set_are_joined(score):
    pairs = set(tw.graphs.build_two_section(score.schema, SETS).edges())
    learned = tw.learners.learn_in_hypergraph(score, SETS)
    assert set(learned.cpdag.skeleton().edges()) <= pairs
    narrow = [["asia", "tub"], ["smoke", "bronc"], ["lung", "either"], ["xray"], ["dysp"]]
    assert set(tw.learners.learn_in_hypergraph(score, narrow).cpdag.skeleton().edges()) <= {
        ("asia", "tub"),
        ("bronc", "smoke"),
        ("either", "lung"),
    }


def test_a_graph_or_nothing_in_place_of_sets(score):
    graph = tw.graphs.build_two_section(score.schema, SETS)
    assert (
        tw.learners.learn_in_hypergraph(score, graph).cpdag
        == tw.learners.learn_in_hypergraph(score, SETS).cpdag
    )
    assert tw.learners.learn_in_hypergraph(score).cpdag == tw.learn_hill_climbing(score).cpdag


def test_directions_are_obeyed(score):
    known = tw.Knowledge(required=[("bronc", "smoke")], forbidden=[("lung", "smoke")])
    learned = tw.learners.learn_in_hypergraph(score, SETS, knowledge=known)
    assert learned.structure.has_arc("bronc", "smoke")
    assert not learned.structure.has_arc("lung", "smoke")


def test_refusals(score):
    with pytest.raises(KnowledgeError, match="'asia' -> 'smoke' is required, but the two share no hyperedge"):
        tw.learners.learn_in_hypergraph(score, SETS, knowledge=tw.Knowledge(required=[("asia", "smoke")]))
    with pytest.raises(GraphError, match="every variable lies in a hyperedge; in none: 'bronc'"):
        tw.learners.learn_in_hypergraph(score, SETS[:1])
