import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from treewright.networks import load_network
from treewright.reports.layered import LayeredGraph, _inversions, _spaced
from treewright.reports.layers import least_span_layers


def span(layers, arcs):
    return sum(layers[v] - layers[u] for u, v in arcs)


def test_a_node_stands_beside_what_it_is_joined_to():
    layers = least_span_layers(range(5), [(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)])
    assert layers == {0: 0, 1: 1, 2: 2, 3: 1, 4: 3}  # 3 is near its child
    with pytest.raises(AssertionError, match="acyclic"):
        least_span_layers(range(2), [(0, 1), (1, 0)])
    assert least_span_layers([7], []) == {7: 0}


def least_by_programme(n, arcs):
    """The same by a linear programme: span of each arc at least one."""
    rows = np.zeros((len(arcs), n))
    for row, (u, v) in zip(rows, arcs, strict=True):
        row[[u, v]] = 1, -1
    return linprog(-rows.sum(axis=0), A_ub=rows, b_ub=-np.ones(len(arcs)), bounds=(0, None)).fun


@st.composite
def connected_dags(draw):
    """A tree with further arcs, all from lower to higher numbers."""
    n = draw(st.integers(2, 7))
    arcs = {(draw(st.integers(0, v - 1)), v) for v in range(1, n)}
    more = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=6))
    return n, sorted(arcs | {(u, v) for u, v in more if u < v})


@settings(deadline=None)
@given(connected_dags())
def test_no_layers_have_a_smaller_span(graph):
    n, arcs = graph
    layers = least_span_layers(range(n), arcs)
    assert min(layers.values()) == 0
    assert all(layers[u] < layers[v] for u, v in arcs)
    assert span(layers, arcs) == least_by_programme(n, arcs)


@settings(deadline=None)
@given(connected_dags(), st.randoms(use_true_random=False))
def test_layers_do_not_depend_on_numbers(graph, random):
    n, arcs = graph
    place = list(range(n))
    random.shuffle(place)
    turned = least_span_layers(range(n), [(place[u], place[v]) for u, v in arcs])
    assert {v: turned[place[v]] for v in range(n)} == least_span_layers(range(n), arcs)


def test_crossings_are_counted_and_removed():
    arcs = [(0, 5), (1, 4), (2, 3)]
    layered = LayeredGraph({0: 0, 1: 0, 2: 0, 3: 1, 4: 1, 5: 1}, arcs, [(10, 10)] * 6)
    layered.layers = [[0, 1, 2], [3, 4, 5]]
    assert layered.crossings() == 3
    layered.reduce_crossings()
    assert layered.crossings() == 0


@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_inversions_are_pairs_in_the_wrong_order(left, right):
    assert _inversions(sorted(left), sorted(right)) == sum(a > b for a in left for b in right)


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 5), st.floats(1, 50)), min_size=1, max_size=8))
def test_spacing_is_kept_and_nothing_moves_without_need(items):
    wanted, weights, widths = map(list, zip(*items, strict=True))
    offsets = list(itertools.accumulate(widths))
    placed = _spaced(wanted, weights, offsets)
    for i in range(len(items) - 1):
        assert placed[i + 1] - placed[i] >= widths[i + 1] - 1e-6
    assert _spaced(placed, weights, offsets) == pytest.approx(placed)


def test_alarm_has_few_crossings():
    dag = load_network("alarm").dag
    arcs = [tuple(map(dag.schema.index, edge)) for edge in dag.edges()]
    layered = LayeredGraph(least_span_layers(range(37), arcs), arcs, [(80, 30)] * 37)
    layered.reduce_crossings()
    assert layered.crossings() <= 8
