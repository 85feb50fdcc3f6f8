"""Twins: cuts by minimum description length and Hartemink's cuts."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.tables import cuts as twin

from treewright.tables import read_table
from treewright.tables.cuts import cut_by_hartemink, cut_by_mdl
from treewright.tables.cuts.mdl import midpoints, uncertainty

few_numbers = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=2, max_size=60)


@given(few_numbers)
@settings(max_examples=150, deadline=None)
def test_mdl_agrees_with_its_twin(rows):
    values, classes = map(list, zip(*rows, strict=True))
    found = cut_by_mdl(np.array(values, dtype=np.float64), np.array(classes), 3).tolist()
    assert found == twin.cut_by_mdl(values, classes)


@given(few_numbers, st.randoms())
@settings(max_examples=30, deadline=None)
def test_mdl_does_not_see_the_order_of_rows(rows, chance):
    def cuts(some):
        values, classes = zip(*some, strict=True)
        return cut_by_mdl(np.array(values, dtype=np.float64), np.array(classes), 3).tolist()

    assert cuts(rows) == cuts(chance.sample(rows, len(rows)))


def test_mdl_finds_the_steps_of_a_target_and_leaves_noise_alone():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 3000)
    target = np.digitize(x, [3, 7])
    cuts = cut_by_mdl(x, target, 3)
    assert np.allclose(cuts, [3, 7], atol=0.02)
    assert cut_by_mdl(x, rng.integers(0, 3, 3000), 3).size == 0


@st.composite
def interval_columns(draw):
    levels = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    n = draw(st.integers(1, 30))
    columns = [draw(st.lists(st.integers(0, k), min_size=n, max_size=n)) for k in levels]
    keep = [draw(st.integers(1, k)) for k in levels]
    return columns, levels, keep


@given(interval_columns())
@settings(max_examples=150, deadline=None)
def test_hartemink_agrees_with_its_twin(case):
    columns, levels, keep = case
    arrays = [np.array(column, dtype=np.uint8) for column in columns]
    found = [starts.tolist() for starts in cut_by_hartemink(arrays, levels, keep)]
    assert found == twin.hartemink_starts(columns, levels, keep)


@given(interval_columns(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_hartemink_does_not_see_the_order_of_columns(case, chance):
    columns, levels, keep = case
    order = chance.sample(range(len(levels)), len(levels))

    def cut(which):
        arrays = [np.array(columns[v], dtype=np.uint8) for v in which]
        found = cut_by_hartemink(arrays, [levels[v] for v in which], [keep[v] for v in which])
        return {v: starts.tolist() for v, starts in zip(which, found, strict=True)}

    assert cut(order) == cut(sorted(order))


def test_hartemink_keeps_the_step_that_others_see():
    """Two columns share a step at 0.3; equal frequency would cut at the median."""
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, 4000)
    y = np.where(x < 0.3, rng.uniform(0, 0.3, 4000), rng.uniform(0.3, 1, 4000))
    columns = [np.minimum(column * 20, 19).astype(np.uint8) for column in (x, y)]
    assert [starts.tolist() for starts in cut_by_hartemink(columns, [20, 20], [2, 2])] == [[0, 6], [0, 6]]


weighted_numbers = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 2), st.integers(0, 4)), min_size=2, max_size=40
)


@given(weighted_numbers)
@settings(max_examples=100, deadline=None)
def test_mdl_counts_a_row_as_often_as_its_weight_says(rows):
    values, classes, weights = (np.array(part) for part in zip(*rows, strict=True))
    once = cut_by_mdl(values.astype(np.float64), classes, 3, weights)
    often = cut_by_mdl(np.repeat(values, weights).astype(np.float64), np.repeat(classes, weights), 3)
    assert once.tolist() == often.tolist()
    real = cut_by_mdl(values.astype(np.float64), classes, 3, weights.astype(np.float64))
    assert real.tolist() == once.tolist()


def test_mdl_with_weights_below_one():
    """A thousand rows of a hundredth are ten rows: too few for a cut that a thousand would make."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=1_000)
    target = (x + rng.normal(0, 0.5, 1_000) > 0.5).astype(int)
    assert cut_by_mdl(x, target, 2).size > 0
    assert cut_by_mdl(x, target, 2, np.full(1_000, 0.01)).size == 0
    assert cut_by_mdl(x, target, 2, np.full(1_000, 1e-9)).size == 0


@given(interval_columns(), st.data())
@settings(max_examples=100, deadline=None)
def test_hartemink_counts_a_row_as_often_as_its_weight_says(case, data):
    columns, levels, keep = case
    n = len(columns[0])
    weights = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    arrays = [np.array(column, dtype=np.uint8) for column in columns]
    once = cut_by_hartemink(arrays, levels, keep, weights)
    often = cut_by_hartemink([np.repeat(column, weights) for column in arrays], levels, keep)
    assert [starts.tolist() for starts in once] == [starts.tolist() for starts in often]


def test_real_weights_choose_the_step():
    """Two steps, and the weights say which of them counts."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(20, size=(2, 4_000))
    early = rng.random(4_000) < 0.5
    y = np.where(early, 5 * (x >= 6) + y % 5, 5 * (x >= 13) + y % 5)
    columns = [x.astype(np.uint8), y.astype(np.uint8)]
    for which, cut in ((early, 6), (~early, 13)):
        starts = cut_by_hartemink(columns, [20, 20], [2, 2], np.where(which, 0.7, 0.001))
        assert starts[0].tolist() == [0, cut]


def test_weights_of_a_table_count_in_its_cuts():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 400).round(3)
    rows = {"x": x, "t": np.where(np.arange(400) % 2 == 0, x > 3, x > 7).astype(str)}
    for first, cut in ((True, 3), (False, 7)):
        weights = np.where((np.arange(400) % 2 == 0) == first, 1, 0)
        states = read_table(rows, bins={"x": ("mdl", "t")}, weights=weights).schema["x"].states
        assert len(states) == 2
        assert abs(float(str(states[0]).split(",")[1].strip(" )]")) - cut) < 0.2


def test_less_than_a_row_is_uncertain_too():
    """Weights may be small: half a row of each class is one row, and one bit."""
    assert uncertainty(np.array([[0.5, 0.5], [1.0, 0.0], [2.0, 2.0]])).tolist() == [1.0, 0.0, 4.0]


def test_a_cut_lies_above_the_lower_value():
    below = np.array([1.0, 1.0, -3.0])
    above = np.array([np.nextafter(1.0, 2.0), 2.0, 5.0])
    assert midpoints(below, above).tolist() == [above[0], 1.5, 1.0]
