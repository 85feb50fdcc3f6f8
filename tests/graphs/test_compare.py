import json
from itertools import combinations
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import dags, random_dag, schema_of, shuffled

from treewright.errors import GraphError, SchemaError
from treewright.graphs import Cpdag, Dag, Pdag, UndirectedGraph, compare, irregularity, shd
from treewright.graphs.undirected.clusters import ClusteredDag, Clusters, Star


def slow_class_marks(dag):
    """Pair -> mark by enumeration of the class."""
    members = slow.equivalent_dags(len(dag.schema), dag.index_edges())
    directed, undirected = slow.marks_of_class(members)
    names = dag.schema.names
    return {frozenset((names[u], names[v])): (names[u], names[v]) for u, v in directed} | {
        frozenset((names[u], names[v])): None for u, v in undirected
    }


def test_twin():
    rng = np.random.default_rng(59)
    for _ in range(30):
        truth = random_dag(6, 0.4, rng)
        learned = Dag(shuffled(truth.schema, rng), random_arcs(truth.schema.names, rng))
        found = compare(truth, learned)
        one, other = slow_class_marks(truth), slow_class_marks(learned)
        differ = {pair for pair in one.keys() | other.keys() if one.get(pair, "") != other.get(pair, "")}
        assert found.shd == len(differ) == shd(truth, learned) == shd(learned, truth)
        assert found.hamming == len(one.keys() ^ other.keys())
        assert {frozenset(pair) for pair in found.missing} == one.keys() - other.keys()
        assert {frozenset(pair) for pair in found.extra} == other.keys() - one.keys()
        assert {frozenset(pair) for pair in found.misoriented} == differ & one.keys() & other.keys()
        arcs, others = set(truth.edges()), set(learned.edges())
        assert found.shd_dag == len({frozenset(arc) for arc in arcs ^ others})
        tp, fp, fn = len(one.keys() & other.keys()), len(found.extra), len(found.missing)
        tn = 15 - tp - fp - fn
        assert (found.skeleton.tp, found.skeleton.fp, found.skeleton.fn, found.skeleton.tn) == (
            tp,
            fp,
            fn,
            tn,
        )
        sensitivity = tp / (tp + fn) if tp + fn else 1
        specificity = tn / (tn + fp) if tn + fp else 1
        assert found.skeleton.dist == pytest.approx(sqrt((1 - sensitivity) ** 2 + (1 - specificity) ** 2))


def random_arcs(names, rng):
    order = [names[i] for i in rng.permutation(len(names))]
    return [pair for pair in combinations(order, 2) if rng.random() < 0.4]


@pytest.mark.slow
@settings(deadline=None)
@given(dags(max_size=7))
def test_a_graph_is_at_no_distance_from_itself_and_its_class(dag):
    for other in (dag, Cpdag.of(dag), Cpdag.of(dag).to_dag()):
        found = compare(dag, other)
        assert found.shd == found.hamming == 0
        assert found.skeleton.f1 == found.skeleton.precision == found.skeleton.recall == 1
        assert found.skeleton.dist == 0


def test_results_and_models_are_unwrapped():
    dag = Dag(schema_of("abc"), [("a", "b")])
    model = SimpleNamespace(structure=SimpleNamespace(structure=dag))
    assert compare(dag, model).shd == 0
    assert compare(model, Dag.empty(dag.schema)).missing == (("a", "b"),)


def test_what_else_a_graph_carries_is_not_compared():
    schema, order = schema_of("abc"), schema_of("cba")
    clusters = Clusters(order, [Star(0, (0, 1, 2))], [(0, 1, 2)])
    grouped = ClusteredDag(order, [("a", "b"), ("b", "c")], clusters)
    assert compare(Dag(schema, [("a", "b"), ("b", "c")]), grouped).shd == 0
    assert compare(grouped, Dag(schema, [("a", "b")])).missing == (("b", "c"),)


