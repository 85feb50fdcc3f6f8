"""Graphs to experiment with: shapes, sizes, determinism and refusals."""

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import FormatError, GraphError, UnknownNameError
from treewright.networks.catalogue import read_graph


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_karate_club_is_the_published_one():
    ours, theirs = tw.networks.load_graph("karate"), networkx.karate_club_graph()
    pairs = {(int(u[1:]) - 1, int(v[1:]) - 1) for u, v in ours.edges()}
    assert pairs == {(min(e), max(e)) for e in theirs.edges()}


@pytest.mark.parametrize(
    ("name", "n_edges", "irregularity"),
    [
        ("karate", 78, 608),
        ("six_cycle", 6, 0),
        ("six_chain", 5, 2),
        ("six_dhub", 5, 8),
        ("six_tailhub", 5, 12),
        ("six_star", 5, 20),
        ("six_split", 9, 24),
    ],
)
def test_named_graphs(name, n_edges, irregularity):
    graph = tw.networks.load_graph(name)
    assert (graph.n_edges, graph.irregularity()) == (n_edges, irregularity)


def test_unknown_graphs_are_refused():
    with pytest.raises(UnknownNameError, match=r"there is no example graph 'karat'.*did you mean 'karate'"):
        tw.networks.load_graph("karat")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a graph file"),
        ('{"format": "treewright graph", "version": 2}', "version 2 is not known here"),
        (
            '{"format": "treewright graph", "version": 1, "name": "a", "source": "b", "vertices": ["x"], '
            '"edges": [["x", "y"]]}',
            "the graph contradicts itself",
        ),
    ],
)
def test_broken_files_are_refused(text, message):
    with pytest.raises(FormatError, match=message):
        read_graph(text)


def test_hubs_are_stars_on_a_path():
    graph = tw.networks.hub_graph(4)
    assert (len(graph.schema), graph.n_edges, graph.irregularity()) == (32, 31, 212)
    assert tw.networks.hub_graph(1, leaves=0).n_edges == 0


def test_lattices_agree_with_networkx():
    ours = tw.networks.lattice_graph(3, 5)
    theirs = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(3, 5), ordering="sorted")
    assert set(ours.index_edges()) == {(min(e), max(e)) for e in theirs.edges()}


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.integers(0, 25), st.integers(0, 1000))
def test_scale_free_graphs_are_connected_and_have_their_size(links, more, seed):
    n = links + 1 + more
    graph = tw.networks.scale_free_graph(n, links, rng=rng(seed))
    assert graph.n_edges == links * (n - links)
    assert len(graph.components()) == 1
    assert graph == tw.networks.scale_free_graph(n, links, rng=rng(seed))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3), st.integers(1, 20), st.floats(0, 1), st.integers(0, 1000))
def test_rewiring_keeps_the_number_of_edges(half, more, rewiring, seed):
    n = 2 * half + more
    graph = tw.networks.small_world_graph(n, 2 * half, rewiring, rng=rng(seed))
    assert graph.n_edges == half * n
    if rewiring == 0:
        assert set(graph.degrees().tolist()) == {2 * half}


def test_random_graphs_have_the_edges_asked_for():
    assert tw.networks.random_graph(20, n_edges=31, rng=rng()).n_edges == 31
    assert tw.networks.random_graph(20, density=1.0, rng=rng()).n_edges == 190
    assert set(tw.networks.random_graph(5, n_edges=2, states=3, rng=rng()).schema.cardinalities) == {3}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tw.networks.hub_graph(0), "n_hubs is at least 1; found 0"),
        (lambda: tw.networks.scale_free_graph(2, 2, rng=rng()), "n_variables is at least 3; found 2"),
        (lambda: tw.networks.small_world_graph(9, 3, 0.1, rng=rng()), "n_neighbours is even"),
        (
            lambda: tw.networks.small_world_graph(9, 4, 1.5, rng=rng()),
            r"rewiring is a probability; found 1\.5",
        ),
        (lambda: tw.networks.random_graph(4, rng=rng()), "either n_edges or density"),
        (
            lambda: tw.networks.random_graph(4, n_edges=7, rng=rng()),
            "4 variables have 6 pairs; asked for 7 edges",
        ),
    ],
)
def test_impossible_graphs_are_refused(make, message):
    with pytest.raises(GraphError, match=message):
        make()
