"""A joint table as a counter."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference.counting.counting import SlowCounter, plain_schema

from treewright.errors import SchemaError, WeightError
from treewright.statistics.counter import Counter
from treewright.statistics.joint import JointCounts


@pytest.fixture
def both():
    rng = np.random.default_rng(0)
    rows = SlowCounter(plain_schema([2, 3, 4]), [rng.integers(0, r, 50) for r in (2, 3, 4)])
    return rows, JointCounts(rows.schema, rows.counts((0, 1, 2)))


def test_it_counts_like_rows(both):
    rows, joint = both
    assert isinstance(joint, Counter)
    assert isinstance(rows, Counter)
    assert joint.n_rows == 50
    scopes = [(), (0,), (2, 0), (1, 2, 0)]
    for one, other, scope in zip(rows.counts_many(scopes), joint.counts_many(scopes), scopes, strict=True):
        assert (one == other).all()
        sparse, twin = joint.sparse_counts(scope), rows.sparse_counts(scope)
        assert sparse.shape == twin.shape
        assert (sparse.codes == twin.codes).all()
        assert (sparse.counts == twin.counts).all()


def test_refusals():
    schema = plain_schema([2, 3])
    with pytest.raises(SchemaError, match=r"has the shape \(2, 3\); found \(3, 2\)"):
        JointCounts(schema, np.zeros((3, 2)))
    with pytest.raises(WeightError, match="counts are finite numbers from 0 on"):
        JointCounts(schema, np.full((2, 3), -1))
