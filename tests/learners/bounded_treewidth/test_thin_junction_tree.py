"""Thin junction trees against their twin; the laws that they share with the chains are tested there."""

import pytest
from tests.learners.bounded_treewidth.helpers import dependent_table
from tests.reference.learners import chains as slow

from treewright import BIC, count, learn_chow_liu, learn_thin_junction_tree


@pytest.mark.parametrize("seed", range(24))
def test_thin_junction_trees_are_those_of_the_twin(seed):
    score = BIC(count(dependent_table(seed, 4 + seed % 6, 300 * (1 + seed % 7))))
    treewidth, by_name = 1 + seed % 4, score.schema.name_order
    rank = {v: i for i, v in enumerate(by_name)}
    forest = [(rank[s], rank[t]) for s, t in learn_chow_liu(score).structure.index_edges()]

    def local(child, parents):
        return score.local(by_name[child], [by_name[p] for p in parents])

    network = slow.SlowNetwork(local, forest, len(by_name))
    network.greedy(treewidth, network.admit_narrowest)
    learned = learn_thin_junction_tree(score, treewidth=treewidth)
    arcs = {(by_name[s], by_name[t]) for t in range(network.n) for s in network.parents[t]}
    assert set(learned.structure.index_edges()) == arcs
    cover = {frozenset((by_name[u], by_name[v])) for u, v in slow.edges_of(network.adj)}
    assert {frozenset(edge) for edge in learned.certificate.graph().index_edges()} == cover


def test_every_iteration_is_one_arc_of_largest_gain():
    score = BIC(count(dependent_table(3, 12, 2000)))
    learned = learn_thin_junction_tree(score, treewidth=3)
    assert [phase.name for phase in learned.trace.phases] == ["start", "arcs"]
    assert {len(one.edges) for one in learned.iterations} == {1}
    assert learned.trace.total("edges") == len(learned.iterations)
    assert learned.trace.total("scores") > 0
