"""What the paper proves of low information partitions, on rows of any kind."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.learners import efficient_markov as twin

import treewright as tw
from treewright import _core
from treewright.tables import Table


def rows_of(codes, states):
    counter = tw.count(Table.from_codes(np.array(codes), states))
    return _core.row_set(counter.packed, list(counter.schema.name_order))


@st.composite
def clumped(draw):
    """Rows of groups of columns, each a noisy function of one that is hidden, and few or many of them."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, n_rows = draw(st.integers(3, 6)), draw(st.sampled_from([20, 80, 300]))
    states = [int(r) for r in rng.integers(2, 4, n)]
    group, noise = rng.integers(draw(st.integers(1, 3)), size=n), rng.uniform(0, 1, n)
    hidden = rng.integers(6, size=(n_rows, 3))
    columns = [
        np.where(rng.random(n_rows) < noise[v], rng.integers(r, size=n_rows), hidden[:, group[v]] % r)
        for v, r in enumerate(states)
    ]
    return [tuple(int(x) for x in row) for row in zip(*columns, strict=True)], states


def counted(codes):
    found = {}
    for row in codes:
        found[row] = found.get(row, 0) + 1
    return found


def coverable(rows, n, j):
    """The least epsilon for which sets of at most j variables that tell no more of the rest cover all."""
    told = {}
    for size in range(1, j + 1):
        for chosen in combinations(range(n), size):
            rest = tuple(v for v in range(n) if v not in chosen)
            told[chosen] = twin.information(rows, chosen, rest) if rest else 0.0
    return max(min(value for chosen, value in told.items() if v in chosen) for v in range(n))


@settings(max_examples=120, deadline=None)
@given(clumped(), st.sampled_from([1, 2, 3]), st.sampled_from([0.0, 0.01, 0.05, 0.2]))
def test_blocks_tell_little_where_small_sets_do(drawn, j, delta):
    """I(block; rest) <= n (2 epsilon + (j - 1) delta) where P is (j, epsilon)-coverable and q is j + 1.

    With pairs alone (j = 1) the bound is 2 n epsilon, whatever delta is.
    """
    codes, states = drawn
    rows, n = counted(codes), len(states)
    blocks = _core.low_information_blocks(
        rows_of(codes, states), delta=delta, level=0.0, largest_set=j + 1, min_rows=0, premerged=[],
        with_shortcuts=True,
    )  # fmt: skip
    bound = n * (2 * coverable(rows, n, j) + (j - 1) * delta)
    for block in blocks:
        rest = tuple(v for v in range(n) if v not in block)
        if rest:
            assert twin.information(rows, tuple(block), rest) <= bound + 1e-9


@settings(max_examples=60, deadline=None)
@given(clumped())
def test_information_across_a_cut_is_symmetric_and_submodular(drawn):
    """What Queyranne's algorithm needs to be right."""
    codes, states = drawn
    rows, n = counted(codes), len(states)
    every = tuple(range(n))
    cut = {}
    for size in range(n + 1):
        for side in combinations(every, size):
            rest = tuple(v for v in every if v not in side)
            cut[frozenset(side)] = twin.information(rows, side, rest) if side and rest else 0.0
    for side, value in cut.items():
        assert value == pytest.approx(cut[frozenset(every) - side], abs=1e-9)
        for other, more in cut.items():
            assert value + more >= cut[side | other] + cut[side & other] - 1e-9


@settings(max_examples=60, deadline=None)
@given(clumped(), st.sampled_from([0.01, 0.05, 0.2]), st.sampled_from([2, 3]))
def test_no_set_that_tells_more_is_parted_and_none_is_joined_without_reason(drawn, delta, q):
    codes, states = drawn
    rows, n = counted(codes), len(states)
    blocks = _core.low_information_blocks(
        rows_of(codes, states), delta=delta, level=0.0, largest_set=q, min_rows=0, premerged=[],
        with_shortcuts=True,
    )  # fmt: skip
    place = {v: k for k, block in enumerate(blocks) for v in block}
    telling = [
        chosen
        for size in range(2, q + 1)
        for chosen in combinations(range(n), size)
        if twin.least_information(rows, chosen) > delta + 1e-12
    ]
    assert all(len({place[v] for v in chosen}) == 1 for chosen in telling)
    for block in blocks:  # sets that tell more hang the block together
        reached = {block[0]}
        for _ in block:
            reached |= {v for chosen in telling if reached & set(chosen) for v in chosen}
        assert reached >= set(block)
