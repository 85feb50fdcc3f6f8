"""The variants of the chains: further orders, triangulating anew, chains and plain arcs at the bound."""

from itertools import pairwise

import numpy as np
import pytest
from tests.learners.bounded_treewidth.helpers import (
    as_set,
    cover_edges,
    dependent_table,
    gains_of,
    network_of,
    pairs,
)
from tests.learners.bounded_treewidth.test_chains import check_certificate, check_score, slow_chains
from tests.learners.bounded_treewidth.test_growth import parent_sets, random_arcs, random_forest
from tests.reference.graphs.undirected import is_chordal, plain_schema
from tests.reference.learners import chains as slow

from treewright import BIC, _core, count, learn_treewidth_chains
from treewright.errors import SettingError
from treewright.graphs import UndirectedGraph, prove_treewidth
from treewright.learners import ChainVariants

VARIANTS = [
    {"at_bound": "chains"},
    {"at_bound": "plain-arcs"},
    {"orders": 5},
    {"retriangulate": True},
    {"root": "hub"},
    {"roots": 3},
    {"free_arcs": True},
    {"at_bound": "chains", "orders": 3, "retriangulate": True, "update": "single-source", "roots": 2},
]


def score_of(seed, n=12, n_rows=900):
    return BIC(count(dependent_table(seed, n, n_rows)))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda one: " ".join(map(str, one)))
@pytest.mark.parametrize("treewidth", [1, 2, 4])
def test_every_variant_keeps_the_laws(variant, treewidth):
    score = score_of(treewidth)
    learned = learn_treewidth_chains(score, treewidth=treewidth, variants=ChainVariants(**variant))
    check_certificate(learned, treewidth)
    check_score(learned, score)
    again = learn_treewidth_chains(score, treewidth=treewidth, variants=ChainVariants(**variant))
    assert again.structure == learned.structure
    assert again.certificate.clusters == learned.certificate.clusters


@pytest.mark.parametrize("seed", range(12))
def test_plain_arcs_are_those_of_the_twin(seed):
    score = score_of(seed, n=4 + seed % 6, n_rows=300 * (1 + seed % 7))
    learned = learn_treewidth_chains(
        score, treewidth=1 + seed % 4, variants=ChainVariants(at_bound="plain-arcs")
    )
    arcs, cover = slow_chains(score, 1 + seed % 4, plain=True)
    assert set(learned.structure.index_edges()) == arcs
    assert {frozenset(edge) for edge in learned.certificate.graph().index_edges()} == cover


@pytest.mark.parametrize("seed", range(12))
def test_candidates_at_the_bound_keep_the_width_each(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 12))
    network = network_of(forest := random_forest(n, rng), n=n, cover=forest or None)
    for arc in random_arcs(network, n, rng)[:4]:
        if arc in random_arcs(network, n, rng):
            network.apply(np.array([arc], dtype=np.uint32), n)
    order, width = network.node_order(), network.width
    everyone, _, _ = network.candidates(order).listed()
    some, _, _ = network.candidates(order, width).listed()
    assert as_set(some) == {(s, t) for s, t in everyone.tolist() if network.propose(s, t)[2] <= width}
    chain = network.candidates(order, width).best_chain()
    if len(chain):
        added, _ = network.apply(chain, width)
        assert len(added) >= 1
        assert network.width == width


def test_a_step_of_chains_at_the_bound_gains_no_less_than_a_single_arc():
    given = {(0, 2): 3, (2, 4): 2, (1, 3): 4, (3, 5): 2.5}
    network = network_of([(i, i + 1) for i in range(5)], gains=gains_of(6, given))
    candidates = network.candidates(network.node_order(), 2)
    chain = candidates.best_chain()
    assert candidates.total_gain(chain) == 6.5
    assert candidates.total_gain(chain) >= max(given.values())
    with pytest.raises(ValueError, match="this arc is no candidate"):
        candidates.total_gain(np.array([[0, 5]], dtype=np.uint32))


def test_free_arcs_need_no_edge_of_the_cover():
    """A triangle of the cover whose network is a path has one arc free; the chain then begins elsewhere."""
    given = {(0, 2): 3, (1, 3): 4}
    network = network_of([(0, 1), (1, 2), (2, 3)], pairs("01 12 23 02"), gains=gains_of(4, given))
    search = _core.GreedyArcs(network, 2, "none")
    assert search.step() == (0, 2)
    assert search.step() is None
    assert cover_edges(network) == set(pairs("01 12 23 02"))
    score = score_of(5)
    learned = learn_treewidth_chains(score, treewidth=3, variants=ChainVariants(free_arcs=True))
    phases = {phase.name: phase.tallies for phase in learned.trace.phases}
    assert phases["chains"]["free"] > 0


