"""Knowledge and starts of the chains and thin junction trees: obeyed, joined as in a tree, refused."""

import numpy as np
import pytest
from tests.learners.bounded_treewidth.helpers import Gains, dependent_table

from treewright import (
    BIC,
    K2,
    Dag,
    Knowledge,
    count,
    learn_chow_liu,
    learn_thin_junction_tree,
    learn_treewidth_chains,
)
from treewright.errors import KnowledgeError, SettingError, TreewidthError
from treewright.graphs import prove_treewidth
from treewright.learners import ChainVariants
from treewright.learners.bounded_treewidth.growth import first_networks, narrow_cover, rootings
from treewright.learners.classes.chow_liu import obedient_branching

LEARNERS = [learn_treewidth_chains, learn_thin_junction_tree]
NAMES = [f"v{i:02d}" for i in range(12)]


def score_of(seed, n=12, n_rows=700, kind=BIC):
    return kind(count(dependent_table(seed, n, n_rows)))


def random_knowledge(seed):
    """Arcs that agree with a hidden order, a few of them required: at most two parents each."""
    rng = np.random.default_rng(seed)
    hidden = [NAMES[i] for i in rng.permutation(12)]
    forward = [(a, b) for i, a in enumerate(hidden) for b in hidden[i + 1 :]]
    picked = [forward[i] for i in rng.permutation(len(forward))]
    required = picked[: int(rng.integers(0, 4))]
    forbidden = [(b, a) for a, b in picked[10:30]] + picked[30:40]
    tiers = [hidden[:4], hidden[6:]] if seed % 2 else None
    return Knowledge(required=required, forbidden=forbidden, tiers=tiers)


@pytest.mark.parametrize("learn", LEARNERS)
@pytest.mark.parametrize("seed", range(8))
def test_knowledge_is_obeyed_within_the_width(learn, seed):
    score, known = score_of(seed), random_knowledge(seed)
    learned = learn(score, treewidth=3, knowledge=known)
    known.on(score.schema).check(learned.structure)
    assert learned.width <= 3
    assert learned.structure.moral_graph().is_subgraph_of(learned.certificate.graph())
    assert learned.score == pytest.approx(score.score(learned.structure), abs=1e-6)
    again = learn(score, treewidth=3, knowledge=known.on(score.schema))
    assert again.structure == learned.structure


@pytest.mark.parametrize("learn", LEARNERS)
def test_nothing_known_changes_nothing(learn):
    score = score_of(3)
    plain = learn(score, treewidth=3)
    known = learn(score, treewidth=3, knowledge=Knowledge())
    assert known.structure == plain.structure
    assert known.certificate.clusters == plain.certificate.clusters


@pytest.mark.parametrize("learn", LEARNERS)
def test_an_order_may_come_as_knowledge(learn):
    score = score_of(4)
    order = [NAMES[i] for i in np.random.default_rng(4).permutation(12)]
    by_itself = learn(score, treewidth=3, order=order)
    known = learn(score, treewidth=3, knowledge=Knowledge(order=order))
    assert by_itself.structure == known.structure
    assert [one.edges for one in by_itself.iterations] == [one.edges for one in known.iterations]
    with pytest.raises(KnowledgeError, match="the knowledge holds an order already; leave out order="):
        learn(score, treewidth=3, order=order, knowledge=Knowledge(order=order))


@pytest.mark.parametrize("learn", LEARNERS)
def test_required_arcs_that_are_too_wide_are_refused(learn):
    score = score_of(5)
    known = Knowledge(required=[(name, NAMES[3]) for name in NAMES[:3]])
    with pytest.raises(TreewidthError) as error:
        learn(score, treewidth=2, knowledge=known)
    assert str(error.value) == (
        "treewidth=2 is too narrow for the arcs that the knowledge requires; allow a wider network or "
        "require fewer arcs"
    )
    learned = learn(score, treewidth=3, knowledge=known)
    assert learned.width == 3
    assert set(learned.structure.parents(NAMES[3])) >= set(NAMES[:3])
    with pytest.raises(SettingError, match=r"'v03' begins with 3 parents, .* max_parents is 2"):
        learn(score, treewidth=3, knowledge=known, max_parents=2)


@pytest.mark.parametrize("seed", range(12))
def test_required_parts_are_joined_as_in_a_tree_at_no_width(seed):
    rng = np.random.default_rng(seed)
    score = Gains(rng.normal(size=(9, 9)))
    required = [("v0", "v2"), ("v1", "v2"), ("v3", "v5"), ("v4", "v5"), ("v5", "v6")]
    names = score.schema.names
    known = Knowledge(required=[(names[int(a[1])], names[int(b[1])]) for a, b in required]).on(score.schema)
    dag = obedient_branching(score.pair_gains(), known)
    known.check(dag)
    assert prove_treewidth(dag.moral_graph()) == 2
    best = best_joining(score, known)
    assert score.score(dag) == pytest.approx(best)


