"""Data against the separators of a tree: what is found, what is not held against it, what cannot be asked."""

import numpy as np
import pytest
from tests.conftest import dag_of
from tests.learners.separation_trees.main_algorithm import learn_main
from tests.reference.learners.separation_trees import random_case

import treewright as tw
from treewright.errors import IllegitimateHypergraph
from treewright.learners.separation_trees.audit import dense_p_value, holm


def strong_network(text, seed=0):
    """Yes / no variables that follow their parents closely."""
    dag = dag_of(text)
    rng = np.random.default_rng(seed)
    columns = {}
    for v in dag.topological_order:
        parents = [columns[u] for u in dag.parents(v)]
        own = rng.random(50_000) < 0.5
        columns[v] = (
            np.where(rng.random(50_000) < 0.25, own, np.logical_xor.reduce(parents)) if parents else own
        )
    return dag, tw.Table(dag.schema, [columns[v].astype(np.uint8) for v in range(len(dag.schema))])


class Partly:
    """A test that only some tables can answer."""

    def __init__(self, test, tables):
        self.test, self.tables = test, [set(table) for table in tables]

    def __getattr__(self, name):
        return getattr(self.test, name)

    def covers(self, scope):
        return any(set(self.test.schema.names_of(scope)) <= table for table in self.tables)


@pytest.mark.parametrize("seed", range(60))
def test_an_oracle_finds_every_faulty_tree_and_no_other(seed):
    dag, sets = random_case(seed, largest=8)
    rng = np.random.default_rng(seed)
    damaged = [[v for v in one if rng.random() > 0.2] or one for one in sets]
    tree = tw.separation_tree_from_hypergraph(dag.schema, damaged + [[v] for v in range(len(dag.schema))])
    found = tw.learners.audit_separators(tree, tw.DSeparationOracle(dag))
    try:
        tw.graphs.check_tree(dag, tree)
    except IllegitimateHypergraph:
        u, v = found.contradictions[0].pair
        assert not dag.is_d_separated([u], [v], found.contradictions[0].separator)
        with pytest.raises(IllegitimateHypergraph, match="the hypergraph contradicts the data"):
            found.check()
    else:
        assert found.contradictions == ()
        found.check()


@pytest.mark.parametrize("kind", [tw.GTest, tw.ChiSquareTest])
def test_a_joint_table_contradicts_an_illegitimate_hypergraph(kind):
    dag, table = strong_network("1->2 1->3 1->5 2->4 3->4 4->7 5->6 6->7")
    test = kind(tw.count(table), 0.01)
    with pytest.raises(IllegitimateHypergraph) as caught:
        learn_main(test, ["124", "1356", "467"])
    audit = learn_main(test, ["124", "1356", "467"], legitimacy="report").audit
    for one in audit.contradictions:
        assert not dag.is_d_separated([one.pair[0]], [one.pair[1]], one.separator)
    u, v = audit.contradictions[0].pair
    assert f"put {u!r} and {v!r} into one hyperedge" in str(caught.value)
    assert str(audit.contradictions[0]) in str(caught.value)
    legitimate = learn_main(test, ["1234", "1356", "467"])
    assert legitimate.audit.contradictions == ()
    assert legitimate.audit.n_tests == 3 + 3 + 4  # pairs across the three separators


def test_what_no_table_covers_cannot_be_tested():
    _, table = strong_network("1->2 1->3 1->5 2->4 3->4 4->7 5->6 6->7")
    sets = ["124", "1356", "467"]
    test = Partly(tw.GTest(tw.count(table), 0.01), sets)
    learned = learn_main(test, sets)
    assert learned.audit.n_untestable == learned.audit.n_separators == 3
    assert learned.audit.untestable == (("1", "4"), ("1", "6"), ("4", "6"))
    assert learned.audit.n_tests == 0
    some = learn_main(Partly(test.test, [*sets, "1234"]), sets, legitimacy="report").audit
    assert some.n_untestable == 2
    assert some.contradictions[0].pair == ("2", "3")


def test_rare_cells_are_not_held_against_a_tree():
    network = tw.load_network("alarm")
    sets = [sorted({v, *network.dag.parents(v)}) for v in range(37)]
    tree = tw.separation_tree_from_hypergraph(network.schema, sets)
    for seed in range(3):
        counter = tw.count(network.sample(1_000, rng=np.random.default_rng(seed)))
        assert tw.learners.audit_separators(tree, tw.ChiSquareTest(counter)).contradictions == ()


@pytest.mark.parametrize("seed", range(5))
def test_sparse_strata_are_not_held_against_a_tree(seed):
    rng = np.random.default_rng(seed)
    separator = [f"s{i}" for i in range(6)]
    schema = tw.Schema(
        [
            tw.Variable(name, (0, 1, 2))
            for name in [*separator, *(f"{side}{i}" for side in "uv" for i in range(15))]
        ]
    )
    table = tw.Table(schema, list(rng.integers(0, 3, (36, 600)).astype(np.uint8)))
    sets = [[*separator, *(f"{side}{i}" for i in range(15))] for side in "uv"]
    tree = tw.separation_tree_from_hypergraph(schema, sets)
    found = tw.learners.audit_separators(tree, tw.GTest(tw.count(table), reliability=0))
    assert found.n_tests == 15 * 15
    assert found.contradictions == ()


@pytest.mark.slow
def test_p_values_in_dense_strata_are_uniform_when_nothing_depends():
    rng = np.random.default_rng(0)
    schema = tw.Schema(
        [tw.Variable("z", tuple(range(4))), tw.Variable("u", (0, 1, 2)), tw.Variable("v", (0, 1, 2))]
    )
    found = []
    for _ in range(300):
        z = rng.integers(0, 4, 1_000)
        u = np.where(rng.random(1_000) < 0.3, z % 3, rng.integers(0, 3, 1_000))
        v = rng.choice(3, 1_000, p=[0.75, 0.24, 0.01])
        columns = [column.astype(np.uint8) for column in (z, u, v)]
        found.append(dense_p_value(tw.count(tw.Table(schema, columns)), 1, 2, (0,)))
    steps = np.sort(found) - np.arange(1, 301) / 300
    assert np.abs(steps).max() < 1.63 / np.sqrt(300)  # Kolmogorov and Smirnov, level 0.01


def test_holm_rejects_at_least_what_bonferroni_does():
    rng = np.random.default_rng(0)
    for _ in range(50):
        p_values = rng.random(20) ** 4
        rejected = {i for i, _ in holm(p_values, 0.05)}
        assert set(np.flatnonzero(p_values <= 0.05 / 20).tolist()) <= rejected
        assert len(rejected) <= np.count_nonzero(p_values <= 0.05)
    assert holm(np.zeros(0), 0.05) == []
