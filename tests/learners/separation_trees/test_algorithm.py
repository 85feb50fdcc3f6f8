"""d-separation trees: exact classes from an oracle, and what is learned from data."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import dag_of
from tests.learners.independence.test_pc import noise
from tests.learners.separation_trees.main_algorithm import learn_main
from tests.reference.learners.separation_trees import local_skeleton, random_case

import treewright as tw
from treewright import _core
from treewright.graphs import find_consistent_extension
from treewright.graphs.undirected.triangulation import METHODS
from treewright.learners.separation_trees.node_skeletons import find_node_skeletons

RULES = ("contest", "first", "majority", "max_p")


DATA = os.environ.get("TREEWRIGHT_DATA")


SHAPES = {  # nodes and largest node by min-fill, families as hyperedges
    "asia": (6, 3),
    "sachs": (6, 4),
    "child": (17, 4),
    "insurance": (18, 8),
    "alarm": (27, 5),
    "hailfinder": (43, 5),
    "hepar2": (58, 7),
    "win95pts": (50, 9),
    "pathfinder": (91, 7),
    "pigs": (368, 11),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_an_oracle_gives_the_class_of_the_networks(name):
    if not DATA:
        pytest.skip("TREEWRIGHT_DATA names no folder with networks")
    dag = tw.read_model(Path(DATA) / "networks" / f"{name}.bif.gz").dag
    sets = [(v, *dag.parents(v)) for v in range(len(dag.schema))]
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets)
    assert (len(tree.clusters), tree.width + 1) == SHAPES[name]
    learned = tw.learn_by_separation_tree(tree, tw.DSeparationOracle(dag))
    assert learned.structure == tw.Cpdag.of(dag)


# ------------------------------------------------------------------ random graphs
def check_case(seed):
    dag, sets = random_case(seed)
    oracle, truth = tw.DSeparationOracle(dag), tw.Cpdag.of(dag)
    method, rule = METHODS[seed // 4 % len(METHODS)], RULES[seed // 7 % len(RULES)]
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets, triangulation=method)
    tw.graphs.check_tree(dag, tree)
    for local in ("pc", "exhaustive"):
        learned = tw.learn_by_separation_tree(
            tree, oracle, search=tw.learners.NodeSearch(local=local, collider_rule=rule)
        )
        assert learned.structure == truth
        assert (learned.conflicts, learned.skipped) == ((), ())
    refined = learn_main(oracle, sets, refine_above=1, triangulation=method)
    tw.graphs.check_tree(dag, refined.tree)
    assert refined.structure == truth
    graph = tw.learners.estimate_independence_graph(oracle, within=tree.clusters).structure
    assert dag.moral_graph().is_subgraph_of(graph)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 240, 40))
def test_an_oracle_gives_the_true_class(start):
    for seed in range(start, start + 40):
        check_case(seed)


@pytest.mark.skipif("TREEWRIGHT_CASES" not in os.environ, reason="TREEWRIGHT_CASES gives no number of cases")
def test_an_oracle_gives_the_true_class_many_times():
    for seed in range(240, int(os.environ["TREEWRIGHT_CASES"])):
        check_case(seed)


@pytest.mark.parametrize("seed", range(20))
def test_without_knowledge_an_oracle_gives_the_true_class(seed):
    dag, _ = random_case(seed, largest=9)
    learned = learn_main(tw.DSeparationOracle(dag))
    assert learned.structure == tw.Cpdag.of(dag)
    tw.graphs.check_tree(dag, learned.tree)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), exhaustive=st.booleans())
def test_nodes_against_one_question_at_a_time(seed, exhaustive):
    dag, sets = random_case(seed, largest=7)
    oracle = tw.DSeparationOracle(dag)
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets)
    found = find_node_skeletons(
        tree, oracle, search=tw.learners.NodeSearch(local="exhaustive" if exhaustive else "pc")
    )
    for position, node in enumerate(tree.cluster_scopes):
        edges, separators = local_skeleton(node, oracle.independent, exhaustive)
        assert set(map(frozenset, found.local_skeleton(position).index_edges())) == set(map(frozenset, edges))
        sizes = {
            (u, v): len(given)
            for (u, v), sets_of_pair in found.separations.items()
            for given, _, where in sets_of_pair
            if where == position
        }
        assert sizes == {pair: len(given) for pair, given in separators.items()}


# ------------------------------------------------------------------ data
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), rule=st.sampled_from(RULES), verify=st.booleans(), known=st.booleans())
def test_what_is_learned_from_any_data_is_an_equivalence_class(seed, rule, verify, known):
    test = tw.GTest(tw.count(noise(seed)), 0.1)
    names = test.schema.names
    sets = [names[:5], names[3:]] if known else None
    learned = learn_main(test, sets, collider_rule=rule, verify=verify, refine_above=3, legitimacy="report")
    assert isinstance(learned.structure, tw.Cpdag)
    assert find_consistent_extension(learned.structure) is not None
    assert tw.Cpdag.of(learned.dag) == learned.structure
    assert learned.structure.skeleton() == learned.skeleton
    nodes = [set(node) for node in learned.tree.clusters]
    joined_pairs = set(learned.skeleton.edges())
    for u, v in ((u, v) for u in sorted(names) for v in sorted(names) if u < v):
        if (u, v) in joined_pairs:
            continue
        why = learned.why_not(u, v)
        shared = [node for node in nodes if {u, v} <= node]
        assert bool(shared) == bool(why.separations) == (not why.path)
        for one in why.separations:
            assert not {u, v} & set(one.separator)
            assert one.p_value > 0.1
            assert one.node is None or {u, v, *one.separator} <= set(one.node)
    assert learned.n_evaluated <= learned.n_asked


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_columns_rows_and_hyperedges_does_not_matter(rule, seed):
    table = noise(seed, n=9, rows=300)
    rng = np.random.default_rng(seed)
    sets = [["v0", "v1", "v2", "v3", "v4"], ["v3", "v4", "v5", "v6"], ["v6", "v7", "v8", "v0"]]
    options = {"collider_rule": rule, "legitimacy": "report", "refine_above": 3}
    columns = [table.schema.names[i] for i in rng.permutation(9)]
    turned = table.take(rng.permutation(table.n_rows)).reordered(columns)
    shuffled = [list(rng.permutation(sets[i])) for i in rng.permutation(3)]
    for known, other_known in ((None, None), (sets, shuffled)):
        first = learn_main(tw.GTest(tw.count(table)), known, **options)
        other = learn_main(tw.GTest(tw.count(turned)), other_known, **options)
        assert other.structure == first.structure
        assert dict(other.separations) == dict(first.separations)
        assert other.tree.clusters == first.tree.clusters
        for record in ("dropped", "added", "skipped", "ambiguous", "functional", "audit", "levels"):
            assert getattr(other, record) == getattr(first, record)


def test_any_number_of_threads():
    test = tw.GTest(tw.count(noise(4, n=20, rows=4_000)))
    found = []
    for threads in (1, 2, 5):
        _core.set_threads(threads)
        found.append(learn_main(test))
    _core.set_threads(0)
    assert found[0].structure == found[1].structure == found[2].structure
    assert found[0].separations == found[1].separations == found[2].separations


def test_a_test_that_is_called_gives_the_same_as_one_in_the_core():
    counter = tw.count(noise(5, n=9, rows=500))
    native = learn_main(tw.GTest(counter))
    called = learn_main(tw.GTest(tw.ShardedCounter([counter])))
    assert called.structure == native.structure
    assert called.separations == native.separations
    assert called.tree == native.tree


def test_one_node_of_all_variables_is_pc():
    for seed in range(5):
        test = tw.GTest(tw.count(noise(seed, rows=200)), 0.05)
        tree = tw.separation_tree_from_hypergraph(test.schema, [test.schema.names])
        learned = tw.learn_by_separation_tree(tree, test)
        pc = tw.learn_pc(test)
        assert learned.structure == pc.structure
        found = {pair: tuple(sorted(separator)) for pair, separator in pc.separators.items()}
        assert learned.separators == found
        assert learned.dropped == pc.dropped


@pytest.mark.parametrize("seed", range(5))
def test_a_nested_hyperedge_changes_nothing(seed):
    dag, sets = random_case(4 * seed, largest=8)
    oracle = tw.DSeparationOracle(dag)
    plain = learn_main(oracle, sets)
    nested = learn_main(oracle, [*sets, sets[0][:1]])
    whole = learn_main(oracle, [*sets, range(len(dag.schema))])
    assert plain.structure == nested.structure == whole.structure
    assert plain.tree == nested.tree


def test_gaussian_data_need_fewer_tests_than_pc():
    rng = np.random.default_rng(0)
    network = tw.load_network("alarm").dag
    n, order = len(network.schema), network.topological_order
    rows = rng.standard_normal((1_000, n))
    for v in order:
        for u in network.parents(v):
            rows[:, v] += rng.choice([-1, 1]) * rng.uniform(0.4, 1) * rows[:, u]
    schema = tw.Schema([tw.Variable(name) for name in network.schema.names])
    test = tw.FisherZTest(tw.Moments.of_block(schema, rows), 0.01)
    audited = tw.criteria.AuditedTest(test)
    tw.learn_pc(audited, depth=10)
    learned = learn_main(test, depth=10)
    assert learned.levels == (0.01,)
    assert learned.n_evaluated * 4 < audited.n_evaluated
    assert tw.shd(tw.Cpdag.of(network), tw.Cpdag.of(learned.dag)) <= 14


def test_large_nodes_make_the_level_stricter():
    test = tw.GTest(tw.count(noise(1, n=30, rows=200)), 0.05)
    loose = learn_main(test, alpha_uig=0.5, max_node=30, refine_above=None)
    learned = learn_main(test, alpha_uig=0.5, max_node=10, refine_above=None)
    assert loose.levels == (0.5,)
    assert learned.tree.width < 10 <= loose.tree.width
    assert learned.levels[0] == 0.5
    assert list(learned.levels) == sorted(learned.levels, reverse=True)
    never_enough = learn_main(test, alpha_uig=0.5, max_node=1, refine_above=None)
    assert 0.5 / 435 / 10 < never_enough.levels[-1] <= 0.5 / 435


def test_verification_only_removes():
    for seed in range(6):
        test = tw.GTest(tw.count(noise(seed, n=10, rows=400)), 0.05)
        plain = learn_main(test)
        checked = learn_main(test, verify=True)
        gone = set(plain.skeleton.edges()) - set(checked.skeleton.edges())
        assert set(checked.skeleton.edges()) <= set(plain.skeleton.edges())
        for pair in gone:
            assert checked.why_not(*pair).separations[0].node is None


# ------------------------------------------------------------------ odd tables
def test_disconnected_parts_and_single_variables():
    dag = dag_of("a->b c->d")
    learned = learn_main(tw.DSeparationOracle(dag))
    assert learned.structure == tw.Cpdag.of(dag)
    assert str(learned.why_not("d", "a")) == "a and d share no node; the tree separates them by {}"
    single = tw.Dag(tw.Schema([tw.Variable("a", (0, 1))]), [])
    assert learn_main(tw.DSeparationOracle(single)).structure.edges() == []


def test_constant_and_equal_columns_and_few_rows():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 300)).astype(np.uint8)
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    table = tw.Table(schema, [a, a.copy(), np.zeros_like(a), b])
    learned = learn_main(tw.GTest(tw.count(table)))
    assert learned.skeleton.edges() == [("a", "b")]
    assert ("c", ()) in learned.functional
    few = learn_main(tw.GTest(tw.count(table.take(np.arange(7)))))
    assert isinstance(few.structure, tw.Cpdag)


def test_columns_that_others_determine_are_reported():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 500)).astype(np.uint8)
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    d = ((a & b) ^ (rng.random(500) < 0.1)).astype(np.uint8)
    test = tw.GTest(tw.count(tw.Table(schema, [a, b, a & b, d])))
    tree = tw.separation_tree_from_hypergraph(schema, ["abcd"])
    assert ("c", ("a", "b")) in tw.learn_by_separation_tree(tree, test).functional
