import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.counting.counting import random_counter

from treewright.errors import SchemaError
from treewright.statistics import count, entropy, mutual_information, pairwise_information
from treewright.tables import Table


def native(slow, weights=None):
    return count(Table(slow.schema, [c.astype(np.uint8) for c in slow.columns], weights=weights))


def plain_information(joint):
    p = joint / joint.sum()
    outer = p.sum(1, keepdims=True) * p.sum(0, keepdims=True)
    return float(np.sum(p[p > 0] * np.log(p[p > 0] / outer[p > 0])))


@given(st.integers(0, 10_000), st.integers(1, 300))
def test_all_pairs_against_the_formula(seed, n_rows):
    slow = random_counter(seed, [2, 3, 1, 4], n_rows)
    matrix = pairwise_information(native(slow))
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_allclose(matrix, pairwise_information(slow), atol=1e-12)
    for i in range(4):
        for j in range(i):
            assert matrix[i, j] == pytest.approx(plain_information(slow.counts((i, j))), abs=1e-12)


def test_chain_rule():
    slow = random_counter(1, [2, 3, 2, 4], 400, skew=0.4)
    counter = native(slow)
    for x, y, z in [(0, 1, 2), (3, 0, 1)]:
        by_entropy = (
            entropy(counter, (x,), given=(z,))
            + entropy(counter, (y,), given=(z,))
            - entropy(counter, (x, y), given=(z,))
        )
        assert mutual_information(counter, x, y, given=(z,)) == pytest.approx(by_entropy, abs=1e-12)
    assert entropy(counter, (0, 1)) == pytest.approx(
        entropy(counter, (0,)) + entropy(counter, (1,), given=(0,))
    )
    assert entropy(counter, (0,), given=(0,)) == 0


def test_real_weights_and_no_rows():
    slow = random_counter(2, [2, 3], 50)
    ones = native(slow, weights=np.ones(50))
    np.testing.assert_allclose(pairwise_information(ones), pairwise_information(native(slow)), atol=1e-9)
    nothing = random_counter(2, [2, 3], 0)
    assert mutual_information(native(nothing), 0, 1) == 0 == entropy(native(nothing), (0,))
    assert entropy(native(slow), ()) == 0


def test_binary_copy_carries_all():
    slow = random_counter(0, [2], 64)
    codes = np.arange(64) % 2
    counter = count(Table(slow.schema, [codes.astype(np.uint8)]))
    assert entropy(counter, (0,)) == pytest.approx(math.log(2))


def test_a_variable_is_named_once():
    with pytest.raises(SchemaError, match="found twice: 'x0'"):
        mutual_information(native(random_counter(0, [2, 2], 9)), 0, 0)
