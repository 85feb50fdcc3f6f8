"""Expected moments of rows with gaps, against a twin that takes one row after another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import MissingValuesError, SchemaError
from treewright.statistics.gaps.expected_moments import _LEAST_EIGENVALUE, NumbersWithGaps, _consistent
from treewright.tables import Table


def rows_with_gaps(seed, n=60, width=4, share=0.3, weighted=False, far=0.0):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n, width)) @ rng.normal(size=(width, width)) + far
    matrix[rng.random((n, width)) < share] = np.nan
    matrix[0], matrix[1] = np.arange(width) + 0.5 + far, np.nan  # all there, and nothing
    schema = tw.Schema([tw.Variable(f"x{v}") for v in range(width)])
    weights = rng.integers(0, 4, n) if weighted else None
    return Table(schema, list(matrix.T), weights=weights)


def covariance(seed, width):
    root = np.random.default_rng(seed).normal(size=(width, width + 2))
    return root @ root.T


def row_by_row(table, mean, sigma):
    """The slow twin: conditional means, second moments and densities, one row after another."""
    first, second, log_likelihood = np.zeros(len(mean)), np.zeros(sigma.shape), 0.0
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    for row, weight in zip(np.column_stack(table.columns), weights, strict=True):
        o, m = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
        precision = np.linalg.inv(sigma[np.ix_(o, o)])
        away = row[o] - mean[o]
        full, around = row.copy(), np.zeros(sigma.shape)
        full[m] = mean[m] + sigma[np.ix_(m, o)] @ precision @ away
        around[np.ix_(m, m)] = sigma[np.ix_(m, m)] - sigma[np.ix_(m, o)] @ precision @ sigma[np.ix_(o, m)]
        first += weight * full
        second += weight * (np.outer(full, full) + around)
        log_det = np.linalg.slogdet(2 * np.pi * sigma[np.ix_(o, o)])[1]
        log_likelihood -= 0.5 * weight * (log_det + away @ precision @ away)
    n = weights.sum()
    return n, first / n, second - np.outer(first, first) / n, log_likelihood


@given(st.integers(0, 10_000), st.integers(1, 5), st.booleans())
@settings(max_examples=25, deadline=None)
def test_they_are_those_of_one_row_after_another(seed, width, weighted):
    table = rows_with_gaps(seed, width=width, weighted=weighted)
    rows, sigma = NumbersWithGaps(table), covariance(seed, width)
    present = rows.available
    found, log_likelihood = rows.expect(present, sigma)
    n, mean, scatter, slow = row_by_row(table, present.mean, sigma)
    assert found.n == n
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.scatter, scatter, rtol=1e-8, atol=1e-7)
    assert log_likelihood == pytest.approx(slow, rel=1e-9)


def test_one_row_is_what_the_integral_says():
    """The density of what is shown, and the moments of what is not, by summing over a fine grid."""
    schema, shown_rows = tw.Schema([tw.Variable("x"), tw.Variable("y")]), [[-1.0, 2.0], [0.5, 3.0]]
    table = Table(schema, [[1.5, -1.0, 0.5], [np.nan, 2.0, 3.0]])
    rows, sigma = NumbersWithGaps(table), np.array([[2.0, 0.8], [0.8, 1.0]])
    mean = rows.available.mean
    assert mean.tolist() == pytest.approx([1 / 3, 2.5])
    grid, step = np.linspace(-12, 16, 20_001, retstep=True)
    away = np.column_stack([np.full_like(grid, 1.5), grid]) - mean
    density = np.exp(-0.5 * np.einsum("ri,ij,rj->r", away, np.linalg.inv(sigma), away))
    density /= 2 * np.pi * np.sqrt(np.linalg.det(sigma))
    shown = density.sum() * step
    expected = (grid * density).sum() * step / shown
    square = (grid**2 * density).sum() * step / shown
    away = np.array(shown_rows) - mean
    others = -0.5 * np.einsum("ri,ij,rj->", away, np.linalg.inv(sigma), away)
    others -= np.linalg.slogdet(2 * np.pi * sigma)[1]
    found, log_likelihood = rows.expect(rows.available, sigma)
    assert log_likelihood == pytest.approx(np.log(shown) + others)
    assert found.mean[1] == pytest.approx((expected + 5.0) / 3)
    assert found.scatter[1, 1] == pytest.approx(square + 13.0 - (expected + 5.0) ** 2 / 3)


def test_without_gaps_they_are_the_moments_bit_for_bit():
    rng = np.random.default_rng(3)
    table = tw.read_table({name: rng.normal(1e6, 1.0, 500) for name in "abc"})
    rows = NumbersWithGaps(table)
    assert rows.expect(rows.available, np.eye(3))[0] == tw.moments(table)
    np.testing.assert_allclose(rows.available.scatter, tw.moments(table).scatter, rtol=1e-9, atol=1e-6)


def test_far_from_zero_no_digits_are_lost():
    near, far = rows_with_gaps(5), rows_with_gaps(5, far=2.0**30)
    sigma = covariance(5, 4)
    one, other = (NumbersWithGaps(table) for table in (near, far))
    a, b = one.expect(one.available, sigma), other.expect(other.available, sigma)
    np.testing.assert_allclose(a[0].scatter, b[0].scatter, rtol=1e-5)
    assert a[1] == pytest.approx(b[1], rel=1e-6)


def test_the_order_of_rows_and_columns_does_not_show():
    table = rows_with_gaps(8, n=200)
    turned = table.take(np.random.default_rng(0).permutation(200)).select(["x2", "x0", "x3", "x1"])
    sigma, order = covariance(8, 4), [2, 0, 3, 1]
    rows, other = NumbersWithGaps(table), NumbersWithGaps(turned)
    a, b = rows.expect(rows.available, sigma), other.expect(other.available, sigma[np.ix_(order, order)])
    np.testing.assert_allclose(a[0].scatter[np.ix_(order, order)], b[0].scatter, rtol=1e-9, atol=1e-9)
    assert a[1] == pytest.approx(b[1], rel=1e-12)


def test_constant_and_equal_columns_stay_what_they_are():
    rng = np.random.default_rng(2)
    x, schema = rng.normal(size=80), tw.Schema([tw.Variable(name) for name in ("x", "y", "c")])
    full = Table(schema, [x, 3 * x, np.full(80, 0.1)])
    columns = [np.where(rng.random(80) < 0.2, np.nan, column) for column in full.columns]
    rows, present = NumbersWithGaps(Table(schema, columns)), tw.moments(full)
    assert rows.available.constant == ("c",)
    assert rows.available.correlation()[0, 1] == pytest.approx(1.0)
    found, log_likelihood = rows.expect(present, present.covariance(ddof=0) + np.diag([0, 0, 1e-12]))
    assert found.constant == ("c",)
    assert np.isfinite(log_likelihood)
    assert found.correlation()[0, 1] == pytest.approx(1.0)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_available_moments_contradict_nothing(seed):
    available = NumbersWithGaps(rows_with_gaps(seed, n=8, share=0.5, width=5)).available
    assert np.linalg.eigvalsh(available.correlation())[0] > -1e-9


def test_what_cannot_be_expected_is_refused():
    schema = tw.Schema([tw.Variable("x"), tw.Variable("y")])
    with pytest.raises(MissingValuesError, match="'y' misses every cell"):
        NumbersWithGaps(Table(schema, [[1.0, 2.0], [np.nan, np.nan]]))
    with pytest.raises(SchemaError, match="discrete"):
        NumbersWithGaps(tw.read_table({"a": ["x", "y"]}))


def test_correlations_that_contradict_each_other_are_drawn_no_further_than_needed():
    correlation = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    drawn = _consistent(correlation)
    assert np.linalg.eigvalsh(drawn)[0] == pytest.approx(_LEAST_EIGENVALUE, abs=1e-12)
    assert np.diag(drawn).tolist() == [1.0, 1.0, 1.0]
    share = drawn[0, 1] / 0.9
    np.testing.assert_allclose(drawn, share * correlation + (1 - share) * np.eye(3))
    sound = np.array([[1.0, 0.9], [0.9, 1.0]])
    assert _consistent(sound) is sound
