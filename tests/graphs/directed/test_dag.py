import copy
import pickle
import time

import numpy as np
import pytest
from hypothesis import given, settings
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import dags, random_dag, schema_of, shuffled

from treewright.errors import CycleError, GraphError, UnknownNameError
from treewright.graphs import Cpdag, Dag, UndirectedGraph

EXAMPLE_ARCS = ["12", "13", "15", "24", "34", "47", "56", "67"]


@pytest.fixture
def example():
    """Example 1 of Xie, Geng & Zhao (2006)."""
    return Dag(schema_of("1234567"), [tuple(arc) for arc in EXAMPLE_ARCS])


def test_arcs_by_names_and_indices_are_the_same_graph():
    schema = schema_of("abc")
    assert Dag(schema, [("a", "b"), ("b", "c")]) == Dag(schema, [(1, 2), ("a", 1), (0, 1)])


def test_parts_of_the_example(example):
    names = example.schema.names_of
    assert example.parents("4") == names(example.parents(3)) == names(example.parents("4")) == ("2", "3")
    assert example.children("1") == names(example.children(0)) == ("2", "3", "5")
    assert example.ancestors("6") == names(example.ancestors(5)) == ("1", "5")
    assert example.descendants(["2", "6"]) == names(example.descendants([1, 5])) == ("4", "7")
    assert example.descendants(["2", 5]) == example.descendants([1, 5])  # one index, and all are
    assert example.ancestors([]) == ()
    assert names(example.topological_order) == ("1", "2", "3", "4", "5", "6", "7")
    assert example.reachable("1", "7")
    assert not example.reachable("7", "1")
    assert not example.reachable("1", "1")
    assert example.has_arc("1", "2")
    assert not example.has_arc("2", "1")
    assert example.adjacent("2", "1")
    assert example.n_edges == 8
    assert [names(triple) for triple in example.v_structures()] == [("2", "4", "3"), ("4", "7", "6")]


def test_moral_graph_of_the_example(example):
    extra = set(example.moral_graph().edges()) - set(example.skeleton().edges())
    assert extra == {("2", "3"), ("4", "6")}
    assert len(example.moral_graph().edges()) == 10


def test_topological_order_prefers_the_first_name():
    schema = schema_of(["c", "b", "a"])
    assert schema.names_of(Dag(schema, [("c", "a")]).topological_order) == ("b", "c", "a")


@pytest.mark.slow
@settings(deadline=None)
@given(dags())
def test_twin(dag):
    n, arcs = len(dag.schema), set(dag.index_edges())
    assert set(dag.moral_graph().index_edges()) == slow.moral(arcs)
    assert set(dag.skeleton().index_edges()) == slow.skeleton(arcs)
    assert set(dag.v_structures()) == slow.v_structures(arcs)
    order = dag.topological_order
    assert sorted(order) == list(range(n))
    assert all(order.index(u) < order.index(v) for u, v in arcs)
    for v in range(n):
        assert set(dag.ancestors(v)) == slow.ancestors(arcs, {v}) - {v}
        assert dag.descendants(v) == tuple(w for w in range(n) if dag.reachable(v, w))


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=6))
def test_reversing_a_covered_arc_keeps_the_class_and_no_other_reversal_does(dag):
    covered = set(dag.covered_arcs())
    for tail, head in dag.edges():
        try:
            turned = dag.with_reversed(tail, head)
        except CycleError:
            assert (tail, head) not in covered
            continue
        assert (Cpdag.of(turned) == Cpdag.of(dag)) == ((tail, head) in covered)


def test_graphs_one_step_away(example):
    assert example.with_arcs([("1", "4")]).without([("1", "4")]) == example
    assert example.with_reversed("1", "2").with_reversed("2", "1") == example
    assert ("1", "4") not in example.edges()


def test_a_cycle_is_named_from_its_first_name():
    with pytest.raises(CycleError, match=r"^these arcs close a directed cycle: a -> b -> c -> a$"):
        Dag(schema_of("cbxa"), [("c", "a"), ("b", "c"), ("a", "b"), ("x", "a"), ("c", "x")])
    with pytest.raises(CycleError, match="a -> b -> a"):
        Dag(schema_of("ab"), [("b", "a"), ("a", "b")])


def test_refusals():
    schema = schema_of("abc")
    with pytest.raises(GraphError, match=r"^an edge joins two variables; found 'a' joined with itself$"):
        Dag(schema, [("a", "a")])
    with pytest.raises(UnknownNameError, match="there is no variable 'd'"):
        Dag(schema, [("a", "d")])
    with pytest.raises(UnknownNameError, match="there is no variable number 3"):
        Dag(schema, [(0, 3)])
    with pytest.raises(GraphError, match="an edge is a pair of variables; found 'ab'"):
        Dag(schema, ["ab"])
    with pytest.raises(GraphError, match=r"^there is no arc b -> a; there is a -> b$"):
        Dag(schema, [("a", "b")]).without([("b", "a")])
    with pytest.raises(GraphError, match=r"^there is no arc a -> b$"):
        Dag.empty(schema).with_reversed("a", "b")
    with pytest.raises(AttributeError):
        Dag.empty(schema).schema = schema


def test_equality_is_by_name():
    rng = np.random.default_rng(1)
    dag = random_dag(9, 0.4, rng)
    twin = Dag(shuffled(dag.schema, rng), dag.edges())
    assert twin == dag
    assert hash(twin) == hash(dag)
    assert twin.schema.names_of(twin.topological_order) == dag.schema.names_of(dag.topological_order)
    assert dag != Dag.empty(dag.schema)
    assert dag != "dag"
    assert Dag.empty(schema_of("a")) != Dag.empty(schema_of("b"))


def test_values_travel(example):
    assert example.native is not None
    assert pickle.loads(pickle.dumps(example)) == example
    assert copy.deepcopy(example) == example
    assert repr(example) == "Dag(7 variables, 8 arcs)"


def test_to_networkx(example):
    nx = pytest.importorskip("networkx")
    graph = example.to_networkx()
    assert nx.is_directed_acyclic_graph(graph)
    assert sorted(graph.edges) == example.edges()
    assert sorted(graph.nodes) == list("1234567")


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_and_one(n):
    dag = Dag.empty(schema_of("a"[:n]))
    assert dag.edges() == []
    assert len(dag.topological_order) == n
    assert dag.moral_graph() == UndirectedGraph(dag.schema, [])
    assert dag.v_structures() == []
    assert dag.covered_arcs() == []
    assert Cpdag.of(dag).to_dag() == dag


@pytest.mark.slow
def test_a_chain_of_many_variables_is_legal_and_fast():
    n = 20_000
    start = time.process_time()
    dag = Dag(schema_of(f"v{i}" for i in range(n)), [(i, i + 1) for i in range(n - 1)])
    assert len(dag.ancestors(n - 1)) == n - 1
    assert dag.topological_order[-1] == n - 1
    assert not dag.is_d_separated(0, n - 1)
    assert dag.is_d_separated(0, n - 1, given=[n // 2])
    assert time.process_time() - start < 5
