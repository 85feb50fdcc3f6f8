"""Hypergraphs and trees that fit a graph, and those that tear it apart."""

from itertools import product

import numpy as np
import pytest
from tests.conftest import dag_of
from tests.reference.learners.separation_trees import random_case

import treewright as tw
from treewright.errors import GraphError, IllegitimateHypergraph, UnknownNameError

EXAMPLE_1 = dag_of("1->2 1->3 1->5 2->4 3->4 4->7 5->6 6->7")


def refusal(call, *arguments, **options):
    with pytest.raises(IllegitimateHypergraph) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize("sets", [["1234", "1356", "467"], ["1235", "234567"], ["1234567"]])
def test_legitimate_knowledge(sets):
    tw.graphs.check_legitimate(EXAMPLE_1, sets)


def test_parents_that_never_meet():
    assert refusal(tw.graphs.check_legitimate, EXAMPLE_1, ["124", "1356", "467"]) == (
        "parents '2' and '3' of '4' never occur together; put them into one hyperedge"
    )


def test_an_arc_that_lies_in_no_set():
    assert refusal(tw.graphs.check_legitimate, EXAMPLE_1, ["234", "4567", "1", "235"]) == (
        "'1' and its child '2' never occur together; put them into one hyperedge"
    )


def test_databases_need_whole_families():
    dag = dag_of("1->2 1->3 2->4 3->4")
    pairs = ["12", "13", "23", "24", "34"]
    tw.graphs.check_legitimate(dag, pairs)
    assert refusal(tw.graphs.check_legitimate, dag, pairs, databases=True) == (
        "no database has '4' together with all its parents '2', '3'"
    )
    tw.graphs.check_legitimate(dag, ["12", "13", "234"], databases=True)
    both = dag_of("1->3 2->3 1->4 2->4")
    assert refusal(tw.graphs.check_legitimate, both, ["12", "13", "23", "14", "24"], databases=True) == (
        "no database has '3' together with all its parents '1', '2'; nor '4' together with all its parents "
        "'1', '2'"
    )


def test_structural_errors_come_first():
    with pytest.raises(GraphError, match="every variable lies in a hyperedge; in none: '7'"):
        tw.graphs.check_legitimate(EXAMPLE_1, ["123456"])
    with pytest.raises(UnknownNameError, match="hyperedge 2"):
        tw.graphs.check_legitimate(EXAMPLE_1, ["1234567", ["8"]])
    with pytest.raises(GraphError, match="number 1 is empty"):
        tw.graphs.check_legitimate(EXAMPLE_1, [[], "1234567"])


def test_a_tree_is_checked_literally():
    tree = tw.separation_tree_from_hypergraph(EXAMPLE_1.schema, ["124", "1356", "467"])
    message = refusal(tw.graphs.check_tree, EXAMPLE_1, tree)
    assert message == "the separator {'1', '4'} does not d-separate '2' and '3'"
    tw.graphs.check_tree(
        EXAMPLE_1, tw.separation_tree_from_hypergraph(EXAMPLE_1.schema, ["1234", "1356", "467"])
    )
    other = tw.Schema([tw.Variable(name) for name in "12345678"])
    with pytest.raises(GraphError, match="the graph and the tree must have the same variables"):
        tw.graphs.check_tree(EXAMPLE_1, tw.separation_tree_from_hypergraph(other, ["12345678"]))


@pytest.mark.parametrize("seed", range(0, 120))
def test_a_tree_passes_exactly_when_every_pair_across_is_separated(seed):
    dag, sets = random_case(seed, largest=8)
    rng = np.random.default_rng(seed)
    damaged = [[v for v in one if rng.random() > 0.2] or one for one in sets] + [
        [v] for v in range(len(dag.schema))
    ]
    tree = tw.separation_tree_from_hypergraph(dag.schema, damaged)
    sound = all(
        dag.is_d_separated([u], [v], shared)
        for position, shared in enumerate(tree.separator_scopes)
        for u, v in product(*tree.sides(position))
    )
    if sound:
        tw.graphs.check_tree(dag, tree)
    else:
        assert "does not d-separate" in refusal(tw.graphs.check_tree, dag, tree)


def test_sides_hold_everything_but_the_separator():
    tree = tw.separation_tree_from_hypergraph(EXAMPLE_1.schema, ["1234", "1356", "467"])
    for position, shared in enumerate(tree.separator_scopes):
        first, second = tree.sides(position)
        assert sorted((*first, *second, *shared)) == list(range(7))
    forest = tw.JunctionTree.of(tw.UndirectedGraph(EXAMPLE_1.schema, [("1", "2"), ("2", "3"), ("4", "5")]))
    assert forest.sides(0) == ((0,), (2,))


def test_the_two_section_joins_what_shares_a_set():
    graph = tw.graphs.build_two_section(EXAMPLE_1.schema, ["124", "1356", "467"])
    assert graph.n_edges == 3 + 6 + 3
    assert graph.is_complete(list("1356"))
