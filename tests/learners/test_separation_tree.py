"""d-separation trees: the paper's examples, exact classes from an oracle, provenance, knowledge, refusals."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import dag_of
from tests.learners.test_pc import noise
from tests.reference.separation_trees import local_skeleton, random_case

import treewright as tw
from treewright import _core
from treewright.errors import GraphError, KnowledgeError, SchemaError, SettingError
from treewright.graphs import consistent_extension
from treewright.graphs.elimination import METHODS
from treewright.learners.node_skeletons import find_node_skeletons

RULES = ("contest", "first", "majority", "max_p")
DATA = os.environ.get("TREEWRIGHT_DATA")
EXAMPLE_1 = dag_of("1->2 1->3 1->5 2->4 3->4 4->7 5->6 6->7")

# the authors' numbers
ALARM_NAMES = """
    CVP LVEDVOLUME PCWP HYPOVOLEMIA LVFAILURE STROKEVOLUME CO HR CATECHOL TPR BP INSUFFANESTH SAO2
    ARTCO2 PVSAT INTUBATION SHUNT VENTALV FIO2 VENTLUNG PULMEMBOLUS EXPCO2 MINVOL KINKEDTUBE VENTTUBE
    PRESS HISTORY ERRLOWOUTPUT HRBP HREKG ERRCAUTER HRSAT ANAPHYLAXIS PAP VENTMACH DISCONNECT MINVOLSET
"""


def joined(scopes):
    return {"".join(scope) for scope in scopes}


def numbers(text):
    return [f"{number:02d}" for number in text]


@pytest.fixture(scope="module")
def numbered_alarm():
    """ALARM with the authors' numbers as names."""
    truth = tw.load_network("alarm").dag
    number = {name: f"{i:02d}" for i, name in enumerate(ALARM_NAMES.split(), start=1)}
    schema = tw.Schema([tw.Variable(f"{i:02d}") for i in range(1, 38)])
    return tw.Dag(schema, [(number[u], number[v]) for u, v in truth.edges()])


# ------------------------------------------------------------------ Example 1
def test_the_trees_of_example_1():
    moral = EXAMPLE_1.moral_graph()
    assert moral.n_edges == 10
    tree = tw.DSeparationTree.of(moral)
    assert joined(tree.clusters) == {"1234", "146", "156", "467"}
    assert joined(tree.separators) == {"14", "16", "46"}
    assert joined(tw.DSeparationTree.of(moral, method="mcs").clusters) == {"1234", "145", "456", "467"}
    assert joined(tw.DSeparationTree.of(moral, method="lex_bfs").clusters) == {"1235", "2345", "456", "467"}
    tree = tw.separation_tree_from_hypergraph(EXAMPLE_1.schema, ["1234", "1356", "467"])
    assert joined(tree.clusters) == {"1234", "1346", "1356", "467"}
    assert joined(tree.separators) == {"134", "136", "46"}


@pytest.mark.parametrize("local", ["pc", "exhaustive"])
def test_the_local_skeletons_of_example_1(local):
    tree = tw.DSeparationTree.of(EXAMPLE_1.moral_graph())
    found = find_node_skeletons(tree, tw.DSeparationOracle(EXAMPLE_1), local=local)
    skeletons = {"".join(tree.clusters[i]): joined(found.local_skeleton(i).edges()) for i in range(4)}
    assert skeletons == {
        "1234": {"12", "13", "24", "34"},
        "146": {"14", "16"},
        "156": {"15", "56"},
        "467": {"46", "47", "67"},
    }
    learned = tw.learn_by_separation_tree(tree, tw.DSeparationOracle(EXAMPLE_1), local=local)
    assert {
        pair: [(one.separator, "".join(one.node)) for one in found]
        for pair, found in learned.separations.items()
    } == {
        ("1", "4"): [(("2", "3"), "1234")],
        ("1", "6"): [(("5",), "156")],
        ("2", "3"): [(("1",), "1234")],
        ("4", "6"): [(("1",), "146")],
    }
    assert learned.skeleton == EXAMPLE_1.skeleton()
    assert learned.structure.directed_edges() == [("2", "4"), ("3", "4"), ("4", "7"), ("6", "7")]
    assert learned.structure.undirected_edges() == [("1", "2"), ("1", "3"), ("1", "5"), ("5", "6")]


