"""Counting free parameters: against the rank of the model's own design."""

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.models.undirected.markov_network import hierarchical_dimension, maximal_sets


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


def test_sets_inside_others_go():
    assert maximal_sets([(2, 1), (1,), (3,), (1, 2)]) == [{1, 2}, {3}]
