"""Feature graphs: building by name, merging equal nodes, every invariant with its message."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import RandomFeatures, random_features
from tests.reference.models.feature_graphs import joint_table

import treewright as tw
from treewright.errors import GraphError, SchemaError
from treewright.graphs.feature_graph import KINDS

seeds = st.integers(0, 10**6)
SCHEMA = tw.Schema(
    [tw.Variable("a", ("no", "yes")), tw.Variable("b", ("no", "yes")), tw.Variable("c", (0, 1, 2))]
)
LOG_HALF = math.log(0.5)


def coins(builder, names="ab"):
    return [builder.table(name, [0.5, 0.5]) for name in names]


def small():
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA)
    low, high = builder.table("b", [0.9, 0.1]), builder.table("b", [0.2, 0.8])
    split = builder.split("a", {"no": (0.75, low), "yes": (0.25, high)})
    return builder.graph(builder.product([split, builder.table("c", [0.5, 0.25, 0.25])]))


def arrays_of(graph, **changed):
    names = ("kinds", "child_begin", "children", "integer_begin", "integers", "number_begin", "numbers")
    return [changed.get(name, array) for name, array in zip(names, graph.arrays, strict=True)]


def rebuilt(nodes, schema=SCHEMA):
    """A graph from plain lists: (kind, children, integers, probabilities)."""
    kinds = [KINDS.index(kind) for kind, *_ in nodes]
    flat = [kinds]
    for which in (1, 2, 3):
        parts = [node[which] for node in nodes]
        begin = np.cumsum([0, *map(len, parts)])
        values = [x for part in parts for x in part]
        with np.errstate(divide="ignore", invalid="ignore"):
            flat += [begin, np.log(values) if which == 3 else np.array(values, dtype=np.int64)]
    return tw.FeatureGraph(schema, *flat)


def test_a_graph_says_what_it_is():
    graph = small()
    assert (graph.n_nodes, graph.root, graph.size, graph.depth) == (5, 4, 13, 3)
    assert graph.kinds() == {"table": 3, "split": 1, "and": 1}
    assert graph.kind(graph.root) == "and"
    assert graph.scope(graph.root) == (0, 1, 2)
    assert graph.is_deterministic
    assert graph.to_undirected().edges() == [("a", "b")]
    assert repr(graph) == "<FeatureGraph: 3 variables, 5 nodes, 9 parameters>"


def test_graphs_are_values():
    graph = small()
    assert graph == small()
    assert hash(graph) == hash(small())
    assert graph != random_features(3)
    assert pickle.loads(pickle.dumps(graph)) == copy.deepcopy(graph) == graph
    assert graph.with_numbers(graph.numbers) == graph
    with pytest.raises(AttributeError, match="a graph does not change"):
        graph.schema = SCHEMA
    with pytest.raises(ValueError, match="read-only"):
        graph.numbers[0] = 0.0


def test_equal_nodes_are_made_once():
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA)
    assert builder.table("a", [0.25, 0.75]) == builder.table("a", [0.25 + 1e-14, 0.75 - 1e-14])
    assert builder.table("a", [0.25, 0.75]) != builder.table("a", [0.25 + 1e-9, 0.75 - 1e-9])
    assert builder.table(["a", "b"], [[0.1, 0.2], [0.3, 0.4]]) == builder.table(
        ["b", "a"], [[0.1, 0.3], [0.2, 0.4]]
    )
    a, b = coins(builder)
    both = builder.product([b, a])
    c = builder.table("c", [0.5, 0.5, 0.0])
    assert builder.product([both, c]) == builder.product([a, builder.product([c, b])])
    assert builder.product([a]) == a
    assert builder.product([builder.one(), a]) == a
    assert builder.mixture([a], [1.0]) == a


@pytest.mark.slow
@settings(max_examples=60)
@given(seeds)
def test_merging_never_changes_the_distribution(seed):
    """Made twice and joined, a graph is there once; made anew from its arrays, it is the same."""
    random = RandomFeatures(seed)
    graph = random.graph()
    builder = tw.graphs.FeatureGraphBuilder(random.schema)
    assert builder.append(graph) == builder.append(graph)
    joined = builder.graph(builder.append(graph))
    assert joined.n_nodes <= graph.n_nodes
    np.testing.assert_allclose(joint_table(joined), joint_table(graph), rtol=0, atol=1e-12)
    builder = tw.graphs.FeatureGraphBuilder(random.schema)
    twice = [builder.append(graph), builder.append(graph)]
    doubled = builder.graph(builder.mixture(twice, [0.5, 0.5]))
    assert doubled.n_nodes <= graph.n_nodes + 1


def test_what_meets_on_a_path_is_joined():
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcdef"])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    chain = builder.tree(
        {"b": ([], [0.5, 0.5]), "c": (["b"], [[0.9, 0.1], [0.1, 0.9]]), "d": ([], [0.5, 0.5])}
    )
    flat = builder.product(coins(builder, "bcd"))
    split = builder.split("a", {0: (0.5, chain), 1: (0.5, flat)})
    rows = builder.rows(["e", "f"], [[0, 0], [1, 1]], [0.5, 0.5])
    graph = builder.graph(builder.product([split, rows]))
    assert graph.to_undirected().edges() == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("e", "f")]


REFUSED = [
    ([], "a feature graph has at least one node; found none"),
    ([("table", [], [0], [0.5, 0.4])], "node 0 (table) has probabilities that add up to 0.900000, not 1"),
    ([("table", [], [0], [0.5, 0.25, 0.25])], "node 0 (table) has not as many numbers as it needs"),
    ([("table", [], [7], [1.0])], "node 0 (table) names a variable that is not there"),
    ([("table", [], [1, 0], [0.25] * 4)], "node 0 (table) has a scope that is not rising"),
    ([("table", [], [0, 0], [0.25] * 4)], "node 0 (table) names a variable twice"),
    ([("table", [], [0], [np.nan, 0.5])], "node 0 (table) holds a number that is no log-probability"),
    ([("and", [0], [], [])], "node 0 (and) has a child that does not come before it"),
    ([("and", [], [], [])], "node 0 (and) has no children"),
    ([("one", [], [], []), ("one", [], [], [])], "node 0 (one) is no child of any node and not the root"),
    (
        [("table", [], [0], [0.5, 0.5]), ("table", [], [0], [1.0, 0.0]), ("and", [0, 1], [], [])],
        "node 2 (and) has children that share a variable",
    ),
    ([("table", [], [0], [0.5, 0.5])], "node 0 (table) is the root, but is about 1 of 3 variables"),
    (
        [("table", [], [0], [0.5, 0.5]), ("table", [], [1], [1.0, 0.0]), ("mix", [0, 1], [], [0.5, 0.5])],
        "node 2 (mix) has children about different variables",
    ),
    (
        [("table", [], [0], [0.5, 0.5]), ("split", [0], [0, 0], [1.0])],
        "node 1 (split) names a variable twice",
    ),
    (
        [("table", [], [1], [0.5, 0.5]), ("split", [0], [0, 2], [1.0])],
        "node 1 (split) names a state that its variable lacks",
    ),
    (
        [
            ("one", [], [], []),
            ("table", [], [0, 1], [0.25] * 4),
            ("feature", [0, 1], [0, 1, 1, 1], [0.5, 0.5]),
            ("table", [], [2], [0.5, 0.25, 0.25]),
            ("and", [2, 3], [], []),
        ],
        "node 2 (feature) has a false side in which its feature can hold",
    ),
    (
        [("one", [], [], []), ("table", [], [0], [0.5, 0.5]), ("feature", [0, 1], [0, 1, 1, 1], [0.5, 0.5])],
        "node 2 (feature) has sides about different variables",
    ),
    (
        [("tree", [], [2, 0, 1, 1, 1, 0], [0.25] * 6)],
        "node 0 (tree) has a variable whose parent does not come before it",
    ),
    (
        [("tree", [], [3, 0, 0, 1, 0, 2, 2, 0, 1], [0.5, 0.5, 0.5, 0.5, *([1 / 3] * 12)])],
        "node 0 (tree) has a variable whose parents are no clique",
    ),
    (
        [("hidden", [], [2, 0, 1, 0, 0], [0.5] * 6)],
        "node 0 (hidden) has a variable whose parent does not come before it",
    ),
    ([("rows", [], [1, 0, 0, 0], [0.5, 0.5])], "node 0 (rows) has a row twice"),
    ([("rows", [], [1, 0, 0, 2], [0.5, 0.5])], "node 0 (rows) has a row with bits of no variable"),
    ([("rows", [], [1, 2, 0, 3], [0.5, 0.5])], "node 0 (rows) has a row with a state that is not there"),
]


@pytest.mark.parametrize(("nodes", "message"), REFUSED)
def test_what_is_no_feature_graph_is_refused(nodes, message):
    with pytest.raises(GraphError) as caught:
        rebuilt(nodes)
    assert str(caught.value) == f"this is no feature graph: {message}"


def test_arrays_that_do_not_fit_are_refused():
    graph = small()
    with pytest.raises(GraphError, match="the offsets of the children do not fit the nodes"):
        tw.FeatureGraph(SCHEMA, *arrays_of(graph, child_begin=np.zeros(3, np.uint64)))
    with pytest.raises(GraphError, match="has no kind that exists"):
        tw.FeatureGraph(SCHEMA, *arrays_of(graph, kinds=np.full(5, 77, np.uint8)))
    with pytest.raises(GraphError, match="numbers is a flat array of float64; found 2 axes of float64"):
        tw.FeatureGraph(SCHEMA, *arrays_of(graph, numbers=np.zeros((3, 3))))
    with pytest.raises(GraphError, match=r"a feature graph has the arrays kinds, .* numbers; found 2"):
        tw.FeatureGraph(SCHEMA, *graph.arrays[:2])
    with pytest.raises(SchemaError, match="a feature graph has discrete variables; 'x' is continuous"):
        tw.FeatureGraph(tw.Schema([tw.Variable("x")]), *graph.arrays)
    with pytest.raises(GraphError, match="the graph has nodes 0 to 4; asked for 5"):
        graph.children(5)


def test_the_builder_refuses_by_name():
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA)
    with pytest.raises(GraphError, match=r"the table over 'a', 'c' has the shape \(2, 2\).*ask for \(2, 3\)"):
        builder.table(["a", "c"], [[0.5, 0.5], [0.0, 0.0]])
    with pytest.raises(GraphError, match="the table over 'a' holds something negative"):
        builder.table("a", [1.5, -0.5])
    with pytest.raises(GraphError, match="a tree lists parents before children; 'b' comes after 'a' or not"):
        builder.tree({"a": (["b"], [[0.5, 0.5], [0.5, 0.5]])})
    with pytest.raises(GraphError, match="stored rows are a matrix of codes with 2 columns"):
        builder.rows(["a", "b"], [[0.5]], [1.0])
    with pytest.raises(GraphError, match="a stored row has a code beyond its states"):
        builder.rows("a", [[2]], [1.0])
    with pytest.raises(SchemaError, match="graphs are joined over the same variables"):
        builder.append(random_features(1))
    with pytest.raises(GraphError, match="the root is one of the nodes"):
        builder.graph(7)