def test_the_refinement_of_example_1():
    oracle = tw.DSeparationOracle(EXAMPLE_1)
    tree = tw.separation_tree_from_hypergraph(EXAMPLE_1.schema, ["1235", "234567"])
    assert joined(tree.separators) == {"235"}
    first = tw.estimate_independence_graph(oracle, within=["1235"]).structure
    second = tw.estimate_independence_graph(oracle, within=["234567"]).structure
    assert joined(first.edges()) == {"12", "13", "15"}
    assert joined(second.edges()) == {"23", "24", "25", "34", "35", "46", "47", "56", "67"}
    learned = tw.learn_separation_tree(oracle, ["1235", "234567"], refine_above=4)
    assert joined(learned.tree.clusters) == {"1235", "2345", "456", "467"}
    assert joined(learned.tree.separators) == {"235", "45", "46"}
    assert learned.structure == tw.Cpdag.of(EXAMPLE_1)
    assert learned.audit.contradictions == ()


def test_an_illegitimate_hypergraph_gives_the_wrong_graph_of_the_paper():
    oracle = tw.DSeparationOracle(EXAMPLE_1)
    tree = tw.separation_tree_from_hypergraph(EXAMPLE_1.schema, ["124", "1356", "467"])
    learned = tw.learn_by_separation_tree(tree, oracle)
    assert learned.structure.directed_edges() == [("4", "7"), ("6", "7")]
    assert joined(learned.structure.undirected_edges()) == {"12", "13", "14", "15", "24", "56"}
    assert learned.conflicts == ()


# ------------------------------------------------------------------ Example 3
@pytest.mark.parametrize("method", METHODS)
def test_example_3(method):
    dag = dag_of("1->2 1->3 2->3 1->4 2->4 1->5 3->5 4->6 5->6")
    sets = ["123", "124", "135", "456"]
    tw.check_legitimate(dag, sets, databases=True)
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets, triangulation=method)
    assert joined(tree.clusters) == {"1234", "1345", "456"}
    assert joined(tree.separators) == {"134", "45"}
    for local in ("pc", "exhaustive"):
        found = tw.learn_by_separation_tree(tree, tw.DSeparationOracle(dag), local=local)
        assert found.structure == tw.Cpdag.of(dag)


# ------------------------------------------------------------------ ALARM
def test_alarm_walk_through(numbered_alarm):
    dag = numbered_alarm
    truth = tw.Cpdag.of(dag)
    assert dag.n_edges == 46
    assert truth.undirected_edges() == [("05", "27"), ("10", "33"), ("21", "34"), ("35", "37")]
    sets = [
        numbers([8, 28, 29, 30, 31, 32]),
        numbers([*range(1, 15), 27, 33]),
        numbers([*range(13, 27), 34, 35, 36, 37]),
    ]
    tw.check_legitimate(dag, sets)
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets)
    assert set(tree.separators) == {("08",), ("13", "14")}
    tw.check_tree(dag, tree)
    oracle = tw.DSeparationOracle(dag)
    refined = tw.learn_separation_tree(oracle, sets)
    assert refined.structure == truth
    assert dag.moral_graph().n_edges == 65
    moral = tw.DSeparationTree.of(dag.moral_graph())
    assert (len(refined.tree.clusters), refined.tree.width + 1) == (27, 5)
    assert refined.tree.graph() == moral.graph()
    assert refined.structure.directed_edges().count(("02", "01")) == 1
    assert ("16", "23") in refined.structure.directed_edges()


def test_alarm_with_a_torn_family(numbered_alarm):
    sets = [
        numbers([8, 29, 30, 31, 32]),
        numbers([28, 29]),
        numbers([*range(1, 15), 27, 33]),
        numbers([*range(13, 27), 34, 35, 36, 37]),
    ]
    with pytest.raises(tw.errors.IllegitimateHypergraph, match="parents '08' and '28' of '29'"):
        tw.check_legitimate(numbered_alarm, sets)
    with pytest.raises(tw.errors.IllegitimateHypergraph, match="the hypergraph contradicts the data"):
        tw.learn_separation_tree(tw.DSeparationOracle(numbered_alarm), sets)


