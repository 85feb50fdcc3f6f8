"""Twins: cuts by minimum description length and Hartemink's cuts."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.tables import cuts as twin

from treewright.tables.cuts import hartemink_cuts, mdl_cuts

few_numbers = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=2, max_size=60)


@given(few_numbers)
@settings(max_examples=150, deadline=None)
def test_mdl_agrees_with_its_twin(rows):
    values, classes = map(list, zip(*rows, strict=True))
    found = mdl_cuts(np.array(values, dtype=np.float64), np.array(classes), 3).tolist()
    assert found == twin.mdl_cuts(values, classes)


@given(few_numbers, st.randoms())
@settings(max_examples=30, deadline=None)
def test_mdl_does_not_see_the_order_of_rows(rows, chance):
    def cuts(some):
        values, classes = zip(*some, strict=True)
        return mdl_cuts(np.array(values, dtype=np.float64), np.array(classes), 3).tolist()

    assert cuts(rows) == cuts(chance.sample(rows, len(rows)))


def test_mdl_finds_the_steps_of_a_target_and_leaves_noise_alone():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 3000)
    target = np.digitize(x, [3, 7])
    cuts = mdl_cuts(x, target, 3)
    assert np.allclose(cuts, [3, 7], atol=0.02)
    assert mdl_cuts(x, rng.integers(0, 3, 3000), 3).size == 0


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
    found = [starts.tolist() for starts in hartemink_cuts(arrays, levels, keep)]
    assert found == twin.hartemink_starts(columns, levels, keep)


@given(interval_columns(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_hartemink_does_not_see_the_order_of_columns(case, chance):
    columns, levels, keep = case
    order = chance.sample(range(len(levels)), len(levels))

    def cut(which):
        arrays = [np.array(columns[v], dtype=np.uint8) for v in which]
        found = hartemink_cuts(arrays, [levels[v] for v in which], [keep[v] for v in which])
        return {v: starts.tolist() for v, starts in zip(which, found, strict=True)}

    assert cut(order) == cut(sorted(order))


def test_hartemink_keeps_the_step_that_others_see():
    """Two columns share a step at 0.3; equal frequency would cut at the median."""
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, 4000)
    y = np.where(x < 0.3, rng.uniform(0, 0.3, 4000), rng.uniform(0.3, 1, 4000))
    columns = [np.minimum(column * 20, 19).astype(np.uint8) for column in (x, y)]
    assert [starts.tolist() for starts in hartemink_cuts(columns, [20, 20], [2, 2])] == [[0, 6], [0, 6]]