@pytest.mark.parametrize("seed", range(15))
def test_triangulating_anew_is_chordal_moral_and_never_wider(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 14))
    forest = random_forest(n, rng)
    network = network_of(forest, n=n, cover=forest or None, block_wise=bool(seed % 2))
    for arc in random_arcs(network, n, rng)[:8]:
        if arc in random_arcs(network, n, rng):
            network.apply(np.array([arc], dtype=np.uint32), n)
    before, edges = network.width, cover_edges(network)
    better = network.retriangulate()
    after = cover_edges(network)
    assert (network.width, len(after)) < (before, len(edges)) if better else after == edges
    assert is_chordal(slow.graph_of(n, after))
    moral = slow.moral_edges(parent_sets(network, n))
    assert moral <= after
    assert prove_treewidth(UndirectedGraph(plain_schema(n), sorted(moral))) <= network.width
    assert not network.retriangulate()  # nothing is left to spare


def test_triangulating_anew_drops_what_is_not_needed():
    network = network_of([(0, 1), (1, 2)], pairs("01 12 02"))
    assert network.width == 2
    assert network.retriangulate()
    assert (network.width, cover_edges(network)) == (1, {(0, 1), (1, 2)})


@pytest.mark.parametrize("seed", range(10))
def test_ranks_decide_what_the_cover_leaves_open(seed):
    """Any ranks give a legal order, and relabelling by the ranks gives the same one."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 10))
    forest = random_forest(n, rng)
    network = network_of(forest, n=n, cover=forest or None)
    for arc in random_arcs(network, n, rng)[:3]:
        if arc in random_arcs(network, n, rng):
            network.apply(np.array([arc], dtype=np.uint32), n)
    rank = rng.permutation(n).astype(np.uint32)
    renamed = network_of(
        [(rank[s], rank[t]) for s, t in network.arcs().tolist()],
        [(rank[u], rank[v]) for u, v in cover_edges(network)] or None,
        n=n,
    )
    assert rank[network.node_order(rank)].tolist() == renamed.node_order().tolist()
    assert network.node_order().tolist() == network.node_order(np.arange(n, dtype=np.uint32)).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_names_matter_only_through_ties(seed):
    """In a given order, with no two gains alike, other names give the same network."""
    table = dependent_table(seed, 11, 1_000)
    score, rng = BIC(count(table)), np.random.default_rng(seed)
    order = rng.permutation(11).tolist()
    other = dependent_table(seed, 11, 1_000, names=rng.permutation(11))
    for a, b in zip(table.columns, other.columns, strict=True):
        assert np.array_equal(a, b)
    found = learn_treewidth_chains(score, treewidth=3, order=order)
    renamed = learn_treewidth_chains(BIC(count(other)), treewidth=3, order=order)
    assert renamed.score == pytest.approx(found.score, abs=1e-6)
    assert renamed.structure.index_edges() == found.structure.index_edges()


@pytest.mark.parametrize("seed", range(6))
def test_interleaved_components_stay_within_the_limit(seed):
    """A natural order may run to and fro between components: the guard has to hold."""
    score, rng = score_of(seed, n=14, n_rows=150), np.random.default_rng(seed)
    for treewidth in (2, 3, 5):
        learned = learn_treewidth_chains(score, treewidth=treewidth, order=rng.permutation(14).tolist())
        check_certificate(learned, treewidth)
        widths = [1, *(one.width for one in learned.iterations)]
        assert all(b <= a + 1 for a, b in pairwise(widths))


def test_unknown_variants_are_refused():
    with pytest.raises(SettingError) as error:
        ChainVariants(at_bound="nothing")
    assert str(error.value) == "at_bound must be one of 'arcs', 'plain-arcs', 'chains'; found 'nothing'"
    with pytest.raises(SettingError) as error:
        ChainVariants(root="leaf")
    assert str(error.value) == "root must be one of 'first', 'hub'; found 'leaf'"


def test_a_triangulation_has_a_name():
    network = network_of([(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="a triangulation is none, own, own_first or narrowest"):
        _core.GreedyArcs(network, 2, "narrow")
