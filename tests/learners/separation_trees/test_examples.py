"""d-separation trees: the examples and the ALARM network of Xie, Geng & Zhao (2006)."""

import pickle

import numpy as np
import pytest
from tests.conftest import dag_of
from tests.learners.separation_trees.main_algorithm import learn_main

import treewright as tw
from treewright.graphs.undirected.triangulation import METHODS
from treewright.learners.separation_trees.node_skeletons import find_node_skeletons

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
    tree = tw.graphs.DSeparationTree.of(moral)
    assert joined(tree.clusters) == {"1234", "146", "156", "467"}
    assert joined(tree.separators) == {"14", "16", "46"}
    assert joined(tw.graphs.DSeparationTree.of(moral, method="mcs").clusters) == {"1234", "145", "456", "467"}
    assert joined(tw.graphs.DSeparationTree.of(moral, method="lex_bfs").clusters) == {
        "1235",
        "2345",
        "456",
        "467",
    }
    tree = tw.separation_tree_from_hypergraph(EXAMPLE_1.schema, ["1234", "1356", "467"])
    assert joined(tree.clusters) == {"1234", "1346", "1356", "467"}
    assert joined(tree.separators) == {"134", "136", "46"}


@pytest.mark.parametrize("local", ["pc", "exhaustive"])
def test_the_local_skeletons_of_example_1(local):
    tree = tw.graphs.DSeparationTree.of(EXAMPLE_1.moral_graph())
    found = find_node_skeletons(
        tree, tw.DSeparationOracle(EXAMPLE_1), search=tw.learners.NodeSearch(local=local)
    )
    skeletons = {"".join(tree.clusters[i]): joined(found.local_skeleton(i).edges()) for i in range(4)}
    assert skeletons == {
        "1234": {"12", "13", "24", "34"},
        "146": {"14", "16"},
        "156": {"15", "56"},
        "467": {"46", "47", "67"},
    }
    learned = tw.learn_by_separation_tree(
        tree, tw.DSeparationOracle(EXAMPLE_1), search=tw.learners.NodeSearch(local=local)
    )
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
    first = tw.learners.estimate_independence_graph(oracle, within=["1235"]).structure
    second = tw.learners.estimate_independence_graph(oracle, within=["234567"]).structure
    assert joined(first.edges()) == {"12", "13", "15"}
    assert joined(second.edges()) == {"23", "24", "25", "34", "35", "46", "47", "56", "67"}
    learned = learn_main(oracle, ["1235", "234567"], refine_above=4)
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
    tw.graphs.check_legitimate(dag, sets, databases=True)
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets, triangulation=method)
    assert joined(tree.clusters) == {"1234", "1345", "456"}
    assert joined(tree.separators) == {"134", "45"}
    for local in ("pc", "exhaustive"):
        found = tw.learn_by_separation_tree(
            tree, tw.DSeparationOracle(dag), search=tw.learners.NodeSearch(local=local)
        )
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
    tw.graphs.check_legitimate(dag, sets)
    tree = tw.separation_tree_from_hypergraph(dag.schema, sets)
    assert set(tree.separators) == {("08",), ("13", "14")}
    tw.graphs.check_tree(dag, tree)
    oracle = tw.DSeparationOracle(dag)
    refined = learn_main(oracle, sets)
    assert refined.structure == truth
    assert dag.moral_graph().n_edges == 65
    moral = tw.graphs.DSeparationTree.of(dag.moral_graph())
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
        tw.graphs.check_legitimate(numbered_alarm, sets)
    with pytest.raises(tw.errors.IllegitimateHypergraph, match="the hypergraph contradicts the data"):
        learn_main(tw.DSeparationOracle(numbered_alarm), sets)


@pytest.mark.parametrize("method", METHODS)
def test_every_triangulation_of_alarm(numbered_alarm, method):
    tree = tw.graphs.DSeparationTree.of(numbered_alarm.moral_graph(), method=method)
    assert 25 <= len(tree.clusters) <= 28
    assert tree.width == 4


def test_a_stricter_tree_finds_alarm():
    network = tw.load_network("alarm")
    test = tw.GTest(tw.count(network.sample(10_000, rng=np.random.default_rng(3))), 0.01)
    learned = learn_main(test)
    assert tw.compare(network.dag, learned.structure).skeleton.f1 > 0.93
    assert learned.levels == (0.01,)
    assert learned.trace.total("tests") > learned.n_asked
    assert pickle.loads(pickle.dumps(learned)).structure == learned.structure