@pytest.mark.parametrize("method", METHODS)
def test_every_triangulation_of_alarm(numbered_alarm, method):
    tree = tw.DSeparationTree.of(numbered_alarm.moral_graph(), method=method)
    assert 25 <= len(tree.clusters) <= 28
    assert tree.width == 4


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
    tw.check_tree(dag, tree)
    for local in ("pc", "exhaustive"):
        learned = tw.learn_by_separation_tree(tree, oracle, local=local, collider_rule=rule)
        assert learned.structure == truth
        assert (learned.conflicts, learned.skipped) == ((), ())
    refined = tw.learn_separation_tree(oracle, sets, refine_above=1, triangulation=method)
    tw.check_tree(dag, refined.tree)
    assert refined.structure == truth
    graph = tw.estimate_independence_graph(oracle, within=tree.clusters).structure
    assert dag.moral_graph().is_subgraph_of(graph)


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
    learned = tw.learn_separation_tree(tw.DSeparationOracle(dag))
    assert learned.structure == tw.Cpdag.of(dag)
    tw.check_tree(dag, learned.tree)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), exhaustive=st.booleans())
def test_nodes_against_one_question_at_a_time(seed, exhaustive):
    dag, sets = random_case(seed, largest=7)
    oracle = tw.DSeparationOracle(dag)
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets)
    found = find_node_skeletons(tree, oracle, local="exhaustive" if exhaustive else "pc")
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
    learned = tw.learn_separation_tree(
        test, sets, collider_rule=rule, verify=verify, refine_above=3, legitimacy="report"
    )
    assert isinstance(learned.structure, tw.Cpdag)
    assert consistent_extension(learned.structure) is not None
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
        first = tw.learn_separation_tree(tw.GTest(tw.count(table)), known, **options)
        other = tw.learn_separation_tree(tw.GTest(tw.count(turned)), other_known, **options)
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
        found.append(tw.learn_separation_tree(test))
    _core.set_threads(0)
    assert found[0].structure == found[1].structure == found[2].structure
    assert found[0].separations == found[1].separations == found[2].separations


def test_a_test_that_is_called_gives_the_same_as_one_in_the_core():
    counter = tw.count(noise(5, n=9, rows=500))
    native = tw.learn_separation_tree(tw.GTest(counter))
    called = tw.learn_separation_tree(tw.GTest(tw.ShardedCounter([counter])))
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
    plain = tw.learn_separation_tree(oracle, sets)
    nested = tw.learn_separation_tree(oracle, [*sets, sets[0][:1]])
    whole = tw.learn_separation_tree(oracle, [*sets, range(len(dag.schema))])
    assert plain.structure == nested.structure == whole.structure
    assert plain.tree == nested.tree


def test_a_stricter_tree_finds_alarm():
    network = tw.load_network("alarm")
    test = tw.GTest(tw.count(network.sample(10_000, rng=np.random.default_rng(3))), 0.01)
    learned = tw.learn_separation_tree(test)
    assert tw.compare(network.dag, learned.structure).skeleton.f1 > 0.93
    assert learned.levels == (0.01,)
    assert learned.trace.total("tests") > learned.n_asked
    assert pickle.loads(pickle.dumps(learned)).structure == learned.structure


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
    audited = tw.AuditedTest(test)
    tw.learn_pc(audited, depth=10)
    learned = tw.learn_separation_tree(test, depth=10)
    assert learned.levels == (0.01,)
    assert learned.n_evaluated * 4 < audited.n_evaluated
    assert tw.shd(tw.Cpdag.of(network), tw.Cpdag.of(learned.dag)) <= 14


def test_large_nodes_make_the_level_stricter():
    test = tw.GTest(tw.count(noise(1, n=30, rows=200)), 0.05)
    loose = tw.learn_separation_tree(test, alpha_uig=0.5, max_node=30, refine_above=None)
    learned = tw.learn_separation_tree(test, alpha_uig=0.5, max_node=10, refine_above=None)
    assert loose.levels == (0.5,)
    assert learned.tree.width < 10 <= loose.tree.width
    assert learned.levels[0] == 0.5
    assert list(learned.levels) == sorted(learned.levels, reverse=True)
    never_enough = tw.learn_separation_tree(test, alpha_uig=0.5, max_node=1, refine_above=None)
    assert 0.5 / 435 / 10 < never_enough.levels[-1] <= 0.5 / 435


