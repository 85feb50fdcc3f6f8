import pickle
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import dags, random_dag, schema_of, shuffled
from tests.reference.models.known_networks import ALARM, SACHS, arcs_of

from treewright.errors import GraphError
from treewright.graphs import Cpdag, Dag, Pdag, UndirectedGraph, find_colliders


def network(families):
    arcs = arcs_of(families)
    return Dag(schema_of(sorted({name for arc in arcs for name in arc})), arcs)


def test_worked_example():
    """Example 1 of Xie, Geng & Zhao (2006)."""
    arcs = [tuple(arc) for arc in ("12", "13", "15", "24", "34", "47", "56", "67")]
    cpdag = Cpdag.of(Dag(schema_of("1234567"), arcs))
    assert cpdag.directed_edges() == [("2", "4"), ("3", "4"), ("4", "7"), ("6", "7")]
    assert cpdag.undirected_edges() == [("1", "2"), ("1", "3"), ("1", "5"), ("5", "6")]
    assert cpdag.n_edges == 8
    assert len(cpdag.edges()) == 8
    assert repr(cpdag) == "Cpdag(7 variables, 4 directed and 4 undirected edges)"


def test_alarm_has_four_undirected_edges():
    alarm = network(ALARM)
    cpdag = Cpdag.of(alarm)
    assert cpdag.n_edges == 46
    assert len(alarm.moral_graph().edges()) == 65
    assert cpdag.undirected_edges() == [
        ("ANAPHYLAXIS", "TPR"),
        ("HISTORY", "LVFAILURE"),
        ("MINVOLSET", "VENTMACH"),
        ("PAP", "PULMEMBOLUS"),
    ]


def test_sachs_is_wholly_reversible():
    cpdag = Cpdag.of(network(SACHS))
    assert cpdag.directed_edges() == []
    assert len(cpdag.undirected_edges()) == 17


def test_all_dags_on_four_variables():
    schema = schema_of("dbca")
    classes = {}
    for arcs in slow.all_dags(4):
        classes.setdefault((slow.skeleton(arcs), slow.v_structures(arcs)), []).append(arcs)
    seen = set()
    for members in classes.values():
        directed, undirected = slow.marks_of_class(members)
        expected = Pdag(schema, directed, undirected)
        for arcs in members:
            assert Cpdag.of(Dag(schema, arcs)) == expected
        canonical = Cpdag(schema, directed, undirected).to_dag()
        assert frozenset(canonical.index_edges()) in members
        seen.add(Cpdag.of(canonical))
    assert sum(map(len, classes.values())) == 543
    assert len(classes) == len(seen) == 185


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=6, max_arcs=10))
def test_the_class_is_what_all_members_share(dag):
    members = slow.equivalent_dags(len(dag.schema), dag.index_edges())
    directed, undirected = slow.marks_of_class(members)
    assert Cpdag.of(dag) == Pdag(dag.schema, directed, undirected)


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=8))
def test_extension_and_orientation_lead_back(dag):
    cpdag = Cpdag.of(dag)
    assert Cpdag.of(cpdag.to_dag()) == cpdag
    assert Cpdag.oriented(dag.skeleton(), dag.v_structures()) == cpdag
    assert Cpdag(dag.schema, cpdag.directed_edges(), cpdag.undirected_edges()) == cpdag
    assert pickle.loads(pickle.dumps(cpdag)) == cpdag


def test_columns_in_any_order_give_the_same_class_and_member():
    rng = np.random.default_rng(11)
    for _ in range(20):
        dag = random_dag(10, 0.3, rng)
        twin = Dag(shuffled(dag.schema, rng), dag.edges())
        assert Cpdag.of(twin) == Cpdag.of(dag)
        assert hash(Cpdag.of(twin)) == hash(Cpdag.of(dag))
        assert Cpdag.of(twin).to_dag() == Cpdag.of(dag).to_dag()


def test_the_canonical_member_lets_the_largest_name_go_first():
    schema = schema_of("cab")
    triangle = Cpdag(schema, [], [("a", "b"), ("b", "c"), ("a", "c")])
    assert triangle.to_dag().edges() == [("a", "b"), ("a", "c"), ("b", "c")]


