import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.networks import load_network
from treewright.reports.layout import LayeredGraph, _inversions, _spaced, assign_layers


def test_layers_follow_the_longest_path():
    layers = assign_layers(range(5), [(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)])
    assert layers == {0: 0, 1: 1, 2: 2, 3: 1, 4: 3}  # 3 moves down to its child
    with pytest.raises(AssertionError):
        assign_layers(range(2), [(0, 1), (1, 0)])


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
    placed = _spaced(wanted, weights, widths)
    for i in range(len(items) - 1):
        assert placed[i + 1] - placed[i] >= (widths[i] + widths[i + 1]) / 2 + 26 - 1e-6
    assert _spaced(placed, weights, widths) == pytest.approx(placed)


def test_alarm_has_few_crossings():
    dag = load_network("alarm").dag
    arcs = [tuple(map(dag.schema.index, edge)) for edge in dag.edges()]
    layered = LayeredGraph(assign_layers(range(37), arcs), arcs, [(80, 30)] * 37)
    layered.reduce_crossings()
    assert layered.crossings() <= 8