def test_verification_only_removes():
    for seed in range(6):
        test = tw.GTest(tw.count(noise(seed, n=10, rows=400)), 0.05)
        plain = tw.learn_separation_tree(test)
        checked = tw.learn_separation_tree(test, verify=True)
        gone = set(plain.skeleton.edges()) - set(checked.skeleton.edges())
        assert set(checked.skeleton.edges()) <= set(plain.skeleton.edges())
        for pair in gone:
            assert checked.why_not(*pair).separations[0].node is None


# ------------------------------------------------------------------ odd tables
def test_disconnected_parts_and_single_variables():
    dag = dag_of("a->b c->d")
    learned = tw.learn_separation_tree(tw.DSeparationOracle(dag))
    assert learned.structure == tw.Cpdag.of(dag)
    assert str(learned.why_not("d", "a")) == "a and d share no node; the tree separates them by {}"
    single = tw.Dag(tw.Schema([tw.Variable("a", (0, 1))]), [])
    assert tw.learn_separation_tree(tw.DSeparationOracle(single)).structure.edges() == []


def test_constant_and_equal_columns_and_few_rows():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 300)).astype(np.uint8)
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    table = tw.Table(schema, [a, a.copy(), np.zeros_like(a), b])
    learned = tw.learn_separation_tree(tw.GTest(tw.count(table)))
    assert learned.skeleton.edges() == [("a", "b")]
    assert ("c", ()) in learned.functional
    few = tw.learn_separation_tree(tw.GTest(tw.count(table.take(np.arange(7)))))
    assert isinstance(few.structure, tw.Cpdag)


def test_columns_that_others_determine_are_reported():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 500)).astype(np.uint8)
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    d = ((a & b) ^ (rng.random(500) < 0.1)).astype(np.uint8)
    test = tw.GTest(tw.count(tw.Table(schema, [a, b, a & b, d])))
    tree = tw.separation_tree_from_hypergraph(schema, ["abcd"])
    assert ("c", ("a", "b")) in tw.learn_by_separation_tree(tree, test).functional


# ------------------------------------------------------------------ knowledge
def test_knowledge_is_obeyed():
    dag = dag_of("a->b b->c c->d")
    oracle = tw.DSeparationOracle(dag)
    known = tw.Knowledge(required=[("d", "c")], forbidden=[("a", "b"), ("b", "a")])
    learned = tw.learn_separation_tree(oracle, ["abc", "cd"], knowledge=known, legitimacy="skip")
    assert learned.dag.has_arc("d", "c")
    assert ("d", "c") in learned.structure.directed_edges()
    assert str(learned.why_not("a", "b")) == "a and b may not be joined, by what is known"
    assert learned.audit is None


def test_a_required_arc_stays_and_joins_a_node():
    dag = dag_of("a->b c->d")
    known = tw.Knowledge(required=[("a", "d")])
    learned = tw.learn_separation_tree(tw.DSeparationOracle(dag), knowledge=known)
    assert learned.dag.has_arc("a", "d")
    assert any({"a", "d"} <= set(node) for node in learned.tree.clusters)