def best_joining(score, known):
    """The best way to enter each part once, at a variable without parents, by trying all."""
    n = len(score.schema)
    label = {0: 0, 1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 1, 7: 2, 8: 3}
    entries = {0: [0, 1], 1: [3, 4], 2: [7], 3: [8]}
    ways = [
        [None, *((s, t) for t in entries[part] for s in range(n) if label[s] != part)] for part in range(4)
    ]

    def acyclic(arcs):
        above = {label[t]: label[s] for s, t in arcs}
        for part in range(4):
            seen, at = set(), part
            while at in above:
                if at in seen:
                    return False
                seen.add(at)
                at = above[at]
        return True

    base = sum(score.gains[s, t] for s, t in known.required_arcs())
    best = base
    for one in ways[0]:
        for two in ways[1]:
            for three in ways[2]:
                for four in ways[3]:
                    arcs = [arc for arc in (one, two, three, four) if arc is not None]
                    total = base + sum(score.gains[s, t] for s, t in arcs)
                    if total > best and acyclic(arcs):
                        best = total
    return best


@pytest.mark.parametrize("learn", LEARNERS)
def test_a_start_is_kept_and_grown(learn):
    score = score_of(6)
    start = Dag(score.schema, [("v00", "v02"), ("v01", "v02"), ("v02", "v03")])
    learned = learn(score, treewidth=3, start=start)
    assert set(start.edges()) <= set(learned.structure.edges())
    assert learned.width <= 3
    assert learned.structure.n_edges == 3 + sum(len(one.edges) for one in learned.iterations)
    empty = learn(score, treewidth=1, start=Dag(score.schema, []))
    assert empty.width == 1
    assert empty.score <= learn(score, treewidth=1).score
    with pytest.raises(TreewidthError) as error:
        learn(score, treewidth=1, start=start)
    assert str(error.value) == (
        "treewidth=1 is too narrow for the start; allow a wider network or begin at a tree"
    )
    with pytest.raises(KnowledgeError, match="against the knowledge: the graph has v00 -> v02"):
        learn(score, treewidth=2, start=start, knowledge=Knowledge(forbidden=[("v00", "v02")]))


def test_rootings_are_the_same_tree():
    score = score_of(7)
    tree = learn_chow_liu(score).structure
    degree = {v: len(tree.parents(v)) + len(tree.children(v)) for v in range(12)}
    found = rootings(tree, "first", 99)
    assert found[0] == tree
    assert len(found) == 12
    assert len({tuple(one.edges()) for one in found}) == 12
    for one in found:
        assert {frozenset(edge) for edge in one.edges()} == {frozenset(edge) for edge in tree.edges()}
        assert max(len(one.parents(v)) for v in range(12)) == 1
        assert score.score(one) == pytest.approx(score.score(tree))
    (hub,) = rootings(tree, "hub", 1)
    (root,) = [v for v in range(12) if not hub.parents(v)]
    assert degree[root] == max(degree.values())


def test_more_roots_are_never_worse():
    score = score_of(8)
    heard = []
    one, more = (learn_treewidth_chains(score, treewidth=3, variants=ChainVariants(roots=n)) for n in (1, 6))
    assert more.score >= one.score
    assert more.width <= 3
    alone = learn_treewidth_chains(score, treewidth=3, variants=ChainVariants(root="hub"))
    variants = ChainVariants(root="hub", roots=12)
    best = learn_treewidth_chains(score, treewidth=3, variants=variants, progress=heard.append)
    assert best.score >= max(alone.score, more.score)
    assert [step.done for step in heard] == list(range(1, len(heard) + 1))
    assert len(heard) > len(best.iterations)


def test_where_the_tree_is_directed_no_root_is_chosen():
    message = (
        "root= and roots= choose among trees that the score cannot tell apart; here the score or the "
        "knowledge directs the tree"
    )
    for score, more in ((score_of(9, kind=K2), {}), (score_of(9), {"order": NAMES})):
        for choice in ({"root": "hub"}, {"roots": 2}):
            with pytest.raises(SettingError) as error:
                learn_treewidth_chains(score, treewidth=2, variants=ChainVariants(**choice), **more)
            assert str(error.value) == message
    with pytest.raises(SettingError) as error:
        learn_treewidth_chains(
            score_of(9), treewidth=2, variants=ChainVariants(roots=2), start=Dag(score_of(9).schema, [])
        )
    assert str(error.value) == (
        "root= and roots= are about the tree to begin with; leave them out beside start="
    )
    for name in ("roots", "orders"):
        with pytest.raises(SettingError, match=rf"^{name}= is a number of at least 1; found 0$"):
            ChainVariants(**{name: 0})


def test_a_cover_is_as_narrow_as_its_network():
    score = score_of(10)
    (tree,) = first_networks(score, Knowledge().on(score.schema), "first", 1)
    assert narrow_cover(tree, 5).n_edges == tree.n_edges
    ring = Dag(score.schema, [("v00", "v01"), ("v01", "v02"), ("v02", "v03"), ("v00", "v03")])
    cover = narrow_cover(ring, 4)
    assert prove_treewidth(cover) == 2
    assert narrow_cover(ring, 1) is None
