import time

import networkx as nx
import numpy as np
import pytest
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import schema_of, scrambled_names

from treewright.errors import GraphError
from treewright.graphs import find_maximum_branching, find_maximum_spanning_forest
from treewright.graphs.ranked import ranks_by_name
from treewright.tables import Schema


def symmetric(n, rng, values=None):
    matrix = rng.random((n, n)) if values is None else rng.integers(0, values, (n, n))
    upper = np.triu(matrix, 1)
    return upper + upper.T


@pytest.mark.parametrize("values", [None, 3])
def test_forest_twin(values):
    rng = np.random.default_rng(29)
    for n in range(8):
        for threshold in (None, 0, 1 if values else 0.5):
            schema = schema_of(scrambled_names(n, rng))
            weights = symmetric(n, rng, values)
            found = find_maximum_spanning_forest(schema, weights, threshold=threshold)
            expected = slow.spanning_forest(weights.tolist(), ranks_by_name(schema).tolist(), threshold)
            assert found.index_edges() == expected


def test_forest_of_networkx_weighs_as_much():
    rng = np.random.default_rng(31)
    weights = symmetric(40, rng)
    tree = find_maximum_spanning_forest(schema_of(f"v{i}" for i in range(40)), weights)
    theirs = nx.maximum_spanning_tree(nx.from_numpy_array(weights))
    assert sum(weights[edge] for edge in tree.index_edges()) == pytest.approx(theirs.size(weight="weight"))


def permuted(schema, weights, rng):
    order = rng.permutation(len(schema))
    return Schema([schema.variables[i] for i in order]), weights[np.ix_(order, order)]


def test_trees_do_not_depend_on_the_order_of_columns():
    rng = np.random.default_rng(37)
    for _ in range(30):
        schema = schema_of(scrambled_names(9, rng))
        weights = symmetric(9, rng, 3)
        one = find_maximum_spanning_forest(schema, weights, threshold=0).edges()
        assert find_maximum_spanning_forest(*permuted(schema, weights, rng), threshold=0).edges() == one
        gains = rng.integers(-2, 3, (9, 9))
        one = find_maximum_branching(schema, gains).edges()
        assert find_maximum_branching(*permuted(schema, gains, rng)).edges() == one


def test_large_integers_are_compared_exactly():
    weights = np.array([[0, 2**60, 2**60 + 1], [2**60, 0, 2**60 + 2], [2**60 + 1, 2**60 + 2, 0]])
    assert find_maximum_spanning_forest(schema_of("abc"), weights).edges() == [("a", "c"), ("b", "c")]


@pytest.mark.slow
@pytest.mark.parametrize("values", [None, 4])
def test_branching_weighs_as_much_as_the_best_of_all(values):
    rng = np.random.default_rng(41)
    for n in (0, 1, 2, 3, 4, 5):
        for _ in range(12):
            weights = (
                rng.normal(size=(n, n)) if values is None else rng.integers(-1, values, (n, n)).astype(float)
            )
            weights[rng.random((n, n)) < 0.2] = -np.inf
            roots = rng.normal(size=n) if values is None else np.zeros(n)
            dag = find_maximum_branching(schema_of(scrambled_names(n, rng)), weights, root_weights=roots)
            parents = {head: tail for tail, head in dag.index_edges()}
            assert len(parents) == dag.n_edges
            total = sum(weights[parents[v], v] if v in parents else roots[v] for v in range(n))
            assert total == pytest.approx(slow.best_branching_weight(weights, roots))


def test_branching_of_networkx_weighs_as_much():
    rng = np.random.default_rng(43)
    weights = rng.normal(size=(25, 25))
    np.fill_diagonal(weights, 0)
    ours = find_maximum_branching(schema_of(f"v{i:02d}" for i in range(25)), weights)
    theirs = nx.maximum_branching(nx.from_numpy_array(weights, create_using=nx.DiGraph))
    assert sum(weights[arc] for arc in ours.index_edges()) == pytest.approx(theirs.size(weight="weight"))


def test_nested_cycles_are_opened():
    """Heavy two-cycles inside heavier rings, so that contractions contain contractions."""
    rng = np.random.default_rng(47)
    for n in (4, 8, 16, 32):
        weights = rng.random((n, n)) * 0.01
        for width in (1, 2, 4, 8):
            for start in range(0, n - width, 2 * width):
                weights[start, start + width] = weights[start + width, start] = 10 / width
        ours = find_maximum_branching(schema_of(f"v{i:02d}" for i in range(n)), weights)
        np.fill_diagonal(weights, 0)
        theirs = nx.maximum_branching(nx.from_numpy_array(weights, create_using=nx.DiGraph))
        assert sum(weights[arc] for arc in ours.index_edges()) == pytest.approx(theirs.size(weight="weight"))


def test_refusals():
    schema = schema_of("ab")
    with pytest.raises(
        GraphError, match=r"^weights of 2 variables are a 2 x 2 matrix; found shape \(3, 3\)$"
    ):
        find_maximum_spanning_forest(schema, np.zeros((3, 3)))
    with pytest.raises(
        GraphError, match=r"symmetric numbers; found 1.0 for 'a', 'b' and 2.0 for the pair turned"
    ):
        find_maximum_spanning_forest(schema, [[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(GraphError, match="found nan for 'a', 'b'"):
        find_maximum_spanning_forest(schema, [[0, np.nan], [np.nan, 0]])
    with pytest.raises(
        GraphError, match=r"^the weight of b -> a must be a number below infinity; found inf$"
    ):
        find_maximum_branching(schema, [[0, 1], [np.inf, 0]])
    with pytest.raises(GraphError, match="one finite number for each of the 2 variables"):
        find_maximum_branching(schema, np.zeros((2, 2)), root_weights=[0, -np.inf])


def test_large_matrices_are_fast():
    rng = np.random.default_rng(53)
    weights = symmetric(2_000, rng)
    schema = schema_of(f"v{i:04d}" for i in range(2_000))
    start = time.process_time()
    assert len(find_maximum_spanning_forest(schema, weights).edges()) == 1_999
    assert time.process_time() - start < 1
    start = time.process_time()
    find_maximum_branching(schema.select(range(500)), rng.normal(size=(500, 500)))
    assert time.process_time() - start < 1


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 3), (3, 2), (3,), (1, 1)])
def test_weights_that_are_no_square_are_refused(shape):
    with pytest.raises(GraphError, match="weights of 3 variables are a 3 x 3 matrix; found shape"):
        find_maximum_spanning_forest(schema_of("abc"), np.zeros(shape))


def test_no_variables_have_no_edges():
    assert find_maximum_spanning_forest(Schema([]), np.zeros((0, 0))).edges() == []
    assert find_maximum_spanning_forest(Schema([]), []).edges() == []
    with pytest.raises(GraphError, match="weights of 0 variables are a 0 x 0 matrix"):
        find_maximum_spanning_forest(Schema([]), np.zeros((1, 1)))
    assert find_maximum_spanning_forest(schema_of("a"), np.zeros((1, 1))).edges() == []