def test_undirected_graphs_have_no_directions_to_compare():
    schema = schema_of("abc")
    collider = Dag(schema, [("a", "c"), ("b", "c")])
    found = compare(collider, UndirectedGraph(schema, [("a", "c"), ("a", "b")]))
    assert (found.shd, found.hamming, found.shd_dag) == (2, 2, None)
    assert found.misoriented == ()
    assert compare(collider.moral_graph(), UndirectedGraph(schema, combinations("abc", 2))).hamming == 0


def test_partially_directed_graphs_are_taken_as_they_are():
    schema = schema_of("abc")
    assert shd(Dag(schema, [("a", "b")]), Pdag(schema, [("a", "b")])) == 1


def test_ratios_without_a_denominator():
    schema = schema_of("abc")
    nothing, one, all_pairs = (
        Dag.empty(schema),
        Dag(schema, [("a", "b")]),
        Dag(schema, combinations("abc", 2)),
    )
    both_empty = compare(nothing, nothing).skeleton
    assert (both_empty.precision, both_empty.recall, both_empty.f1, both_empty.dist) == (1, 1, 1, 0)
    none_found = compare(one, nothing).skeleton
    assert (none_found.precision, none_found.recall, none_found.f1, none_found.dist) == (0, 0, 0, 1)
    none_to_find = compare(nothing, one).skeleton
    assert (none_to_find.precision, none_to_find.recall, none_to_find.f1) == (0, 1, 0)
    assert none_to_find.dist == pytest.approx(1 / 3)
    assert compare(all_pairs, one).skeleton.specificity == 1
    assert compare(Dag.empty(schema_of("")), Dag.empty(schema_of(""))).skeleton.dist == 0


def test_json():
    schema = schema_of("abcd")
    found = compare(
        Dag(schema, [("a", "c"), ("b", "c"), ("c", "d")]), Dag(schema, [("a", "c"), ("c", "b"), ("a", "d")])
    ).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert (found["shd"], found["hamming"], found["shd_dag"]) == (4, 2, 3)
    skeleton = found["skeleton"]
    assert {key: skeleton[key] for key in ("tp", "fp", "fn")} == {"tp": 2, "fp": 1, "fn": 1}
    assert skeleton["precision"] == skeleton["recall"] == skeleton["f1"] == pytest.approx(2 / 3)
    assert skeleton["dist"] == pytest.approx(sqrt(2) / 3)
    assert found["misoriented"] == [["a", "c"], ["b", "c"]]


def test_irregularity():
    star = UndirectedGraph(schema_of("habcde"), [("h", leaf) for leaf in "abcde"])
    assert irregularity(star) == 20
    hubs = [("a", "b"), *((hub, leaf) for hub in "ab" for leaf in "cdef")]
    assert irregularity(UndirectedGraph(schema_of("abcdef"), hubs)) == 24
    ring = Dag(schema_of("abc"), [("a", "b"), ("b", "c"), ("a", "c")])
    assert irregularity(ring) == 0
    assert compare(ring, Dag(ring.schema, [("a", "b"), ("b", "c")])).irregularity == (0, 2)


def test_treewidths():
    pytest.importorskip("treewright.graphs.undirected.triangulation")
    schema = schema_of("abcd")
    truth = Dag(schema, [("a", "d"), ("b", "d"), ("c", "d")])
    assert compare(truth, Cpdag.of(Dag(schema, [("a", "b"), ("b", "c")]))).treewidths == (3, 1)


def test_refusals():
    one = Dag.empty(schema_of("abc"))
    differing = r"different variables; only in the truth: 'c'; only in the learned graph: 'd'$"
    with pytest.raises(SchemaError, match=f"^the two graphs speak of {differing}"):
        compare(one, Dag.empty(schema_of("abd")))
    with pytest.raises(GraphError, match="or an object whose structure is one; found list"):
        compare(one, [("a", "b")])
