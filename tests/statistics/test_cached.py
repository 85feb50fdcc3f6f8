import numpy as np
import pytest
from tests.reference.counting.counting import random_counter

from treewright.statistics import CachedCounter, FromTables, as_family_statistics, count
from treewright.statistics.families import ScoreSettings
from treewright.tables import Table


@pytest.fixture
def slow():
    return random_counter(0, [2, 3, 2, 4], 500)


def test_tables_are_counted_once_in_any_order_of_axes(slow):
    cached = CachedCounter(slow)
    for scope in [(0, 1, 3), (3, 0, 1), (1, 0, 3)]:
        np.testing.assert_array_equal(cached.counts(scope), slow.counts(scope))
    assert cached.n_counted == 1


def test_smaller_tables_are_added_up_from_larger_ones(slow):
    cached = CachedCounter(slow)
    cached.counts((0, 1, 2, 3))
    np.testing.assert_array_equal(cached.counts((3, 1)), slow.counts((3, 1)))
    np.testing.assert_array_equal(cached.counts(()), slow.counts(()))
    assert cached.n_counted == 1


def test_memory_is_bounded(slow):
    cached = CachedCounter(slow, max_bytes=200)
    for scope in [(0, 1), (1, 2), (2, 3), (0, 3)]:
        np.testing.assert_array_equal(cached.counts(scope), slow.counts(scope))
        assert cached.n_bytes <= 200
    cached.counts((0, 1))
    assert cached.n_counted == 5


def test_what_is_handed_out_cannot_be_changed(slow):
    with pytest.raises(ValueError, match="read-only"):
        CachedCounter(slow).counts((0, 1))[0, 0] = 7


def test_a_batch_asks_for_unseen_tables_only(slow):
    cached = CachedCounter(slow)
    cached.counts((1,))
    slow.asked.clear()
    cached.counts_many([(0,), (1,), (0,), (2, 0)])
    assert slow.asked == [(0, 2)]  # the other one lies in it


def test_judgements_go_to_a_native_counter_and_else_through_the_tables(slow):
    native = count(Table(slow.schema, [c.astype(np.uint8) for c in slow.columns]))
    assert as_family_statistics(CachedCounter(native)) is native
    through = as_family_statistics(CachedCounter(slow))
    assert isinstance(through, FromTables)
    how = ScoreSettings("bic")
    np.testing.assert_array_equal(through.score_pairs(how), native.score_pairs(how))
