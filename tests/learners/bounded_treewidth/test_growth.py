"""Covers that grow arc by arc: worked examples, twins and laws of the update."""

from itertools import pairwise, permutations

import networkx
import numpy as np
import pytest
from tests.learners.bounded_treewidth.helpers import (
    as_set,
    cover_edges,
    families,
    gains_of,
    network_of,
    pairs,
)
from tests.reference.graphs.undirected import find_induced_nodes, is_chordal, plain_schema
from tests.reference.learners import chains as slow

from treewright import _core
from treewright.graphs import BlockTree, UndirectedGraph, prove_treewidth, triangulate

PATH = [(i, i + 1) for i in range(5)]
TRIANGLES = "1<-0; 2<-0,1; 3<-2; 4<-3; 5<-3,4; 6<-5"
TRIANGLE_COVER = "01 02 12 23 34 35 45 56"


def new_edges(network, s, t):
    return as_set(network.propose(s, t)[0])


def contaminated(network, s, t):
    return sorted({s, t}.union(*new_edges(network, s, t)))


@pytest.mark.parametrize(
    ("arc", "new", "touched"),
    [
        ((0, 2), "02", [0, 2]),
        ((0, 3), "02 03", [0, 2, 3]),
        ((0, 4), "03 04 13", [0, 1, 3, 4]),
        ((0, 5), "04 05 13 14", [0, 1, 3, 4, 5]),
        ((1, 5), "14 15 24", [1, 2, 4, 5]),
    ],
)
def test_a_path(arc, new, touched):
    network = network_of(PATH)
    assert new_edges(network, *arc) == set(pairs(new))
    assert contaminated(network, *arc) == touched
    assert network.propose(*arc)[2] == 2


def test_single_source_on_a_path_makes_a_star():
    network = network_of(PATH, block_wise=False)
    assert new_edges(network, 0, 5) == set(pairs("02 03 04 05"))


def test_two_triangles():
    network = network_of(families(TRIANGLES), pairs(TRIANGLE_COVER))
    assert network.width == 2
    assert network.node_order().tolist() == list(range(7))
    assert network.blocks() == [[0, 1, 2], [2, 3], [3, 4, 5], [5, 6]]
    expected = {
        (0, 6): ("05 06 25", 2),
        (0, 5): ("03 04 05", 3),
        (1, 4): ("13 14", None),
        (1, 3): ("13", None),
        (3, 6): ("36", None),
    }
    for arc, (new, width) in expected.items():
        assert new_edges(network, *arc) == set(pairs(new))
        assert width in (None, network.propose(*arc)[2])
    assert contaminated(network, 0, 6) == [0, 2, 5, 6]
    assert contaminated(network, 0, 5) == [0, 3, 4, 5]
    assert network.propose(0, 6)[1] == [[0, 1, 2], [2, 3], [3, 4, 5], [5, 6]]


def test_between_components_the_family_becomes_a_clique():
    network = network_of([(0, 1), (2, 3)], n=5)
    assert new_edges(network, 0, 3) == {(0, 2), (0, 3)}
    assert network.propose(0, 3)[1] == []
    added, skipped = network.apply(np.array([[0, 3], [4, 0]], dtype=np.uint32), 2)
    assert as_set(added) == {(0, 3), (4, 0)}
    assert not len(skipped)
    assert network.blocks() == [[0, 1], [0, 2, 3], [0, 4]]


def random_arcs(network, n, rng):
    """All arcs that may be added, in random order."""
    dag = network.arcs().tolist()
    builder = _core.DagBuilder(n)
    for s, t in dag:
        builder.add(s, t)
    legal = [(s, t) for s in range(n) for t in range(n) if builder.can_add(s, t)]
    return [legal[i] for i in rng.permutation(len(legal))]


def random_forest(n, rng, joined=0.9):
    return [(int(rng.integers(v)), v) for v in range(1, n) if rng.random() < joined]


def parent_sets(network, n):
    parents = [set() for _ in range(n)]
    for s, t in network.arcs().tolist():
        parents[t].add(s)
    return parents


@pytest.mark.parametrize("block_wise", [True, False])
@pytest.mark.parametrize("seed", range(60))
def test_every_update_is_chordal_moral_and_one_wider_at_most(seed, block_wise):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 26))
    forest = random_forest(n, rng)
    network = network_of(forest, n=n, block_wise=block_wise, cover=forest or None)
    schema = plain_schema(n)
    for _ in range(12):
        arcs = random_arcs(network, n, rng)
        if not arcs:
            break
        arc, before = arcs[0], network.width
        new, _, width = network.propose(*arc)
        edges = cover_edges(network) | as_set(new)
        assert width <= max(before + 1, 1)
        added, _ = network.apply(np.array([arc], dtype=np.uint32), n)
        assert as_set(added) == {arc}
        cover = UndirectedGraph(schema, sorted(edges))
        assert cover_edges(network) == edges  # accepted as proposed: chordal
        assert network.width == width == prove_treewidth(cover)
        parents = parent_sets(network, n)
        assert slow.moral_edges(parents) <= edges
        # kept block by block, the same as found from scratch
        assert network.blocks() == sorted(sorted(b) for b in BlockTree(cover).block_scopes)


