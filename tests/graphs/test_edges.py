import numpy as np
import pytest

from treewright.errors import GraphError, UnknownNameError
from treewright.graphs import edge
from treewright.graphs.edges import read_edges
from treewright.tables.schema import Schema, Variable

SCHEMA = Schema([Variable(name) for name in ("rain", "sprinkler", "wet")])


def test_an_edge_is_a_sorted_pair():
    assert edge(2, 0) == edge(0, 2) == (0, 2)


def test_names_indices_and_arrays_are_read_alike():
    by_name = read_edges(SCHEMA, [("wet", "rain"), ("rain", "sprinkler")])
    by_index = read_edges(SCHEMA, [(0, 2), ("rain", 1)])
    by_array = read_edges(SCHEMA, np.array([[0, 2], [0, 1]], dtype=np.int64))
    assert by_name.tolist() == by_index.tolist() == by_array.tolist() == [[0, 2], [0, 1]]
    assert read_edges(SCHEMA, []).shape == (0, 2)


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        ([("rain", "rain")], GraphError, "an edge joins two different variables; found 'rain' twice"),
        (np.array([[1, 1]]), GraphError, "an edge joins two different variables; found 'sprinkler' twice"),
        ([("rain",)], GraphError, "an edge is a pair of variables; found ('rain',)"),
        (["ab"], GraphError, "an edge is a pair of variables; found 'ab'"),
        ([3], GraphError, "an edge is a pair of variables; found 3"),
        (
            [("rain", "vet")],
            UnknownNameError,
            "there is no variable 'vet'; there are 'rain', 'sprinkler', 'wet'; did you mean 'wet'?",
        ),
        (np.array([[0, 7]]), UnknownNameError, "there is no variable number 7; there are 3, counted from 0"),
        (
            np.array([[0, -1]]),
            UnknownNameError,
            "there is no variable number -1; there are 3, counted from 0",
        ),
        (
            np.zeros((2, 3), int),
            GraphError,
            "an array of edges has two columns of integers; found shape (2, 3) of int64",
        ),
        (
            np.zeros((2, 2)),
            GraphError,
            "an array of edges has two columns of integers; found shape (2, 2) of float64",
        ),
    ],
)
def test_what_is_no_edge_is_refused(edges, error, message):
    with pytest.raises(error) as caught:
        read_edges(SCHEMA, edges)
    assert str(caught.value) == message
