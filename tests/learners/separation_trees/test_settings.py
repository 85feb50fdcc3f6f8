"""d-separation trees: knowledge, refusals, progress, directions by a score, confidence."""

import numpy as np
import pytest
from tests.conftest import dag_of
from tests.learners.independence.test_pc import noise
from tests.learners.separation_trees.main_algorithm import learn_main

import treewright as tw
from treewright.errors import GraphError, KnowledgeError, SchemaError, SettingError


# ------------------------------------------------------------------ knowledge
def test_knowledge_is_obeyed():
    dag = dag_of("a->b b->c c->d")
    oracle = tw.DSeparationOracle(dag)
    known = tw.Knowledge(required=[("d", "c")], forbidden=[("a", "b"), ("b", "a")])
    learned = learn_main(oracle, ["abc", "cd"], knowledge=known, legitimacy="skip")
    assert learned.dag.has_arc("d", "c")
    assert ("d", "c") in learned.structure.directed_edges()
    assert str(learned.why_not("a", "b")) == "a and b may not be joined, by what is known"
    assert learned.audit is None


def test_a_required_arc_stays_and_joins_a_node():
    dag = dag_of("a->b c->d")
    known = tw.Knowledge(required=[("a", "d")])
    learned = learn_main(tw.DSeparationOracle(dag), knowledge=known)
    assert learned.dag.has_arc("a", "d")
    assert any({"a", "d"} <= set(node) for node in learned.tree.clusters)


# ------------------------------------------------------------------ refusals
def test_refusals():
    dag = dag_of("a->b b->c")
    oracle = tw.DSeparationOracle(dag)
    tree = tw.separation_tree_from_hypergraph(dag.schema, ["ab", "bc"])
    with pytest.raises(SettingError, match="local must be one of 'pc', 'exhaustive'; found 'hc'"):
        tw.learn_by_separation_tree(tree, oracle, search=tw.learners.NodeSearch(local="hc"))
    with pytest.raises(SettingError, match="collider_rule must be one of"):
        tw.learn_by_separation_tree(tree, oracle, search=tw.learners.NodeSearch(collider_rule="best"))
    with pytest.raises(SettingError, match="depth must be a whole number from 0 on"):
        tw.learn_by_separation_tree(tree, oracle, search=tw.learners.NodeSearch(depth=-1))
    with pytest.raises(SettingError, match="max_node must be a number of variables from 1 on; found 0"):
        learn_main(oracle, max_node=0)
    with pytest.raises(SettingError, match="alpha must lie between 0 and 1, both excluded; found 2"):
        learn_main(oracle, alpha_uig=2)
    with pytest.raises(SettingError, match="collider_rule='score' needs a score"):
        learn_main(oracle, collider_rule="score")
    with pytest.raises(SettingError, match="legitimacy must be one of"):
        learn_main(oracle, legitimacy="hope")
    with pytest.raises(KnowledgeError, match="'a' -> 'c' is required, but no node of the tree holds both"):
        tw.learn_by_separation_tree(tree, oracle, knowledge=tw.Knowledge(required=[("a", "c")]))
    other = tw.separation_tree_from_hypergraph(tw.Schema([tw.Variable(n) for n in "abx"]), ["abx"])
    with pytest.raises(SchemaError, match="only one of them has 'c', 'x'"):
        tw.learn_by_separation_tree(other, oracle)
    with pytest.raises(GraphError, match="every variable lies in a hyperedge; in none: 'c'"):
        learn_main(oracle, ["ab"])
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
        tw.learn_by_separation_tree(tree, oracle, search=tw.learners.NodeSearch(local="exhaustive"))
    assert (
        tw.learn_by_separation_tree(
            tree, oracle, search=tw.learners.NodeSearch(local="exhaustive", depth=1)
        ).skeleton.n_edges
        == 0
    )


def test_a_tree_in_another_order_of_columns():
    dag = dag_of("a->b b->c")
    turned = tw.Schema([dag.schema.variables[i] for i in (2, 0, 1)])
    tree = tw.separation_tree_from_hypergraph(turned, ["ab", "bc"])
    assert tw.learn_by_separation_tree(tree, tw.DSeparationOracle(dag)).structure == tw.Cpdag.of(dag)


def test_progress_is_told():
    steps = []
    test = tw.GTest(tw.count(noise(0)))
    learn_main(test, [test.schema.names], progress=steps.append)
    lines = [step.phase for step in steps]
    assert lines[0] == "separators of the tree"
    assert {"level: separators of size 0", "directions"} <= set(lines)


def test_directions_by_a_score():
    network = tw.load_network("asia")
    counter = tw.count(network.sample(5_000, rng=np.random.default_rng(0)))
    learned = learn_main(tw.GTest(counter, 0.05), collider_rule="score", score=tw.BIC(counter))
    assert set(learned.structure.skeleton().edges()) <= set(learned.skeleton.edges())
    assert tw.Cpdag.of(learned.dag) == learned.structure
    known = tw.Knowledge(required=[("bronc", "smoke")])
    obedient = learn_main(
        tw.GTest(counter, 0.05), collider_rule="score", score=tw.BIC(counter), knowledge=known
    )
    assert obedient.dag.has_arc("bronc", "smoke")
    for learned_one in (learned, obedient):
        for pair in set(learned_one.skeleton.edges()) - set(learned_one.structure.skeleton().edges()):
            assert str(learned_one.why_not(*pair)).startswith("no set separated")


def test_edges_have_a_confidence():
    table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))

    def learn(rows):
        return learn_main(tw.GTest(tw.count(rows), 0.05))

    confidence = tw.edge_confidence(table, learn, repetitions=5, rng=np.random.default_rng(1))
    assert confidence.strength("bronc", "dysp") == 1.0