@pytest.mark.parametrize("seed", range(25))
def test_the_update_is_that_of_its_twin(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 10))
    block_wise = bool(seed % 2)
    forest = random_forest(n, rng)
    network = network_of(forest, n=n, block_wise=block_wise, cover=forest or None)
    for _ in range(6):
        adj, parents = slow.graph_of(n, cover_edges(network)), parent_sets(network, n)
        assert is_chordal(adj)
        arcs = random_arcs(network, n, rng)
        for s, t in arcs:
            new, path, width = network.propose(s, t)
            expected, blocks, _ = slow.edge_update(adj, parents, s, t, block_wise)
            assert as_set(new) == expected
            assert path == [sorted(block) for block in blocks]
            assert width == slow.width_of_chordal(slow.graph_of(n, slow.edges_of(adj) | expected))
        moral = UndirectedGraph(plain_schema(n), sorted(slow.moral_edges(parents)))
        assert prove_treewidth(moral) <= network.width
        if arcs:
            network.apply(np.array(arcs[:1], dtype=np.uint32), n)


COUNTEREXAMPLES = {
    "one child": ("02 03 12 13 15 23 25 45", "0<-2,3; 1<-3; 2<-5; 4<-5; 5<-1", [(3, 2), (4, 2), (1, 2)], 4),
    "components": (
        "03 08 12 27 37 45 46 6-10 79",
        "0<-3; 1<-2; 3<-7; 5<-4; 6<-4; 7<-2; 8<-0; 9<-7; 10<-6",
        [(10, 2), (6, 0), (1, 5)],
        2,
    ),
    "one block": (
        "04 05 12 13 14 15 23 27 35 36 37 45",
        "0<-4,5; 2<-1; 3<-7; 4<-1; 5<-3; 6<-3; 7<-2",
        [(2, 4), (0, 6)],
        3,
    ),
    "one cut vertex": (
        "06 15 23 25 34 56",
        "0<-6; 1<-5; 3<-2; 4<-3; 5<-2; 6<-5",
        [(2, 4), (0, 3), (3, 1)],
        3,
    ),
}


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_the_guard_holds_where_the_conditions_of_the_paper_break(name):
    cover, parents, chain, treewidth = COUNTEREXAMPLES[name]
    network = network_of(families(parents), pairs(cover))
    n, before = len(network.cover()), network.width
    unguarded = network_of(families(parents), pairs(cover))
    for s, t in chain:  # as the updates alone would have it
        assert unguarded.propose(s, t)[2] <= unguarded.width + 1
        unguarded.apply(np.array([[s, t]], dtype=np.uint32), n)
    assert unguarded.width > before + 1
    added, skipped = network.apply(np.array(chain, dtype=np.uint32), before + 1)
    assert network.width <= before + 1
    assert len(added) + len(skipped) == len(chain)
    grown = slow.moral_edges(parent_sets(unguarded, n))
    assert prove_treewidth(UndirectedGraph(plain_schema(n), sorted(grown))) == treewidth
    assert (len(skipped) == 0) == (treewidth <= before + 1)  # a new triangulation saves what can be saved


def widths_after(name, chain):
    """The width after each of the arcs, as the updates alone would have it."""
    cover, parents, _, _ = COUNTEREXAMPLES[name]
    network = network_of(families(parents), pairs(cover))
    widths = []
    for arc in chain:
        network.apply(np.array([arc], dtype=np.uint32), len(network.cover()))
        widths.append(network.width)
    return widths


def test_how_wide_the_sets_become_in_every_sequence():
    assert widths_after("one child", COUNTEREXAMPLES["one child"][2])[-1] == 4
    assert widths_after("components", [(10, 2), (6, 0), (1, 5)])[-1] == 3
    assert widths_after("components", [(10, 2), (1, 5), (6, 0)])[-1] == 2
    for chain in ([(2, 4), (0, 6)], [(0, 6), (2, 4)]):
        assert widths_after("one block", chain) == [3, 4]
    assert widths_after("one cut vertex", COUNTEREXAMPLES["one cut vertex"][2])[-1] == 3


