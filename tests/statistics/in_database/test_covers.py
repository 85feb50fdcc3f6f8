"""Tables of columns counted together, and how sets of columns are put together, beside slow twins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.statistics.in_database.covers import Cover, merged

SCHEMA = tw.Schema(tw.Variable(name, tuple(range(k))) for name, k in (("a", 2), ("b", 3), ("c", 4), ("d", 2)))


def cover(seed):
    """The occupied cells of b, d and a, in this order."""
    rng = np.random.default_rng(seed)
    states = np.unique(rng.integers(0, [[3], [2], [2]], (3, 8)), axis=1).astype(np.uint32)
    return Cover((1, 3, 0), states, rng.integers(1, 9, states.shape[1]))


@given(st.integers(0, 2**32), st.sampled_from([(0,), (1,), (3, 1), (0, 1, 3), (1, 0), (), (3, 0, 1)]))
def test_tables_add_up_what_lies_in_a_cell(seed, scope):
    one = cover(seed)
    expected = np.zeros([SCHEMA.cardinalities[v] for v in scope], dtype=np.int64)
    for cell, count in zip(one.states.T, one.counts, strict=True):
        at = dict(zip(one.scope, cell.tolist(), strict=True))
        expected[tuple(at[v] for v in scope)] += count
    assert one.table(SCHEMA, scope).tolist() == expected.tolist()
    sparse = one.sparse(SCHEMA, scope)
    dense = np.zeros(expected.size, dtype=np.int64)
    dense[sparse.codes] = sparse.counts
    assert dense.tolist() == expected.ravel().tolist()
    assert (sparse.counts > 0).all()


def test_what_a_cover_weighs():
    one = cover(0)
    assert one.nbytes == 3 * 4 * len(one.counts) + 8 * len(one.counts)


def plain_merged(sets, most):
    """By the words of its docstring."""
    covers = []
    for one in sorted({frozenset(one) for one in sets}, key=lambda found: (-len(found), sorted(found))):
        growth = {at: len(one - cover) for at, cover in enumerate(covers)}
        fits = [at for at, n in growth.items() if n == 0 or len(covers[at]) + n <= most]
        if not fits:
            covers.append(one)
        else:
            best = min(fits, key=lambda at: (growth[at], at))
            covers[best] = covers[best] | one
    return covers


SETS = st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=5), max_size=10)


@given(SETS, st.integers(1, 6))
def test_sets_are_put_together_as_they_are_said_to(sets, most):
    found = merged(sets, most)
    # a set that would grow a cover by more than `most` columns begins one of its own
    assert found == plain_merged(sets, most)
    for one in sets:
        assert any(one <= cover for cover in found)
    largest = max(map(len, sets), default=0)
    assert all(len(cover) <= max(most, largest) for cover in found)


def test_equal_sets_of_a_size_are_taken_by_their_columns():
    sets = [frozenset(one) for one in [(5, 6), (0, 1), (1, 5)]]
    assert merged(sets, 3) == [frozenset((0, 1, 5)), frozenset((5, 6))]
    assert merged(sets[::-1], 3) == merged(sets, 3)
