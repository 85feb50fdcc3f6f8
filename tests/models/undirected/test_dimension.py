"""Counting free parameters: against the rank of the model's own design."""

import itertools
import math
import time

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.models.undirected import dimension
from treewright.models.undirected.dimension import hierarchical_dimension, maximal_sets


def by_subsets(cardinalities, scopes):
    """Every non-empty subset of a scope, once."""
    subsets = {
        s for scope in scopes for k in range(1, len(scope) + 1) for s in itertools.combinations(scope, k)
    }
    return sum(math.prod(cardinalities[v] - 1 for v in s) for s in subsets)


@settings(max_examples=200)
@given(st.integers(0, 10**6))
def test_every_subset_counts_once(seed):
    rng = np.random.default_rng(seed)
    cardinalities = [int(r) for r in rng.integers(1, 5, size=7)]
    scopes = [
        tuple(sorted(rng.permutation(7)[: rng.integers(0, 5)].tolist())) for _ in range(rng.integers(8))
    ]
    assert hierarchical_dimension(cardinalities, scopes) == by_subsets(cardinalities, scopes)


@settings(max_examples=100)
@given(st.integers(0, 10**6))
def test_scopes_of_many_variables_are_taken_apart_in_another_way(seed):
    rng = np.random.default_rng(seed)
    cardinalities = [int(r) for r in rng.integers(2, 4, size=8)]
    scopes = [tuple(sorted(rng.permutation(8)[: rng.integers(2, 6)].tolist())) for _ in range(9)]
    assert dimension._dimension_of_few(cardinalities, scopes) == by_subsets(cardinalities, scopes)


def test_thousands_of_pairs_and_stars_take_no_longer_than_they_should():
    """Comparing every scope with every other took 12 s."""
    start = time.process_time()
    pairs = list(itertools.combinations(range(200), 2))
    assert hierarchical_dimension([3] * 200, pairs) == 2 * 200 + 4 * len(pairs)
    star = [(0, v) for v in range(1, 20_000)]
    assert hierarchical_dimension([2] * 20_000, star) == 1 + 2 * len(star)
    all_but_one = [tuple(v for v in range(31) if v != left) for left in range(31)]
    assert hierarchical_dimension([1] * 31, all_but_one) == 0  # of one state, so that no table is large
    assert time.process_time() - start < 3


def test_sets_inside_others_go():
    assert maximal_sets([(2, 1), (1,), (3,), (1, 2)]) == [{1, 2}, {3}]