def test_min_fill_saves_what_the_updates_would_lose():
    for name, width in (("components", 2), ("one block", 3)):
        cover, parents, chain, _ = COUNTEREXAMPLES[name]
        network = network_of(families(parents), pairs(cover))
        added, _ = network.apply(np.array(chain, dtype=np.uint32), width)
        assert (len(added), network.width) == (len(chain), width)
        grown = parent_sets(network, len(network.cover()))
        moral = UndirectedGraph(plain_schema(len(grown)), sorted(slow.moral_edges(grown)))
        assert triangulate(moral, "min_fill").width == width


@pytest.mark.parametrize("seed", range(40))
def test_arcs_whose_block_paths_share_no_block_go_together(seed):
    """Distinct children, inside one component each: one wider at most, whatever vertices they share."""
    rng = np.random.default_rng(300 + seed)
    n = int(rng.integers(8, 20))
    network = network_of(forest := random_forest(n, rng), n=n, cover=forest or None)
    for arc in random_arcs(network, n, rng)[: seed % 3]:
        if arc in random_arcs(network, n, rng):
            network.apply(np.array([arc], dtype=np.uint32), n)
    taken, heads, before = set(), set(), network.width
    together = []
    for s, t in random_arcs(network, n, rng):
        blocks = {tuple(block) for block in network.propose(s, t)[1]}
        if blocks and not blocks & taken and t not in heads:
            taken, heads = taken | blocks, heads | {t}
            together.append((s, t))
    for arc in together:
        if arc in random_arcs(network, n, rng):  # two of them may close a cycle of the network
            network.apply(np.array([arc], dtype=np.uint32), n)
    assert network.width <= before + 1


@pytest.mark.parametrize("seed", range(30))
def test_inside_a_block_contamination_does_not_run_past_the_head(seed):
    """With d(r, s) <= d(r, t) every inner vertex of a chordless s-t path is no farther from r than t."""
    rng = np.random.default_rng(400 + seed)
    n = int(rng.integers(5, 10))
    network = network_of(forest := random_forest(n, rng, joined=1), n=n, cover=forest)
    for arc in random_arcs(network, n, rng)[:3]:
        if arc in random_arcs(network, n, rng):
            network.apply(np.array([arc], dtype=np.uint32), n)
    for block in network.blocks():
        graph = networkx.Graph([(u, v) for u, v in cover_edges(network) if u in block and v in block])
        distance = dict(networkx.all_pairs_shortest_path_length(graph))
        adj = {v: set(graph[v]) for v in block}
        for r, s, t in permutations(block, 3):
            if distance[r][s] <= distance[r][t]:
                assert all(distance[r][v] <= distance[r][t] for v in find_induced_nodes(adj, s, t))


def test_the_paper_counts_too_few_contaminated_vertices():
    """Three arcs into one child look disjoint by their new edges alone, and are four wide together."""
    network = network_of(families(COUNTEREXAMPLES["one child"][1]), pairs(COUNTEREXAMPLES["one child"][0]))
    assert [new_edges(network, s, 2) for s in (3, 4, 1)] == [{(3, 5)}, {(2, 4)}, set()]


@pytest.mark.parametrize("seed", range(20))
def test_ranges_and_order_are_those_of_the_twin(seed):
    rng = np.random.default_rng(100 + seed)
    n = int(rng.integers(4, 10))
    block_wise = seed % 3 != 0
    forest = random_forest(n, rng, joined=0.8)
    network = network_of(forest, n=n, block_wise=block_wise, cover=forest or None)
    for _ in range(4):
        adj, parents = slow.graph_of(n, cover_edges(network)), parent_sets(network, n)
        order = network.node_order().tolist()
        assert order == slow.node_order(adj, parents)
        check_order(order, parents, adj)
        if seed % 2:  # any order that is topological will do for ranges
            order = topological(parents, rng)
        candidates = network.candidates(np.array(order, dtype=np.uint32))
        arcs, _, found = candidates.listed()
        forward = {(s, t) for i, s in enumerate(order) for t in order[i + 1 :] if s not in parents[t]}
        assert as_set(arcs) == forward
        assert arcs.tolist() == sorted(arcs.tolist(), key=lambda arc: (arc[1], arc[0]))
        expected = slow.ranges(adj, parents, order, [(s, t) for s, t in arcs.tolist()], block_wise)
        assert found.tolist() == [[first, last] for first, last, _ in expected]
        legal = random_arcs(network, n, rng)
        if not legal:
            break
        network.apply(np.array(legal[:1], dtype=np.uint32), n)


def topological(parents, rng):
    order = []
    while len(order) < len(parents):
        ready = [v for v in range(len(parents)) if v not in order and parents[v] <= set(order)]
        order.append(int(rng.choice(ready)))
    return order