def test_marks_of_no_class_are_refused():
    schema = schema_of("abcd")
    with pytest.raises(GraphError, match=r"^the directed edges close a cycle: a -> b -> c -> a$"):
        Cpdag(schema, [("a", "b"), ("b", "c"), ("c", "a")])
    with pytest.raises(
        GraphError, match="no DAG has this skeleton and these directed edges without a further"
    ):
        Cpdag(schema, [], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    with pytest.raises(
        GraphError, match=r"found a -> b, but the DAGs with this skeleton .* have a - b; keep"
    ):
        Cpdag(schema, [("a", "b")])
    with pytest.raises(GraphError, match=r"found c - d, but .* have c -> d"):
        Cpdag(schema, [("a", "c"), ("b", "c")], [("c", "d")])
    with pytest.raises(GraphError, match=r"at most one edge; found a -> b and a - b$"):
        Cpdag(schema, [("a", "b")], [("b", "a")])


def test_colliders_that_do_not_fit_are_refused():
    path = UndirectedGraph(schema_of("abcd"), [("a", "b"), ("b", "c"), ("c", "d")])
    with pytest.raises(GraphError, match=r"'b' and 'c' both ways: a -> b <- c and b -> c <- d$"):
        Cpdag.oriented(path, [("a", "b", "c"), ("b", "c", "d")])
    with pytest.raises(GraphError, match=r"^collider a -> c <- d needs the edge a - c; there is none$"):
        Cpdag.oriented(path, [("a", "c", "d")])
    triangle = UndirectedGraph(schema_of("abc"), [("a", "b"), ("b", "c"), ("a", "c")])
    with pytest.raises(GraphError, match=r"^a -> b <- c is no v-structure: 'a' and 'c' are adjacent$"):
        Cpdag.oriented(triangle, [("a", "b", "c")])


def test_an_oracle_of_separators_recovers_the_class():
    rng = np.random.default_rng(13)
    for _ in range(20):
        dag = random_dag(7, 0.4, rng)
        skeleton = dag.skeleton()
        separators = {}
        for u in range(7):
            for v in range(u):
                if not skeleton.adjacent(u, v):
                    later, earlier = (u, v) if dag.reachable(v, u) else (v, u)
                    separators[v, u] = dag.parents(later)
                    assert dag.is_d_separated(later, earlier, dag.parents(later))
        colliders = find_colliders(skeleton, separators)
        assert {frozenset((u, v)) | {w} for u, w, v in colliders} == {
            frozenset((u, v)) | {w} for u, w, v in dag.v_structures()
        }
        assert Cpdag.oriented(skeleton, colliders) == Cpdag.of(dag)


def test_to_networkx_marks_directions():
    pytest.importorskip("networkx")
    graph = Cpdag.of(Dag(schema_of("abcd"), [("a", "c"), ("b", "c"), ("d", "a")])).to_networkx()
    assert Counter(directed for *_, directed in graph.edges(data="directed")) == {True: 2, False: 2}
    assert graph.has_edge("a", "d")
    assert graph.has_edge("d", "a")


def test_two_thousand_variables_are_fast():
    rng = np.random.default_rng(17)
    n = 2_000
    arcs = [(u, v) for u, v in rng.integers(0, n, (2 * n, 2)).tolist() if u < v]
    dag = Dag(schema_of(f"v{i:04d}" for i in range(n)), arcs)
    start = time.process_time()
    cpdag = Cpdag.of(dag)
    assert Cpdag.of(cpdag.to_dag()) == cpdag
    assert Cpdag.oriented(dag.skeleton(), dag.v_structures()) == cpdag
    assert time.process_time() - start < 5


def test_empty():
    schema = schema_of("ab")
    assert Cpdag.empty(schema) == Cpdag.of(Dag.empty(schema)) == Cpdag(schema)
    assert Cpdag.empty(schema_of("")).edges() == []


def test_colliders_come_by_the_names_of_their_ends_then_their_middle():
    names = ["d", "b", "c", "a"]
    square = UndirectedGraph(schema_of(names), [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")])
    a, b, c, d = (names.index(name) for name in "abcd")
    assert find_colliders(square, {(a, b): (), (d, c): ()}) == [(a, c, b), (a, d, b), (c, a, d), (c, b, d)]
    assert find_colliders(square, {(b, a): (d,)}) == [(a, c, b)]