# ------------------------------------------------------------------ refusals
def test_refusals():
    dag = dag_of("a->b b->c")
    oracle = tw.DSeparationOracle(dag)
    tree = tw.separation_tree_from_hypergraph(dag.schema, ["ab", "bc"])
    with pytest.raises(SettingError, match="local must be one of 'pc', 'exhaustive'; found 'hc'"):
        tw.learn_by_separation_tree(tree, oracle, local="hc")
    with pytest.raises(SettingError, match="collider_rule must be one of"):
        tw.learn_by_separation_tree(tree, oracle, collider_rule="best")
    with pytest.raises(SettingError, match="depth must be a whole number from 0 on"):
        tw.learn_by_separation_tree(tree, oracle, depth=-1)
    with pytest.raises(SettingError, match="max_node must be a number of variables from 1 on; found 0"):
        tw.learn_separation_tree(oracle, max_node=0)
    with pytest.raises(SettingError, match="alpha must lie between 0 and 1, both excluded; found 2"):
        tw.learn_separation_tree(oracle, alpha_uig=2)
    with pytest.raises(SettingError, match="collider_rule='score' needs a score"):
        tw.learn_separation_tree(oracle, collider_rule="score")
    with pytest.raises(SettingError, match="legitimacy must be one of"):
        tw.learn_separation_tree(oracle, legitimacy="hope")
    with pytest.raises(KnowledgeError, match="'a' -> 'c' is required, but no node of the tree holds both"):
        tw.learn_by_separation_tree(tree, oracle, knowledge=tw.Knowledge(required=[("a", "c")]))
    other = tw.separation_tree_from_hypergraph(tw.Schema([tw.Variable(n) for n in "abx"]), ["abx"])
    with pytest.raises(SchemaError, match="only one of them has 'c', 'x'"):
        tw.learn_by_separation_tree(other, oracle)
    with pytest.raises(GraphError, match="every variable lies in a hyperedge; in none: 'c'"):
        tw.learn_separation_tree(oracle, ["ab"])
    learned = tw.learn_by_separation_tree(tree, oracle)
    with pytest.raises(GraphError, match="there is an edge between 'a' and 'b': no set separated them"):
        learned.why_not("b", "a")
    with pytest.raises(GraphError, match="an edge joins two variables; found 'a' twice"):
        learned.why_not("a", "a")


def test_an_exhaustive_search_of_a_large_node_is_refused_before_it_begins():
    schema = tw.Schema([tw.Variable(f"v{i:02d}", (0, 1)) for i in range(26)])
    tree = tw.separation_tree_from_hypergraph(schema, [schema.names])
    oracle = tw.DSeparationOracle(tw.Dag(schema, []))
    with pytest.raises(SettingError, match="up to 26 variables may ask 5,452,595,200 tests; use local='pc'"):
        tw.learn_by_separation_tree(tree, oracle, local="exhaustive")
    assert tw.learn_by_separation_tree(tree, oracle, local="exhaustive", depth=1).skeleton.n_edges == 0


def test_a_tree_in_another_order_of_columns():
    dag = dag_of("a->b b->c")
    turned = tw.Schema([dag.schema.variables[i] for i in (2, 0, 1)])
    tree = tw.separation_tree_from_hypergraph(turned, ["ab", "bc"])
    assert tw.learn_by_separation_tree(tree, tw.DSeparationOracle(dag)).structure == tw.Cpdag.of(dag)


def test_progress_is_told():
    lines = []
    test = tw.GTest(tw.count(noise(0)))
    tw.learn_separation_tree(test, [test.schema.names], progress=lines.append)
    assert lines[0] == "separators of the tree"
    assert {"level: separators of size 0", "directions"} <= set(lines)


def test_directions_by_a_score():
    network = tw.load_network("asia")
    counter = tw.count(network.sample(5_000, rng=np.random.default_rng(0)))
    learned = tw.learn_separation_tree(tw.GTest(counter, 0.05), collider_rule="score", score=tw.BIC(counter))
    assert set(learned.structure.skeleton().edges()) <= set(learned.skeleton.edges())
    assert tw.Cpdag.of(learned.dag) == learned.structure
    known = tw.Knowledge(required=[("bronc", "smoke")])
    obedient = tw.learn_separation_tree(
        tw.GTest(counter, 0.05), collider_rule="score", score=tw.BIC(counter), knowledge=known
    )
    assert obedient.dag.has_arc("bronc", "smoke")
    for learned_one in (learned, obedient):
        for pair in set(learned_one.skeleton.edges()) - set(learned_one.structure.skeleton().edges()):
            assert str(learned_one.why_not(*pair)).startswith("no set separated")


def test_edges_have_a_confidence():
    table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))

    def learn(rows):
        return tw.learn_separation_tree(tw.GTest(tw.count(rows), 0.05))

    confidence = tw.edge_confidence(table, learn, repetitions=5, rng=np.random.default_rng(1))
    assert confidence.strength("bronc", "dysp") == 1.0