def check_order(order, parents, adj):
    """Parents first, components in one piece."""
    assert all(set(order[:i]) >= parents[v] for i, v in enumerate(order))
    seen, labels = {}, []
    for v in order:
        component = frozenset(reachable(adj, v))
        labels.append(seen.setdefault(component, len(seen)))
    assert labels == sorted(labels)


def reachable(adj, v):
    found, stack = {v}, [v]
    while stack:
        fresh = adj[stack.pop()] - found
        found |= fresh
        stack += fresh
    return found


def test_a_chain_on_a_path():
    gains = gains_of(6, {(0, 2): 3, (2, 4): 2, (1, 3): 4, (3, 5): 2.5, (0, 5): 5, (1, 4): 4.5})
    network = network_of(PATH, gains=gains)
    candidates = network.candidates(np.arange(6, dtype=np.uint32))
    arcs, _, ranges = candidates.listed()
    found = dict(zip(map(tuple, arcs.tolist()), ranges.tolist(), strict=True))
    assert found == {
        (0, 2): [0, 2],
        (2, 4): [2, 4],
        (1, 3): [1, 3],
        (3, 5): [3, 5],
        (0, 5): [0, 5],
        (1, 4): [1, 4],
    }
    assert candidates.best_chain().tolist() == [[1, 3], [3, 5]]


def test_a_chain_on_a_tree():
    arcs = [(0, 1), (1, 2), (1, 3), (0, 4), (4, 5), (5, 6), (4, 7)]
    given = {(0, 2): 3, (2, 3): 4, (3, 6): 5, (4, 6): 2.5, (6, 7): 2, (1, 7): 6, (5, 7): 1.5, (1, 4): 2}
    network = network_of(arcs, gains=gains_of(8, given))
    order = network.node_order()
    assert order.tolist() == list(range(8))
    candidates = network.candidates(order)
    listed, _, ranges = candidates.listed()
    found = dict(zip(map(tuple, listed.tolist()), ranges.tolist(), strict=True))
    assert found == {
        (0, 2): [0, 2],
        (2, 3): [2, 3],
        (1, 4): [1, 4],
        (3, 6): [1, 6],
        (4, 6): [4, 6],
        (1, 7): [1, 7],
        (5, 7): [5, 7],
        (6, 7): [4, 7],
    }
    chain = candidates.best_chain()
    assert chain.tolist() == [[2, 3], [4, 6]]
    network.apply(chain, 2)
    assert cover_edges(network) == set(pairs("01 04 12 13 23 45 46 47 56"))
    assert network.width == 2


@pytest.mark.parametrize("seed", range(40))
def test_the_best_chain_is_the_best_of_all(seed):
    rng = np.random.default_rng(200 + seed)
    n = int(rng.integers(4, 9))
    forest = random_forest(n, rng)
    gains = np.where(rng.random((n, n)) < 0.6, rng.integers(1, 8, (n, n)) / 2, -1.0)
    network = network_of(forest, n=n, cover=forest or None, gains=gains)
    for arc in random_arcs(network, n, rng)[: seed % 4]:
        if arc in random_arcs(network, n, rng):
            network.apply(np.array([arc], dtype=np.uint32), n)
    adj, parents = slow.graph_of(n, cover_edges(network)), parent_sets(network, n)
    order = topological(parents, rng) if seed % 2 else network.node_order().tolist()
    candidates = network.candidates(np.array(order, dtype=np.uint32))
    arcs, values, _ = candidates.listed()
    keep = slice(None, 24)
    spans = slow.ranges(adj, parents, order, [(s, t) for s, t in arcs.tolist()])
    chain = [(s, t) for s, t in candidates.best_chain().tolist()]
    of = {tuple(arc): i for i, arc in enumerate(arcs.tolist())}
    picked = [spans[of[arc]] for arc in chain]
    assert all(slow.may_follow(e, f) for e, f in pairwise(picked))
    if len(arcs) <= 24:
        assert sum(values[of[arc]] for arc in chain) == slow.best_value(spans[keep], values[keep])
    assert len({t for _, t in chain}) == len(chain)  # so gains add exactly
    before, score = network.width, network.score
    _, skipped = network.apply(np.array(chain, dtype=np.uint32).reshape(-1, 2), before + 1)
    assert network.width <= before + 1
    if not len(skipped):
        assert network.score == score + sum(values[of[arc]] for arc in chain)


def test_covers_that_prove_nothing_are_refused():
    with pytest.raises(ValueError, match=r"^the cover must contain the moral graph$"):
        network_of([(0, 2), (1, 2)])
    with pytest.raises(ValueError, match=r"^the cover must be chordal$"):
        network_of([(0, 1)], pairs("01 12 23 03"))
    with pytest.raises(ValueError, match=r"^this arc cannot be added$"):
        network_of(PATH).propose(1, 0)
